"""Constants, barrier and equivocal line of a homicidal chauffeur for all states."""

# ruff: noqa: E741
from __future__ import annotations

import math
from typing import Any, NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import dot, unit

LINE_STEPS = 512  # along the equivocal line next to region D: an error below 1e-9
S_EXIT = 2 * (LINE_STEPS + 1)  # place in a table of the bearing at which contact ends
TABLE_SIZE = S_EXIT + 1
WHOLE_TURN = 2.0 * math.pi
_BEYOND_END, _BEFORE_BEGINNING = -1.0, -2.0  # instead of a time on the barrier
LEAST = 1e-9  # a turn or a time: rounding must not make a whole one of none


class ChauffeurGame(NamedTuple):
    """The constants of a game, from `game_of`."""

    nu: float  # the evader's speed over the pursuer's
    l: float  # the capture radius over the turning radius
    q: float  # sqrt(1 - nu**2)
    s0: float  # arccos nu
    tau_end: float  # the barrier's end; where it meets the y axis if capture cannot be forced
    is_closed: bool  # whether the barriers meet ahead of the car
    joint: float  # the angle a below which region D, and not T, is next to the line
    first: float  # sqrt(joint - a) where the table begins
    spacing: float  # of the table in sqrt(joint - a)
    table: Any  # r of the line below the joint at even sqrt(joint - a), its slopes, and s_exit
    y_star: float  # r at a = 0
    c: float
    s_exit: float  # the bearing on the capture circle from which on E can run straight


@compiled
def force_capture_above(nu: float) -> float:
    """The capture radius above which capture can be forced from everywhere."""
    q = math.sqrt(1.0 - nu * nu)
    return q + nu * angle_of(complex(q, nu)) - 1.0


@compiled
def dubins(x: float, y: float) -> tuple[float, complex, float]:
    """The turn phi until E is dead ahead, the unit vector of that course, the tangent's d."""
    d = math.sqrt(max((x - 1.0) * (x - 1.0) + y * y - 1.0, 0.0))
    course = unit(complex(y + d * (x - 1.0), d * y - (x - 1.0)))
    phi = angle_of(complex(course.imag, course.real))
    # Rounding must not make a whole turn of none.
    return (max(phi, 0.0) if phi > -LEAST else phi + WHOLE_TURN), course, d


@compiled
def value_of_dubins(x: float, y: float, nu: float, l: float) -> float:
    """V in region D."""
    phi, _, d = dubins(x, y)
    return (phi + d - l) / (1.0 - nu)


@compiled
def _slope(r: float, a: float, nu: float) -> float:
    """The derivative dr / da along the equivocal line."""
    along = direction(a)
    sine, cosine = along.imag, along.real
    _, gradient, _ = dubins(r * sine, -r * cosine)  # of V, times 1 - nu
    of_r = (gradient.real * sine - gradient.imag * cosine) / (1.0 - nu)
    of_a = (gradient.real * cosine + gradient.imag * sine) * r / (1.0 - nu)
    m = cosine - nu
    return -of_a * m / (of_r * m + 1.0)


@compiled
def _line_by_turning(nu: float, l: float, a: float) -> float:
    """The line's radius r at an angle a where region T is next to it."""
    return 2.0 * direction(a).imag + 2.0 * nu * (math.pi - a) - l


@compiled
def _parts_of_line(nu: float, l: float, s0: float) -> tuple[float, float, float]:
    """`joint`, `first` and `spacing` of a game.

    At the joint E is on the car's circle, where V is smooth in sqrt(joint - a) only. The joint
    is 0 if the line meets the capture circle before.
    """
    joint = math.pi - l / (2.0 * nu)
    if joint < s0 and 2.0 * direction(max(joint, 0.0)).imag <= l:
        joint = 0.0
    first = math.sqrt(max(joint - s0, 0.0))
    return joint, first, (math.sqrt(joint) - first) / LINE_STEPS


@compiled
def _slope_in_root(r: float, root: float, nu: float, joint: float) -> float:
    """The derivative of r in sqrt(joint - a)."""
    return -2.0 * root * _slope(r, joint - root * root, nu)


@compiled
def fill_line(nu: float, l: float, s0: float, table: Any) -> None:
    """Integrates the line below the joint (Runge and Kutta's fourth order)."""
    joint, first, step = _parts_of_line(nu, l, s0)
    if step <= 0.0:
        return
    r = _line_by_turning(nu, l, min(joint, s0))
    for place in range(LINE_STEPS + 1):
        root = first + place * step
        one = _slope_in_root(r, root, nu, joint)
        table[place], table[LINE_STEPS + 1 + place] = r, one
        two = _slope_in_root(r + 0.5 * step * one, root + 0.5 * step, nu, joint)
        three = _slope_in_root(r + 0.5 * step * two, root + 0.5 * step, nu, joint)
        four = _slope_in_root(r + step * three, root + step, nu, joint)
        r += step / 6.0 * (one + 2.0 * two + 2.0 * three + four)


