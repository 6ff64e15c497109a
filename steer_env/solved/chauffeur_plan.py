"""How the homicidal chauffeur is played: the functions of `chauffeur`, for one state at a time.

`steer_env.solved.chauffeur` explains the game, the names and the formulas. Compiled code (the
game's loop, and `chauffeur.value`) inlines these functions; they are plain Python as well.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import dot, norm, scale, unit

REGIONS = ("captured", "T", "D", "S", "W", "free")
"""Within the capture circle; the four regions of the solution; where V is infinite."""

CAPTURED, TURNING, DUBINS, SWERVE, AWAY, FREE = range(len(REGIONS))

LINE_STEPS = 256  # along the equivocal line: an error below 1e-9
TABLE_SIZE = 2 * (LINE_STEPS + 1)
_TURN = 2.0 * math.pi


class Game(NamedTuple):
    """What is known of a game before any state is; from `game_of`."""

    nu: float  # the evader's speed over the pursuer's
    l: float  # noqa: E741  the capture radius over the turning radius
    q: float  # sqrt(1 - nu**2)
    s0: float  # arccos nu
    tau_end: float  # the barrier's end; where it meets the y axis if capture cannot be forced
    is_closed: bool  # whether the barriers meet ahead of the car
    line: Any  # TABLE_SIZE numbers: r of the equivocal line at even a up to s0, then dr / da
    y_star: float  # r at a = 0
    c: float


class Plan(NamedTuple):
    """How a game goes on under perfect play, and its value."""

    region: int  # place in REGIONS
    value: float  # time to capture
    turn: float  # radians that the car turns now, to the right, before it does anything else
    course: complex  # unit vector, right + i ahead: where E runs


@compiled
def force_capture_above(nu: float) -> float:
    """The capture radius above which capture can be forced from everywhere."""
    q = math.sqrt(1.0 - nu * nu)
    return q + nu * angle_of(complex(q, nu)) - 1.0


@compiled
def _dubins(x: float, y: float) -> tuple[float, complex, float]:
    """The turn phi until E is dead ahead, the unit vector of that course, the tangent's d."""
    d = math.sqrt(max((x - 1.0) * (x - 1.0) + y * y - 1.0, 0.0))
    course = unit(complex(y + d * (x - 1.0), d * y - (x - 1.0)))
    phi = angle_of(complex(course.imag, course.real))
    return (phi if phi >= 0.0 else phi + _TURN), course, d


@compiled
def _value_of_dubins(x: float, y: float, nu: float, l: float) -> float:  # noqa: E741
    phi, _, d = _dubins(x, y)
    return (phi + d - l) / (1.0 - nu)


@compiled
def _slope(r: float, a: float, nu: float) -> float:
    """The derivative dr / da along the equivocal line."""
    along = direction(a)
    sine, cosine = along.imag, along.real
    _, gradient, _ = _dubins(r * sine, -r * cosine)  # of V, times 1 - nu
    of_r = (gradient.real * sine - gradient.imag * cosine) / (1.0 - nu)
    of_a = (gradient.real * cosine + gradient.imag * sine) * r / (1.0 - nu)
    m = cosine - nu
    return -of_a * m / (of_r * m + 1.0)


@compiled
def _fill_line(nu: float, l: float, q: float, s0: float, line: Any) -> None:  # noqa: E741
    """Integrates the equivocal line from the barrier's end (Runge and Kutta's fourth order)."""
    step, r = -s0 / LINE_STEPS, 2.0 * q + nu * (_TURN - 2.0 * s0) - l
    for place in range(LINE_STEPS, -1, -1):
        a = place * (s0 / LINE_STEPS)
        one = _slope(r, a, nu)
        line[place], line[LINE_STEPS + 1 + place] = r, one
        two = _slope(r + 0.5 * step * one, a + 0.5 * step, nu)
        three = _slope(r + 0.5 * step * two, a + 0.5 * step, nu)
        four = _slope(r + step * three, a + step, nu)
        r += step / 6.0 * (one + 2.0 * two + 2.0 * three + four)


@compiled
def game_of(nu: float, l: float, line: Any) -> Game:  # noqa: E741
    """A game's constants.

    Args:
        nu: speed ratio, above 0 and below 1.
        l: capture radius in turning radii, above 0 and below sqrt(1 - nu**2).
        line: TABLE_SIZE numbers; written.
    """
    q = math.sqrt(1.0 - nu * nu)
    if l > force_capture_above(nu):
        _fill_line(nu, l, q, angle_of(complex(nu, q)), line)
    return game_with(nu, l, line)


