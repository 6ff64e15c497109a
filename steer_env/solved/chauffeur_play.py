"""The homicidal chauffeur in steps: what the car and the evader do in each."""

from __future__ import annotations

import math
from typing import NamedTuple

from steer_env.solved import chauffeur_game
from steer_env.solved.chauffeur_game import LEAST, WHOLE_TURN, ChauffeurGame, dubins, slips_by
from steer_env.solved.chauffeur_plan import AWAY, Plan, normal_of, plan_of
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import dot, norm, scale, unit

_PHASES = 6  # of perfect play that a step may have


class Step(NamedTuple):
    """Perfect play in a step."""

    turn: float  # of the car, to the right, in radians
    run: complex  # from where E is to where it runs, right + i ahead of the car's first nose


@compiled
def step_of(right: float, ahead: float, game: ChauffeurGame, seconds: float) -> Step:
    """Perfect play in a step, through all of its phases.

    The seconds of a step are in units of R / vp here.
    """
    nose, run, turned, left = complex(0.0, 1.0), 0j, 0.0, seconds
    car, seen = 0j, complex(right, ahead)  # in the first frame; E in the present one
    for phase in range(_PHASES):
        plan = plan_of(seen.real, seen.imag, game)
        turns = abs(plan.turn) > LEAST
        lasts = left if phase == _PHASES - 1 else min(max(plan.lasts, LEAST), left)
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


@compiled
def _value_after(
    right: float, ahead: float, game: ChauffeurGame, turn: float, run: complex, seconds: float
) -> float:
    """V after a step in which the car turns by an angle and E runs, both as in `Step`."""
    half = direction(-0.5 * turn)
    chord = 2.0 * abs(half.imag) * (seconds / abs(turn)) if turn != 0.0 else seconds
    car, nose = scale(complex(0.0, 1.0) * half, chord), complex(0.0, 1.0) * half * half
    offset = (complex(right, ahead) + run - car) * nose.conjugate()
    return plan_of(-offset.imag, offset.real, game).value


@compiled
def _meets_line(plan: Plan, seconds: float) -> bool:
    """True if perfect play meets the equivocal line within the step."""
    return plan.region == AWAY and plan.lasts < seconds


_TURNS = 21  # of the car, from left to right, that are compared at the equivocal line
_PERFECT = 1e-6  # a course or a turn this near to the plan's is the plan's


@compiled
def pursuer_turn(
    right: float, ahead: float, game: ChauffeurGame, seconds: float, run_before: complex
) -> float:
    """The angle by which the car turns to the right in its next step, in radians.

    On the equivocal line, turning to either side is equally good if the evader plays along. If
    its last velocity, ``run_before`` (right + i ahead, a share of its speed), shows that it
    does not, the car makes the best turn against the same run.
    """
    plan = plan_of(right, ahead, game)
    perfect = step_of(right, ahead, game, seconds)
    is_perfect = norm(run_before - plan.course) < _PERFECT or norm(run_before) < _PERFECT
    if not _meets_line(plan, seconds) or is_perfect:
        return perfect.turn
    run = scale(unit(run_before), game.nu * seconds)
    best, least = perfect.turn, math.inf
    for place in range(_TURNS):
        turn = (place * 2.0 / (_TURNS - 1) - 1.0) * seconds
        value = _value_after(right, ahead, game, turn, run, seconds)
        if value < least:
            best, least = turn, value
    return best


@compiled
def _run_of_evader(
    right: float, ahead: float, game: ChauffeurGame, seconds: float, turn_before: float
) -> complex:
    """The run of E in its next step.

    At the equivocal line, if the car has not turned away, E runs so that the worst of all turns
    is best for it.
    """
    plan = plan_of(right, ahead, game)
    perfect = step_of(right, ahead, game, seconds)
    to_other_side = turn_before if right >= 0.0 else -turn_before
    is_perfect = to_other_side < _PERFECT - seconds or turn_before == 0.0  # the first step
    if not _meets_line(plan, seconds) or is_perfect:
        return perfect.run
    _, outside, _ = dubins(abs(right), ahead)
    best, most = perfect.run, -1.0
    for course in (plan.course, complex(math.copysign(outside.real, right), outside.imag)):
        run, least = scale(course, game.nu * seconds), math.inf
        for turn in (-seconds, 0.0, perfect.turn, seconds):
            least = min(least, _value_after(right, ahead, game, turn, run, seconds))
        if least > most:
            best, most = run, least
    return best


@compiled
def evader_velocity(
    right: float, ahead: float, game: ChauffeurGame, seconds: float, turn_before: float
) -> complex:
    """E's velocity in its next step, right + i ahead, as a share of its speed.

    V jumps at the barrier and at the capture circle beside the car. Near them E's course is
    only as far from the outward normal as is safe for any turn of the car, with a reserve of
    seconds**2 / 2. The car turned by ``turn_before`` to the right in the last step, in radians.
    """
    run = _run_of_evader(right, ahead, game, seconds, turn_before)
    run = scale(run, 1.0 / (game.nu * seconds))
    x, y = abs(right), ahead
    is_inside, tau = slips_by(game, x, y)
    distance = math.sqrt(x * x + y * y)
    if not is_inside or distance <= game.l:
        return run
    mirror, reserve = (1.0 if right >= 0.0 else -1.0), 0.5 * seconds * seconds
    if game.is_closed:
        mirror, tau = _safer_side(right, ahead, game)
        x = mirror * right
    run = complex(mirror * run.real, run.imag)
    if tau >= 0.0:  # a course at the angle b to the normal loses nu (1 - cos b), at most
        normal = normal_of(game, tau)
        offset = complex(x, y) - chauffeur_game.barrier_point(game.nu, game.l, game.q, tau)
        room = max(dot(offset, normal) - reserve, 0.0)
        run = _kept_outward(run, normal, 1.0 - 0.5 * room / (game.nu * seconds))
    room = distance - game.l - reserve
    if y < game.nu * distance:  # beside the car and behind it
        outward = complex(x / distance, y / distance)
        run = _kept_outward(run, outward, (outward.imag - room / seconds) / game.nu)
    return complex(mirror * run.real, run.imag)


@compiled
def _safer_side(right: float, ahead: float, game: ChauffeurGame) -> tuple[float, float]:
    """The side, 1 or -1 for left, on which E is farther beyond the barrier, and its time to go.

    The barriers meet ahead of the car. Each counts up to its end beyond the y axis, so that E
    does not change sides.
    """
    side, time, farthest = 1.0 if right >= 0.0 else -1.0, -1.0, -math.inf
    for mirror in (1.0, -1.0):
        x = mirror * right
        tau = chauffeur_game.time_on_barrier(game, x, ahead, WHOLE_TURN - 2.0 * game.s0)
        if tau >= 0.0:
            edge = chauffeur_game.barrier_point(game.nu, game.l, game.q, tau)
            beyond = dot(complex(x, ahead) - edge, normal_of(game, tau))
            if beyond > farthest:
                side, time, farthest = mirror, tau, beyond
    return side, time


@compiled
def _kept_outward(run: complex, normal: complex, least: float) -> complex:
    """A velocity with at least a given part along a normal, at top speed if it changes."""
    if dot(run, normal) >= least:
        return run
    share = min(least, 1.0)
    across = complex(-normal.imag, normal.real)
    side = math.sqrt(max(1.0 - share * share, 0.0))
    return scale(normal, share) + scale(across, side if dot(run, across) >= 0.0 else -side)
