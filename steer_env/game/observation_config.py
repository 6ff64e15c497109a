"""How the learner's observations are made: frozen dataclasses, checked when made."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steer_env.bounds import DELAY, FEATURE, NOISE, SCALE, VIEW, check_count, check_within
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_flag,
    coerce,
    got,
    unknown,
)
from steer_env.game.features import NAMED, names_of_block
from steer_env.steering.own_functions import check_own_function, function_name
from steer_env.steering.vehicle import Vehicle

SCALES = ("fixed", "game")

QUANTITIES = ("length", "speed", "force", "mass", "radius", "acceleration")
"""What features measure, in SI units; see `ObservationConfig`."""


BLOCKS = ("own", "other", "obstacle")


@dataclass(frozen=True)
class FeatureFunction:
    """A feature of your own: a function of me and another player, once for each other player.

    It is compiled when the environment is made, and may use what a behavior of your own may
    use (see `Script`). Both vehicles are shown whole, in meters and seconds; on a torus the
    other is where its image nearest to me is. The feature is 0 for a player that is caught.

    Attributes:
        function: from (me, other), two Vehicles, to a number. One that is nan or out of bounds
            raises a FaultyBehavior that names it.
        low: smallest value, from -1e6 to 1e6.
        high: largest value.
    """

    function: Callable[[Vehicle, Vehicle], float]
    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        contract = "(me, other) that returns a number"
        check_own_function("the function of a feature", contract, self.function)
        for name in ("low", "high"):
            value = check_within(FEATURE, f"{name} of {self.name}", getattr(self, name))
            object.__setattr__(self, name, value)
        if self.low >= self.high:
            raise InvalidValue(
                f"low of {self.name} must be below high, got {self.low:g} and {self.high:g}"
            )

    @property
    def name(self) -> str:
        """The function's name."""
        return function_name(self.function)


