"""The command that watches games: ``python -m steer_env watch``."""

from __future__ import annotations

import argparse

from steer_env.command_options import (
    add_drawing_options,
    add_game_options,
    add_player_options,
    drawing_of,
    game_of,
)

SUMMARY = "players against each other, in a window"
DESCRIPTION = """\
Shows games in a window, side by side: every pursuer against every evader, from the same starts.
The keys, which h shows, pause, go back and forth, and choose what is marked; a click on a
vehicle tells all about it.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    add_player_options(parser)
    parser.add_argument(
        "--games", type=int, default=1, metavar="N", help="of each pair at once (1)"
    )
    parser.add_argument(
        "--episodes", type=int, metavar="N", help="end after so many, one after the other"
    )
    add_game_options(parser)
    add_drawing_options(parser, "960x720")


def run(options: argparse.Namespace) -> None:
    """Shows the games, and prints how they ended.

    Raises:
        TypeError, ValueError, OSError: for what cannot be shown.
        gymnasium.error.DependencyNotInstalled: without pygame.
    """
    from steer_env.watch.watching import watch

    watch(
        options.pursuer,
        options.evader,
        game=game_of(options),
        games=options.games,
        seed=options.seed,
        episodes=options.episodes,
        trust=options.trust,
        drawing=drawing_of(options),
        report=lambda line: print(line, flush=True),
    )
