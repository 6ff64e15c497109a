"""The numbers in docs/opponents.md about common claims can be reproduced."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steer_env.baselines import compare, evaluate, game_config

PAGE = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
EPISODES = 2000

pytestmark = pytest.mark.compiled


def straight_ahead(me, other):
    return me.heading * me.max_speed - me.velocity


def cell(claim, other, forces):
    """The cell of a claim and an opponent: at a response time of 1 s, or at full force."""
    rows = rf"^\| {re.escape(claim)} (\|.*\n(?:\| \|.*(?:\n|$))*)"
    (found,) = re.findall(rows, PAGE, re.MULTILINE)
    row = rf"\| `?{re.escape(other)}`? \|(.*)\|(.*)\|$"
    return re.search(row, found, re.MULTILINE)[1 + bool(forces)]


def check(text, ours, theirs, side, sign):
    """The difference as the page writes it: without its sign, and as precise as its cell."""
    found = compare(ours, theirs, side).capture_time
    assert found.low * found.high > 0.0
    assert found.estimate * sign > 0.0
    low, high = sorted(abs(bound) for bound in found[1:])
    digits = 2 if high - low < 0.3 else 1
    seconds, interval = (
        f"{abs(found.estimate):.{digits}f} s",
        f"[{low:.{digits}f}, {high:.{digits}f}]",
    )
    assert re.search(rf"{re.escape(seconds)}[a-z ]* {re.escape(interval)}", text), (
        seconds,
        interval,
    )


def percentages(text, ours, theirs):
    rates = [round(100.0 * found.capture_rate.estimate) for found in (ours, theirs)]
    assert f"{rates[0]}% instead of {rates[1]}%" in text


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


AT_BOTH = pytest.mark.parametrize("forces", ["", "/full_force"], ids=["second", "full_force"])


@AT_BOTH
def test_pursuit_and_seek(play, forces):
    pair = f"pursuit{forces}", f"seek{forces}"
    for evader in ("evade", "wander", "flee"):
        text = cell("pursuit beats seek", evader, forces)
        evader += "" if evader == "wander" else forces
        check(text, *(play(pursuer, evader) for pursuer in pair), "pursuer", -1)
    if not forces:
        percentages(text, *(play(pursuer, "flee") for pursuer in pair))


@AT_BOTH
def test_exact_interception(play, forces):
    claim = "exact interception beats T = d / (V + s)"
    text = cell(claim, "an evader that runs straight ahead in the open", forces)
    pair = f"pursuit/intercept{forces}", f"pursuit{forces}"
    config = game_config(arena="open", horizon=1800)
    runs = [evaluate(name, straight_ahead, config, EPISODES) for name in pair]
    check(text, *runs, "pursuer", -1)
    for evader in ("evade", "flee"):
        text = cell(claim, evader, forces)
        check(text, *(play(pursuer, evader + forces) for pursuer in pair), "pursuer", -1)
    if not forces:
        percentages(text, *(play(pursuer, "flee") for pursuer in pair))


@AT_BOTH
def test_nine_cases(play, forces):
    text = cell("Reynolds' table of nine cases improves on one formula", "evade", forces)
    names = f"pursuit/reynolds{forces}", f"pursuit{forces}"
    pair = (play(name, f"evade{forces}") for name in names)
    check(text, *pair, "pursuer", -1 if forces else 1)


@pytest.mark.parametrize(
    ("pursuer", "forces", "sign"),
    [
        ("seek", "", 1),
        ("pursuit", "", 1),
        ("pursuit/intercept", "", -1),
        ("pursuit", "/full_force", -1),
    ],
)
def test_evade_and_flee(pursuer, forces, sign, play):
    text = cell("evade outlives flee", pursuer, forces)
    pair = (play(f"{pursuer}{forces}", f"{evader}{forces}") for evader in ("evade", "flee"))
    check(text, *pair, "evader", sign)


@AT_BOTH
def test_wandering_until_threatened(forces, play):
    text = cell("better to wander until a pursuer is near", "pursuit", forces)
    evaders = f"evade/threatened{forces}", f"evade{forces}"
    pair = (play(f"pursuit{forces}", evader) for evader in evaders)
    check(text, *pair, "evader", -1 if forces else 1)


@pytest.mark.parametrize(
    ("pursuer", "forces"),
    [("pursuit", ""), ("pursuit", "/full_force"), ("pursuit/intercept", "/full_force")],
)
def test_escape_and_evade(pursuer, forces, play):
    claim = "planning beats running: escape survives longer than evade"
    text = cell(claim, pursuer, forces)
    pair = (play(f"{pursuer}{forces}", f"{evader}{forces}") for evader in ("escape", "evade"))
    check(text, *pair, "evader", 1)
