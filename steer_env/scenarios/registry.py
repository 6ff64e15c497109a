"""All named games, and the environments made of them.

There are environments for each side, and for continuous and discrete actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import gymnasium as gym

from steer_env.errors import InvalidType, InvalidValue, check_choice, shown, unknown
from steer_env.scenarios import games
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import Side

DEFAULT_GAME = games.Walls.name
"""The game of Pursuit-v0 and Evade-v0."""


def _by_name(*scenarios: type[Scenario]) -> Mapping[str, Scenario]:
    return MappingProxyType({one.name: one() for one in scenarios})


SUITE = _by_name(games.Walls, games.AgileTorus, games.Obstacles, games.Pack)
"""The games of the benchmark suite by their names."""

TEAMS = _by_name(games.Team, games.PackObstacles, games.Herd, games.Tag)
"""Games of teams beside the suite's "pack", by their names."""

TARGETS = _by_name(games.Guard)
"""Games about a target without a known value, by their names."""

WORLDS = _by_name(games.Rooms, games.Maze, games.Hide)
"""Games on maps of walls, by their names."""

SOLVED = _by_name(
    *(games.SimplePlane, games.HomicidalChauffeur, games.TwoCars, games.Drag),
    *(games.ReachAvoid, games.TwoOnOne, games.PerimeterDefense),
)
"""The games whose value `steer_env.solved` knows, in the literature's units, by their names."""


class Environment(NamedTuple):
    """The meaning of an id."""

    game: Scenario
    side: Side  # that learns
    action_type: str  # "continuous" or "discrete"


def _environments(*scenarios: Scenario) -> dict[str, Environment]:
    return {
        game.environment(side, kind): Environment(game, side, kind)
        for game in scenarios
        for side in Side
        for kind in ("continuous", "discrete")
    }


_BUILT_IN = {**SUITE, **TEAMS, **TARGETS, **WORLDS, **SOLVED}
_games = dict(_BUILT_IN)
_environments_by_id = _environments(*_games.values())

GAMES: Mapping[str, Scenario] = MappingProxyType(_games)
"""All games by their names, also those of `register`."""

ENVIRONMENTS: Mapping[str, Environment] = MappingProxyType(_environments_by_id)
"""The environments by their ids."""


def register(scenario: type[Scenario]) -> type[Scenario]:
    """Registers a scenario: its name is a ``game`` then, and there are environments of it.

    It returns the class, so it can be a decorator. A worker process that is not forked knows
    the game once it has imported the module of the class.

    Raises:
        InvalidType: if it is not a class of scenarios.
        InvalidValue: if another scenario has its name.
    """
    if not (isinstance(scenario, type) and issubclass(scenario, Scenario)):
        raise InvalidType(f"register takes a class of Scenario, got {shown(scenario)}")
    known = _games.get(scenario.name)
    is_redefined = known is not None and type(known).__qualname__ == scenario.__qualname__
    if scenario.name in _BUILT_IN or not (known is None or is_redefined):
        raise InvalidValue(f"there is a game {scenario.name!r}; give this one another name")
    game = scenario()
    _games[game.name] = game
    found = _environments(game)
    for name in found:
        gym.registry.pop(name, None)  # of a class that is defined again
    _environments_by_id.update(found)
    register_environments()
    return scenario


def register_environments() -> None:
    """Registers all environments, without a time limit of Gymnasium's.

    As "steer_env:Pursuit-v0" an id is known in every process, since Gymnasium then imports this
    package first.
    """
    for name, (game, side, action_type) in ENVIRONMENTS.items():
        if name not in gym.registry:
            keywords = {"action_type": action_type}
            if game.name != DEFAULT_GAME:
                keywords["game"] = game.name
            gym.register(
                id=name,
                entry_point=f"steer_env.envs.single:{side.verb}Env",
                vector_entry_point=f"steer_env.envs.vector:{side.verb}VectorEnv",
                kwargs=keywords,
            )


def environment_id(what: str, given: str) -> str:
    """The id of an environment, without the module that Gymnasium may import for it.

    For an unknown one, an InvalidValue has ``what`` and the nearest match.
    """
    name = given.removeprefix("steer_env:")
    check_choice(what, name, ENVIRONMENTS)
    return name


def suite_game(
    given: str | Scenario | type[Scenario] | Mapping[str, object] | None,
) -> Scenario:
    """The scenario that a caller names.

    It is a name; a scenario or its class; a dict with the name of a registered scenario as
    "scenario" and its parameters; or None for the default game. Anything else is an
    InvalidValue, with the nearest name or parameter.
    """
    if isinstance(given, Scenario):
        return given
    if isinstance(given, type) and issubclass(given, Scenario):
        return given()
    if isinstance(given, Mapping) and "scenario" in given:
        parameters: dict[str, Any] = {**given}
        scenario = suite_game(parameters.pop("scenario"))
        for name in parameters:
            if name not in vars(scenario):
                what = f"parameter of the scenario {scenario.name}"
                raise InvalidValue(unknown(what, name, list(vars(scenario))))
        return type(scenario)(**{**vars(scenario), **parameters})
    wanted: Any = DEFAULT_GAME if given is None else given
    check_choice("game", wanted, GAMES)
    return GAMES[wanted]
