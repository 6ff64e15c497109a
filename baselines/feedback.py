"""Play by search: at every decision a search from the state that the game is in.

This is receding-horizon control. In each piece of an episode the plans of before are shortened
by the piece that has passed, and compete with changed ones (see `plan_search`); the
first piece of the best is played. The search knows the rules, the opponent and the state, and
nothing of the chance to come: what happens by chance is drawn anew in its rollouts, and a plan
is worth its mean over several draws. Of a mixture it knows the members and their chances, and
not which of them plays. So its gain can be had by a player that acts by what it
sees, also against an opponent that wanders, and when something disturbs it.

References:
    Mayne, Rawlings, Rao and Scokaert (2000). Constrained model predictive control: stability
        and optimality. Automatica 36.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.evaluation import CAPTURE_TIME, payoff_of
from steer_env.baselines.plan_search import PARENTS, Mutants, Population
from steer_env.baselines.plans import HOLD, Piece, Plans, Rollouts
from steer_env.game.config import GameConfig
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.policy_player import Controller
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, Side

DRAWS = 16
"""Draws of an opponent's chance, over which a plan's payoff is a mean."""

_DRAWS_OF_MIXTURE = 4  # networks are slow
_SECONDS = 5.0  # that an evader looks ahead at a mixture
_FEWEST_TRIED = 16  # plans at a decision


def has_chance(player: Controller) -> bool:
    """True if a script wanders or decides at random, and for a mixture."""
    if not isinstance(player, Script):
        return isinstance(player, MixturePolicy)
    wanders = player.behavior == "wander" or "wander" in player.parts
    return wanders or player.combination in ("dithered", "chaotic")


def draws_of(opponent: Controller) -> int:
    """The number of draws that a search needs against an opponent."""
    if isinstance(opponent, MixturePolicy):
        return _DRAWS_OF_MIXTURE
    return DRAWS if has_chance(opponent) else 1


def drawing_anew(player: Controller, seed: int) -> Controller:
    """The same player, but a mixture draws from a seed."""
    if not isinstance(player, MixturePolicy):
        return player
    return MixturePolicy.from_arrays(player.arrays(), seed)


def tried_at_a_decision(rounds: int, draws: int) -> int:
    """The number of plans at each decision, fewer where each is played several times."""
    return rounds if draws == 1 else max(rounds // 4, _FEWEST_TRIED)


class FeedbackSearch:
    """Plays a side of some games by search.

    Args:
        config: the game.
        side: that it plays.
        opponent: a script, a network or a mixture.
        guides: of the plans.
        games: their number.
        tried: plans at each decision, besides the best of the one before.
        draws: of chance, over which a plan's payoff is a mean; 1 if there is none.
        limit: a score at which nothing is left to gain; None for none, and with chance.
        random: the generator of the search.
        num_threads: see `Rollouts`.
    """

    def __init__(
        self,
        config: GameConfig,
        side: Side,
        opponent: Controller,
        guides: Sequence[Controller],
        games: int,
        tried: int,
        draws: int,
        limit: float | None,
        random: np.random.Generator,
        num_threads: int | None = None,
        population: Population | None = None,
    ) -> None:
        self._guides, self._tried, self._draws = len(guides), tried, draws
        self._limit, self._random = limit, random
        parts = config, side, [opponent], guides, games
        self._game = Rollouts(*parts, 1, num_threads)
        self._copies = PARENTS + self._guides + tried
        self._most_steps: int | None = None
        if isinstance(opponent, MixturePolicy):
            if side is EVADER and payoff_of(config.payoff) is CAPTURE_TIME:
                self._most_steps = round(_SECONDS / config.dt)
            imagined = drawing_anew(opponent, int(random.integers(2**63)))
            parts = config, side, [imagined], guides, games
        self._rollouts = Rollouts(*parts, self._copies * draws, num_threads)
        pieces, players = -(-config.horizon // HOLD), self._game.players
        shape = games, PARENTS, pieces
        nothing = np.zeros((*shape, players, 2), np.float32)
        first = Plans(nothing, np.ones(shape, np.int64))
        steps = np.full(shape[:2], config.horizon)
        self._population = population or Population(first, np.full(shape[:2], -np.inf), steps)

    def play(self, seeds: NDArray[np.uint64]) -> tuple[Plans, NDArray[np.float64]]:
        """Plays the games of some seeds to their end.

        Returns:
            What was played, as plans from the starts, and the payoffs.
        """
        self._game.begin(seeds)
        pieces: list[Piece] = []

        def decided(number: int) -> Piece:
            actions, guides = self._decision()
            pieces.append((actions, guides))
            return actions[:, None], guides[:, None]

        played = self._game.play(decided)
        pieces += [pieces[-1]] * (self._population.plans.guides.shape[2] - len(pieces))
        actions, guides = (np.stack(part, axis=1) for part in zip(*pieces))
        return Plans(actions, guides), played.payoffs[:, 0]

    def _decision(self) -> Piece:
        """The first piece of the best plan for each game."""
        before = self._population
        is_open = np.ones(len(before.scores), np.bool_)
        if self._limit is not None and self._draws == 1:
            is_open = before.scores[:, 0] < self._limit * (1.0 - 1e-9)
        plans, now = self._candidates(), self._game.engine.state.steps
        if is_open.any():
            keys = self._random.integers(0, 2**63, (len(is_open), self._draws), np.uint64)
            of_copies = np.tile(keys, (1, self._copies)) if self._draws > 1 else None
            self._rollouts.begin_at(self._game.engine.get_state(), of_copies)
            piece = partial(self._drawn_piece, plans)
            played = self._rollouts.play(piece, is_open, most_steps=self._most_steps)
            shape = len(is_open), self._copies, self._draws
            scores = self._rollouts.sign * played.payoffs.reshape(shape).mean(axis=2)
            steps = played.steps.reshape(shape).max(axis=2) - now[:, None]
            order = np.argsort(-scores, axis=1, kind="stable")[:, :PARENTS]
            order[~is_open] = np.arange(PARENTS)  # the parents come first
            kept = plans.at((np.arange(len(order))[:, None], order))
            scores, steps = (np.take_along_axis(part, order, 1) for part in (scores, steps))
            scores[~is_open] = before.scores[~is_open]
        else:
            kept, scores, steps = before.plans, before.scores, before.steps
        best = kept.at(np.index_exp[:, 0]).piece(0)
        pieces = np.arange(1, kept.guides.shape[2] + 1)
        passed = kept.at(np.index_exp[:, :, np.minimum(pieces, len(pieces) - 1)])
        self._population = Population(passed, scores, np.maximum(steps - HOLD, 1))
        return best

    def _drawn_piece(self, plans: Plans, number: int) -> Piece:
        """A piece of each plan, for each draw of chance."""
        actions, guides = plans.piece(number)
        return np.repeat(actions, self._draws, axis=1), np.repeat(guides, self._draws, axis=1)

    def _candidates(self) -> Plans:
        """The parents, a plan of each guide, and mutants: (games, copies)."""
        before = self._population.plans
        mutants = Mutants(self._population, self._tried, self._guides, self._random).plans()
        shape = len(before.guides), self._guides, before.guides.shape[2]
        numbers = np.broadcast_to(np.arange(1, self._guides + 1)[:, None], shape)
        nothing = np.zeros((*shape, *before.actions.shape[3:]), np.float32)
        return Plans(
            np.concatenate([before.actions, nothing, mutants.actions], axis=1),
            np.concatenate([before.guides, numbers, mutants.guides], axis=1),
        )
