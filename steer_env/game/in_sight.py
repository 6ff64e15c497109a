"""What one player has in sight: near enough, in its field of view, and behind no obstacle.

`ObservationConfig` explains the limits. They are those of the learner's observations, and of
scripts with ``sees="observed"``.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import ROUNDING, TORUS, nearest_offset
from steer_env.game.memory import numbers, obstacle_at, player_at
from steer_env.game.state import Integers, Numbers, Vectors
from steer_env.machine_code.addresses import column
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, dot, scale


@compiled
def is_in_view(rules: np.record, heading: complex, offset: complex, radius: float) -> bool:
    """Whether what is at an offset from me is within range and in my field of view.

    Args:
        rules: of the game.
        heading: mine.
        offset: of its center, in meters.
        radius: by which its edge is nearer: an obstacle's; 0 for a vehicle.
    """
    square, reach = dot(offset, offset), rules.sight_range + radius
    # |offset| cos(angle) against |offset| cos(field of view): no angle is needed.
    least = rules.cos_field_of_view * math.sqrt(square)
    return square <= reach * reach and dot(heading, offset) >= least


@compiled
def crosses_disc(offset: complex, center: complex, radius: float) -> bool:
    """Whether the straight line from 0 to an offset comes nearer to a center than a radius."""
    along = dot(center, offset) / max(dot(offset, offset), TINY)
    gap = center - scale(offset, min(max(along, 0.0), 1.0))
    return dot(gap, gap) < radius * radius


@compiled
def hides(
    arena: int,
    half_size: float,
    position: complex,
    offset: complex,
    center: complex,
    radius: float,
) -> bool:
    """Whether an obstacle hides what is at an offset from a position.

    Args:
        arena: WALLS, TORUS or OPEN.
        half_size: of the arena, in meters.
        position: mine.
        offset: to what I look at; on a torus to its nearest image.
        center: of the obstacle.
        radius: of the obstacle; it hides nothing if it is 0.
    """
    reach = radius - ROUNDING  # a body may touch the disc, and overlap it by that much
    if reach <= 0.0:
        return False
    near = nearest_offset(arena, half_size, position, center)
    if crosses_disc(offset, near, reach):
        return True
    if arena != TORUS:
        return False
    # The line is at most half a side long, in x and in y. So along each axis the image of the
    # center that is nearest to a point of it is the one nearest to its start, or to its end.
    far = offset + nearest_offset(arena, half_size, position + offset, center)
    return (
        crosses_disc(offset, far, reach)
        or crosses_disc(offset, complex(near.real, far.imag), reach)
        or crosses_disc(offset, complex(far.real, near.imag), reach)
    )


@compiled
def is_hidden(
    memory: np.record, k: int, rules: np.record, position: complex, offset: complex, itself: int
) -> bool:
    """Whether an obstacle of the k-th game hides what is at an offset from a position.

    ``itself`` is the obstacle that I look at, which hides others only; -1 for none.
    """
    for place in range(memory.obstacles if rules.occlusion else 0):
        center, radius = obstacle_at(memory, place, k)
        if place != itself and hides(
            rules.arena, rules.half_size, position, offset, center, radius
        ):
            return True
    return False


@compiled
def offset_in_sight(
    memory: np.record, k: int, rules: np.record, me: int, other: int
) -> tuple[bool, complex]:
    """Whether one player sees another in the k-th game, and the offset between them."""
    mine, theirs = player_at(memory, me, k), player_at(memory, other, k)
    position, heading = mine.position[0], mine.heading[0]
    offset = nearest_offset(rules.arena, rules.half_size, position, theirs.position[0])
    is_seen = (
        theirs.active[0] != 0
        and is_in_view(rules, heading, offset, 0.0)
        and not is_hidden(memory, k, rules, position, offset, -1)
    )
    return is_seen, offset


@compiled
def nearest_in_sight(
    memory: np.record,
    scratch: np.record,
    k: int,
    rules: np.record,
    me: int,
    first: int,
    last: int,
    chosen: Integers,
) -> int:
    """Lists the players first to last - 1 that one sees in the k-th game, the nearest first.

    At most ``rules.nearest`` numbers are written into ``chosen``; returns how many.
    """
    squares, most, found = numbers(scratch.seen_square), rules.nearest, 0
    mine = player_at(memory, me, k)
    position, heading = mine.position[0], mine.heading[0]
    # Read once: the compiler cannot know that what is written below leaves them as they are.
    arena, half_size, games = rules.arena, rules.half_size, memory.games
    positions = column(memory.position, k, memory.players * games - k, np.complex128)
    active = column(memory.active, k, memory.players * games - k, np.uint8)
    for other in range(first, last):
        if other == me or active[other * games] == 0:
            continue
        offset = nearest_offset(arena, half_size, position, positions[other * games])
        square = dot(offset, offset)
        is_full = found == most
        # Whether something hides it takes longest to find out.
        if (
            (is_full and square >= squares[most - 1])
            or not is_in_view(rules, heading, offset, 0.0)
            or is_hidden(memory, k, rules, position, offset, -1)
        ):
            continue
        rank = most - 1 if is_full else found
        while rank > 0 and square < squares[rank - 1]:
            chosen[rank], squares[rank] = chosen[rank - 1], squares[rank - 1]
            rank -= 1
        chosen[rank], squares[rank] = other, square
        found += 0 if is_full else 1
    return found


@compiled
def disc_columns(memory: np.record, scratch: np.record) -> tuple[Vectors, Numbers, Numbers]:
    """The columns of a thread where the obstacles that a player sees are listed."""
    count = memory.obstacles
    return (
        column(scratch.disc_offset, 0, count, np.complex128),
        column(scratch.disc_square, 0, count, np.float64),
        column(scratch.disc_radius, 0, count, np.float64),
    )


@compiled
def obstacles_in_sight(
    memory: np.record, scratch: np.record, k: int, rules: np.record, me: int, most: int
) -> int:
    """Lists the obstacles that a player sees, at most ``most``; returns how many.

    The nearest center comes first. The scratch space's `disc_columns` get their offsets,
    squared lengths and radii.
    """
    offsets, squares, radii = disc_columns(memory, scratch)
    mine, found = player_at(memory, me, k), 0
    position, heading = mine.position[0], mine.heading[0]
    for place in range(memory.obstacles):
        center, radius = obstacle_at(memory, place, k)
        if radius <= 0.0:
            continue
        offset = nearest_offset(rules.arena, rules.half_size, position, center)
        square = dot(offset, offset)
        is_full = found == most
        if (
            (is_full and square >= squares[most - 1])
            or not is_in_view(rules, heading, offset, radius)
            or is_hidden(memory, k, rules, position, offset, place)
        ):
            continue
        rank = most - 1 if is_full else found
        while rank > 0 and square < squares[rank - 1]:
            offsets[rank], squares[rank] = offsets[rank - 1], squares[rank - 1]
            radii[rank] = radii[rank - 1]
            rank -= 1
        offsets[rank], squares[rank], radii[rank] = offset, square, radius
        found += 0 if is_full else 1
    return found
