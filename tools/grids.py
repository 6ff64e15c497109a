"""Solves games of pursuit on a grid, step by step backward in time.

The grid holds a value W of every state: the payoff of a game that lasts for the time t. It is
known for t = 0, and a game that lasts longer by the step h begins with one move of either side,

    W(state, t + h) = min over the pursuer's moves, max over the evader's, of W(state', t),

where W(state', t) is interpolated (a semi-Lagrangian scheme: Falcone and Ferretti 2014). A move
is a motion for h with the same controls. If the payoff is the least distance so far, W is also
at most the distance at the beginning. No solution of a game enters: only how the players move,
and what they play for.

The time to capture itself jumps at a barrier, and interpolating would smear the jump. The least
distance up to the time t is continuous. So the grid holds that, and the time to capture is when
it first comes down to the capture radius (Mitchell, Bayen and Tomlin 2005).

The error has two parts. Controls that stay the same for h cause one about in proportion to h.
Interpolation causes the other: where perfect play stays at a kink of W, as on the chauffeur's
equivocal line, it adds up over the steps and depends on the spacing over h. There the spacing
has to shrink faster than h.

Grids have one more ring of nodes than the states that are looked up, so that every state has
two nodes to all sides. A symmetric game needs one half of the states: the ring beyond the axis
of symmetry mirrors the other side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Function = TypeVar("Function", bound=Callable[..., Any])

DIRECTIONS = 12  # that are tried; a sinusoid through the best three finds what is in between
RATES = 9  # of turning that the chauffeur chooses from


def compiled(function: Function) -> Function:
    """Calls numba's njit, and leaves the types of a function as they are."""
    return cast("Function", njit(function))


# ---- Interpolation ------------------------------------------------------------------------


@compiled
def between(before: float, low: float, high: float, after: float, t: float) -> float:
    """A cubic through four equidistant values, at t from 0 (low) to 1 (high).

    It never leaves the range of the inner two, so it does not overshoot at kinks.
    """
    curve = 2.0 * before - 5.0 * low + 4.0 * high - after
    bend = 3.0 * (low - high) + after - before
    cubic = low + 0.5 * t * (high - before + t * (curve + t * bend))
    return min(max(cubic, min(low, high)), max(low, high))


@compiled
def in_plane(values: Numbers, i: float, j: float) -> float:
    """The value at a place given in nodes, or at the nearest place inside the outer ring."""
    rows, columns = values.shape
    i, j = min(max(i, 1.0), rows - 2.0), min(max(j, 1.0), columns - 2.0)
    a, b = min(int(i), rows - 3), min(int(j), columns - 3)
    t, u = i - a, j - b
    v = values
    return between(
        between(v[a - 1, b - 1], v[a - 1, b], v[a - 1, b + 1], v[a - 1, b + 2], u),
        between(v[a, b - 1], v[a, b], v[a, b + 1], v[a, b + 2], u),
        between(v[a + 1, b - 1], v[a + 1, b], v[a + 1, b + 1], v[a + 1, b + 2], u),
        between(v[a + 2, b - 1], v[a + 2, b], v[a + 2, b + 1], v[a + 2, b + 2], u),
        t,
    )


@compiled
def in_space(values: Numbers, k: float, i: float, j: float) -> float:
    """As `in_plane`, in three dimensions; k counts the planes."""
    planes = len(values)
    k = min(max(k, 1.0), planes - 2.0)
    c = min(int(k), planes - 3)
    return between(
        in_plane(values[c - 1], i, j),
        in_plane(values[c], i, j),
        in_plane(values[c + 1], i, j),
        in_plane(values[c + 2], i, j),
        k - c,
    )


@compiled
def at_places(values: Numbers, places: Numbers) -> Numbers:
    """The values at places (n, 3) that are given in nodes."""
    return np.array([in_space(values, k, i, j) for k, i, j in places])


@compiled
def largest_on_circle(values: Numbers, i: float, j: float, radius: float, sign: float) -> float:
    """The largest value on a circle about a place; with the sign -1, less the smallest.

    It is exact for a linear function, which is a sinusoid along the circle. The first
    coordinate is symmetric about node 1. All lengths are in nodes.
    """
    best, at = -math.inf, 0
    for n in range(DIRECTIONS):
        found = _on_circle(values, i, j, radius, sign, n)
        if found > best:
            best, at = found, n
    before = _on_circle(values, i, j, radius, sign, at - 1)
    after = _on_circle(values, i, j, radius, sign, at + 1)
    apart = 2.0 * math.pi / DIRECTIONS
    along = (2.0 * best - before - after) / (2.0 - 2.0 * math.cos(apart))
    across = (after - before) / (2.0 * math.sin(apart))
    return best - along + math.hypot(along, across)


