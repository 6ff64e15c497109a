"""Columns, records and routines that are reached through addresses."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from steer_env.machine_code.addresses import (
    address_of,
    call_routine,
    column,
    record_at,
    records_at,
)
from steer_env.machine_code.marking import record_dtype
from steer_env.machine_code.routines import Routine

pytestmark = pytest.mark.weekly

PAIR = record_dtype([("low", np.int8), ("high", np.float64)])


def test_a_column_is_the_memory_itself():
    numbers = np.arange(6.0)
    there = column(address_of(numbers), 2, 3, np.float64)
    assert there.tolist() == [2, 3, 4]
    there[0] = 9
    assert numbers[2] == 9
    assert np.shares_memory(there, numbers)
    assert column(address_of(numbers), 0, 0, np.float64).tolist() == []


def change(numbers: int, pairs: int) -> tuple[float, float, int]:
    """Reads and writes through addresses."""
    column(numbers, 1, 2, np.float64)[1] += 0.5
    second = records_at(pairs, 3, PAIR)[1]
    second.high = 7.0
    return column(numbers, 0, 3, np.float64)[2], record_at(pairs, PAIR).high, second.low


def test_python_and_compiled_code_reach_the_same_memory():
    for function in (change, numba.njit(change)):
        numbers, pairs = np.arange(3.0), np.zeros(3, PAIR)
        pairs["low"], pairs["high"][0] = (1, 2, 3), 4.0
        assert function(address_of(numbers), address_of(pairs)) == (2.5, 4.0, 2)
        assert numbers.tolist() == [0, 1, 2.5]
        assert pairs["high"].tolist() == [4, 7, 0]


def put_sum(one: int, other: int, total: int) -> None:
    """A routine: writes a sum at an address."""
    column(total, 0, 1, np.int64)[0] = one + other


@pytest.mark.compiled
def test_integers_of_any_size_are_passed_to_a_routine():
    @numba.njit
    def call(address, total):
        call_routine(address, (np.int32(-5), np.uint8(3), total))

    total = np.zeros(1, np.int64)
    call(Routine(put_sum, is_users=True).address, address_of(total))
    assert total[0] == -2
