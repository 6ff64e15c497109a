"""Simple motion: both players choose their velocity freely, in the open plane.

From the distance D, until capture within the radius l (Isaacs 1965, ch. 1):

    V = (D - l) / (speed - other_speed), infinite if the evader is at least as fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steer_env.solved.elementwise import as_given, broadcast
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import scale, unit


def value(distance: Any, speed: Any, other_speed: Any, l: Any) -> Any:  # noqa: E741
    """The time to capture under perfect play.

    Args:
        distance: from the pursuer to the evader, in meters; numbers or arrays, as the rest.
        speed: of the pursuer, in m/s.
        other_speed: of the evader, in m/s.
        l: the capture radius, in meters.

    Returns:
        Seconds: 0 within the capture radius, infinite where capture cannot be forced. A float
        if all arguments are numbers, else an array of their common shape.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers, or shapes that do not fit.

    Example:
        >>> value(10.0, 2.0, 1.0, 0.5)
        9.5
    """
    given = {"distance": distance, "speed": speed, "other_speed": other_speed, "l": l}
    arrays = broadcast(**{name: (numbers, 0.0, 1e12) for name, numbers in given.items()})
    gap, closing = arrays[0] - arrays[3], arrays[1] - arrays[2]
    times = np.full(gap.shape, np.inf)
    with np.errstate(over="ignore"):  # hardly faster: inf
        np.divide(gap, closing, out=times, where=closing > 0.0)
    return as_given(np.where(gap <= 0.0, 0.0, times))


@compiled
def velocity(line_of_sight: complex, heading: complex, max_speed: float) -> complex:
    """The velocity that either player chooses: along the line from the pursuer to the evader.

    It keeps its own heading where the two coincide.
    """
    along = unit(line_of_sight)
    return scale(heading if along == 0j else along, max_speed)
