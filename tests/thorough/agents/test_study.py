"""Methods of self-play are compared run by run."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from compare_methods import train_study, write_study

from agents.selfplay.generations import TARGETS, SelfPlay, SelfPlayFolder
from steer_env.files import write_json
from steer_env.policies.archive import write_archive
from steer_env.sides import Side

SEEDS = (0, 1)


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Runs of two methods that have begun, with the figures of trained ones."""
    trained = []

    def run(words, **_):
        trained.append(words[3:])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr("train_folders.subprocess", SimpleNamespace(run=run))
    plan = SelfPlay(num_envs=64, generations=1)
    train_study(plan, ("fictitious", "psro"), SEEDS, tmp_path, 1, 4)
    for number, (_, _, folder) in enumerate(trained):
        run = SelfPlayFolder(tmp_path.joinpath(folder))
        gains = dict.fromkeys(TARGETS, np.array([0.0, 1.0, 2.0]) + number)
        write_archive(run.gaps, gains, 10_000)
        answers = {side.name: {"answer": f"best of {side.name}"} for side in Side}
        targets = dict.fromkeys(TARGETS, answers)
        search = {
            "exploiters": [{"steps": [1_000_000, 2_000_000], "capture_times": [9.0, 7.5]}],
            "script_time": {"estimate": 7.0},
        }
        exploiters = {f"mixture {side.name}": search for side in Side}
        found = {"targets": targets, "exploiters": exploiters}
        write_json(run.results, {"exploitability": found})
    return tmp_path, plan, trained


def test_a_comparison_trains_every_method_with_every_seed(measured):
    path, plan, trained = measured
    found = [SelfPlayFolder(path / folder).settings for _, _, folder in trained]
    assert [(one.method, one.seed) for one in found] == [
        ("fictitious", 0),
        ("fictitious", 1),
        ("psro", 0),
        ("psro", 1),
    ]
    SelfPlayFolder(path / "psro" / "seed_1").readme.write_text("done")
    train_study(plan, ("fictitious", "psro"), SEEDS, path, 1, 4)
    assert trained[4:] == trained[:3]
    for changes, message in (
        ({"plan": SelfPlay(num_envs=128)}, "holds another run"),
        ({"methods": ("psr",)}, "Did you mean 'psro'"),
        ({"seeds": ()}, "at least one"),
        ({"plan": SelfPlay(exploiter_steps=0)}, "exploiter_steps must be above 0"),
    ):
        given = {"plan": plan, "methods": ("psro",), "seeds": SEEDS, "path": path}
        with pytest.raises(ValueError, match=message):
            train_study(**{**given, **changes}, jobs=2, episodes=4)


def test_a_comparison_shows_the_mean_of_the_runs_and_each_of_them(measured):
    path, _, _ = measured
    (page := path / "page").mkdir()
    tables = write_study(path, ("fictitious", "psro"), SEEDS, page)
    found = json.loads((page / "results.json").read_text())["methods"]
    assert found["fictitious"]["last"]["of_runs"] == [1.0, 2.0]
    assert found["psro"]["mixture"]["estimate"] == pytest.approx(3.5)
    assert found["psro"]["mixture"]["low"] < 3.0  # few runs, and they differ
    assert found["fictitious"]["last"]["low"] == 0.0  # Student's t would say less
    assert "3.50 [" in tables[0].rows[1][1]
    assert "(3.00, 4.00)" in tables[0].rows[1][1]
    assert ("psro, seed 1", "last", "best of pursuer", "best of evader") in tables[1].rows
    text = (page / "README.md").read_text()
    assert "fictitious" in text
    words = "--methods fictitious psro --seeds 0 1 --episodes 4 --generations 1 --num-envs 64"
    assert f"compare_methods.py {words}`" in text
    for name in ("nash_conv.svg", "nash_conv-dark.svg", "exploiters.png"):
        assert (page / name).stat().st_size > 0
