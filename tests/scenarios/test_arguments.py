"""The arguments that a scenario's methods ask for by name, in any order."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, random_actions, started
from own_games import AHEAD, faulty

from steer_env import Scenario, feature
from steer_env.errors import InvalidType
from steer_env.game.look.visibility import hides
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import norm

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (
            {"limits": lambda self, me, is_persuer: (1, 1)},
            r"'is_persuer'.*'is_pursuer'\? Valid",
        ),
        (
            {"limits": lambda self, me, chance: (1, 1)},
            "asks for 'chance'.*Valid are, in any or",
        ),
        (
            {"drag": lambda self, vehicle: 1.0},
            "Valid are, in any order: me, is_pursuer, number",
        ),
        ({"capture": lambda *_: True}, "must be a function of self and of what it asks for"),
        ({"drag": lambda: 1.0}, "must be a function of self and"),
        ({"reward": lambda self, *, step: 1.0}, "got step"),
        ({"start": lambda self, size=1.0, me=None: 1.0}, "before others that have a default"),
        ({"near": feature(0, 1)(lambda self, evader: 1.0)}, "method near of .* 'evader'"),
    ],
)
def test_a_name_that_a_method_cannot_ask_for_is_refused(method, message):
    with pytest.raises(InvalidType, match=message):
        faulty(**method)


def test_another_parameter_keeps_its_default():
    game = faulty(drag=lambda self, me, thickness=3.0: thickness)
    engine = started(None, "idle", game=game)
    engine.state.velocity[0] = 2.0
    coast(engine)
    assert engine.state.velocity[0, 0] == pytest.approx(2.0 / 1.1)


class Asking(Scenario):
    """Every feature is one thing that a method may ask for."""

    keywords = {"pursuers": 2, "evaders": 2, "arena": "torus", "obstacles": 8, "horizon": 60}

    side = feature(0, 1)(lambda self, is_pursuer: is_pursuer)
    place = feature(0, 9)(lambda self, number: number)
    played = feature(0, 9)(lambda self, time: time)
    rest = feature(0, 9)(lambda self, time_left: time_left)
    size = feature(0, 99)(lambda self, world: world.half_size)
    discs = feature(0, 9)(lambda self, world: len(world.obstacles))

    @feature(0, 99)
    def gap(self, other, me):
        return norm(other.position - me.position)

    @feature(0, 99)
    def nearest_disc(self, world, me):
        least = 99.0
        for disc in world.obstacles:
            least = min(least, norm(disc.center - me.position))
        return least

    @feature(0, 1)
    def sight(self, me, other, world):
        return world.is_free(me.position, other.position)


def test_methods_get_what_they_ask_for():
    hidden = 0
    engine = started(None, None, 24, game=Asking, learner=EVADER, observation=ALL)
    for _ in range(4):
        outcome = engine.step(*random_actions(engine, RNG), EVADER, restart=False)
        state, region = engine.state, engine.config.region
        for place, k in np.ndindex(2, 24):
            told = dict(zip(Asking().features, outcome.observations[k, place]))
            here = state.position[2 + place, k]
            offsets = [region.offset(here, other) for other in state.position[:2, k]]
            nearest = min(offsets, key=abs)
            centers = [region.offset(here, center) for center in state.center[:, k]]
            discs = list(zip(state.center[:, k], state.obstacle_radius[:, k]))
            seen = not any(hides(region, here, nearest, disc) for disc in discs)
            time = state.steps[k] / 30
            exact = {"side": 0, "place": place, "size": 10, "discs": 8, "sight": 1.0 * seen}
            lengths = {"gap": abs(nearest), "nearest_disc": min(map(abs, centers))}
            known = {"played": time, "rest": 2.0 - time, **exact, **lengths}
            assert told == pytest.approx(known, abs=1e-5)
            hidden += not seen
    assert hidden > 5


RNG = np.random.default_rng(0)
ALL = {"features": [*Asking().features]}


def test_the_other_is_one_in_play_as_long_as_there_is_one():
    game = faulty(
        gap=feature(0, 99)(lambda self, me, other: norm(other.position - me.position)),
        keywords={"evaders": 2, "observation": {"features": ["gap"]}},
    )
    engine = started(None, None, game=game, learner=PURSUER)
    engine.state.position[:, 0] = 0.0, 1.0, 5.0
    for active, gap in (([1, 1], 1.0), ([0, 1], 5.0), ([1, 0], 1.0), ([0, 0], 1.0)):
        engine.state.active[1:, 0] = active
        assert engine.observe(PURSUER)[0, 0] == gap


class Ambush(Scenario):
    """Mud for pursuers, for a second; captures in sight only, and early ones pay."""

    keywords = {"obstacles": ((0.0, 0.0, 1.0),), "capture_radius": 9.0}

    def limits(self, time, me, is_pursuer):
        share = 0.25 if is_pursuer and time < 1.0 else 1.0
        return share * me.max_speed, me.max_force

    def capture(self, distances, evader, pursuers, world):
        return distances[0] < 9.0 and world.is_free(pursuers[0].position, evader.position)

    def reward(self, time_left, is_pursuer, step, other):
        return 0.1 * time_left if is_pursuer and other.position == step.other.position else 9.0


def test_limits_know_the_side_and_the_time():
    engine = started("pursuit", "flee", 8, game=Ambush, capture_radius=1.0)
    for step in range(40):
        coast(engine)
        speeds = abs(engine.state.velocity)
        assert (speeds[0] <= 1.0 + 1e-9).all() == (step < 30)
        assert step < 20 or (speeds[1] > 1.0).any()


@pytest.mark.parametrize(("place", "is_caught"), [(-4.0, False), (4.0, True)])
def test_captures_and_rewards_know_the_world_and_the_time(place, is_caught):
    rewards = {"capture": 0.0, "time": 0.0, "closing": 0.0}
    engine = started(None, None, game=Ambush, reward=rewards)
    engine.state.position[:, 0] = 4.0 + 0.5j, place
    outcome = coast(engine)
    assert bool(outcome.terminated[0]) is is_caught
    assert outcome.rewards[0] == pytest.approx(0.1 * 599 / 30)


def test_a_start_knows_the_other_and_the_world():
    def start(self, is_pursuer, world, number, other, chance, time):
        if is_pursuer:
            return complex(2.0 * number - 1.0, world.half_size - 1.0), 1j, 0.0
        return other.position - complex(0.0, 3.0 + chance[0] + time), 1j, 0.0

    env = gym.make("Pursuit-v0", game=faulty(start=start), pursuers=2).unwrapped
    env.reset(seed=0)
    one, two, evader = env.get_state()["players"]["body"]["position"][0]
    assert (one, two) == (-1 + 9j, 1 + 9j)
    assert evader.real in (-1.0, 1.0)
    assert 5.0 < evader.imag < 6.0
    env.step(np.tile(AHEAD, (2, 1)))
