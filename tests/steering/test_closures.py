"""Functions that are refused, and indices outside an array, in each kind of function."""

import datetime
import random
import secrets
import time
from random import uniform

import gymnasium as gym
import numba
import numpy as np
import pytest
from weekly import weekly_but

from steer_env import Scenario, Script, feature
from steer_env.errors import FaultyBehavior, InvalidType
from steer_env.game.config.observation import FeatureFunction

pytestmark = pytest.mark.compiled

TABLE = np.array([1.0, 2.0, 3.0])
generator = np.random.default_rng(0)


def environments(number):
    """Keywords of an environment in which a function of each kind returns ``number(me)``."""

    def game(**methods):
        return {"game": type("Own", (Scenario,), methods)}

    def evading(**law):
        return {"opponent": Script(behavior="evade", **law)}

    def own_feature(self, me):
        return number(me)

    seen = FeatureFunction(lambda me, other: number(me), -9.0, 9.0)
    capture = lambda self, evader, pursuers, distances: number(evader) > 0.0  # noqa: E731
    return {
        "behavior": {"opponent": lambda me, other: complex(number(me), 0.0)},
        "lookahead": evading(lookahead=lambda me, other: number(me)),
        "predictor": evading(predictor=lambda other, time: complex(number(other))),
        "term": {"reward": {"terms": [lambda step: number(step.me)]}},
        "feature": {"observation": {"features": ["own", seen]}},
        "start": game(start=lambda self, me: (complex(number(me)), 1j, 0.0)),
        "limits": game(limits=lambda self, me: (number(me), me.max_force)),
        "drag": game(drag=lambda self, me: number(me)),
        "capture": game(capture=capture),
        "reward": game(reward=lambda self, step: number(step.me)),
        "own feature": game(own_feature=feature(-9.0, 9.0)(own_feature)),
    }


KINDS = [*environments(abs)]


def play(keywords):
    env = gym.make("Pursuit-v0", **keywords)
    env.reset(seed=0)
    env.step(np.float32([1.0, 0.0]))


def inside(me):
    return TABLE[int(np.sqrt(me.radius))]


def outside(me):
    return TABLE[int(me.radius) + 3]


@numba.njit
def outside_in_jitted(me):
    return TABLE[int(me.radius) - 4]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", weekly_but(("behavior", "term", "capture"), KINDS))
def test_an_index_outside_an_array_is_the_functions_error(kind):
    play(environments(inside)[kind])
    for number in (outside, outside_in_jitted):
        with pytest.raises(FaultyBehavior, match="raised an error"):
            play(environments(number)[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_random_numbers_are_refused(kind):
    message = "cannot be compiled: it uses random.random, which does not follow from the seed"
    with pytest.raises(InvalidType, match=message):
        play(environments(lambda me: random.random())[kind])


def roll_within(me):
    import random as dice

    return dice.random()


def roll_within_numpy(me):
    import numpy as numbers

    return numbers.random.rand()  # noqa: NPY002


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (lambda me: uniform(0.0, 1.0), "uniform"),
        (lambda me: np.random.rand(), r"np\.random\.rand"),  # noqa: NPY002
        (lambda me: generator.uniform(0.0, 1.0), r"generator\.uniform"),
        (lambda me: time.time(), r"time\.time"),
        (lambda me: float(secrets.randbelow(9)), r"secrets\.randbelow"),
        (lambda me: datetime.datetime.now().timestamp(), r"datetime\.datetime\.now"),
        (numba.njit(lambda me: random.random()), r"random\.random"),
        (roll_within, "random"),
        (roll_within_numpy, r"numpy\.random"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_clocks_and_every_source_of_chance_are_refused(number, name):
    with pytest.raises(InvalidType, match=f"it uses {name}, .*wander does, and so does chance"):
        play(environments(number)["behavior"])


def test_a_vehicle_is_read_only():
    def set_speed(me):
        me.max_speed = 9.0
        return 0.0

    with pytest.raises(InvalidType, match="it sets the attribute max_speed, and vehicles are"):
        play(environments(set_speed)["reward"])


# What user-defined behaviors see is in the rules: what an observation does not show is hidden.


def hidden(me, other):
    numbers = other.max_force, other.mass, me.acceleration.real, me.acceleration.imag
    are_hidden = [number != number for number in numbers]
    return complex(are_hidden.count(True), 0.0) if me.mass == 2.0 else 0j


def test_a_behavior_sees_nan_where_the_rules_hide_and_a_reward_the_truth():
    def weight(step):
        return step.other.mass + step.other.max_force

    limits = {"max_force": 20.0, "mass": 2.0}
    env = gym.make(
        "Pursuit-v0",
        opponent=Script(behavior=hidden, response_time=1.0),
        pursuer=limits,
        evader=limits,
        reward={"terms": [weight], "closing": 0.0, "time": 0.0},
    ).unwrapped
    env.reset(seed=0)
    assert env.step(np.float32([1.0, 0.0]))[1] == pytest.approx(22.0)
    evader = env.get_state()["players"]["body"][0, 1]
    assert evader["acceleration"] == pytest.approx(4.0 / 2.0)
