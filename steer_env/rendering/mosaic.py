"""Arranges several pictures in one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steer_env.drawing import Color, Pixels
from steer_env.errors import InvalidValue, check_integer, shown
from steer_env.sides import Side

MOST_PANELS = 36  # games side by side: more would be too small


def check_panels(pursuers: int, evaders: int, games: int = 1) -> None:
    """Raises a ValueError if the panels of all pairs of players do not fit into a picture."""
    check_integer("games", games, 1)
    for side, count in zip(Side, (pursuers, evaders)):
        if count == 0:
            raise InvalidValue(f"name at least one {side.name}")
    if pursuers * evaders * games > MOST_PANELS:
        raise InvalidValue(
            f"{pursuers} pursuers against {evaders} evaders, {shown(games)} games each, are "
            f"{shown(pursuers * evaders * games)} panels; at most {MOST_PANELS} fit side by "
            "side"
        )


def square_columns(count: int) -> int:
    """The number of columns for about as many rows."""
    return math.ceil(math.sqrt(count))


def columns_of_pairs(pursuers: int, evaders: int) -> int:
    """The number of columns for all pairs of players: one for each evader of several."""
    if min(pursuers, evaders) > 1:
        return evaders
    count = pursuers * evaders
    return count if count <= 4 else square_columns(count)


def tile(frames: Sequence[Pixels], columns: int, background: Color) -> Pixels:
    """Arranges pictures of one size in a new one, (rows * height, columns * width, 3)."""
    height, width, _ = frames[0].shape
    rows = -(-len(frames) // columns)
    tiled = np.empty((rows, height, columns, width, 3), np.uint8)
    tiled[-1] = background
    for number, frame in enumerate(frames):
        row, column = divmod(number, columns)
        tiled[row, :, column] = frame
    return tiled.reshape(rows * height, columns * width, 3)
