"""The ground of a map: where a body has room, and a way to all other such places."""

from __future__ import annotations

from typing import Any, NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import scale
from steer_env.steering.walls import Walls, has_way


class Ground(NamedTuple):
    """The places of a lattice that a body of one radius can reach, from any of them."""

    is_reached: Any  # of each place, row by row from below: 1 or 0
    corner: complex  # the first place
    step: float  # from one to the next, in meters
    columns: int
    rows: int


@compiled
def place_of(ground: Ground, column: int, row: int) -> complex:
    """The place of the lattice in a column and a row."""
    return ground.corner + scale(complex(column, row), ground.step)


@compiled
def is_on_ground(ground: Ground, walls: Walls, radius: float, place: complex) -> bool:
    """Returns whether a body can go straight to a place from one on the ground around it.

    So it has room there, and a way to everywhere.
    """
    offset = scale(place - ground.corner, 1.0 / ground.step)
    column, row = int(offset.real), int(offset.imag)
    for above in range(row, row + 2):
        for right in range(column, column + 2):
            if not (0 <= right < ground.columns and 0 <= above < ground.rows):
                continue
            start = place_of(ground, right, above)
            is_reached = ground.is_reached[above * ground.columns + right] != 0
            if is_reached and has_way(walls, radius, start, place - start):
                return True
    return False
