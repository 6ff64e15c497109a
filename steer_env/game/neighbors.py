"""Which vehicles are near a place: a uniform grid, also called a cell list.

To compare every vehicle of a herd with every other takes a time that grows with the square of
their number. So the vehicles of a side are sorted into the cells of a grid, and who looks for
neighbors looks into the cells within reach alone (Reynolds 2000, "Interaction with groups of
autonomous characters"; Green 2008, "CUDA particles", sorts by cell as is done here). A grid is
made anew in every step: that takes a counting sort, whose time grows with the number of
vehicles.

A grid changes no trajectory by a single bit. It leaves out only those that are out of reach
whatever rounding does, and hands over the others in the order of their numbers: sums of floats
depend on the order. Comparing is faster for few vehicles; `FEWEST` and `FEWEST_TO_SEARCH` say
which.

All that is here is called through routines, so that the loop stays short for few vehicles.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import TORUS, nearest_offset
from steer_env.game.judgment import approach_of
from steer_env.game.memory import (
    BLOCK,
    MEMORY,
    SCRATCH,
    body_at,
    flags,
    games_of,
    integers,
    numbers,
    player_at,
    players_of,
    rules_of,
    script_at,
    step_of,
    team_of,
)
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.sight import seen_from
from steer_env.game.state import RUNNING
from steer_env.game.uniform_grid import (
    CELLS_BESIDE,
    GRID,
    cell_of,
    distance_to_box,
    lay_out,
    span,
)
from steer_env.machine_code.addresses import column, record_at, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import reach_of
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import VEHICLE, copy_vehicle

FEWEST = 48
"""The smallest side that has a grid, where bodies are solid or scripts look at teammates."""

FEWEST_TO_SEARCH = 128
"""The smallest side in whose grid the nearest opponent is looked for: for fewer of them, all
opponents are compared in the columns of many games at once."""

_MANY = 8  # where one in so many of a side is near, it is a crowd


@compiled
def grid_of(scratch: np.record, side: int, k: int) -> np.record:
    """The grid of a side in the k-th game."""
    return records_at(scratch.grids, 2 * BLOCK, GRID)[2 * (k % BLOCK) + side]


@compiled
def _first_entries(memory: np.record, side: int, k: int) -> tuple[int, int]:
    """Where the cells and the members of a grid begin in those of all the grids."""
    first, _ = team_of(memory, side)
    before = k % BLOCK
    cells = before * (2 * memory.players + 2 * CELLS_BESIDE) + 2 * first + side * CELLS_BESIDE
    return cells, before * memory.players + first


@compiled_loop
def _fill_grid(memory: np.record, scratch: np.record, side: int, k: int) -> None:
    """Sorts the active vehicles of a side into cells, by counting; in each, by number."""
    rules, grid = rules_of(memory), grid_of(scratch, side, k)
    first, team = team_of(memory, side)
    left = low = math.inf
    right = high = -math.inf
    count, fastest, widest = 0, 0.0, 0.0
    for number in range(first, first + team):
        player = player_at(memory, number, k)
        if player.active[0] != 0:
            place = player.position[0]
            left, right = min(left, place.real), max(right, place.real)
            low, high = min(low, place.imag), max(high, place.imag)
            fastest = max(fastest, norm(player.velocity[0]))
            widest = max(widest, player.radius[0])
            count += 1
    grid.count, grid.fastest, grid.widest = count, fastest, widest
    if count == 0:
        return
    is_torus, half_size = rules.arena == TORUS, rules.half_size
    if is_torus:
        left, low, right, high = -half_size, -half_size, half_size, half_size
    lay_out(grid, complex(left, low), complex(right, high), count, is_torus)
    first_cell, first_entry = _first_entries(memory, side, k)
    cells = grid.columns * grid.rows
    begins = column(scratch.cell_begins, first_cell, cells + 1, np.int64)
    members = column(scratch.cell_members, first_entry, count, np.int64)
    places = column(scratch.cell_places, first_entry, count, np.complex128)
    cell_numbers = column(scratch.cell_numbers, 0, memory.players, np.int64)
    for cell in range(cells + 1):
        begins[cell] = 0
    for number in range(first, first + team):
        player = player_at(memory, number, k)
        if player.active[0] != 0:
            cell = cell_of(grid, player.position[0])
            cell_numbers[number] = cell
            begins[cell] += 1
    for cell in range(1, cells + 1):  # now each has where the next one begins
        begins[cell] += begins[cell - 1]
    for number in range(first + team - 1, first - 1, -1):
        player = player_at(memory, number, k)
        if player.active[0] != 0:
            cell = cell_numbers[number]
            begins[cell] -= 1
            members[begins[cell]] = number
            places[begins[cell]] = player.position[0]


@compiled_loop
def gather_near(
    memory: np.record, scratch: np.record, side: int, k: int, place: complex, reach: float
) -> int:
    """Finds the vehicles of a side with a grid within reach of a place, or a trace beyond.

    Their numbers are written into the column ``near`` of the scratch space, in no order, and
    the squares of their distances into ``near_square``; returns how many. The place is in
    meters; on a torus, in its square.
    """
    rules, grid = rules_of(memory), grid_of(scratch, side, k)
    if grid.count == 0:
        return 0
    arena, half_size = rules.arena, rules.half_size
    # Who calls looks at distances that it rounds in ways of its own.
    reach += 1e-9 * (1.0 + reach + abs(place.real) + abs(place.imag))
    most = reach * reach
    columns, rows, wraps = grid.columns, grid.rows, grid.wraps
    corner, per_meter = grid.corner, grid.cells_per_meter
    left, right = span(place.real, reach, corner.real, per_meter.real, columns, wraps)
    low, high = span(place.imag, reach, corner.imag, per_meter.imag, rows, wraps)
    first_cell, first_entry = _first_entries(memory, side, k)
    begins = column(scratch.cell_begins, first_cell, columns * rows + 1, np.int64)
    members = column(scratch.cell_members, first_entry, grid.count, np.int64)
    places = column(scratch.cell_places, first_entry, grid.count, np.complex128)
    near = column(scratch.near, 0, memory.players, np.int64)
    squares = column(scratch.near_square, 0, memory.players, np.float64)
    found = 0
    for row in range(low, high + 1):
        in_row = row + rows if row < 0 else (row - rows if row >= rows else row)
        for along in range(left, right + 1):
            in_column = along + columns if along < 0 else along
            in_column = in_column - columns if in_column >= columns else in_column
            cell = in_row * columns + in_column
            for entry in range(begins[cell], begins[cell + 1]):
                offset = nearest_offset(arena, half_size, place, places[entry])
                square = offset.real * offset.real + offset.imag * offset.imag
                if square <= most:
                    near[found] = members[entry]
                    squares[found] = square
                    found += 1
    return found


@compiled_loop
def sort_numbers(address: int, spare_address: int, count: int) -> None:
    """Sorts integers, the smallest first: merge sort, from the bottom up.

    Args:
        address: of the integers.
        spare_address: of room for as many.
        count: how many there are.
    """
    given = column(address, 0, count, np.int64)
    spare = column(spare_address, 0, count, np.int64)
    width = 1
    while width < count:
        for start in range(0, count - width, 2 * width):
            middle, stop = start + width, min(start + 2 * width, count)
            if given[middle - 1] <= given[middle]:
                continue
            for place in range(start, middle):
                spare[place] = given[place]
            one, other, place = start, middle, start
            while one < middle:
                if other < stop and given[other] < spare[one]:
                    given[place] = given[other]
                    other += 1
                else:
                    given[place] = spare[one]
                    one += 1
                place += 1
        width *= 2


@compiled_loop
def _sort_near(memory: np.record, scratch: np.record, side: int, found: int) -> None:
    """Sorts the numbers of the vehicles of a side that were found near a place."""
    first, team = team_of(memory, side)
    if found * _MANY < team:
        sort_numbers(scratch.near, scratch.near_spare, found)
        return
    # Of a crowd, it is faster to tick all that are in it off the list of the side.
    near = column(scratch.near, 0, memory.players, np.int64)
    is_near = column(scratch.near_spare, 0, memory.players, np.int64)
    for number in range(first, first + team):
        is_near[number] = 0
    for entry in range(found):
        is_near[near[entry]] = 1
    place = 0
    for number in range(first, first + team):
        if is_near[number] != 0:
            near[place] = number
            place += 1


@compiled
def _nearest_of(
    memory: np.record, scratch: np.record, side: int, k: int, place: complex
) -> tuple[int, float]:
    """The vehicle of a side that is nearest to a place, and the square of its distance.

    Of several as near, it is the one with the lowest number. It is -1 if the grid is empty.
    """
    grid, near_one, least = grid_of(scratch, side, k), -1, math.inf
    if grid.count == 0:
        return near_one, least
    outside = 0.0 if grid.wraps else distance_to_box(place, grid.corner, grid.far_corner)
    near = column(scratch.near, 0, memory.players, np.int64)
    squares = column(scratch.near_square, 0, memory.players, np.float64)
    further, found = 1.0 / grid.cells_per_meter.real, 0
    while found == 0 and further < math.inf:
        found = gather_near(memory, scratch, side, k, place, outside + further)
        further *= 2.0
    for entry in range(found):
        square, number = squares[entry], near[entry]
        if square < least or (square == least and number < near_one):
            near_one, least = number, square
    return near_one, least


@routine
def bin_players(memory_at: int, scratch_at: int, start: int, stop: int) -> None:
    """Makes the grids of a block's games that run; a routine.

    Those of the sides that have one, as ``memory.has_grid`` says.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    phase = games_of(memory, start, stop).phase
    for side in range(2):
        if memory.has_grid[side] != 0:
            for k in range(start, stop):
                if phase[k - start] == RUNNING:
                    _fill_grid(memory, scratch, side, k)
                else:
                    grid_of(scratch, side, k).count = 0


