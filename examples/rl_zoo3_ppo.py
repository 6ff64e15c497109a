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

import gymnasium
from result import print_result
from rl_zoo3.exp_manager import ExperimentManager
from rl_zoo3.train import train
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

from steer_env.envs.sb3 import StableBaselinesVecEnv

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


class NativeVecEnv(VecMonitor):
    """The native vector environment in place of copies that functions make, all alike."""

    def __init__(self, env_fns):
        env = env_fns[0]()
        spec = env.spec
        env.close()
        keywords = {**spec.kwargs, "max_episode_steps": spec.max_episode_steps}
        envs = gymnasium.make_vec(spec.id, len(env_fns), autoreset_mode="SameStep", **keywords)
        super().__init__(StableBaselinesVecEnv(envs))


ExperimentManager.default_vec_env_cls = NativeVecEnv
folder = Path(tempfile.mkdtemp())
(folder / "ppo.yml").write_text(HYPERPARAMETERS)
options = ["--algo", "ppo", "--env", "Pursuit-v0", "--gym-packages", "steer_env", "--seed", "0"]
options += ["--conf-file", str(folder / "ppo.yml"), "--log-folder", str(folder / "logs")]
sys.argv[1:] = [*options, *sys.argv[1:]]
train()
print_result(PPO.load(folder / "logs" / "ppo" / "Pursuit-v0_1" / "Pursuit-v0.zip"))
