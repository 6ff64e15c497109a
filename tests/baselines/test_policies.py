"""Scripted policies see only observations, and decide what the scripts in the loop decide."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import steer_env  # noqa: F401
from baselines import RandomPolicy, ScriptedPolicy, evaluate, load
from steer_env.envs.keywords import game_config
from steer_env.game.roster import ROSTER
from steer_env.game.script import Script

PURSUERS = ["seek", "pursuit", "pursuit/reynolds", "pursuit/intercept", "pursuit/own_speed"]
CALM = {
    "evade": Script(behavior="evade", walls=8.0),
    "flee": Script(behavior="flee", walls=8.0),
}


def agreement(inside, outside):
    same_outcome = (inside["captured"] == outside["captured"]).mean()
    same_time = (np.abs(inside["time"] - outside["time"]) < 1e-9).mean()
    return same_outcome, same_time


@pytest.mark.parametrize("name", PURSUERS)
def test_a_pursuer_from_observations_plays_as_in_the_loop(name):
    evader = CALM["evade"]
    inside = evaluate(name, evader, episodes=500)
    outside = evaluate(ScriptedPolicy(name), evader, episodes=500)
    same_outcome, same_time = agreement(inside, outside)
    assert same_outcome >= 0.985
    assert same_time >= 0.93


@pytest.mark.parametrize("name", CALM)
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_an_evader_from_observations_plays_as_in_the_loop(name, arena):
    config = game_config(arena=arena)
    inside = evaluate("pursuit", CALM[name], config, episodes=300)
    policy = ScriptedPolicy(CALM[name], config, side="evader")
    outside = evaluate("pursuit", policy, config, episodes=300)
    assert agreement(inside, outside)[0] >= 0.97


def test_where_it_wanders_the_capture_rates_agree():
    inside = evaluate("pursuit", "evade", episodes=1500)["captured"].mean()
    outside = evaluate("pursuit", ScriptedPolicy("evade"), episodes=1500)["captured"].mean()
    assert abs(inside - outside) < 3 * np.sqrt(2 * 0.21 / 1500)


def test_teams_play_from_observations_too():
    config = game_config(pursuers=3, evaders=2)
    inside = evaluate("pursuit", CALM["evade"], config, episodes=200)
    outside = evaluate(ScriptedPolicy("pursuit", config), CALM["evade"], config, episodes=200)
    assert agreement(inside, outside)[0] >= 0.97


def test_single_and_batched_observations_give_the_same_actions():
    envs = gym.make_vec("Pursuit-v0", num_envs=5)
    observations, _ = envs.reset(seed=0)
    policy = load("pursuit", envs)
    batch, _ = policy.predict(observations)
    assert batch.dtype == np.float32
    assert batch.shape == (5, 2)
    for observation, action in zip(observations, batch, strict=True):
        one, _ = policy.predict(observation)
        np.testing.assert_array_equal(one, action)
        assert np.linalg.norm(one) <= 1 + 1e-6


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


def test_the_discrete_form_pushes_with_full_force_and_so_catches_more():
    discrete = evaluate(
        ScriptedPolicy("pursuit", action_type="discrete"), "evade", episodes=300
    )
    continuous = evaluate("pursuit", "evade", episodes=300)
    assert discrete["captured"].mean() > 0.95 > continuous["captured"].mean()


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
def test_a_random_policy_stays_in_the_action_space(env_id):
    env = gym.make(env_id)
    observation, _ = env.reset(seed=0)
    policy = load("random", env)
    for _ in range(20):
        action, _ = policy.predict(observation)
        assert env.action_space.contains(np.asarray(action)[()])
    assert len(policy.predict(np.stack([observation] * 7))[0]) == 7


def test_random_policies_repeat_with_their_seed():
    rows = np.zeros((4, 21), np.float32)
    one, other = RandomPolicy(seed=1), RandomPolicy(seed=1)
    np.testing.assert_array_equal(one.predict(rows)[0], other.predict(rows)[0])
    assert not np.array_equal(one.predict(rows)[0], RandomPolicy(seed=2).predict(rows)[0])


def test_wandering_starts_afresh_with_an_episode():
    policy = ScriptedPolicy("wander", seed=0)
    rows = np.zeros((3, 21), np.float32)
    _, state = policy.predict(rows)
    _, after = policy.predict(rows, state, np.array([False, True, False]))
    turned = np.abs(np.angle(after / state))
    assert turned[1] > 2 * max(turned[0], turned[2]) or turned[1] > 0.1
    np.testing.assert_allclose(np.abs(after), 1.0, atol=1e-9)


def test_wrong_observations_and_names_are_refused():
    with pytest.raises(ValueError, match="21 features"):
        ScriptedPolicy("pursuit").predict(np.zeros(7, np.float32))
    with pytest.raises(ValueError, match="'pursuit'"):
        load("persuit")
    with pytest.raises(ValueError, match="side"):
        ScriptedPolicy("pursuit", side="left")


def test_every_roster_name_loads():
    assert all(load(name).script == ROSTER[name] for name in ROSTER)
