# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "imitation>=1.0.1", "pyarrow<21"]
#
# [tool.clients]
# tool = "imitation (BC, DAgger)"
# versions = ["imitation", "stable-baselines3", "gymnasium", "torch"]
# runs = "single"
# ///
"""imitation learns to pursue from a hand-written expert: behavioral cloning, then DAgger.

    python examples/imitation_bc_dagger.py

The expert is a script that sees only observations, as the learner does. imitation 1.0 pins
Gymnasium 0.29, which has no native vector environments: stable-baselines3 steps copies of the
single one. (Where newer versions are installed in spite of the pins, steer_env.envs.sb3's
make_vec_env does as well, and is faster.)
"""

from tempfile import TemporaryDirectory

import gymnasium as gym
import numpy as np
import torch
from imitation.algorithms.bc import BC
from imitation.algorithms.dagger import SimpleDAggerTrainer
from imitation.data import rollout
from result import print_result
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.policies import BasePolicy

from steer_env.baselines import evaluate, load

EXPERT = "pursuit/intercept"
EPISODES = 60  # that behavioral cloning sees
STEPS = 24_000  # of DAgger
EPISODES_A_ROUND = 16
TRAINING = {"n_epochs": 4, "progress_bar": False, "log_interval": 10_000}

torch.set_num_threads(1)  # the fastest for small networks
torch.manual_seed(0)
generator = np.random.default_rng(0)
envs = make_vec_env("steer_env:Pursuit-v0", n_envs=16, seed=0)
expert = load(EXPERT, gym.make("steer_env:Pursuit-v0"))
spaces = {"observation_space": envs.observation_space, "action_space": envs.action_space}

# A function from observations, states and starts of episodes is a policy for a rollout. The
# infos hold no copies of the episodes, which a RolloutInfoWrapper would add: unwrap=False.
enough = rollout.make_sample_until(min_episodes=EPISODES)
episodes = rollout.rollout(expert.predict, envs, enough, generator, unwrap=False)
cloning = BC(**spaces, demonstrations=rollout.flatten_trajectories(episodes), rng=generator)
cloning.train(**TRAINING)
cloned = evaluate(cloning.policy, "evade", episodes=500, seed=1_000_000)
print(f"behavioral cloning of {EPISODES} episodes: captured {cloned.capture_rate:.0%}")

BasePolicy.register(type(expert))  # the only kind of expert that DAgger asks
learner = BC(**spaces, rng=generator)
with TemporaryDirectory() as folder:
    dagger = SimpleDAggerTrainer(
        venv=envs, scratch_dir=folder, expert_policy=expert, bc_trainer=learner, rng=generator
    )
    dagger.train(
        STEPS,
        rollout_round_min_episodes=EPISODES_A_ROUND,
        bc_train_kwargs=TRAINING,
    )
print_result(learner.policy)
