"""Lanes, in plain Python and in compiled code."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from steer_env.machine_code.lanes import LANES, lane_count, lanes_of_numbers, lanes_of_vectors

pytestmark = pytest.mark.weekly


def fill(numbers, vectors, count):
    """Writes what is kept in lanes, some of them made anew in each round of a loop."""
    kept, total = lanes_of_vectors(), lanes_of_numbers()
    for k in range(LANES):
        kept[k], total[k] = k, 0.0
    for turn in range(count):
        step = lanes_of_vectors()
        for k in range(lane_count()):
            step[k] = complex(turn, k)
        for k in range(LANES):
            kept[k] += step[k]
            total[k] += step[k].real
    for k in range(LANES):
        numbers[k], vectors[k] = total[k], kept[k]


@pytest.mark.compiled
def test_lanes_keep_what_is_written_to_them():
    # So many that the stack would be full if each turn made lanes of its own.
    for function, count in ((fill, 4), (numba.njit(fill), 100_000)):
        numbers, vectors = np.zeros(LANES), np.zeros(LANES, complex)
        function(numbers, vectors, count)
        total = count * (count - 1) / 2
        assert numbers.tolist() == [total] * LANES
        assert vectors.tolist() == [k + total + count * k * 1j for k in range(LANES)]
