"""Forces against linear drag, and the distance of the evader at a fixed time.

Both players push with a force of at most F in any direction: dv/dt = F / m - k v. With the
evader's position r and velocity v less the pursuer's, the time T left, and forces on 1 kg
(docs/game/derivations.md),

    V = max(0, |Z| - (FP - FE) Psi(T)),    Z = r + v psi(T),
    psi(t) = (1 - exp(-k t)) / k,    Psi(T) = (T - psi(T)) / k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steer_env.errors import InvalidValue, check_array
from steer_env.solved.elementwise import LARGEST, Numbers, as_given, broadcast
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import norm, scale, truncate, unit

_SMALL = 1e-2  # of k t: below it the series are more exact than the formulas


def coasting(time: Any, k: Any) -> tuple[Numbers, Numbers]:
    """The functions psi and Psi for times in seconds and a drag k in 1/s, both 0 or more.

    psi is how far a speed of 1 carries, and Psi how far a constant acceleration of 1. Errors
    are those of `miss`.
    """
    time, k = broadcast(time=(time, 0.0, LARGEST), k=(k, 0.0, LARGEST))
    x = k * time
    safe = np.where(x < _SMALL, 1.0, x)
    first = np.where(x < _SMALL, _series(x, 2.0), -np.expm1(-safe) / safe)
    second = np.where(x < _SMALL, _series(x, 3.0) / 2.0, (1.0 - first) / safe)
    return time * first, time * time * second


def _series(x: Numbers, start: float) -> Numbers:
    """1 - x / start + x**2 / (start (start + 1)) - ..."""
    total = np.ones_like(x)
    for order in range(6, -1, -1):
        total = 1.0 - x / (start + order) * total
    return total


def miss(r: Any, v: Any, time: Any, FP: Any, FE: Any, k: Any) -> Any:  # noqa: N803
    """The distance at the end under perfect play.

    Args:
        r: the evader's position less the pursuer's, (..., 2), in meters.
        v: the evader's velocity less the pursuer's, (..., 2), in m/s.
        time: that is left, in seconds; a number or an array (...), as the rest.
        FP: the pursuer's greatest force, for each kilogram, in newtons.
        FE: the evader's.
        k: the drag of both, in 1/s.

    Returns:
        Meters; a float for one pair and numbers, else an array.

    Raises:
        InvalidType, InvalidValue: for anything but such numbers, or shapes that do not fit.

    Example:
        >>> round(miss((10.0, 0.0), (0.0, 1.0), 4.0, 1.0, 0.6, 0.0), 5)
        7.57033
    """
    pairs = {"r": check_array("r", r), "v": check_array("v", v)}
    for name, pair in pairs.items():
        if pair.ndim == 0 or pair.shape[-1] != 2:
            raise InvalidValue(f"{name} must have the shape (..., 2), got {pair.shape}")
    parts = {f"{name}[{i}]": pair[..., i] for name, pair in pairs.items() for i in (0, 1)}
    given = {"time": time, "FP": FP, "FE": FE, "k": k}
    x, y, vx, vy, seconds, force, other_force, drag = broadcast(
        **{name: (part, -LARGEST, LARGEST) for name, part in parts.items()},
        **{name: (numbers, 0.0, LARGEST) for name, numbers in given.items()},
    )
    psi, integral = coasting(seconds, drag)
    off = np.hypot(x + vx * psi, y + vy * psi)
    return as_given(np.maximum(0.0, off - (force - other_force) * integral))


@compiled
def push(
    zero_effort_miss: complex, heading: complex, max_force: float, cancels: float
) -> complex:
    """The force that either player exerts: along Z, or the heading if Z is 0.

    For the pursuer, ``cancels`` is the meters of Z that a newton takes away in this step, so
    that it does not overshoot; 0 for the evader.
    """
    if cancels > 0.0:
        return truncate(scale(zero_effort_miss, 1.0 / cancels), max_force)
    along = unit(zero_effort_miss)
    return scale(heading if norm(along) == 0.0 else along, max_force)
