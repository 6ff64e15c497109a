"""What is called wrongly: the values of the solved games, and what measures against them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from wrong_targets import Target, hints_of

from steer_env import baselines
from steer_env.solved import (
    chauffeur,
    drag,
    perimeter,
    reach_avoid,
    simple,
    two_cars,
    two_on_one,
)

_PLACE = {"right": lambda: np.array([1.0, 0.3]), "ahead": lambda: np.array([0.0, 1.0])}
_RATIOS = {"nu": lambda: 0.3, "l": lambda: 0.3}
_CARS = {
    "x": lambda: 8.0,
    "y": lambda: np.array([0.0, 1.0]),
    "psi": lambda: 1.0,
    "speed": lambda: 5.0,
    "turn_rate": lambda: 1.0,
}
_DRAG = {
    "r": lambda: np.array([1.0, 2.0]),
    "v": lambda: np.array([0.5, 0.0]),
    "time": lambda: 2.0,
    "FP": lambda: 1.0,
    "FE": lambda: 0.6,
    "k": lambda: 0.5,
}
_SIMPLE = {
    "distance": lambda: 2.0,
    "speed": lambda: 1.0,
    "other_speed": lambda: 0.6,
    "l": lambda: 0.1,
}
_RACE = {"attacker": lambda: np.array([3.0, 2j]), "defender": lambda: 1.0 + 1j}
_TEAM = {"evader": lambda: 0.5j, "pursuers": lambda: np.array([-1.0, 1.0])}
_RIM = {"attacker": lambda: np.array([3.0, 2j]), "defender": lambda: 1.0, "nu": lambda: 0.5}
_STARTS = {"game": lambda: "drag", "starts": lambda: 3, "seed": lambda: 5}


def solved_targets() -> Iterator[Target]:
    """The closed forms, `gap` and its kin."""
    points = {"points": lambda: 7}
    formulas: dict[Callable[..., Any], dict[str, Callable[[], Any]]] = {
        chauffeur.value: _PLACE | _RATIOS,
        chauffeur.region: _PLACE | _RATIOS,
        chauffeur.barrier: _RATIOS | points,
        chauffeur.equivocal_line: _RATIOS,
        simple.value: _SIMPLE,
        two_cars.value: _CARS | {"beta": lambda: 5.0},
        two_cars.tie_margin: _CARS,
        two_cars.barrier: {"psi": lambda: 1.0, **points},
        drag.miss: _DRAG,
        drag.coasting: {"time": lambda: 2.0, "k": lambda: 0.5},
        reach_avoid.value: _RACE | _RATIOS | {"target": lambda: 0.5j},
        reach_avoid.barrier: {"defender": lambda: 1.0 + 1j, **_RATIOS, **points},
        two_on_one.value: _TEAM | _RATIOS,
        two_on_one.tie_margin: _TEAM | _RATIOS,
        perimeter.value: _RIM,
        perimeter.margin: _RIM,
        perimeter.barrier: {"nu": lambda: 0.5, **points},
    }
    for function, valid in formulas.items():
        name = f"{function.__module__.removeprefix('steer_env.')}.{function.__name__}"
        yield Target(name, function, valid, hints_of(function), weight=0.5)
    yield Target(
        "balanced_starts",
        baselines.balanced_starts,
        _STARTS,
        hints_of(baselines.balanced_starts),
    )
    measured = {"side": lambda: "evader", "margin": lambda: 0.1, "name": lambda: "mine"}
    gap = {"policy": lambda: "flee", **_STARTS, **measured}
    needed = ("game", "side", "starts")
    yield Target("gap", baselines.gap, gap, hints_of(baselines.gap), weight=2.0, needed=needed)
