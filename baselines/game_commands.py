"""Commands about a whole game: of the suite, and games with a known value."""

from __future__ import annotations

import json as json_format
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from steer_env.baselines.command_options import (
    PICTURES,
    TABLES,
    OneSideOptions,
    SampleOptions,
    TableFiles,
    Theme,
    check_different,
    players_of,
    show_progress,
    show_results,
)
from steer_env.baselines.tasks import (
    ALL_TASKS,
    CHOICE_EPISODES,
    EPISODES,
    HELD_OUT_SEED,
    MOST_STARTS,
    REGION_STARTS,
)
from steer_env.cli import StatusLine, print_written
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.files import check_endings
from steer_env.options import GameChoice, Json, SideName
from steer_env.scenarios.registry import SOLVED, SUITE, TEAMS, suite_game
from steer_env.sides import Side

DEFAULT_SOLVED_GAME = "homicidal_chauffeur"


@dataclass(frozen=True)
class SolvedChoice(GameChoice):
    """The game: simple_plane, homicidal_chauffeur (the default), two_cars or drag."""

    nu: float | None = None
    """The evader's top speed over the pursuer's (by default the game's)."""

    l: float | None = None  # noqa: E741
    """The capture radius over the pursuer's turning radius (by default the game's)."""

    def keywords(self) -> dict[str, Any]:
        """Returns the keywords of the chosen solved game."""
        game = suite_game(self.chosen or DEFAULT_SOLVED_GAME).name
        check_choice("solved game", game, SOLVED)
        given = {"game": game, "nu": self.nu, "l": self.l}
        return {name: value for name, value in given.items() if value is not None}


def gap(
    player: OneSideOptions,
    game: SolvedChoice,
    starts: int = REGION_STARTS,
    seed: int = HELD_OUT_SEED,
    json: Json = False,
    out: TableFiles = (),
) -> None:
    """Measures the gap between a policy and perfect play.

    Name a pursuer or an evader; the other side plays perfectly.

    Args:
        starts: Starts in each region of the solution.
        seed: Seed of the first start.
    """
    from steer_env.baselines.optimality import gap as measure_gap

    check_endings(out, TABLES)
    keywords = game.keywords()
    check_integer("--starts", starts, 2, MOST_STARTS)
    given = _policy(player, game)
    if given is None:
        raise InvalidValue("a gap is a policy's: name it with --pursuer or --evader")
    side, policy = given
    loaded = players_of([policy], player)[policy]
    with StatusLine("playing ..."):
        found = measure_gap(loaded, keywords, side.name, starts=starts, seed=seed, name=policy)
    show_results(found.to_dict(), found.table(), json=json, out=out)


def solution(
    player: OneSideOptions,
    game: SolvedChoice,
    show: Literal["value", "trajectories"] = "value",
    psi: float | None = None,
    theme: Theme = "light",
    out: tuple[Path, ...] = (Path("solution.png"),),
) -> None:
    """Draws the solution of a game, as the pursuer sees it.

    A pursuer or an evader that is named plays beside perfect play, in trajectories.

    Args:
        show: The value's contours, or trajectories.
        psi: The pursuer's heading in the evader's frame, in radians, by default pi / 2; only
            for two_cars.
        out: Pictures to write, at least one: .png, .svg, .pdf.
    """
    from steer_env.baselines import figure_style, solution_maps, solution_plots

    if not out:
        raise InvalidValue("there is no file to write; name one after --out")
    check_endings(out, PICTURES)
    keywords, given = game.keywords(), _policy(player, game)
    if psi is not None and keywords["game"] != "two_cars":
        raise InvalidValue("psi is for two cars; leave out --psi, or --game two_cars")
    if given is not None and show == "value":
        raise InvalidValue(
            f"the value is that of perfect play; leave out --{given[0].name}, or "
            "--show trajectories"
        )
    options: dict[str, Any] = {} if psi is None else {"psi": psi}
    if given is not None:
        side, name = given
        shown = Path(name).name if name.endswith((".npz", ".zip")) else name
        policy = players_of([name], player)[name]
        options |= {"policy": policy, "side": side.name, "name": shown}
    with StatusLine("computing ..."):
        if show == "value":
            found = solution_maps.solution_map(keywords, **options)
            draw = partial(solution_plots.value_figure, found)
        else:
            pair = solution_maps.episode_pair(keywords, **options)
            draw = partial(solution_plots.trajectories_figure, pair)
    for path in out:
        figure_style.save(path, draw, theme)
    print_written(*out)


def tune(
    game: GameChoice,
    sample: SampleOptions = SampleOptions(EPISODES, HELD_OUT_SEED),
    side: SideName | None = None,
    opponents: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    trials: int = 10_000,
    generations: int = 30,
    children: int = 240,
    search_seed: int = 0,
    choice_episodes: int = CHOICE_EPISODES,
    json: Json = False,
) -> None:
    """Searches for the strongest script, and measures it beside the known ones.

    The search uses training starts only, the measurement held-out ones.

    Args:
        side: Side of the script; by default that of --env, or else the pursuer.
        opponents: Scripts or policies to do well against, on average; by default the training
            opponents of the benchmark protocol.
        known: Names of scripts to begin with, besides random ones; by default all of that side.
        trials: Random scripts to begin with.
        generations: Generations of mutation.
        children: Mutants of each generation.
        search_seed: Seed of the search.
        choice_episodes: Episodes with which the winner is chosen and simplified.
    """
    from steer_env.baselines.protocol import benchmark
    from steer_env.baselines.tuning import tune as search
    from steer_env.scripts.roster import ROSTER

    sample.check()
    for names in (opponents, known):
        check_different(names)
    learner = game.side(side).name
    name = suite_game(game.chosen).name
    check_choice("game to tune for", name, {**SUITE, **TEAMS})
    usual = ALL_TASKS[f"{learner}/{name}"]
    against = opponents or usual.opponents
    for name in known:
        check_choice("script", name, ROSTER)
    scripts = [ROSTER[name] for name in known] or None
    size = trials, generations, children, search_seed, scripts, choice_episodes
    report = partial(print, file=sys.stderr)  # also into a log: it may take an hour
    found = search(learner, against, usual.config, *size, report)
    held_out = tuple(name for name in usual.held_out if name not in against)
    task = replace(usual, opponents=against, held_out=held_out)
    with show_progress("measured") as progress:
        result = benchmark({"found": found}, task, sample.episodes, sample.seed, progress)
    given = {"behavior": found.behavior, **found.changes}
    text = f"Script({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    if json:
        print(json_format.dumps({"script": text, **result.to_dict()}, indent=2))
    else:
        print(f"{text}\n\n{result}")


def _policy(player: OneSideOptions, game: GameChoice) -> tuple[Side, str] | None:
    """Returns the side and the name of the policy, after comparing the side with --env's."""
    given, environment = player.policy(), game.environment
    if given is not None and environment is not None and given[0] is not environment.side:
        learner = environment.side.name
        raise InvalidValue(
            f"--env {game.env} is the {learner}'s: name the policy with --{learner}, or give "
            "--game instead"
        )
    return given
