# /// script
# requires-python = ">=3.11"
# dependencies = ["steer-env[baselines]", "sbx-rl>=0.20", "torch"]
#
# [tool.clients]
# tool = "SBX (PPO in JAX)"
# versions = ["sbx-rl", "jax", "gymnasium"]
# runs = "native vector"
# ///
"""SBX, stable-baselines3's algorithms in JAX, trains PPO on the native vector environment.

    python examples/sbx_ppo.py

SAC, TQC, CrossQ and the others take the same `make_vec_env`.
"""

from result import print_result
from sbx import PPO

from steer_env.envs.sb3 import make_vec_env

STEPS = 300_000

games = make_vec_env("Pursuit-v0", num_envs=64, seed=0)
model = PPO(
    "MlpPolicy", games, n_steps=128, batch_size=1024, n_epochs=10, learning_rate=1e-3, seed=0
)
model.learn(STEPS)
print_result(model)
