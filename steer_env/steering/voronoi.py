"""Voronoi pursuit: hunters shrink the part of the arena that their quarry reaches first.

The quarry's Voronoi cell is the set of points nearer to it than to any hunter. Each hunter that
borders on it runs at the middle of their border, which shrinks the cell's area fastest (Huang,
Zhang, Ding, Stipanovic and Tomlin 2011, "Guaranteed decentralized pursuit-evasion in the plane
with multiple pursuers"; Zhou et al. 2016; docs/steering/packs.md). The cell can be predicted
some ``seconds`` ahead, as masses cannot turn on the spot.
"""

from __future__ import annotations

import math

from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import linear
from steer_env.steering.vectors import TINY, dot, left, norm, scale, shortest_offset, unit
from steer_env.steering.vehicle import Vehicle, Vehicles

_ENDLESS = 1e12  # meters: a border that reaches farther has no end


@compiled
def _image(offset: complex, period: float, number: int) -> complex:
    """An image of a hunter on a torus, seen from its quarry: the nearest two along each axis.

    Those farther away are nowhere nearer than the quarry's own images.
    """
    x = -math.copysign(period, offset.real) if number & 1 else 0.0
    y = -math.copysign(period, offset.imag) if number & 2 else 0.0
    return offset + complex(x, y)


@compiled
def _clip(
    low: float, high: float, start: complex, along: complex, normal: complex, limit: float
) -> tuple[float, float]:
    """The part, empty if low > high, of start + s * along with dot(., normal) <= limit."""
    gap, slope = limit - dot(start, normal), dot(along, normal)
    if slope > TINY:
        return low, min(high, gap / slope)
    if slope < -TINY:
        return max(low, gap / slope), high
    return (low, high) if gap >= 0.0 else (math.inf, -math.inf)


@compiled
def _clip_to_arena(
    quarry: complex, start: complex, along: complex, half_size: float, period: float
) -> tuple[float, float]:
    """The part of a line, seen from the quarry, inside the walls or nearest to this image."""
    low, high = -math.inf, math.inf
    middle, reach = (0j, 0.5 * period) if period > TINY else (-quarry, half_size)
    for normal in (1 + 0j, 1j, -1 + 0j, -1j):
        limit = reach + dot(middle, normal)
        low, high = _clip(low, high, start, along, normal, limit)
    return low, high


@compiled
def _border(
    mine: complex,
    number: int,
    mates: Vehicles,
    quarry: Vehicle,
    half_size: float,
    period: float,
    seconds: float,
) -> tuple[float, float]:
    """The border of a quarry's cell with one image of a hunter, as a part of their bisector.

    That is o / 2 + s * left(u(o)), with o the offset from the quarry to the image. ``mine`` is
    the offset to the hunter.
    """
    images = 4 if period > TINY else 1
    own = _image(mine, period, number)
    start, along, center = scale(own, 0.5), left(unit(own)), linear(quarry, seconds)
    low, high = _clip_to_arena(center, start, along, half_size, period)
    for other in range(images):
        if other != number:
            rival = _image(mine, period, other)
            low, high = _clip(low, high, start, along, rival, 0.5 * dot(rival, rival))
    for mate in mates:
        theirs = shortest_offset(center, linear(mate, seconds), period)
        for other in range(images):
            rival = _image(theirs, period, other)
            low, high = _clip(low, high, start, along, rival, 0.5 * dot(rival, rival))
    return low, high


@compiled
def voronoi_border(
    me: Vehicle,
    mates: Vehicles,
    quarry: Vehicle,
    half_size: float = math.inf,
    period: float = 0.0,
    seconds: float = 0.0,
) -> tuple[complex, float]:
    """The middle and the length of the border between a hunter and its quarry's Voronoi cell.

    The border is the part of their bisector inside the arena that is nearer to them than to any
    teammate. On a torus the middle is the mean over the hunter's images, each weighted by
    length / distance from the quarry. Without a border (length 0), or with an unbounded one
    (length inf), the middle is the quarry's place. All vehicles are predicted ``seconds``
    ahead, on straight lines.

    Example:
        >>> me, mate, quarry = Vehicle(), Vehicle(position=6 + 8j), Vehicle(position=6 + 0j)
        >>> voronoi_border(me, [mate], quarry, half_size=8.0)
        ((3-2j), 12.0)
        >>> voronoi_border(me, [Vehicle(position=5 + 0j)], quarry, half_size=8.0)
        ((6+0j), 0.0)
        >>> voronoi_border(me, [], quarry)
        ((6+0j), inf)
    """
    here = linear(me, seconds)
    mine = shortest_offset(linear(quarry, seconds), here, period)
    total, weights, lengths = 0j, 0.0, 0.0
    if not dot(mine, mine) > TINY:
        return here - mine, 0.0
    for number in range(4 if period > TINY else 1):
        low, high = _border(mine, number, mates, quarry, half_size, period, seconds)
        own = _image(mine, period, number)
        if high > low:
            if low < -_ENDLESS or high > _ENDLESS:
                return here - mine, math.inf
            length = high - low
            weight = length / norm(own)
            middle = scale(own, 0.5) + scale(left(unit(own)), 0.5 * (low + high))
            total += scale(middle - own, weight)
            weights += weight
            lengths += length
    if lengths == 0.0:
        return here - mine, 0.0
    return here + scale(total, 1.0 / weights), lengths


@compiled
def voronoi_aim(
    me: Vehicle,
    mates: Vehicles,
    quarry: Vehicle,
    half_size: float = math.inf,
    period: float = 0.0,
    seconds: float = 0.0,
) -> complex:
    """The point that `voronoi_pursuit` seeks, in meters.

    Its offset from the hunter now is the predicted one of the border's middle.

    Example:
        >>> voronoi_aim(Vehicle(), [], Vehicle(position=4 + 0j), half_size=9.0)
        (2+0j)
        >>> voronoi_aim(Vehicle(), [], Vehicle(4 + 0j, 2 + 0j), half_size=9.0, seconds=1.0)
        (3+0j)
    """
    middle, _ = voronoi_border(me, mates, quarry, half_size, period, seconds)
    return middle - scale(me.velocity, seconds)


@compiled
def voronoi_pursuit(
    me: Vehicle,
    mates: Vehicles,
    quarry: Vehicle,
    half_size: float = math.inf,
    period: float = 0.0,
    seconds: float = 0.0,
) -> complex:
    """Seeks the middle of the border with the quarry's Voronoi cell (Huang et al. 2011).

    Without a border, or with an unbounded one, it runs at the quarry. Arguments as in
    `voronoi_border`.

    Example:
        >>> me, mate, quarry = Vehicle(), Vehicle(position=6 + 8j), Vehicle(position=6 + 0j)
        >>> voronoi_pursuit(me, [mate], quarry, half_size=8.0) == seek(me, 3 - 2j)
        True
    """
    return seek(me, voronoi_aim(me, mates, quarry, half_size, period, seconds))
