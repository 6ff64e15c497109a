"""Craig Reynolds' steering behaviors as compiled functions on single vehicles.

Example:
    >>> from steer_env.steering import Vehicle, pursuit
    >>> quarry = Vehicle(position=10 + 0j, velocity=2j, heading=1j, max_speed=2.0)
    >>> force = pursuit(Vehicle(max_speed=3.0), quarry)
    >>> force.imag > 0  # it leads the quarry
    True
"""

from steer_env.steering.avoidance import avoid_walls, containment
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.chase import comes_at_me, evade, pursuit, pursuit_aim
from steer_env.steering.compilation import compiled
from steer_env.steering.prediction import (
    accelerating,
    braking,
    closing,
    constant,
    contained,
    intercept,
    linear,
    none,
    own_speed,
    reynolds,
    target_speed,
    turn_rate,
    turning,
)
from steer_env.steering.vectors import (
    clamp_to_square,
    cross,
    dot,
    left,
    norm,
    scale,
    truncate,
    unit,
)
from steer_env.steering.vehicle import VEHICLE, Vehicle
from steer_env.steering.wander import turn_wander_point, wander

__all__ = [
    "VEHICLE",
    "Vehicle",
    "accelerating",
    "arrive",
    "avoid_walls",
    "braking",
    "clamp_to_square",
    "closing",
    "comes_at_me",
    "compiled",
    "constant",
    "contained",
    "containment",
    "cross",
    "dot",
    "evade",
    "flee",
    "intercept",
    "left",
    "linear",
    "none",
    "norm",
    "own_speed",
    "pursuit",
    "pursuit_aim",
    "reynolds",
    "scale",
    "seek",
    "target_speed",
    "truncate",
    "turn_rate",
    "turn_wander_point",
    "turning",
    "unit",
    "wander",
]
