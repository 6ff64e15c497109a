"""Scripted policies see only observations, and decide what the scripts in the loop decide."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import steer_env  # noqa: F401
from baselines import ScriptedPolicy, evaluate, load
from steer_env.game.config import game_config


def check_agreement(pair, config, side, episodes=1000, same_step=0.98, same_outcome=0.995):
    """The same outcome in such a share of the episodes, and the same capture step."""
    inside = evaluate(*pair, config, episodes)
    players = list(pair)
    place = ("pursuer", "evader").index(side)
    players[place] = ScriptedPolicy(pair[place], config, side=side)
    outside = evaluate(*players, config, episodes)
    assert (inside["captured"] == outside["captured"]).mean() >= same_outcome
    assert (inside["time"] == outside["time"]).mean() >= same_step
    for name in ("pursuer_path", "evader_path", "pursuer_effort", "evader_effort"):
        assert np.median(abs(inside[name] - outside[name])) < 1e-3


@pytest.mark.compiled
@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize(
    ("pair", "keywords"),
    [
        (("pursuit/among_obstacles", "escape/full_force"), {}),
        (("pursuit/among_obstacles", "evade/herd"), {"arena": "torus"}),
        (("pursuit/among_obstacles", "escape/full_force"), {"obstacles": 6}),
        (("pursuit", "evade/herd"), {"pursuers": 3, "evaders": 2}),
    ],
)
def test_scripts_from_observations_play_as_in_the_loop(pair, keywords, side):
    check_agreement(pair, game_config(**keywords), side, 400)


def test_the_discrete_form_chooses_the_nearest_direction():
    env = gym.make("PursuitDiscrete-v0")
    continuous = gym.make("Pursuit-v0")
    observation, _ = env.reset(seed=0)
    action, _ = load("seek", env).predict(observation)
    wished, _ = load("seek", continuous).predict(observation)
    assert action.dtype.kind == "i"
    assert env.action_space.contains(action[()])
    angle = np.angle(complex(*wished)) % (2 * np.pi)
    assert action == 1 + round(angle / (np.pi / 4)) % 8


def test_wandering_starts_afresh_with_an_episode():
    policy = ScriptedPolicy("wander", seed=0)
    rows = np.zeros((3, 21), np.float32)
    _, state = policy.predict(rows)
    _, after = policy.predict(rows, state, np.array([False, True, False]))
    turned = np.abs(np.angle(after / state))
    assert turned[1] > 2 * max(turned[0], turned[2]) or turned[1] > 0.1
    np.testing.assert_allclose(np.abs(after), 1.0, atol=1e-9)


@pytest.mark.parametrize("keywords", [{}, {"pursuers": 3, "evaders": 2, "obstacles": 1}])
@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
def test_its_spaces_are_those_of_its_environment(env_id, keywords):
    env = gym.make(env_id, **keywords)
    policy = ScriptedPolicy.for_env("wander", env)
    assert policy.observation_space == env.observation_space
    assert policy.action_space == env.action_space


def test_a_teams_wander_points_start_afresh_with_its_game():
    policy = ScriptedPolicy("wander", game_config(evaders=2))
    rows = np.zeros((3, *policy.observation_space.shape), np.float32)
    _, state = policy.predict(rows)
    _, after = policy.predict(rows, state, np.array([False, True, False]))
    turned = np.abs(np.angle(after / state)).reshape(3, 2)
    assert turned[1].max() > turned[[0, 2]].max()
    with pytest.raises(ValueError, match=r"episode_start .* 6 in all, got the shape \(4,\)"):
        policy.predict(rows, state, np.zeros(4, bool))


def test_wrong_observations_and_names_are_refused():
    with pytest.raises(ValueError, match="21 features"):
        ScriptedPolicy("pursuit").predict(np.zeros(7, np.float32))
    with pytest.raises(ValueError, match="'pursuit'"):
        load("persuit")
    with pytest.raises(ValueError, match="side"):
        ScriptedPolicy("pursuit", side="left")
