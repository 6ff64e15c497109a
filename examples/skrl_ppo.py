# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "skrl[torch]>=2.1"]
#
# [tool.clients]
# tool = "skrl (PPO)"
# versions = ["skrl", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""skrl trains PPO on Pursuit-v0, on its native vector environment.

    python examples/skrl_ppo.py

skrl lets a game go on over the end of an episode that ran out of time, unless
time_limit_bootstrap is True.
"""

import gymnasium as gym
import torch
from result import print_result
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from torch import nn

from steer_env.baselines import FunctionPolicy

GAMES = 128
STEPS = 4096  # of each game
ROLLOUT = 64


def network(inputs, outputs):
    """Two hidden layers of 64."""
    hidden = [nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()]
    return nn.Sequential(*hidden, nn.Linear(64, outputs))


class Actor(GaussianMixin, Model):
    """The policy: a Gaussian whose spread does not depend on the observation."""

    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        GaussianMixin.__init__(self)
        self.network = network(self.num_observations, self.num_actions)
        self.log_std = nn.Parameter(torch.full((self.num_actions,), -0.5))

    def compute(self, inputs, role):
        """The mean action of each observation, and the spread."""
        return self.network(inputs["observations"]), {"log_std": self.log_std}


class Critic(DeterministicMixin, Model):
    """The value of an observation."""

    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.network = network(self.num_observations, 1)

    def compute(self, inputs, role):
        """The values."""
        return self.network(inputs["observations"]), {}


set_seed(0)
torch.set_num_threads(1)  # the fastest for small networks
envs = wrap_env(gym.make_vec("steer_env:Pursuit-v0", num_envs=GAMES))
spaces = {
    "observation_space": envs.observation_space,
    "action_space": envs.action_space,
    "device": envs.device,
}
models = {"policy": Actor(**spaces), "value": Critic(**spaces)}
settings = PPO_CFG(
    rollouts=ROLLOUT,
    learning_epochs=10,
    mini_batches=8,
    learning_rate=1e-3,
    time_limit_bootstrap=True,
)
settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0  # no files
agent = PPO(
    models=models,
    memory=RandomMemory(memory_size=ROLLOUT, num_envs=GAMES, device=envs.device),
    cfg=settings,
    **spaces,
)
SequentialTrainer(cfg={"timesteps": STEPS, "headless": True}, env=envs, agents=agent).train()


@FunctionPolicy
def learned(observations):
    """The mean of the policy's distribution."""
    with torch.no_grad():
        rows = torch.as_tensor(observations, device=envs.device)
        actions, _ = models["policy"].compute({"observations": rows}, "policy")
    return actions.clip(-1.0, 1.0).cpu().numpy()


print_result(learned)
