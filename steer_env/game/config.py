"""What a game is made of: frozen dataclasses, with units, checked when made.

Its parts are in files of their own. `steer_env.bounds` has the smallest and the largest value
of every number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

from numpy.typing import NDArray

from steer_env import bounds
from steer_env.bounds import check_count, check_within
from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_integer,
    coerce,
    shown,
)
from steer_env.game.action_config import ActionConfig
from steer_env.game.arena_config import ArenaConfig, Range, check_range
from steer_env.game.fitting import check_all_fits
from steer_env.game.observation_config import ObservationConfig
from steer_env.game.reward_config import RewardConfig
from steer_env.game.start_states import checked_starts
from steer_env.game.vehicle_config import LIMITS, VehicleConfig
from steer_env.sides import Side
from steer_env.suite import suite_game

__all__ = [
    "DEFAULT_VEHICLES",
    "LIMITS",
    "SIDES",
    "SOLID",
    "ActionConfig",
    "ArenaConfig",
    "GameConfig",
    "ObservationConfig",
    "RewardConfig",
    "VehicleConfig",
    "game_config",
    "keywords_of",
]

SIDES = tuple(side.name for side in Side)

SOLID = ("nobody", "teammates", "everyone")
"""The bodies that push each other apart where they overlap."""

PAYOFFS = ("capture", "time", "closest_approach", "final_distance")
"""What a game is about; see `GameConfig`."""


@dataclass(frozen=True, kw_only=True)
class GameConfig:
    """A whole game of pursuit and evasion.

    Attributes:
        pursuers: how many, from 1 to 1,024.
        evaders: how many, from 1 to 1,024.
        pursuer: limits of every pursuer; or a tuple with those of each. All move by one model.
        evader: the same for the evaders.
        arena: where.
        capture_radius: an evader nearer than this to a pursuer, center to center and at
            any moment of a step, is caught; meters, from 1e-9 to 1e4.
        captors_needed: how many pursuers must come within the capture radius in one and the
            same step to catch an evader, from 1 to all of them (the ``n_catch`` of SISL's
            pursuit). Above 1 the payoff is "capture".
        dt: length of a step, in seconds, from 1e-6 to 1.
        horizon: the length of an episode in steps, from 1 to 1e9; the observation's time_left
            and the reward's time term are measured against it.
        reward: weights of the reward terms.
        solid: whose bodies do not overlap: "nobody", "teammates" or "everyone". They start
            apart, and at the end of a step those that overlap push each other apart, each by
            half, as far as walls and obstacles let them; their velocities stay. In a crush
            that 30 passes over all pairs do not part, those that still overlap stay where
            they were before the step, so overlaps never exceed rounding, 1e-9 m. (Obstacles
            are always solid.)
        payoff: what the game is about. "capture": an evader that comes within the capture
            radius is caught at the end of that step. The other three are those of theory, for
            one evader. "time": the same, but what counts is the moment within the step when
            the capture radius is reached. "closest_approach": the least distance of the
            episode; "final_distance": that at the horizon. In these two nobody is caught: the
            radius only says below which distance a result counts as a capture. An episode also
            ends (terminated) once nothing that the players can do changes its payoff.
        start_distance: least distance between a pursuer and an evader at the start, as a
            share of the arena's side, from 0 to 0.6.
        start_speed: the highest speed at the start, as a share of max_speed, from 0 to 1; each
            vehicle's is drawn uniformly. (A car always starts at its speed.)
        start: where vehicles start instead of at random places: a dict with "pursuer",
            "evader" or both, dicts with "position" (x, y) in meters, "heading" in radians and
            "speed" in m/s along it, for a team with one for each vehicle. Arrays with one more
            axis in front hold several starts, up to 100,000, of which an episode draws one.
            What is not given is as drawn.
        randomize: ranges that limits are drawn from, uniformly, once an episode, for
            every vehicle of a side alone, e.g. {"evader": {"max_speed": (2.0, 4.0)}}.
        observation: what the learner observes, and what features stand for.
        action: how exactly and how late the learner's actions are carried out.
    """

    pursuers: int = 1
    evaders: int = 1
    pursuer: VehicleConfig | tuple[VehicleConfig, ...] = field(default_factory=VehicleConfig)
    evader: VehicleConfig | tuple[VehicleConfig, ...] = field(
        default_factory=lambda: DEFAULT_VEHICLES["evader"]
    )
    arena: ArenaConfig = field(default_factory=ArenaConfig)
    capture_radius: float = 0.5
    captors_needed: int = 1
    dt: float = 1 / 30
    horizon: int = 600
    reward: RewardConfig = field(default_factory=RewardConfig)
    solid: str = "nobody"
    payoff: str = "capture"
    start_distance: float = 0.25
    start_speed: float = 0.0
    start: Mapping[str, Any] = field(default_factory=dict)
    randomize: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)
    observation: ObservationConfig = field(default_factory=ObservationConfig)
    action: ActionConfig = field(default_factory=ActionConfig)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for name in ("pursuers", "evaders", "horizon"):
            set_field(self, name, check_count(bounds.GAME[name], name, getattr(self, name)))
        for name in ("capture_radius", "dt", "start_distance", "start_speed"):
            set_field(self, name, check_within(bounds.GAME[name], name, getattr(self, name)))
        fewest = int(bounds.GAME["captors_needed"].low)
        needed = check_integer("captors_needed", self.captors_needed, fewest, self.pursuers)
        set_field(self, "captors_needed", needed)
        for name in SIDES:
            set_field(self, name, self._checked_vehicles(name))
        set_field(self, "start", checked_starts(self.start, (self.pursuers, self.evaders)))
        set_field(self, "arena", coerce(ArenaConfig, "arena", self.arena))
        set_field(self, "reward", coerce(RewardConfig, "reward", self.reward))
        set_field(self, "randomize", _check_randomize(self.randomize))
        observation = coerce(ObservationConfig, "observation", self.observation)
        set_field(self, "observation", observation)
        set_field(self, "action", coerce(ActionConfig, "action", self.action))
        check_choice("solid", self.solid, SOLID)
        check_choice("payoff", self.payoff, PAYOFFS)
        if self.payoff != PAYOFFS[0] and self.evaders > 1:
            raise InvalidValue(
                f"payoff={self.payoff!r} is that of one evader, got {self.evaders}; of several "
                "evaders, captures are counted: payoff='capture'"
            )
        if self.payoff != PAYOFFS[0] and self.captors_needed > 1:
            raise InvalidValue(
                f"payoff={self.payoff!r} is that of the first pursuer to come near, got "
                f"captors_needed={self.captors_needed}; leave it at 1"
            )
        check_all_fits(self)

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

    def as_evaluated(self, with_disturbances: bool = False) -> GameConfig:
        """The game that evaluations keep: without what is a training's alone.

        That is reward terms of a user's own. The chosen features are left out if one of them is
        a function, which no file can hold.

        Args:
            with_disturbances: whether noise and delays stay.
        """
        features = self.observation.features
        if any(not isinstance(feature, str) for feature in features):
            features = ()
        observation = replace(self.observation, features=features)
        reward, action = replace(self.reward, terms=()), self.action
        if not with_disturbances:
            observation, action = observation.exact, ActionConfig()
        return replace(self, reward=reward, observation=observation, action=action)

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
        """How a side's vehicles move."""
        return self.vehicles(side)[0].model

    def drag(self, side: str) -> float:
        """How fast a side's vehicles slow down by themselves, as a share a second."""
        return self.vehicles(side)[0].drag

    def count(self, side: str) -> int:
        """The number of a side's vehicles."""
        number: int = getattr(self, f"{side}s")
        return number