@compiled
def _on_circle(
    values: Numbers, i: float, j: float, radius: float, sign: float, n: int
) -> float:
    angle = 2.0 * math.pi / DIRECTIONS * n
    row, column = i + radius * math.cos(angle), j + radius * math.sin(angle)
    return sign * in_plane(values, 1.0 + abs(row - 1.0), column)


# ---- The time to capture of an evader that turns on the spot ------------------------------


def moves_of_car(step: float) -> Numbers:
    """A car's moves, one a row: how far to the right and ahead, the heading's cosine and sine.

    The car's speed and turning radius are 1.
    """
    rates = np.linspace(-1.0, 1.0, RATES)
    turns = rates * step
    safe = np.where(rates == 0.0, 1.0, rates)
    right = np.where(rates == 0.0, 0.0, (1.0 - np.cos(turns)) / safe)
    ahead = np.where(rates == 0.0, step, np.sin(turns) / safe)
    return np.stack([right, ahead, np.cos(turns), np.sin(turns)], axis=-1)


MOVES_AT_WILL = np.empty((0, 4))
"""In place of a car's: the pursuer moves with the speed 1 in any direction."""


@compiled
def times_to_capture(
    moves: Numbers,
    speed: float,
    capture_radius: float,
    size: float,
    spacing: float,
    step: float,
    seconds: float,
) -> Numbers:
    """The time to capture; infinite if it is longer than the time that was computed.

    Args:
        moves: of the pursuer, from `moves_of_car`, or `MOVES_AT_WILL`.
        speed: of the evader, which turns on the spot, over the pursuer's.
        capture_radius: any.
        size: how far the grid reaches.
        spacing: of its nodes.
        step: the time of a move.
        seconds: how long the longest game is.

    Returns:
        By the evader's place, seen from the pursuer: row i is (i - 1) * spacing to the right,
        column j is (j - 1) * spacing - size ahead. The left side mirrors the right one.
    """
    rows = round(size / spacing) + 3
    columns = 2 * rows - 3
    middle = 0.5 * (columns - 1)
    distances = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            distances[i, j] = math.hypot(i - 1.0, j - middle) * spacing - capture_radius
    least, after_evader = distances.copy(), distances.copy()
    times = np.where(distances <= 0.0, 0.0, math.inf)
    for n in range(math.ceil(seconds / step)):
        for i in range(rows):
            for j in range(columns):
                reach = speed * step / spacing
                after_evader[i, j] = largest_on_circle(least, float(i), float(j), reach, 1.0)
        for i in range(rows):
            for j in range(columns):
                best, at = distances[i, j], (float(i), float(j))
                if len(moves) == 0:
                    reach = step / spacing
                    best = min(best, -largest_on_circle(after_evader, *at, reach, -1.0))
                for right, ahead, cosine, sine in moves:
                    x, y = (i - 1) - right / spacing, (j - middle) - ahead / spacing
                    row, column = cosine * x - sine * y, sine * x + cosine * y
                    found = in_plane(after_evader, 1.0 + abs(row), middle + column)
                    best = min(best, found)
                if best <= 0.0 < least[i, j]:
                    times[i, j] = step * (n + least[i, j] / (least[i, j] - best))
                least[i, j] = best
    return times


# ---- The least distance of two identical cars ---------------------------------------------


@compiled
def least_distances(
    box: tuple[float, float, float],
    headings: int,
    spacing: float,
    step: float,
    seconds: float,
    evader_knows: bool,
) -> Numbers:
    """The least distance of two cars with the speed 5 and the turning radius 5, less 5.

    Args:
        box: the lowest x, the highest x and the highest y of the pursuer's places.
        headings: intervals of its heading from 0 to pi.
        spacing: of its places, in meters.
        step: the time of a move.
        seconds: how long the game is.
        evader_knows: whether the evader knows the pursuer's move when it chooses its own (the
            upper value of the game), or the pursuer the evader's (the lower value).

    Returns:
        By the pursuer's heading and place in the evader's frame: plane k is the heading
        (k - 1) * pi / headings, row i is x = box[0] + (i - 1) * spacing, column j is
        y = (j - 1) * spacing - box[2]. Headings below 0 mirror these.
    """
    lowest, highest, side = box
    planes, rows = headings + 3, round((highest - lowest) / spacing) + 3
    columns = 2 * round(side / spacing) + 3
    middle = 0.5 * (columns - 1)
    distances = np.empty((planes, rows, columns))
    for i in range(rows):
        for j in range(columns):
            x, y = lowest + (i - 1) * spacing, (j - middle) * spacing
            distances[:, i, j] = math.hypot(x, y) - 5.0
    least, longer = distances, distances.copy()
    # The moves: straight ahead, and turning to either side.
    rates = np.array([-1.0, 0.0, 1.0])
    along = np.array([5.0 * math.sin(step), 5.0 * step, 5.0 * math.sin(step)])
    across = 5.0 * (1.0 - math.cos(step)) * rates
    found = np.empty((3, 3))
    for _ in range(math.ceil(seconds / step)):
        for k in range(planes):
            psi = (k - 1) * math.pi / headings
            ahead, left = math.cos(psi), math.sin(psi)
            for i in range(rows):
                for j in range(columns):
                    x, y = lowest + (i - 1) * spacing, (j - middle) * spacing
                    for p in range(3):
                        for e in range(3):
                            # The pursuer's place seen from the evader's, before E turns.
                            later = x + along[p] * ahead - across[p] * left - along[e]
                            beside = y + along[p] * left + across[p] * ahead - across[e]
                            turn = rates[e] * step
                            cosine, sine = math.cos(turn), math.sin(turn)
                            row = cosine * later + sine * beside
                            column = cosine * beside - sine * later
                            angle = (psi + rates[p] * step - turn) % (2.0 * math.pi)
                            if angle > math.pi:
                                angle, column = 2.0 * math.pi - angle, -column
                            value = in_space(
                                least,
                                1.0 + angle * headings / math.pi,
                                1.0 + (row - lowest) / spacing,
                                middle + column / spacing,
                            )
                            on_the_way = nearest_to_origin(x, y, later, beside) - 5.0
                            found[p, e] = min(value, on_the_way)
                    longer[k, i, j] = saddle(found) if evader_knows else -saddle(-found.T)
        least, longer = longer, least
    return least


