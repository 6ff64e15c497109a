# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "agilerl>=2.50", "peft", "torch"]
#
# [tool.clients]
# tool = "AgileRL (PPO)"
# versions = ["agilerl", "gymnasium", "torch"]
# runs = "native vector"
# ///
"""AgileRL trains PPO on Pursuit-v0; its `train_on_policy` takes the native vector environment.

    python examples/agilerl_ppo.py

AgileRL imports peft, but does not ask pip for it.
"""

import gymnasium as gym
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy
from result import print_result

from steer_env.baselines import FunctionPolicy

STEPS = 250_000
GAMES = 64

torch.manual_seed(0)
envs = gym.make_vec("steer_env:Pursuit-v0", num_envs=GAMES)
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    num_envs=GAMES,
    learn_step=128 * GAMES,
    batch_size=1024,
    update_epochs=10,
    lr=1e-3,
    gamma=0.99,
    ent_coef=0.0,
)
(agent,), _ = train_on_policy(
    envs, "Pursuit-v0", "PPO", [agent], max_steps=STEPS, evo_steps=STEPS // 4, verbose=False
)


@FunctionPolicy
def learned(observations):
    """Actions sampled from the policy's distribution, as AgileRL's own tests take them."""
    agent.set_training_mode(False)
    return agent.get_action(observations)[0]


print_result(learned)