@dataclass(frozen=True, kw_only=True)
class ObservationConfig:
    """What the learner observes, how exactly and how late, and what a feature's 1 stands for.

    All but the scales is the learner's alone: opponents see the game as it is, except for a
    `Script` with ``sees="observed"``, which has the same limits of sight.

    A vehicle or an obstacle that is out of sight is absent: its presence and all its other
    features are 0, derived ones and your own as well, without noise. Nothing about it, not even
    the order of the blocks, is in an observation. (``info["distance"]``, ``info["captured"]``
    and the rewards are the game's, and do tell more.) Teammates do not share what they see.

    Attributes:
        scales: "fixed": the largest values of the default game, whatever this game's are: an
            arena of 20 m, 4 m/s, 12 N, 1 kg, a radius of 0.3 m and 12 m/s^2. One and the same
            state has the same observation in every game, and policies carry over. Features
            leave [-1, 1] where a game's limits are larger; the observation space has the exact
            bounds. "game": the largest values of this game, so that all features are within
            [-1, 1]. Or a dict of your own values, in meters, m/s, N, kg, meters and m/s^2, e.g.
            ``{"length": 40.0, "speed": 8.0}``, from 1e-6 to 1e6; the others are fixed.
        features: what an observation is made of, in this order; () for all of
            `features.FEATURES`. Names such as "own.speed" or "other.distance", of
            `features.FEATURES` and `features.DERIVED`; "own", "other" or "obstacle" for all of
            that block in FEATURES; and `FeatureFunction`s, or dicts of their fields. Features
            "other.*" are there once for each other player, and "obstacle.*" for each obstacle:
            neighbors in the list that are of one block stay together for each of them.
        noise: standard deviation of the Gaussian noise in features, in their own units (1 is
            their scale), from 0 to 1e6: a number for all but presences, or a dict by name, e.g.
            ``{"other.offset_forward": 0.01}``. It is the sum of twelve uniform numbers, never
            beyond 6 standard deviations, by which the space is wider; it is not clipped.
            Players that are caught have none. It follows from the episode's seed and step,
            and no other chance changes with it.
        delay: how many steps old an observation is, from 0 to 1000. The first ones of an
            episode show its start.
        range: a vehicle whose center is farther from mine than this, in meters, is out of
            sight, and an obstacle whose edge is; from 0 to 1e9. None, or inf, is no limit.
        field_of_view: what is at a larger angle from the heading, to either side and by its
            center, is out of sight; radians, from 0 to pi, which is all around. What is exactly
            at my place is in sight.
        occlusion: whether an obstacle hides what is behind it: whatever has its center on the
            other side of a disc that the straight line between the two centers crosses. A line
            that only touches the disc (to within 1e-9 m) is free. Vehicles hide nothing. On a
            torus the line is the one to the nearest image, and all images of a disc count.
        nearest: how many of the nearest opponents, teammates and obstacles have a block, from 1
            to 64: so many of each kind, nearest first, also where a game has fewer, so that an
            observation has the same size in all games. None: each opponent and teammate has
            a block of its own, by number, and each obstacle. Those out of sight do not count.
    """

    scales: str | Mapping[str, float] = "fixed"
    features: Sequence[str | FeatureFunction] = ()
    noise: float | Mapping[str, float] = 0.0
    delay: int = 0
    range: float | None = None
    field_of_view: float = math.pi
    occlusion: bool = False
    nearest: int | None = None

    def __post_init__(self) -> None:
        self._check_scales()
        object.__setattr__(self, "features", _checked_features(self.features))
        object.__setattr__(self, "noise", self._checked_noise())
        object.__setattr__(self, "delay", check_count(DELAY, "delay", self.delay))
        self._check_view()

    @property
    def is_standard(self) -> bool:
        """Whether the learner sees what others do: everything, exact and at once."""
        is_exact = not self.delay and self.noise == 0.0
        return not self.features and is_exact and not self.is_partial

    @property
    def is_partial(self) -> bool:
        """Whether something may be left out: out of sight, or not among the nearest."""
        return self.limits_sight or self.nearest is not None

    @property
    def limits_sight(self) -> bool:
        """Whether something may be out of sight."""
        return self.range is not None or self.field_of_view < math.pi or self.occlusion

    @property
    def standard(self) -> ObservationConfig:
        """What others see, with the same scales."""
        return ObservationConfig(scales=self.scales)

    @property
    def exact(self) -> ObservationConfig:
        """The same, without noise and delay."""
        return replace(self, noise=0.0, delay=0)

    def noise_of(self, name: str) -> float:
        """The standard deviation of the noise in a feature, by its name."""
        if isinstance(self.noise, Mapping):
            return self.noise.get(name, 0.0)
        return 0.0 if name.endswith(".presence") else self.noise

    def _checked_noise(self) -> float | dict[str, float]:
        if not isinstance(self.noise, Mapping):
            return check_within(NOISE, "noise", self.noise)
        chosen = self.features or [name for block in BLOCKS for name in names_of_block(block)]
        names = [name_of_feature(feature) for feature in chosen]
        for name in self.noise:
            if name not in names:
                raise InvalidValue(unknown("feature in noise", name, names))
        checked = {
            name: check_within(NOISE, f"noise[{name!r}]", value)
            for name, value in self.noise.items()
        }
        return checked if any(checked.values()) else 0.0

    def _check_view(self) -> None:
        # JSON, which results are written in, has no infinity.
        if isinstance(self.range, float) and self.range == math.inf:
            object.__setattr__(self, "range", None)
        for name in ("range", "field_of_view"):
            if name != "range" or self.range is not None:
                value = check_within(VIEW[name], name, getattr(self, name))
                object.__setattr__(self, name, value)
        object.__setattr__(self, "occlusion", check_flag("occlusion", self.occlusion))
        if self.nearest is not None:
            nearest = check_count(VIEW["nearest"], "nearest", self.nearest)
            object.__setattr__(self, "nearest", nearest)

    def _check_scales(self) -> None:
        if isinstance(self.scales, str):
            check_choice("scales", self.scales, SCALES)
            return
        if not isinstance(self.scales, Mapping):
            raise InvalidType(
                "scales must be 'fixed', 'game' or a dict such as {'speed': 8.0}, "
                f"{got(self.scales)}"
            )
        for name in self.scales:
            if name not in QUANTITIES:
                raise InvalidType(unknown("quantity in scales", name, QUANTITIES))
        checked = {
            name: check_within(SCALE, f"scales[{name!r}]", value)
            for name, value in self.scales.items()
        }
        object.__setattr__(self, "scales", checked)


def name_of_feature(feature: str | FeatureFunction) -> str:
    """The name of a chosen feature in messages and in ``noise``."""
    return feature if isinstance(feature, str) else feature.name


def _checked_features(given: Any) -> tuple[str | FeatureFunction, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidType(
            "features must be a list of names such as 'other.distance', and of "
            f"FeatureFunctions; {got(given)}"
        )
    found: list[str | FeatureFunction] = []
    for feature in given:
        if isinstance(feature, FeatureFunction | Mapping):
            found.append(coerce(FeatureFunction, "a feature", feature))
        elif feature in BLOCKS:
            found += names_of_block(feature)
        elif isinstance(feature, str) and feature in NAMED:
            found.append(feature)
        elif isinstance(feature, str):
            raise InvalidValue(unknown("feature", feature, [*BLOCKS, *NAMED]))
        else:
            raise InvalidType(
                f"a feature is a name such as 'other.distance' or a FeatureFunction; "
                f"{got(feature)}"
            )
    names = [name_of_feature(feature) for feature in found]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InvalidValue(f"features must be different, got {name!r} twice")
    return tuple(found)
