"""The vehicle that every behavior steers, obstacles, and how a force moves a vehicle."""

from __future__ import annotations

import cmath
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, UsageError, check_number, got, shown
from steer_env.machine_code.marking import record_dtype
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, clamp_to_square, norm, scale, truncate


class _VehicleFields(NamedTuple):
    position: complex
    velocity: complex
    heading: complex
    max_speed: float
    max_force: float
    mass: float
    radius: float
    acceleration: complex


class Vehicle(_VehicleFields):
    """A moving body in the plane (Reynolds 1999, "a simple vehicle model").

    Vectors are complex numbers, x + iy; see `steer_env.steering.vectors`.
    Steering functions read these fields by name, so a record of dtype `VEHICLE`
    serves as well as this tuple, and so does an object of a class of yours.

    Attributes:
        position: center, in meters.
        velocity: in meters a second.
        heading: unit vector; where the vehicle faces, also when it stands still.
        max_speed: in meters a second.
        max_force: the largest steering force, in newtons.
        mass: in kilograms.
        radius: of the round body, in meters.
        acceleration: change of velocity over the last step, in meters a second
            squared; only what looks beyond a straight line uses it.

    Numbers of any kind are taken, and stored as complex and float.

    Raises:
        InvalidType: if a field is not a number.
        InvalidValue: if a limit (max_speed, max_force, mass, radius) is negative or nan.

    Example:
        >>> Vehicle(position=3, velocity=2j, heading=1j, max_speed=2)[:4]
        ((3+0j), 2j, 1j, 2.0)
    """

    __slots__ = ()

    def __new__(
        cls,
        position: complex = 0j,
        velocity: complex = 0j,
        heading: complex = 1 + 0j,
        max_speed: float = 1.0,
        max_force: float = 1.0,
        mass: float = 1.0,
        radius: float = 0.5,
        acceleration: complex = 0j,
    ) -> Vehicle:
        """Makes a vehicle; each other combination of types would have to be compiled anew."""
        given = (position, velocity, heading, max_speed, max_force, mass, radius, acceleration)
        try:
            made = super().__new__(cls, *(kind(x - 0) for kind, x in zip(_KINDS, given)))
        except Exception:  # whatever an object of the caller's raises
            raise _fault(given) from None
        _, _, _, max_speed, max_force, mass, radius, _ = made
        if not (max_speed >= 0.0 and max_force >= 0.0 and mass >= 0.0 and radius >= 0.0):
            raise _fault_of_limit(made)
        return made

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Vehicle:  # type: ignore[override]
        return cls(*iterable)


_KINDS = (complex, complex, complex, float, float, float, float, complex)


def _fault_of_limit(made: Vehicle) -> InvalidValue:
    limits = zip(Vehicle._fields[3:7], made[3:7])
    name, value = next((name, value) for name, value in limits if not value >= 0.0)
    return InvalidValue(f"the {name} of a Vehicle must be at least 0, got {value!r}")


def _fault(given: tuple[object, ...]) -> UsageError:
    def is_wrong(kind: Any, value: Any) -> bool:
        try:
            kind(value - 0)
        except Exception:  # see there
            return True
        return False

    fields = zip(Vehicle._fields, _KINDS, given)
    name, kind, value = next(field for field in fields if is_wrong(*field[1:]))
    what = "a complex number, x + iy" if kind is complex else "a real number"
    if isinstance(value, int):
        return InvalidValue(f"the {name} of a Vehicle is at most 1e308; got {shown(value)}")
    return InvalidType(f"the {name} of a Vehicle is {what}; got {shown(value)}")


VEHICLE = record_dtype(
    [
        ("position", np.complex128),
        ("velocity", np.complex128),
        ("heading", np.complex128),
        ("max_speed", np.float64),
        ("max_force", np.float64),
        ("mass", np.float64),
        ("radius", np.float64),
        ("acceleration", np.complex128),
    ]
)
"""The same fields as `Vehicle`, as a numpy record."""


class Obstacle(NamedTuple):
    """A round thing in the way.

    Attributes:
        center: in meters.
        radius: in meters.

    Example:
        >>> Obstacle(3 + 4j, 1.5).radius
        1.5
    """

    center: complex
    radius: float


OBSTACLE = record_dtype([("center", np.complex128), ("radius", np.float64)])
"""The same fields as `Obstacle`, as a numpy record."""

Vehicles: TypeAlias = Sequence[Vehicle] | NDArray[np.void]
"""Several vehicles: a list, or a record array of `VEHICLE`."""

Obstacles: TypeAlias = Sequence[Obstacle] | NDArray[np.void]
"""Several obstacles: a list, or a record array of `OBSTACLE`."""


