"""The numbers in docs/opponents.md about common claims can be reproduced."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from steer_env.baselines import compare, evaluate

PAGE = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
EPISODES = 2000

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def play():
    """Evaluations in the default game, each played once."""
    return cache(lambda pursuer, evader: evaluate(pursuer, evader, episodes=EPISODES))


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


FULL, SECOND = "/full_force", ""
SEEK, EXACT = "pursuit beats seek", "exact interception beats T = d / (V + s)"
NINE = "Reynolds' table of nine cases improves on one formula"
FLEE, WANDER = "evade outlives flee", "better to wander until a pursuer is near"
PLAN = "planning beats running: escape survives longer than evade"
BOTH = (SECOND, FULL)
CLAIMS = [  # what it says, the opponent, both players, the sign of their difference, the forces
    *((SEEK, evader, "pursuit", "seek", -1, BOTH) for evader in ("evade", "wander", "flee")),
    *(
        (EXACT, evader, "pursuit/intercept", "pursuit", -1, BOTH)
        for evader in ("evade", "flee")
    ),
    (NINE, "evade", "pursuit/reynolds", "pursuit", 1, [SECOND]),
    (NINE, "evade", "pursuit/reynolds", "pursuit", -1, [FULL]),
    (FLEE, "seek", "evade", "flee", 1, [SECOND]),
    (FLEE, "pursuit", "evade", "flee", 1, [SECOND]),
    (FLEE, "pursuit/intercept", "evade", "flee", -1, [SECOND]),
    (FLEE, "pursuit", "evade", "flee", -1, [FULL]),
    (WANDER, "pursuit", "evade/threatened", "evade", 1, [SECOND]),
    (WANDER, "pursuit", "evade/threatened", "evade", -1, [FULL]),
    (PLAN, "pursuit", "escape", "evade", 1, BOTH),
    (PLAN, "pursuit/intercept", "escape", "evade", 1, [FULL]),
]


@pytest.mark.parametrize(
    ("claim", "other", "ours", "theirs", "sign", "forces"),
    [(*row, forces) for *row, both in CLAIMS for forces in both],
)
def test_a_claim_is_measured_as_the_page_says(claim, other, ours, theirs, sign, forces, play):
    text, side = (
        cell(claim, other, forces),
        "pursuer" if claim in (SEEK, EXACT, NINE) else "evader",
    )
    opponent = other + forces * (other != "wander")
    pairs = [
        (name + forces, opponent)[:: 1 if side == "pursuer" else -1] for name in (ours, theirs)
    ]
    check(text, *(play(*pair) for pair in pairs), side, sign)
    if (side, other, forces) == ("pursuer", "flee", SECOND):
        rates = [round(100.0 * play(*pair).capture_rate.estimate) for pair in pairs]
        assert f"{rates[0]}% instead of {rates[1]}%" in text


@pytest.mark.parametrize("forces", BOTH)
def test_exact_interception_of_who_runs_straight_ahead(forces):
    def straight_ahead(me, other):
        return me.heading * me.max_speed - me.velocity

    text = cell(EXACT, "an evader that runs straight ahead in the open", forces)
    game, pair = {"arena": "open", "horizon": 1800}, ("pursuit/intercept", "pursuit")
    runs = [evaluate(name + forces, straight_ahead, game, EPISODES) for name in pair]
    check(text, *runs, "pursuer", -1)
