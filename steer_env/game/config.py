"""What a game is made of: frozen dataclasses, with units, checked when made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_choice,
    check_integer,
    check_number,
    coerce,
)
from steer_env.game.arena import ARENAS
from steer_env.game.dynamics import MODELS

LIMITS = ("max_speed", "max_force", "mass", "radius")
"""The limits of a vehicle, which `randomize` can draw anew for every episode."""

SOLID = ("nobody", "teammates", "everyone")
"""The bodies that push each other apart where they overlap."""

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class VehicleConfig:
    """The limits of one side's vehicles.

    Attributes:
        max_speed: meters a second, above 0.
        max_force: newtons, above 0.
        mass: kilograms, above 0.
        radius: of the body, meters, at least 0.
        model: how it moves: "point_mass", "simple_motion" or "car"; see `dynamics`.
    """

    max_speed: float = 4.0
    max_force: float = 12.0
    mass: float = 1.0
    radius: float = 0.3
    model: str = "point_mass"

    def __post_init__(self) -> None:
        for name in LIMITS:
            above = name != "radius"
            value = check_number(name, getattr(self, name), 0.0, 1e6, above=above)
            object.__setattr__(self, name, value)
        check_choice("model", self.model, MODELS)


@dataclass(frozen=True, kw_only=True)
class ArenaConfig:
    """Where the game is played.

    Attributes:
        kind: "walls", "torus" or "open"; see `arena`.
        size: side of the square in meters; in the open, of the square of start positions.
        obstacles: how many round obstacles to place at random in each episode, or a
            tuple of (x, y, radius), in meters, to place the same in all.
        obstacle_radius: smallest and largest radius of random obstacles, in meters.
    """

    kind: str = "walls"
    size: float = 20.0
    obstacles: int | tuple[tuple[float, float, float], ...] = 0
    obstacle_radius: Range = (0.5, 1.5)

    def __post_init__(self) -> None:
        check_choice("arena", self.kind, ARENAS)
        object.__setattr__(self, "size", check_number("arena_size", self.size, 1.0, 1e4))
        largest = max(self.size, 1.5)  # so that the default fits any arena
        low, high = check_range("obstacle_radius", self.obstacle_radius, 0.01, largest)
        object.__setattr__(self, "obstacle_radius", (low, high))
        if isinstance(self.obstacles, Sequence) and not isinstance(self.obstacles, str):
            discs = tuple(self._check_disc(disc) for disc in self.obstacles)
            object.__setattr__(self, "obstacles", discs)
        else:
            object.__setattr__(
                self, "obstacles", check_integer("obstacles", self.obstacles, 0, 64)
            )

    def _check_disc(self, disc: object) -> tuple[float, float, float]:
        if not isinstance(disc, Sequence) or len(disc) != 3:
            raise InvalidValue(f"an obstacle is (x, y, radius), got {disc!r}")
        x = check_number("obstacle x", disc[0], -self.size / 2, self.size / 2)
        y = check_number("obstacle y", disc[1], -self.size / 2, self.size / 2)
        return x, y, check_number("obstacle radius", disc[2], 0.01, self.size / 2)

    @property
    def half_size(self) -> float:
        """Half the side of the square, in meters."""
        return self.size / 2

    @property
    def num_obstacles(self) -> int:
        """How many obstacles a game holds."""
        return self.obstacles if isinstance(self.obstacles, int) else len(self.obstacles)


@dataclass(frozen=True, kw_only=True)
class RewardConfig:
    """Weights of the pursuers' reward terms; the evaders get the negative (zero-sum).

    Attributes:
        capture: for catching all the evaders; each one caught earns its share, once.
        time: paid over a whole `horizon`, in equal parts each step.
        closing: for the whole way across the arena; potential-based shaping, discount *
            potential after - potential before, with minus the mean distance of free
            evaders to their nearest pursuer, in arena diagonals, as the potential (Ng,
            Harada and Russell 1999). It changes what is learned fast, not what is best.
        discount: of the learner, for the shaping to be exactly neutral.
    """

    capture: float = 1.0
    time: float = 1.0
    closing: float = 1.0
    discount: float = 1.0

    def __post_init__(self) -> None:
        for name in ("capture", "time", "closing"):
            value = check_number(f"reward {name}", getattr(self, name), 0.0, 1e6)
            object.__setattr__(self, name, value)
        discount = check_number("reward discount", self.discount, 0.0, 1.0)
        object.__setattr__(self, "discount", discount)


@dataclass(frozen=True, kw_only=True)
class GameConfig:
    """A whole game of pursuit and evasion.

    Attributes:
        pursuers: how many, at least 1.
        evaders: how many, at least 1.
        pursuer: limits of every pursuer.
        evader: limits of every evader.
        arena: where.
        capture_radius: an evader nearer than this to a pursuer, center to center and at
            any moment of a step, is caught; meters.
        dt: length of a step, in seconds.
        horizon: the length of an episode in steps; the observation's time_left and the
            reward's time term are measured against it.
        reward: weights of the reward terms.
        solid: "nobody", or "teammates" or "everyone" if bodies that overlap push each other
            apart at the end of a step, each by half, as far as walls and obstacles let them.
            (Obstacles are always solid.)
        start_distance: least distance between a pursuer and an evader at the start, as a
            share of the arena's side.
        randomize: ranges that limits are drawn from, uniformly, once an episode, for
            every vehicle of a side alone, e.g. {"evader": {"max_speed": (2.0, 4.0)}}.
    """

    pursuers: int = 1
    evaders: int = 1
    pursuer: VehicleConfig = field(default_factory=VehicleConfig)
    evader: VehicleConfig = field(default_factory=lambda: DEFAULT_VEHICLES["evader"])
    arena: ArenaConfig = field(default_factory=ArenaConfig)
    capture_radius: float = 0.5
    dt: float = 1 / 30
    horizon: int = 600
    reward: RewardConfig = field(default_factory=RewardConfig)
    solid: str = "nobody"
    start_distance: float = 0.25
    randomize: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for name in ("pursuers", "evaders"):
            set_field(self, name, check_integer(name, getattr(self, name), 1, 64))
        for name in ("pursuer", "evader"):
            default = DEFAULT_VEHICLES[name]
            set_field(self, name, coerce(VehicleConfig, name, getattr(self, name), default))
        set_field(self, "arena", coerce(ArenaConfig, "arena", self.arena))
        set_field(self, "reward", coerce(RewardConfig, "reward", self.reward))
        radius = check_number("capture_radius", self.capture_radius, 0.0, 1e4, above=True)
        set_field(self, "capture_radius", radius)
        set_field(self, "dt", check_number("dt", self.dt, 0.0, 1.0, above=True))
        set_field(self, "horizon", check_integer("horizon", self.horizon, 1, 10**9))
        start = check_number("start_distance", self.start_distance, 0.0, 0.6)
        set_field(self, "start_distance", start)
        set_field(self, "randomize", _check_randomize(self.randomize))
        check_choice("solid", self.solid, SOLID)
        self._check_bodies_fit()
        self._check_capture_is_possible()

    def _check_capture_is_possible(self) -> None:
        contact = sum(self.limit_range(side, "radius")[1] for side in ("pursuer", "evader"))
        if self.solid == "everyone" and self.capture_radius <= contact:
            raise InvalidValue(
                "solid='everyone' needs a capture_radius above the sum of both sides' radii, "
                f"{contact:g} m, or no evader is ever caught; got {self.capture_radius:g} m"
            )

    def _check_bodies_fit(self) -> None:
        for side in ("pursuer", "evader"):
            _, radius = self.limit_range(side, "radius")
            if radius >= 0.25 * self.arena.size:
                raise InvalidValue(
                    f"a {side} of radius {radius:g} m has no room in an arena of side "
                    f"{self.arena.size:g} m; the radius must be below a quarter of it"
                )

        obstacles = self.arena.obstacles
        if not isinstance(obstacles, int):
            wide = max(self.limit_range(side, "radius")[1] for side in ("pursuer", "evader"))
            covered = sum(math.pi * (radius + wide) ** 2 for _, _, radius in obstacles)
            if covered > 0.5 * self.arena.size**2:
                raise InvalidValue(
                    "obstacles must leave vehicles at least half of the arena; with "
                    f"{wide:g} m for a vehicle around each they cover {covered:.0f} of "
                    f"{self.arena.size**2:.0f} square meters"
                )

    def limit_range(self, side: str, limit: str) -> Range:
        """Smallest and largest value that a limit of a side's vehicles can have."""
        value = getattr(getattr(self, side), limit)
        return self.randomize.get(side, {}).get(limit, (value, value))