@routine
def bin_moved_pursuers(memory_at: int, scratch_at: int, start: int, stop: int) -> None:
    """Makes the pursuers' grids after they moved, for `approach_in_grid`; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    still = flags(scratch.still)
    for k in range(start, stop):
        if still[k - start] == 0:
            _fill_grid(memory, scratch, PURSUER, k)
            longest = 0.0
            for number in range(rules_of(memory).pursuers):
                longest = max(longest, norm(step_of(scratch, number)[k - start]))
            grid_of(scratch, PURSUER, k).longest_step = longest


@routine
def find_nearest(memory_at: int, scratch_at: int, number: int, start: int, stop: int) -> None:
    """Finds the nearest active opponents of a player in its opponents' grids; a routine.

    The column ``opponent`` of the scratch space is written: the number of the nearest, and of
    several as near the lowest; -1 if none is left, or for a player that is caught.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    theirs = EVADER if number < rules_of(memory).pursuers else PURSUER
    player, opponent = players_of(memory, number, start, stop), integers(scratch.opponent)
    for k in range(start, stop):
        nearest, place = -1, player.position[k - start]
        if player.active[k - start] != 0:
            nearest, _ = _nearest_of(memory, scratch, theirs, k, place)
        opponent[k - start] = nearest


@routine
def find_teammates(memory_at: int, scratch_at: int, number: int, k: int) -> None:
    """Finds the active teammates that a player's script looks at, in their grid; a routine.

    They are written into the column ``neighbors`` of the scratch space, in the order of their
    numbers, and how many they are into the first entry of ``found``. Some are a trace out of
    reach.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    rules, game = rules_of(memory), games_of(memory, k, k + 1)
    side = PURSUER if number < rules.pursuers else EVADER
    playing = game.pursuers_script[0] if side == PURSUER else game.evaders_script[0]
    script = script_at(memory, rules.first_script[side] + playing)
    me, grid = body_at(player_at(memory, number, k), 0), grid_of(scratch, side, k)
    reach = reach_of(script, me, grid.fastest, grid.widest)
    found = gather_near(memory, scratch, side, k, me.position, reach)
    _sort_near(memory, scratch, side, found)
    near = column(scratch.near, 0, memory.players, np.int64)
    neighbors = records_at(scratch.neighbors, memory.players, VEHICLE)
    seen = 0
    for entry in range(found):
        if near[entry] != number:
            mate = seen_from(me.position, memory, near[entry], k, rules)
            copy_vehicle(mate, neighbors[seen])
            seen += 1
    integers(scratch.found)[0] = seen


@routine
def find_partner(memory_at: int, scratch_at: int, one: int, after: int, k: int) -> None:
    """Finds the next player whose body may overlap that of another; a routine.

    Bodies may have been shifted since the grids were made, by as much as the first entry of the
    column ``drift`` of the scratch space says. The first entry of ``found`` is written: the
    lowest number above ``after`` of an active player that is so near; if there is none, the
    number of players.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    player, lowest = player_at(memory, one, k), memory.players
    near = column(scratch.near, 0, memory.players, np.int64)
    for side in range(2):
        first, team = team_of(memory, side)
        if memory.has_grid[side] == 0:  # of a few, any may be near
            following = max(after + 1, first)
            lowest = min(lowest, following) if following < first + team else lowest
        elif after + 1 < first + team:
            widest = grid_of(scratch, side, k).widest
            reach = player.radius[0] + widest + numbers(scratch.drift)[0]
            found = gather_near(memory, scratch, side, k, player.position[0], reach)
            for entry in range(found):
                if near[entry] > after:
                    lowest = min(lowest, near[entry])
    integers(scratch.found)[0] = lowest


