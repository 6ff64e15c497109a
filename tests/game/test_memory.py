"""Columns and records of a state stand for the same numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from steer_env.game.config import GameConfig
from steer_env.game.rules import game_rules
from steer_env.game.state import (
    UNSTARTED,
    Past,
    State,
    make_records,
    make_state,
    records_of,
    set_records,
)
from steer_env.steering import Vehicle

GAMES, PLAYERS, OBSTACLES, PAST = 7, 3, 2, Past(4, 3, 30)
RULES = game_rules(GameConfig(pursuers=2, evaders=1), (2, 1))[0]


@pytest.fixture
def state():
    """Columns in which no two numbers are the same, as far as their types allow."""
    state, next_number = make_state(GAMES, PLAYERS, OBSTACLES, PAST), 1
    for array in state:
        numbers = np.arange(next_number, next_number + array.size).reshape(array.shape)
        array[...] = numbers % 2 if array.dtype == bool else numbers
        if array.dtype == np.complex128:
            array += 0.5j * numbers
        next_number += array.size
    return state


def test_records_are_a_copy_of_the_columns(state):
    records = records_of(state, RULES)
    for name in ("key", "draws", "steps", "phase", "captured", "distance"):
        assert records["game"][name].tolist() == getattr(state, name).tolist()
    assert records["game"]["pursuer_script"].tolist() == state.script[0].tolist()
    assert records["game"]["evader_script"].tolist() == state.script[1].tolist()
    for name in Vehicle._fields:
        np.testing.assert_array_equal(records["players"]["body"][name].T, getattr(state, name))
    np.testing.assert_array_equal(records["obstacles"]["center"].T, state.center)
    np.testing.assert_array_equal(records["obstacles"]["radius"].T, state.obstacle_radius)
    np.testing.assert_array_equal(records["sightings"].T, state.sightings)
    records["game"]["steps"] += 1
    assert (records["game"]["steps"] == state.steps + 1).all()


def test_columns_come_back_from_records_bit_for_bit(state):
    for array in state[:10]:
        array.flat[:3] = np.array([-0.0, 5e-324, 1 / 3]).astype(array.dtype)
    again = make_state(GAMES, PLAYERS, OBSTACLES, PAST)
    set_records(again, pickle.loads(pickle.dumps(records_of(state, RULES))))
    for name, one, other in zip(State._fields, state, again):
        assert one.tobytes() == other.tobytes(), name


def test_games_that_have_not_started_are_all_zero():
    records = make_records(2, PLAYERS, OBSTACLES)
    assert not any(records.tobytes())
    state = make_state(2, PLAYERS, OBSTACLES)
    assert (state.phase == UNSTARTED).all()
    assert (records_of(state, RULES) == records).all()
