# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "torchrl>=0.14"]
#
# [tool.clients]
# tool = "TorchRL (PPO)"
# versions = ["torchrl", "tensordict", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""TorchRL trains PPO on Pursuit-v0, on its native vector environment.

    python examples/torchrl_ppo.py

TorchRL takes vector environments in autoreset mode "Disabled", where it resets the games that
are over, or "SameStep". GymEnv makes a single environment by its id, also in the workers of a
ParallelEnv.
"""

import gymnasium as gym
import torch
from result import print_result
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import ExplorationType, GymEnv, GymWrapper, set_exploration_type
from torchrl.envs.utils import check_env_specs
from torchrl.modules import ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from steer_env.baselines import FunctionPolicy

GAMES = 128
STEPS = 3072  # of each game
ROLLOUT = 64
EPOCHS = 10
MINIBATCH = 1024


def network(outputs):
    """Two hidden layers of 64."""
    hidden = [nn.LazyLinear(64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()]
    return nn.Sequential(*hidden, nn.Linear(64, outputs))


torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for small networks
envs = GymWrapper(
    gym.make_vec("steer_env:Pursuit-v0", num_envs=GAMES, autoreset_mode="Disabled")
)
check_env_specs(envs)
check_env_specs(GymEnv("steer_env:Pursuit-v0").auto_register_info_dict())  # a single one
actor = ProbabilisticActor(
    TensorDictModule(
        nn.Sequential(network(4), NormalParamExtractor()),
        in_keys=["observation"],
        out_keys=["loc", "scale"],
    ),
    in_keys=["loc", "scale"],
    distribution_class=TanhNormal,
    spec=envs.action_spec_unbatched,
    return_log_prob=True,
)
critic = ValueOperator(network(1), in_keys=["observation"])
first = envs.reset()
actor(first), critic(first)  # makes the layers, whose sizes follow from the observations
advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.0, normalize_advantage=True)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

rollouts = Collector(envs, actor, frames_per_batch=GAMES * ROLLOUT, total_frames=GAMES * STEPS)
for number, rollout in enumerate(rollouts):
    for _ in range(EPOCHS):
        with torch.no_grad():
            advantages(rollout)
        for minibatch in rollout.reshape(-1)[torch.randperm(rollout.numel())].split(MINIBATCH):
            losses = loss(minibatch)
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
    captures = rollout["next", "terminated"].sum()
    print(f"rollout {number}: {captures} captures", flush=True)
rollouts.shutdown()


@FunctionPolicy
def learned(observations):
    """The mean of the policy's distribution."""
    rows = TensorDict(observation=torch.as_tensor(observations), batch_size=len(observations))
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        return actor(rows)["action"].numpy()


print_result(learned)
