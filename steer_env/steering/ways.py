"""The shortest ways of a round body among walls: straight lines from corner to corner.

A shortest way turns only where it touches a convex corner. Where a body of a radius goes
around one, it passes one place for each quarter turn, so that all of its way keeps clear.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm
from steer_env.steering.walls import Walls, has_way


class Ways(NamedTuple):
    """Where the ways of a body turn, and how far it is from one such place to another."""

    turns: Any  # x + iy, in meters
    lengths: Any  # (turns * turns,): of the shortest ways between them, inf if there is none
    cell_begins: Any  # where each cell's turns begin in the list of those that it may see
    cell_turns: Any  # their numbers
    radius: float


@compiled
def join(walls: Walls, turns: Any, lengths: Any, radius: float) -> None:
    """Writes the lengths of the shortest ways between turning places (Dijkstra 1959)."""
    count = len(turns)
    for one in range(count):
        for other in range(one):
            line = turns[other] - turns[one]
            length = norm(line) if has_way(walls, radius, turns[one], line) else math.inf
            lengths[one * count + other] = lengths[other * count + one] = length
