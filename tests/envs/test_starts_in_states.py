"""Episodes of some games of a vector environment begin in states."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from envs.same import assert_same
from envs.test_starts import CHAUFFEUR, places
from steer_env.errors import InvalidType, InvalidValue

pytestmark = pytest.mark.weekly


def test_the_vector_environment_starts_there_too_also_by_itself():
    envs = gym.make_vec("HomicidalChauffeur-v0", num_envs=40, start=CHAUFFEUR)
    envs.reset(seed=3)
    single = gym.make("HomicidalChauffeur-v0", start=CHAUFFEUR)
    for number in range(5):
        single.reset(seed=3 + number)
        assert_same(places(single)[0], places(envs)[number])
    starts = {1 + 0j, 1j, -1.5 + 0.5j}
    seen = []
    for _ in range(150):  # E is caught from some starts in a second
        _, _, terminated, _, _ = envs.step(np.zeros((40, 2), np.float32))
        for number in np.flatnonzero(seen[-1] if seen else []):
            assert complex(places(envs)[number, 1]) in starts
        seen.append(terminated)
    assert np.any(seen)


def test_some_games_of_a_vector_begin_in_states():
    envs = gym.make_vec("Pursuit-v0", num_envs=4)
    envs.reset(seed=0)
    for _ in range(7):
        envs.step(envs.action_space.sample())
    state = envs.unwrapped.get_state()
    envs.step(envs.action_space.sample())
    later = envs.unwrapped.get_state()
    mask = np.array([True, False, False, True])
    envs.reset(options={"state": state, "reset_mask": mask})
    found = envs.unwrapped.get_state()
    assert_same(found[mask]["players"]["body"], state[mask]["players"]["body"])
    assert_same(found[~mask]["players"]["body"], later[~mask]["players"]["body"])


def test_states_that_no_episode_can_begin_in():
    env = gym.make("Pursuit-v0", horizon=3)
    env.reset(seed=0)
    state = env.unwrapped.get_state()
    for wrong in ({"state": state, "start": {}}, {"state": state, "limits": {}}):
        with pytest.raises(InvalidValue, match="'state' says where vehicles are; leave out"):
            env.reset(options=wrong)
    with pytest.raises(InvalidType, match="a state is what get_state"):
        env.reset(options={"state": 3})
    for _ in range(3):
        env.step(env.action_space.sample())
    over = env.unwrapped.get_state()
    env.reset(seed=1)
    before = env.unwrapped.get_state()
    with pytest.raises(ResetNeeded, match="a game that is running only"):
        env.reset(options={"state": over})
    assert_same(env.unwrapped.get_state()["players"]["body"], before["players"]["body"])