def check_range(what: str, given: object, low: float, high: float) -> Range:
    """Returns (smallest, largest), both within [low, high].

    Raises:
        InvalidValue: if it is not a pair of numbers in that order.
    """
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise InvalidValue(f"{what} must be a pair (smallest, largest), got {given!r}")
    smallest = check_number(f"{what} (smallest)", given[0], low, high)
    largest = check_number(f"{what} (largest)", given[1], low, high)
    if smallest > largest:
        raise InvalidValue(f"{what} must be (smallest, largest), got {given!r}")
    return smallest, largest


def _check_randomize(given: object) -> dict[str, dict[str, Range]]:
    if not isinstance(given, Mapping):
        raise InvalidType(
            "randomize must be a dict such as {'evader': {'max_speed': (2.0, 4.0)}}, "
            f"got {given!r}"
        )
    checked: dict[str, dict[str, Range]] = {}
    for side, ranges in given.items():
        check_choice("side in randomize", side, ("pursuer", "evader"))
        if not isinstance(ranges, Mapping):
            raise InvalidType(f"randomize[{side!r}] must be a dict of ranges, got {ranges!r}")
        checked[side] = {}
        for limit, pair in ranges.items():
            check_choice(f"limit in randomize[{side!r}]", limit, LIMITS)
            low = 0.0 if limit == "radius" else 1e-6
            what = f"randomize[{side!r}][{limit!r}]"
            checked[side][limit] = check_range(what, pair, low, 1e6)
    return checked


