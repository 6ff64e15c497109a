"""Commands about perfect play in games with a known value, and about best responses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from tyro.conf import Positional

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
from steer_env.errors import InvalidValue, check_choice, check_integer, check_number
from steer_env.files import check_endings
from steer_env.game.config import make_game
from steer_env.options import GameChoice, Json, SideOptions, TeamGameOptions
from steer_env.scenarios.registry import SOLVED


@dataclass(frozen=True)
class SolvedChoice(GameChoice):
    """The game: simple_plane, homicidal_chauffeur, two_cars, drag, reach_avoid, two_on_one or
    perimeter_defense.
    """  # noqa: D205

    game: str = "homicidal_chauffeur"

    nu: float | None = None
    """The evader's top speed over the pursuer's (by default the game's)."""

    l: float | None = None  # noqa: E741
    """The capture radius over the pursuer's turning radius (by default the game's)."""

    def keywords(self) -> dict[str, Any]:
        """Returns the keywords of the chosen solved game."""
        game = self.scenario.name
        check_choice("solved game", game, SOLVED)
        pursuer = make_game(game=game).vehicles("pursuer")[0]
        given: dict[str, Any] = {"game": game}
        if self.nu is not None:
            ratio = check_number("--nu", self.nu, 1e-6, 1e6)
            given["evader"] = {"max_speed": ratio * pursuer.max_speed}
        if self.l is not None:
            if pursuer.model != "car":
                raise InvalidValue(f"--l is for pursuers that are cars, not for {game}")
            turning_radius = pursuer.mass * pursuer.max_speed**2 / pursuer.max_force
            given["capture_radius"] = check_number("--l", self.l, 1e-9, 1e6) * turning_radius
        return given


def gap(
    *,
    players: SideOptions = SideOptions((), ()),
    game: SolvedChoice,
    results: ResultOptions,
    starts: int = REGION_STARTS,
    seed: int = HELD_OUT_SEED,
) -> None:
    """Measures the gap between a policy and perfect play.

    Name a pursuer or an evader; the other side plays perfectly.

    Args:
        starts: Starts in each region of the solution.
        seed: Seed of the first start.
    """
    from steer_env.baselines.optimality import gap as measure_gap

    results.check()
    keywords = game.keywords()
    check_integer("--starts", starts, 2, MOST_STARTS)
    if (given := players.only(game)) is None:
        raise InvalidValue("a gap is a policy's: name it with --pursuer or --evader")
    side, name, policy = given
    with StatusLine("playing ..."):
        found = measure_gap(policy, keywords, side.name, starts=starts, seed=seed, name=name)
    results.show(found.to_dict(), found.table())


def solution(
    *,
    players: SideOptions = SideOptions((), ()),
    game: SolvedChoice,
    show: Literal["value", "trajectories"] = "value",
    theme: Theme = "light",
    out: tuple[Path, ...] = (Path("solution.png"),),
) -> None:
    """Draws the solution of a game, as the pursuer sees it.

    A pursuer or an evader that is named plays beside perfect play, in trajectories.

    Args:
        show: The value's contours, or trajectories.
        out: Pictures to write, at least one: .png, .svg, .pdf.
    """
    from steer_env.baselines import plots, solution_maps, solution_plots

    if not out:
        raise InvalidValue("there is no file to write; name one after --out")
    check_endings(out, PICTURES)
    keywords, given = game.keywords(), players.only(game)
    if given is not None and show == "value":
        raise InvalidValue(
            f"the value is that of perfect play; leave out --{given[0].name}, or "
            "--show trajectories"
        )
    options: dict[str, Any] = {}
    if given is not None:
        side, name, policy = given
        shown = Path(name).name if name.endswith((".npz", ".zip")) else name
        options = {"policy": policy, "side": side.name, "name": shown}
    with StatusLine("computing ..."):
        found = solution_maps.solution_map(keywords)
        draw = partial(solution_plots.value_figure, found)
        if show == "trajectories":
            played = solution_maps.trajectories(found, **options)
            draw = partial(solution_plots.trajectories_figure, found, played)
    for path in out:
        plots.save(path, draw, theme)
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
        out: Files: .npz (what it played), .json, .md, .tex.
    """
    from steer_env.baselines.best_responses import best_response, check_writable
    from steer_env.players.resolver import resolve

    results.check(".npz")
    check_integer("--starts", starts, 2, MOST_STARTS)
    check_integer("--budget", budget, 1, MOST_BUDGET)
    if (named := players.only()) is None:
        raise InvalidValue("name the player to play against with --pursuer or --evader")
    side, _, opponent = named
    if any(path.suffix == ".npz" for path in results.out):
        check_writable(resolve(opponent, side))
    given: Any = {"starts": starts, "budget": budget, "seed": seed}
    with show_progress("starts") as progress:
        given["progress"] = progress
        found = best_response(opponent, game.config(), side.other.name, **given)
    results.show(found.to_dict(), found.table(), write=found.save)


def replay(plans: Positional[Path], json: Json = False) -> None:
    """Replays a file of `exploit` and checks that it is identical.

    Args:
        plans: A file that `exploit --out FILE.npz` wrote.
    """
    from steer_env.baselines.best_responses import BestResponse

    found = BestResponse.load(plans)
    with StatusLine("playing ..."):
        again = found.replay()
    if differing := int((again != found.payoffs).sum()):
        raise InvalidValue(
            f"{plans}: {differing} of {len(again)} starts end otherwise than the file says, up "
            f"to {np.abs(again - found.payoffs).max():g} {found.known.payoff.unit}"
        )
    ResultOptions(json).show(found.to_dict(), found.table())
