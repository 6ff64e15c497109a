"""Games with rules, functions and sensors of a user keep the laws of `envs/test_laws.py`."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from steer_env import Scenario, feature
from steer_env.envs.check import check_vector_env
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
every_game = pytest.mark.parametrize("name", GAMES)


def single(name):
    return gym.make(max_episode_steps=25, **GAMES[name]).unwrapped


def vector(name, count, **keywords):
    return gym.make_vec(num_envs=count, max_episode_steps=25, **GAMES[name], **keywords)


def actions_for(space, steps):
    space.seed(5)
    return [space.sample() for _ in range(steps)]


@every_game
def test_copies_pickles_and_states_go_on_in_the_middle_of_an_episode(name):
    env, fresh = single(name), single(name)
    actions = actions_for(env.action_space, 24)
    env.reset(seed=3)
    for action in actions[:10]:
        env.step(action)
    fresh.reset(seed=9)
    fresh.set_state(env.get_state())
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), fresh]
    for action in actions[10:]:
        *expected, info = env.step(action)
        for other in others:
            *found, other_info = other.step(action)
            np.testing.assert_array_equal(found[0], expected[0])
            assert found[1:] == expected[1:]
            assert other_info.keys() == info.keys()
            np.testing.assert_array_equal(other.get_state(), env.get_state())
        if expected[2] or expected[3]:
            break


@every_game
def test_a_game_depends_on_no_other_and_not_on_threads(name):
    """Two blocks and some more of games, stepped beyond the ends of episodes."""
    many = [vector(name, 300, num_threads=threads) for threads in (1, 2)]
    chosen = [0, 130, 299]
    alone = [vector(name, 1) for _ in chosen]
    actions = actions_for(many[0].action_space, 40)
    seen = [envs.reset(seed=7)[0] for envs in many]
    own = [envs.reset(seed=7 + place)[0] for place, envs in zip(chosen, alone)]
    ends = 0
    for action in actions:
        np.testing.assert_array_equal(*seen)
        np.testing.assert_array_equal(np.concatenate(own), seen[0][chosen])
        results = [envs.step(action) for envs in many]
        for one, other in zip(*(result[:4] for result in results)):
            np.testing.assert_array_equal(one, other)
        few = [envs.step(action[[place]]) for place, envs in zip(chosen, alone)]
        for part in (1, 2, 3):
            mine = np.concatenate([result[part] for result in few])
            np.testing.assert_array_equal(mine, results[0][part][chosen])
        seen, own = [result[0] for result in results], [result[0] for result in few]
        ends += (results[0][2] | results[0][3]).sum()
    assert ends >= 300
    states = [envs.unwrapped.get_state().tobytes() for envs in many]
    assert states[0] == states[1]


@every_game
def test_the_checkers_of_environments_find_nothing(name):
    """A vector environment is, step by step, as many single ones."""
    check_vector_env(
        lambda: gym.make(max_episode_steps=25, **GAMES[name]),
        lambda count, mode: vector(name, count, autoreset_mode=mode),
        steps=40,
    )
    check_env(single(name), skip_render_check=True)
