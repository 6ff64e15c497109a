"""Many evaluations, cut into pieces that can be played anywhere, in any order, and be kept.

An episode of scripts and of networks depends on its seed alone, so pieces of a match, put
together, are the match to the last bit. A match with any other policy, which may draw random
numbers or remember, is never cut. What is played goes into a folder, if one is given, from
which the next call reads it, whatever happened to this one.
"""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import steer_env
from baselines.evaluation import Evaluation
from baselines.rollouts import evaluate, names_of
from steer_env.envs.keywords import given_game
from steer_env.errors import InvalidValue
from steer_env.game.config import AnyGame, GameConfig
from steer_env.players import Player, controllers_of
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script

PIECE = 1000
"""Episodes of a piece: seconds of a network's play, some hundredths of one of scripts."""

_DIVISIBLE = (Script, NetworkPolicy)
_STATEFUL = (RandomPolicy, MixturePolicy)


@dataclass(frozen=True)
class Match:
    """An evaluation to be made; the attributes are arguments of `evaluate`.

    Attributes:
        pursuer: the player; a `Controller` once it is `resolved`.
        evader: likewise.
        config: the game.
        episodes: their number.
        seed: of the first episode.
        names: of the pursuer and of the evader in the results.
    """

    pursuer: Player
    evader: Player
    config: GameConfig
    episodes: int
    seed: int
    names: tuple[str, str]

    @classmethod
    def of(
        cls, pursuer: Player, evader: Player, config: AnyGame, episodes: int, seed: int
    ) -> Match:
        """The match of what a caller passes to `evaluate`.

        Raises:
            TypeError, ValueError: if the game, or a name, is not valid.
        """
        names = names_of(pursuer, evader, None)
        game = given_game(config, "config", "episodes")
        return cls(pursuer, evader, game, episodes, seed, names)

    def resolved(self) -> Match:
        """The match with its players read, so that it can be played where no file is.

        Raises:
            TypeError, ValueError, FileNotFoundError: as `controllers_of`.
        """
        pursuer, evader = controllers_of(self.pursuer, self.evader, self.seed)
        return replace(self, pursuer=pursuer, evader=evader)

    def pieces(self, size: int) -> list[Match]:
        """Cuts a resolved match into pieces of at most `size` episodes, if that can be done."""
        if not all(type(one) in _DIVISIBLE for one in (self.pursuer, self.evader)):
            return [self]
        return [
            replace(self, seed=self.seed + first, episodes=min(size, self.episodes - first))
            for first in range(0, self.episodes, size)
        ]

    def play(self, num_threads: int | None = None) -> Evaluation:
        """Plays it: see `evaluate`. The players are left as they were, as far as they are ours.

        Raises:
            TypeError, ValueError, FaultyBehavior: as `evaluate`.
        """
        players = [
            copy.deepcopy(one) if isinstance(one, _STATEFUL) else one
            for one in (self.pursuer, self.evader)
        ]
        return evaluate(
            players[0],
            players[1],
            self.config,
            self.episodes,
            self.seed,
            names=self.names,
            num_threads=num_threads,
        )

    @property
    def digest(self) -> str | None:
        """A name for what it depends on; None if a player cannot be recognized later."""
        players = [_identity(one) for one in (self.pursuer, self.evader)]
        if None in players:
            return None
        about = [steer_env.__version__, asdict(self.config), self.episodes, self.seed, players]
        text = json.dumps(about, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class Workers(Protocol):
    """Plays matches elsewhere, as `baselines.ray_workers.RayWorkers` does."""

    def play(self, matches: Sequence[Match]) -> Iterator[tuple[int, Evaluation]]:
        """Yields the number of each match and its evaluation, in the order they get done."""


def play_all(
    matches: Sequence[Match],
    workers: Workers | None = None,
    keep: Path | None = None,
    progress: Callable[[int, int], Any] | None = None,
    piece: int = PIECE,
) -> list[Evaluation]:
    """Plays matches here or elsewhere; the evaluations have the same bits in any case.

    Args:
        matches: to play.
        workers: that play; None to play here, one match after the other.
        keep: a folder with what is played already, to which the rest is added; it can be one
            of other matches, too. Matches with policies of other libraries or of your own are
            not kept, since a file of theirs would not show a change of their code.
        progress: called after each match that is complete with the number of them, and of all.
        piece: the most episodes that are played, sent and kept at once.

    Raises:
        OSError: if the folder cannot be written.
        TypeError, ValueError, FaultyBehavior: as `evaluate`; and what the workers raise.
    """
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    whole = workers is None and keep is None
    cut = [[one] if whole else one.resolved().pieces(piece) for one in matches]
    pieces = [part for parts in cut for part in parts]
    owners = [number for number, parts in enumerate(cut) for _ in parts]
    missing = [len(parts) for parts in cut]
    found: list[Evaluation | None] = [None] * len(pieces)

    def finish(number: int, evaluation: Evaluation) -> None:
        found[number] = evaluation
        missing[owners[number]] -= 1
        if progress is not None and missing[owners[number]] == 0:
            progress(missing.count(0), len(matches))

    files = [None if keep is None else _file_in(keep, one) for one in pieces]
    for number, path in enumerate(files):
        if path is not None and (kept := _kept(path, pieces[number])) is not None:
            finish(number, kept)
    left = [number for number, one in enumerate(found) if one is None]
    todo = [pieces[number] for number in left]
    played = _played_here(todo) if workers is None else workers.play(todo)
    for place, evaluation in played:
        number = left[place]
        if (path := files[number]) is not None:
            evaluation.save(path)
        finish(number, evaluation)
    results: list[Evaluation] = []
    for match in cut:
        parts = [one for one in found[: len(match)] if one is not None]
        del found[: len(match)]
        episodes = np.concatenate([part.episodes for part in parts])
        results.append(replace(parts[0], episodes=episodes))
    return results


def _played_here(matches: Sequence[Match]) -> Iterator[tuple[int, Evaluation]]:
    for number, match in enumerate(matches):
        yield number, match.play()


def _file_in(folder: Path, match: Match) -> Path | None:
    return None if match.digest is None else folder / f"{match.digest}.npz"


def _kept(path: Path, match: Match) -> Evaluation | None:
    """What was played before; None if there is nothing, or a damaged file."""
    if not path.exists():
        return None
    try:
        kept = Evaluation.load(path)
    except InvalidValue as error:
        warnings.warn(f"{error}; it is played again", stacklevel=3)
        return None
    seeds = np.arange(match.episodes, dtype=np.uint64) + np.uint64(match.seed)
    if not np.array_equal(kept["seed"], seeds):
        warnings.warn(f"{path} has other starts than its name says; played again", stacklevel=3)
        return None
    return replace(kept, pursuer=match.names[0], evader=match.names[1])


def _identity(player: Any) -> Any:
    """What a player can be recognized by, for JSON; None if it cannot."""
    if isinstance(player, Script):
        fields = asdict(player)
        return None if callable(player.behavior) else fields
    if type(player) is NetworkPolicy:
        arrays: Mapping[str, Any] = player.arrays()
        digest = hashlib.sha256()
        for name in sorted(arrays):
            array = arrays[name]
            digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
        return digest.hexdigest()
    if type(player) in _STATEFUL:
        return hashlib.sha256(pickle.dumps(player)).hexdigest()
    return None
