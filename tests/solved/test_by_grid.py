"""The closed forms against grids that know only the rules: the errors shrink with the spacing.

`tools/solve_by_grid.py` compares them on finer grids.
"""

from __future__ import annotations

import math

import grids
import numpy as np
import pytest
import solve_by_grid

BOUNDS = {  # the largest mean errors of the second grid
    "simple": {"all": 0.02},
    "chauffeur-0.1": {"T": 0.01, "D": 0.01, "W": 0.05},  # of up to 7.0
    "chauffeur-0.3": {"T": 0.01, "D": 0.01, "S": 0.2, "W": 0.2},  # of up to 10.7
    "chauffeur-0.5": {"T": 0.01, "D": 0.02, "S": 0.45, "W": 0.45},  # of up to 17.1
    "chauffeur-0.7": {"T": 0.01, "D": 0.01, "free": 0.0},
    "two_cars": {"-4 < V < 0": 0.01, "0 < V < 2": 0.003, "V < -4": 0.25},
    "drag": {"stronger evader": 0.05, "stronger pursuer": 0.05},
    "reach_avoid": {"reached": 0.05, "guarded": 0.11},  # of up to 2.0
    "two_on_one": {"alone": 0.004, "together": 0.03},  # of up to 2.2
}
QUICK = "reach_avoid"
OTHERS = [pytest.param(one, marks=pytest.mark.weekly) for one in BOUNDS if one != QUICK]


@pytest.mark.compiled
@pytest.mark.parametrize("name", [QUICK, *OTHERS])
def test_the_errors_of_grids_shrink_with_the_spacing(name):
    found = solve_by_grid.compare(solve_by_grid.GAMES[name](), 2)
    assert {errors["region"] for errors in found["errors"]} == set(BOUNDS[name])
    for errors in found["errors"]:
        coarse, fine = errors["mean"]
        assert fine <= BOUNDS[name][errors["region"]], errors
        assert fine < 0.01 or fine < (0.6 if name == QUICK else 0.8) * coarse, errors


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


@pytest.mark.weekly
def test_who_knows_the_others_move_has_the_better_value():
    payoffs = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert grids.saddle(payoffs) == 1.0
    assert -grids.saddle(-payoffs.T) == -1.0
