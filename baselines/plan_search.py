"""Search for good plans: a population of them from each start, improved in rounds.

The population begins with plans that follow one guide each (see `plans`). In each
round every plan of a new generation changes a parent in one window of time: it holds an action
there, adds noise to the actions that are held, or follows another guide; half of them also
follow another guide afterwards. The best plans are the next parents (a (mu + lambda) evolution
strategy, Beyer and Schwefel 2002, over actions and guides as a rolling horizon has them, Perez
et al. 2013). Each plan is played to the end of the episode, so that the guides give an estimate
of what a maneuver is worth.

References:
    Beyer and Schwefel (2002). Evolution strategies: a comprehensive introduction. Natural
        Computing 1.
    Perez, Samothrakis, Lucas and Rohlfshagen (2013). Rolling horizon evolution versus tree
        search for navigation in single-player real-time games. GECCO.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.plans import HOLD, Piece, Plans, Rollouts
from steer_env.game.config import GameConfig
from steer_env.policies.policy_player import Controller
from steer_env.sides import Side

PARENTS = 8
_LONGEST = 16  # pieces of a window
_MEAN_LENGTH = 4.0
_LEAST_NOISE = 0.05  # the standard deviation of noise is from here to 1
_SHARE_HELD, _SHARE_NOISY = 0.45, 0.3  # of new plans; the others follow another guide


class Population(NamedTuple):
    """The parents from each of S starts, the best first."""

    plans: Plans  # actions (S, parents, pieces, players, 2)
    scores: NDArray[
        np.float64
    ]  # (S, parents): payoffs of an evader, or less those of a pursuer
    steps: NDArray[np.int64]  # (S, parents)


def search(
    config: GameConfig,
    side: Side,
    opponents: Sequence[Controller],
    guides: Sequence[Controller],
    seeds: NDArray[np.uint64],
    copies: int,
    rounds: int,
    random: np.random.Generator,
    limit: float | None = None,
    num_threads: int | None = None,
) -> Population:
    """Improves plans from the starts of some seeds, in rounds.

    Args:
        config: see `Rollouts`, as for the next three and the number of threads.
        side: of the plans.
        opponents: to plan against.
        guides: of the plans.
        seeds: of the starts.
        copies: new plans from each start in a round.
        rounds: of new plans.
        random: the generator of the search.
        limit: a score at which nothing is left to gain; None for none.
        num_threads: which changes no result.
    """
    of_guides, rollouts = (
        Rollouts(config, side, opponents, guides, len(seeds), count, num_threads)
        for count in (len(guides), copies)
    )
    of_guides.begin(seeds)
    rollouts.begin(seeds)
    population = _guided(of_guides)
    for _ in range(rounds):
        is_open = np.ones(len(population.scores), np.bool_)
        if limit is not None:
            is_open = population.scores[:, 0] < limit * (1.0 - 1e-9)
        if not is_open.any():
            break
        mutants = Mutants(population, copies, len(guides), random)
        played = rollouts.play(mutants.piece, is_open)
        scores = np.where(is_open[:, None], rollouts.sign * played.payoffs, -np.inf)
        population = mutants.selected(scores, played.steps)
    return population


def _guided(of_guides: Rollouts) -> Population:
    """The population of plans that follow one guide from beginning to end."""
    engine, count = of_guides.engine, of_guides.copies
    games = engine.num_games // count
    pieces = -(-engine.config.horizon // HOLD)
    numbers = np.broadcast_to(np.arange(1, count + 1), (games, count))
    actions = np.zeros((games, count, of_guides.players, 2), np.float32)
    played = of_guides.play(lambda number: (actions, numbers))
    scores = of_guides.sign * played.payoffs
    order = np.argsort(-scores, axis=1, kind="stable")
    order = np.tile(order, (1, -(-PARENTS // count)))[:, :PARENTS]
    guides = np.repeat(order[:, :, None] + 1, pieces, axis=2)
    plans = Plans(np.zeros((*guides.shape, of_guides.players, 2), np.float32), guides)
    steps = np.take_along_axis(played.steps, order, 1)
    return Population(plans, np.take_along_axis(scores, order, 1), steps)


class Mutants:
    """A generation of changed plans, (S, copies).

    Args:
        parents: the population that they are made of.
        copies: new plans from each start.
        num_guides: from which a new one is drawn.
        random: the generator of the search.
    """

    def __init__(
        self, parents: Population, copies: int, num_guides: int, random: np.random.Generator
    ) -> None:
        self._parents, self._copies = parents, copies
        shape = len(parents.scores), copies
        pieces, players = parents.plans.actions.shape[2:4]
        self._start = np.arange(shape[0])[:, None]
        # Better parents have more children.
        draws = random.integers(0, parents.scores.shape[1], (2, *shape))
        self._parent = draws.min(axis=0)
        self._first, self._end = self._windows(pieces, random)
        guides = parents.plans.guides[self._start, self._parent]
        new_guide = random.integers(1, num_guides + 1, shape)
        kind = random.random(shape)
        is_held, is_noisy = kind < _SHARE_HELD, kind < _SHARE_HELD + _SHARE_NOISY
        # The window's actions: (S, copies, pieces of a window, players, 2).
        places = np.minimum(self._first[..., None] + np.arange(_LONGEST), pieces - 1)
        rows = self._start[..., None], self._parent[..., None], places
        before, was_held = parents.plans.actions[rows], parents.plans.guides[rows] == 0
        angle = random.uniform(-np.pi, np.pi, (*shape, 1, players))
        held = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        spread = np.exp(random.uniform(np.log(_LEAST_NOISE), 0.0, shape))
        noise = random.standard_normal(before.shape) * spread[..., None, None, None]
        keeps = (was_held & ~is_held[..., None])[..., None, None]
        self._window = np.where(keeps, np.clip(before + noise, -1.0, 1.0), held)
        self._window = self._window.astype(np.float32)
        place = np.arange(pieces)
        inside = (place >= self._first[..., None]) & (place < self._end[..., None])
        inner = np.where(is_noisy, 0, new_guide)[..., None]
        after = (place >= self._end[..., None]) & (random.random(shape) < 0.5)[..., None]
        self._guides = np.where(inside, inner, np.where(after, new_guide[..., None], guides))

    def _windows(
        self, pieces: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first piece of each window, half of them late, and the one after it."""
        shape = self._parent.shape
        steps = self._parents.steps[self._start, self._parent]
        when = random.random(shape)
        when = np.where(random.random(shape) < 0.5, when, np.sqrt(when))
        lasted = np.maximum(-(-steps // HOLD), 1)
        first = np.clip((when * lasted).astype(np.int64), 0, pieces - 1)
        length = np.minimum(random.geometric(1.0 / _MEAN_LENGTH, shape), _LONGEST)
        return first, np.minimum(first + length, pieces)

    def plans(self) -> Plans:
        """All of them."""
        return self._plans(np.broadcast_to(np.arange(self._copies), self._parent.shape))

    def piece(self, number: int) -> Piece:
        """One piece of each plan."""
        place = min(number, self._guides.shape[2] - 1)
        inside = (place >= self._first) & (place < self._end)
        offset = np.clip(place - self._first, 0, _LONGEST - 1)
        copy = np.arange(self._parent.shape[1])
        changed = self._window[self._start, copy, offset]
        actions = self._parents.plans.actions[self._start, self._parent, place]
        return np.where(inside[..., None, None], changed, actions), self._guides[:, :, place]

    def selected(self, scores: NDArray[np.float64], steps: NDArray[np.int64]) -> Population:
        """The best of these plans and their parents, by the scores and steps of these.

        Of plans with equal scores the newest comes first, and the others come last.
        """
        parents = self._parents
        all_scores = np.concatenate([scores, parents.scores], axis=1)
        order = np.argsort(-all_scores, axis=1, kind="stable")
        ranked = np.take_along_axis(all_scores, order, 1)
        is_repeated = np.zeros(ranked.shape, np.bool_)
        is_repeated[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
        last = np.argsort(is_repeated, axis=1, kind="stable")[:, : parents.scores.shape[1]]
        order = np.take_along_axis(order, last, 1)
        return Population(
            self._plans(order),
            np.take_along_axis(all_scores, order, 1),
            np.take_along_axis(np.concatenate([steps, parents.steps], axis=1), order, 1),
        )

    def _plans(self, order: NDArray[np.int64]) -> Plans:
        """The plans of these numbers, (S, N): parents come after the new ones."""
        copies = self._copies
        is_new, start = order < copies, self._start
        copy = np.minimum(order, copies - 1)
        parent = np.where(is_new, self._parent[start, copy], np.maximum(order - copies, 0))
        actions = self._parents.plans.actions[start, parent]  # a copy
        guides = self._parents.plans.guides[start, parent]
        guides[is_new] = self._guides[start, copy][is_new]
        for offset in range(_LONGEST):
            place = self._first[start, copy] + offset
            row, column = np.nonzero(is_new & (place < self._end[start, copy]))
            window = self._window[row, copy[row, column], offset]
            actions[row, column, place[row, column]] = window
        return Plans(actions, guides)
