"""The vehicles near a place, found by a uniform grid, also called a cell list.

A counting sort rebuilds each side's grid in every step (Reynolds 2000, "Interaction with groups
of autonomous characters"; Green 2008, "CUDA particles"). A grid changes no bit of a trajectory:
it leaves out only vehicles that are out of reach for any rounding, and lists the others by
their numbers, as sums of floats depend on the order.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.rules import PURSUER
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.memory import BLOCK, CELLS_BESIDE, GRID
from steer_env.game.run.resolve import approach_of
from steer_env.game.state import RUNNING
from steer_env.machine_code.addresses import column, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import reach_of
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, norm
from steer_env.steering.vehicle import copy_vehicle

_MANY = 32  # in a crowd at least one in 32 of a side is near


@compiled
def cell_along(place: float, corner: float, per_meter: float, cells: int) -> int:
    """The column or row of a place, perhaps beyond the grid, never falling as it grows."""
    along = (place - corner) * per_meter
    return math.floor(min(max(along, -float(cells)), 2.0 * cells))


@compiled
def cell_of(grid: np.record, place: complex) -> int:
    """The number of the cell that a vehicle is in."""
    x, y = grid.corner.real, grid.corner.imag
    along = cell_along(place.real, x, grid.cells_per_meter.real, grid.columns)
    up = cell_along(place.imag, y, grid.cells_per_meter.imag, grid.rows)
    # Rounding may put one at the far edge beyond it.
    along, up = min(max(along, 0), grid.columns - 1), min(max(up, 0), grid.rows - 1)
    return up * grid.columns + along


@compiled
def lay_out(grid: np.record, low: complex, high: complex, count: int, wraps: bool) -> None:
    """Divides a box into cells: at most 2 count + 1 of them."""
    wide, tall = high.real - low.real, high.imag - low.imag
    # The second keeps a long and narrow box from having more.
    side = max(math.sqrt(wide * tall / count), (wide + tall) / count)
    grid.count, grid.wraps, grid.corner, grid.far_corner = count, wraps, low, high
    if not side > TINY:  # all are in one place
        grid.columns, grid.rows, grid.cells_per_meter = 1, 1, complex(1.0, 1.0)
    elif wraps:
        # A whole number of them goes round.
        grid.columns = grid.rows = max(int(wide / side), 1)
        grid.cells_per_meter = complex(grid.columns / wide, grid.rows / tall)
    else:
        grid.columns, grid.rows = 1 + int(wide / side), 1 + int(tall / side)
        grid.cells_per_meter = complex(1.0 / side, 1.0 / side)


@compiled
def span(
    place: float, reach: float, corner: float, per_meter: float, cells: int, wraps: bool
) -> tuple[int, int]:
    """The first and the last column or row within reach, also beyond a torus."""
    first = cell_along(place - reach, corner, per_meter, cells)
    last = cell_along(place + reach, corner, per_meter, cells)
    if not wraps:
        return max(first, 0), min(last, cells - 1)
    return (first, last) if last - first < cells - 1 else (0, cells - 1)


@compiled
def distance_to_box(place: complex, low: complex, high: complex) -> float:
    """The distance of a place from a box with these corners, in meters, 0 inside.

    Example:
        >>> distance_to_box(7 + 5j, 0j, 4 + 1j)
        5.0
    """
    beside = max(low.real - place.real, place.real - high.real, 0.0)
    above = max(low.imag - place.imag, place.imag - high.imag, 0.0)
    return norm(complex(beside, above))


@compiled
def grid_of(block: Block, side: int, k: int) -> np.record:
    """The grid of a side in the k-th game."""
    return records_at(block.scratch.grids, 2 * BLOCK, GRID)[2 * (k % BLOCK) + side]


@compiled
def _first_entries(block: Block, side: int, k: int) -> tuple[int, int]:
    """The first cell and the first member of a grid among all grids."""
    first, _ = block.team(side)
    before, players = k % BLOCK, block.memory.players
    cells = before * 2 * (players + CELLS_BESIDE) + 2 * first + side * CELLS_BESIDE
    return cells, before * players + first


@compiled_loop
def _fill_grid(block: Block, side: int, k: int) -> None:
    """Sorts the active vehicles of a side into cells by counting, in each by number."""
    region, grid = block.region, grid_of(block, side, k)
    first, team = block.team(side)
    left = low = math.inf
    right = high = -math.inf
    count, fastest, widest = 0, 0.0, 0.0
    for number in range(first, first + team):
        player = block.player(number, k)
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
    corner, opposite = complex(left, low), complex(right, high)
    if region.wraps:
        corner, opposite = region.corners
    lay_out(grid, corner, opposite, count, region.wraps)
    first_cell, first_entry = _first_entries(block, side, k)
    cells = grid.columns * grid.rows
    scratch = block.scratch
    begins = column(scratch.cell_begins, first_cell, cells + 1, np.int64)
    members = column(scratch.cell_members, first_entry, count, np.int64)
    places = column(scratch.cell_places, first_entry, count, np.complex128)
    cell_numbers = block.columns.cell_numbers
    for cell in range(cells + 1):
        begins[cell] = 0
    for number in range(first, first + team):
        player = block.player(number, k)
        if player.active[0] != 0:
            cell = cell_of(grid, player.position[0])
            cell_numbers[number] = cell
            begins[cell] += 1
    for cell in range(1, cells + 1):  # now each has where the next one begins
        begins[cell] += begins[cell - 1]
    for number in range(first + team - 1, first - 1, -1):
        player = block.player(number, k)
        if player.active[0] != 0:
            cell = cell_numbers[number]
            begins[cell] -= 1
            members[begins[cell]] = number
            places[begins[cell]] = player.position[0]


@compiled_loop
def gather_near(block: Block, side: int, k: int, place: complex, reach: float) -> int:
    """Lists the vehicles of a side within reach of a place, or a trace beyond, by its grid.

    Numbers are written into ``near``, in no order, and squared distances into ``near_square``.
    Returns how many. On a torus the place is in its square.
    """
    region, grid = block.region, grid_of(block, side, k)
    if grid.count == 0:
        return 0
    # Callers compute distances that are rounded in other ways.
    reach += 1e-9 * (1.0 + reach + abs(place.real) + abs(place.imag))
    most = reach * reach
    columns, rows, wraps = grid.columns, grid.rows, grid.wraps
    corner, per_meter = grid.corner, grid.cells_per_meter
    left, right = span(place.real, reach, corner.real, per_meter.real, columns, wraps)
    low, high = span(place.imag, reach, corner.imag, per_meter.imag, rows, wraps)
    first_cell, first_entry = _first_entries(block, side, k)
    begins = column(block.scratch.cell_begins, first_cell, columns * rows + 1, np.int64)
    members = column(block.scratch.cell_members, first_entry, grid.count, np.int64)
    places = column(block.scratch.cell_places, first_entry, grid.count, np.complex128)
    near, squares = block.columns.near, block.columns.near_square
    found = 0
    for row in range(low, high + 1):
        in_row = row + rows if row < 0 else (row - rows if row >= rows else row)
        for along in range(left, right + 1):
            in_column = along + columns if along < 0 else along
            in_column = in_column - columns if in_column >= columns else in_column
            cell = in_row * columns + in_column
            for entry in range(begins[cell], begins[cell + 1]):
                offset = region.offset(place, places[entry])
                square = offset.real * offset.real + offset.imag * offset.imag
                if square <= most:
                    near[found] = members[entry]
                    squares[found] = square
                    found += 1
    return found


@compiled_loop
def sort_numbers(address: int, count: int) -> None:
    """Sorts a few integers at an address by insertion, the smallest first."""
    given = column(address, 0, count, np.int64)
    for entry in range(1, count):
        number, place = given[entry], entry
        while place > 0 and given[place - 1] > number:
            given[place] = given[place - 1]
            place -= 1
        given[place] = number


@compiled_loop
def _sort_near(block: Block, side: int, found: int) -> None:
    """Sorts the numbers of the vehicles of a side that were found near a place."""
    first, team = block.team(side)
    if found * _MANY < team:
        sort_numbers(block.scratch.near, found)
        return
    # Of a crowd, it is faster to tick all that are in it off the list of the side.
    near = block.columns.near
    is_near = block.columns.near_spare
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
def _nearest_of(block: Block, side: int, k: int, place: complex) -> tuple[int, float]:
    """The vehicle of a side nearest to a place, -1 for none, and the square of its distance."""
    grid, near_one, nearest_square = grid_of(block, side, k), -1, math.inf
    if grid.count == 0:
        return near_one, nearest_square
    outside = 0.0 if grid.wraps else distance_to_box(place, grid.corner, grid.far_corner)
    near, squares = block.columns.near, block.columns.near_square
    further, found = 1.0 / grid.cells_per_meter.real, 0
    while found == 0 and further < math.inf:
        found = gather_near(block, side, k, place, outside + further)
        further *= 2.0
    for entry in range(found):
        square, number = squares[entry], near[entry]
        if square < nearest_square or (square == nearest_square and number < near_one):
            near_one, nearest_square = number, square
    return near_one, nearest_square


@routine
def bin_players(call_at: int, start: int, stop: int) -> None:
    """Makes the grids of a block's running games, for sides that have one."""
    block = block_at(call_at, start, stop)
    phase = block.games.phase
    for side in range(2):
        if block.memory.has_grid[side] != 0:
            for k in range(block.start, block.stop):
                if phase[k - block.start] == RUNNING:
                    _fill_grid(block, side, k)
                else:
                    grid_of(block, side, k).count = 0