@compiled
def game_with(nu: float, l: float, line: Any) -> Game:  # noqa: E741
    """`game_of`, with a line that it has written before."""
    q = math.sqrt(1.0 - nu * nu)
    s0 = angle_of(complex(nu, q))
    tau_end = _TURN - 2.0 * s0
    if l <= force_capture_above(nu):
        return Game(nu, l, q, s0, _meeting(nu, l, q, tau_end), True, line, 0.0, 0.0)
    y_star = line[0]
    c = _value_of_dubins(0.0, -y_star, nu, l) + y_star / (1.0 - nu)
    return Game(nu, l, q, s0, tau_end, False, line, y_star, c)


@compiled
def barrier_point(nu: float, l: float, q: float, tau: float) -> complex:  # noqa: E741
    """The barrier at a time to go, right + i ahead."""
    turned = direction(-tau)
    rest = complex((l - nu * tau) * q - 1.0, (l - nu * tau) * nu)
    return complex(1.0, 0.0) + turned * rest


@compiled
def _meeting(nu: float, l: float, q: float, tau_end: float) -> float:  # noqa: E741
    """The first time to go at which the barrier is on the y axis."""
    low, high = 0.0, 0.0
    while high < tau_end and barrier_point(nu, l, q, high).real > 0.0:
        low, high = high, high + 1e-3
    for _ in range(50):
        middle = 0.5 * (low + high)
        if barrier_point(nu, l, q, middle).real > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled
def _barrier_angle(nu: float, l: float, q: float, tau: float) -> float:  # noqa: E741
    """The barrier's angle about the center of the car's circle; it falls as tau grows."""
    rho = l - nu * tau
    angle = angle_of(complex(rho * q - 1.0, rho * nu))
    return (angle if angle >= 0.0 else angle + _TURN) - tau


@compiled
def _time_on_barrier(game: Game, x: float, y: float) -> float:
    """The time to go where the barrier crosses the ray from the circle's center through E.

    Seen from there, the barrier goes around once at most. -1 if the ray does not meet it.
    """
    nu, l, q = game.nu, game.l, game.q  # noqa: E741
    low, high = 0.0, game.tau_end
    first, last = _barrier_angle(nu, l, q, low), _barrier_angle(nu, l, q, high)
    angle = angle_of(complex(x - 1.0, y))
    if angle < last:
        angle += _TURN
    if angle > first:
        return -1.0
    tau = min(max(first - angle, low), high)
    for _ in range(60):
        off = _barrier_angle(nu, l, q, tau) - angle
        if off > 0.0:
            low = tau
        else:
            high = tau
        if abs(off) < 1e-14:
            break
        rest = complex((l - nu * tau) * q - 1.0, (l - nu * tau) * nu)
        newton = tau - off / (nu * nu / dot(rest, rest) - 1.0)
        tau = newton if low < newton < high else 0.5 * (low + high)
    return tau


@compiled
def _line_at(game: Game, a: float) -> float:
    """The radius r of the equivocal line at an angle a up to s0; cubic between the entries."""
    spacing = game.s0 / LINE_STEPS
    place = min(max(int(a / spacing), 0), LINE_STEPS - 1)
    u = a / spacing - place
    v = 1.0 - u
    one, two = game.line[place], game.line[place + 1]
    one_slope, two_slope = game.line[LINE_STEPS + 1 + place], game.line[LINE_STEPS + 2 + place]
    straight = one * (1.0 + 2.0 * u) * v * v + two * (1.0 + 2.0 * v) * u * u
    return straight + spacing * u * v * (one_slope * v - two_slope * u)


@compiled
def slips_by(game: Game, x: float, y: float) -> tuple[bool, float]:
    """Whether E is inside, where turning at once does not catch it; x >= 0.

    Returns:
        That, and the time to go at the barrier next to E, -1 if there is none.
    """
    r = math.sqrt(x * x + y * y)
    if not game.is_closed and -y >= game.nu * r:
        return r < _line_at(game, angle_of(complex(-y, x))), -1.0
    tau = _time_on_barrier(game, x, y)
    if tau < 0.0:
        return True, tau
    rest = barrier_point(game.nu, game.l, game.q, tau) - complex(1.0, 0.0)
    offset = complex(x - 1.0, y)
    return dot(offset, offset) < dot(rest, rest), tau


