"""E's contact with the capture circle, while it runs ahead of a car that turns to the left.

`steer_env.solved.chauffeur` explains the game, the names and the formulas.
"""

from __future__ import annotations

import math

from steer_env.solved.chauffeur_game import Game
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import dot, norm, scale, unit

_PATIENCE = 200  # steps up to the moment at which E could touch the capture circle
_GRAZING = 1e-9  # nearer, it could

_PARTS = 3  # of the time in contact, in each of which we use:
# Gauss's and Legendre's rule with ten points.
_NODES = (
    -0.9739065285171717,
    -0.8650633666889845,
    -0.6794095682990244,
    -0.4333953941292472,
    -0.14887433898163122,
    0.14887433898163122,
    0.4333953941292472,
    0.6794095682990244,
    0.8650633666889845,
    0.9739065285171717,
)
_WEIGHTS = (
    0.06667134430868814,
    0.1494513491505804,
    0.219086362515982,
    0.2692667193099965,
    0.2955242247147528,
    0.2955242247147528,
    0.2692667193099965,
    0.219086362515982,
    0.1494513491505804,
    0.06667134430868814,
)


@compiled
def place_after_left_turn(t: float) -> complex:
    """Where the car is then, right + i ahead of its first place."""
    return direction(t) - complex(1.0, 0.0)


@compiled
def astern(x: float, y: float, nu: float, t: float) -> tuple[float, float]:
    """E in polar coordinates behind the car, (a, r), after a turn to the left."""
    offset = complex(x, y) - place_after_left_turn(t)
    seen = offset * direction(-t)
    return angle_of(complex(-seen.imag, seen.real)), norm(offset) - nu * t


@compiled
def enters_circle(x: float, y: float, game: Game, end: float) -> bool:
    """Whether a straight run, to where the car then is, leads E into the capture circle.

    E is outside at first. At the time w to go, its offset from the car is, in the car's last
    frame, (r + nu w) (sin a, -cos a) + (1 - cos w, sin w), where (a, r) is E's place behind the
    car at the end. Half the derivative of its square is negative at w = 0, it rises up to
    w = s0 - a, where it is positive, and going back from there the distance only grows until
    it shrinks to its first value. So there is one least distance, at the root in between.

    Args:
        x: right of the car's nose.
        y: ahead of it.
        game: the game.
        end: the run's time.
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
        if slope < 0.0:
            low = w
        else:
            high = w
        newton = w - slope / (far * sine + nu * nu - 2.0 * nu * cosine + back.real)
        if abs(newton - w) <= 1e-15:
            break
        w = newton if low < newton < high else 0.5 * (low + high)
    back, far = direction(w), r + nu * w
    offset = complex(far * behind.imag + 1.0 - back.real, back.imag - far * behind.real)
    return dot(offset, offset) < game.l * game.l


@compiled
def tangential(nu: float, cosine: float) -> float:
    """E's speed along the capture circle, if it keeps its distance at a bearing's cosine."""
    return math.sqrt(max(nu * nu - cosine * cosine, 0.0))


@compiled
def time_in_contact(s: float, game: Game) -> float:
    """How long E stays on the capture circle, from a bearing until `s_exit`.

    There ds / dt = 1 + (sin s - sqrt(nu**2 - cos(s)**2)) / l. The root has no derivative at s0
    and pi - s0; with cos s = -nu sin w it is nu cos w, and all is smooth. Three parts by a rule
    of Gauss's are exact to 1e-9 for any nu.
    """
    low, high = _smooth_bearing(s, game.nu), _smooth_bearing(game.s_exit, game.nu)
    half, total = 0.5 * (high - low) / _PARTS, 0.0
    for part in range(_PARTS):
        middle = low + (2.0 * part + 1.0) * half
        for place in range(len(_NODES)):
            along = direction(middle + half * _NODES[place])
            root = game.nu * along.real
            sine = math.sqrt(1.0 - game.nu * game.nu * along.imag * along.imag)
            total += _WEIGHTS[place] * root / (sine * (1.0 + (sine - root) / game.l))
    return max(half * total, 0.0)


@compiled
def _smooth_bearing(s: float, nu: float) -> float:
    """The w of `time_in_contact`, from -pi / 2 at s0 to pi / 2 at pi - s0."""
    cosine = direction(s).real
    return angle_of(complex(tangential(nu, cosine), -cosine))


@compiled
def arrival(x: float, y: float, t: float, game: Game) -> tuple[float, complex, complex]:
    """E's straight run that reaches the capture circle at a time, more ahead than it began.

    Returns:
        How fast the distance grows on arrival, E's course, and the unit vector from the car to
        E on arrival, all in the first frame.
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
def time_of_touch(x: float, y: float, game: Game) -> float:
    """When a straight run that only just touches the capture circle arrives there."""
    low = 0.0
    for _ in range(_PATIENCE):  # the first moment at which E could be on the circle
        room = norm(complex(x, y) - place_after_left_turn(low)) - game.l - game.nu * low
        if room < _GRAZING:
            break
        low += room / (1.0 + game.nu)
    high, step = low, 1e-3
    for _ in range(_PATIENCE):
        high, step = high + step, 2.0 * step
        rate, _, _ = arrival(x, y, high, game)
        if rate >= 0.0:
            break
        low = high
    for _ in range(50):
        middle = 0.5 * (low + high)
        rate, _, _ = arrival(x, y, middle, game)
        if rate < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
