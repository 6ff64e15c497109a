"""Options that several commands share, and the output of their results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import tyro

from steer_env.cli import print_result, print_written
from steer_env.errors import check_integer
from steer_env.files import check_endings, write_json, write_text
from steer_env.options import Json, Pair

if TYPE_CHECKING:
    from steer_env.baselines.episodes import Episodes
    from steer_env.baselines.tables import Table
    from steer_env.game.config import Game

Theme: TypeAlias = Annotated[Literal["light", "dark"], tyro.conf.arg(help="Light or dark.")]
TABLES = (".json", ".md", ".tex")
PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class SampleOptions:
    """The episodes."""

    episodes: int = 1000
    """Number of episodes, of each pair where there are several."""

    seed: int = 0
    """Seed of the first start (use 1000000 to measure trained policies)."""

    def check(self) -> None:
        """Raises an InvalidValue for too few episodes."""
        from steer_env.baselines.measures import FEWEST

        check_integer("--episodes", self.episodes, FEWEST)

    def play(self, pair: Pair, config: Game) -> Episodes:
        """Plays the episodes of a pair."""
        from steer_env.baselines.rollouts import evaluate

        (players, names), count = pair, self.episodes
        with show_progress("episodes") as progress:
            return evaluate(
                *players, config, count, self.seed, lambda done: progress(done, count), names
            )


@dataclass(frozen=True)
class ResultOptions:
    """The results."""

    json: Json = False

    out: tuple[Path, ...] = ()
    """Files to write: .json, .md, .tex."""

    def check(self, *endings: str) -> None:
        """Checks, before anything is played, that the files can be written."""
        check_endings(self.out, (*endings, *TABLES))

    def show(
        self, numbers: Any, *tables: Table, write: Callable[[Path], None] | None = None
    ) -> None:
        """Writes results to files, and prints them as tables or as JSON."""
        from steer_env.baselines.tables import build_page, latex, plain_text

        for path in self.out:
            if path.suffix == ".json":
                write_json(path, numbers)
            elif path.suffix == ".md":
                write_text(path, build_page("", *tables))
            elif path.suffix == ".tex":
                write_text(path, latex(*tables))
            elif path.suffix not in PICTURES and write is not None:
                write(path)
        print_result(numbers, plain_text(*tables), self.json)
        print_written(*self.out, json=self.json)


@dataclass(frozen=True)
class PlotOptions(ResultOptions):
    """The results."""

    theme: Theme = "light"

    def check(self, *endings: str) -> None:
        """Checks also that pictures can be drawn."""
        super().check(*endings, *PICTURES)
        if any(path.suffix in PICTURES for path in self.out):
            from steer_env.baselines import plots  # noqa: F401

    def draw(self, drawn: Any) -> None:
        """Writes the pictures among the files: of evaluations, or a cross-play's numbers."""
        for path in self.out:
            if path.suffix in PICTURES:
                from steer_env.baselines import plots

                is_crossplay = isinstance(drawn, dict)
                figure: Any = plots.crossplay_figure if is_crossplay else plots.survival_figure
                plots.save(path, partial(figure, drawn), self.theme)


@contextmanager
def show_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that draws a bar at the terminal, from the numbers done and of all."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(file=sys.stderr)
    hidden = not console.is_terminal  # rich would leave an empty line in a log
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