@routine
def bin_moved_pursuers(call_at: int, start: int, stop: int) -> None:
    """Makes the pursuers' grids after they moved, for `approach_in_grid`."""
    block = block_at(call_at, start, stop)
    is_idle = block.columns.is_idle
    for k in range(block.start, block.stop):
        if is_idle[k - block.start] == 0:
            _fill_grid(block, PURSUER, k)
            longest = 0.0
            for number in range(block.rules.pursuers):
                longest = max(longest, norm(block.step(number)[k - block.start]))
            grid_of(block, PURSUER, k).longest_step = longest


@routine
def find_nearest(call_at: int, start: int, stop: int, number: int) -> None:
    """Writes a player's nearest opponents in play, by grids, into the column ``opponent``."""
    block = block_at(call_at, start, stop)
    theirs = 1 - block.side(number)
    player, opponent = block.players(number), block.columns.opponent
    for k in range(block.start, block.stop):
        nearest, place = -1, player.position[k - block.start]
        if player.active[k - block.start] != 0:
            nearest, _ = _nearest_of(block, theirs, k, place)
        opponent[k - block.start] = nearest


@routine
def find_teammates(call_at: int, start: int, stop: int, number: int) -> None:
    """Finds the active teammates that a player's script looks at, in their grid.

    They are written into ``neighbors``, by number, and how many into ``neighbor_result[0]``.
    """
    block, k = block_at(call_at, start, stop), start
    side = block.side(number)
    script = block.script(block.rules.first_script[side] + block.playing(side)[0])
    me, grid = block.body(number, k), grid_of(block, side, k)
    reach = reach_of(script, me, grid.fastest, grid.widest)
    found = gather_near(block, side, k, me.position, reach)
    _sort_near(block, side, found)
    near = block.columns.near
    neighbors, seen = block.neighbors, 0
    for entry in range(found):
        if near[entry] != number:
            copy_vehicle(block.seen_from(me.position, near[entry], k), neighbors[seen])
            seen += 1
    block.columns.neighbor_result[0] = seen


