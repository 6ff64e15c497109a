"""All solved games: arguments, docstring examples, and grids that know only the rules."""

import doctest
import math
import sys

import numpy as np
import pytest
import solve_by_grid
from weekly import weekly_but

from steer_env.errors import InvalidType, InvalidValue
from steer_env.solved import (
    chauffeur,
    drag,
    perimeter,
    reach_avoid,
    simple,
    two_cars,
    two_on_one,
)
from steer_env.steering.targets import Target, disc, half_plane

GIVEN = {  # arguments of the value of each game; the first two that are numbers are arrays, too
    chauffeur.value: {"right": 1.0, "nu": 0.3, "ahead": 0.0, "l": 0.3},
    drag.miss: {"time": 4, "k": 0.1, "r": (10, 0), "v": (0, 1), "FP": 1, "FE": 0.6},
    perimeter.value: {"attacker": 2j, "nu": 0.5, "defender": 1.0},
    reach_avoid.value: {"attacker": 1.0, "nu": 0.5, "defender": 2.0},
    simple.value: {"distance": 10.0, "speed": 2.0, "other_speed": 1.0, "l": 0.5},
    two_cars.value: {"x": 1.0, "psi": 3.0, "y": 2.0},
    two_on_one.value: {"evader": 1.0, "nu": 0.5, "pursuers": [2.0]},
}


@pytest.mark.parametrize("function", GIVEN, ids=lambda function: function.__module__)
def test_numbers_give_a_float_and_arrays_an_array(function):
    given = GIVEN[function]
    (one, number), (other, second), *_ = given.items()
    alone = function(**given)
    assert type(alone) is float
    strided = np.array([number, 9, 2 * number, 9])[::2]
    found = function(**{**given, one: strided, other: second * np.ones((3, 1))})
    assert found.shape == (3, 2)
    assert (found[:, 0] == alone).all()
    assert (found[:, 1] == function(**{**given, one: 2 * number})).all()
    assert function(**{**given, one: np.zeros((0, 3))}).shape == (0, 3)


WRONG = [
    (chauffeur.value, {"right": math.nan}, "right must not be nan"),
    (chauffeur.value, {"right": math.inf}, "right must be at least -1e"),
    (chauffeur.value, {"nu": 1.0}, "nu must be above 0 and below 1, got 1"),
    (chauffeur.value, {"nu": 0.6, "l": 0.8}, r"l above 0 and below sqrt.*got l = 0.8"),
    (chauffeur.value, {"l": -1.0}, "got l = -1"),
    (chauffeur.barrier, {"nu": 0.3, "l": 0.3, "points": 1}, "points must be"),
    (drag.miss, {"r": (1, 0, 0)}, r"r must have the shape .* got \(3,\)"),
    (drag.miss, {"r": 1.0}, "r must have the shape"),
    (drag.miss, {"time": -4}, "time must be at least 0 .*, got -4"),
    (perimeter.value, {"attacker": 0.5j}, "attacker must not be in the disc, got 0.5"),
    (perimeter.value, {"defender": [1.0, 1.001]}, "defender must be on the rim, got 1.001"),
    (perimeter.value, {"radius": 2.0}, "defender must be on the rim, got 0.5"),
    (perimeter.value, {"nu": 1.1}, "nu must be at least 1e-06 and at most 1, got 1.1"),
    (perimeter.value, {"radius": -1.0}, "radius must be at least"),
    (perimeter.value, {"attacker": complex(math.nan, 0)}, "attacker.real must not be nan"),
    (perimeter.barrier, {"nu": 1.5}, "nu must be"),
    (reach_avoid.value, {"nu": 1.2}, "at most 1, got 1.2: a faster attacker"),
    (reach_avoid.value, {"nu": 0.0}, "nu must be at least"),
    (reach_avoid.value, {"l": -0.1}, "l must be at least 0"),
    (reach_avoid.value, {"target": Target(0j, 1j, 1.0, 0.1, False)}, "gap"),
    (reach_avoid.value, {"target": disc(0j, math.nan)}, "radius of the target must be"),
    (reach_avoid.value, {"target": half_plane(0j, 2 + 0j)}, "outward must be a unit vector"),
    (reach_avoid.barrier, {"defender": [1.0, 2.0], "nu": 0.5}, "must be single places"),
    (simple.value, {"distance": -1.0}, "distance must be at least 0 .*, got -1"),
    (two_cars.value, {"y": [0.0, math.inf]}, r"y must be at least -1e\+20 .*, got inf"),
    (two_cars.value, {"turn_rate": 0.0}, "turn_rate must be at least"),
    (two_cars.value, {"beta": -1.0}, "beta must be at least 0, got -1"),
    (two_cars.value, {"x": [1, 2], "y": [1, 2, 3]}, "the shapes must broadcast together"),
    (two_cars.barrier, {"psi": math.nan}, "psi must"),
    (two_cars.barrier, {"psi": 1.0, "points": 1}, "points must be"),
    (two_on_one.value, {"nu": 1.0}, "nu must be at least 1e-06 and at most 0.999999, got 1"),
    (two_on_one.value, {"pursuers": 1.0}, r"the shape \(..., N\) with N >= 1, got \(\)"),
    (two_on_one.value, {"pursuers": np.zeros((4, 0))}, r"with N >= 1, got \(4, 0\)"),
    (two_on_one.value, {"evader": [1, 2, 3], "pursuers": [[1], [2]]}, "broadcast"),
]
OF_ANOTHER_TYPE = [
    (chauffeur.value, {"ahead": "ahead"}, "ahead must be real numbers"),
    (chauffeur.barrier, {"nu": "fast", "l": 0.3}, "nu must be"),
    (drag.miss, {"v": ("a", "b")}, "v must be real numbers"),
    (perimeter.value, {"attacker": "2j"}, "attacker must be complex numbers"),
    (perimeter.value, {"defender": [[1.0], 1.0]}, "defender must be complex numbers"),
    (perimeter.barrier, {"nu": [0.5]}, "nu must be"),
    (reach_avoid.value, {"target": "left"}, "target must be"),
    (simple.value, {"speed": None}, "speed must be real numbers"),
    (two_cars.barrier, {"psi": 1.0, "points": 2.5}, "points must be"),
    (two_on_one.value, {"nu": 0.5j}, "nu must be"),
]


@pytest.mark.parametrize(
    ("function", "given", "message", "error"),
    [(*row, InvalidValue) for row in WRONG] + [(*row, InvalidType) for row in OF_ANOTHER_TYPE],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_arguments(function, given, message, error):
    with pytest.raises(error, match=message):
        function(**{**GIVEN.get(function, {}), **given})


@pytest.mark.parametrize("function", GIVEN, ids=lambda function: function.__module__)
def test_the_examples_are_true(function):
    found = doctest.testmod(sys.modules[function.__module__])
    assert found.attempted > 0
    assert found.failed == 0


# `tools/solve_by_grid.py` compares them on finer grids, too.
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


@pytest.mark.compiled
@pytest.mark.parametrize("name", weekly_but([QUICK], BOUNDS))
def test_the_errors_of_grids_shrink_with_the_spacing(name):
    found = solve_by_grid.compare(solve_by_grid.GAMES[name](), 2)
    assert {errors["region"] for errors in found["errors"]} == set(BOUNDS[name])
    for errors in found["errors"]:
        coarse, fine = errors["mean"]
        assert fine <= BOUNDS[name][errors["region"]], errors
        assert fine < 0.01 or fine < (0.6 if name == QUICK else 0.8) * coarse, errors
