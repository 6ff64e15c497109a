"""Commands about perfect play in games with a known value, and about best responses."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from steer_env.baselines.command_options import (
    PICTURES,
    ResultOptions,
    Theme,
    show_progress,
)
from steer_env.baselines.tasks import (
    BUDGET,
    HELD_OUT_SEED,
    MOST_BUDGET,
    MOST_STARTS,
    REGION_STARTS,
)
from steer_env.cli import StatusLine, print_written
from steer_env.errors import InvalidValue, check_integer
from steer_env.files import check_endings
from steer_env.options import GameChoice, SideOptions, TeamGameOptions

SOLVED = GameChoice("homicidal_chauffeur")


def gap(
    *,
    players: SideOptions = SideOptions((), ()),
    game: GameChoice = SOLVED,
    results: ResultOptions,
    starts: int = REGION_STARTS,
    seed: int = HELD_OUT_SEED,
) -> None:
    """Measures the gap between a policy and perfect play.

    Name a pursuer or an evader; the other side plays perfectly. Solved games are simple_plane,
    homicidal_chauffeur, two_cars, drag, reach_avoid, two_on_one and perimeter_defense.

    Args:
        starts: Starts in each region of the solution.
        seed: Seed of the first start.
    """
    from steer_env.baselines.optimality import gap as measure_gap

    results.check()
    if (given := players.only(game)) is None:
        raise InvalidValue("a gap is a policy's: name it with --pursuer or --evader")
    side, name, policy = given
    with StatusLine("playing ..."):
        found = measure_gap(
            policy, {"game": game.scenario}, side.name, starts=starts, seed=seed, name=name
        )
    results.show(found.to_dict(), found.table())


def solution(
    *,
    game: GameChoice = SOLVED,
    theme: Theme = "light",
    out: tuple[Path, ...] = (Path("solution.png"),),
) -> None:
    """Draws the value of a solved game (see `gap`), as the pursuer sees it.

    Args:
        out: Pictures to write, at least one: .png, .svg, .pdf.
    """
    from steer_env.baselines import plots, solution_maps, solution_plots

    if not out:
        raise InvalidValue("there is no file to write; name one after --out")
    check_endings(out, PICTURES)
    with StatusLine("computing ..."):
        found = solution_maps.solution_map({"game": game.scenario})
    for path in out:
        plots.save(path, partial(solution_plots.value_figure, found), theme)
    print_written(*out)


def exploit(
    *,
    players: SideOptions = SideOptions((), ()),
    game: TeamGameOptions,
    results: ResultOptions,
    starts: int = 100,
    budget: int = BUDGET,
    seed: int = HELD_OUT_SEED,
) -> None:
    """Searches for the best response to a player, and measures its gain over known players.

    Name a pursuer or an evader; the search plays the other side. From each start it tries many
    plans of held actions and known scripts, and plans anew at every decision.

    Args:
        starts: Number of starts.
        budget: Plans that are tried from each start.
        seed: Seed of the first start.
    """
    from steer_env.baselines.best_responses import best_response

    results.check()
    check_integer("--starts", starts, 2, MOST_STARTS)
    check_integer("--budget", budget, 1, MOST_BUDGET)
    if (named := players.only()) is None:
        raise InvalidValue("name the player to play against with --pursuer or --evader")
    side, _, opponent = named
    given: Any = {"starts": starts, "budget": budget, "seed": seed}
    with show_progress("starts") as progress:
        given["progress"] = progress
        found = best_response(opponent, game.config(), side.other.name, **given)
    results.show(found.to_dict(), found.table())