def _check_randomize(given: object) -> dict[str, dict[str, Range]]:
    if not isinstance(given, Mapping):
        raise InvalidType(
            "randomize must be a dict such as {'evader': {'max_speed': (2.0, 4.0)}}, "
            f"got {shown(given)}"
        )
    checked: dict[str, dict[str, Range]] = {}
    for side, ranges in given.items():
        check_choice("side in randomize", side, SIDES)
        if not isinstance(ranges, Mapping):
            what = f"randomize[{side!r}] must be a dict of ranges"
            raise InvalidType(f"{what}, got {shown(ranges)}")
        checked[side] = {}
        for limit, pair in ranges.items():
            check_choice(f"limit in randomize[{side!r}]", limit, LIMITS)
            what = f"randomize[{side!r}][{limit!r}]"
            checked[side][limit] = check_range(what, pair, bounds.VEHICLE[limit])
    return checked


DEFAULT_VEHICLES: Mapping[str, VehicleConfig] = {
    "pursuer": VehicleConfig(),
    "evader": VehicleConfig(max_speed=3.6),
}
"""Calibrated: analytic pursuit catches the scripted evaders often, but not always."""


AnyGame: TypeAlias = GameConfig | Mapping[str, Any] | str | None
"""What functions take for a game: itself, its keywords, its name, or None for the default."""

