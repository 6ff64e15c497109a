"""Columns, records and addresses all stand for the same numbers."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from steer_env.game.config import GameConfig
from steer_env.game.limits import limits_of
from steer_env.game.memory import (
    memory_record,
)
from steer_env.game.rules import RULES, game_rules
from steer_env.game.state import (
    UNSTARTED,
    State,
    make_records,
    make_state,
    records_of,
    set_records,
    state_dtype,
)
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.table import script_table
from steer_env.steering import Vehicle

GAMES, PLAYERS, OBSTACLES = 7, 3, 2
CONFIG = GameConfig(pursuers=2, evaders=1)


def numbered_state():
    """Columns in which no two numbers are the same, as far as their types allow."""
    state, next_number = make_state(GAMES, PLAYERS, OBSTACLES), 1
    for array in state:
        numbers = np.arange(next_number, next_number + array.size).reshape(array.shape)
        array[...] = numbers % 2 if array.dtype == bool else numbers
        if array.dtype == np.complex128:
            array += 0.5j * numbers
        next_number += array.size
    return state


class Memory:
    """The memory of games, with what it points to."""

    def __init__(self):
        self.state = numbered_state()
        self.rules, self.limits = game_rules(CONFIG, (2, 1)), limits_of(CONFIG)
        self.scripts = script_table([ROSTER[name] for name in ("seek", "hide", "evade")], 0.1)
        self.array = memory_record(self.state, self.limits, 30, self.rules, self.scripts)
        self.record = self.array[0]


@pytest.fixture
def memory():
    return Memory()


# ---- Columns and records ------------------------------------------------------------------


def test_records_are_a_copy_of_the_columns(memory):
    state, records = memory.state, records_of(memory.state, memory.rules[0])
    assert records.dtype == state_dtype(PLAYERS, OBSTACLES)
    for name in ("key", "draws", "steps", "phase", "captured", "distance"):
        assert records["game"][name].tolist() == getattr(state, name).tolist()
    assert records["game"]["pursuer_script"].tolist() == state.script[0].tolist()
    assert records["game"]["evader_script"].tolist() == state.script[1].tolist()
    for name in Vehicle._fields:
        np.testing.assert_array_equal(records["players"]["body"][name].T, getattr(state, name))
    np.testing.assert_array_equal(records["obstacles"]["center"].T, state.center)
    np.testing.assert_array_equal(records["obstacles"]["radius"].T, state.obstacle_radius)
    records["game"]["steps"] += 1
    assert (records["game"]["steps"] == state.steps + 1).all()


@pytest.mark.parametrize(
    "duplicate", [np.copy, copy.deepcopy, lambda records: pickle.loads(pickle.dumps(records))]
)
def test_columns_come_back_from_records_bit_for_bit(memory, duplicate):
    for array in memory.state[:10]:
        array.flat[:3] = np.array([-0.0, 5e-324, 1 / 3]).astype(array.dtype)
    records = duplicate(records_of(memory.state, memory.rules[0]))
    again = make_state(GAMES, PLAYERS, OBSTACLES)
    set_records(again, records)
    for name, one, other in zip(State._fields, memory.state, again):
        assert one.tobytes() == other.tobytes(), name


def test_games_that_have_not_started_are_all_zero():
    records = make_records(2, PLAYERS, OBSTACLES)
    assert not any(records.tobytes())
    state = make_state(2, PLAYERS, OBSTACLES)
    assert (state.phase == UNSTARTED).all()
    assert (records_of(state, game_rules(CONFIG, (2, 1))[0]) == records).all()
    assert game_rules(CONFIG, (1, 1)).dtype == RULES
