"""The training program learns, and leaves behind what it says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rich.console import Console
from stable_baselines3 import PPO

from agents.train import Training, measure, run, train
from baselines import evaluate


def test_a_run_leaves_model_figures_plot_and_gif(tmp_path, capsys):
    run(Training(steps=32_768, num_envs=64, episodes=30, out=tmp_path))
    printed = capsys.readouterr().out
    assert "analytic pursuit" in printed
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"model.zip", "results.json", "comparison.png", "episode.gif"}
    figures = json.loads((tmp_path / "results.json").read_text())
    names = ["learned", "analytic pursuit", "pursuit/full_force"]
    assert list(figures["capture_time"]) == names
    assert list(figures["capture_time_difference"]) == names[1:]
    for estimate, low, high in figures["capture_time_difference"].values():
        assert low <= estimate <= high
    model = PPO.load(tmp_path / "model.zip", device="cpu")
    assert len(evaluate(model, "evade", episodes=3)) == 3


@pytest.mark.parametrize("env", ["Pursuit-v0", "Evade-v0"])
def test_it_learns_within_seconds(env):
    training = Training(env=env, steps=2_000_000, episodes=200)
    model, progress = train(training, Console(quiet=True))
    learned, analytic, _ = measure(model, training).values()
    random = measure(Random(), training)["learned"]
    if env == "Pursuit-v0":
        assert learned["time"].mean() < analytic["time"].mean()
        assert random["captured"].mean() < 0.05
    else:
        assert learned["time"].mean() > random["time"].mean()
    assert progress.curve[-1][1] >= 2_000_000


class Random:
    def __init__(self):
        self.generator = np.random.default_rng(0)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return self.generator.uniform(-1, 1, (len(observation), 2)), None


def test_the_same_seed_gives_the_same_model():
    training = Training(steps=16_384, num_envs=64, seed=3)
    models = [train(training, Console(quiet=True))[0] for _ in range(2)]
    one, other = (model.policy.state_dict() for model in models)
    assert all((one[name] == other[name]).all() for name in one)


def test_an_unknown_environment_is_refused(tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'Pursuit-v0'"):
        run(Training(env="Persuit-v0", out=tmp_path))
