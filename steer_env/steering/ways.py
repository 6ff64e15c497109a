"""The shortest ways of a round body among walls: straight lines from turn to turn.

A shortest way turns only where it touches a convex corner, or the end of a wall. A body passes
such a corner by one place for each quarter turn, so that all of its way keeps clear of it. So
a way is exact among all lines of such turns (visibility graph: Lozano-Pérez and Wesley 1979),
and longer than the one by arcs, by less than 0.43 radii at each corner of a right angle.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from steer_env.machine_code.addresses import column, record_at
from steer_env.machine_code.marking import compiled_loop, record_dtype
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm, scale, unit
from steer_env.steering.walls import (
    ROUNDING,
    Walls,
    cell_at,
    contains,
    first_wall,
    from_wall,
    has_way,
    listed_distance,
    meeting,
    nearness,
    walls_at,
)

SLACK = 1e-6
"""Ways may come nearer to walls than the radius by this much, in meters: bodies that slide
along them do. Between turns it is half as much, so that what a turn sees is seen beside it."""

_PASSED = 1e-7  # meters from a turn, of a body that has reached it
_PUSHES = 3  # out of walls
_LAYERS = 2  # walls one behind the other that may hide a cell
_GUESSED, _BOUNDED, _FREE = 0.0, 1.0, 2.0  # what a query knows of a turn, see `_way_by_turns`


class Ways(NamedTuple):
    """The places at which ways of a body turn, and the lengths of ways between them."""

    turns: Any  # x + iy of each turn, in meters
    lengths: Any  # (turns * turns,): of the shortest ways between them, inf if there is none
    cell_begins: Any  # where each cell's turns begin, and where the last ends
    cell_turns: Any  # the numbers of the turns that are, perhaps, seen from a cell
    homes: Any  # the free place nearest to each cell, among turns and the middles of cells
    scratch: Any  # numbers of one query, 4 for each turn
    mine: Any  # a number for each turn, for `fill_lengths`, as the next two
    theirs: Any
    spare: Any
    number: int  # of turns
    radius: float  # of the body, in meters
    corner: complex  # the lower left one of the first cell: they are larger than those of walls
    cell: float  # the side of a cell, in meters
    columns: int
    rows: int


@compiled
def stopped_at_walls(walls: Walls, radius: float, place: complex, line: complex) -> complex:
    """The end of a line from a place, or where a body that goes along it meets a wall.

    Example:
        >>> from steer_env.maps.cells import make_walls
        >>> from steer_env.maps.map import Map
        >>> walls = make_walls(Map([(-5, -5), (5, -5), (5, 5), (-5, 5)]), margin=0.5)
        >>> stopped_at_walls(walls, 0.5, 0j, 3 + 0j), stopped_at_walls(walls, 0.5, 0j, 9 + 0j)
        ((3+0j), (4.5+0j))
    """
    if walls.cells[cell_at(walls, place)].room > norm(line):
        return place + line
    share, wall = first_wall(walls, place, line, meeting, 0.0)
    if wall < 0:
        return place + line
    return place + scale(unit(line), max(share * norm(line) - radius, 0.0))


@compiled
def _cell_of(ways: Ways, place: complex) -> int:
    offset = place - ways.corner
    column_of = min(max(int(offset.real / ways.cell), 0), ways.columns - 1)
    row = min(max(int(offset.imag / ways.cell), 0), ways.rows - 1)
    return row * ways.columns + column_of


@compiled_loop
def _is_clear(walls: Walls, radius: float, place: complex, line: complex) -> bool:
    return has_way(walls, radius, place, line)


@compiled
def _off_walls(walls: Walls, radius: float, place: complex) -> complex:
    """The place that a body at a place has beside walls that are nearer than its radius."""
    cell = cell_at(walls, place)
    if walls.cells[cell].room >= radius:
        return place
    for _ in range(_PUSHES):
        for entry in range(walls.cells[cell].begin, walls.cells[cell + 1].begin):
            wall = walls.walls[walls.cell_walls[entry]]
            outward = from_wall(wall.start, wall.along, wall.length, place)
            distance = norm(outward)
            if 0.0 < distance < radius:
                place += scale(outward, radius / distance - 1.0)
    return place


@compiled
def _bound(ways: Ways, one: int, first: int, count: int) -> tuple[float, int]:
    """The length of the way from a turn to an end by the best of its turns, and which it is."""
    best, chosen, row = math.inf, -1, int(one) * ways.number
    for place in range(count):
        length = ways.lengths[row + ways.cell_turns[first + place]]
        length += ways.scratch[ways.number + place]
        if length < best:
            best, chosen = length, place
    return best, chosen


@compiled_loop
def _way_by_turns(walls: Walls, ways: Ways, start: complex, end: complex) -> tuple[float, int]:
    """The length of the shortest way with turns, and the number of its first: inf, -1 for none.

    Turns are tried by their lower bounds, the lengths without a look at what is between, so
    that few lines are looked at.
    """
    reach, most, scratch = ways.radius - SLACK, ways.number, ways.scratch
    here, there = _cell_of(ways, start), _cell_of(ways, end)
    first, last = ways.cell_begins[here], ways.cell_begins[there]
    count, end_count = ways.cell_begins[here + 1] - first, ways.cell_begins[there + 1] - last
    # Columns: the bounds of the start's turns, from the end's turns to the end, and for both
    # what is known of them: 0, whether their line is free, and at the start ways from them.
    for place in range(end_count):
        turn = ways.turns[ways.cell_turns[last + place]]
        scratch[most + place], scratch[3 * most + place] = norm(end - turn), _GUESSED
    for place in range(count):
        turn = ways.turns[ways.cell_turns[first + place]]
        distance = norm(turn - start)
        scratch[place] = distance + norm(end - turn) if distance > _PASSED else math.inf
        scratch[2 * most + place] = _GUESSED
    known, bound, other = -1, math.inf, -1  # the last turn with its bound: it often comes next
    while True:
        best, chosen = math.inf, -1
        for place in range(count):
            if scratch[place] < best:
                best, chosen = scratch[place], place
        if chosen < 0:
            return math.inf, -1
        number = ways.cell_turns[first + chosen]
        turn = ways.turns[number]
        if scratch[2 * most + chosen] == _BOUNDED:
            scratch[2 * most + chosen] = _FREE
            if not _is_clear(walls, reach, turn, start - turn):
                scratch[chosen] = math.inf
                continue
        if chosen != known:
            known, (bound, other) = chosen, _bound(ways, number, last, end_count)
        scratch[chosen] = norm(turn - start) + bound
        if scratch[2 * most + chosen] == _GUESSED:
            scratch[2 * most + chosen] = _BOUNDED
            continue
        if other < 0 or scratch[chosen] > best:
            continue
        goal = ways.turns[ways.cell_turns[last + other]]
        if scratch[3 * most + other] == _GUESSED:
            scratch[3 * most + other] = _FREE
            if not _is_clear(walls, reach, goal, end - goal):
                scratch[most + other], known = math.inf, -1
                continue
        return float(best), int(number)


@compiled
def _is_free(walls: Walls, radius: float, place: complex) -> bool:
    """Returns whether a body has room at a place of the map."""
    return listed_distance(walls, place) >= radius and contains(walls, place)


@compiled
def _in_grid(walls: Walls, place: complex) -> complex:
    """The nearest place that is in the cells of walls."""
    offset = place - walls.corner
    width, height = walls.columns * walls.cell, walls.rows * walls.cell
    x, y = min(max(offset.real, 0.0), width), min(max(offset.imag, 0.0), height)
    return place if offset == complex(x, y) else walls.corner + complex(x, y)


@compiled_loop
def first_turn(
    walls: Walls, ways: Ways, start: complex, end: complex
) -> tuple[float, int, complex]:
    """`shortest_way` by the number of its first turn, -1 if it has none, and with its end."""
    reach = ways.radius - SLACK
    start, end = _in_grid(walls, start), _in_grid(walls, end)
    if _is_clear(walls, reach, start, end - start):
        return norm(end - start), -1, end
    given = start, end
    start = _off_walls(walls, ways.radius, start)
    end = _off_walls(walls, ways.radius, end)
    length, turn = _way_by_turns(walls, ways, start, end)
    if length == math.inf:
        if not _is_free(walls, reach, start):
            start = complex(ways.homes[_cell_of(ways, start)])
        if not _is_free(walls, reach, end):
            end = complex(ways.homes[_cell_of(ways, end)])
        length, turn = _way_by_turns(walls, ways, start, end)
    if (start, end) != given and _is_clear(walls, reach, start, end - start):
        return norm(end - start), -1, end
    return length, turn, end


@compiled
def shortest_way(
    walls: Walls, ways: Ways, start: complex, end: complex
) -> tuple[float, complex, bool]:
    """The shortest way of a body: its length, the place to steer for, and if it is straight.

    The place is the first turn of the way, or its end if the line there is free. Both ends may
    be anywhere: one that is nearer to a wall than the radius counts as the place beside it, and
    one in a solid, outside, or in a gap that is too narrow as a near place with room, one of
    the ways' turns or middles of cells. The length is inf if there is no way.

    Example:
        >>> from steer_env.maps import Map, make_walls, make_ways
        >>> yard = Map([(-5, -5), (5, -5), (5, 5), (-5, 5)], walls=[[(0, -5), (0, 3)]])
        >>> walls = make_walls(yard, margin=0.5)
        >>> ways = make_ways(yard, walls, radius=0.5)
        >>> shortest_way(walls, ways, -3 + 4j, 3 + 4j)
        (6.0, (3+4j), True)
        >>> length, aim, is_straight = shortest_way(walls, ways, -3 + 0j, 3 + 0j)
        >>> round(length, 3), round(aim.real, 3), round(aim.imag, 3), is_straight
        (9.602, -0.5, 3.5, False)
    """
    length, turn, place = first_turn(walls, ways, start, end)
    if turn >= 0:
        return length, complex(ways.turns[turn]), False
    return length, place, length < math.inf


@compiled_loop
def fill_lengths(ways: Ways, place: complex, lengths: Any) -> None:
    """Writes lower bounds of the lengths of ways from a place to all turns.

    They are exact where the body can go straight to all turns that its cell may see.
    """
    cell = _cell_of(ways, place)
    for turn in range(ways.number):
        lengths[turn] = math.inf
    for entry in range(ways.cell_begins[cell], ways.cell_begins[cell + 1]):
        first = int(ways.cell_turns[entry])
        own, row = norm(ways.turns[first] - place), first * ways.number
        for turn in range(ways.number):
            length, known = own + ways.lengths[row + turn], lengths[turn]
            lengths[turn] = length if length < known else known


TABLES = record_dtype(
    [
        *[(name, np.intp) for name in ("walls", "maps", "cells", "cell_walls")],
        *[(name, np.intp) for name in ("turns", "lengths", "sees", "known", "homes")],
        *[(name, np.int64) for name in ("count", "known_count", "columns", "rows")],
        *[("cell", np.float64), ("radius", np.float64)],
    ]
)
"""The arguments of `fill_ways`: addresses of arrays, those of `walls_at` first, and sizes."""


@compiled
def _hides(walls: Walls, radius: float, turn: complex, middle: complex, half: float) -> bool:
    """Returns whether a wall is in the way of a body from a turn to all of a square.

    One wall is: its shadow is convex, so it is enough to look at the square's corners.
    """
    line = middle - turn
    _, wall = first_wall(walls, turn, line, nearness, radius)
    here = 0.0
    for _ in range(_LAYERS):
        if wall < 0:
            return False
        one, is_hidden = walls.walls[wall], True
        for x, y in ((half, half), (-half, half), (half, -half), (-half, -half)):
            corner = line + complex(x, y)
            is_near = nearness(one.start, one.along, one.length, turn, corner, radius) == 0.0
            is_hidden = is_hidden and is_near
        if is_hidden:
            return True
        place, left = turn + scale(line, here), 1.0 - here
        share, wall = first_wall(walls, place, scale(line, left), meeting, 0.0)
        here += left * share + ROUNDING
    return False


@compiled_loop
def _join_turns(walls: Walls, turns: Any, lengths: Any, count: int, radius: float) -> None:
    """Writes the lengths of the shortest ways between turns (Floyd 1962)."""
    for one in range(count):
        for other in range(one):
            line = turns[other] - turns[one]
            is_free = _is_clear(walls, radius - 0.5 * SLACK, turns[one], line)
            length = norm(line) if is_free else math.inf
            lengths[one * count + other] = lengths[other * count + one] = length
        lengths[one * count + one] = 0.0
    for between in range(count):
        for one in range(count):
            there = lengths[one * count + between]
            if there == math.inf:
                continue
            for other in range(count):
                length = there + lengths[between * count + other]
                known = lengths[one * count + other]
                lengths[one * count + other] = length if length < known else known


@routine
def fill_ways(tables_at: int) -> None:
    """Writes the lengths of ways, the turns that cells may see, and their homes."""
    given = record_at(tables_at, TABLES)
    cells, count = given.columns * given.rows, given.count
    walls = walls_at(given.walls, given.maps, given.cells, given.cell_walls, 0)
    turns = column(given.turns, 0, count, np.complex128)
    lengths = column(given.lengths, 0, count * count, np.float64)
    sees = column(given.sees, 0, cells * count, np.uint8)
    known = column(given.known, 0, given.known_count, np.complex128)
    homes = column(given.homes, 0, cells, np.complex128)
    _join_turns(walls, turns, lengths, count, given.radius)
    for cell in range(cells):
        place = complex(cell % given.columns + 0.5, cell // given.columns + 0.5)
        middle = walls.corner + scale(place, given.cell)
        for turn in range(count):
            is_hidden = _hides(
                walls, given.radius - SLACK, turns[turn], middle, 0.5 * given.cell
            )
            sees[cell * count + turn] = 0 if is_hidden else 1
        nearest = math.inf
        for number in range(given.known_count):
            distance = norm(known[number] - middle)
            if distance < nearest:
                nearest, homes[cell] = distance, known[number]