@compiled
def saddle(payoffs: Numbers) -> float:
    """The least of the rows' largest payoffs."""
    least = math.inf
    for row in payoffs:
        least = min(least, row.max())
    return least


@compiled
def nearest_to_origin(x: float, y: float, to_x: float, to_y: float) -> float:
    """The least distance from the origin to the line between two points."""
    along, across = to_x - x, to_y - y
    length = along * along + across * across
    t = 0.0 if length == 0.0 else min(max(-(x * along + y * across) / length, 0.0), 1.0)
    return math.hypot(x + t * along, y + t * across)


# ---- The distance at the end of two that push against drag --------------------------------


@compiled
def last_distances(
    drag: float,
    force: float,
    other_force: float,
    farthest: float,
    fastest: float,
    spacing: float,
    step: float,
    seconds: float,
) -> Numbers:
    """The distance at the end, by the distance now and the relative velocity.

    In every step both push for a moment, as much as in the whole step, halfway through it.

    Args:
        drag: of both, in 1/s.
        force: the pursuer's greatest one, for each kilogram, in newtons.
        other_force: the evader's.
        farthest: how far the distance reaches.
        fastest: how far either component of the velocity reaches.
        spacing: of all three, in meters and m/s.
        step: in seconds.
        seconds: how long the game is.

    Returns:
        Plane k is the distance (k - 1) * spacing. By the velocity of the evader less the
        pursuer's, row i is (i - 1) * spacing across the line to the evader (to either side),
        column j is (j - 1) * spacing - fastest along it.
    """
    planes, rows = round(farthest / spacing) + 3, round(fastest / spacing) + 3
    columns = 2 * rows - 3
    middle = 0.5 * (columns - 1)
    last = np.empty((planes, rows, columns))
    for k in range(planes):
        last[k] = abs(k - 1) * spacing
    coasted, pushed = last.copy(), last.copy()
    for _ in range(round(seconds / step)):
        coast(last, coasted, drag, middle, 0.5 * step)
        for k in range(planes):
            for i in range(rows):
                for j in range(columns):
                    reach = other_force * step / spacing
                    at = float(i), float(j)
                    pushed[k, i, j] = largest_on_circle(coasted[k], *at, reach, 1.0)
            for i in range(rows):
                for j in range(columns):
                    at, best = (float(i), float(j)), pushed[k, i, j]
                    for share in (0.25, 0.5, 0.75, 1.0):
                        reach = share * force * step / spacing
                        best = min(best, -largest_on_circle(pushed[k], *at, reach, -1.0))
                    last[k, i, j] = best
        coast(last, coasted, drag, middle, 0.5 * step)
        last, coasted = coasted, last
    return last


@compiled
def coast(values: Numbers, before: Numbers, drag: float, middle: float, time: float) -> None:
    """Writes the values of the states that become others by coasting for a time."""
    planes, rows, columns = values.shape
    decay = math.exp(-drag * time)
    carried = (1.0 - decay) / drag if drag > 0.0 else time
    for k in range(planes):
        for i in range(rows):
            for j in range(columns):
                ahead, across = (k - 1) + (j - middle) * carried, (i - 1) * carried
                distance = math.hypot(ahead, across)
                cosine, sine = 1.0, 0.0
                if distance > 0.0:
                    cosine, sine = ahead / distance, across / distance
                row = decay * abs(cosine * (i - 1) - sine * (j - middle))
                column = decay * (cosine * (j - middle) + sine * (i - 1))
                place = 1.0 + distance, 1.0 + row, middle + column
                before[k, i, j] = in_space(values, *place)
