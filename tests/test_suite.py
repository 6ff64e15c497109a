"""The games of the suite, by name: as environments, keywords and configurations."""

import json

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import TASKS
from steer_env.game.config import Game, VehicleConfig, make_game
from steer_env.players.resolver import resolve
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, GAMES, SUITE, suite_game
from steer_env.sides import EVADER, PURSUER, Side

NAMED = [name for name in SUITE if name != DEFAULT_GAME]


def test_every_game_has_four_environments():
    assert len(ENVIRONMENTS) == 4 * len(GAMES)
    assert len(set(ENVIRONMENTS)) == len(ENVIRONMENTS)
    assert ENVIRONMENTS["AgileTorusEvadeDiscrete-v0"] == (
        SUITE["agile_torus"],
        EVADER,
        "discrete",
    )
    assert suite_game(None).environment(PURSUER) == "Pursuit-v0"
    assert set(ENVIRONMENTS) <= set(gym.registry)


def test_the_default_game_has_no_keywords():
    assert make_game() == make_game(game=DEFAULT_GAME) == Game()
    assert not SUITE[DEFAULT_GAME].keywords


@pytest.mark.parametrize("name", NAMED)
def test_keywords_change_a_game_and_leave_the_rest(name):
    plain = make_game(game=name)
    assert plain != Game()
    changed = make_game(game=name, evader={"mass": 2.0}, horizon=50)
    assert changed.horizon == 50
    assert changed.arena == plain.arena
    for was, now in zip(plain.vehicles("evader"), changed.vehicles("evader")):
        assert now == VehicleConfig(**{**vars(was), "mass": 2.0})
    assert make_game(game=name, arena="open").arena == "open"


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("side", Side)
def test_an_environment_plays_its_game(name, side):
    env = gym.make(SUITE[name].environment(side))
    assert env.unwrapped.config == make_game(game=name)
    assert env.unwrapped.opponent == (SUITE[name].opponents[side],)
    json.loads(env.spec.to_json())
    by_keyword = gym.make(side.environment, game=name)
    np.testing.assert_array_equal(env.reset(seed=3)[0], by_keyword.reset(seed=3)[0])
    vector = gym.make_vec(SUITE[name].environment(side, "discrete"), num_envs=2)
    assert vector.unwrapped.config == env.unwrapped.config
    assert isinstance(
        vector.single_action_space, gym.spaces.Discrete | gym.spaces.MultiDiscrete
    )


@pytest.mark.parametrize("name", SUITE)
@pytest.mark.parametrize("side", Side)
def test_the_default_opponents_are_made_for_their_side(name, side):
    opponent = SUITE[name].opponents[side]
    assert resolve(opponent, side.other).script is not None
    assert opponent in TASKS[f"{side.name}/{name}"].opponents