@routine
def find_partner(call_at: int, start: int, stop: int, one: int, after: int) -> None:
    """Finds the next player whose body may overlap another's, shifted by ``drift`` at most.

    Writes the lowest number above ``after``, or that of players, into ``neighbor_result[0]``.
    """
    block, k = block_at(call_at, start, stop), start
    player, lowest = block.player(one, k), block.memory.players
    near = block.columns.near
    for side in range(2):
        first, team = block.team(side)
        if block.memory.has_grid[side] == 0:  # of a few, any may be near
            following = max(after + 1, first)
            lowest = min(lowest, following) if following < first + team else lowest
        elif after + 1 < first + team:
            widest = grid_of(block, side, k).widest
            reach = player.radius[0] + widest + block.columns.drift[0]
            found = gather_near(block, side, k, player.position[0], reach)
            for entry in range(found):
                if near[entry] > after:
                    lowest = min(lowest, near[entry])
    block.columns.neighbor_result[0] = lowest


@routine
def approach_in_grid(call_at: int, start: int, stop: int, evader: int) -> None:
    """`resolve.approach_evader` by the pursuers' grid, for free evaders in running games."""
    block = block_at(call_at, start, stop)
    rules, is_idle = block.rules, block.columns.is_idle
    region, needed = block.region, rules.captors_needed
    nearest, minimum = block.columns.nearest, block.columns.minimum_distance
    player, step = block.players(evader), block.step(evader)
    near = block.columns.near
    for k in range(block.size):
        if is_idle[k] != 0 or player.active[k] == 0:
            continue
        place = player.position[k]
        _, square = _nearest_of(block, PURSUER, block.start + k, place)
        # A pursuer that came nearer, or captured, during the step is now no farther away than
        # that distance plus both steps.
        longest = grid_of(block, PURSUER, block.start + k).longest_step
        reach = max(math.sqrt(square), rules.capture_radius) + norm(step[k]) + longest
        found = gather_near(block, PURSUER, block.start + k, place, reach)
        nearest[k] = minimum[k] = math.inf
        within = 0
        for entry in range(found):
            position = block.player(near[entry], block.start + k).position[0]
            offset = region.offset(position, place)
            nearest[k] = min(nearest[k], norm(offset))
            approach = approach_of(block, near[entry], evader, k)
            minimum[k] = min(minimum[k], approach)
            within += 1 if approach < rules.capture_radius else 0
        if needed > 1 and within < needed:
            minimum[k] = math.inf