@compiled
def _seen_after(around: complex, t: float) -> complex:
    """E, right + i ahead, seen from the car after a turn to the right while E rests.

    Args:
        around: E less the center of the car's circle.
        t: of the turn.
    """
    turned = around * direction(t)
    return complex(turned.real + 1.0, turned.imag)


@compiled
def _lead(around: complex, nu: float, l: float, t: float) -> float:  # noqa: E741
    """How much E is ahead of where, at the capture radius, it would have the bearing s0.

    While this is positive the gap of `_caught_turning` closes.
    """
    return _seen_after(around, t).imag - nu * (l - nu * t)


@compiled
def _end_of_closing(around: complex, nu: float, l: float, latest: float) -> float:  # noqa: E741
    """Until when the gap closes, at most until a time before which it does begin to."""
    if _lead(around, nu, l, latest) >= 0.0:
        return latest
    low, high = 0.0, latest
    if _lead(around, nu, l, low) < 0.0:  # it grows first, up to where its rate is 0
        cosine = -nu * nu / max(norm(around), nu * nu)
        sine = math.sqrt(1.0 - cosine * cosine)
        low = min(max(angle_of(complex(cosine, sine)) - angle_of(around), 0.0), latest)
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _lead(around, nu, l, middle) >= 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled
def _caught_turning(around: complex, nu: float, l: float, phi: float) -> float:  # noqa: E741
    """When a turn to the right catches E: the root of |E - F(t)|**2 - (l - nu t)**2.

    Args:
        around: E less the center of the car's circle; E is in region T.
        nu: as in `Game`.
        l: likewise.
        phi: when E would be dead ahead.
    """
    square = 1.0 + dot(around, around)
    low, high = 0.0, _end_of_closing(around, nu, l, phi)
    t = high
    for _ in range(60):
        seen, rho = _seen_after(around, t), l - nu * t
        gap = square + 2.0 * (seen.real - 1.0) - rho * rho
        if gap > 0.0:
            low = t
        else:
            high = t
        rate = 2.0 * (nu * rho - seen.imag)
        newton = t - gap / rate if rate < 0.0 else low
        if abs(newton - t) <= 1e-15 or high - low <= 1e-15:
            break
        t = newton if low < newton < high else 0.5 * (low + high)
    return t


@compiled
def _plan_inside(x: float, y: float, game: Game) -> Plan:
    """The plan in the regions W and S: a turn to the left first."""
    nu = game.nu
    # E is dead astern after the turn from which the car's tangent leads backwards to E.
    d = math.sqrt(max((x + 1.0) * (x + 1.0) + y * y - 1.0, 0.0))
    angle = angle_of(complex(x + 1.0 - d * y, d * (x + 1.0) + y))
    late = angle if angle >= -1e-12 else angle + _TURN
    late = max(late, 0.0)
    r = d - nu * late
    if r <= game.y_star:
        value = late + game.c - r / (1.0 - nu)
        return Plan(SWERVE, value, -late, _course_to(x, y, late))
    low, high = 0.0, late
    a, r = 0.0, game.y_star
    for _ in range(52):
        middle = 0.5 * (low + high)
        a, r = _astern(x, y, nu, middle)
        if a > game.s0 or r < _line_at(game, max(a, 0.0)):
            low = middle
        else:
            high = middle
    t = 0.5 * (low + high)
    on_line = direction(a)
    value = t + _value_of_dubins(r * on_line.imag, -r * on_line.real, nu, game.l)
    return Plan(AWAY, value, -t, _course_to(x, y, t))


@compiled
def _place_after_left_turn(t: float) -> complex:
    return direction(t) - complex(1.0, 0.0)


@compiled
def _course_to(x: float, y: float, t: float) -> complex:
    return unit(_place_after_left_turn(t) - complex(x, y))


@compiled
def _astern(x: float, y: float, nu: float, t: float) -> tuple[float, float]:
    """E in polar coordinates behind the car, (a, r), after a turn to the left."""
    offset = complex(x, y) - _place_after_left_turn(t)
    seen = offset * direction(-t)
    return angle_of(complex(-seen.imag, seen.real)), norm(offset) - nu * t


