# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "steer-env[baselines,multi]", "supersuit>=3.11", "stable-baselines3>=2.7", "torch"
# ]
#
# [tool.clients]
# tool = "SuperSuit (PPO of stable-baselines3)"
# versions = ["supersuit", "stable-baselines3", "pettingzoo", "gymnasium", "torch"]
# runs = "single"
# ///
"""SuperSuit makes the PettingZoo environment a VecEnv of stable-baselines3, a row per pursuer.

    python examples/team_supersuit_ppo.py

`steer_env.envs.sb3.make_vec_env(..., shared=True)` trains the same by one compiled call a step.
SuperSuit's rows must not end before their game does, so it trains pursuers. Its `black_death`
wrapper, which is for agents that leave, waits for both flags of every agent, termination and
truncation, and so never ends an episode (SuperSuit 3.11).
"""

import torch
from result import TEAM_GAME, TEAM_TRAINING, print_result
from stable_baselines3 import PPO
from supersuit import concat_vec_envs_v1, pettingzoo_env_to_vec_env_v1

from steer_env import parallel_env

GAMES = 32
STEPS = 400_000  # of all pursuers together

torch.set_num_threads(1)  # the fastest for small networks
rows = pettingzoo_env_to_vec_env_v1(parallel_env(**TEAM_TRAINING))
envs = concat_vec_envs_v1(rows, GAMES, base_class="stable_baselines3")
model = PPO(
    "MlpPolicy",
    envs,
    n_steps=64,
    batch_size=1024,
    n_epochs=10,
    learning_rate=1e-3,
    device="cpu",  # without a seed: SuperSuit's environments take none
)
model.learn(STEPS)
print_result(model, TEAM_GAME)
