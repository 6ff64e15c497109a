"""Hand-written behaviors against each other: each is best at its purpose."""

from __future__ import annotations

import pytest

from steer_env.baselines import evaluate, paired_difference
from steer_env.scripts.script import Script

pytestmark = pytest.mark.compiled

AS_FAST, FASTER = {"evader": {"max_speed": 4.0}}, {"evader": {"max_speed": 5.0}}
AGILE = {
    "pursuer": {"max_speed": 6.0, "max_force": 6.0},
    "evader": {"max_speed": 4.0, "max_force": 16.0},
}
OBSTACLES = {"obstacles": 6}
STRONG, CAREFUL = "pursuit/full_force", "pursuit/among_obstacles"
EXACT = Script(
    behavior="pursuit", response_time=0.1, lookahead="intercept", predictor="contained"
)
NAVIGATION = ("navigation", "navigation/pure", "navigation/augmented", "pursuit/turning")
RUNS, ESCAPES, DODGES = (
    f"{name}/full_force" for name in ("evade", "escape", "escape/sidestep")
)
AMONG = "evade/among_obstacles"


def play(pair, game):
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
    rates = [play(pair, game)["captured"].mean() for pair in (more, less)]
    assert rates[0] > rates[1] + gain


@pytest.mark.parametrize("pursuer", [STRONG, EXACT], ids=["closing", "exact"])
@pytest.mark.parametrize(
    ("game", "gain"),
    [
        ({}, 0.5),
        *(
            pytest.param(*one, marks=pytest.mark.weekly)
            for one in (
                (AS_FAST, 5.0),
                (FASTER, 12.0),
                (AGILE, 0.4),
                ({"arena": "open"}, 0.0),
                ({**AS_FAST, "obstacles": 8}, 4.0),
            )
        ),
    ],
)
def test_escape_lives_longer_than_evade(pursuer, game, gain):
    times = [play((pursuer, evader), game)["time"] for evader in (ESCAPES, RUNS)]
    assert paired_difference(*times).low > gain


def test_constant_bearing_is_the_exact_interception():
    names = "constant_bearing", "pursuit/intercept"
    times = [play((pursuer, "evade"), {})["time"] for pursuer in names]
    assert abs(paired_difference(*times).estimate) < 0.05
