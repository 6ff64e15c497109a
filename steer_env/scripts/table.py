"""Scripts as numbers: the table that the compiled loop reads."""

from __future__ import annotations

import dataclasses
import math
from collections import namedtuple
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.machine_code.marking import record_dtype
from steer_env.scripts.behaviors import BEHAVIORS, NAMES, OPTIMAL_BEHAVIORS, PREDICTING, TARGETS
from steer_env.scripts.script import OWN_KINDS, Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.blending import DITHERED, METHODS, SUM, WEIGHTED
from steer_env.steering.own_functions import own_address
from steer_env.steering.trigonometry import direction

EXTERNAL, CUSTOM = -1, -2
"""Numbers in the table for players steered from outside, and for user-defined functions."""

_NEIGHBOR_PARTS = ("collisions", "separation", "alignment", "cohesion")

PARTS = ("behavior", "wander", "walls", "containment", "obstacles", *_NEIGHBOR_PARTS)
"""The parts of scripts in the order of their numbers, in which they are added up."""


def numbered(names: Sequence[str]) -> Any:
    """The number of each name, as an attribute that compiled code reads, too."""
    return namedtuple("Numbers", names)(*range(len(names)))


BEHAVIOR, LOOKAHEAD, PREDICTOR = map(numbered, NAMES.values())
PART, TARGET = numbered(PARTS), numbered(TARGETS)

_VECTORIZED_BEHAVIORS = ("idle", "seek", "pursuit", "flee", "evade", "wander")


_SAME_IN_BOTH = {
    one.name: np.complex128 if one.name == "offset" else np.float64
    for one in dataclasses.fields(Script)
    if one.type in ("float", "complex")
}
"""The numbers of a `Script`, by their kinds."""


def _integers(*names: str) -> list[tuple[Any, ...]]:
    return [(name, np.int64) for name in names]


SCRIPT = record_dtype(
    [
        *_integers("behavior"),
        *_integers("routine"),  # address of what works out its forces; the engine writes it
        *_integers("solution"),  # of an optimal script: address of its numbers
        *_integers("lookahead", "predictor", "target"),
        # Of the routines of user-defined functions:
        *_integers("behavior_address", "lookahead_address", "predictor_address"),
        *_SAME_IN_BOTH.items(),
        ("facing_test", np.bool_),
        ("wanders", np.bool_),
        ("wander_step", np.float64),  # spread of the wander angle after a step, in radians
        ("cos_field_of_view", np.float64),
        ("sees_all", np.bool_),  # see `Script.sees`
        ("knows_limits", np.bool_),
        ("sees_obstacles", np.bool_),  # where there are any
        ("sees_neighbors", np.bool_),
        ("draws", np.bool_),  # whether its method needs random numbers
        ("is_vectorized", np.bool_),  # see `game.run.vectorized_scripts`
        ("is_vectorized_among_obstacles", np.bool_),
        ("follows_paths", np.bool_),  # on maps, see `steer_env.scripts.path_force`
        ("looks_at_team", np.bool_),  # see `steer_env.scripts.team_force`
        *_integers("method", "num_parts"),
        ("parts", np.int64, (len(PARTS),)),  # in order
        ("weights", np.float64, (len(PARTS),)),
        ("chances", np.float64, (len(PARTS),)),
        ("drawn_below", np.float64),  # see `Mixtures.set_weights`
    ]
)


def script_table(scripts: Sequence[Script | None], dt: float) -> NDArray[np.void]:
    """A `SCRIPT` row for each script, or for None a player that is steered from outside.

    It has addresses of this process. A function that cannot be compiled is an InvalidType.
    """
    table = np.zeros(len(scripts), SCRIPT)
    table["behavior"] = EXTERNAL
    for number, script in enumerate(scripts):
        if script is not None:
            table[number] = script_row(script, dt)
            for field, kind in OWN_KINDS.items():
                if callable(function := getattr(script, field)):
                    table[number][f"{field}_address"] = own_address(kind, function)
    return table