Vehicles: TypeAlias = VehicleConfig | Mapping[str, Any] | Sequence[Any]
"""The limits of a side: of all its vehicles, or a list with those of each."""


def game_config(
    *,
    game: str | None = None,
    pursuers: int | None = None,
    evaders: int | None = None,
    pursuer: Vehicles | None = None,
    evader: Vehicles | None = None,
    arena: str | None = None,
    arena_size: float | None = None,
    obstacles: int | Sequence[Sequence[float]] | NDArray[Any] | None = None,
    obstacle_radius: tuple[float, float] | None = None,
    start_distance: float | None = None,
    start_speed: float | None = None,
    start: Mapping[str, Any] | None = None,
    capture_radius: float | None = None,
    captors_needed: int | None = None,
    dt: float | None = None,
    horizon: int | None = None,
    solid: str | None = None,
    payoff: str | None = None,
    nu: float | None = None,
    l: float | None = None,  # noqa: E741
    reward: RewardConfig | Mapping[str, Any] | None = None,
    randomize: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    observation: ObservationConfig | Mapping[str, Any] | None = None,
    observe_nearest: int | None = None,
    action: ActionConfig | Mapping[str, Any] | None = None,
) -> GameConfig:
    """The configuration that the environments' keywords describe.

    Args:
        game: a name of the suite, `steer_env.suite.SUITE`; the other keywords change that game,
            and leave as it is what they do not name. None for the default game.
        pursuers: as in `GameConfig`; so are the rest. None is the game's own value.
        evaders: likewise.
        pursuer: a dict changes the limits that it names.
        evader: likewise.
        arena: the kind of the `ArenaConfig`, and its size and obstacles:
        arena_size: likewise.
        obstacles: likewise.
        obstacle_radius: likewise.
        start_distance: see `GameConfig`.
        start_speed: likewise.
        start: likewise.
        capture_radius: likewise.
        captors_needed: likewise.
        dt: likewise.
        horizon: likewise.
        solid: likewise.
        payoff: likewise.
        nu: the evaders' top speed over the pursuers', instead of their ``max_speed``.
        l: the capture radius over the turning radius of the pursuers, mass * max_speed**2 /
            max_force, which must be cars; instead of ``capture_radius``.
        reward: likewise.
        randomize: likewise.
        observation: likewise.
        observe_nearest: ``nearest`` of the `ObservationConfig`.
        action: likewise.

    Raises:
        InvalidType: for a value of the wrong type, or an unknown field in a dict.
        InvalidValue: for a value out of range; the message says what is valid.
    """
    asked: dict[str, Any] = dict(locals())
    ratios = {name: asked.pop(name) for name in ("nu", "l")}
    nearest = asked.pop("observe_nearest")
    _check_one_of_each(asked, **ratios)
    given = dict(suite_game(asked.pop("game")).keywords)
    for name, value in asked.items():
        if (
            name in SIDES
            and isinstance(value, Mapping)
            and isinstance(given.get(name), Mapping)
        ):
            value = {**given[name], **value}
        if value is not None:
            given[name] = value
    space = {field: given.pop(name) for name, field in _ARENA.items() if name in given}
    config = GameConfig(**given, arena=ArenaConfig(**space))
    return _with_ratios(_with_nearest(config, nearest), **ratios)


