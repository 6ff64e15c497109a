"""Hand-written behaviors against each other: each is best at its purpose."""

from __future__ import annotations

import pytest

from steer_env.baselines import evaluate, paired_difference
from steer_env.scripts.script import Script

pytestmark = pytest.mark.compiled

EPISODES = 1000


def times(pursuer, evader, /, **keywords):
    """Returns capture times from the same starts in seconds; time-outs at the limit."""
    return evaluate(pursuer, evader, keywords, episodes=EPISODES)["time"]


def captured(pursuer, evader, /, **keywords):
    return evaluate(pursuer, evader, keywords, episodes=EPISODES)["captured"].mean()


@pytest.mark.parametrize(
    "pursuer", ["navigation", "navigation/pure", "navigation/augmented", "pursuit/turning"]
)
def test_guidance_catches_more_than_plain_pursuit(pursuer):
    assert captured(pursuer, "evade") > captured("pursuit", "evade") + 0.2


def test_constant_bearing_is_the_exact_interception():
    pair = times("constant_bearing", "evade"), times("pursuit/intercept", "evade")
    assert abs(paired_difference(*pair).estimate) < 0.05


AS_FAST = {"max_speed": 4.0}
FASTER = {"max_speed": 5.0}
RUSHING = {"max_speed": 6.0, "max_force": 6.0}
AGILE = {"max_speed": 4.0, "max_force": 16.0}
EXACT = Script(
    behavior="pursuit", response_time=0.1, lookahead="intercept", predictor="contained"
)


@pytest.mark.parametrize("pursuer", ["pursuit/full_force", EXACT], ids=["closing", "exact"])
@pytest.mark.parametrize(
    ("game", "gain"),
    [
        ({}, 0.5),
        *(
            pytest.param(*one, marks=pytest.mark.weekly)
            for one in (
                ({"evader": AS_FAST}, 5.0),
                ({"evader": FASTER}, 12.0),
                ({"pursuer": RUSHING, "evader": AGILE}, 0.4),
                ({"arena": "open"}, 0.0),
                ({"evader": AS_FAST, "obstacles": 8}, 4.0),
            )
        ),
    ],
)
def test_escape_lives_longer_than_evade(pursuer, game, gain):
    escaping = times(pursuer, "escape/full_force", **game)
    assert paired_difference(escaping, times(pursuer, "evade/full_force", **game)).low > gain


def test_an_evader_that_is_faster_need_not_be_caught_between_walls():
    assert captured("pursuit/full_force", "evade/full_force", evader=FASTER) > 0.99
    assert captured("pursuit/full_force", "escape/full_force", evader=FASTER) < 0.2


@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_a_sidestep_saves_the_slow_but_agile(arena):
    game = {"pursuer": RUSHING, "evader": AGILE, "arena": arena}
    assert captured("pursuit/full_force", "escape/full_force", **game) > 0.8
    assert captured("pursuit/full_force", "escape/sidestep/full_force", **game) < 0.7


def test_hiding_pays_where_there_is_something_to_hide_behind():
    hidden = captured("pursuit/among_obstacles", "hide", obstacles=6)
    assert hidden < captured("pursuit/among_obstacles", "evade", obstacles=6) - 0.3


def test_who_steers_around_obstacles_catches_more_among_them():
    careful = captured("pursuit/among_obstacles", "evade/among_obstacles", obstacles=6)
    assert careful > captured("pursuit", "evade/among_obstacles", obstacles=6) + 0.1
