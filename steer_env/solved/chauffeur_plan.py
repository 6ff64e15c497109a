"""The plan of a homicidal chauffeur: perfect play from a state on, and its value."""

# ruff: noqa: E741
from __future__ import annotations

import math
from typing import Any, NamedTuple

from steer_env.solved import chauffeur_game
from steer_env.solved.chauffeur_game import (
    LEAST,
    WHOLE_TURN,
    ChauffeurGame,
    dubins,
    line_at,
    slips_by,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import dot, norm, scale, unit

REGIONS = ("captured", "T", "D", "S", "W", "free")
"""The capture circle, the four regions of the solution, and where V is infinite."""

CAPTURED, TURNING, DUBINS, SWERVE, AWAY, FREE = range(len(REGIONS))

_TOUCHING = 1e-10  # as near E is on the capture circle
_PATIENCE = 60  # steps to the line
_STEPS_TO_TOUCH = 200  # up to the moment at which E could touch the capture circle
_GRAZING = 1e-9  # nearer, it could

_PARTS = 3  # of the time in contact, in each of which we use:
# Gauss's and Legendre's rule with ten points: these nodes on the right, and their weights.
_RIGHT = (
    (0.14887433898163122, 0.2955242247147528),
    (0.4333953941292472, 0.2692667193099965),
    (0.6794095682990244, 0.219086362515982),
    (0.8650633666889845, 0.1494513491505804),
    (0.9739065285171717, 0.06667134430868814),
)
_RULE = (*((-node, weight) for node, weight in reversed(_RIGHT)), *_RIGHT)


class Plan(NamedTuple):
    """The next phase of perfect play, and the value."""

    region: int  # place in REGIONS
    value: float  # time to capture
    turn: float  # radians that the car turns now, to the right, before it does anything else
    course: complex  # unit vector, right + i ahead: where E runs
    lasts: float  # how long both go on like this


@compiled
def game_of(nu: float, l: float, table: Any) -> ChauffeurGame:
    """A game's constants, for arguments as in `value`, and its table, written."""
    q = math.sqrt(1.0 - nu * nu)
    if l > chauffeur_game.force_capture_above(nu):
        chauffeur_game.fill_line(nu, l, angle_of(complex(nu, q)), table)
        table[chauffeur_game.S_EXIT] = _end_of_contact(chauffeur_game.game_with(nu, l, table))
    return chauffeur_game.game_with(nu, l, table)


@compiled
def place_after_left_turn(t: float) -> complex:
    """The car's place then, right + i ahead of its first place."""
    return direction(t) - complex(1.0, 0.0)


@compiled
def astern(x: float, y: float, nu: float, t: float) -> tuple[float, float]:
    """E in polar coordinates behind the car, (a, r), after a turn to the left."""
    offset = complex(x, y) - place_after_left_turn(t)
    seen = offset * direction(-t)
    return angle_of(complex(-seen.imag, seen.real)), norm(offset) - nu * t


@compiled
def enters_circle(x: float, y: float, game: ChauffeurGame, end: float) -> bool:
    """True if a straight run to the car's later place leads E into the capture circle.

    With w to go, E's offset from the car is (r + nu w) (sin a, -cos a) + (1 - cos w, sin w) in
    the car's last frame, with (a, r) E's place behind the car at the end. The slope of its
    square is negative at w = 0 and positive at s0 - a, so the minimum distance is at the root
    in between.
    """
    nu = game.nu
    a, r = astern(x, y, nu, end)
    behind = direction(a)
    low, high = 0.0, min(end, max(game.s0 - a, 0.0))
    w = high
    for step in range(60):
        back = direction(w)
        cosine = behind.real * back.real - behind.imag * back.imag
        sine = behind.real * back.imag + behind.imag * back.real
        far = r + nu * w
        slope = far * (nu - cosine) - nu * (sine - behind.imag) + back.imag
        if step == 0 and slope <= 0.0:
            return False  # E is past the least distance
        low, high = (w, high) if slope < 0.0 else (low, w)
        newton = w - slope / (far * sine + nu * nu - 2.0 * nu * cosine + back.real)
        if abs(newton - w) <= 1e-15:
            break
        w = newton if low < newton < high else 0.5 * (low + high)
    back, far = direction(w), r + nu * w
    offset = complex(far * behind.imag + 1.0 - back.real, back.imag - far * behind.real)
    return dot(offset, offset) < game.l * game.l


@compiled
def tangential(nu: float, cosine: float) -> float:
    """E's speed along the capture circle at a bearing's cosine, at an equal distance."""
    return math.sqrt(max(nu * nu - cosine * cosine, 0.0))


@compiled
def time_in_contact(s: float, game: ChauffeurGame) -> float:
    """The time that E stays on the capture circle, from a bearing until `s_exit`.

    ds / dt = 1 + (sin s - sqrt(nu**2 - cos(s)**2)) / l is smooth in w, with cos s = -nu sin w.
    Gauss's rule in three parts is exact to 1e-9.
    """
    low, high = _smooth_bearing(s, game.nu), _smooth_bearing(game.s_exit, game.nu)
    half, total = 0.5 * (high - low) / _PARTS, 0.0
    for part in range(_PARTS):
        middle = low + (2.0 * part + 1.0) * half
        for node, weight in _RULE:
            along = direction(middle + half * node)
            root = game.nu * along.real
            sine = math.sqrt(1.0 - game.nu * game.nu * along.imag * along.imag)
            total += weight * root / (sine * (1.0 + (sine - root) / game.l))
    return max(half * total, 0.0)


@compiled
def _smooth_bearing(s: float, nu: float) -> float:
    """The w of `time_in_contact`, from -pi / 2 at s0 to pi / 2 at pi - s0."""
    cosine = direction(s).real
    return angle_of(complex(tangential(nu, cosine), -cosine))


@compiled
def arrival(
    x: float, y: float, t: float, game: ChauffeurGame
) -> tuple[float, complex, complex]:
    """E's straight run that reaches the capture circle at a time, more ahead than it began.

    Returns how fast the distance grows on arrival, E's course, and the unit vector from the car
    to E on arrival, all in the first frame.
    """
    car = place_after_left_turn(t)
    offset, run = complex(x, y) - car, game.nu * t
    distance = norm(offset)
    room = distance - game.l
    # Of half the angle at the car between E's first place and the one on the circle:
    square = (run - room) * (run + room) / (4.0 * distance * game.l)
    square = min(max(square, 0.0), 1.0)
    sine = 2.0 * math.sqrt(square * (1.0 - square))
    outward = unit(offset) * complex(1.0 - 2.0 * square, sine)
    course = unit(car + scale(outward, game.l) - complex(x, y))
    nose = complex(0.0, 1.0) * direction(t)
    return game.nu * dot(course, outward) - dot(nose, outward), course, outward


@compiled
def time_of_touch(x: float, y: float, game: ChauffeurGame) -> float:
    """The time at which a straight run just touches the capture circle."""
    low = 0.0
    for _ in range(_STEPS_TO_TOUCH):  # the first moment at which E could be on the circle
        room = norm(complex(x, y) - place_after_left_turn(low)) - game.l - game.nu * low
        if room < _GRAZING:
            break
        low += room / (1.0 + game.nu)
    high, step = low, 1e-3
    for _ in range(_STEPS_TO_TOUCH):
        high, step = high + step, 2.0 * step
        rate, _, _ = arrival(x, y, high, game)
        if rate >= 0.0:
            break
        low = high
    for _ in range(50):
        middle = 0.5 * (low + high)
        rate, _, _ = arrival(x, y, middle, game)
        low, high = (middle, high) if rate < 0.0 else (low, middle)
    return 0.5 * (low + high)


@compiled
def _seen_after(around: complex, t: float) -> complex:
    """E, right + i ahead, seen from the car after a turn to the right while E rests."""
    turned = around * direction(t)
    return complex(turned.real + 1.0, turned.imag)


@compiled
def _lead(around: complex, nu: float, l: float, t: float) -> float:
    """E's lead over the bearing s0 at the capture radius: the gap closes above 0."""
    return _seen_after(around, t).imag - nu * (l - nu * t)


@compiled
def _end_of_closing(around: complex, nu: float, l: float, latest: float) -> float:
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
        low, high = (middle, high) if _lead(around, nu, l, middle) >= 0.0 else (low, middle)
    return 0.5 * (low + high)


@compiled
def _caught_turning(around: complex, nu: float, l: float, phi: float) -> float:
    """The time at which a turn to the right catches E in region T: |E - F(t)| = l - nu t."""
    square = 1.0 + dot(around, around)
    low, high = 0.0, _end_of_closing(around, nu, l, phi)
    t = high
    for _ in range(60):
        seen, rho = _seen_after(around, t), l - nu * t
        gap = square + 2.0 * (seen.real - 1.0) - rho * rho
        low, high = (t, high) if gap > 0.0 else (low, t)
        rate = 2.0 * (nu * rho - seen.imag)
        newton = t - gap / rate if rate < 0.0 else low
        if (rate < 0.0 and abs(newton - t) <= 1e-15) or high - low <= 1e-15:
            break
        t = newton if low < newton < high else 0.5 * (low + high)
    return t


@compiled
def _straight_plan(x: float, y: float, game: ChauffeurGame) -> Plan:
    """The plan in the regions W and S for a straight run: the car turns left."""
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
    value = t + chauffeur_game.value_on_line(game, max(a, 0.0), r)
    return Plan(AWAY, value, -t, _course_to(x, y, t), t)


@compiled
def _on_circle(s: float) -> complex:
    """The unit vector of a bearing, right + i ahead."""
    along = direction(s)
    return complex(along.imag, along.real)


@compiled
def _end_of_contact(game: ChauffeurGame) -> float:
    """The bearing on the capture circle from which on E runs straight without entering it."""
    low, high = game.s0, math.pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        outward = _on_circle(middle)
        plan = _straight_plan(game.l * outward.real, game.l * outward.imag, game)
        enters = game.nu * dot(plan.course, outward) < outward.imag
        low, high = (middle, high) if enters else (low, middle)
    return high


@compiled
def _contact_plan(x: float, y: float, game: ChauffeurGame) -> Plan:
    """The plan where E cannot run straight, but first follows the capture circle."""
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
def plan_of(right: float, ahead: float, game: ChauffeurGame) -> Plan:
    """The plan for E at a place to the right of the car's nose and ahead of it."""
    x, y = abs(right), ahead
    mirror = 1.0 if right >= 0.0 else -1.0
    plan = _plan_on_right(x, y, game)
    course = complex(mirror * plan.course.real, plan.course.imag)
    return Plan(plan.region, plan.value, mirror * plan.turn, course, plan.lasts)


@compiled
def _plan_on_right(x: float, y: float, game: ChauffeurGame) -> Plan:
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
def normal_of(game: ChauffeurGame, tau: float) -> complex:
    """E's course on the barrier, right + i ahead: straight to the capture circle's edge."""
    return complex(game.q, game.nu) * direction(-tau)
