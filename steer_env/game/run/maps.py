"""The walls of an engine's maps, as the compiled loop finds those of one game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import Game
from steer_env.game.state import Numbers, Vectors
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.marking import record_dtype
from steer_env.maps.map import Map
from steer_env.steering.compilation import compiled
from steer_env.steering.walls import Walls

MAP = record_dtype(
    [
        ("walls", np.int64),  # how many
        ("first_wall", np.int64),  # among those of all maps, as the next three
        ("first_begin", np.int64),
        ("first_entry", np.int64),
        ("first_room", np.int64),
        ("corner", np.complex128),  # see `Walls`, as the rest
        ("cell", np.float64),
        ("columns", np.int64),
        ("rows", np.int64),
        ("margin", np.float64),
        ("digest", np.int64),
    ]
)
"""The place of a map's walls in `MapTable`."""

_PARTS = {"wall": "starts", "begin": "cell_begins", "entry": "cell_walls", "room": "cell_rooms"}
_LEAST_STEP = 0.05  # meters: longer ones are made in parts


class MapTable(NamedTuple):
    """The maps of a game, with the walls and cells of all of them one after the other."""

    maps: NDArray[np.void]  # `MAP` records
    wall_starts: Vectors  # see `Walls`, as the rest
    wall_ends: Vectors
    wall_units: Vectors
    wall_lengths: Numbers
    wall_polygons: NDArray[np.int16]
    cell_begins: NDArray[np.int32]
    cell_walls: NDArray[np.int16]
    cell_rooms: NDArray[np.float32]


def map_table(config: Game) -> MapTable:
    """The maps of a game, in cells that suit its vehicles."""
    fastest, widest = config.highest("max_speed"), config.highest("radius")
    return _table(config.map, widest + max(fastest * config.dt, _LEAST_STEP))


@lru_cache(maxsize=8)
def _table(maps: Sequence[Map], margin: float) -> MapTable:
    if not maps:
        return MapTable(np.zeros(1, MAP), *(np.zeros(0) for _ in MapTable._fields[1:]))
    from steer_env.maps.cells import make_walls  # few games need it

    made, table = [make_walls(one, margin) for one in maps], np.zeros(len(maps), MAP)
    for name, field in _PARTS.items():
        ends = np.cumsum([len(getattr(walls, field)) for walls in made])
        table[f"first_{name}"][1:] = ends[:-1]
    for record, walls, one in zip(table, made, maps):
        for name in ("walls", "corner", "cell", "columns", "rows", "margin"):
            record[name] = getattr(walls, name)
        record["digest"] = one.key
    joined = [np.concatenate([walls[place] for walls in made]) for place in range(1, 9)]
    return MapTable(table, *joined)


@compiled
def walls_of(memory: np.record, k: int) -> Walls:
    """The walls of the k-th game's map, of no use where games have none."""
    number = column(memory.map, k, 1, np.int64)[0] if memory.num_maps > 0 else 0
    one = records_at(memory.maps, number + 1, MAP)[number]
    count, cells = one.walls, one.columns * one.rows
    begins = column(memory.cell_begins, one.first_begin, cells + 1, np.int32)
    return Walls(
        count,
        column(memory.wall_starts, one.first_wall, count, np.complex128),
        column(memory.wall_ends, one.first_wall, count, np.complex128),
        column(memory.wall_units, one.first_wall, count, np.complex128),
        column(memory.wall_lengths, one.first_wall, count, np.float64),
        column(memory.wall_polygons, one.first_wall, count, np.int16),
        begins,
        column(memory.cell_walls, one.first_entry, begins[cells], np.int16),
        column(memory.cell_rooms, one.first_room, cells, np.float32),
        one.corner,
        one.cell,
        one.columns,
        one.rows,
        one.margin,
    )
