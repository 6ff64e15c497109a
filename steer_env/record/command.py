"""The command that records games: ``python -m steer_env record``."""

from __future__ import annotations

import argparse
import sys

from steer_env.command_options import (
    add_drawing_options,
    add_game_options,
    add_player_options,
    drawing_of,
    game_of,
)

SUMMARY = "players against each other, as GIF, video, picture or page"
DESCRIPTION = """\
Plays every pursuer against every evader from the same starts, and writes what happened to
files: a .gif or .mp4 shows the games side by side, a .png or .svg whole episodes or one moment
of them, an .html file plays all of them in a browser. At least one file is needed; several at
once are fine. --size is that of one game among them.
"""

_FILES = {
    "gif": "moving picture, the games side by side, one episode after the other",
    "mp4": "the same as a video",
    "png": "picture of whole episodes; of several seeds, a row for each",
    "svg": "the same as a vector graphic",
    "html": "page that plays all episodes in any browser, without a network; without --theme, "
    "light or dark as its reader prefers",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    files = parser.add_argument_group("the files")
    for kind, text in _FILES.items():
        files.add_argument(f"--{kind}", metavar="FILE", help=text)
    add_player_options(parser)
    parser.add_argument(
        "--episodes", type=int, default=1, metavar="N", help="of each pair, seed after seed (1)"
    )
    add_game_options(parser)
    add_drawing_options(parser, "480")
    parser.set_defaults(theme=None)  # a page follows its reader unless told otherwise
    picture = parser.add_argument_group("moments")
    picture.add_argument(
        "--fps",
        type=float,
        metavar="N",
        help="frames a second (.gif: 15, and at most 50; .mp4: 30)",
    )
    picture.add_argument(
        "--seconds", type=float, metavar="N", help="the most of an episode in a .gif or .mp4"
    )
    picture.add_argument(
        "--moment",
        type=float,
        metavar="SECONDS",
        help="have a .png or .svg show the game at that time, and not whole episodes",
    )


def run(options: argparse.Namespace) -> None:
    """Plays, writes the files, and prints a line about each episode and each file.

    Raises:
        TypeError, ValueError, OSError: for what cannot be played or written.
        gymnasium.error.DependencyNotInstalled: without what a kind of file needs.
    """
    from steer_env.record.recorder import record

    page_theme = options.theme or "auto"
    options.theme = options.theme or "light"
    line = _StatusLine()
    try:
        record(
            options.pursuer,
            options.evader,
            game=game_of(options),
            **{kind: getattr(options, kind) for kind in _FILES},
            seed=options.seed,
            episodes=options.episodes,
            drawing=drawing_of(options),
            fps=options.fps,
            seconds=options.seconds,
            moment=options.moment,
            trust=options.trust,
            page_theme=page_theme,
            report=line.print,
            progress=line.show,
        )
    finally:
        line.clear()


class _StatusLine:
    """One line at the bottom of a terminal that says what is being done; nothing elsewhere."""

    def __init__(self) -> None:
        self._is_seen = sys.stderr.isatty()
        self._width = 0  # of what stands there

    def show(self, text: str) -> None:
        """Puts a text in place of what is there."""
        if self._is_seen:
            text = text[:79]
            # Spaces over what was there: not every terminal clears a line when told to.
            print(f"\r{text:{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def clear(self) -> None:
        """Leaves the line empty."""
        if self._is_seen:
            print(f"\r{'':{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0

    def print(self, text: str) -> None:
        """Prints a line that stays, above."""
        self.clear()
        print(text, flush=True)
