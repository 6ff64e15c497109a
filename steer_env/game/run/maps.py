"""The walls of an engine's maps, as the compiled loop finds those of one game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import Game
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.marking import record_dtype
from steer_env.maps.map import Map
from steer_env.steering.compilation import compiled
from steer_env.steering.ground import Ground
from steer_env.steering.walls import CELL, WALL, Walls

MAP = record_dtype(
    [
        ("number", np.int64),  # of walls
        ("first_wall", np.int64),  # among those of all maps, as the next two
        ("first_cell", np.int64),
        ("first_entry", np.int64),
        ("corner", np.complex128),  # see `Walls`, as the rest
        ("cell", np.float64),
        ("per_meter", np.float64),
        ("columns", np.int64),
        ("rows", np.int64),
        ("margin", np.float64),
        ("digest", np.int64),
        ("first_place", np.int64),  # among the ground of all maps
        ("ground_corner", np.complex128),  # see `Ground`, as the rest
        ("ground_step", np.float64),
        ("ground_columns", np.int64),
        ("ground_rows", np.int64),
    ]
)
"""The place of a map's walls in `MapTable`."""

WALL_SIZE, CELL_SIZE = WALL.itemsize, CELL.itemsize
_PARTS = {"wall": "walls", "cell": "cells", "entry": "cell_walls"}
FEELERS = 3.5
"""Meters within which the second record of a map lists walls for feelers."""

_CELLS_FOR_FEELERS = 2.0  # for each wall
_LEAST_STEP = 0.05  # meters: longer ones are made in parts


class MapTable(NamedTuple):
    """The maps of a game, with the walls and cells of all of them one after the other."""

    maps: NDArray[np.void]  # `MAP` records of all maps, then those for feelers
    walls: NDArray[np.void]  # see `Walls`, as the next two
    cells: NDArray[np.void]
    cell_walls: NDArray[np.int16]
    ground: NDArray[np.uint8]  # see `Ground`


def map_table(config: Game) -> MapTable:
    """The maps of a game, in cells that suit its vehicles."""
    fastest, widest = config.highest("max_speed"), config.highest("radius")
    return _table(config.map, widest + max(fastest * config.dt, _LEAST_STEP), widest)


@lru_cache(maxsize=8)
def _table(maps: Sequence[Map], margin: float, widest: float) -> MapTable:
    if not maps:
        return MapTable(np.zeros(1, MAP), *(np.zeros(0) for _ in MapTable._fields[1:]))
    from steer_env.maps.cells import make_walls  # few games need them
    from steer_env.maps.fits import ground_of

    made = [make_walls(one, margin) for one in maps]
    made += [make_walls(one, FEELERS, _CELLS_FOR_FEELERS) for one in maps]
    table = np.zeros(len(made), MAP)
    for name, field in _PARTS.items():
        ends = np.cumsum([len(getattr(walls, field)) for walls in made])
        table[f"first_{name}"][1:] = ends[:-1]
    for record, walls, one in zip(table, made, [*maps, *maps]):
        for name in ("number", "corner", "cell", "per_meter", "columns", "rows", "margin"):
            record[name] = getattr(walls, name)
        record["digest"] = one.key
    grounds = [ground_of(one, widest) for one in maps]
    sizes = [len(one.is_reached) for one in grounds]
    table["first_place"][1 : len(maps)] = np.cumsum(sizes)[:-1]
    for record, ground in zip(table, grounds):
        for name in ("corner", "step", "columns", "rows"):
            record[f"ground_{name}"] = getattr(ground, name)
    reached = np.concatenate([one.is_reached for one in grounds])
    joined = [np.concatenate([walls[place] for walls in made]) for place in range(1, 4)]
    return MapTable(table, *joined, reached)


@compiled
def walls_of(memory: np.record, k: int, for_feelers: bool) -> Walls:
    """The walls of the k-th game's map, of no use where games have none."""
    number = column(memory.map, k, 1, np.int64)[0] if memory.num_maps > 0 else 0
    number += memory.num_maps if for_feelers else 0
    one = records_at(memory.maps, number + 1, MAP)[number]
    cells = records_at(
        memory.cells + one.first_cell * CELL_SIZE, one.columns * one.rows + 1, CELL
    )
    entries = cells[one.columns * one.rows].begin
    return Walls(
        one.number,
        records_at(memory.walls + one.first_wall * WALL_SIZE, one.number, WALL),
        cells,
        column(memory.cell_walls, one.first_entry, entries, np.int16),
        one.corner,
        one.cell,
        one.per_meter,
        one.columns,
        one.rows,
        one.margin,
    )


@compiled
def ground_of_game(memory: np.record, k: int) -> Ground:
    """The ground of the k-th game's map."""
    number = column(memory.map, k, 1, np.int64)[0]
    one = records_at(memory.maps, number + 1, MAP)[number]
    columns, rows = one.ground_columns, one.ground_rows
    return Ground(
        column(memory.ground, one.first_place, columns * rows, np.uint8),
        one.ground_corner,
        one.ground_step,
        columns,
        rows,
    )
