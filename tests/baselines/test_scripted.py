"""Scripted policies see only observations, and decide what the scripts in the loop decide."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import gymnasium as gym
import numpy as np
import pytest

from steer_env.actions import DIRECTIONS
from steer_env.baselines import evaluate, load
from steer_env.baselines.policies import ScriptedPolicy
from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES, named_script
from steer_env.sides import EVADER, PURSUER, Side


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


WEEKLY = pytest.mark.weekly
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

WANDERERS = [name for name in NAMES if name not in CALM and not ROSTER[name].chases]
ARENAS = ({}, {"arena": "torus"}, {"arena": "open"}, {"obstacles": 6})
TEAM_NAMES = ("pursuit/pack", "navigation/pack", "encircle", "flank", "voronoi", "guard")
CASES = [  # both names, the game, and the side that plays from observations
    *((("pursuit/among_obstacles", "escape/full_force"), one) for one in ({}, ARENAS[3])),
    (("pursuit/among_obstacles", "evade/herd"), {"arena": "torus"}),
    (("pursuit", "evade/herd"), {"pursuers": 3, "evaders": 2}),
    *(
        pytest.param((name, "evade/herd"), {}, marks=WEEKLY)
        for name in CALM
        if ROSTER[name].chases
    ),
    *(
        pytest.param(("pursuit/among_obstacles", name), arena, marks=WEEKLY)
        for name, arena in product(CALM, ARENAS)
        if not ROSTER[name].chases
    ),
]


@pytest.mark.compiled
@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize(("pair", "keywords"), CASES)
def test_scripts_from_observations_play_as_in_the_loop(pair, keywords, side):
    # Which way around an obstacle a hider is chased can hang on the last digit.
    same_step = 0.93 if "obstacles" in keywords and pair[1] == "hide" else 0.98
    check_agreement(pair, make_game(**keywords), side, 400, same_step)


@WEEKLY
@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus"])
@pytest.mark.parametrize("name", TEAM_NAMES)
def test_teams_that_look_at_each_other_do_as_well(name, arena):
    config = make_game(pursuers=3, evaders=2, arena=arena)
    pair = (name, "evade/herd") if ROSTER[name].chases else ("pursuit", name)
    side = "pursuer" if ROSTER[name].chases else "evader"
    # Long chases of several hang on the last digit more often.
    check_agreement(pair, config, side, 200, same_step=0.95, same_outcome=0.98)


@WEEKLY
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


SEEN = {
    **{name: {} for name, found in ENVIRONMENTS.items() if not found.game.unseen_maps},
    "TeamPursuit-v0": {"nearest": 4, "features": ["other", "other.distance", "own"]},
    "ObstaclesEvade-v0": {
        "nearest": 6,
        "features": ["obstacle", "own.acceleration_left", "other", "own"],
    },
}
"""Every id of a game without maps, two with other observations of all that scripts need."""


@pytest.mark.compiled
@pytest.mark.parametrize("env_id", SEEN)
def test_in_every_environment_it_decides_as_in_the_loop(env_id):
    game, side, kind = ENVIRONMENTS[env_id]
    env = gym.make(env_id, **({"observation": SEEN[env_id]} if SEEN[env_id] else {}))
    # Without chance, which would differ.
    scripts = [replace(named_script(game.opponents[each.other]), wander=0.0) for each in Side]
    policy = load(scripts[side], env)
    assert env.action_space.contains(policy.predict(env.reset(seed=0)[0])[0])
    engine = Engine(env.unwrapped.config, [scripts[0]], [scripts[1]], 64)
    engine.sense(side)
    engine.seed(range(64))
    engine.start()
    faults = []
    for _ in range(36):
        engine.step(engine.no_actions(0), engine.no_actions(1), side, restart=True)
        observations, state = engine.observe(side), engine.get_state()
        wished = engine.decisions(side)
        engine.restore(state)
        actions, _ = policy.predict(observations)
        if kind == "discrete":  # the nearest direction, or none
            actions = DIRECTIONS[actions]
            lengths = np.linalg.norm(actions, axis=-1) * np.linalg.norm(wished, axis=-1)
            fault = np.cos(np.pi / 8) * lengths - (actions * wished).sum(axis=-1)
        else:
            fault = abs(actions - wished).max(axis=-1)
        first = side * env.unwrapped.config.pursuers
        plays = engine.state.active[first : first + wished.shape[1]].T
        faults += fault[plays > 0].tolist()
    # Some decisions hang on the last digit, most of them in Tag.
    assert np.median(faults) < 1e-5
    assert np.mean(np.array(faults) > 1e-4) < 0.1


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["pursuit/paths", "seek/paths/full_force", "evade"])
def test_on_one_map_it_decides_as_in_the_loop(name):
    script = replace(named_script(name), wander=0.0)
    side = PURSUER if script.chases else EVADER
    env = gym.make(side.environment, map="rooms/5")
    policy = ScriptedPolicy(script, env.unwrapped.config)
    engine = Engine(env.unwrapped.config, *side.ordered([script], [named_script("idle")]), 32)
    engine.seed(range(32))
    engine.start()
    faults = []
    for _ in range(40):
        engine.step(engine.no_actions(0), engine.no_actions(1), side, restart=True)
        actions, _ = policy.predict(engine.observe(side))
        faults += abs(actions - engine.decisions(side)).max(axis=-1).tolist()
    assert np.median(faults) < 1e-5
    assert np.mean(np.array(faults) > 1e-4) < 0.05


def test_it_cannot_see_on_which_map_it_plays():
    with pytest.raises(ValueError, match="on which of its 64 maps"):
        load("pursuit/paths", gym.make("Rooms-v0"))


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


@pytest.mark.parametrize("keywords", [{}, {"pursuers": 3, "evaders": 2, "obstacles": 1}])
@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
def test_its_spaces_are_those_of_its_environment(env_id, keywords):
    env = gym.make(env_id, **keywords)
    policy = load("wander", env)
    assert policy.observation_space == env.observation_space
    assert policy.action_space == env.action_space


@pytest.mark.parametrize("players", [1, 2])
def test_wander_points_start_afresh_with_a_game(players):
    policy = ScriptedPolicy("wander", make_game(evaders=players), seed=0)
    rows = np.zeros((3, *policy.observation_space.shape), np.float32)
    _, state = policy.predict(rows)
    _, after = policy.predict(rows, state, np.array([False, True, False]))
    turned = np.abs(np.angle(after / state)).reshape(3, players)
    assert turned[1].max() > turned[[0, 2]].max()
    np.testing.assert_allclose(np.abs(after), 1.0, atol=1e-9)
    with pytest.raises(ValueError, match=rf"{3 * players} in all, got the shape \(4,\)"):
        policy.predict(rows, state, np.zeros(4, bool))


def test_wrong_observations_and_names_are_refused():
    sees = {"features": ["own", "other.presence"]}
    with pytest.raises(
        ValueError, match=r"not observe other\.offset_forward, other\.offset_left"
    ):
        ScriptedPolicy("pursuit", make_game(observation=sees))
    with pytest.raises(ValueError, match="21 features"):
        ScriptedPolicy("pursuit").predict(np.zeros(7, np.float32))
    with pytest.raises(ValueError, match="'pursuit'"):
        load("persuit")
    with pytest.raises(ValueError, match="side"):
        ScriptedPolicy("pursuit", side="left")
