"""Scripted policies see only observations, and decide what the scripts in the loop decide."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import steer_env  # noqa: F401
from baselines import ScriptedPolicy, evaluate, load
from steer_env.game.config import game_config
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES

STRONG = ("pursuit/full_force", "evade/full_force", "escape/full_force")
"""A few at full force, which makes rounding errors of observations ten times as large."""

NAMES = (*SHORTER_NAMES, *STRONG)
CALM = [
    name
    for name in NAMES
    if ROSTER[name].behavior != "wander"
    and ROSTER[name].wander == 0.0
    and ROSTER[name].combination not in ("dithered", "chaotic")
]
"""The scripts without chance in them."""

PURSUERS = [name for name in CALM if ROSTER[name].chases]
CALM_EVADERS = [name for name in CALM if not ROSTER[name].chases]
WANDERERS = [name for name in NAMES if name not in CALM and not ROSTER[name].chases]


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
@pytest.mark.parametrize("name", PURSUERS)
def test_scripts_from_observations_play_as_in_the_loop(name, side):
    check_agreement((name, "evade/herd"), game_config(), side)


@pytest.mark.compiled
@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize("evader", CALM_EVADERS)
@pytest.mark.parametrize(
    "keywords",
    [{}, {"arena": "torus"}, {"arena": "open"}, {"obstacles": 6}],
    ids=["walls", "torus", "open", "obstacles"],
)
def test_they_do_in_every_arena(evader, side, keywords):
    config = game_config(**keywords)
    # Which way around an obstacle a hider is chased can hang on the last digit.
    same_step = 0.93 if "obstacles" in keywords and evader == "hide" else 0.98
    check_agreement(("pursuit/among_obstacles", evader), config, side, 400, same_step)


@pytest.mark.compiled
@pytest.mark.parametrize("name", WANDERERS)
def test_where_it_wanders_the_capture_rates_agree(name):
    inside, outside = (
        evaluate("pursuit", player, episodes=1500)["captured"]
        for player in (name, ScriptedPolicy(name, side="evader", seed=1))
    )
    # Other chance on either side: the error of a difference of two independent rates.
    spread = np.sqrt((inside.var() + outside.var()) / 1500)
    assert abs(inside.mean() - outside.mean()) < 3 * spread + 1e-3


@pytest.mark.compiled
def test_teams_play_from_observations_too():
    config = game_config(pursuers=3, evaders=2)
    for side in ("pursuer", "evader"):
        check_agreement(("pursuit", "evade/herd"), config, side, 400)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["pursuit/pack", "navigation/pack", "encircle", "flank", "voronoi", "guard"]
)
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_teams_that_look_at_each_other_do_as_well(name, arena):
    config, side = game_config(pursuers=3, evaders=2, arena=arena), "pursuer"
    pair = name, "evade/herd"
    if not ROSTER[name].chases:
        pair, side = ("pursuit", name), "evader"
    # Long chases of several hang on the last digit more often.
    check_agreement(pair, config, side, 200, same_step=0.95, same_outcome=0.98)


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
