"""The learner's observation: its features, and their noise, delay and scaling."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_flag,
    coerce,
    got,
    unknown,
)
from steer_env.fields import (
    DELAY,
    FEATURE,
    NOISE,
    SCALE,
    Bounds,
    check_entries,
    check_within,
    configuration,
    entry,
)
from steer_env.game.config.features import (
    BLOCKS,
    NAMED,
    OF_RAY_NAMES,
    PATH_FEATURES,
    names_of_block,
)
from steer_env.game.config.lidar import LidarConfig
from steer_env.steering.own_functions import (
    OwnKind,
    answer_number,
    check_own_function,
    function_name,
    me_and_other,
)
from steer_env.steering.vehicle import Vehicle

SCALES = ("fixed", "game")

QUANTITIES = ("length", "speed", "force", "mass", "radius", "acceleration")
"""The quantities of ``scales``, in SI units."""


@dataclass(frozen=True)
class FeatureFunction:
    """A user-defined feature: a function of me and another player, once for each of them.

    It is compiled when the environment is made, and may use what a user-defined behavior may
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
        for name in ("low", "high"):
            value = check_within(FEATURE, f"{name} of {self.name}", getattr(self, name))
            object.__setattr__(self, name, value)
        check_own_function(self.kind, self.function)
        if self.low >= self.high:
            raise InvalidValue(
                f"low of {self.name} must be below high, got {self.low:g} and {self.high:g}"
            )

    block: ClassVar[str] = "other"

    @property
    def name(self) -> str:
        """The function's name."""
        return function_name(self.function)

    @property
    def kind(self) -> OwnKind:
        """The kind of its function, in messages."""
        return OwnKind(
            "feature",
            "(me, other), two Vehicles, that returns a number",
            me_and_other,
            answer_number,
            ("me", "other"),
            f"nan or a number beyond its bounds, {self.low:g} to {self.high:g}",
            f"{self.low:g} for it",
        )


