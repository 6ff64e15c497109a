"""Comparisons pair episodes by start, respect training runs, and find true differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_crossplay import made_up

from steer_env.baselines import (
    compare,
    evaluate,
    paired_difference,
    paired_rate_difference,
    probability_of_improvement,
)
from steer_env.game.config import make_game

LIMIT = 20.0


def noisy(mean, generator, count=200, **keywords):
    return made_up(np.clip(generator.normal(mean, 2.0, count), 0.5, LIMIT), **keywords)


def assert_is_of(found, ours, theirs):
    """The intervals are those of the runs' values from each start."""
    both = (ours, theirs)
    times, caught = ([[run[x] for run in runs] for runs in both] for x in ("time", "captured"))
    if found.units == "episodes":
        times, caught = ([values for (values,) in column] for column in (times, caught))
    assert found.capture_time == paired_difference(*times, limit=ours[0].time_limit)
    assert found.capture_rate == paired_rate_difference(*caught)
    is_less = found.side == "pursuer"
    assert found.improvement == probability_of_improvement(*times, lower_is_better=is_less)


@pytest.fixture(scope="module")
def pair():
    return tuple(evaluate(name, "evade", episodes=300) for name in ("pursuit", "seek"))


def test_the_numbers_are_those_of_the_pairs(pair):
    ours, theirs = pair
    found = compare(ours, theirs)
    assert (found.ours, found.theirs, found.opponent) == ("pursuit", "seek", "evade")
    assert (found.side, found.units, found.count) == ("pursuer", "episodes", 300)
    assert_is_of(found, [ours], [theirs])
    assert compare([ours], [theirs]) == found
    assert str(found).startswith("pursuit minus seek, pursuers vs evade, 300 episodes")
    assert f"{found.capture_time:+.2f}" in str(found)


@pytest.mark.parametrize(
    ("side", "times", "verdict"),
    [
        ("pursuer", (3.0, 5.0), "a is better than b: captures come 2.00 s sooner"),
        ("pursuer", (5.0, 3.0), "a is worse than b: captures come 2.00 s later"),
        ("evader", (5.0, 3.0), "a is better than b: captures come 2.00 s later"),
        ("evader", (3.0, 5.0), "a is worse than b: captures come 2.00 s sooner"),
        ("pursuer", (4.0, 4.0), "no significant difference between a and b"),
        ("evader", (4.0, 4.0), "no significant difference between a and b"),
    ],
)
def test_the_verdict_names_the_better_policy(side, times, verdict):
    noise = np.random.default_rng(0).normal(0.0, 1.0, (2, 400))
    noise -= noise.mean(axis=1, keepdims=True)
    names = [{side: name} for name in "ab"]
    ours, theirs = (made_up(t + n, **who) for t, n, who in zip(times, noise, names))
    found = compare(ours, theirs)
    assert found.verdict == verdict
    better = found.improvement.low > 0.5
    assert better == ("better" in verdict)
    assert f"Verdict: {verdict}." in " ".join(str(found).split())


def test_the_run_is_the_unit():
    generator = np.random.default_rng(0)
    ours = [noisy(mean, generator, pursuer=f"run{n}") for n, mean in enumerate((4, 5, 6, 5, 7))]
    theirs = [noisy(mean, generator, pursuer=f"old{n}") for n, mean in enumerate((8, 7, 9))]
    found = compare(ours, theirs)
    assert_is_of(found, ours, theirs)
    assert (found.units, found.count, found.side) == ("training runs", 5, "pursuer")
    assert (found.runs, found.fixed, found.note) == ((5, 3), None, "")
    text = " ".join(str(found).split())
    assert "5 training runs and 3 training runs, from the same starts" in text
    assert "fixed" not in found.verdict
    pairs = [
        probability_of_improvement(o["time"], t["time"], lower_is_better=True).estimate
        for o in ours
        for t in theirs
    ]
    assert found.improvement.estimate == pytest.approx(np.mean(pairs))
    back = compare(theirs, ours).improvement
    assert found.improvement == pytest.approx((1 - back[0], 1 - back[2], 1 - back[1]))


def test_runs_against_one_policy_that_is_not_trained():
    generator = np.random.default_rng(1)
    ours = [noisy(mean, generator, evader=f"run{n}") for n, mean in enumerate((9, 10, 12))]
    theirs = noisy(6.0, generator, evader="flee")
    found = compare(ours, theirs)
    assert found.side == "evader"
    assert_is_of(found, ours, [theirs])
    assert (found.runs, found.count, found.fixed) == ((3, 1), 3, "flee")
    assert found.verdict.startswith("run0 is better than flee (one fixed policy): captures")
    text = " ".join(str(found).split())
    assert "3 training runs and one fixed policy, from the same starts" in text
    assert found.to_dict()["fixed"] == "flee"
    assert compare(ours, [theirs]) == found  # a script of the roster has no training
    back = compare(theirs, ours)
    assert (back.runs, back.count, back.fixed) == ((1, 3), 3, "flee")
    assert back.verdict.startswith("flee (one fixed policy) is worse than run0")
    for metric, center in (("capture_rate", 0.0), ("capture_time", 0.0), ("improvement", 1.0)):
        estimate, low, high = getattr(back, metric)
        mirrored = center - estimate, center - high, center - low
        assert getattr(found, metric) == pytest.approx(mirrored), metric


