"""A whole game as a frozen dataclass, checked when made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_integer, coerce, shown
from steer_env.fields import Bounds, check_entries, configuration, entry
from steer_env.game.config.fits import check_all_fits, check_payoff_fits
from steer_env.game.config.hooks import ScenarioFeature, named_features
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.parts import (
    PAYOFFS,
    SIDES,
    SMALLEST_OBSTACLE,
    ActionConfig,
    Obstacles,
    Range,
    RewardConfig,
    VehicleConfig,
    check_range,
    checked_obstacles,
    checked_ranges,
)
from steer_env.game.config.starts import checked_starts
from steer_env.game.config.target import TargetConfig, checked_targets, distances_to
from steer_env.game.region import ARENAS, MAP, Region
from steer_env.maps.map import Map, checked_maps
from steer_env.scenarios.registry import suite_game
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import OUTCOMES, Side
from steer_env.steering.targets import Target

SOLID = ("nobody", "teammates", "everyone")
"""The bodies that push each other apart where they overlap."""

DEFAULT_VEHICLES: Mapping[str, VehicleConfig] = {
    "pursuer": VehicleConfig(),
    "evader": VehicleConfig(max_speed=3.6),
}
"""Calibrated: analytic pursuit catches the scripted evaders often, but not always."""

_PARTS: dict[str, type] = {
    **{"reward": RewardConfig, "observation": ObservationConfig, "action": ActionConfig},
}
_TEAM = Bounds(1, 1024)


@configuration
class Game:
    """The rules of a game: its fields are the keywords of `gym.make`, see `make_game`.

    With payoff "capture", an evader that comes within the capture radius is caught at the end
    of that step. The other payoffs come from differential games with a single evader. "time":
    the exact time of capture within the step. "closest_approach": the least distance of the
    episode; "final_distance": the distance at the horizon. In these two the radius only defines
    which results count as captures. "target_distance": the distance of the evader from the
    target when it is caught or time is up, 0 if it gets there; the pursuer maximizes it.
    "breach_distance": the distance along the target's rim from the pursuer to where the evader
    comes through, 0 if it never does. An episode is terminated as soon as its payoff can no
    longer change.

    Solid bodies start apart, and at the end of a step overlapping ones are pushed apart, each
    by half; their velocities stay. After 30 passes over all pairs, bodies that still overlap
    return to their places before the step, so overlaps never exceed 1e-9 m. All that is before
    captures: "everyone" needs a `capture_radius` above two bodies' radii, such as 0.61.
    Obstacles are always solid.
    """

    pursuers: int = entry("number of pursuers", within=_TEAM, default=1)
    evaders: int = entry("number of evaders", within=_TEAM, default=1)
    pursuer: VehicleConfig | tuple[VehicleConfig, ...] = entry(
        "limits of every pursuer, a VehicleConfig or a dict of its fields, or a list with one "
        "for each, of the same model",
        factory=VehicleConfig,
        shown="speed 4, force 12",
    )
    evader: VehicleConfig | tuple[VehicleConfig, ...] = entry(
        "the same for the evaders",
        factory=lambda: DEFAULT_VEHICLES["evader"],
        shown="speed 3.6, force 12",
    )
    arena: str = entry("kind of arena", one_of=ARENAS, default="walls")
    arena_size: float = entry(
        "side of the square; in the open, of the square of start positions",
        "m",
        Bounds(1.0, 1e4),
        default=20.0,
    )
    map: tuple[Map, ...] = entry(
        "walls of any shape instead of a square: a `Map` or its name, such as "
        '"rooms/0-63", or a list of them, 1,024 at most, of which every episode draws one; the '
        "arena's side is the longest one of theirs",
        default=(),
        shown="none",
    )
    obstacles: Obstacles = entry(
        "number of round obstacles that each episode places at random, 64 at most, or a tuple "
        "of (x, y, radius) in meters, which are the same in all",
        default=0,
    )
    obstacle_radius: Range = entry(
        "smallest and largest radius of random obstacles, from 0.01 m to the arena's side",
        "m",
        default=(0.5, 1.5),
    )
    capture_radius: float = entry(
        "distance between centers below which an evader is caught, at any moment of a step",
        "m",
        Bounds(1e-9, 1e4),
        default=0.6,
    )
    captors_needed: int = entry(
        "number of pursuers that must come within the capture radius in one step to catch an "
        "evader, at most all of them (``n_catch`` of SISL's pursuit); above 1 the payoff is "
        '"capture"',
        within=_TEAM,
        default=1,
    )
    dt: float = entry("length of a step", "s", Bounds(1e-6, 1.0), default=1 / 30, shown="1/30")
    horizon: int = entry(
        "length of an episode: time_left and the time reward are measured against it",
        "steps",
        Bounds(1, 10**9),
        default=600,
    )
    target: TargetConfig | tuple[TargetConfig, ...] | None = entry(
        "a place that evaders want to reach, a TargetConfig or a dict of its fields, or a list "
        "of up to 8 such places, any of which will do; None for none",
        default=None,
    )
    reward: RewardConfig = entry(
        "weights of the reward terms, a RewardConfig or a dict of its fields",
        factory=RewardConfig,
        shown="1 each",
    )
    solid: str = entry("bodies that do not overlap", one_of=SOLID, default="nobody")
    payoff: str = entry(
        "the quantity that the sides fight over", one_of=PAYOFFS, default="capture"
    )
    start_distance: float = entry(
        "least distance between a pursuer and an evader at the start, as a share of the "
        "arena's side",
        within=Bounds(0.0, 0.6),
        default=0.25,
    )
    start_speed: float = entry(
        "highest speed at the start, as a share of max_speed; each vehicle's is drawn "
        "uniformly (a car always starts at its speed)",
        within=Bounds(0.0, 1.0),
        default=0.0,
    )
    head_start: float = entry(
        "the time from the start in which pursuers stand still, rounded up to whole steps",
        "s",
        Bounds(0.0, 1e4),
        default=0.0,
    )
    start: Mapping[str, Any] = entry(
        'places to start from instead of random ones: a dict with "pursuer", "evader" or both, '
        'dicts with "position" (x, y) in meters, "heading" in radians and "speed" in m/s along '
        "it, for a team with one for each vehicle; arrays with one more axis in front hold "
        "several starts, up to 100,000, of which an episode draws one",
        factory=dict,
        shown="random",
    )
    randomize: Mapping[str, Mapping[str, Range]] = entry(
        "ranges from which each episode draws limits, uniformly, for every vehicle of a side "
        'alone: {"evader": {"max_speed": (2.0, 4.0)}}',
        factory=dict,
        shown="none",
    )
    observation: ObservationConfig = entry(
        "the learner's observation, an ObservationConfig or a dict of its fields",
        factory=ObservationConfig,
        shown="all, exact",
    )
    action: ActionConfig = entry(
        "noise and delay of the learner's actions, an ActionConfig or a dict of its fields",
        factory=ActionConfig,
        shown="exact",
    )
    scenario: Scenario | None = entry(
        "rules of its own that the game has; None for none", default=None
    )

    def __post_init__(self) -> None:
        check_entries(self)
        set_field = object.__setattr__
        set_field(self, "map", checked_maps(self.map))
        if self.map:
            self._take_size_of_maps()
        needed = check_integer("captors_needed", self.captors_needed, 1, self.pursuers)
        set_field(self, "captors_needed", needed)
        for name in SIDES:
            set_field(self, name, self._checked_vehicles(name))
        span = Bounds(SMALLEST_OBSTACLE, max(self.arena_size, 1.5))  # the default always fits
        radius = check_range("obstacle_radius", self.obstacle_radius, span)
        set_field(self, "obstacle_radius", radius)
        set_field(self, "obstacles", checked_obstacles(self.obstacles, self.arena_size))
        set_field(self, "start", checked_starts(self.start, (self.pursuers, self.evaders)))
        set_field(self, "randomize", checked_ranges(self.randomize))
        if self.scenario is not None:
            set_field(self, "scenario", suite_game(self.scenario))
        if isinstance(self.observation, Mapping) and "features" in self.observation:
            chosen = named_features(self.scenario, self.observation["features"])
            set_field(self, "observation", {**self.observation, "features": chosen})
        for name, kind in _PARTS.items():
            set_field(self, name, coerce(kind, name, getattr(self, name)))
        if self.target is not None:
            set_field(self, "target", checked_targets(self.target))
        check_payoff_fits(self)
        check_all_fits(self)

    def _take_size_of_maps(self) -> None:
        """Makes the square hold all maps, or raises an InvalidValue for another arena."""
        size, default = 2.0 * max(one.half_size for one in self.map), type(self)().arena_size
        if self.arena != "walls" or self.arena_size not in (size, default):
            raise InvalidValue(
                f"a map has its own shape and size, here {size:g} m; leave arena and "
                f"arena_size out, got arena={self.arena!r} and arena_size={self.arena_size:g}"
            )
        object.__setattr__(self, "arena_size", size)
        if self.payoff not in ("capture", "target_distance"):
            raise InvalidValue(
                f"payoff={self.payoff!r} is that of games without walls; on a map it is "
                "'capture' or 'target_distance'"
            )

    def has_rule(self, name: str) -> bool:
        """Returns whether the game's scenario has a rule of `scenario.HOOKS`."""
        return self.scenario is not None and name in self.scenario.hooks

    @property
    def own(self) -> Mapping[str, float]:
        """The numbers of a vehicle's own at the start, by name, see `Scenario`."""
        return {} if self.scenario is None else self.scenario.own

    def _checked_vehicles(self, side: str) -> VehicleConfig | tuple[VehicleConfig, ...]:
        given, default = getattr(self, side), DEFAULT_VEHICLES[side]
        if not isinstance(given, list | tuple):
            vehicle: VehicleConfig = coerce(VehicleConfig, side, given, default)
            return vehicle
        count = self.count(side)
        if len(given) != count:
            raise InvalidValue(
                f"{side} must be the limits of all, or a list with those of each of the "
                f"{count}; got {len(given)}: is {side}s={len(given)} missing?"
            )
        vehicles = tuple(
            coerce(VehicleConfig, f"{side}[{number}]", one, default)
            for number, one in enumerate(given)
        )
        for what in ("model", "drag"):
            found = sorted({getattr(vehicle, what) for vehicle in vehicles})
            if len(found) > 1:
                raise InvalidValue(
                    f"all vehicles of the {side}s must have one {what}, got {found}"
                )
        return vehicles[0] if len(set(vehicles)) == 1 else vehicles

    def as_evaluated(self, with_disturbances: bool = False) -> Game:
        """The game that evaluations keep, without user-defined reward terms.

        The chosen features are left out if one is a user-defined function, unless it is the
        scenario's. Noise and delays stay ``with_disturbances``.
        """
        features = self.observation.features
        if any(not isinstance(feature, str | ScenarioFeature) for feature in features):
            features = ()
        observation = replace(self.observation, features=features)
        reward, action = replace(self.reward, terms=()), self.action
        if not with_disturbances:
            observation, action = observation.exact, ActionConfig()
        return replace(self, reward=reward, observation=observation, action=action)

    @cached_property
    def region(self) -> Region:
        """The region of the game."""
        half_size = self.arena_size / 2
        return Region(MAP, half_size) if self.map else Region.named(self.arena, half_size)

    @property
    def num_obstacles(self) -> int:
        """The number of obstacles in a game."""
        return self.obstacles if isinstance(self.obstacles, int) else len(self.obstacles)

    @property
    def has_obstacles(self) -> bool:
        """Returns whether the arena has obstacles."""
        return self.num_obstacles > 0

    @property
    def capture_circle(self) -> float:
        """Radius in which a pursuer catches, in meters: 0 if distances decide no captures."""
        is_free = self.payoff == "breach_distance" or self.has_rule("capture")
        return 0.0 if is_free else self.capture_radius

    @property
    def zones(self) -> Sequence[Sequence[complex]]:
        """The polygons of its scenario and its targets in pictures."""
        own = () if self.scenario is None else self.scenario.zones
        return (*own, *(target.outline(self.region) for target in self.targets))

    @property
    def targets(self) -> tuple[TargetConfig, ...]:
        """The targets, none, one or several."""
        given = self.target or ()
        return given if isinstance(given, tuple) else (given,)

    @property
    def shapes(self) -> tuple[Target, ...]:
        """The targets as compiled functions take them."""
        if not self.targets:
            return ()
        radius = self.limit_range("evader", "radius")[1]
        return tuple(target.shape(self.region, radius) for target in self.targets)

    def distances_to_target(self, places: NDArray[np.complex128]) -> NDArray[np.float64]:
        """The distances of places, (N,) complex, from the nearest target, in meters."""
        region, found = self.region, np.full(len(places), np.inf)
        for shape in self.shapes:
            near = places
            if region.wraps:
                near = shape.center + region.offsets(np.complex128(shape.center), places)
            found = np.minimum(found, distances_to(shape, near))
        return found

    def reached(self, players: NDArray[np.void]) -> NDArray[np.bool_]:
        """Returns which players of a game, records of `state.PLAYER`, are in a target."""
        if not self.targets:
            return np.zeros(len(players), np.bool_)
        far = self.distances_to_target(players["body"]["position"])
        is_evader = np.arange(len(players)) >= self.pursuers
        return np.asarray(~players["active"] & is_evader & (far == 0.0))

    @cached_property
    def outcomes(self) -> Mapping[str, Side]:
        """The ends that its episodes can have, with the side that wins, see `OUTCOMES`."""
        own = {} if self.scenario is None else self.scenario.outcomes
        return {**OUTCOMES, **own}

    def outcome(self, number: Any) -> Any:
        """Returns the outcome of a number in an info, "" for 0.

        Of an array of numbers it is an array of names.

        Raises:
            InvalidValue: for another number.
        """
        numbers, names = np.asarray(number), np.array(["", *self.outcomes])
        if numbers.dtype.kind not in "iuf" or not np.isin(numbers, range(len(names))).all():
            raise InvalidValue(
                f"the number of an outcome is from 0 to {len(names) - 1}, got {shown(number)}"
            )
        found = names[numbers.astype(np.int64)]
        return found if found.ndim else str(found)

    def highest(self, limit: str) -> float:
        """The largest value that a limit of a vehicle of either side can have."""
        return max(self.limit_range(side, limit)[1] for side in SIDES)

    def limit_range(self, side: str, limit: str) -> Range:
        """Smallest and largest value that a limit of a side's vehicles can have."""
        ranges = self.limit_ranges(side, limit)
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def limit_ranges(self, side: str, limit: str) -> tuple[Range, ...]:
        """Smallest and largest value that a limit of each of a side's vehicles can have."""
        vehicles = self.vehicles(side)
        if limit in self.randomize.get(side, {}):
            return (self.randomize[side][limit],) * len(vehicles)
        values = [getattr(vehicle, limit) for vehicle in vehicles]
        return tuple((value, value) for value in values)

    def vehicles(self, side: str) -> tuple[VehicleConfig, ...]:
        """The limits of each of a side's vehicles, before anything is randomized."""
        given: VehicleConfig | tuple[VehicleConfig, ...] = getattr(self, side)
        return given if isinstance(given, tuple) else (given,) * self.count(side)

    def model(self, side: str) -> str:
        """The model of motion of a side's vehicles."""
        return self.vehicles(side)[0].model

    def drag(self, side: str) -> float:
        """The drag of a side's vehicles, as a share a second."""
        return self.vehicles(side)[0].drag

    def count(self, side: str) -> int:
        """The number of a side's vehicles."""
        return int(getattr(self, f"{side}s"))
