"""Columns, records and addresses all stand for the same numbers."""

from __future__ import annotations

import copy
import pickle

import numba
import numpy as np
import pytest

from steer_env.game.config import GameConfig
from steer_env.game.limits import limits_of
from steer_env.game.measurement import measure
from steer_env.game.memory import (
    BLOCK,
    MEMORY,
    SCRATCH,
    Games,
    Players,
    body_at,
    flags,
    force_of,
    games_of,
    integers,
    make_measures,
    make_scratch,
    memory_record,
    numbers,
    obstacle_at,
    player_at,
    players_of,
    rules_of,
    scratch_record,
    script_at,
    step_of,
    vectors,
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
from steer_env.steering import OBSTACLE, VEHICLE, Vehicle
from steer_env.steering.addresses import address_of, column, record_at, records_at

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


def assert_is(column, expected):
    """Both show the same entries of the same memory."""
    np.testing.assert_array_equal(column, expected)
    assert len(column) == len(expected)
    before = expected[1]
    column[1] = 1 - (before != 0)
    assert expected[1] == 1 - (before != 0) != before
    expected[1] = before
    assert column[1] == before


def test_a_column_is_a_part_of_an_array():
    array = np.arange(24.0).reshape(4, 6)
    assert_is(column(address_of(array), 8, 3, np.float64), array[1, 2:5])
    flags = np.zeros((3, 4), np.bool_)
    assert_is(column(address_of(flags), 4, 4, np.uint8), flags[1])


def test_it_says_how_many_of_everything_there_are(memory):
    record = memory.record
    sizes = record.games, record.players, record.obstacles, record.num_features
    assert sizes == (GAMES, PLAYERS, OBSTACLES, 30)
    assert record.measure_decisions == record.measure_motion == 0
    for name, array in memory.state._asdict().items():
        assert record[name] == address_of(array)
    assert record.address == address_of(memory.array)


@pytest.mark.parametrize("number", range(PLAYERS))
@pytest.mark.parametrize(("start", "stop"), [(0, GAMES), (2, 5)])
def test_the_columns_of_a_player(memory, number, start, stop):
    players = players_of(memory.record, number, start, stop)
    for name in Players._fields:
        assert_is(getattr(players, name), getattr(memory.state, name)[number, start:stop])


@pytest.mark.parametrize(("start", "stop"), [(0, GAMES), (3, 6)])
def test_the_columns_of_the_games(memory, start, stop):
    games = games_of(memory.record, start, stop)
    for name in set(Games._fields) & set(State._fields):
        assert_is(getattr(games, name), getattr(memory.state, name)[start:stop])
    assert_is(games.pursuers_script, memory.state.script[0, start:stop])
    assert_is(games.evaders_script, memory.state.script[1, start:stop])


def test_one_player_of_one_game(memory):
    player = player_at(memory.record, 2, 4)
    assert all(len(entry) == 1 for entry in player)
    player.position[0] = 3 + 4j
    assert memory.state.position[2, 4] == 3 + 4j
    expected = [getattr(memory.state, name)[2, 4] for name in Vehicle._fields]
    assert body_at(player, 0) == Vehicle(*expected)
    assert body_at(players_of(memory.record, 2, 1, 6), 3) == Vehicle(*expected)


def test_obstacles_rules_and_scripts(memory):
    obstacle = obstacle_at(memory.record, 1, 5)
    assert obstacle.center == memory.state.center[1, 5]
    assert obstacle.radius == memory.state.obstacle_radius[1, 5]
    rules = rules_of(memory.record)
    assert rules == memory.rules[0]
    assert rules.pursuers == 2
    for row in range(3):
        assert script_at(memory.record, row) == memory.scripts[row]
    rules.dt = 0.25
    assert memory.rules["dt"] == 0.25


def test_measures_are_attached_and_taken_off(memory):
    measures = make_measures(GAMES)
    measure(memory.array, measures)
    assert 0 not in (memory.record.measure_decisions, memory.record.measure_motion)
    for name, array in measures._asdict().items():
        assert memory.record[name] == address_of(array)
    path = column(memory.record.path, GAMES, GAMES, np.float64)
    assert_is(path, measures.path[1])
    measure(memory.array, None)
    assert memory.record.measure_decisions == memory.record.measure_motion == 0


def test_scratch_space_is_in_columns_of_a_block():
    scratch = make_scratch(PLAYERS, OBSTACLES)
    array = scratch_record(scratch)
    record = array[0]
    for row_of, table in ((force_of, scratch.force), (step_of, scratch.step)):
        for row in range(PLAYERS):
            assert len(row_of(record, row)) == BLOCK
            assert_is(row_of(record, row), table[row])
    readers = {"c": vectors, "f": numbers, "i": integers, "b": flags}
    columns = {name: each for name, each in scratch._asdict().items() if each.shape == (BLOCK,)}
    assert len(columns) == 30
    for name, expected in columns.items():
        assert_is(readers[expected.dtype.kind](record[name]), expected)
    neighbors = records_at(record.neighbors, PLAYERS, VEHICLE)
    neighbors[1].position = 5j
    assert scratch.neighbors["position"].tolist() == [0, 5j, 0]
    assert len(records_at(record.discs, OBSTACLES, OBSTACLE)) == OBSTACLES
    assert record_at(address_of(array), SCRATCH) == record


@pytest.mark.compiled
def test_compiled_code_reads_and_writes_the_same_entries(memory):
    @numba.njit
    def change(address):
        record = record_at(address, MEMORY)
        mine, games = players_of(record, 1, 2, 6), games_of(record, 2, 6)
        of_player = (mine.velocity[3], mine.active[1], mine.radius[0], body_at(mine, 2).heading)
        of_game = (games.key[2], games.evaders_script[1], obstacle_at(record, 1, 4).center)
        of_engine = (rules_of(record).pursuers, script_at(record, 2).threat_range)
        mine.position[3] = 9j
        games.captured[0] = 77
        return of_player, of_game, of_engine

    state = memory.state
    expected = (
        (state.velocity[1, 5], state.active[1, 3], state.radius[1, 2], state.heading[1, 4]),
        (state.key[4], state.script[1, 3], state.center[1, 4]),
        (2, memory.scripts[2]["threat_range"]),
    )
    assert change(address_of(memory.array)) == expected
    assert state.position[1, 5] == 9j
    assert state.captured[2] == 77


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
