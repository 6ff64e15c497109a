"""Lidar: rays that measure distances around a vehicle."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import check_flag
from steer_env.fields import Bounds, check_entries, configuration, entry
from steer_env.steering.trigonometry import direction


@configuration
class LidarConfig:
    """Rays from a vehicle's center, in its own frame, counter-clockwise from the right.

    They are spread evenly between both edges of the field of view. All around, the first one
    points back, and of an even number the middle one ahead; of less than that, an odd number
    has one ahead. Each measures the distance to the nearest wall or obstacle along it, as a
    share of the range, 1 for nothing within it.
    """

    rays: int = entry("number of rays", within=Bounds(4, 128), default=16)
    range: float = entry(
        "longest distance that is measured", "m", Bounds(1e-3, 1e6), default=8.0
    )
    field_of_view: float = entry(
        "angle from the heading, to either side, of the outer rays",
        "radians",
        Bounds(0.01, math.pi),
        default=math.pi,
    )
    vehicles: bool = entry(
        "whether each ray also measures the distance to the nearest vehicle's body, of either "
        "side, 1 for none within the range and in front of walls and obstacles",
        default=False,
    )

    def __post_init__(self) -> None:
        check_entries(self)
        object.__setattr__(self, "vehicles", check_flag("vehicles", self.vehicles))

    @property
    def features(self) -> tuple[str, ...]:
        """The names of each ray's numbers in observations."""
        return ("lidar.wall", "lidar.vehicle") if self.vehicles else ("lidar.wall",)

    @property
    def directions(self) -> NDArray[np.complex128]:
        """The rays as unit vectors, (rays,), forward + i left."""
        gaps = self.rays if self.field_of_view == math.pi else self.rays - 1
        shares = [2.0 * k / gaps - 1.0 for k in range(self.rays)]
        return np.array([direction(share * self.field_of_view) for share in shares])
