"""Starts: the keyword, the method, and episodes that begin in a state."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import Game, make_game

from .same import assert_same, play

CHAUFFEUR = {
    "pursuer": {"position": (0.0, 0.0), "heading": math.pi / 2},
    "evader": {"position": [(1.0, 0.0), (0.0, 1.0), (-1.5, 0.5)]},
}


def places(env):
    return env.unwrapped.get_state()["players"]["body"]["position"]


def test_episodes_draw_one_of_the_starts():
    env = gym.make("HomicidalChauffeur-v0", start=CHAUFFEUR)
    found = set()
    for seed in range(60):
        env.reset(seed=seed)
        state = env.unwrapped.get_state()["players"]["body"][0]
        assert state["position"][0] == 0
        assert state["heading"][0] == pytest.approx(1j)
        assert state["velocity"][0] == pytest.approx(1j)  # a car drives
        found.add(complex(state["position"][1]))
    assert found == {1 + 0j, 1j, -1.5 + 0.5j}


def test_starts_can_change_between_episodes():
    env = gym.make("HomicidalChauffeur-v0")
    env.reset(seed=0)
    env.unwrapped.set_start({"evader": {"position": (0.5, 0.25)}})
    env.reset(seed=0)
    assert places(env)[0, 1] == 0.5 + 0.25j
    with pytest.raises(InvalidValue, match="within 2 m of the middle"):
        env.unwrapped.set_start({"evader": {"position": (5.0, 0.0)}})
    env.reset(seed=1)
    assert places(env)[0, 1] == 0.5 + 0.25j
    env.unwrapped.set_start({})
    env.reset(seed=1)
    assert places(env)[0, 1] != 0.5 + 0.25j


WRONG_STARTS = [
    (3, InvalidType, "dict"),
    ({"evaders": {}}, InvalidValue, "'evaders'.*mean 'evader'"),
    ({"evader": {"place": 1}}, InvalidValue, "'place'"),
    ({"evader": {"position": (1, 2, 3)}}, InvalidValue, "shape"),
    ({"evader": {"position": (11, 0)}}, InvalidValue, "position"),
    ({"evader": {"speed": 9.0}}, InvalidValue, "speed|velocity"),
    ({"evader": {"speed": -1.0}}, InvalidValue, "speed"),
    ({"evader": {"heading": math.nan}}, InvalidValue, "finite"),
    ({"evader": {"heading": "north"}}, InvalidType, "numbers"),
]


@pytest.mark.parametrize(("start", "error", "match"), WRONG_STARTS)
def test_wrong_starts_are_refused_and_change_nothing(start, error, match):
    with pytest.raises(error, match=match):
        make_game(start=start)
    env, twin = (gym.make("Pursuit-v0").unwrapped for _ in range(2))
    env.reset(seed=0), twin.reset(seed=0)
    with pytest.raises(error, match=match):
        env.reset(seed=5, options={"start": start})
    assert_same(play(env, 9), play(twin, 9))


@pytest.mark.parametrize(
    ("game", "match"),
    [
        ({"start": {"evader": {"heading": 1}}, "obstacles": 2}, "random"),
        (
            {"start": {"evader": {"heading": 1}}, "solid": "everyone", "capture_radius": 1.0},
            "solid",
        ),
        ({"start": {"evader": {"position": (3, 0)}}, "obstacles": [(3, 0, 1)]}, "obstacles"),
        ({"start": {"pursuer": {"speed": 1.0}}, "pursuer": {"model": "car"}}, "speed"),
    ],
)
def test_starts_that_do_not_fit_the_game(game, match):
    with pytest.raises(InvalidValue, match=match):
        make_game(**game)


def test_starts_are_part_of_the_configuration():
    config = make_game(start={"evader": {"position": np.array([[1.0, 2.0], [3.0, 4.0]])}})
    assert config.start == {"evader": {"position": (((1.0, 2.0),), ((3.0, 4.0),))}}
    assert Game(start=config.start) == config
    team = make_game(pursuers=2, start={"pursuer": {"position": [(1, 0), (0, 1)]}})
    assert team.start["pursuer"]["position"] == (((1.0, 0.0), (0.0, 1.0)),)


def test_an_episode_begins_in_a_state():
    env, other = (gym.make("Pursuit-v0", opponent="wander") for _ in range(2))
    env.reset(seed=5)
    for _ in range(20):
        env.step(env.action_space.sample())
    state = env.unwrapped.get_state()
    seen, info = other.reset(seed=None, options={"state": state})
    assert info["distance"] == state["game"]["distance"][0]
    action = np.array([0.4, -0.2], np.float32)
    expected = [env.step(action) for _ in range(30)]
    assert_same([other.step(action) for _ in range(30)], expected)
    # A seed decides what chance follows.
    ends = []
    for seed in (1, 2, 1):
        other.reset(seed=seed, options={"state": state})
        ends.append([other.step(action)[0] for _ in range(30)][-1])
    assert_same(ends[0], ends[2])
    assert (ends[0] != ends[1]).any()
    assert seen.shape == ends[0].shape


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
