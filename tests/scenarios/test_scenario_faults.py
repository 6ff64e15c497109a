"""What is wrong in a user's game, and how that is said."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest
from own_games import AHEAD, River, SafeZone, faulty

from steer_env import Scenario, feature
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue
from steer_env.game.config import game_config
from steer_env.scripts.roster import ROSTER

pytestmark = pytest.mark.compiled


def test_members_that_would_do_nothing_are_refused():
    with pytest.raises(InvalidValue, match=r"unknown method of a scenario 'limit'.*limits"):
        faulty(limit=lambda self, me: (1.0, 1.0))
    with pytest.raises(InvalidType, match=r"@feature\(low, high\), with the bounds"):
        feature(lambda self, me: 1.0)
    with pytest.raises(InvalidValue, match=r"keywords .* must have no annotation"):

        class Annotated(Scenario):
            keywords: dict = {"horizon": 5}

    with pytest.raises(InvalidValue, match="must not be called 'scenario'"):

        class Named(Scenario):
            scenario: float = 1.0

    with pytest.raises(InvalidType, match="must be names such as 'evade'"):
        faulty(opponents={"pursuer": ROSTER["flee"]})
    with pytest.raises(InvalidType, match=r"@feature\(low, high\), with the bounds"):
        feature("a", 0)


def begins(place, heading=1 + 0j):
    """A formula of starts: all at one place."""
    return lambda self, me, is_pursuer, number, chance: (place, heading, 0.0)


HEADING = {"start": {"evader": {"heading": 0.0}}}
DISC = {"obstacles": [[0.0, 0.0, 2.0]]}
BODIES = {"solid": "everyone", "capture_radius": 1.0}


@pytest.mark.parametrize(
    ("members", "keywords", "message"),
    [
        ({"keywords": {"arenasize": 3}}, {}, "of the scenario faulty 'arenasize'.*arena_size"),
        ({"drag": lambda self, me: 1.0}, {"evader": {"model": "car"}}, "slows masses down"),
        ({"start": begins(0j)}, HEADING, "not both"),
        ({"start": begins(0j)}, {"obstacles": 2}, "without random obstacles"),
        ({"capture": lambda *_: True}, {"payoff": "time"}, "about distances"),
    ],
)
def test_what_does_not_fit_together_is_refused(members, keywords, message):
    with pytest.raises(InvalidValue, match=message):
        game_config(game=faulty(**members), **keywords)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"limits": lambda self, me: (math.nan, 1.0)}, "own limits"),
        ({"limits": lambda self, me: (1.0, 0.0)}, "not above 0"),
        ({"limits": lambda self, me: (5.0, 1.0)}, "above the vehicle's own"),
        ({"limits": lambda self, me: (1.0, 13.0)}, "above the vehicle's own"),
        ({"drag": lambda self, me: -1.0}, "less than 0"),
        ({"capture": lambda self, evader, pursuers, distances: math.nan}, "evader = Vehicle"),
        ({"reward": lambda self, step: math.inf}, "Transition"),
        ({"start": begins(99 + 0j)}, "outside the arena"),
        ({"start": begins(0j, 0j)}, "random start"),
        ({"start": begins(0.5 + 0j), "keywords": DISC}, "in an obstacle"),
        ({"start": begins(0.5 + 0j), "keywords": BODIES}, "in a solid body"),
    ],
)
def test_an_answer_that_is_not_sound_is_named(method, message):
    def play():
        env.reset(seed=0)
        env.step(AHEAD)

    env = gym.make("Pursuit-v0", game=faulty(**method)).unwrapped
    with pytest.raises(FaultyBehavior, match=f"method of the scenario faulty .*{message}"):
        play()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", [2, -3, 1_000_000])
def test_a_capture_that_reads_outside_its_arrays_is_named(number):
    def read_distance(self, evader, pursuers, distances):
        return distances[number] < 0.5

    def read_pursuer(self, evader, pursuers, distances):
        return pursuers[number].radius > 9.0

    for method in (read_distance, read_pursuer):
        env = gym.make("Pursuit-v0", game=faulty(capture=method), pursuers=2).unwrapped
        env.reset(seed=0)
        with pytest.raises(FaultyBehavior, match=f"{method.__name__} raised an error"):
            env.step(np.tile(AHEAD, (2, 1)))


def test_what_a_capture_gets_is_read_only():
    def write_distance(self, evader, pursuers, distances):
        distances[0] = 0.0
        return False

    def write_pursuer(self, evader, pursuers, distances):
        pursuers[0] = pursuers[1]
        return False

    def set_place(self, evader, pursuers, distances):
        pursuers[0].position = evader.position
        return False

    for method in (write_distance, write_pursuer, set_place):
        with pytest.raises(InvalidType, match=r"cannot be compiled: it .* read-only"):
            gym.make("Pursuit-v0", game=faulty(capture=method), pursuers=2)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"limits": lambda self, me: me.max_speed}, "returns .max_speed, max_force"),
        ({"drag": lambda self, me: "slow"}, "must return a real number"),
        ({"drag": lambda self, me: self.width}, "width"),
        ({"capture": lambda self, evader: True}, "distances"),
    ],
)
def test_a_method_that_cannot_be_compiled_is_refused(method, message):
    with pytest.raises(InvalidType, match=f"cannot be compiled: .*{message}"):
        gym.make("Pursuit-v0", game=faulty(**method))


def test_games_that_know_no_such_rules_refuse_them():
    with pytest.raises(InvalidValue, match="payoff='capture'"):
        game_config(game=SafeZone, payoff="closest_approach")
    with pytest.raises(InvalidValue, match="rules of a scenario"):
        gym.make("Pursuit-v0", game=River, opponent="optimal/simple")
