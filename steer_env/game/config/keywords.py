"""From the keywords of environments to a game's configuration, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeAlias

from numpy.typing import NDArray

from steer_env.bounds import Bounds, check_count, check_within
from steer_env.errors import InvalidValue, check_choice
from steer_env.fields import ranges, rows
from steer_env.game.config.game import SIDES, GameConfig
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.config.parts import ActionConfig, ArenaConfig, RewardConfig, VehicleConfig
from steer_env.game.config.scenario import with_features
from steer_env.scenarios.scenario import Scenario
from steer_env.suite import suite_game

AnyGame: TypeAlias = GameConfig | Mapping[str, Any] | Scenario | type[Scenario] | str | None
"""A game as functions take it, None for the default one."""

Vehicles: TypeAlias = VehicleConfig | Mapping[str, Any] | Sequence[Any]
"""The limits of a side: of all its vehicles, or a list with those of each."""

_NU, _L = Bounds(1e-6, 1e6), Bounds(1e-9, 1e6)


def game_config(  # noqa: D417  (the fields' entries explain themselves)
    *,
    game: str | Scenario | type[Scenario] | Mapping[str, Any] | None = None,
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

    The others are the fields of `GameConfig` and, as ``arena``, ``arena_size``, ``obstacles``
    and ``obstacle_radius``, of `ArenaConfig`; None is the game's own value.

    Args:
        game: a name of `steer_env.suite.GAMES`, or a scenario or its class; the other keywords
            change that game. None for the default game.
        nu: the evaders' top speed over the pursuers', instead of their ``max_speed``.
        l: the capture radius over the turning radius of the pursuers, mass * max_speed**2 /
            max_force, which must be cars; instead of ``capture_radius``.
        observe_nearest: ``nearest`` of the `ObservationConfig`.

    Raises:
        InvalidType: for a value of the wrong type, or an unknown field in a dict.
        InvalidValue: for a value out of range; the message says what is valid.
    """
    asked: dict[str, Any] = dict(locals())
    ratios = {name: asked.pop(name) for name in ("nu", "l")}
    nearest = asked.pop("observe_nearest")
    _check_one_of_each(asked, **ratios)
    scenario = suite_game(asked.pop("game"))
    given = dict(scenario.keywords)
    for name, value in asked.items():
        before = given.get(name)
        if name in SIDES and isinstance(value, Mapping) and isinstance(before, Mapping):
            value = {**before, **value}
        if value is not None:
            given[name] = value
    for name in given:
        check_choice(f"keyword of the scenario {scenario.name}", name, asked)
    space = ArenaConfig(**{_ARENA[name]: given.pop(name) for name in _ARENA if name in given})
    seen = with_features(scenario, given.pop("observation", {}), space.num_obstacles > 0)
    rules = scenario if scenario.has_rules else None
    config = GameConfig(**given, arena=space, observation=seen, scenario=rules)
    return _with_ratios(_with_nearest(config, nearest), **ratios)


def _with_nearest(config: GameConfig, given: int | None) -> GameConfig:
    """The game in which the learner observes this number of the nearest."""
    if given is None:
        return config
    nearest = check_count(ranges(ObservationConfig)["nearest"], "observe_nearest", given)
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
        ratio = check_within(_NU, "nu", nu)
        config = replace(config, evader=replace(evader, max_speed=ratio * pursuer.max_speed))
    if l is not None:
        ratio = check_within(_L, "l", l)
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
    scenario = config.scenario
    given = _flat(config)
    default = _flat(GameConfig() if scenario is None else game_config(game=scenario))
    changed = {name: value for name, value in given.items() if value != default[name]}
    return changed if scenario is None else {"game": scenario, **changed}


def _flat(config: GameConfig) -> dict[str, Any]:
    """All that a game is made of, by the names of the keywords."""
    values = {entry.name: getattr(config, entry.name) for entry in fields(config)}
    arena: ArenaConfig = values.pop("arena")
    return {**values, **{name: getattr(arena, field) for name, field in _ARENA.items()}}


def keyword_rows() -> list[tuple[str, str, str]]:
    """The name, default and meaning of each keyword of a game, for tables."""
    arena = rows(ArenaConfig)
    of_game = [row for row in rows(GameConfig) if row[0] not in ("arena", "scenario")]
    own = [
        (
            "game",
            '"walls"',
            "a game by its name, or a Scenario, which the other keywords change",
        ),
        ("nu", "none", "the evaders' top speed over the pursuers', instead of their max_speed"),
        ("l", "none", "capture_radius over the turning radius of the pursuers, which are cars"),
        ("observe_nearest", "all", "``nearest`` of the observation"),
    ]
    return [own[0], *of_game[:4], *arena, *of_game[4:], *own[1:]]
