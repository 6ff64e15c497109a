"""The parts of a game's configuration: vehicles, obstacles, rewards and actuators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steer_env.errors import InvalidType, InvalidValue, check_choice, shown
from steer_env.fields import (
    DELAY,
    NOISE,
    Bounds,
    check_count,
    check_entries,
    check_within,
    configuration,
    entry,
    ranges,
)
from steer_env.game.dynamics import FORCED, MODELS
from steer_env.game.transition import weighted_terms
from steer_env.sides import Side

SIDES = tuple(side.name for side in Side)

LIMITS = ("max_speed", "max_force", "mass", "radius")
"""The limits of a vehicle that `randomize` can draw for every episode."""

_LIMIT, _OR_ZERO = Bounds(1e-6, 1e6), Bounds(1e-6, 1e6, or_zero=True)

TARGET_PAYOFFS = ("target_distance", "breach_distance")
"""The payoffs of games with a target."""

PAYOFFS = ("capture", "time", "closest_approach", "final_distance", *TARGET_PAYOFFS)
"""The quantities that a game may be about, see `Game`."""


@configuration
class VehicleConfig:
    """The limits of one side's vehicles.

    A body's radius is below a quarter of the arena's side. Under drag dv/dt = force / mass -
    drag * v, so the top speed is max_force / (mass * drag) where that is below ``max_speed``.
    """

    max_speed: float = entry("top speed", "m/s", _LIMIT, default=4.0)
    max_force: float = entry("largest steering force", "N", _LIMIT, default=12.0)
    mass: float = entry("mass", "kg", _LIMIT, default=1.0)
    radius: float = entry("radius of the body", "m", _OR_ZERO, default=0.3)
    model: str = entry("model of motion, see `dynamics`", one_of=MODELS, default="point_mass")
    drag: float = entry(
        "share of its velocity that a mass loses in a second", "1/s", _OR_ZERO, default=0.0
    )

    def __post_init__(self) -> None:
        check_entries(self)
        if self.drag > 0.0 and self.model not in FORCED:
            raise InvalidValue(
                f"drag slows masses down; a vehicle of the model {self.model!r} has the "
                f"speed that is asked for: drag must be 0, got {self.drag:g}"
            )


Range = tuple[float, float]

OBSTACLE_GAP = 2.1
"""Between random obstacles, and to the walls, in largest radii of vehicles: all pass."""

Obstacles = int | tuple[tuple[float, float, float], ...]

RANDOM_OBSTACLES, _LISTED_OBSTACLES = Bounds(0, 64), Bounds(0, 4096)
SMALLEST_OBSTACLE = 0.01  # meters


def checked_obstacles(given: object, size: float) -> Obstacles:
    """Returns the obstacles of an arena of a size in meters, or raises an InvalidValue."""
    obstacles = _plain(given)
    if not isinstance(obstacles, Sequence) or isinstance(obstacles, str):
        return check_count(RANDOM_OBSTACLES, "obstacles", obstacles)
    check_count(_LISTED_OBSTACLES, "the number of listed obstacles", len(obstacles))
    return tuple(_checked_disc(disc, size / 2) for disc in obstacles)


def _checked_disc(given: object, most: float) -> tuple[float, float, float]:
    disc = _plain(given)
    if not isinstance(disc, Sequence) or len(disc) != 3:
        raise InvalidValue(f"an obstacle is (x, y, radius), got {shown(disc)}")
    x, y = (
        check_within(Bounds(-most, most), f"obstacle {axis}", place)
        for axis, place in zip("xy", disc)
    )
    return x, y, check_within(Bounds(SMALLEST_OBSTACLE, most), "obstacle radius", disc[2])


def check_range(what: str, given: object, span: Bounds) -> Range:
    """Returns a pair (smallest, largest) within bounds, or raises an InvalidValue."""
    pair = _plain(given)
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise InvalidValue(f"{what} must be a pair (smallest, largest), got {shown(given)}")
    smallest = check_within(span, f"{what} (smallest)", pair[0])
    largest = check_within(span, f"{what} (largest)", pair[1])
    if smallest > largest:
        raise InvalidValue(f"{what} must be (smallest, largest), got {shown(given)}")
    return smallest, largest


def checked_ranges(given: object) -> dict[str, dict[str, Range]]:
    """Returns the ranges of limits, by side and limit, or raises a UsageError."""
    if not isinstance(given, Mapping):
        raise InvalidType(
            "randomize must be a dict such as {'evader': {'max_speed': (2.0, 4.0)}}, "
            f"got {shown(given)}"
        )
    checked: dict[str, dict[str, Range]] = {}
    for side, pairs in given.items():
        check_choice("side in randomize", side, SIDES)
        what = f"randomize[{side!r}]"
        if not isinstance(pairs, Mapping):
            raise InvalidType(f"{what} must be a dict of ranges, got {shown(pairs)}")
        checked[side] = {}
        for limit, pair in pairs.items():
            check_choice(f"limit in {what}", limit, LIMITS)
            span = ranges(VehicleConfig)[limit]
            checked[side][limit] = check_range(f"{what}[{limit!r}]", pair, span)
    return checked


def _plain(given: Any) -> Any:
    """An array as the list or the number that it holds, anything else unchanged."""
    return given.tolist() if isinstance(given, np.ndarray) else given


_WEIGHT = Bounds(0.0, 1e6)


def _of_reward(name: str, meaning: str, within: Bounds = _WEIGHT) -> Any:
    return entry(meaning, within=within, called=f"reward {name}", default=1.0)


@configuration
class RewardConfig:
    """Weights of the pursuers' reward terms in a zero-sum game.

    The evaders get the negative. The closing term is potential-based shaping (Ng, Harada and
    Russell 1999), discount * potential after - potential before; the potential is minus the
    mean distance of free evaders to their nearest pursuer, in arena diagonals. User-defined
    terms are the learner's alone.
    """

    capture: float = _of_reward(
        "capture", "for catching all the evaders; each one caught earns its share, once"
    )
    time: float = _of_reward("time", "paid over a whole `horizon`, in equal parts each step")
    closing: float = _of_reward("closing", "for the whole way across the arena")
    discount: float = _of_reward(
        "discount", "of the learner, for the shaping to be exactly neutral", Bounds(0.0, 1.0)
    )
    terms: Any = entry(
        "user-defined functions from a `Transition` to a number: one, or a list of functions "
        "and of pairs (function, weight), with weights from -1e6 to 1e6; kept as a tuple of "
        "pairs",
        default=(),
    )

    def __post_init__(self) -> None:
        check_entries(self)
        object.__setattr__(self, "terms", weighted_terms(self.terms))


@configuration
class ActionConfig:
    """Noise and delay of the learner's actions.

    Until the first action arrives it is 0. Noise as in `ObservationConfig` is added to both
    numbers before an action is cut to the unit disc.
    """

    noise: float = entry(
        "standard deviation of Gaussian noise", within=NOISE, called="action noise", default=0.0
    )
    delay: int = entry(
        "steps until an action is carried out", "steps", DELAY, called="action delay", default=0
    )

    def __post_init__(self) -> None:
        check_entries(self)

    @property
    def is_standard(self) -> bool:
        """Returns whether actions are carried out exactly and at once."""
        return not self.delay and self.noise == 0.0
