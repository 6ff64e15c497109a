"""The methods of self-play train against whom they say, and methods are compared run by run."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from compare_methods import train_study, write_study

from agents.selfplay import methods
from agents.selfplay.generations import TARGETS, SelfPlay, SelfPlayFolder
from agents.selfplay.methods import METHODS, SCRIPTS, Population
from agents.training.training import VALIDATION_SEED
from agents.training.validation import validate
from baselines import evaluate
from baselines.cross_play import solve_matrix_game
from baselines.scenarios import SCENARIOS
from steer_env.files import write_json
from steer_env.policies.archive import write_archive
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import DEFAULT_GAME

NETWORKS = {
    PURSUER: ["pretrained/pursuit/ppo/1", "pretrained/pursuit/ppo/2"],
    EVADER: ["pretrained/evade/ppo/1", "pretrained/evade/ppo/2"],
}


@pytest.fixture
def population(monkeypatch):
    """Scripts, and two networks of each side; few episodes of each pair."""
    monkeypatch.setattr(methods, "_EPISODES", 10)
    found = Population(DEFAULT_GAME)
    found.networks = {side: list(NETWORKS[side]) for side in Side}
    return found


def test_each_method_meets_its_own_opponents(population):
    for side in Side:
        everybody = (*SCRIPTS[side], *NETWORKS[side])
        expected = {
            "independent": {"opponent": (NETWORKS[side][-1],)},
            "fictitious": {"opponent": everybody},
            "prioritized": {"opponent": everybody, "hardness": 1.5},
        }
        for name, settings in expected.items():
            assert METHODS[name](population, side, 1.5) == settings


def test_psro_meets_the_equilibrium_of_all_pairs(population):
    names = [[*SCRIPTS[side], *NETWORKS[side]] for side in Side]
    costs = np.array(
        [
            [evaluate(p, e, None, 10, VALIDATION_SEED)["time"].mean() for e in names[1]]
            for p in names[0]
        ]
    )
    for side in Side:
        found = METHODS["psro"](population, side, 1.0)
        assert sum(found["opponent_weights"]) == pytest.approx(1.0)
        mixture = np.zeros(len(names[side]))
        for name, chance in zip(found["opponent"], found["opponent_weights"]):
            mixture[names[side].index(name)] = chance
        answers = costs.T @ mixture if side is PURSUER else costs @ mixture
        best = answers.max() if side is PURSUER else answers.min()
        assert best == pytest.approx(solve_matrix_game(costs)[2], abs=0.05)


def test_a_cyclic_game_is_mixed_equally(monkeypatch):
    monkeypatch.setattr(methods, "SCRIPTS", {PURSUER: ["r", "p", "s"], EVADER: ["r", "p", "s"]})
    cyclic, names = Population(DEFAULT_GAME), "rps"
    cyclic._payoffs = {
        (p, e): 10.0 + ((names.index(p) - names.index(e) + 1) % 3 - 1)
        for p in names
        for e in names
    }
    for side in Side:
        chances = cyclic.equilibrium_of_all(side)
        assert chances == pytest.approx(dict.fromkeys(names, 1 / 3))


def test_a_validation_weights_opponents_as_the_training_draws_them():
    study = replace(SCENARIOS["pursuer/walls"], opponents=("flee", "evade"))
    equal = validate("seek", study, 8, 0, 0.0)
    times = [equal.capture_times[name] for name in study.opponents]
    assert equal.capture_time == pytest.approx(np.mean(times))
    weighted = validate("seek", study, 8, 0, 0.0, (0.25, 0.75))
    assert weighted.capture_time == pytest.approx(0.25 * times[0] + 0.75 * times[1])


# the comparison of methods


SEEDS = (0, 1)


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Runs of two methods that have begun, with the figures of trained ones."""
    trained = []

    def run(words, **_):
        trained.append(words[3:])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr("train_folders.subprocess.run", run)
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
    command = "methods --methods fictitious psro --seeds 0 1 --episodes 4 --generations 1"
    assert f"{command} --num-envs 64`" in text
    for name in ("nash_conv.svg", "nash_conv-dark.svg", "exploiters.png"):
        assert (page / name).stat().st_size > 0
