"""Options that several commands share: the game, who plays it, and how it is drawn."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steer_env.drawing import DrawingConfig
    from steer_env.game.config import GameConfig

_GAME_OPTIONS: Mapping[str, tuple[type, str, str]] = {
    "pursuers": (int, "N", "how many pursuers (1)"),
    "evaders": (int, "N", "how many evaders (1)"),
    "arena": (str, "KIND", "walls, torus or open (walls)"),
    "arena_size": (float, "METERS", "side of the arena (20)"),
    "obstacles": (int, "N", "how many round obstacles, at random places (0)"),
    "capture_radius": (float, "METERS", "how near a pursuer has to come (0.5)"),
    "horizon": (int, "STEPS", "length of an episode, 30 steps a second (600)"),
    "solid": (str, "WHO", "whose bodies push apart: nobody, teammates or everyone (nobody)"),
}


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Adds --pursuer and --evader, of which there may be several, --seed and --trust."""
    group = parser.add_argument_group("the players")
    for option, default in (("--pursuer", "pursuit"), ("--evader", "evade")):
        text = f"scripts, random, pretrained policies, .npz or .zip files ({default})"
        group.add_argument(option, nargs="+", default=[default], metavar="NAME", help=text)
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the first start (0)"
    )
    group.add_argument(
        "--trust", action="store_true", help="load .zip files, which can run any code"
    )


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Adds an option for each of the environments' keywords that fits on a command line."""
    group = parser.add_argument_group("the game")
    for name, (kind, metavar, text) in _GAME_OPTIONS.items():
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=text)


def game_of(options: argparse.Namespace) -> GameConfig:
    """The game that the options ask for.

    Raises:
        TypeError, ValueError: as `steer_env.envs.keywords.game_config`.
    """
    from steer_env.envs.keywords import game_config

    given = {name: getattr(options, name) for name in _GAME_OPTIONS}
    return game_config(**{name: value for name, value in given.items() if value is not None})


def add_drawing_options(parser: argparse.ArgumentParser, size: str = "600") -> None:
    """Adds options for the size, the theme and the annotations of pictures."""
    group = parser.add_argument_group("the picture")
    group.add_argument(
        "--size",
        type=size_of,
        default=size,
        metavar="PIXELS",
        help=f"side, or WIDTHxHEIGHT ({size})",
    )
    group.add_argument("--theme", default="light", metavar="NAME", help="light or dark (light)")
    group.add_argument(
        "--annotations",
        type=annotations_of,
        metavar="NAMES",
        help="what is marked: names between commas, all or none (see info)",
    )


def size_of(text: str) -> tuple[int, int]:
    """A size such as "600" or "800x600"."""
    try:
        sides = [int(side) for side in text.lower().split("x")]
        width, height = sides if len(sides) > 1 else sides * 2
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected pixels such as 600 or 800x600, got {text!r}"
        ) from None
    return width, height


def annotations_of(text: str) -> str | tuple[str, ...]:
    """The names in a text such as "aim,trail"."""
    return text if text in ("all", "none") else tuple(filter(None, text.split(",")))


def drawing_of(options: argparse.Namespace) -> DrawingConfig:
    """The `DrawingConfig` that the options ask for.

    Raises:
        TypeError, ValueError: as `steer_env.drawing.DrawingConfig`.
    """
    from steer_env.drawing import DrawingConfig

    given: dict[str, Any] = {"size": options.size, "theme": options.theme}
    if options.annotations is not None:
        given["annotations"] = options.annotations
    return DrawingConfig(**given)
