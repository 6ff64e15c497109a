"""Each behavior is best at its purpose, and claims of docs/opponents.md can be reproduced."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from steer_env.baselines import compare, evaluate, paired_difference
from steer_env.scripts.script import Script

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
    seconds = re.escape(f"{abs(found.estimate):.{digits}f} s")
    interval = re.escape(f"[{low:.{digits}f}, {high:.{digits}f}]")
    assert re.search(rf"{seconds}[a-z ]* {interval}", text), (seconds, interval)


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
    text = cell(claim, other, forces)
    side = "pursuer" if claim in (SEEK, EXACT, NINE) else "evader"
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


# Behaviors against each other.

AS_FAST, FASTER = {"evader": {"max_speed": 4.0}}, {"evader": {"max_speed": 5.0}}
AGILE = {
    "pursuer": {"max_speed": 6.0, "max_force": 6.0},
    "evader": {"max_speed": 4.0, "max_force": 16.0},
}
OBSTACLES = {"obstacles": 6}
STRONG, CAREFUL = "pursuit/full_force", "pursuit/among_obstacles"
EXACTLY = Script(
    behavior="pursuit", response_time=0.1, lookahead="intercept", predictor="contained"
)
NAVIGATION = ("navigation", "navigation/pure", "navigation/augmented", "pursuit/turning")
RUNS, ESCAPES, DODGES = (
    f"{name}/full_force" for name in ("evade", "escape", "escape/sidestep")
)
AMONG = "evade/among_obstacles"


def played(pair, game):
    return evaluate(*pair, game, episodes=1000)


@pytest.mark.parametrize(
    ("more", "less", "game", "gain"),
    [
        *(((name, "evade"), ("pursuit", "evade"), {}, 0.2) for name in NAVIGATION),
        # An evader that is faster need not be caught between walls.
        ((STRONG, RUNS), (STRONG, ESCAPES), FASTER, 0.79),
        # A sidestep saves the slow but agile.
        ((STRONG, ESCAPES), (STRONG, DODGES), AGILE, 0.1),
        ((STRONG, ESCAPES), (STRONG, DODGES), {**AGILE, "arena": "torus"}, 0.1),
        # Hiding pays where there is something to hide behind, and so does to steer around it.
        ((CAREFUL, "evade"), (CAREFUL, "hide"), OBSTACLES, 0.3),
        ((CAREFUL, AMONG), ("pursuit", AMONG), OBSTACLES, 0.1),
    ],
)
def test_who_catches_more(more, less, game, gain):
    rates = [played(pair, game)["captured"].mean() for pair in (more, less)]
    assert rates[0] > rates[1] + gain


@pytest.mark.parametrize("pursuer", [STRONG, EXACTLY], ids=["closing", "exact"])
@pytest.mark.parametrize(
    ("game", "gain"),
    [
        ({}, 0.5),
        *(
            pytest.param(*one, marks=pytest.mark.weekly)
            for one in (
                (AS_FAST, 4.5),
                (FASTER, 12.0),
                (AGILE, 0.4),
                ({"arena": "open"}, 0.0),
                ({**AS_FAST, "obstacles": 8}, 4.0),
            )
        ),
    ],
)
def test_escape_lives_longer_than_evade(pursuer, game, gain):
    times = [played((pursuer, evader), game)["time"] for evader in (ESCAPES, RUNS)]
    assert paired_difference(*times).low > gain


def test_constant_bearing_is_the_exact_interception():
    names = "constant_bearing", "pursuit/intercept"
    times = [played((pursuer, "evade"), {})["time"] for pursuer in names]
    assert abs(paired_difference(*times).estimate) < 0.05