@compiled
def game_with(nu: float, l: float, table: Any) -> ChauffeurGame:
    """`game_of`, with a table that it has written before."""
    q = math.sqrt(1.0 - nu * nu)
    s0 = angle_of(complex(nu, q))
    tau_end = WHOLE_TURN - 2.0 * s0
    if l <= force_capture_above(nu):
        tau_end = _meeting(nu, l, q, tau_end)
        return ChauffeurGame(nu, l, q, s0, tau_end, True, 0.0, 0.0, 0.0, table, 0.0, 0.0, 0.0)
    joint, first, spacing = _parts_of_line(nu, l, s0)
    y_star = table[LINE_STEPS] if joint > 0.0 else _line_by_turning(nu, l, 0.0)
    c, s_exit = value_of_dubins(0.0, -y_star, nu, l) + y_star / (1.0 - nu), table[S_EXIT]
    return ChauffeurGame(
        nu, l, q, s0, tau_end, False, joint, first, spacing, table, y_star, c, s_exit
    )


@compiled
def barrier_point(nu: float, l: float, q: float, tau: float) -> complex:
    """The barrier at a time to go, right + i ahead."""
    turned = direction(-tau)
    rest = complex((l - nu * tau) * q - 1.0, (l - nu * tau) * nu)
    return complex(1.0, 0.0) + turned * rest


@compiled
def _meeting(nu: float, l: float, q: float, tau_end: float) -> float:
    """The first time to go at which the barrier is on the y axis."""
    low, high = 0.0, 0.0
    while high < tau_end and barrier_point(nu, l, q, high).real > 0.0:
        low, high = high, high + 1e-3
    for _ in range(50):
        middle = 0.5 * (low + high)
        is_before = barrier_point(nu, l, q, middle).real > 0.0
        low, high = (middle, high) if is_before else (low, middle)
    return 0.5 * (low + high)


@compiled
def _barrier_angle(nu: float, l: float, q: float, tau: float) -> float:
    """The barrier's angle about the center of the car's circle, falling as tau grows."""
    rho = l - nu * tau
    angle = angle_of(complex(rho * q - 1.0, rho * nu))
    return (angle if angle >= 0.0 else angle + WHOLE_TURN) - tau


@compiled
def time_on_barrier(game: ChauffeurGame, x: float, y: float, tau_end: float) -> float:
    """The time to go where the barrier crosses the ray from the circle's center through E.

    The barrier goes around the center once at most. Where the ray misses it, the time is
    negative, and says on which side.
    """
    nu, l, q = game.nu, game.l, game.q
    low, high = 0.0, tau_end
    first, last = _barrier_angle(nu, l, q, low), _barrier_angle(nu, l, q, high)
    angle = angle_of(complex(x - 1.0, y))
    if angle > first:
        return _BEFORE_BEGINNING
    if angle < last:
        angle += WHOLE_TURN
    if angle > first:
        return _BEYOND_END
    tau = min(max(first - angle, low), high)
    for _ in range(60):
        off = _barrier_angle(nu, l, q, tau) - angle
        low, high = (tau, high) if off > 0.0 else (low, tau)
        if abs(off) < 1e-14:
            break
        rest = complex((l - nu * tau) * q - 1.0, (l - nu * tau) * nu)
        newton = tau - off / (nu * nu / dot(rest, rest) - 1.0)
        tau = newton if low < newton < high else 0.5 * (low + high)
    return tau


@compiled
def line_at(game: ChauffeurGame, a: float) -> float:
    """The radius r of the line at an angle a up to s0, cubic between the table's entries."""
    if a >= game.joint:
        return _line_by_turning(game.nu, game.l, a)
    along = (math.sqrt(game.joint - a) - game.first) / game.spacing
    place = min(max(int(along), 0), LINE_STEPS - 1)
    u = along - place
    v = 1.0 - u
    one, two = game.table[place], game.table[place + 1]
    slopes = place + LINE_STEPS + 1
    one_slope, two_slope = game.table[slopes], game.table[slopes + 1]
    straight = one * (1.0 + 2.0 * u) * v * v + two * (1.0 + 2.0 * v) * u * u
    return straight + game.spacing * u * v * (one_slope * v - two_slope * u)


@compiled
def value_on_line(game: ChauffeurGame, a: float, r: float) -> float:
    """V on the line, from the region on its outer side."""
    if a >= game.joint:
        return 2.0 * (math.pi - a)
    on_line = direction(a)
    return value_of_dubins(r * on_line.imag, -r * on_line.real, game.nu, game.l)


@compiled
def slips_by(game: ChauffeurGame, x: float, y: float) -> tuple[bool, float]:
    """True if turning at once does not catch E, and the time to go at the barrier next to E.

    The time is negative where there is no barrier. x is at least 0.
    """
    r = math.sqrt(x * x + y * y)
    if not game.is_closed and -y >= game.nu * r:
        return r < line_at(game, angle_of(complex(-y, x))), -1.0
    tau = time_on_barrier(game, x, y, game.tau_end)
    if tau < 0.0:
        return tau == _BEYOND_END or y < game.nu * r, tau
    rest = barrier_point(game.nu, game.l, game.q, tau) - complex(1.0, 0.0)
    offset = complex(x - 1.0, y)
    return dot(offset, offset) < dot(rest, rest), tau
