"""The numbers in the README about common claims can be reproduced."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from baselines import compare, evaluate, game_config

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
EPISODES = 2000

pytestmark = pytest.mark.compiled


def straight_ahead(me, other):
    return me.heading * me.max_speed - me.velocity


def row(claim):
    """Returns the second cell of the row of a claim."""
    return re.search(rf"^\| {re.escape(claim)} \| (.*) \|$", README, re.MULTILINE)[1]


def difference(ours, theirs, side):
    """As the README writes it: without its sign, to a tenth of a second."""
    found = compare(ours, theirs, side).capture_time
    low, high = sorted(abs(bound) for bound in found[1:])
    assert found.low * found.high > 0.0
    return found.estimate, f"{abs(found.estimate):.1f} s", f"[{low:.1f}, {high:.1f}]"


def check(text, ours, theirs, side, sign):
    estimate, seconds, interval = difference(ours, theirs, side)
    assert estimate * sign > 0.0
    assert re.search(rf"{re.escape(seconds)}[a-z ]* {re.escape(interval)}", text), (
        seconds,
        interval,
    )


def percentages(text, ours, theirs):
    rates = [round(100.0 * found.capture_rate.estimate) for found in (ours, theirs)]
    assert f"{rates[0]} % instead of {rates[1]} %" in text


@pytest.fixture(scope="module")
def play():
    """Evaluations in the default game, each played once."""
    found = {}

    def play_once(pursuer, evader):
        pair = pursuer, evader
        if pair not in found:
            found[pair] = evaluate(*pair, episodes=EPISODES)
        return found[pair]

    return play_once


def test_pursuit_and_seek(play):
    text = row("pursuit beats seek")
    for evader in ("evade", "wander", "flee"):
        check(text, play("pursuit", evader), play("seek", evader), "pursuer", -1)
    percentages(text, play("pursuit", "flee"), play("seek", "flee"))


def test_exact_interception(play):
    text = row("exact interception beats T = d / (V + s)")
    config = game_config(arena="open", horizon=1800)
    runs = [
        evaluate(name, straight_ahead, config, EPISODES)
        for name in ("pursuit/intercept", "pursuit")
    ]
    check(text, *runs, "pursuer", -1)
    for evader in ("evade", "flee"):
        check(text, play("pursuit/intercept", evader), play("pursuit", evader), "pursuer", -1)
    percentages(text, play("pursuit/intercept", "flee"), play("pursuit", "flee"))


def test_nine_cases(play):
    text = row("Reynolds' table of nine cases improves on one formula")
    check(text, play("pursuit/reynolds", "evade"), play("pursuit", "evade"), "pursuer", 1)


@pytest.mark.parametrize(
    ("pursuer", "sign"), [("seek", 1), ("pursuit", 1), ("pursuit/intercept", -1)]
)
def test_evade_and_flee(pursuer, sign, play):
    text = row("evade outlives flee")
    check(text, play(pursuer, "evade"), play(pursuer, "flee"), "evader", sign)


@pytest.mark.parametrize(("pursuer", "sign"), [("pursuit", 1), ("pursuit/full_force", -1)])
def test_wandering_until_threatened(pursuer, sign, play):
    text = row("better to wander until a pursuer is near")
    check(text, play(pursuer, "evade/threatened"), play(pursuer, "evade"), "evader", sign)
