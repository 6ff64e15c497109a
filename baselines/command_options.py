"""Options that several commands share, and the output of their results."""

from __future__ import annotations

import json as json_format
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import tyro

from steer_env.cli import print_written
from steer_env.errors import InvalidValue, check_integer
from steer_env.files import write_json, write_text
from steer_env.options import GameChoice, ModelOptions, SideOptions, file_of
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.baselines.rollouts import Workers
    from steer_env.baselines.tables import Table
    from steer_env.players.player import AnyPlayer

Theme: TypeAlias = Annotated[Literal["light", "dark"], tyro.conf.arg(help="Light or dark.")]
RayCluster: TypeAlias = Annotated[
    tuple[str, ...] | None,
    tyro.conf.arg(help="Play on a Ray cluster: HOST:PORT, auto, or nothing for a local one."),
]
TableFiles: TypeAlias = Annotated[
    tuple[Path, ...], tyro.conf.arg(help="Files to write: .json, .md, .tex.")
]

Pair: TypeAlias = "tuple[tuple[AnyPlayer, AnyPlayer], tuple[str, str]]"  # and their names


@dataclass(frozen=True)
class PairOptions(SideOptions):  # noqa: D101
    __doc__ = SideOptions.__doc__

    def labels(self) -> tuple[dict[str, str], dict[str, str]]:
        """Returns the players of both sides, at least one, and their names in tables."""
        pursuers, evaders = self.names()
        for side, names in zip(Side, (pursuers, evaders)):
            if not names:
                raise InvalidValue(
                    f"{side.name}s must be at least one: name it after --{side.name}"
                )
            check_different(names)
        return short_names(pursuers), short_names(evaders)

    def players(self) -> tuple[dict[str, AnyPlayer], dict[str, AnyPlayer]]:
        """Returns the players of both sides by their names in tables."""
        pursuers, evaders = self.labels()
        found = players_of([*pursuers, *evaders], self)
        first, second = ({v: found[k] for k, v in one.items()} for one in (pursuers, evaders))
        return first, second

    def pairs(self) -> list[Pair]:
        """Returns each pursuer with each evader."""
        pairs = product(*(one.items() for one in self.players()))
        return [((one, other), (name, beside)) for (name, one), (beside, other) in pairs]

    def among(self, pursuers: Sequence[str], evaders: Sequence[str]) -> PairOptions:
        """Returns the options with some of the players, and the normalization of these."""
        files = self.normalizations([*chain.from_iterable(self.names())])
        kept = [files[one] for one in dict.fromkeys((*pursuers, *evaders)) if one in files]
        return replace(self, pursuer=(*pursuers,), evader=(*evaders,), normalization=(*kept,))

    def only_pair(self) -> Pair:
        """Returns the pursuer and the evader, the only ones."""
        self._check_counts("one name on each side", {(1, 1)}, "crossplay takes several")
        return self.pairs()[0]

    def compared(self) -> tuple[Side, list[Pair]]:
        """Returns the side of which two players are compared, and each with the opponent."""
        hint = "such as --pursuer navigation pursuit --evader evade"
        wanted = "two names on one side and one on the other"
        self._check_counts(wanted, {(1, 2), (2, 1)}, hint)
        return Side.PURSUER if len(self.names()[0]) > 1 else Side.EVADER, self.pairs()

    def _check_counts(self, wanted: str, valid: set[tuple[int, int]], hint: str) -> None:
        counts = tuple(map(len, self.names()))
        if counts not in valid and min(counts) > 0:
            got = f"{counts[0]} after --pursuer and {counts[1]} after --evader"
            raise InvalidValue(f"give {wanted}, got {got}; {hint}")


@dataclass(frozen=True)
class OneSideNames:  # a base of its own, so that the help has it first
    """The policy."""

    pursuer: str | None = None
    """Policy of the pursuer."""

    evader: str | None = None
    """Policy of the evader."""