@routine
def approach_in_grid(
    memory_at: int, scratch_at: int, evader: int, start: int, stop: int
) -> None:
    """`judgment.approach_evader` for many pursuers, by their grid; a routine.

    Nothing is written for an evader that is caught, and in games that did not move.
    """
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    rules, still = rules_of(memory), flags(scratch.still)
    arena, half_size, needed = rules.arena, rules.half_size, rules.captors_needed
    nearest, least = numbers(scratch.nearest), numbers(scratch.least)
    player, step = players_of(memory, evader, start, stop), step_of(scratch, evader)
    near = column(scratch.near, 0, memory.players, np.int64)
    for k in range(stop - start):
        if still[k] != 0 or player.active[k] == 0:
            continue
        place = player.position[k]
        _, square = _nearest_of(memory, scratch, PURSUER, start + k, place)
        # Who came nearer during the step, or to capture, is no farther away after it than that
        # and what both have moved.
        longest = grid_of(scratch, PURSUER, start + k).longest_step
        reach = max(math.sqrt(square), rules.capture_radius) + norm(step[k]) + longest
        found = gather_near(memory, scratch, PURSUER, start + k, place, reach)
        nearest[k] = least[k] = math.inf
        within = 0
        for entry in range(found):
            position = player_at(memory, near[entry], start + k).position[0]
            offset = nearest_offset(arena, half_size, position, place)
            nearest[k] = min(nearest[k], norm(offset))
            approach = approach_of(memory, scratch, near[entry], evader, start, k)
            least[k] = min(least[k], approach)
            within += 1 if approach < rules.capture_radius else 0
        if needed > 1 and within < needed:
            least[k] = math.inf
