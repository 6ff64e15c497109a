"""Games with rules, functions and sensors of a user keep the laws of `envs/test_laws.py`."""

from __future__ import annotations

import copy
from typing import NamedTuple

import gymnasium as gym
import pytest
from envs import test_laws as laws
from gymnasium.utils.env_checker import check_env

from steer_env import Scenario, feature
from steer_env.game.config.observation import FeatureFunction
from steer_env.scripts.script import Script
from steer_env.steering import compiled, evade, intercept, linear

pytestmark = pytest.mark.compiled

LIMITS = {
    "pursuer": {"max_speed": (3.0, 6.0), "radius": (0.1, 0.4)},
    "evader": {"mass": (0.5, 2.0), "max_force": (4.0, 20.0)},
}
FEATURES = ["own", "other.distance", "other.line_of_sight_rate", "other", "obstacle"]


@compiled
def own_behavior(me, menace):
    return evade(me, menace, intercept, linear, 6.0)


@compiled
def own_law(me, menace):
    return 0.25 * abs(menace.velocity)


@compiled
def beside(menace, seconds):
    return menace.position + 1j * menace.velocity * seconds


@compiled
def nearness(me, other):
    return 1.0 / (1.0 + abs(other.position - me.position))


def near(transition):
    return 1.0 if transition.distance < 6.0 else -0.1 * abs(transition.action)


class Ford(Scenario):
    """Vehicles are slower in a river, where no evader is caught."""

    width: float = 4.0

    def limits(self, me):
        return (0.5 if abs(me.position.real) < self.width / 2 else 1.0) * me.max_speed, 9.0

    def drag(self, me):
        return 0.3 if me.position.real > 0.0 else 0.0

    def start(self, me, is_pursuer, number, chance):
        return complex(6.0 if is_pursuer else -6.0, 8.0 * chance[0]), 1j, 0.5

    def capture(self, evader, pursuers, distances):
        return abs(evader.position.real) > 2.0 and min(distances) < 6.0

    def reward(self, step):
        return 0.01 * abs(step.other.position.real)

    @feature(0.0, 1.0)
    def water(self, me):
        return 1.0 if abs(me.position.real) < self.width / 2 else 0.0


NEARNESS = FeatureFunction(nearness, 0.0, 1.0)
GAMES = {
    "teams": {
        "id": "Pursuit-v0",
        "opponent": ["evade/dithered", "evade/herd"],
        "pursuers": 2,
        "evaders": 3,
        "obstacles": 1,
        "randomize": LIMITS,
        "solid": "teammates",
        "capture_radius": 3.0,
    },
    "drag": {"id": "Drag-v0", "horizon": 20},
    "own behavior": {
        "id": "Pursuit-v0",
        "opponent": ["flee", Script(behavior=own_behavior, wander=0.3)],
    },
    "own predictor": {
        "id": "Pursuit-v0",
        "opponent": ["evade", Script(behavior="evade", lookahead=own_law, predictor=beside)],
    },
    "own rewards": {"id": "Evade-v0", "reward": {"terms": [near, (near, -0.5)]}, "evaders": 2},
    "sensors": {
        "id": "Evade-v0",
        "observation": {"features": [*FEATURES, NEARNESS], "noise": 0.05, "delay": 3},
        "action": {"noise": 0.1, "delay": 2},
        "obstacles": 1,
    },
    "partial view": {
        "id": "Pursuit-v0",
        "observation": {
            "features": [*FEATURES, NEARNESS],
            "noise": 0.05,
            "delay": 1,
            "range": 9.0,
            "field_of_view": 1.5,
            "occlusion": True,
        },
        "observe_nearest": 1,
        "pursuers": 3,
        "evaders": 2,
        "obstacles": 2,
    },
    "scenario": {"id": "Pursuit-v0", "game": Ford(width=3.0), "evaders": 2, "horizon": 20},
    "searching": {
        "id": "Evade-v0",
        "opponent": "pursuit/searching",
        "observation": {"range": 6.0},
        "obstacles": 2,
    },
}


class Row(NamedTuple):
    """A game, as `envs/test_laws.py` makes them."""

    name: str

    def single(self):
        return gym.make(max_episode_steps=25, **GAMES[self.name])

    def vector(self, count, mode="NextStep", **others):
        made = {"max_episode_steps": 25, "autoreset_mode": mode, **others}
        return gym.make_vec(num_envs=count, **GAMES[self.name], **made)


@pytest.mark.parametrize(
    "law",
    [
        lambda row: check_env(row.single().unwrapped, skip_render_check=True),
        lambda row: laws.test_a_copy_goes_on_bit_for_bit(row, copy.deepcopy),
        laws.test_vector_games_are_single_ones_in_every_mode,
        laws.test_a_state_restarts_a_game_bit_for_bit,
        laws.test_a_game_depends_on_nothing_beside_it,
    ],
    ids=["checker", "copies", "vector", "states", "threads"],
)
@pytest.mark.parametrize("name", GAMES)
def test_the_laws_hold(name, law):
    law(Row(name))
