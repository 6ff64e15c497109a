"""Results and comparisons in games about a distance, where capture times mean nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from steer_env.baselines import benchmark, compare, evaluate
from steer_env.baselines.measures import DISTANCE
from steer_env.baselines.statistics import mean_with_interval, paired_difference
from steer_env.baselines.tasks import Task

EPISODES = 40
SCENARIO = Task(
    name="pursuer/drag",
    environment="Drag-v0",
    side="pursuer",
    opponents=("optimal/drag",),
    held_out=("idle",),
    references=("idle", "optimal/drag"),
)
"""All episodes of drag last equally long: by the time, the first reference is best."""


@pytest.fixture(scope="module")
def result():
    return benchmark("wander", SCENARIO, EPISODES)


def distances(result, opponent):
    return result.against(opponent)["distance"]


def reference_distances(result, opponent):
    names = result.task.references
    return [result.reference(name, opponent)["distance"] for name in names]


def test_a_result_measures_the_distance(result):
    assert result.payoff is DISTANCE
    ours = distances(result, "optimal/drag")
    theirs = reference_distances(result, "optimal/drag")
    assert result.means["trained"] == mean_with_interval(ours)
    for name, values in zip(("idle", "optimal/drag"), theirs):
        assert result.difference(name) == paired_difference(ours, values)
    held_out, first = distances(result, "idle"), reference_distances(result, "idle")[0]
    assert result.generalization.estimate == pytest.approx(
        (held_out.mean() - ours.mean()) - (first.mean() - theirs[0].mean())
    )
    several = benchmark({"one": "wander", "two": "seek"}, SCENARIO, EPISODES)
    matrix = several.against("optimal/drag").array("distance", "run")
    assert several.difference("idle") == paired_difference(matrix, theirs[:1])
    assert several.means["trained"].low >= 0.0
    numbers = json.loads(json.dumps(result.to_dict()))
    assert "captur" not in json.dumps(numbers)
    assert numbers["mean_distance"]["trained"] == result.means["trained"]._asdict()
    for opponent, about in numbers["opponents"].items():
        ours, theirs = distances(result, opponent), reference_distances(result, opponent)
        assert about["mean_distance"] == pytest.approx(ours.mean())
        assert about["of_runs"] == [{"mean_distance": pytest.approx(ours.mean())}]
        assert list(about["references"].values()) == [values.mean() for values in theirs]
        best = paired_difference(ours, min(theirs, key=np.mean))
        assert about["difference_from_best"] == best._asdict()


def test_a_comparison_is_of_the_distance(result):
    optimal, rest = (
        evaluate(name, "flee", "drag", EPISODES) for name in ("optimal/drag", "idle")
    )
    np.testing.assert_array_equal(optimal["time"], rest["time"])
    for found in (compare(optimal, rest), compare([optimal, optimal], rest)):
        assert found.payoff is DISTANCE
        mean = optimal["distance"].mean() - rest["distance"].mean()
        assert found.difference.estimate == pytest.approx(mean)
        assert found.improvement.estimate > 0.5
        verdict = found.verdict.replace(" (one fixed policy)", "")
        assert "optimal/drag is better than idle" in verdict
        assert f"the distance is {-mean:.2f} m smaller" in found.verdict
        assert "captur" not in json.dumps(found.to_dict()) + str(found)
        assert found.to_dict()["distance"] == found.distance._asdict()
        assert ("mean distance, m", f"{found.distance:+.2f}") in found.table().rows
    as_evaders = compare(
        *(evaluate("seek", name, "drag", EPISODES) for name in ("optimal/drag", "idle"))
    )
    assert "optimal/drag is better than idle: the distance is" in as_evaders.verdict
    assert "m larger" in as_evaders.verdict


def test_an_evaluation_of_distances_speaks_of_no_capture_times():
    found = evaluate("optimal/drag", "flee", "drag", EPISODES)
    assert found.metrics()["mean_distance"] == mean_with_interval(found["distance"])
    numbers = json.loads(json.dumps(found.to_dict()))
    assert numbers["mean_distance"] == found.mean_distance._asdict()
    assert "capture_time" not in json.dumps(numbers)
    assert f"{found.mean_distance:.2f} m" in str(found)
    assert "capture time" not in str(found)
    for distance, share in zip(found.survival.times, found.survival.share):
        assert share == pytest.approx((found["distance"] > distance).mean())
