"""Equality bit for bit, random play, and a game with everything in it."""

from __future__ import annotations

from itertools import combinations

import gymnasium as gym
import numpy as np
from check_vector_env import leaves
from gymnasium.vector import AutoresetMode

import steer_env  # noqa: F401  (registers the environments)
from steer_env.scripts.roster import ROSTER

IDS = ("Pursuit-v0", "Evade-v0", "PursuitDiscrete-v0", "EvadeDiscrete-v0")

MIXTURE = {
    "opponent": [
        ROSTER["evade"],
        ROSTER["pursuit"],
        "wander",
        ROSTER["flee"],
        ROSTER["pursuit/intercept"],
    ],
    "randomize": {
        "pursuer": {"max_speed": (2.0, 6.0)},
        "evader": {"mass": (0.5, 2.0), "radius": (0.1, 0.5)},
    },
    "obstacles": 3,
    "arena_size": 12.0,
    "capture_radius": 1.5,
}
"""Opponents, limits and obstacles that differ from episode to episode, and many captures.

Both sides play it: a Script may play the side that it is not made for, and its name may not.
"""


def assert_same(one, other, where="value"):
    """Holds two nested values against each other: types, dtypes, shapes and bits."""
    assert type(one) is type(other), f"{where}: {type(one)} and {type(other)}"
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other), where
        for number, (first, second) in enumerate(zip(one, other)):
            assert_same(first, second, f"{where}[{number}]")
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, f"{where}: {one.dtype} and {other.dtype}"
        assert one.shape == other.shape, f"{where}: {one.shape} and {other.shape}"
        if one.dtype.names:  # the padding between fields means nothing
            for name in one.dtype.names:
                assert_same(one[name], other[name], f"{where}[{name!r}]")
        elif one.dtype == object:
            assert_same(one.tolist(), other.tolist(), where)
        elif one.tobytes() != other.tobytes():
            raise AssertionError(f"{where}: {one} and {other}")
    else:
        assert repr(one) == repr(other), where  # tells 0.0 from -0.0


def assert_share_no_memory(values):
    """Holds that no two arrays in what an environment returned overlap."""
    arrays = [leaf for _, leaf in leaves(values) if isinstance(leaf, np.ndarray)]
    for one, other in combinations(arrays, 2):
        assert not np.shares_memory(one, other), (one.shape, other.shape)


def play(env, steps, seed=0):
    """Random actions; resets at the ends of episodes. Returns all that the env returned."""
    env.action_space.seed(seed)
    returned = []
    for _ in range(steps):
        returned.append(env.step(env.action_space.sample()))
        if returned[-1][2] or returned[-1][3]:
            returned.append(env.reset())
    return returned


def play_all(envs, steps, seed=0):
    """The same for a vector environment."""
    envs.action_space.seed(seed)
    returned = []
    for _ in range(steps):
        returned.append(envs.step(envs.action_space.sample()))
        over = returned[-1][2] | returned[-1][3]
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            returned.append(envs.reset(options={"reset_mask": over.copy()}))
    return returned


def make_sync(env_id, count, mode=AutoresetMode.NEXT_STEP, **keywords):
    """Gymnasium's own vector environment over our single ones: the yardstick."""
    return gym.vector.SyncVectorEnv(
        [lambda: gym.make(env_id, **keywords)] * count, autoreset_mode=mode
    )