DEFAULT_VEHICLES: Mapping[str, VehicleConfig] = {
    "pursuer": VehicleConfig(),
    "evader": VehicleConfig(max_speed=3.6),
}
"""Calibrated: analytic pursuit catches the scripted evaders often, but not always."""


def game_config(
    *,
    pursuers: int = GameConfig.pursuers,
    evaders: int = GameConfig.evaders,
    pursuer: VehicleConfig | Mapping[str, Any] | None = None,
    evader: VehicleConfig | Mapping[str, Any] | None = None,
    arena: str = ArenaConfig.kind,
    arena_size: float = ArenaConfig.size,
    obstacles: int | Sequence[Sequence[float]] = ArenaConfig.obstacles,
    capture_radius: float = GameConfig.capture_radius,
    dt: float = GameConfig.dt,
    horizon: int = GameConfig.horizon,
    solid: str = GameConfig.solid,
    reward: RewardConfig | Mapping[str, float] | None = None,
    randomize: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
) -> GameConfig:
    """The configuration that the environments' keywords describe.

    Raises:
        InvalidType: for a value of the wrong type, or an unknown field in a dict.
        InvalidValue: for a value out of range; the message says what is valid.
    """
    discs: Any = obstacles
    if isinstance(obstacles, Sequence) and not isinstance(obstacles, str):
        discs = tuple(tuple(disc) if isinstance(disc, Sequence) else disc for disc in obstacles)
    given: dict[str, Any] = {"reward": reward, "randomize": randomize}
    given |= {"pursuer": pursuer, "evader": evader}
    return GameConfig(
        pursuers=pursuers,
        evaders=evaders,
        arena=ArenaConfig(kind=arena, size=arena_size, obstacles=discs),
        capture_radius=capture_radius,
        dt=dt,
        horizon=horizon,
        solid=solid,
        **{name: value for name, value in given.items() if value is not None},
    )