def test_one_run_of_a_training_is_no_way_of_training():
    generator = np.random.default_rng(1)
    ours = [noisy(mean, generator, pursuer=f"run{n}") for n, mean in enumerate((4, 5, 6))]
    theirs = noisy(7.0, generator, pursuer="old.npz")
    for arguments in ((ours, [theirs]), ([theirs], ours)):
        with pytest.raises(ValueError, match=r"one training run, 'old\.npz'.*not in a list"):
            compare(*arguments)
    text = " ".join(str(compare(ours, theirs)).split())
    assert "The intervals are about old.npz alone. To compare ways of training takes" in text


def test_a_failed_run_is_noted():
    generator = np.random.default_rng(3)
    means = (4.3, 4.3, 4.4, 4.3, 19.9)
    ours = [noisy(mean, generator, pursuer=f"run{n}") for n, mean in enumerate(means)]
    found = compare(ours, noisy(7.0, generator, pursuer="seek"))
    assert found.note.startswith("of run0, the 5 runs (4.")
    assert found.to_dict()["note"] == found.note
    assert f"Note: {found.note}." in " ".join(str(found).split())


def test_the_verdict_mentions_if_mean_and_most_starts_disagree():
    ours = made_up([1.0] * 30 + [6.0] * 70, pursuer="a")
    theirs = made_up([LIMIT] * 30 + [5.0] * 70, pursuer="b")
    verdict = compare(ours, theirs).verdict
    assert verdict.startswith("a is better than b: captures come 5.00 s sooner on average")
    assert verdict.endswith("though from most starts it does worse")
    assert compare(theirs, ours).verdict.endswith("though from most starts it does better")


@pytest.mark.parametrize(
    ("changes", "side", "words"),
    [
        ({"seed": 1}, None, "not from the same starts.*got 0 to 4 and"),
        ({"episodes": 4}, None, "not from the same starts.*got 0 to 4 and"),
        ({"evader": "flee"}, "pursuer", "same opponent"),
        ({"evader": "flee"}, None, "side"),
        ({"config": {"arena_size": 10.0}}, None, "arena_size is 20.0 and 10.0"),
        ({"config": {"horizon": 90, "start_speed": 0.5}}, None, "horizon is 600 and 90; start"),
        ({"config": {"start_speed": 0.5}}, None, "0.0 and 0.5.*pass evaluate the same config"),
        ({"config": {"evader": {"max_speed": 2.0}}}, None, "evader.max_speed is 3.6"),
        ({"config": {"obstacles": 3}}, None, "obstacles is 0 and 3"),
        ({"config": {"pursuers": 2}}, None, "pursuers is 1 and 2"),
    ],
)
def test_what_differs_between_two_games_is_named(changes, side, words):
    other = evaluate("seek", **{"evader": "evade", "episodes": 5, **changes})
    with pytest.raises(ValueError, match=words):
        compare(evaluate("pursuit", "evade", episodes=5), other, side)


def test_other_versions_nothing_and_names_are_not_compared(pair):
    with pytest.raises(ValueError, match=r"0\.0\.1"):
        compare(pair[0], replace(pair[1], version="0.0.1"))
    with pytest.raises(ValueError, match="empty"):
        compare(pair[0], [])
    with pytest.raises(TypeError, match="evaluate"):
        compare(pair[0], "seek")


@pytest.mark.parametrize(
    "own",
    [
        {"observation": {"features": ["other.distance"]}},
        {"observation": {"range": 4.0, "nearest": 1, "scales": "game"}},
        {"observation": {"noise": 0.1, "delay": 2}, "action": {"noise": 0.1, "delay": 1}},
        {"reward": {"time": 3.0}},
    ],
)
def test_what_the_learner_has_of_its_own_makes_no_other_game(own):
    whole, plain = make_game(**own), evaluate("pursuit", "evade", episodes=20)
    theirs = evaluate("seek", "evade", episodes=20)
    learned = replace(plain, config=whole)
    assert compare(learned, theirs).to_dict() == compare(plain, theirs).to_dict()


@pytest.mark.parametrize("name", ["evade/searching", "a network"])
def test_limits_of_sight_are_the_games_where_the_opponent_may_have_them(name):
    plain, theirs = (
        evaluate(one, "evade", episodes=5, names=(one, name)) for one in ("pursuit", "seek")
    )
    for own, is_refused in ((4.0, True), (None, False)):
        limited = replace(plain, config=make_game(observation={"range": own, "noise": 0.1}))
        if is_refused:
            with pytest.raises(ValueError, match=r"observation.range is 4.0 and None"):
                compare(limited, theirs)
        else:
            compare(limited, theirs)
