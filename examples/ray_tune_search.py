# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "steer-env[baselines]", "ray[tune]>=2.60", "stable-baselines3>=2.7", "torch"
# ]
#
# [tool.clients]
# tool = "Ray Tune (PPO of stable-baselines3)"
# versions = ["ray", "stable-baselines3", "torch"]
# runs = "native vector"
# ///
"""Ray Tune searches hyperparameters around a preset, on one or many machines.

    python examples/ray_tune_search.py
    python examples/ray_tune_search.py --samples 64 --address 192.168.1.10:6379

Each trial reports its mean capture time as it trains, so that ASHA stops the worse ones early.
Trials are measured from one set of starts, and the best one from others that no trial saw: the
best of many figures is otherwise too good. The machines of a cluster must share ~/ray_results.
"""

import argparse
import tempfile
from pathlib import Path

from ray import tune
from ray_cluster import joined
from result import print_result
from stable_baselines3 import PPO

from steer_env.agents.training.hyperparameters import read_preset
from steer_env.baselines import evaluate
from steer_env.envs.sb3 import make_vec_env

REPORTS = 4
SPACE = {
    "learning_rate": tune.loguniform(1e-4, 1e-2),
    "gamma": tune.choice([0.99, 0.995, 0.997, 0.999]),
    "ent_coef": tune.loguniform(1e-6, 2e-2),
    "n_epochs": tune.choice([1, 2, 3, 5]),
}

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=6, help="settings to try")
parser.add_argument("--steps", type=int, default=1_000_000, help="at most, of a trial")
parser.add_argument("--address", help="a Ray cluster's; by default Ray runs on this machine")
options = parser.parse_args()

preset = read_preset("ppo", "Pursuit-v0")
policy, num_envs, arguments = preset.policy, preset.n_envs, preset.arguments
fixed = {name: value for name, value in arguments.items() if name not in SPACE}


def train(setting):
    """Trains with a setting; reports the mean capture time in seconds, and the model."""
    games = make_vec_env("Pursuit-v0", num_envs=num_envs, seed=0)
    model = PPO(policy, games, seed=0, device="cpu", **fixed, **setting)
    for _ in range(REPORTS):
        model.learn(options.steps // REPORTS, reset_num_timesteps=False)
        found = evaluate(model, "evade", episodes=200, seed=500_000)
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder, "model.zip"))
            checkpoint = tune.Checkpoint.from_directory(folder)
            tune.report({"time": found.mean_capture_time.estimate}, checkpoint=checkpoint)


with joined(options.address):
    tuner = tune.Tuner(
        train,
        param_space=SPACE,
        tune_config=tune.TuneConfig(
            metric="time",
            mode="min",
            num_samples=options.samples,
            scheduler=tune.schedulers.ASHAScheduler(max_t=REPORTS),
        ),
        run_config=tune.RunConfig(verbose=1),
    )
    best = tuner.fit().get_best_result()
values = " ".join(f"{name}={value:.4g}" for name, value in best.config.items())
print(f"steer-env train --params {values}")
print_result(PPO.load(Path(best.checkpoint.path, "model.zip"), device="cpu"))
