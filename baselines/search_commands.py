"""Commands about the best response to a player."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tyro.conf import Positional

from steer_env.baselines.command_options import (
    TABLES,
    OneSideOptions,
    players_of,
    show_progress,
    show_results,
)
from steer_env.baselines.tasks import BUDGET, HELD_OUT_SEED, MOST_BUDGET, MOST_STARTS
from steer_env.cli import StatusLine
from steer_env.errors import InvalidValue, check_integer
from steer_env.files import check_endings
from steer_env.options import Json, TeamGameOptions


def exploit(
    player: OneSideOptions,
    game: TeamGameOptions,
    starts: int = 100,
    budget: int = BUDGET,
    seed: int = HELD_OUT_SEED,
    search_seed: int = 0,
    json: Json = False,
    out: tuple[Path, ...] = (),
) -> None:
    """Searches for the best response to a player, and measures its gain over known players.

    Name a pursuer or an evader; the search plays the other side. From each start it tries many
    plans of held actions and known scripts, and plans anew at every decision.

    Args:
        starts: Number of starts.
        budget: Plans that are tried from each start.
        seed: Seed of the first start.
        search_seed: Seed of the search.
        out: Files: .npz (what it played), .json, .md, .tex.
    """
    from steer_env.baselines.best_responses import best_response, check_writable
    from steer_env.policies.players import controller_of

    check_endings(out, (".npz", *TABLES))
    check_integer("--starts", starts, 2, MOST_STARTS)
    check_integer("--budget", budget, 1, MOST_BUDGET)
    if (given := player.policy()) is None:
        raise InvalidValue("name the player to play against with --pursuer or --evader")
    side, name = given
    opponent = players_of([name], player)[name]
    if any(path.suffix == ".npz" for path in out):
        check_writable(controller_of(opponent, side))
    with show_progress("starts") as progress:
        found = best_response(
            opponent,
            game.config(),
            side.other.name,
            starts=starts,
            budget=budget,
            seed=seed,
            search_seed=search_seed,
            progress=progress,
        )
    for path in out:
        if path.suffix == ".npz":
            found.save(path)
    show_results(found.to_dict(), found.table(), json=json, out=out)


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
            f"to {np.abs(again - found.payoffs).max():g} {found.payoff.unit}"
        )
    show_results(found.to_dict(), found.table(), json=json)