@lru_cache(maxsize=1024)
def script_row(script: Script, dt: float) -> np.record:
    """The `SCRIPT` row of a script, without the addresses of user-defined functions."""
    row = np.zeros(1, SCRIPT)[0]
    for field, names in NAMES.items():
        name = getattr(script, field)
        row[field] = names.index(name) if isinstance(name, str) else CUSTOM
    row["target"] = TARGETS.index(script.target)
    row["facing_test"] = script.tests_facing
    row["wander_step"] = script.wander_rate * math.sqrt(dt)
    row["cos_field_of_view"] = direction(script.field_of_view).real - 1e-12
    for name in _SAME_IN_BOTH:
        row[name] = getattr(script, name)
    row["sees_all"] = script.sees == "all"
    row["knows_limits"] = script.limits == "known"
    parts = script.parts
    row["wanders"] = script.behavior == "wander" or "wander" in parts
    predicts_scenery = script.predictor == "contained" and script.behavior in PREDICTING
    needs_obstacles = script.behavior in ("hide", "escape") or "obstacles" in parts
    row["sees_obstacles"] = needs_obstacles or predicts_scenery
    row["sees_neighbors"] = not parts.keys().isdisjoint(_NEIGHBOR_PARTS)
    row["method"] = method = METHODS.index(script.combination)
    row["draws"] = method >= DITHERED
    row["follows_paths"] = script.follows_paths
    row["looks_at_team"] = script.looks_at_team
    row["is_vectorized"] = is_vectorized = (
        method <= WEIGHTED
        and script.behavior in _VECTORIZED_BEHAVIORS
        and not (callable(script.lookahead) or callable(script.predictor))
        and not needs_obstacles
        and not row["sees_neighbors"]
        and row["sees_all"]
        and not script.looks_at_team
    )
    row["is_vectorized_among_obstacles"] = is_vectorized and not predicts_scenery
    order = list(parts) if method > WEIGHTED else sorted(parts, key=PARTS.index)
    row["num_parts"] = len(order)
    row["parts"][: len(order)] = [PARTS.index(part) for part in order]
    row["weights"][: len(order)] = [1.0 if method == SUM else parts[part] for part in order]
    row["chances"][: len(order)] = [script.chances.get(part, 1.0) for part in order]
    return row


class Mixtures:
    """The scripts of both sides, the pursuers' first, in a ``table`` with the chance of each.

    None stands for players that are steered from outside.
    """

    def __init__(
        self, pursuers: Sequence[Script | None], evaders: Sequence[Script | None], dt: float
    ) -> None:
        self._sides, self._dt = (tuple(pursuers), tuple(evaders)), dt
        self.scripts, self.counts = (*pursuers, *evaders), (len(pursuers), len(evaders))
        self._weights = [np.full(count, 1.0 / count) for count in self.counts]
        self._make_table()

    def scripts_of(self, side: int) -> tuple[Script | None, ...]:
        """The scripts of a side, PURSUER or EVADER."""
        return self._sides[side]

    def replaced(self, side: int, scripts: Sequence[Script | None]) -> Mixtures:
        """Returns mixtures with other scripts for one side, equally weighted."""
        both, other = [*self._sides], EVADER if side == PURSUER else PURSUER
        both[side] = tuple(scripts)
        mixtures = Mixtures(both[PURSUER], both[EVADER], self._dt)
        mixtures.set_weights(other, self._weights[other])
        return mixtures

    def weights(self, side: int) -> NDArray[np.float64]:
        """A copy of the probabilities with which an episode draws each script of a side."""
        return self._weights[side].copy()

    def set_weights(self, side: int, weights: NDArray[np.float64]) -> None:
        """Sets the probabilities with which later episodes draw each script.

        They sum to 1. A uniform number from [0, K) draws the first of the K scripts whose
        ``drawn_below`` is above it.
        """
        self._weights[side] = weights.copy()
        # Equal weights become ones, whose sums are exact: the number's integer part is drawn.
        sums = np.cumsum(weights / weights.max())
        below = sums * (len(weights) / sums[-1])
        below[sums == sums[-1]] = np.inf  # whatever rounding does, a weight of 0 is never drawn
        first = 0 if side == PURSUER else self.counts[PURSUER]
        self.table["drawn_below"][first : first + len(weights)] = below

    def _make_table(self) -> None:
        self.table = script_table(self.scripts, self._dt)
        for side in (PURSUER, EVADER):
            self.set_weights(side, self._weights[side])

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the table, as its addresses are per process."""
        return {name: value for name, value in self.__dict__.items() if name != "table"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._make_table()


EXPLANATION = record_dtype(
    [
        ("has_opponent", np.bool_),  # within the threat range
        ("has_aim", np.bool_),
        ("opponent", np.complex128),  # where it is, as the script sees it, in meters
        ("aim", np.complex128),  # the point that it steers for or away from
        ("wander_center", np.complex128),
        ("wander_radius", np.float64),
        ("wander_target", np.complex128),
        ("feelers", np.complex128, (3,)),  # their tips: ahead, left, right
        ("corridor", np.float64, (2,)),  # how far ahead, and half its width
    ]
)
"""The decision of one player that `Annotations` draw."""

OPTIMAL = tuple(BEHAVIORS.index(name) for name in OPTIMAL_BEHAVIORS)
"""The numbers of the behaviors that play solved games perfectly."""
