"""The task of a training: one of the benchmark, an environment, or a game in a user's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from steer_env.baselines.tasks import ALL_TASKS, Task
from steer_env.errors import InvalidValue, check_choice, check_text
from steer_env.options import file_of, scenario_of
from steer_env.scenarios.registry import DEFAULT_GAME, ENVIRONMENTS, environment_id
from steer_env.sides import EVADER, PURSUER, Side


def game_in_file(task: str) -> str | None:
    """The FILE.py:NAME in the name of a task, or None if its game is in no file."""
    if file_of(task) is None:
        return None
    side, _, game = task.partition("/")
    if side not in [one.name for one in Side]:
        raise InvalidValue(
            f"which side learns in {task}? Its task is pursuer/{task} or evader/{task}"
        )
    return game


def task_of(name: str, opponents: tuple[str, ...] = ()) -> Task:
    """The task of a name in `ALL_TASKS`, an environment's id, or SIDE/FILE.py:NAME.

    The last is a Scenario in a Python file, which is run. The opponents are for training,
    instead of the environment's own; a task in `ALL_TASKS` has fixed ones.
    """
    game, keywords = game_in_file(check_text("task", name)), {}
    if game is not None:
        scenario = scenario_of(game)
        environment = scenario.environment(Side.named(name.partition("/")[0]))
        keywords = {"game": scenario}
    elif "/" in name:
        check_choice("task", name, ALL_TASKS)
        if opponents:
            raise InvalidValue(f"{name} has fixed opponents: omit them, or give its game")
        return ALL_TASKS[name]
    else:
        environment = environment_id("task", name)
    entry = ENVIRONMENTS[environment]
    usual = _usual_task(environment)
    opponents = opponents or (entry.game.opponents[entry.side],)
    others = (*usual.opponents, *usual.held_out)
    return replace(
        usual,
        name=f"{environment} against {', '.join(opponents)}",
        environment=environment,
        keywords=keywords,
        opponents=opponents,
        held_out=tuple(one for one in others if one not in opponents),
    )


def _usual_task(environment: str) -> Task:
    """The task that lends an environment its references and held-out opponents.

    A solved game has perfect play. A game that is not in `ALL_TASKS` has the scripts of one
    with as many players on each side, one or several, and its own script for that side.
    """
    game, side, _ = ENVIRONMENTS[environment]
    if game.is_solved:
        from steer_env.baselines.solved_games import solved_task

        return solved_task(environment)
    if (known := ALL_TASKS.get(f"{side.name}/{game.name}")) is not None:
        return known
    name = "obstacles" if game.keywords.get("obstacles") else DEFAULT_GAME
    if game.is_team(PURSUER) or game.is_team(EVADER):
        name = "team" if game.is_team(EVADER) else "pack_obstacles"
    similar = ALL_TASKS[f"{side.name}/{name}"]
    references = _general(dict.fromkeys((*similar.references, game.opponents[side.other])))
    return replace(similar, held_out=_general(similar.held_out), references=references)


def _general(names: Iterable[str]) -> tuple[str, ...]:
    """Leaves out the scripts and networks that are made for one game."""
    return tuple(name for name in names if not name.startswith(("tuned/", "pretrained/")))
