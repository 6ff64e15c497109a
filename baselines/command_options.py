"""What several commands share: options of players and episodes, and how progress is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TimeRemainingColumn,
)
from tyro.conf import OmitArgPrefixes, Positional, arg

from baselines.evaluation import FEWEST
from baselines.matches import Workers
from baselines.policies import NAMES, load
from steer_env.command_options import ModelOptions
from steer_env.errors import InvalidValue, check_integer
from steer_env.players import Player
from steer_env.policies import pretrained
from steer_env.policies.loading import is_pretrained
from steer_env.scripts.roster import ROSTER, short_name
from steer_env.sides import Side

Name = Annotated[str, Positional, arg(metavar="POLICY")]
Names = Annotated[tuple[str, ...], Positional, arg(metavar="POLICY [POLICY ...]")]

# A pursuer and an evader, and their names.
Pair: TypeAlias = tuple[tuple[Player, Player], tuple[str, str]]


@dataclass(frozen=True)
class OpponentOptions(ModelOptions):
    """The side to play, and its opponent."""

    opponent: str | None = None
    """Name or path of the opponent; by default evade for pursuers, pursuit for evaders."""

    side: Literal["pursuer", "evader"] | None = None
    """Side of the policies; by default the one they are made for, or opposite the opponent."""

    def side_of(self, names: Sequence[str]) -> Side:
        """Returns the side that all the named policies play.

        Raises:
            InvalidValue: if they are made for different sides, and no side is given.
        """
        if self.side is not None:
            return Side.named(self.side)
        sides = {name: side for name in names if (side := made_for(name)) is not None}
        if len(set(sides.values())) > 1:
            made = ", ".join(f"{name} for the {side.name}" for name, side in sides.items())
            raise InvalidValue(
                f"the policies are made for different sides: {made}; choose one with --side"
            )
        opponent = None if self.opponent is None else made_for(self.opponent)
        default = Side.PURSUER if opponent is None else opponent.other
        return next(iter(sides.values()), default)

    def pairs(self, names: Sequence[str]) -> list[Pair]:
        """Returns each policy with the opponent."""
        check_different(names)
        side = self.side_of(names)
        opponent = self.opponent or side.default_opponent
        players = players_of((*names, opponent), self)
        other = players[opponent]
        pairs: list[Pair] = []
        for name in names:
            policy = players[name]
            if self.side is not None:  # also for a name that is made for the other side
                script = ROSTER.get(short_name(name), policy)
                policy = load(name) if is_pretrained(name) else script
            pairs.append((side.ordered(policy, other), side.ordered(name, opponent)))
        return pairs


@dataclass(frozen=True)
class WorkOptions:
    """Where the episodes are played, and kept."""

    ray: Annotated[tuple[str, ...] | None, arg(metavar="[ADDRESS]")] = None
    """Play on a Ray cluster: HOST:PORT of its head, or auto for one on this machine; without an
    address that of RAY_ADDRESS, or else a Ray of its own on this machine."""

    keep: Path | None = None
    """Folder for what is played; the same command goes on from it after a crash."""

    @contextmanager
    def workers(self) -> Iterator[Workers | None]:
        """Yields what plays: workers on the cluster, or None for this process.

        Raises:
            DependencyNotInstalled, ClusterError, InvalidValue: as `ray_cluster.joined`.
        """
        if self.ray is None:
            yield None
            return
        if len(self.ray) > 1:
            raise InvalidValue(f"--ray takes one address at most, got {', '.join(self.ray)}")
        from baselines.ray_cluster import describe, joined
        from baselines.ray_workers import RayWorkers

        with joined(next(iter(self.ray), None)) as ray:
            print(
                f"Ray: {describe(ray)}; each machine compiles the game once, which takes 15 s",
                file=sys.stderr,
            )
            yield RayWorkers(ray)


@dataclass(frozen=True)
class SampleOptions:
    """The episodes."""

    episodes: int = 1000
    """Number of episodes of each pair."""

    seed: int = 0
    """Seed of the first start; the same seed gives the same starts to every policy."""

    def check(self) -> None:
        """Raises an InvalidValue for too few episodes."""
        check_integer("--episodes", self.episodes, FEWEST)


Against: TypeAlias = Annotated[OpponentOptions, OmitArgPrefixes]
Work: TypeAlias = Annotated[WorkOptions, OmitArgPrefixes]
Sample: TypeAlias = Annotated[SampleOptions, OmitArgPrefixes]


def made_for(name: str) -> Side | None:
    """Returns the side that a name is made for; None if it plays either, or is in a file."""
    if is_pretrained(name):
        return pretrained.side_of(name)
    script = ROSTER.get(short_name(name))
    if script is None or script.is_optimal:
        return None
    return Side.PURSUER if script.chases else Side.EVADER


def players_of(names: Sequence[str], models: ModelOptions) -> dict[str, Player]:
    """Returns players by their names, with the models among them loaded."""
    players = dict(zip(names, models.with_normalization(names)))
    for name, player in players.items():
        # `evaluate` loads what has a name, and checks the side that it is made for.
        has_name = short_name(name) in NAMES or is_pretrained(name)
        if player is name and not has_name:
            players[name] = load(name, trust=models.trust)
    return players


def check_different(names: Sequence[str]) -> None:
    """Raises an InvalidValue if a name is given twice."""
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"{name!r} is given twice")


@contextmanager
def show_progress(
    what: str, done: type[ProgressColumn] = MofNCompleteColumn
) -> Iterator[Callable[[int, int], None]]:
    """Yields what draws a bar at the terminal, called with how much is done, and of how much.

    Args:
        what: is counted.
        done: how the part that is done is shown.
    """
    columns = (what, BarColumn(), done(), TimeRemainingColumn())
    console = Console(file=sys.stderr)
    hidden = not console.is_terminal  # rich would leave an empty line in a log
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
