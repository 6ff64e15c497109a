"""Hand-written behaviors against each other: each is best at its purpose."""

from __future__ import annotations

import pytest

from baselines import evaluate, paired_difference
from steer_env.game.config import game_config

pytestmark = pytest.mark.compiled

EPISODES = 1000


def times(pursuer, evader, **keywords):
    """Returns capture times from the same starts in seconds; time-outs at the limit."""
    return evaluate(pursuer, evader, game_config(**keywords), episodes=EPISODES)["time"]


def captured(pursuer, evader, **keywords):
    return evaluate(pursuer, evader, game_config(**keywords), episodes=EPISODES)[
        "captured"
    ].mean()


@pytest.mark.parametrize("evader", ["evade", "wander"])
def test_pursuit_catches_sooner_than_seek(evader):
    gain = paired_difference(times("pursuit", evader), times("seek", evader))
    assert gain.high < -1.0


def test_evade_lives_longer_than_flee_against_who_predicts():
    gain = paired_difference(times("pursuit", "evade"), times("pursuit", "flee"))
    assert gain.low > 0.5


@pytest.mark.parametrize(
    "pursuer",
    ["navigation", "navigation/pure", "navigation/augmented", "pursuit/turning"],
)
def test_guidance_catches_more_than_plain_pursuit(pursuer):
    assert captured(pursuer, "evade") > captured("pursuit", "evade") + 0.2


def test_constant_bearing_is_the_exact_interception():
    gain = paired_difference(
        times("constant_bearing", "evade"), times("pursuit/intercept", "evade")
    )
    assert abs(gain.estimate) < 0.05


def test_full_force_catches_all():
    assert captured("pursuit/full_force", "evade") > 0.99


def test_hiding_pays_where_there_is_something_to_hide_behind():
    hidden = captured("pursuit/among_obstacles", "hide", obstacles=6)
    assert hidden < captured("pursuit/among_obstacles", "evade", obstacles=6) - 0.3


def test_who_steers_around_obstacles_catches_more_among_them():
    careful = captured("pursuit/among_obstacles", "evade/among_obstacles", obstacles=6)
    assert careful > captured("pursuit", "evade/among_obstacles", obstacles=6) + 0.1


def test_a_threatened_evader_wanders_until_then():
    assert captured("rest", "evade/threatened") < 0.02
    assert captured("pursuit", "evade/threatened") > 0.2
