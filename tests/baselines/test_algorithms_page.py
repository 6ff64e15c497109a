"""The page that compares algorithms: scores, their intervals, the picture, the tuning."""

from __future__ import annotations

from pathlib import Path

import algorithms_page
import numpy as np
import pytest
from algorithms_page import (
    interquartile_mean,
    resampled,
    scores_figure,
    scores_of,
    scores_of_all,
    table,
)
from scipy import stats

from steer_env.baselines import benchmark
from steer_env.baselines.tables import build_page
from steer_env.baselines.tasks import RUNS, TASKS
from steer_env.files import read_json
from steer_env.sides import PURSUER

PAGE = Path(__file__).parents[2] / "baselines/results/algorithms.md"
NUMBERS = read_json(PAGE.with_suffix(".json"))


def test_the_page_has_the_numbers_beside_it():
    found = NUMBERS["found"]
    assert str(build_page("", table(found))).strip() in PAGE.read_text()
    assert NUMBERS["made_by"]["command"] in PAGE.read_text()
    assert list(found) == [
        f"`{task}`, {algorithm.upper()}"
        for task, algorithms in algorithms_page._ALGORITHMS.items()
        for algorithm in algorithms
    ]
    alone = [name for name in TASKS if name.endswith("/walls")]
    opponents = sum(len(TASKS[name].opponents + TASKS[name].held_out) for name in alone)
    for scores in scores_of_all(found).values():
        assert scores.shape == (RUNS, opponents)


def test_scores_of_several_scenarios_are_put_beside_each_other():
    one, two = [[0.1], [0.2]], [[0.3, 0.4], [0.5, 0.6]]
    found = {"a": {"algorithm": "ppo", "scores": one}, "b": {"algorithm": "ppo", "scores": two}}
    expected = [[0.1, 0.3, 0.4], [0.2, 0.5, 0.6]]
    np.testing.assert_array_equal(scores_of_all(found)["ppo"], expected)


def test_a_score_is_0_for_the_textbook_and_1_for_the_tuned_script():
    task = TASKS["pursuer/walls"]
    textbook, *_, tuned = task.references
    result = benchmark([textbook, tuned], task, 20)
    scores = scores_of(result)
    assert scores.shape == (2, len(task.opponents) + len(task.held_out))
    np.testing.assert_allclose(scores[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(scores[1], 1.0, atol=1e-12)


def test_whole_runs_are_drawn_again():
    """All opponents of a run come together: runs that differ much widen the interval."""
    alike = np.tile([0.8, 0.9, 1.0, 1.1], (5, 1))
    mean = interquartile_mean(alike)
    assert mean.low == mean.estimate == mean.high == pytest.approx(0.95)
    apart = alike + np.array([[-0.4], [-0.2], [0.0], [0.2], [0.4]])
    assert resampled(apart, 10).shape == (10, 20)
    wide = interquartile_mean(apart)
    assert wide.estimate == pytest.approx(stats.trim_mean(apart.ravel(), 0.25))
    assert wide.high - wide.low > 0.3
    axes = scores_figure({"ppo": apart, "dqn": alike}).axes
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["PPO", "DQN"]


def test_every_algorithm_has_as_many_trials_and_the_best_is_trained(monkeypatch, tmp_path):
    trained = {}
    monkeypatch.setattr(
        algorithms_page, "train_folders", lambda wanted, *_: trained.update(wanted)
    )
    losses = iter([5.0, 4.0, 6.0])
    found = {}

    def results(path):
        if path not in found:
            found[path] = {
                "validations": [{"capture_time": 9.0}, {"capture_time": next(losses)}]
            }
        return found[path]

    monkeypatch.setattr(algorithms_page, "read_json", results)
    best = algorithms_page.tune("pursuer/walls", "dqn", 3, tmp_path, 1)
    assert [one.params == () for one in trained.values()] == [True, False, False]
    second = list(trained.values())[1]
    assert (best.params, best.seed) == (second.params, 0)
    assert best.steps == 3 * second.steps + best.steps % 3
    for training in trained.values():
        assert training.environment == "PursuitDiscrete-v0"
        assert training.side is PURSUER
        assert training.opponent == TASKS["pursuer/walls"].opponents
        training.read_preset()  # its numbers are valid


@pytest.mark.parametrize("algorithm", algorithms_page._STEPS)
def test_what_is_drawn_is_a_valid_preset(algorithm):
    random = np.random.default_rng(0)
    compared = algorithms_page._ALGORITHMS
    for task in (name for name in compared if algorithm in compared[name]):
        for _ in range(5):
            params = algorithms_page._draw(algorithm, random)
            training = algorithms_page._training(task, algorithm, params, 0, 1000)
            assert training.read_preset().steps == 1000


def test_the_table_has_a_row_for_each_algorithm():
    interval = {"estimate": 4.0, "low": 3.9, "high": 4.1}
    groups = {"trained": interval, "held_out": interval}
    one = {"mean_capture_time": groups, "minus_tuned": groups, "steps": 120_000}
    one |= {"params": ["gamma=0.99"], "training_seconds": {"run": 90.0, "all": 600.0}}
    found = table({"`pursuer/walls`, SAC": one, "`evader/walls`, SAC": {**one, "params": ()}})
    assert found.rows[0][1] == "4.00 [3.90, 4.10]"
    assert found.rows[0][6:8] == ("1.5 min", "10 min")
    assert [row[-1] for row in found.rows] == ["`gamma=0.99`", "the preset's"]
