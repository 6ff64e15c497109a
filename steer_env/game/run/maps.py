"""The walls of an engine's maps, as the compiled loop finds those of one game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import Game
from steer_env.machine_code.addresses import column, records_at
from steer_env.maps.map import Map
from steer_env.steering.compilation import compiled
from steer_env.steering.ground import Ground
from steer_env.steering.walls import CELL, MAP, Walls, walls_at

FEELERS = 3.35
"""Meters within which the second record of a map lists walls: for the default feelers."""

_CELLS, _CELLS_FOR_FEELERS, _CELLS_FOR_RAYS = 16.0, 12.0, 4.0  # for each wall
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
        nothing: Any = np.zeros(0)
        return MapTable(np.zeros(1, MAP), *[nothing] * 4)
    from steer_env.maps.cells import joined, make_walls  # few games need them
    from steer_env.maps.fits import ground_of

    # The same map may be there several times, as in rounds from files.
    near = {one: make_walls(one, margin, _CELLS) for one in dict.fromkeys(maps)}
    around = {one: make_walls(one, FEELERS, _CELLS_FOR_FEELERS, finest=1.0) for one in near}
    table = joined([walls[one] for walls in (near, around) for one in maps])
    records = table["maps"]
    records["digest"] = [one.key for one in (*maps, *maps)]
    grounds = [ground_of(one, widest) for one in maps]
    sizes = [len(one.is_reached) for one in grounds]
    records["first_place"][1 : len(maps)] = np.cumsum(sizes)[:-1]
    for record, ground in zip(records, grounds):
        for name in ("corner", "step", "columns", "rows"):
            record[f"ground_{name}"] = getattr(ground, name)
    return MapTable(**table, ground=np.concatenate([one.is_reached for one in grounds]))


class RayTable(NamedTuple):
    """The cells of a game's maps for a lidar of one range. The walls are in `MapTable`."""

    maps: NDArray[np.void]
    cells: NDArray[np.void]
    cell_walls: NDArray[np.int16]


@lru_cache(maxsize=8)
def ray_table(maps: Sequence[Map], reach: float) -> RayTable:
    """The cells of maps with lists of the walls within reach of them, in meters."""
    if not maps:
        return RayTable(np.zeros(1, MAP), np.zeros(1, CELL), np.zeros(1, np.int16))
    from steer_env.maps.cells import joined, make_walls  # few games need it

    table = joined([make_walls(one, reach, _CELLS_FOR_RAYS, for_rays=True) for one in maps])
    return RayTable(table["maps"], table["cells"], table["cell_walls"])


@compiled
def walls_of(memory: np.record, k: int, for_feelers: bool) -> Walls:
    """The walls of the k-th game's map, of no use where games have none."""
    number = column(memory.map, k, 1, np.int64)[0] if memory.num_maps > 0 else 0
    number += memory.num_maps if for_feelers else 0
    return walls_at(memory.walls, memory.maps, memory.cells, memory.cell_walls, number)


@compiled
def walls_for_rays(memory: np.record, sensor: np.record, k: int) -> Walls:
    """The walls of the k-th game's map in cells of `ray_table`."""
    number = column(memory.map, k, 1, np.int64)[0]
    return walls_at(memory.walls, sensor.maps, sensor.cells, sensor.cell_walls, number)


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