@compiled
def apply_force(me: Vehicle, force: complex, dt: float) -> tuple[complex, complex]:
    """Velocity and heading of a point mass after ``dt`` seconds under a steering force.

    v <- truncate(v + truncate(F, max_force) / m * dt, max_speed); the heading follows the
    velocity, and at rest stays as it is (Reynolds 1999).

    Example:
        >>> apply_force(Vehicle(max_speed=5.0, max_force=2.0, heading=1j), 8 + 0j, 0.5)
        ((1+0j), (1+0j))
    """
    velocity = me.velocity + scale(truncate(force, me.max_force), dt / max(me.mass, TINY))
    speed = norm(velocity)
    heading = scale(velocity, 1.0 / speed) if speed > TINY else me.heading
    return (velocity if speed <= me.max_speed else scale(heading, me.max_speed)), heading


@compiled
def stop_at_walls(
    position: complex, velocity: complex, half_size: float
) -> tuple[complex, complex]:
    """Position and velocity of a body that the walls of a square arena stop.

    Args:
        position: where its center would be without walls, in meters.
        velocity: in meters a second.
        half_size: how far from the middle its center can be, in meters; inf without walls.

    Returns:
        The nearest point inside, and the velocity without the part into a wall that it passed.

    Example:
        >>> stop_at_walls(11 + 3j, 2 + 1j, half_size=10.0)
        ((10+3j), 1j)
    """
    inside = clamp_to_square(position, half_size)
    along_x = velocity.real if inside.real == position.real else 0.0
    along_y = velocity.imag if inside.imag == position.imag else 0.0
    return inside, complex(along_x, along_y)


@compiled
def vehicle_of(record: np.record) -> Vehicle:
    """The Vehicle of a `VEHICLE` record, also in compiled code."""
    return Vehicle(
        record.position,
        record.velocity,
        record.heading,
        record.max_speed,
        record.max_force,
        record.mass,
        record.radius,
        record.acceleration,
    )


@compiled
def copy_vehicle(body: Vehicle, to: np.record) -> None:
    """Copies a vehicle into a record of `VEHICLE`."""
    to.position = body.position
    to.velocity = body.velocity
    to.heading = body.heading
    to.max_speed = body.max_speed
    to.max_force = body.max_force
    to.mass = body.mass
    to.radius = body.radius
    to.acceleration = body.acceleration


def as_vehicle(body: Any) -> Vehicle:
    """A Vehicle with the fields of a record, or of any object that has them as attributes.

    Raises:
        InvalidType: if it lacks a field, or one is not a number.

    Example:
        >>> as_vehicle(np.ones(1, VEHICLE)[0]).mass
        1.0
    """
    return _checked_vehicle("body", body)


def _checked_vehicle(what: str, body: Any) -> Vehicle:
    if isinstance(body, Vehicle):
        return body
    if isinstance(body, np.void) and body.dtype == VEHICLE:
        return Vehicle(*body.item())
    missing = [name for name in Vehicle._fields if not hasattr(body, name)]
    if missing:
        raise InvalidType(
            f"{what} must be a Vehicle, or have its fields; {got(body)}"
            f", without {', '.join(missing)}"
        )
    return Vehicle(*(getattr(body, name) for name in Vehicle._fields))


def advance(me: Vehicle, force: complex, dt: float) -> Vehicle:
    """The vehicle one step later: `apply_force`, then p <- p + v dt, on an endless plane.

    Args:
        me: the vehicle; a record of `VEHICLE` or an object of yours will do.
        force: in newtons; any length, for it is cut to ``max_force``.
        dt: length of the step, in seconds, above 0.

    Raises:
        ValueError: for a step or a mass that is not above 0, or a force that is not finite.

    Example:
        >>> me = Vehicle(max_speed=5.0, max_force=2.0)
        >>> for _ in range(3):
        ...     me = advance(me, 8 + 0j, 0.5)
        >>> me.position, me.velocity, me.acceleration
        ((3+0j), (3+0j), (2+0j))
    """
    dt = check_number("dt", dt, 0.0, above=True)
    if not isinstance(force, numbers.Complex):
        raise InvalidType(f"the force must be a complex number, x + iy, {got(force)}")
    try:
        force = complex(force)
    except OverflowError:
        force = complex(math.inf)
    if not cmath.isfinite(force):
        raise InvalidValue(f"the force must be finite, got {shown(force)}")
    me = _checked_vehicle("me", me)
    if not me.mass > 0.0:
        raise InvalidValue(f"the mass must be above 0 kilograms, got {shown(me.mass)}")
    velocity, heading = apply_force(me, force, dt)
    return me._replace(
        position=me.position + velocity * dt,
        velocity=velocity,
        heading=heading,
        acceleration=(velocity - me.velocity) / dt,
    )
