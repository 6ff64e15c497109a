# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "optuna>=4", "stable-baselines3>=2.7", "torch"]
#
# [tool.clients]
# tool = "Optuna (PPO of stable-baselines3)"
# versions = ["optuna", "stable-baselines3", "torch"]
# runs = "native vector"
# ///
"""Optuna searches the hyperparameters of PPO; every trial trains for a few seconds.

    python examples/optuna_search.py

Each trial reports its mean capture time as it trains, so that the pruner can stop it early.
Trials are measured from one set of starts, and the best one from others that no trial saw:
the best of many figures is otherwise too good.
"""

import sys

import optuna
from result import print_result
from stable_baselines3 import PPO

from steer_env.baselines import evaluate
from steer_env.envs.sb3 import make_vec_env

TRIALS, STEPS = (int(given) for given in (sys.argv[1:] or (8, 100_000)))
REPORTS = 4
best = {}


def mean_capture_time(trial: optuna.Trial) -> float:
    """Trains with a trial's hyperparameters; returns the mean capture time in seconds."""
    model = PPO(
        "MlpPolicy",
        make_vec_env("Pursuit-v0", num_envs=64, seed=0),
        learning_rate=trial.suggest_float("learning_rate", 1e-4, 3e-3, log=True),
        gamma=1.0 - trial.suggest_float("1 - gamma", 1e-3, 1e-1, log=True),
        n_steps=2 ** trial.suggest_int("log2 n_steps", 4, 7),
        n_epochs=trial.suggest_int("n_epochs", 2, 10),
        batch_size=1024,
        seed=0,
        device="cpu",
    )
    for report in range(REPORTS):
        model.learn(STEPS // REPORTS, reset_num_timesteps=False)
        time = evaluate(model, "evade", episodes=200, seed=500_000).mean_capture_time.estimate
        trial.report(time, report)
        if trial.should_prune():
            raise optuna.TrialPruned
    if time < best.get("time", float("inf")):
        best.update(time=time, model=model)
    return time


study = optuna.create_study(
    sampler=optuna.samplers.TPESampler(seed=0),
    pruner=optuna.pruners.MedianPruner(n_startup_trials=3),
)
study.optimize(mean_capture_time, n_trials=TRIALS)
print(study.best_params)
print_result(best["model"])
