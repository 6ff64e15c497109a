"""The vehicle that every behavior steers, for people and for the compiled loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Vehicle(NamedTuple):
    """A moving body in the plane (Reynolds 1999, "a simple vehicle model").

    Vectors are complex numbers, x + iy; see `steer_env.steering.vectors`.
    Steering functions read these fields by name, so a record of dtype `VEHICLE`
    serves as well as this tuple.

    Attributes:
        position: center, in meters.
        velocity: in meters a second.
        heading: unit vector; where the vehicle faces, also when it stands still.
        max_speed: in meters a second.
        max_force: the largest steering force, in newtons.
        mass: in kilograms.
        radius: of the round body, in meters.
        acceleration: change of velocity over the last step, in meters a second
            squared; only the predictors that look beyond a straight line use it.

    Example:
        >>> Vehicle(position=0j, velocity=1 + 0j, max_speed=2.0).heading
        (1+0j)
    """

    position: complex = 0j
    velocity: complex = 0j
    heading: complex = 1 + 0j
    max_speed: float = 1.0
    max_force: float = 1.0
    mass: float = 1.0
    radius: float = 0.5
    acceleration: complex = 0j


VEHICLE = np.dtype(
    [
        ("position", np.complex128),
        ("velocity", np.complex128),
        ("heading", np.complex128),
        ("max_speed", np.float64),
        ("max_force", np.float64),
        ("mass", np.float64),
        ("radius", np.float64),
        ("acceleration", np.complex128),
    ],
    align=True,
)
"""The same fields as `Vehicle`, as a numpy record."""
