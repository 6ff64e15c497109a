"""The game of a training: a named one, or a user-defined scenario."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from steer_env.baselines.scenarios import ALL_SCENARIOS, BenchmarkScenario

from steer_env.errors import InvalidValue, check_text
from steer_env.options import scenario_of
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, environment_id
from steer_env.scenarios.scenario import Scenario
from steer_env.sides import EVADER, PURSUER


def environment_of(env: str, game: str | None) -> str:
    """The id of the environment of a game in which the side of ``env`` learns."""
    if game is None:
        return environment_id("env", check_text("env", env))
    scenario = scenario_of(check_text("game", game))
    given = ENVIRONMENTS[environment_id("env", check_text("env", env))]
    if given.game.name not in (DEFAULT_GAME, scenario.name):
        raise InvalidValue(
            f"{env} is an environment of {given.game.name}, and game says {game}: give one of "
            "them, or the game with Pursuit-v0, Evade-v0, PursuitDiscrete-v0 or "
            "EvadeDiscrete-v0"
        )
    return scenario.environment(given.side, given.action_type)


def study_of(environment: str) -> BenchmarkScenario:
    """The scenario that measures the learner of an environment.

    A solved game has perfect play. A game that is not in `ALL_SCENARIOS` has the scripts of a
    similar one, and the script that a learner of the other side plays against.
    """
    game, side, _ = ENVIRONMENTS[environment]
    if game.is_solved:
        from steer_env.baselines.solved_games import solved_scenario

        return solved_scenario(environment)
    if (known := ALL_SCENARIOS.get(f"{side.name}/{game.name}")) is not None:
        return known
    similar = ALL_SCENARIOS[f"{side.name}/{_similar_game(game)}"]
    references = dict.fromkeys((*similar.references, game.opponents[side.other]))
    return replace(
        similar, held_out=_general(similar.held_out), references=_general(references)
    )


def _similar_game(game: Scenario) -> str:
    """The named game with the same numbers of players on both sides, one or several."""
    if game.is_team(EVADER):
        return "team"
    if game.is_team(PURSUER):
        return "pack_obstacles"
    return "obstacles" if game.keywords.get("obstacles") else DEFAULT_GAME


def _general(names: Iterable[str]) -> tuple[str, ...]:
    """Leaves out the scripts and networks that are made for one game."""
    return tuple(name for name in names if not name.startswith(("tuned/", "pretrained/")))
