"""How the homicidal chauffeur goes on from a state under perfect play, and its value.

`steer_env.solved.chauffeur` explains the game, the names and the formulas.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from steer_env.solved.chauffeur_contact import (
    arrival,
    astern,
    enters_circle,
    place_after_left_turn,
    tangential,
    time_in_contact,
    time_of_touch,
)
from steer_env.solved.chauffeur_game import (
    LEAST,
    S_EXIT,
    WHOLE_TURN,
    Game,
    dubins,
    fill_line,
    force_capture_above,
    game_with,
    line_at,
    slips_by,
    value_on_line,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import dot, norm, scale, unit

REGIONS = ("captured", "T", "D", "S", "W", "free")
"""Within the capture circle; the four regions of the solution; where V is infinite."""

CAPTURED, TURNING, DUBINS, SWERVE, AWAY, FREE = range(len(REGIONS))

_TOUCHING = 1e-10  # as near E is on the capture circle
_PATIENCE = 60  # steps to the line


class Plan(NamedTuple):
    """How a game goes on under perfect play, and its value."""

    region: int  # place in REGIONS
    value: float  # time to capture
    turn: float  # radians that the car turns now, to the right, before it does anything else
    course: complex  # unit vector, right + i ahead: where E runs
    lasts: float  # how long both go on like this


@compiled
def game_of(nu: float, l: float, table: Any) -> Game:  # noqa: E741
    """A game's constants.

    Args:
        nu: speed ratio, above 0 and below 1.
        l: capture radius in turning radii, above 0 and below sqrt(1 - nu**2).
        table: TABLE_SIZE numbers; written.
    """
    q = math.sqrt(1.0 - nu * nu)
    if l > force_capture_above(nu):
        fill_line(nu, l, angle_of(complex(nu, q)), table)
        table[S_EXIT] = _end_of_contact(game_with(nu, l, table))
    return game_with(nu, l, table)


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
        if (rate < 0.0 and abs(newton - t) <= 1e-15) or high - low <= 1e-15:
            break
        t = newton if low < newton < high else 0.5 * (low + high)
    return t


@compiled
def _straight_plan(x: float, y: float, game: Game) -> Plan:
    """The plan in the regions W and S, if E can run straight: the car turns to the left."""
    nu = game.nu
    # E is dead astern after the turn from which the car's tangent leads backwards to E.
    d = math.sqrt(max((x + 1.0) * (x + 1.0) + y * y - 1.0, 0.0))
    angle = angle_of(complex(x + 1.0 - d * y, d * (x + 1.0) + y))
    late = angle if angle >= -1e-12 else angle + WHOLE_TURN
    late = max(late, 0.0)
    r = d - nu * late
    if r <= game.y_star:
        value = late + game.c - r / (1.0 - nu)
        lasts = late if late > LEAST else (game.y_star - r) / (1.0 - nu)
        return Plan(SWERVE, value, -late, _course_to(x, y, late), lasts)
    low, high, at_low, at_high = 0.0, late, -math.inf, r - game.y_star
    a, t, was_low = 0.0, late, False
    for step in range(_PATIENCE):  # to the line: by false position (Illinois), or halves
        t = 0.5 * (low + high)
        if at_low > -math.inf and step % 4 != 3:
            t = high - at_high * (high - low) / (at_high - at_low)
        a, r = astern(x, y, nu, t)
        off = r - line_at(game, max(a, 0.0)) if a <= game.s0 else -math.inf
        if abs(off) <= 1e-15 * (1.0 + r) or high - low <= 1e-15:
            break
        if off < 0.0:
            at_high *= 0.5 if was_low else 1.0
            low, at_low, was_low = t, off, off > -math.inf
        else:
            at_low *= 1.0 if was_low else 0.5
            high, at_high, was_low = t, off, False
    value = t + value_on_line(game, max(a, 0.0), r)
    return Plan(AWAY, value, -t, _course_to(x, y, t), t)


@compiled
def _on_circle(s: float) -> complex:
    """The unit vector of a bearing, right + i ahead."""
    along = direction(s)
    return complex(along.imag, along.real)


@compiled
def _end_of_contact(game: Game) -> float:
    """The bearing on the capture circle from which on E runs straight without entering it."""
    low, high = game.s0, math.pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        outward = _on_circle(middle)
        plan = _straight_plan(game.l * outward.real, game.l * outward.imag, game)
        if game.nu * dot(plan.course, outward) < outward.imag:
            low = middle
        else:
            high = middle
    return high


@compiled
def _contact_plan(x: float, y: float, game: Game) -> Plan:
    """The plan where E cannot run straight: first it touches the capture circle.

    It runs straight until it touches the circle, follows it while the car turns away, and
    leaves it as soon as a straight run does not lead into it.
    """
    outward = unit(complex(x, y))
    onward = complex(outward.imag, -outward.real)  # toward larger bearings
    along = tangential(game.nu, outward.imag)
    t, course = 0.0, unit(scale(outward, outward.imag) - scale(onward, along))
    if norm(complex(x, y)) - game.l > _TOUCHING:
        t = time_of_touch(x, y, game)
        _, course, outward = arrival(x, y, t, game)
    seen = outward * direction(-t)
    whole = t + time_in_contact(angle_of(complex(seen.imag, seen.real)), game)
    leaving = _on_circle(game.s_exit)
    after = _straight_plan(game.l * leaving.real, game.l * leaving.imag, game)
    # On the circle E runs along the tangent: the car turns away from it.
    lasts = t if t > 0.0 else whole
    return Plan(after.region, whole + after.value, after.turn - whole, course, lasts)


@compiled
def _course_to(x: float, y: float, t: float) -> complex:
    return unit(place_after_left_turn(t) - complex(x, y))


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
    plan = _plan_on_right(x, y, game)
    course = complex(mirror * plan.course.real, plan.course.imag)
    return Plan(plan.region, plan.value, mirror * plan.turn, course, plan.lasts)


@compiled
def _plan_on_right(x: float, y: float, game: Game) -> Plan:
    if x * x + y * y <= game.l * game.l:
        return Plan(CAPTURED, 0.0, 0.0, unit(complex(x, y)), math.inf)
    phi, course, d = dubins(x, y)
    is_inside, tau = slips_by(game, x, y)
    if is_inside and game.is_closed:
        course = unit(complex(x, y)) if tau < 0.0 else normal_of(game, tau)
        return Plan(FREE, math.inf, phi, course, phi if phi > LEAST else math.inf)
    if is_inside:
        plan = _straight_plan(x, y, game)
        return _contact_plan(x, y, game) if enters_circle(x, y, game, -plan.turn) else plan
    if d < game.l - game.nu * phi:
        around = complex(x - 1.0, y)
        when = _caught_turning(around, game.nu, game.l, phi)
        course = unit(_seen_after(around, when) * direction(-when))
        return Plan(TURNING, when, when, course, math.inf)
    value = (phi + d - game.l) / (1.0 - game.nu)
    return Plan(DUBINS, value, phi, course, phi if phi > LEAST else math.inf)


@compiled
def normal_of(game: Game, tau: float) -> complex:
    """E's course on the barrier, right + i ahead: straight to the capture circle's edge."""
    return complex(game.q, game.nu) * direction(-tau)
