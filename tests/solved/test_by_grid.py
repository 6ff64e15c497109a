"""The closed forms against a grid that knows only the rules: the errors shrink.

`tests/solved/test_by_all_grids.py` compares all games, and
`tools/solve_by_grid.py` on finer grids.
"""

from __future__ import annotations

import math

import grids
import numpy as np
import pytest
import solve_by_grid


@pytest.mark.compiled
def test_the_errors_of_grids_shrink_with_the_spacing():
    found = solve_by_grid.compare(solve_by_grid.GAMES["reach_avoid"](), 2)
    bounds = {"reached": 0.05, "guarded": 0.11}  # of up to 2.0
    assert {errors["region"] for errors in found["errors"]} == bounds.keys()
    for errors in found["errors"]:
        coarse, fine = errors["mean"]
        assert fine <= bounds[errors["region"]], errors
        assert fine < 0.6 * coarse, errors


def test_values_in_between_are_exact_for_parabolas_and_do_not_overshoot():
    values = [x * x for x in (-1.0, 0.0, 1.0, 2.0)]
    assert grids.between(*values, 0.25) == pytest.approx(0.0625)
    assert grids.between(0.0, 0.0, 1.0, 0.0, 0.9) <= 1.0


def test_a_move_of_the_car_is_an_arc():
    moves = grids.moves_of_car(0.5)
    right, ahead, cosine, sine = moves[-1]  # turning right about (1, 0)
    assert math.hypot(right - 1.0, ahead) == pytest.approx(1.0)
    assert math.atan2(sine, cosine) == pytest.approx(0.5)
    assert moves[grids.RATES // 2].tolist() == [0.0, 0.5, 1.0, 0.0]


def test_who_knows_the_others_move_has_the_better_value():
    payoffs = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert grids.saddle(payoffs) == 1.0
    assert -grids.saddle(-payoffs.T) == -1.0
