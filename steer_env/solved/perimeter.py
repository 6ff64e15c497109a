"""Perimeter defense: an attacker runs for a disc, and a defender runs along the disc's rim.

The attacker moves freely outside the disc of radius R, with the speed nu v, nu <= 1; the
defender runs on the rim with the speed v. The payoff is the arc of the rim between the two when
the attacker comes through, 0 if it never does. With R = v = 1, for an attacker at the radius r
and at the angle theta from the defender (Shishika and Kumar 2018),

    s = sqrt(r**2 - nu**2) - sqrt(1 - nu**2),    phi = acos(nu / r) - acos(nu),
    V = max(0, theta + phi - s / nu).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steer_env.errors import InvalidValue, check_integer, check_number
from steer_env.solved.elementwise import (
    LARGEST,
    Numbers,
    Places,
    as_given,
    broadcast,
    parts_of,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of
from steer_env.steering.vectors import TINY, cross, dot, left, norm, scale, unit

_LEAST = 1e-6  # of nu and the radius
_ON_RIM = 1e-9  # of the radius


def value(attacker: Any, defender: Any, nu: Any, radius: Any = 1.0) -> Any:
    """The arc from the defender to the place where the attacker comes through, in best play.

    Args:
        attacker: its place, x + iy in meters from the disc's center, not inside the disc.
        defender: its place, on the rim of the disc to 1e-9 of the radius.
        nu: the attacker's speed over the defender's, from 1e-6 to 1.
        radius: of the disc, in meters, at least 1e-6.

    Returns:
        Meters along the rim, 0 to pi times the radius; 0 where the defender is there in time.

    Example:
        >>> round(value(2j, 1.0, 1.0), 8), value(3.0, 1.0, 0.5)  # pi/2 + pi/3 - sqrt(3), 0
        (0.88594307, 0.0)
    """
    return as_given(np.maximum(_margins(attacker, defender, nu, radius), 0.0))


def margin(attacker: Any, defender: Any, nu: Any, radius: Any = 1.0) -> Any:
    """The arc by which the defender is late (positive) or early (negative), in meters."""
    return as_given(_margins(attacker, defender, nu, radius))


def _margins(attacker: Any, defender: Any, nu: Any, radius: Any) -> Numbers:
    x, y, rim_x, rim_y, nu, radius = broadcast(
        **parts_of("attacker", attacker),
        **parts_of("defender", defender),
        nu=(nu, _LEAST, 1.0),
        radius=(radius, _LEAST, LARGEST),
    )
    r, off = np.hypot(x, y) / radius, np.hypot(rim_x, rim_y) / radius
    if r.min(initial=1.0) < 1.0 - _ON_RIM:
        raise InvalidValue(f"attacker must not be in the disc, got {r.min():g} of the radius")
    if np.abs(off - 1.0).max(initial=0.0) > _ON_RIM:
        worst = off.flat[np.abs(off - 1.0).argmax()]
        raise InvalidValue(f"defender must be on the rim, got {worst:g} of the radius")
    r = np.maximum(r, 1.0)
    theta = np.arctan2(np.abs(rim_x * y - rim_y * x), rim_x * x + rim_y * y)
    far, near = np.sqrt((r - nu) * (r + nu)), np.sqrt((1.0 - nu) * (1.0 + nu))
    s = (r - 1.0) * (r + 1.0) / np.maximum(far + near, TINY)  # far - near, but more exactly
    phi = np.arctan2(nu * s, nu * nu + far * near)
    return np.asarray(radius * (theta + np.minimum(phi - s / nu, 0.0)))


def barrier(nu: float, points: int = 200) -> Places:
    """The places of the attacker where a defender at 1 on the rim of radius 1 is just in time.

    Args:
        nu: the attacker's speed over the defender's, from 1e-6 to 1.
        points: the number of places, at least 2.

    Returns:
        (points,) complex numbers, from the defender around the left side to the negative x
        axis. The other side is their conjugate.
    """
    ratio = check_number("nu", nu, _LEAST, 1.0)
    count = check_integer("points", points, 2, 10**6)
    near = math.sqrt((1.0 - ratio) * (1.0 + ratio))
    low, high = math.pi, 1.5 * math.pi  # of the angle b of the breach point, with theta = pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        step = ratio * middle
        is_beyond = middle - math.atan2(ratio * step, 1.0 + near * step) > math.pi
        low, high = (low, middle) if is_beyond else (middle, high)
    b = np.linspace(0.0, low, count)
    return np.asarray(np.exp(1j * b) * (1.0 + ratio * b * complex(near, -ratio)))


@compiled
def breach_point(attacker: complex, defender: complex, nu: float, radius: float) -> complex:
    """The place of the rim where the attacker comes through, or would, in best play.

    It goes counter-clockwise if both are in line with the center. Arguments as in
    `value`, single numbers in range; inside the disc counts as on the rim.
    """
    along, across, _ = _course(norm(attacker) / radius, nu)
    outward, side = unit(attacker), _side(attacker, defender)
    return scale(outward, radius * along) + scale(left(outward), radius * (side * across))


@compiled
def arc_to(
    attacker: complex, defender: complex, nu: float, radius: float, length: float
) -> float:
    """The arc that the defender runs in a step of a length, to the attacker's breach point.

    In meters, counter-clockwise positive, from -length to length. It runs to the attacker's
    side, never beyond the breach point. With time to spare it stops at the attacker's azimuth,
    as the attacker may turn about.
    """
    along, across, s = _course(norm(attacker) / radius, nu)
    azimuth = angle_of(complex(dot(defender, attacker), abs(cross(defender, attacker))))
    whole = radius * (azimuth + angle_of(complex(along, across)))
    needed = whole - max(0.0, radius * s / nu - length)  # the rest can wait for the next steps
    return _side(attacker, defender) * min(length, max(radius * azimuth, needed))


@compiled
def _side(attacker: complex, defender: complex) -> float:
    """The way from the defender to the attacker: 1 counter-clockwise, or -1."""
    return 1.0 if cross(defender, attacker) >= 0.0 else -1.0


@compiled
def _course(r: float, nu: float) -> tuple[float, float, float]:
    """The cosine and the sine of phi, and the way s to the rim, in radii."""
    r = max(r, 1.0)
    far, near = math.sqrt((r - nu) * (r + nu)), math.sqrt((1.0 - nu) * (1.0 + nu))
    s = (r - 1.0) * (r + 1.0) / max(far + near, TINY)  # far - near, but more exactly
    return (nu * nu + far * near) / r, nu * s / r, s