@compiled
def plan_of(right: float, ahead: float, game: Game) -> Plan:
    """How the game goes on from a state.

    Args:
        right: of E, seen from the car's nose, in turning radii.
        ahead: likewise.
        game: from `game_of`.
    """
    x, y = abs(right), ahead
    mirror = 1.0 if right >= 0.0 else -1.0
    if x * x + y * y <= game.l * game.l:
        course = unit(complex(x, y))
        return Plan(CAPTURED, 0.0, 0.0, complex(mirror * course.real, course.imag))
    phi, course, d = _dubins(x, y)
    value = (phi + d - game.l) / (1.0 - game.nu)
    plan = Plan(DUBINS, value, phi, course)
    is_inside, tau = slips_by(game, x, y)
    if is_inside and game.is_closed:
        course = unit(complex(x, y)) if tau < 0.0 else normal_of(game, tau)
        plan = Plan(FREE, math.inf, phi, course)
    elif is_inside:
        plan = _plan_inside(x, y, game)
    elif d < game.l - game.nu * phi:
        around = complex(x - 1.0, y)
        when = _caught_turning(around, game.nu, game.l, phi)
        course = unit(_seen_after(around, when) * direction(-when))
        plan = Plan(TURNING, when, when, course)
    course = complex(mirror * plan.course.real, plan.course.imag)
    return Plan(plan.region, plan.value, mirror * plan.turn, course)


@compiled
def normal_of(game: Game, tau: float) -> complex:
    """E's course on the barrier, right + i ahead: straight to the capture circle's edge."""
    return complex(game.q, game.nu) * direction(-tau)


class Step(NamedTuple):
    """What perfect play comes to in a step."""

    turn: float  # of the car, to the right, in radians
    run: complex  # from where E is to where it runs, right + i ahead of the car's first nose


@compiled
def step_of(right: float, ahead: float, game: Game, seconds: float) -> Step:
    """Perfect play in a step: through all of its phases, if one ends within it.

    Args:
        right: of E, as in `plan_of`.
        ahead: likewise.
        game: from `game_of`.
        seconds: the length of the step, in units of R / vp.
    """
    nose, run, turned, left = complex(0.0, 1.0), 0j, 0.0, seconds
    car, seen = 0j, complex(right, ahead)  # in the first frame; E in the present one
    for phase in range(_PHASES):
        plan = plan_of(seen.real, seen.imag, game)
        turns = abs(plan.turn) > _LEAST
        lasts = left
        if plan.region == SWERVE and not turns:
            lasts = (game.y_star - norm(seen)) / (1.0 - game.nu)
        elif plan.region == AWAY or (turns and plan.region != TURNING):
            lasts = abs(plan.turn)
        lasts = left if phase == _PHASES - 1 else min(max(lasts, _LEAST), left)
        turn = 0.0 if not turns else lasts if plan.turn > 0.0 else -lasts
        run += scale(nose * complex(plan.course.imag, -plan.course.real), game.nu * lasts)
        half = direction(-0.5 * turn)
        chord = 2.0 * abs(half.imag) if turn != 0.0 else lasts
        car += scale(nose * half, chord)
        nose *= half * half
        turned += turn
        left -= lasts
        if left <= 0.0:
            break
        offset = (complex(right, ahead) + run - car) * nose.conjugate()
        seen = complex(-offset.imag, offset.real)
    return Step(turned, run)


_PHASES = 6
_LEAST = 1e-9  # that a phase lasts, and a turn: rounding must not keep one from ending


@compiled
def pursuer_turn(right: float, ahead: float, game: Game, seconds: float) -> float:
    """How far the car turns to the right in its next step, in radians; negative for left.

    Arguments are those of `step_of`.
    """
    return step_of(right, ahead, game, seconds).turn


@compiled
def evader_velocity(right: float, ahead: float, game: Game, seconds: float) -> complex:
    """E's velocity in its next step, right + i ahead, as a share of its speed.

    Where V jumps, at the barrier and at the capture circle, E must not be led across within the
    step: so near, it runs along the normal, which the car cannot beat. From any other course it
    comes nearer by at most 2 nu times the length of the step, whatever the car does.

    Arguments are those of `step_of`.
    """
    x, y = abs(right), ahead
    margin, distance = 2.0 * game.nu * seconds, math.sqrt(x * x + y * y)
    is_inside, tau = slips_by(game, x, y)
    if is_inside and distance > game.l:
        normal, is_near = unit(complex(x, y)), False
        if distance - game.l < margin and y < game.nu * distance:
            is_near = True
        elif tau >= 0.0:
            normal = normal_of(game, tau)
            offset = complex(x, y) - barrier_point(game.nu, game.l, game.q, tau)
            is_near = dot(offset, normal) < margin
        if is_near:
            return complex(normal.real if right >= 0.0 else -normal.real, normal.imag)
    return scale(step_of(right, ahead, game, seconds).run, 1.0 / (game.nu * seconds))