def _with_nearest(config: GameConfig, given: int | None) -> GameConfig:
    """The game in which the learner observes so many of the nearest."""
    if given is None:
        return config
    nearest = check_count(bounds.VIEW["nearest"], "observe_nearest", given)
    if config.observation.nearest is not None:
        raise InvalidValue(
            "observe_nearest and the nearest of observation say the same; give one of them"
        )
    return replace(config, observation=replace(config.observation, nearest=nearest))


def _check_one_of_each(asked: Mapping[str, Any], nu: object, l: object) -> None:  # noqa: E741
    """Raises an InvalidValue for a ratio beside the number that it stands for."""
    if l is not None and asked["capture_radius"] is not None:
        raise InvalidValue("l and capture_radius say the same; give one of them")
    evader = asked["evader"]
    vehicles = evader if isinstance(evader, list | tuple) else [evader]
    if nu is not None and any(
        isinstance(one, VehicleConfig) or (isinstance(one, Mapping) and "max_speed" in one)
        for one in vehicles
    ):
        raise InvalidValue("nu and the evader's max_speed say the same; give one of them")


def _with_ratios(config: GameConfig, nu: object, l: object) -> GameConfig:  # noqa: E741
    """The game with the dimensionless numbers of the homicidal chauffeur that are given."""
    if nu is None and l is None:
        return config
    pursuer, evader = (_only_vehicle(config, side) for side in SIDES)
    if nu is not None:
        ratio = check_within(bounds.RATIOS["nu"], "nu", nu)
        config = replace(config, evader=replace(evader, max_speed=ratio * pursuer.max_speed))
    if l is not None:
        ratio = check_within(bounds.RATIOS["l"], "l", l)
        if pursuer.model != "car":
            raise InvalidValue(
                "l is the capture radius over the turning radius, which only cars have; the "
                f"pursuer is a {pursuer.model!r}: give capture_radius instead"
            )
        turning_radius = pursuer.mass * pursuer.max_speed**2 / pursuer.max_force
        config = replace(config, capture_radius=ratio * turning_radius)
    return config


def _only_vehicle(config: GameConfig, side: str) -> VehicleConfig:
    limits = set(config.vehicles(side))
    if len(limits) > 1 or config.randomize.get(side):
        raise InvalidValue(
            f"nu and l are ratios of fixed limits, and the {side}s of this game have several; "
            "give max_speed and capture_radius instead"
        )
    return limits.pop()


_ARENA = {
    "arena": "kind",
    "arena_size": "size",
    "obstacles": "obstacles",
    "obstacle_radius": "obstacle_radius",
}
"""Keywords, and the fields of `ArenaConfig` that they are."""


def keywords_of(config: GameConfig) -> dict[str, Any]:
    """The keywords with which `game_config` makes a game, without those of the default one."""
    given, default = _flat(config), _flat(GameConfig())
    return {name: value for name, value in given.items() if value != default[name]}


def _flat(config: GameConfig) -> dict[str, Any]:
    """All that a game is made of, by the names of the keywords."""
    values = {entry.name: getattr(config, entry.name) for entry in fields(config)}
    arena: ArenaConfig = values.pop("arena")
    return {**values, **{name: getattr(arena, field) for name, field in _ARENA.items()}}
