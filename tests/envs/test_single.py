"""The single environments keep Gymnasium's contract."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest

from steer_env.actions import DIRECTIONS
from steer_env.envs.single import EvadeEnv, PursuitEnv

from .same import IDS, assert_same, play

CLASSES = (PursuitEnv, EvadeEnv)
NEVER_CAUGHT = {"capture_radius": 1e-9, "opponent": "wander"}
TEAMS = {"pursuers": 3, "evaders": 2}


def coast(env, steps):
    """Steps with the coasting action until the episode ends; how many steps, and the last."""
    action = np.zeros_like(env.action_space.sample())
    for step in range(1, steps + 1):
        last = env.step(action)
        if last[2] or last[3]:
            return step, last
    return steps, last


@pytest.mark.parametrize("env_id", IDS)
def test_step_returns_python_numbers_and_infos_of_numpys(env_id):
    env = gym.make(env_id)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (observation.dtype, observation.shape) == (np.float32, (21,))
    assert type(reward) is float
    assert type(terminated) is bool
    assert type(truncated) is bool
    assert {name: type(value) for name, value in info.items()} == {
        "distance": np.float64,  # which has a dtype, and is a float for JSON
        "captured": np.float64,
        "outcome": np.float64,
    }
    assert json.loads(json.dumps(info)) == info


def test_actions_are_neither_kept_nor_changed():
    env, other = PursuitEnv(), PursuitEnv()
    env.reset(seed=0), other.reset(seed=0)
    action = np.array([0.6, -0.8], np.float32)
    action.flags.writeable = False
    first = env.step(action)
    assert action.tolist() == np.array([0.6, -0.8], np.float32).tolist()
    changed = action.copy()
    assert_same(other.step(changed), first)
    changed[:] = np.nan
    assert_same(env.step(action), other.step(action.copy()))


@pytest.mark.parametrize("long", [(5.0, 0.0), (-3.0, 4.0), (1e30, -1e30), (3e38, 0.0)])
def test_actions_are_cut_to_the_unit_disc(long):
    env, other = PursuitEnv(), PursuitEnv()
    env.reset(seed=0), other.reset(seed=0)
    for _ in range(5):
        observation = env.step(np.array(long, np.float32))[0]
        on_disc = np.array(long) / np.hypot(*long)
        expected = other.step(on_disc.astype(np.float32))[0]
        np.testing.assert_allclose(observation, expected, atol=1e-6)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("team", [{}, TEAMS], ids=["one", "team"])
def test_discrete_actions_are_nine_of_the_continuous_ones(kind, team):
    env, other = kind(**team, action_type="discrete"), kind(**team)
    assert_same(env.reset(seed=0), other.reset(seed=0))
    players = np.arange(env.action_space.sample().size) if team else 0
    kinds = [int, np.int64, np.int32, np.uint8, np.array]
    for step in range(45):
        numbers = (players + step) % 9
        action = numbers if team else kinds[step % len(kinds)](numbers)
        assert_same(env.step(action), other.step(DIRECTIONS[numbers]))


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**64 - 1, np.int64(3), np.uint8(3)])
def test_any_integer_is_a_seed(seed):
    env = PursuitEnv()
    assert_same(env.reset(seed=seed), PursuitEnv().reset(seed=int(seed)))
    assert env.np_random_seed == int(seed)


def test_reset_without_a_seed_goes_on_with_another_episode():
    env, other = PursuitEnv(), PursuitEnv()
    starts = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(20))]
    assert len({start.tobytes() for start in starts}) == 21
    assert_same(other.reset(seed=7)[0], starts[0])
    for start in starts[1:]:  # whatever was played in between
        play(other, 5)
        assert_same(other.reset()[0], start)


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: gym.make("Pursuit-v0", **NEVER_CAUGHT), 600),
        (lambda: gym.make("Pursuit-v0", max_episode_steps=50, **NEVER_CAUGHT), 50),
        (lambda: gym.make("Pursuit-v0", horizon=700, **NEVER_CAUGHT), 700),
        (lambda: gym.make("Pursuit-v0", horizon=40, max_episode_steps=50, **NEVER_CAUGHT), 40),
        (lambda: EvadeEnv(horizon=40, **NEVER_CAUGHT), 40),
    ],
)
def test_episodes_are_truncated_on_time(make, steps):
    env = make()
    for seed in (0, None):
        env.reset(seed=seed)
        played, (_, _, terminated, truncated, _) = coast(env, 1000)
        assert (played, terminated, truncated) == (steps, False, True)


def test_a_caught_evader_is_the_end():
    env = EvadeEnv(reward={"time": 0.0, "closing": 0.0})
    env.reset(seed=1)
    played, (_, reward, terminated, truncated, info) = coast(env, 600)
    assert played < 600
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info == {"distance": 0.0, "captured": 1, "outcome": 1}
