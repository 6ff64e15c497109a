"""The smallest and the largest value of every number that a game is made of.

A sane game never meets these bounds. Within them, all that the compiled loop works out of such
numbers (a speed over a mass, a squared distance after a billion steps, the reciprocal of
``dt``) is far from overflow and from subnormal numbers, so that no game produces inf or nan.
What the loop divides by has a smallest value above 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from steer_env.errors import check_integer, check_number


class Bounds(NamedTuple):
    """The range of one number.

    Attributes:
        low: the smallest value.
        high: the largest value.
        or_zero: whether 0 is valid as well, below the smallest value.
    """

    low: float
    high: float
    or_zero: bool = False


VEHICLE: Mapping[str, Bounds] = {
    "max_speed": Bounds(1e-6, 1e6),  # meters a second
    "max_force": Bounds(1e-6, 1e6),  # newtons
    "mass": Bounds(1e-6, 1e6),  # kilograms
    "radius": Bounds(1e-6, 1e6, or_zero=True),  # meters
    "drag": Bounds(1e-6, 1e6, or_zero=True),  # one over seconds
}
"""`VehicleConfig`, and the ranges of `randomize`."""

ARENA: Mapping[str, Bounds] = {
    "size": Bounds(1.0, 1e4),  # meters; `arena_size` among the keywords
    "obstacles": Bounds(0, 64),  # at random; listed ones: up to `MOST_LISTED_OBSTACLES`
    "obstacle_radius": Bounds(0.01, 1e4),  # meters
}
"""`ArenaConfig`."""

MOST_LISTED_OBSTACLES = 4096

REWARD: Mapping[str, Bounds] = {
    "capture": Bounds(0.0, 1e6),
    "time": Bounds(0.0, 1e6),
    "closing": Bounds(0.0, 1e6),
    "discount": Bounds(0.0, 1.0),
}
"""`RewardConfig`."""

NOISE = Bounds(0.0, 1e6)
"""Standard deviations of `ObservationConfig` and `ActionConfig`."""

DELAY = Bounds(0, 1000)
"""Steps; of the same."""

VIEW: Mapping[str, Bounds] = {
    "range": Bounds(0.0, 1e9),  # meters
    "field_of_view": Bounds(0.0, math.pi),  # radians
    "nearest": Bounds(1, 64),  # players of either side, and obstacles
}
"""The limits of what is seen, of `ObservationConfig`."""

FEATURE = Bounds(-1e6, 1e6)
"""The bounds of a feature of a user's own."""

REWARD_TERM = Bounds(-1e6, 1e6)
"""The weight of a reward term of a user's own."""

LARGEST_REWARD = 1e100
"""The largest value, of either sign, that a reward term of a user's own may return."""

GAME: Mapping[str, Bounds] = {
    "pursuers": Bounds(1, 1024),
    "evaders": Bounds(1, 1024),
    "captors_needed": Bounds(1, 1024),  # and at most the number of pursuers
    "capture_radius": Bounds(1e-9, 1e4),  # meters
    "dt": Bounds(1e-6, 1.0),  # seconds
    "horizon": Bounds(1, 10**9),  # steps; max_episode_steps as well
    "start_distance": Bounds(0.0, 0.6),  # share of the arena's side
    "start_speed": Bounds(0.0, 1.0),  # share of max_speed
}
"""`GameConfig`."""

RATIOS: Mapping[str, Bounds] = {
    "nu": Bounds(1e-6, 1e6),  # the evaders' top speed over the pursuers'
    "l": Bounds(1e-9, 1e6),  # the capture radius over the pursuers' turning radius
}
"""Keywords of `game_config` that stand for others."""

SCALE = Bounds(1e-6, 1e6)
"""`ObservationConfig`: the quantities that features show as 1."""

_WEIGHT = _METERS = _SECONDS = Bounds(0.0, 1e6)
_ANGLE = Bounds(0.0, math.pi)

SCRIPT: Mapping[str, Bounds] = {
    "response_time": Bounds(1e-6, 1e6),  # seconds
    "lookahead_seconds": _SECONDS,
    "lookahead_cap": Bounds(0.0, 1e9),  # seconds
    "threat_range": Bounds(0.0, math.inf),  # meters; only compared, so it may be infinite
    "deceleration_time": _SECONDS,
    "spread": Bounds(0.0, 10.0),  # share of the distance
    "offset": Bounds(-1e6, 1e6),  # meters, along each axis
    "navigation_gain": Bounds(0.0, 1e6),
    "lead_angle": _ANGLE,
    "agility": Bounds(0.0, 1e6),
    "hiding_margin": _METERS,
    "view_angle": _ANGLE,
    "wander": _WEIGHT,
    "wander_rate": Bounds(0.0, 1e6),  # radians
    "walls": _WEIGHT,
    "feeler_length": _METERS,
    "containment": _WEIGHT,
    "containment_seconds": _SECONDS,
    "obstacles": _WEIGHT,
    "obstacle_seconds": _SECONDS,
    "obstacle_margin": _METERS,
    "collisions": _WEIGHT,
    "collision_seconds": _SECONDS,
    "collision_margin": _METERS,
    "separation": _WEIGHT,
    "alignment": _WEIGHT,
    "cohesion": _WEIGHT,
    "neighbor_distance": _METERS,
    "field_of_view": _ANGLE,
    "memory_seconds": _SECONDS,
    "chances": Bounds(1e-6, 1.0, or_zero=True),
}
"""`Script`."""

MOST_STARTS = 100_000
"""The largest number of starts that episodes draw from: `GameConfig.start`."""

LARGEST_ANSWER = 1e100
"""The largest number, of either sign, that a user's own behavior (newtons), lookahead law
(seconds) or predictor (meters) may return; of a vector, either component.

From 1e154 on, squares leave floats.
"""

MOST_GAMES = 10**7
"""The largest ``num_envs``."""


def check_within(bounds: Bounds, what: str, given: object) -> float:
    """Returns a number within bounds.

    Args:
        bounds: its smallest and its largest value.
        what: its name in messages.
        given: the number.

    Raises:
        InvalidType: if it is not a number.
        InvalidValue: if it is out of bounds, nan or infinite.
    """
    return check_number(what, given, bounds.low, bounds.high, or_zero=bounds.or_zero)


def check_count(bounds: Bounds, what: str, given: object) -> int:
    """Returns an integer within bounds; as `check_within`."""
    return check_integer(what, given, int(bounds.low), int(bounds.high))
