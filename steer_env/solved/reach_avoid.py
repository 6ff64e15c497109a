"""Reach-avoid: an attacker runs for a target, and a defender that is no slower catches it.

Both choose their velocity freely in the open plane, nu = vE / vP <= 1 (evader, pursuer). The
attacker is caught within the distance l. The payoff is its distance from the target when it is
caught, 0 if it gets there: the least distance from the target to the points x that the attacker
reaches first, |x - E| <= nu (|x - P| - l). Both run straight for that point (Isaacs 1965, 1.9;
Garcia et al. 2021; docs/game/derivations.md).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.machine_code.addresses import address_of, column, matrix_at
from steer_env.machine_code.routines import routine
from steer_env.solved.elementwise import LARGEST, Places, as_given, broadcast, flat, parts_of
from steer_env.steering.targets import Target, contested_point, disc, offset_to_target
from steer_env.steering.vectors import norm

_LEAST = 1e-6  # of nu
_ROUNDING = 1e-9  # of the length of a unit vector


def value(
    attacker: Any,
    defender: Any,
    nu: Any,
    l: Any = 0.0,  # noqa: E741
    target: Any = 0j,
) -> Any:
    """The distance of the attacker from the target when it is caught under perfect play.

    Args:
        attacker: its place, a complex number x + iy in meters, or an array, as the next three.
        defender: its place.
        nu: the attacker's speed over the defender's, from 1e-6 to 1.
        l: the capture radius, in meters, 0 or more.
        target: a point, a complex number or an array of them; or a disc or a half-plane, see
            `steer_env.steering.targets`.

    Returns:
        Meters; 0 where the attacker gets there, and within l its distance now. A float for
        numbers, else an array of their common shape.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers, or shapes that do not fit.

    Example:
        >>> value(3.0, 0.0, 0.5)
        2.0
        >>> value(1 + 0j, 3 + 0j, 0.5)  # from the other side it is there first
        0.0
    """
    shape = target if isinstance(target, Target) else disc(target, 0.0)
    if shape.half_length != 0.0:
        raise InvalidValue("the value is known for points, discs and half-planes, got a gap")
    check_number("radius of the target", shape.radius, 0.0, LARGEST)
    if not abs(abs(shape.direction) - 1.0) < _ROUNDING:
        raise InvalidValue(f"outward must be a unit vector, got {shape.direction:g}")
    given = broadcast(
        **parts_of("attacker", attacker),
        **parts_of("defender", defender),
        **parts_of("target", shape.center),
        nu=(nu, _LEAST, math.inf),
        l=(l, 0.0, LARGEST),
    )
    fastest = given[6].max(initial=0.0)
    if fastest > 1.0:
        raise InvalidValue(
            f"nu must be at most 1, got {fastest:g}: a faster attacker can run around the "
            "defender, and the distance of the region that it reaches first is not the value"
        )
    rows, found = flat(given), np.empty(given[0].size)
    outward = complex(shape.direction)
    outline = np.array([outward.real, outward.imag, shape.radius, shape.is_half_plane], float)
    addresses = address_of(rows), address_of(outline), address_of(found)
    solve_reach_avoid.call(*addresses, found.size)
    return as_given(found.reshape(given[0].shape))


@routine
def solve_reach_avoid(rows_at: int, outline_at: int, found_at: int, count: int) -> None:
    """Writes the value of every state, for a target with the outline at its center."""
    rows = matrix_at(rows_at, 8, count, np.float64)
    outline, found = (
        column(outline_at, 0, 4, np.float64),
        column(found_at, 0, count, np.float64),
    )
    direction, is_half_plane = complex(outline[0], outline[1]), outline[3] != 0.0
    for k in range(count):
        attacker, defender = complex(rows[0, k], rows[1, k]), complex(rows[2, k], rows[3, k])
        center, nu, l = complex(rows[4, k], rows[5, k]), rows[6, k], rows[7, k]  # noqa: E741
        target = Target(center, direction, 0.0, outline[2], is_half_plane)
        place = contested_point(attacker, defender, nu, l, target)
        found[k] = norm(offset_to_target(target, place))


def barrier(
    defender: Any,
    nu: float,
    l: float = 0.0,  # noqa: E741
    target: complex | Target = 0j,
    points: int = 400,
) -> Places:
    """The places of the attacker beyond which it is caught before it reaches the target.

    Args:
        defender: its place, as the rest in `value`, but single numbers.
        nu: the attacker's speed over the defender's.
        l: the capture radius, in meters.
        target: a point, a disc or a half-plane. Of a half-plane's edge as much is looked at as
            is within ten times the defender's distance from its point.
        points: how many places there are at most.

    Returns:
        (points,) complex numbers in meters, along the outline outside the target; fewer where
        the defender is so near to the target that it is on the spot first.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers.
    """
    count = check_integer("points", points, 2, 10**6)
    nu, l = check_number("nu", nu, _LEAST, 1.0), check_number("l", l, 0.0, LARGEST)  # noqa: E741
    found = value(0j, defender, nu, l, target)  # checks the rest
    if np.ndim(found) != 0:
        shape = np.shape(found)
        raise InvalidValue(f"defender and target must be single places, got the shape {shape}")
    defender = complex(defender)
    shape = target if isinstance(target, Target) else disc(complex(target), 0.0)
    turns = np.linspace(0.0, 2.0 * np.pi, count)
    if shape.is_half_plane:
        normal = np.full(count, shape.direction)
        extent = 10.0 * max(norm(defender - shape.center), 1.0)
        place = shape.center + 1j * normal * np.linspace(-extent, extent, count)
    else:
        normal = np.exp(1j * turns)
        place = shape.center + shape.radius * normal
    reach = nu * (np.abs(place - defender) - l)
    # Along the edge of the target no point is better, to first order: e . t = nu a . t there.
    toward = (place - defender) / np.maximum(np.abs(place - defender), 1e-300)
    along = (
        nu * (toward * (1j * normal).conj()).real * (shape.radius > 0.0 or shape.is_half_plane)
    )
    course = (1j * along - np.sqrt(1.0 - along**2)) * normal
    return np.asarray((place - reach * course)[reach > 0.0])
