"""Evaluations as jobs, in pieces that can be played anywhere, in any order.

An episode of scripts and of networks depends on its seed alone, so the pieces of a job, put
together, are the job to the last bit. A job with any other policy is never cut.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.rollouts import MOST_EPISODES, evaluate
from steer_env.errors import check_integer
from steer_env.game.config import AnyGame, GameConfig
from steer_env.game.config.keywords import given_game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.mixture import MixturePolicy
from steer_env.players.network import NetworkPolicy
from steer_env.players.player import AnyPlayer, Player
from steer_env.players.random_policy import RandomPolicy
from steer_env.players.resolver import name_of, resolve
from steer_env.sides import Side

PIECE = 1000  # episodes: seconds of a network's play, some hundredths of one of scripts
_STATEFUL = (RandomPolicy, MixturePolicy)


@dataclass(frozen=True)
class EvaluationJob:
    """The arguments of `evaluate` for a pair of players."""

    pursuer: AnyPlayer  # both are a `Player` once the job is `resolved`
    evader: AnyPlayer
    config: GameConfig
    episodes: int
    seed: int  # of the first episode
    names: tuple[str, str]  # of the pursuer and of the evader in the results

    @classmethod
    def of(
        cls, pursuer: AnyPlayer, evader: AnyPlayer, config: AnyGame, episodes: int, seed: int
    ) -> EvaluationJob:
        """Makes a job from arguments of `evaluate`, after checking them."""
        game = given_game(config, "config", "episodes")
        count = check_integer("episodes", episodes, 1, MOST_EPISODES)
        first = check_integer("seed", seed, 0, LARGEST_SEED - count + 1)
        return cls(pursuer, evader, game, count, first, (name_of(pursuer), name_of(evader)))

    def resolved(self, known: dict[Any, Player]) -> EvaluationJob:
        """The job with its players read, and each network one object: added to `known`."""

        def read(side: Side, player: AnyPlayer) -> Player:
            key = (side, str(player)) if isinstance(player, str | Path) else None
            found = known.get(key) or resolve(player, side, seed=self.seed)
            if key is not None and _is_divisible(found):
                known[key] = found
            return found

        pursuer, evader = map(read, Side, (self.pursuer, self.evader))
        return replace(self, pursuer=pursuer, evader=evader)

    def pieces(self, size: int) -> list[EvaluationJob]:
        """Cuts a resolved job of scripts and networks into pieces of that size at most."""
        if not (_is_divisible(self.pursuer) and _is_divisible(self.evader)):
            return [self]
        return [
            replace(self, seed=self.seed + first, episodes=min(size, self.episodes - first))
            for first in range(0, self.episodes, size)
        ]

    def play(self, num_threads: int | None = None) -> Episodes:
        """Plays the episodes, with copies of players that remember."""
        pursuer, evader = map(_fresh, (self.pursuer, self.evader))
        given: Any = {"names": self.names, "num_threads": num_threads}
        return evaluate(pursuer, evader, self.config, self.episodes, self.seed, **given)


def _is_divisible(player: AnyPlayer) -> bool:
    """True if episodes depend on their seeds alone: for a script or a network."""
    return isinstance(player, Player) and (
        player.script is not None or type(player.policy) is NetworkPolicy
    )


def _fresh(player: AnyPlayer) -> AnyPlayer:
    """The player, or a copy of one that remembers."""
    policy = player.policy if isinstance(player, Player) else player
    return copy.deepcopy(player) if isinstance(policy, _STATEFUL) else player


class Workers(Protocol):
    """Plays jobs elsewhere, as `steer_env.baselines.ray_cluster.RayWorkers` does."""

    def play(self, jobs: Sequence[EvaluationJob]) -> Iterator[tuple[int, Episodes]]:
        """Yields the number of each job and its evaluation as soon as it is done."""


def play_all(
    jobs: Sequence[EvaluationJob],
    workers: Workers | None = None,
    progress: Callable[[int, int], Any] | None = None,
    piece: int = PIECE,
) -> list[Episodes]:
    """Plays jobs here, or on workers in pieces, with the same bits. Progress is by the job."""
    known: dict[Any, Player] = {}
    cut = [[one] if workers is None else one.resolved(known).pieces(piece) for one in jobs]
    pieces = [(number, part) for number, parts in enumerate(cut) for part in parts]
    found: list[dict[int, Episodes]] = [{} for _ in jobs]  # by their places among the pieces
    here = ((place, part.play()) for place, (_, part) in enumerate(pieces))
    theirs = None if workers is None else workers.play([part for _, part in pieces])
    done = 0
    for place, evaluation in here if theirs is None else theirs:
        number, _ = pieces[place]
        found[number][place] = evaluation
        if len(found[number]) == len(cut[number]):
            done += 1
            if progress is not None:
                progress(done, len(jobs))
    results = []
    for parts in found:
        evaluations = [parts[place] for place in sorted(parts)]
        episodes = np.concatenate([one.episodes for one in evaluations])
        results.append(replace(evaluations[0], episodes=episodes))
    return results
