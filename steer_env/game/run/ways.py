"""The ways on an engine's maps, as the compiled loop finds those of one game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.state import Numbers, Vectors
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.marking import record_dtype
from steer_env.maps.map import Map
from steer_env.steering.compilation import compiled
from steer_env.steering.ways import Ways

WAY = record_dtype(
    [
        *[(f"first_{name}", np.int64) for name in ("turn", "length", "begin", "entry", "home")],
        ("number", np.int64),  # see `Ways`, as the rest
        ("radius", np.float64),
        ("corner", np.complex128),
        ("cell", np.float64),
        ("columns", np.int64),
        ("rows", np.int64),
    ]
)
"""The place of a map's ways in `WayTable`."""

NUMBERS_OF_TURN = 7
"""Numbers of ``way_numbers`` that a query needs for each turn on a map."""

_PARTS = {
    **{"turn": "turns", "length": "lengths", "begin": "cell_begins", "entry": "cell_turns"},
    "home": "homes",
}


class WayTable(NamedTuple):
    """The ways on the maps of a game, those of all maps one after the other."""

    ways: NDArray[np.void]  # `WAY` records of all maps for pursuers, then for evaders
    way_turns: Vectors  # see `Ways`, as the rest
    way_lengths: Numbers
    way_begins: NDArray[np.int32]
    way_entries: NDArray[np.int16]
    way_homes: Vectors

    @property
    def most(self) -> int:
        """The largest number of turns on a map."""
        return int(self.ways["number"].max())


_NONE: Any = np.zeros(0)
NO_WAYS = WayTable(np.zeros(1, WAY), _NONE, _NONE, _NONE, _NONE, _NONE)


@lru_cache(maxsize=4)
def way_table(maps: Sequence[Map], radii: tuple[float, float]) -> WayTable:
    """The ways on maps for bodies of the widest radius of each side."""
    from steer_env.maps.cells import in_tables  # few games need them
    from steer_env.maps.turning import ways_on

    made = [ways_on(one, radius) for radius in dict.fromkeys(radii) for one in maps]
    records, tables = in_tables(made, WAY, _PARTS)
    both = np.concatenate([records[: len(maps)], records[-len(maps) :]])
    return WayTable(both, *tables.values())


@compiled
def way_record(memory: np.record, k: int, side: int) -> np.record:
    """The `WAY` record of a side's bodies on the map of the k-th game."""
    number = column(memory.map, k, 1, np.int64)[0] + side * memory.num_maps
    return records_at(memory.ways, number + 1, WAY)[number]


@compiled
def turn_of(memory: np.record, one: np.record, turn: int) -> complex:
    """The place of a turn, by its number."""
    return complex(column(memory.way_turns, one.first_turn + turn, 1, np.complex128)[0])


@compiled
def ways_of(memory: np.record, scratch: Any, k: int, side: int) -> Ways:
    """The ways of a side's bodies on the map of the k-th game."""
    one = way_record(memory, k, side)
    count, cells = one.number, one.columns * one.rows
    begins = column(memory.way_begins, one.first_begin, cells + 1, np.int32)
    return Ways(
        column(memory.way_turns, one.first_turn, count, np.complex128),
        column(memory.way_lengths, one.first_length, count * count, np.float64),
        begins,
        column(memory.way_entries, one.first_entry, begins[cells], np.int16),
        column(memory.way_homes, one.first_home, cells, np.complex128),
        column(scratch.way_numbers, 0, 4 * count, np.float64),
        column(scratch.way_numbers, 4 * count, count, np.float64),
        column(scratch.way_numbers, 5 * count, count, np.float64),
        column(scratch.way_numbers, 6 * count, count, np.float64),
        count,
        one.radius,
        one.corner,
        one.cell,
        one.columns,
        one.rows,
    )
