"""``python -m steer_env play``."""

from __future__ import annotations

import argparse

from steer_env.command_options import (
    add_drawing_options,
    add_game_options,
    drawing_of,
    game_of,
)

SUMMARY = "play yourself: catch the evader, or stay free"
DESCRIPTION = (
    "A game in a window: you steer the pursuer or the evader with arrow keys (or W A S D), the "
    "mouse or a gamepad, against the computer. Levels: easy, normal, hard, expert. Press H in "
    "the window for all keys."
)


EPILOG = (
    "Best times are kept in your data folder, or in the folder that the environment variable "
    "STEER_ENV_DATA names."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--as",
        dest="side",
        default="pursuer",
        metavar="SIDE",
        help="pursuer or evader (pursuer)",
    )
    parser.add_argument("--level", metavar="NAME", help="easy, normal, hard or expert (normal)")
    parser.add_argument(
        "--opponent",
        metavar="NAME",
        help="instead of the level's: a script, a pretrained policy, or an .npz or .zip file",
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="begin at once, and end after so many rounds"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the first start (random)")
    parser.add_argument(
        "--trust",
        action="store_true",
        help="read an opponent's .zip file, which can run any code",
    )
    add_game_options(parser)
    add_drawing_options(parser, "900x800")


def run(options: argparse.Namespace) -> None:
    """Opens the window, and plays until the person leaves.

    Raises:
        ValueError: for names that there are not, or a side that has several vehicles.
        TypeError, OSError, DependencyNotInstalled: for what cannot be done.
    """
    import dataclasses

    from steer_env.episodes.players import SIDES
    from steer_env.errors import check_choice
    from steer_env.play.app import ANNOTATED, App
    from steer_env.play.best_times import BestTimes, usual_path
    from steer_env.play.menu import Menu
    from steer_env.play.rounds import Round
    from steer_env.play.session import Session
    from steer_env.rendering.window import Window

    check_choice("side", options.side, SIDES)
    config, drawing = game_of(options), drawing_of(options)
    if options.annotations is None:
        drawing = dataclasses.replace(drawing, annotations=ANNOTATED)
    side = SIDES.index(options.side)
    menu = Menu(side, config, options.level, options.opponent, options.trust)
    session = Session(menu, BestTimes(usual_path()), options.seed, options.rounds)
    Round(menu.challenge, 0).push(0j)  # what has to be compiled, is now, and not in mid-game
    App(Window(drawing.size, "Pursuit & Evasion"), session, drawing).run()
