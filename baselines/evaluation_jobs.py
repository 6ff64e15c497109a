"""Evaluations as jobs, in pieces that can be played anywhere, in any order, and be kept.

An episode of scripts and of networks depends on its seed alone, so the pieces of a job, put
together, are the job to the last bit. A job with any other policy is never cut.
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
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import steer_env
from steer_env.baselines import rollouts
from steer_env.baselines.evaluation import Evaluation, fields_of_game
from steer_env.baselines.rollouts import MOST_EPISODES, evaluate, names_of, seeds_from
from steer_env.errors import InvalidValue, check_integer, check_path
from steer_env.game.config import AnyGame, GameConfig
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player, controller_of
from steer_env.policies.policy_player import Controller
from steer_env.policies.random_policy import RandomPolicy
from steer_env.scripts.script import Script
from steer_env.sides import Side

PIECE = 1000
"""Episodes of a piece: seconds of a network's play, some hundredths of one of scripts."""

_DIVISIBLE = (Script, NetworkPolicy)
_STATEFUL = (RandomPolicy, MixturePolicy)


@dataclass(frozen=True)
class EvaluationJob:
    """The arguments of `evaluate` for a pair of players."""

    pursuer: Player  # both are a `Controller` once the job is `resolved`
    evader: Player
    config: GameConfig
    episodes: int
    seed: int  # of the first episode
    names: tuple[str, str]  # of the pursuer and of the evader in the results

    @classmethod
    def of(
        cls, pursuer: Player, evader: Player, config: AnyGame, episodes: int, seed: int
    ) -> EvaluationJob:
        """Makes a job from arguments of `evaluate`, after checking them."""
        game = given_game(config, "config", "episodes")
        count = check_integer("episodes", episodes, 1, MOST_EPISODES)
        first = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
        return cls(pursuer, evader, game, count, first, names_of(pursuer, evader, None))

    def resolved(self, known: dict[Any, Controller]) -> EvaluationJob:
        """The job with its players read, to be played on machines without their files.

        Scripts and networks that were read before are in `known`, which is added to: each
        network is one object in all its jobs.
        """

        def read(side: Side, player: Player) -> Controller:
            key = (side, str(player)) if isinstance(player, str | Path) else None
            found = known.get(key) or controller_of(player, side, seed=self.seed)
            if key is not None and type(found) in _DIVISIBLE:
                known[key] = found
            return found

        pursuer, evader = map(read, Side, (self.pursuer, self.evader))
        return replace(self, pursuer=pursuer, evader=evader)

    def pieces(self, size: int) -> list[EvaluationJob]:
        """Cuts a resolved job of scripts and networks into pieces of that size at most."""
        if not all(type(one) in _DIVISIBLE for one in (self.pursuer, self.evader)):
            return [self]
        return [
            replace(self, seed=self.seed + first, episodes=min(size, self.episodes - first))
            for first in range(0, self.episodes, size)
        ]

    def play(self, num_threads: int | None = None) -> Evaluation:
        """Plays the episodes, with copies of players that remember."""
        pursuer, evader = (
            copy.deepcopy(one) if isinstance(one, _STATEFUL) else one
            for one in (self.pursuer, self.evader)
        )
        given: Any = {"names": self.names, "num_threads": num_threads}
        return evaluate(pursuer, evader, self.config, self.episodes, self.seed, **given)

    @property
    def digest(self) -> str | None:
        """A name for all that the result depends on, or None if it cannot be named."""
        players = [_identity(one) for one in (self.pursuer, self.evader)]
        if None in players or self.config.scenario is not None:  # their code may change
            return None
        config = fields_of_game(self.config.as_evaluated())
        about = [_code_digest(), config, self.episodes, self.seed, players]
        text = json.dumps(about, sort_keys=True, default=repr)  # complex numbers
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class Workers(Protocol):
    """Plays jobs elsewhere, as `steer_env.baselines.ray_cluster.RayWorkers` does."""

    def play(self, jobs: Sequence[EvaluationJob]) -> Iterator[tuple[int, Evaluation]]:
        """Yields the number of each job and its evaluation as soon as it is done."""


def play_all(
    jobs: Sequence[EvaluationJob],
    workers: Workers | None = None,
    keep: str | Path | None = None,
    progress: Callable[[int, int], Any] | None = None,
    piece: int = PIECE,
) -> list[Evaluation]:
    """Plays jobs here or elsewhere, with the same bits in any case.

    Args:
        jobs: to play.
        workers: that play; None to play here, one job after the other.
        keep: a folder for the results, from which the next call reads them; it can be one of
            other jobs, too. Jobs with policies of other libraries or with user-defined ones are
            not kept, since a file would not show a change of their code; a change of this
            package's code is noticed, and all is played again.
        progress: called after each job that is complete with the number of them, and of all.
        piece: the most episodes that are played, sent and kept at once.

    Raises:
        OSError: if the folder cannot be written.
        TypeError, ValueError, FaultyBehavior: for the arguments that `evaluate` refuses.
    """
    folder = None if keep is None else check_path("keep", keep)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    whole = workers is None and folder is None
    known: dict[Any, Controller] = {}
    cut = [[one] if whole else one.resolved(known).pieces(piece) for one in jobs]
    pieces = [part for parts in cut for part in parts]
    owners = [number for number, parts in enumerate(cut) for _ in parts]
    missing = [len(parts) for parts in cut]
    found: list[Evaluation | None] = [None] * len(pieces)

    def finish(number: int, evaluation: Evaluation) -> None:
        found[number] = evaluation
        missing[owners[number]] -= 1
        if progress is not None and missing[owners[number]] == 0:
            progress(missing.count(0), len(jobs))

    files: dict[int, Path] = {}
    for number, one in enumerate(pieces):
        if folder is not None and (name := one.digest) is not None:
            files[number] = folder / f"{name}.npz"
            if (kept := _kept(files[number], one)) is not None:
                finish(number, kept)
    left = [number for number, one in enumerate(found) if one is None]
    todo = [pieces[number] for number in left]
    here = ((place, job.play()) for place, job in enumerate(todo))
    for place, evaluation in here if workers is None else workers.play(todo):
        if (path := files.get(left[place])) is not None:
            evaluation.save(path)
        finish(left[place], evaluation)
    results: list[Evaluation] = []
    played = (one for one in found if one is not None)
    for parts in cut:
        evaluations = list(islice(played, len(parts)))
        episodes = np.concatenate([one.episodes for one in evaluations])
        results.append(replace(evaluations[0], episodes=episodes))
    return results


def _kept(path: Path, job: EvaluationJob) -> Evaluation | None:
    """Reads the result of a piece that was played before."""
    if not path.exists():
        return None
    seeds = seeds_from(job.seed, job.episodes)
    try:
        kept = Evaluation.load(path)
        if not np.array_equal(kept["seed"], seeds):
            raise InvalidValue(f"{path} has other starts than its name says")
    except InvalidValue as error:
        warnings.warn(f"{error}; it is played again", stacklevel=3)
        return None
    return replace(kept, pursuer=job.names[0], evader=job.names[1])


@cache
def _code_digest() -> str:
    """A digest of the source code that plays."""
    package = Path(steer_env.__file__).parent
    files = [*sorted(package.rglob("*.py")), *map(Path, (__file__, str(rollouts.__file__)))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def _identity(player: Any) -> Any:
    """The fields or a digest of a player for JSON, or None for unknown kinds of players."""
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