@dataclass(frozen=True)
class OneSideOptions(ModelOptions, OneSideNames):
    """The side that a policy plays: a name (`steer-env info opponents` lists them), an .npz
    file, PPO:FILE.zip for a model of stable-baselines3 (any algorithm), or FILE.py:NAME, a
    function, a Script or a policy in a Python file, which is run.
    """  # noqa: D205

    def policy(self, game: GameChoice | None = None) -> tuple[Side, str, AnyPlayer] | None:
        """Returns the side, the name and the policy, after comparing the side with --env's."""
        given = [(side, name) for side, name in zip(Side, (self.pursuer, self.evader)) if name]
        if len(given) > 1:
            raise InvalidValue(
                "the command plays the other side itself: give --pursuer or --evader, not both"
            )
        if not given:
            return None
        side, name = given[0]
        if game is not None and game.environment is not None:
            learner = game.environment.side
            if side is not learner:
                raise InvalidValue(
                    f"--env {game.env} is the {learner.name}'s: name the policy with "
                    f"--{learner.name}, or give --game instead"
                )
        return side, name, players_of([name], self)[name]


@dataclass(frozen=True)
class SampleOptions:
    """The episodes."""

    episodes: int = 1000
    """Number of episodes of each pair."""

    seed: int = 0
    """Seed of the first start, the same for every policy (use 1000000 for trained ones)."""

    def check(self) -> None:
        """Raises an InvalidValue for too few episodes."""
        from steer_env.baselines.measures import FEWEST

        check_integer("--episodes", self.episodes, FEWEST)


@contextmanager
def workers_on(addresses: Sequence[str] | None) -> Iterator[Workers | None]:
    """Yields workers on a Ray cluster, or None for this process."""
    if addresses is None:
        yield None
        return
    if len(addresses) > 1:
        raise InvalidValue(f"--ray takes one address at most, got {', '.join(addresses)}")
    from steer_env.baselines.ray_cluster import RayWorkers, describe, joined

    with joined(next(iter(addresses), None)) as ray:
        print(f"Ray: {describe(ray)}", file=sys.stderr)
        yield RayWorkers(ray)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Returns the names in tables: of files as little of their paths as makes them unique."""
    from steer_env.players.resolver import name_of

    def forms(name: str) -> list[str]:
        file = file_of(name)
        return [name_of(name), name] if file is None else [file.stem, str(file), name]

    known = Counter(one for name in names for one in {*forms(name)})
    return {name: next((one for one in forms(name) if known[one] == 1), name) for name in names}


def players_of(names: Sequence[str], models: ModelOptions) -> dict[str, AnyPlayer]:
    """Returns players by their names, with the models among them loaded."""
    from steer_env.baselines.policies import NAMES, load
    from steer_env.players.pretrained import is_pretrained
    from steer_env.scripts.roster import short_name

    players = dict(zip(names, models.loaded(names)))
    for name, player in players.items():
        # `evaluate` loads what has a name, and checks the side that it is made for.
        if player is name and not (short_name(name) in NAMES or is_pretrained(name)):
            players[name] = load(name, trust=models.trust)
    return players


TABLES = (".json", ".md", ".tex")
PICTURES = (".png", ".svg", ".pdf")


def show_results(
    numbers: Any, *tables: Table, json: bool = False, out: Sequence[Path] = ()
) -> None:
    """Prints results as tables or as JSON, after writing them to the files of `TABLES`."""
    from steer_env.baselines.tables import build_page, latex, plain_text

    for path in out:
        if path.suffix == ".json":
            write_json(path, numbers)
        elif path.suffix == ".md":
            write_text(path, build_page("", *tables))
        elif path.suffix == ".tex":
            write_text(path, latex(*tables))
    print(json_format.dumps(numbers, indent=2) if json else plain_text(*tables))
    print_written(*out, json=json)


def check_different(names: Sequence[str]) -> None:
    """Raises an InvalidValue if a name is given twice."""
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"{name!r} is given twice")


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
