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
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import steer_env
from baselines import rollouts
from baselines.evaluation import Evaluation
from baselines.rollouts import MOST_EPISODES, evaluate, names_of
from steer_env.envs.keywords import given_game
from steer_env.errors import InvalidValue, check_integer
from steer_env.game.config import AnyGame, GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.players import Controller, Player, controller_of
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.random import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import Side

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
            TypeError, ValueError: if the game, a name or one of the numbers is not valid.
        """
        game = given_game(config, "config", "episodes")
        count = check_integer("episodes", episodes, 1, MOST_EPISODES)
        first = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
        return cls(pursuer, evader, game, count, first, names_of(pursuer, evader, None))

    def resolved(self, known: dict[Any, Controller]) -> Match:
        """The match with its players read, so that it can be played where no file is.

        Args:
            known: scripts and networks that were read before, which is added to: each file is
                read once, and each network is one object however many matches it has.

        Raises:
            TypeError, ValueError, FileNotFoundError: as `controller_of`.
        """
        players: list[Controller] = []
        for side, player in zip(Side, (self.pursuer, self.evader)):
            key = (side, str(player)) if isinstance(player, str | Path) else None
            controller = known.get(key)
            if controller is None:
                controller = controller_of(player, side, seed=self.seed)
                if key is not None and type(controller) in _DIVISIBLE:
                    known[key] = controller
            players.append(controller)
        return replace(self, pursuer=players[0], evader=players[1])

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
        config = asdict(self.config.as_evaluated())
        about = [_code_digest(), config, self.episodes, self.seed, players]
        text = json.dumps(about, sort_keys=True, default=_complex_as_text)
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
            not kept, since a file of theirs would not show a change of their code; a change of
            this package's code is noticed, and all is played again.
        progress: called after each match that is complete with the number of them, and of all.
        piece: the most episodes that are played, sent and kept at once.

    Raises:
        OSError: if the folder cannot be written.
        TypeError, ValueError, FaultyBehavior: as `evaluate`; and what the workers raise.
    """
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    whole = workers is None and keep is None
    known: dict[Any, Controller] = {}
    cut = [[one] if whole else one.resolved(known).pieces(piece) for one in matches]
    pieces = [part for parts in cut for part in parts]
    owners = [number for number, parts in enumerate(cut) for _ in parts]
    missing = [len(parts) for parts in cut]
    found: list[Evaluation | None] = [None] * len(pieces)

    def finish(number: int, evaluation: Evaluation) -> None:
        found[number] = evaluation
        missing[owners[number]] -= 1
        if progress is not None and missing[owners[number]] == 0:
            progress(missing.count(0), len(matches))

    digests = [None if keep is None else one.digest for one in pieces]
    files = [None if keep is None or name is None else keep / f"{name}.npz" for name in digests]
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


@cache
def _code_digest() -> str:
    """A digest of the source code that plays."""
    package = Path(steer_env.__file__).parent
    files = [*sorted(package.rglob("*.py")), *map(Path, (__file__, str(rollouts.__file__)))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def _complex_as_text(value: Any) -> str:
    if isinstance(value, complex):
        return repr(value)
    raise TypeError(f"{type(value).__name__} is not a number or a text")


def _identity(player: Any) -> Any:
    """What a player can be recognized by, for JSON; None if it cannot."""
    if isinstance(player, Script):
        fields = asdict(player)
        return None if any(map(callable, fields.values())) else fields
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
