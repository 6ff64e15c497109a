# /// script
# requires-python = ">=3.11"
# dependencies = ["steer-env[baselines]", "tianshou>=2", "torch"]
#
# [tool.clients]
# tool = "Tianshou (PPO)"
# versions = ["tianshou", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""Tianshou trains PPO on the native vector environment, through an adapter of few lines.

    python examples/tianshou_ppo.py

Tianshou's own vector environments (`DummyVectorEnv` and the others) take functions that make
single environments, and run those of this package as they are.
"""

import gymnasium as gym
import numpy as np
import torch
from result import print_result
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import BaseVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.continuous import ContinuousActorProbabilistic, ContinuousCritic
from torch.distributions import Independent, Normal

from steer_env.baselines import FunctionPolicy

STEPS = 200_000
GAMES = 64
ROLLOUT = 128 * GAMES


class NativeVectorEnv(BaseVectorEnv):
    """A native vector environment that Tianshou's collectors step and reset.

    Args:
        envs: in autoreset mode DISABLED, since a collector resets games that are over.
    """

    def __init__(self, envs):
        self.envs, self.env_num = envs, envs.num_envs
        self.is_async, self.is_closed = False, False

    def get_env_attr(self, key, id=None):
        """The attribute, once for each game; spaces are those of a single game."""
        name = f"single_{key}" if key in ("action_space", "observation_space") else key
        return [getattr(self.envs, name) for _ in self._wrap_id(id)]

    def reset(self, env_id=None, **keywords):
        """Begins new episodes in all games, or in those with these numbers."""
        chosen = np.array(self._wrap_id(env_id))
        if len(chosen) < self.env_num:
            mask = np.isin(np.arange(self.env_num), chosen)
            keywords["options"] = {"reset_mask": mask}
        observations, _ = self.envs.reset(**keywords)
        return observations[chosen], np.array([{} for _ in chosen])

    def step(self, action, id=None):
        """Steps all games, which is what collecting a number of steps asks for."""
        if len(self._wrap_id(id)) < self.env_num:
            raise ValueError("the games step together: collect with n_step, not n_episode")
        infos = np.array([{"env_id": game} for game in range(self.env_num)])
        return *self.envs.step(action)[:4], infos

    def close(self):
        """Closes the games."""
        self.envs.close()


def network():
    """The layers that come before the actor's and the critic's own."""
    return Net(state_shape=FEATURES, hidden_sizes=(64, 64), activation=torch.nn.Tanh)


torch.manual_seed(0)
envs = gym.make_vec("steer_env:Pursuit-v0", GAMES, autoreset_mode="Disabled")
FEATURES = envs.single_observation_space.shape
actor = ContinuousActorProbabilistic(
    preprocess_net=network(), action_shape=envs.single_action_space.shape, unbounded=True
)
policy = ProbabilisticActorPolicy(
    actor=actor,
    dist_fn=lambda loc_scale: Independent(Normal(*loc_scale), 1),
    action_space=envs.single_action_space,
)
algorithm = PPO(
    policy=policy,
    critic=ContinuousCritic(preprocess_net=network()),
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=0.99,
    ent_coef=0.0,
    max_grad_norm=0.5,
)
collector = Collector(
    algorithm, NativeVectorEnv(envs), VectorReplayBuffer(ROLLOUT, GAMES), exploration_noise=True
)
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=STEPS,
        collection_step_num_env_steps=ROLLOUT,
        update_step_num_repetitions=10,
        batch_size=1024,
    )
)


@FunctionPolicy
def learned(observations):
    """The mean of the policy's distribution."""
    with torch.no_grad():
        (means, _), _ = actor(torch.as_tensor(observations))
    return means.clamp(-1.0, 1.0).numpy()


print_result(learned)
