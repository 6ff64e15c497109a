# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "rl_zoo3>=2.7", "torch"]
#
# [tool.clients]
# tool = "rl-baselines3-zoo (PPO)"
# versions = ["rl_zoo3", "stable-baselines3", "torch"]
# runs = "native vector"
# ///
"""rl-baselines3-zoo trains PPO on Pursuit-v0, on its native vector environment.

    python examples/rl_zoo3_ppo.py

`default_vec_env_cls` is the zoo's place for environments that are vectors themselves. All of
its options work: those below, or those on this script's own command line.
"""

import sys
import tempfile
from pathlib import Path

from result import print_result
from rl_zoo3.exp_manager import ExperimentManager
from rl_zoo3.train import train
from stable_baselines3 import PPO

from steer_env.envs.sb3 import NativeVecEnv

HYPERPARAMETERS = """
Pursuit-v0:
  n_envs: 64
  n_timesteps: 200000
  policy: 'MlpPolicy'
  n_steps: 128
  batch_size: 1024
  n_epochs: 10
  learning_rate: 0.001
"""

ExperimentManager.default_vec_env_cls = NativeVecEnv
folder = Path(tempfile.mkdtemp())
(folder / "ppo.yml").write_text(HYPERPARAMETERS)
options = ["--algo", "ppo", "--env", "Pursuit-v0", "--gym-packages", "steer_env", "--seed", "0"]
options += ["--conf-file", str(folder / "ppo.yml"), "--log-folder", str(folder / "logs")]
sys.argv[1:] = [*options, *sys.argv[1:]]
train()
print_result(PPO.load(folder / "logs" / "ppo" / "Pursuit-v0_1" / "Pursuit-v0.zip"))
