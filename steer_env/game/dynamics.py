"""The motion of a vehicle under a steering force: four models.

- `POINT_MASS` (Reynolds 1999): the force, cut to ``max_force``, accelerates the
  mass; the speed is cut to ``max_speed``; the heading follows the velocity. With drag it
  also slows down by itself, see `drag_of_step`.
- `SIMPLE_MOTION` (Isaacs 1965): the velocity is commanded directly, so a vehicle
  turns on the spot; the steering force asks for the velocity v + force.
- `CAR` (Dubins 1957; Isaacs' homicidal chauffeur): constant speed ``max_speed``
  and a turn rate of at most max_force / (mass * max_speed), which is what the force
  limit allows sideways; the steering force asks for the direction of v + force. In a step it
  drives along the arc that ends in the new direction.
- `DOUBLE_INTEGRATOR` (the vehicle of missile guidance): the point mass once more, but the force
  acts all through the step, so that its place is exact as well. (A point mass moves at the
  velocity that it has at the end of the step.)
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import NamedTuple

from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import TINY, norm, scale, truncate, unit
from steer_env.steering.vehicle import Vehicle, apply_force, with_motion

POINT_MASS, SIMPLE_MOTION, CAR, DOUBLE_INTEGRATOR = range(4)
MODELS = ("point_mass", "simple_motion", "car", "double_integrator")
FORCED = ("point_mass", "double_integrator")
"""The models in which a force accelerates a mass."""

_STRAIGHT = 1e-8  # radians: an arc this short is as long as its chord


@compiled
def accelerate(model: int, me: Vehicle, force: complex, dt: float) -> tuple[complex, complex]:
    """Velocity and heading after one step of dt seconds under a force, free of walls."""
    if model == CAR:
        heading = unit(me.heading * direction(_car_turn(me, force, dt)))
        return scale(heading, me.max_speed), heading
    if model in (POINT_MASS, DOUBLE_INTEGRATOR):
        return apply_force(me, force, dt)
    velocity = me.velocity + force
    speed = norm(velocity)
    heading = scale(velocity, 1.0 / speed) if speed > TINY else me.heading
    return (velocity if speed <= me.max_speed else scale(heading, me.max_speed)), heading


@compiled
def curves(model: int) -> bool:
    """Returns whether a model's velocity changes all through a step."""
    return model in (CAR, DOUBLE_INTEGRATOR)


@compiled
def mean_velocity(
    model: int, me: Vehicle, force: complex, step: StepUnderDrag, dt: float
) -> complex:
    """The displacement in one step over dt, of a model that `curves`.

    A car's chord under a turn by a has the length v dt sin(a / 2) / (a / 2).
    """
    if model == CAR:
        half = 0.5 * _car_turn(me, force, dt)
        halfway = direction(half)
        share = halfway.imag / half if abs(half) > _STRAIGHT else 1.0
        return scale(unit(me.heading * halfway), me.max_speed * share)
    acceleration = scale(truncate(force, me.max_force), 1.0 / me.mass)
    moved = scale(me.velocity, step.seconds) + scale(acceleration, step.meters)
    return truncate(scale(moved, 1.0 / dt), me.max_speed)


class StepUnderDrag(NamedTuple):
    """The effect of linear drag on a step under a constant force, see `drag_of_step`."""

    kept: float  # share of the velocity that a vehicle keeps while it coasts
    # The time in which the force has that effect without drag; also the meters that a vehicle
    # coasts from 1 m/s.
    seconds: float
    meters: float  # that an acceleration of 1 m/s^2 carries a vehicle from rest


def drag_of_step(drag: float, dt: float) -> StepUnderDrag:
    """The exact effect of linear drag in one step under a constant force.

    dv/dt = F / m - k v has the solution v exp(-k dt) + F / m (1 - exp(-k dt)) / k; the drag k
    is a share a second.

    Example:
        >>> drag_of_step(0.0, 0.5)
        StepUnderDrag(kept=1.0, seconds=0.5, meters=0.125)
        >>> [round(number, 6) for number in drag_of_step(2.0, 0.5)]
        [0.367879, 0.31606, 0.09197]
    """
    if drag == 0.0:
        return StepUnderDrag(1.0, dt, 0.5 * dt * dt)
    # Decimal's exponential rounds the same on every machine; the C library's does not.
    with localcontext() as context:
        context.prec = 50  # the differences cancel if there is little drag
        rate, time = Decimal(drag), Decimal(dt)
        kept = (-rate * time).exp()
        seconds = (1 - kept) / rate
        return StepUnderDrag(float(kept), float(seconds), float((time - seconds) / rate))


@compiled
def coast(me: Vehicle, kept: float) -> Vehicle:
    """The vehicle with a share of its velocity."""
    return with_motion(me, me.position, scale(me.velocity, kept))


@compiled
def largest_turn(me: Vehicle, dt: float) -> float:
    """The largest angle that a car can turn in one step, in radians, at most half a turn."""
    return min(me.max_force / (me.mass * max(me.max_speed, TINY)) * dt, math.pi)


@compiled
def _car_turn(me: Vehicle, force: complex, dt: float) -> float:
    angle = angle_of((me.velocity + force) * me.heading.conjugate())
    limit = largest_turn(me, dt)
    return min(max(angle, -limit), limit)


@compiled
def force_of_action(model: int, me: Vehicle, action: complex, dt: float) -> complex:
    """The steering force that an action in the own frame (forward + i left) stands for.

    It is a fraction of max_force, in simple motion of max_speed (the new velocity), and of a
    car's largest turn (the left part). Actions are cut to the unit disc.
    """
    action = truncate(action, 1.0)
    if model in (POINT_MASS, DOUBLE_INTEGRATOR):
        return scale(action * me.heading, me.max_force)
    if model == SIMPLE_MOTION:
        return scale(action * me.heading, me.max_speed) - me.velocity
    turned = me.heading * direction(action.imag * largest_turn(me, dt))
    return scale(turned, me.max_speed) - me.velocity


@compiled
def action_of_force(model: int, me: Vehicle, force: complex, dt: float) -> complex:
    """The action that has the effect of a steering force: `force_of_action` undone."""
    if model in (POINT_MASS, DOUBLE_INTEGRATOR):
        own = force * me.heading.conjugate()
        return truncate(scale(own, 1.0 / max(me.max_force, TINY)), 1.0)
    if model == SIMPLE_MOTION:
        own = (me.velocity + force) * me.heading.conjugate()
        return truncate(scale(own, 1.0 / max(me.max_speed, TINY)), 1.0)
    return complex(0.0, _car_turn(me, force, dt) / max(largest_turn(me, dt), TINY))


@compiled
def next_heading(heading: complex, velocity: complex) -> complex:
    """The direction of the velocity, or at rest the heading before."""
    return unit(velocity) if norm(velocity) > TINY else heading
