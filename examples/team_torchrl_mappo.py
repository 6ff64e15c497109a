# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "torchrl>=0.14"]
#
# [tool.clients]
# tool = "TorchRL (MAPPO)"
# versions = ["torchrl", "tensordict", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""TorchRL trains three pursuers by MAPPO, on a batch of games.

    python examples/team_torchrl_mappo.py

`TorchRLEnv` steps all games by one compiled call. The pursuers share a policy of their own
observations; their critic, used in training only, sees the observations of all.
"""

import torch
from result import TEAM_GAME, TEAM_TRAINING, print_result
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MultiAgentMLP, ProbabilisticActor, TanhNormal
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE
from torchrl_env import TorchRLEnv

from steer_env.baselines import FunctionPolicy

GAMES = 128
STEPS = 1536  # of each game
ROLLOUT = 64
EPOCHS = 10
MINIBATCH = 1024
PLAYERS = TEAM_GAME["pursuers"]

torch.manual_seed(0)
torch.set_num_threads(1)  # the fastest for small networks
envs = TorchRLEnv(GAMES, seed=0, **TEAM_TRAINING)
check_env_specs(envs)
features = envs.observation_spec["pursuer", "observation"].shape[-1]


def network(outputs, centralized):
    """Two hidden layers of 64, the same for all pursuers."""
    return MultiAgentMLP(
        n_agent_inputs=features,
        n_agent_outputs=outputs,
        n_agents=PLAYERS,
        centralized=centralized,
        share_params=True,
        depth=2,
        num_cells=64,
        activation_class=nn.Tanh,
    )


actor_network = nn.Sequential(network(4, centralized=False), NormalParamExtractor())
actor = ProbabilisticActor(
    TensorDictModule(
        actor_network,
        in_keys=[("pursuer", "observation")],
        out_keys=[("pursuer", "loc"), ("pursuer", "scale")],
    ),
    in_keys=[("pursuer", "loc"), ("pursuer", "scale")],
    out_keys=[("pursuer", "action")],
    spec=envs.full_action_spec_unbatched,
    distribution_class=TanhNormal,
    return_log_prob=True,
    log_prob_key=("pursuer", "log_prob"),
)
critic = TensorDictModule(
    network(1, centralized=True),
    in_keys=[("pursuer", "observation")],
    out_keys=[("pursuer", "state_value")],
)
entries = {name: ("pursuer", name) for name in ("reward", "action", "done", "terminated")} | {
    "sample_log_prob": ("pursuer", "log_prob"),
    "value": ("pursuer", "state_value"),
}
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.0, normalize_advantage=True)
loss.set_keys(**entries)
advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
advantages.set_keys(**{k: entries[k] for k in ("reward", "done", "terminated", "value")})
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
    """The mode of the policy's distribution, for each pursuer."""
    teams = torch.as_tensor(observations).reshape(-1, PLAYERS, features)
    with torch.no_grad():
        loc, _ = actor_network(teams)
    return loc.tanh().reshape(-1, 2).numpy()


print_result(learned, TEAM_GAME)
