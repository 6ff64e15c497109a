"""The vehicle that every behavior steers, obstacles, and how a force moves a vehicle."""

from __future__ import annotations

import cmath
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    UsageError,
    check_number,
    check_text,
    got,
    shown,
)
from steer_env.machine_code.marking import record_dtype
from steer_env.steering.compilation import compiled, fault_of_number
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

    Steering functions read these fields by name, so a record of dtype `VEHICLE` or any object
    with them will do. Vectors are complex numbers, x + iy.

    Attributes:
        position: center, in meters.
        velocity: in meters a second.
        heading: unit vector; where the vehicle faces, also when it stands still.
        max_speed: in meters a second.
        max_force: the largest steering force, in newtons.
        mass: in kilograms.
        radius: of the round body, in meters.
        acceleration: change of velocity over the last step, in m/s^2; only what looks beyond a
            straight line uses it.

    Numbers are stored as complex and float. Raises an InvalidValue for a negative limit, and
    for a max_speed or radius of nan; a max_force or mass of nan is unknown.

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
        """Makes a vehicle with fields of the same types each time, to be compiled once."""
        given = (position, velocity, heading, max_speed, max_force, mass, radius, acceleration)
        try:
            made = super().__new__(cls, *(kind(x - 0) for kind, x in zip(_KINDS, given)))
        except Exception:  # whatever an object of the caller's raises
            raise _fault(given) from None
        _, _, _, max_speed, max_force, mass, radius, _ = made
        if not (max_speed >= 0.0 and radius >= 0.0) or max_force < 0.0 or mass < 0.0:
            limits = zip(cls._fields[3:7], made[3:7])
            may_be_nan = ("max_force", "mass")
            name, value = next(
                (name, value)
                for name, value in limits
                if value < 0.0 or (value != value and name not in may_be_nan)
            )
            raise InvalidValue(f"the {name} of a Vehicle must be at least 0, got {value!r}")
        return made

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Vehicle:  # type: ignore[override]
        return cls(*iterable)


_KINDS = (complex, complex, complex, float, float, float, float, complex)


def _fault(given: tuple[object, ...]) -> UsageError:
    """The error for the first field that is not a number."""
    fields = zip(Vehicle._fields, given, _KINDS)
    faults = (
        fault_of_number(f"the {name} of a Vehicle", value, kind) for name, value, kind in fields
    )
    return next(fault for fault in faults if fault is not None)


@compiled
def with_motion(body: Vehicle, position: complex, velocity: complex) -> Vehicle:
    """A vehicle at another place, with another velocity."""
    _, _, heading, max_speed, max_force, mass, radius, acceleration = body
    return Vehicle(
        position, velocity, heading, max_speed, max_force, mass, radius, acceleration
    )


@compiled
def with_limits(body: Vehicle, max_speed: float, max_force: float) -> Vehicle:
    """A vehicle with other limits."""
    place, velocity, heading, _, _, mass, radius, acceleration = body
    return Vehicle(place, velocity, heading, max_speed, max_force, mass, radius, acceleration)


VEHICLE = record_dtype(
    [(name, np.dtype(kind).type) for name, kind in zip(Vehicle._fields, _KINDS)]
)
"""The same fields as `Vehicle`, as a numpy record."""


class Obstacle(NamedTuple):
    """A round thing in the way.

    Example:
        >>> Obstacle(3 + 4j, 1.5).radius
        1.5
    """

    center: complex  # in meters
    radius: float  # in meters


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
    """The nearest point inside a square arena, and the velocity less its part into the wall.

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


def as_vehicle(body: Any, what: str = "body") -> Vehicle:
    """A Vehicle with the fields of a record, or of any object that has them as attributes.

    Errors name it by ``what``.

    Example:
        >>> as_vehicle(np.ones(1, VEHICLE)[0]).mass
        1.0
    """
    if isinstance(body, Vehicle):
        return body
    if isinstance(body, np.void) and body.dtype == VEHICLE:
        return Vehicle(*body.item())
    missing = [name for name in Vehicle._fields if not hasattr(body, name)]
    if missing:
        lacks = f"{got(body)}, without {', '.join(missing)}"
        raise InvalidType(
            f"{check_text('what', what)} must be a Vehicle, or have its fields; {lacks}"
        )
    return Vehicle(*(getattr(body, name) for name in Vehicle._fields))


def advance(me: Vehicle, force: complex, dt: float) -> Vehicle:
    """The vehicle one step later, on an endless plane: `apply_force`, then p <- p + v dt.

    An InvalidValue says that the step or the mass is not above 0, or the force is not finite.

    Example:
        >>> me = Vehicle(max_speed=5.0, max_force=2.0)
        >>> for _ in range(3):
        ...     me = advance(me, 8 + 0j, 0.5)
        >>> me.position, me.velocity, me.acceleration
        ((3+0j), (3+0j), (2+0j))
    """
    dt = check_number("dt", dt, 0.0, above=True)
    fault = fault_of_number("the force", force, complex)
    if fault is not None:
        raise fault
    if not cmath.isfinite(force):
        raise InvalidValue(f"the force must be finite, got {shown(force)}")
    me = as_vehicle(me, "me")
    if not me.mass > 0.0:
        raise InvalidValue(f"the mass must be above 0 kilograms, got {shown(me.mass)}")
    velocity, heading = apply_force(me, force, dt)
    return me._replace(
        position=me.position + velocity * dt,
        velocity=velocity,
        heading=heading,
        acceleration=(velocity - me.velocity) / dt,
    )