@configuration
class ObservationConfig:
    """The learner's observation: features, their scale, noise and delay, and limits of view.

    All but the scales is the learner's alone; a `Script` with ``sees="observed"`` has the same
    limits of view.

    All features of a vehicle or an obstacle out of view are 0, without noise. (``info`` and the
    rewards follow from the whole game, and reveal more.) Teammates do not share what they see.

    With scales "fixed" 1 is the largest value of the default game: 20 m, 4 m/s, 12 N, 1 kg, a
    radius of 0.3 m and 12 m/s^2, so policies carry over; in larger games features leave [-1,
    1], up to the bounds of the observation space. With "game" 1 is the largest value of this
    game. A dict sets some, from 1e-6 to 1e6 in SI units: ``{"length": 40.0, "speed": 8.0}``.

    Features are names of `FEATURES` and `DERIVED`, such as "other.distance"; "own", "other" or
    "obstacle" for all of that block in FEATURES, "lidar" for all that its rays measure, "path"
    for the shortest way to each other player on a map ("own.target_path_length" and its kin
    have the target's); and `FeatureFunction`s, or dicts of their fields. Features of "other",
    "obstacle" and "lidar" repeat for each of them; neighbors in the list of one block stay
    together.

    Noise is the sum of twelve uniform numbers, never beyond 6 standard deviations, by which the
    space is wider. It follows from the episode's seed and step alone. With a delay, the first
    observations of an episode show its start.

    An obstacle hides a center if the straight line to it (on a torus, to its nearest image)
    crosses the obstacle by more than 1e-9 m. Vehicles hide nothing.
    """

    scales: str | Mapping[str, float] = entry(
        'the meaning of 1: "fixed", "game", or a dict of values', default="fixed"
    )
    features: Sequence[str | FeatureFunction] = entry(
        "features in the order of an observation; () for all of `FEATURES`", default=()
    )
    noise: float | Mapping[str, float] = entry(
        "standard deviation of Gaussian noise in features, where 1 is their scale, from 0 to "
        '1e6: a number for all but presences, or a dict by name: ``{"own.speed": 0.01}``',
        default=0.0,
    )
    delay: int = entry("age of an observation", "steps", DELAY, default=0)
    range: float | None = entry(
        "distance beyond which a vehicle's center, or an obstacle's edge, is out of view; None "
        "or inf for no limit",
        "m",
        Bounds(0.0, 1e9),
        default=None,
    )
    field_of_view: float = entry(
        "angle from the heading, to either side, beyond which a center is out of view; "
        "everything at my very place is in view",
        "radians",
        Bounds(0.0, math.pi),
        default=math.pi,
    )
    occlusion: bool = entry("whether obstacles hide what is behind them", default=False)
    nearest: int | None = entry(
        "number of the nearest opponents, teammates and obstacles in view that have a block, "
        "as many of each kind, nearest first, also where a game has fewer; None for a block "
        "for each opponent, teammate and obstacle, by number",
        within=Bounds(1, 64),
        default=None,
    )

    lidar: LidarConfig | None = entry(
        "rays that measure distances, a LidarConfig or a dict of its fields, ``{}`` for its "
        "defaults; None for none",
        default=None,
    )

    def __post_init__(self) -> None:
        if self.lidar is not None:
            object.__setattr__(self, "lidar", coerce(LidarConfig, "lidar", self.lidar))
        # JSON, which results are written in, has no infinity.
        if isinstance(self.range, float) and self.range == math.inf:
            object.__setattr__(self, "range", None)
        check_entries(self)
        self._check_scales()
        object.__setattr__(self, "features", _checked_features(self.features, self.lidar))
        object.__setattr__(self, "noise", self._checked_noise())
        object.__setattr__(self, "occlusion", check_flag("occlusion", self.occlusion))

    @property
    def is_standard(self) -> bool:
        """Returns whether the learner sees everything, exact and at once, as others do."""
        is_exact = not self.delay and self.noise == 0.0
        is_plain = not self.features and self.lidar is None
        return is_plain and is_exact and not self.is_partial

    @property
    def is_partial(self) -> bool:
        """Returns whether something may be out of sight, or not among the nearest."""
        return self.limits_sight or self.nearest is not None

    @property
    def limits_sight(self) -> bool:
        """Returns whether something may be out of sight."""
        return self.range is not None or self.field_of_view < math.pi or self.occlusion

    @property
    def standard(self) -> ObservationConfig:
        """The observation of others, with the same scales."""
        return ObservationConfig(scales=self.scales)

    @property
    def exact(self) -> ObservationConfig:
        """The same, without noise and delay."""
        return replace(self, noise=0.0, delay=0)

    @property
    def chosen(self) -> Sequence[str | FeatureFunction]:
        """The features, also where none are given."""
        if self.features:
            return self.features
        rays = () if self.lidar is None else self.lidar.features
        return (*(name for block in BLOCKS for name in names_of_block(block)), *rays)

    def noise_of(self, name: str) -> float:
        """The standard deviation of the noise in a feature, by its name."""
        if isinstance(self.noise, Mapping):
            return self.noise.get(name, 0.0)
        return 0.0 if name.endswith(".presence") else self.noise

    def _checked_noise(self) -> float | dict[str, float]:
        if not isinstance(self.noise, Mapping):
            return check_within(NOISE, "noise", self.noise)
        names = [name_of_feature(feature) for feature in self.chosen]
        checked = {}
        for name, value in self.noise.items():
            if name not in names:
                raise InvalidValue(unknown("feature in noise", name, names))
            checked[name] = check_within(NOISE, f"noise[{name!r}]", value)
        return checked if any(checked.values()) else 0.0

    def _check_scales(self) -> None:
        if isinstance(self.scales, str):
            check_choice("scales", self.scales, SCALES)
            return
        if not isinstance(self.scales, Mapping):
            raise InvalidType(
                "scales must be 'fixed', 'game' or a dict such as {'speed': 8.0}, "
                f"{got(self.scales)}"
            )
        checked = {}
        for name, value in self.scales.items():
            if name not in QUANTITIES:
                raise InvalidType(unknown("quantity in scales", name, QUANTITIES))
            checked[name] = check_within(SCALE, f"scales[{name!r}]", value)
        object.__setattr__(self, "scales", checked)


def name_of_feature(feature: str | FeatureFunction) -> str:
    """The name of a chosen feature in messages and in ``noise``."""
    return feature if isinstance(feature, str) else feature.name


def _checked_features(
    given: Any, lidar: LidarConfig | None
) -> tuple[str | FeatureFunction, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidType(
            "features must be a list of names such as 'other.distance', and of "
            f"FeatureFunctions; {got(given)}"
        )
    found: list[str | FeatureFunction] = []
    for feature in given:
        if isinstance(feature, FeatureFunction | Mapping):
            found.append(coerce(FeatureFunction, "a feature", feature))
        elif not isinstance(feature, str):
            raise InvalidType(
                f"a feature is a name such as 'other.distance' or a FeatureFunction; "
                f"{got(feature)}"
            )
        elif feature in BLOCKS:
            found += names_of_block(feature)
        elif feature == "lidar" or feature in OF_RAY_NAMES:
            found += _rays_named(feature, lidar)
        elif feature == "path":
            found += PATH_FEATURES[:3]
        elif feature in NAMED:
            found.append(feature)
        else:
            raise InvalidValue(unknown("feature", feature, [*BLOCKS, "lidar", "path", *NAMED]))
    names = [name_of_feature(feature) for feature in found]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InvalidValue(f"features must be different, got {name!r} twice")
    return tuple(found)


def _rays_named(feature: str, lidar: LidarConfig | None) -> Sequence[str]:
    if lidar is None:
        raise InvalidValue(f"the feature {feature!r} needs a lidar, such as lidar={{}}")
    if feature == "lidar":
        return lidar.features
    if feature not in lidar.features:
        raise InvalidValue(f"the feature {feature!r} needs vehicles=True of the lidar")
    return [feature]
