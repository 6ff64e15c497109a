"""Model predictive control: re-plans from the current state at every decision.

At a decision the best plans of before, less the segment that has passed, compete with changed
ones (an evolution strategy over a rolling horizon, Perez et al. 2013). Copies of the game play
each to the end, mostly by base policies (a rollout algorithm, Bertsekas and Castanon 1999). The
first segment of the best is then played. The first decision takes many generations of plans,
later ones a single one.

The search knows the rules, the opponent and the state, and not future random draws: rollouts
draw anew, and a plan is worth its mean over several draws (of a mixture's members, too).

References:
    Bertsekas and Castanon (1999). Rollout algorithms for stochastic scheduling problems. J. of
        Heuristics 5.
    Mayne, Rawlings, Rao and Scokaert (2000). Constrained model predictive control: stability
        and optimality. Automatica 36.
    Perez, Samothrakis, Lucas and Rohlfshagen (2013). Rolling horizon evolution versus tree
        search for navigation in single-player real-time games. GECCO.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.measures import CAPTURE_TIME, largest_payoff, payoff_of
from steer_env.baselines.plan_rollouts import ACTION_REPEAT, Plans, Rollouts, Segment
from steer_env.baselines.rollouts import seeds_from
from steer_env.game.config import Game
from steer_env.game.state import OVER
from steer_env.players.mixture import MixturePolicy
from steer_env.players.player import Player
from steer_env.sides import EVADER, PURSUER, Side

_PARENTS = 8  # plans of each game that are kept
_MEAN_LENGTH = 4.0  # segments that a new plan changes
_LEAST_NOISE = 0.05  # the standard deviation of noise is from here to 1
_SHARE_HELD, _SHARE_NOISY = 0.45, 0.3  # of new plans; the others follow another base policy
_DRAWS, _DRAWS_OF_MIXTURE = 16, 4  # of chance, for each plan; networks are slow
_SECONDS = 5.0  # that an evader looks ahead at a mixture
_PATIENCE = 1.0  # seconds for which later captures than the first are awaited

_MOST_BASE = 4  # base policies
_PILOT_STARTS, _PILOT_SEED = 16, 400_000  # of the short searches that choose them
_PILOT_TRIED, _PILOT_GENERATIONS = 128, 2  # the most generations
_PILOT_SHARE = 2048  # the budget over the generations


def draws_of(opponent: Player) -> int:
    """Returns the number of draws of an opponent's chance to try a plan over, 1 for none."""
    script = opponent.script
    if script is None:
        return _DRAWS_OF_MIXTURE if isinstance(opponent.policy, MixturePolicy) else 1
    wanders = script.behavior == "wander" or "wander" in script.parts
    return _DRAWS if wanders or script.combination in ("dithered", "chaotic") else 1


def drawing_anew(player: Player, seed: int) -> Player:
    """Returns the same player, but a mixture draws from a seed."""
    if not isinstance(player.policy, MixturePolicy):
        return player
    return player.changed(policy=MixturePolicy.from_arrays(player.policy.arrays(), seed))


class RecedingHorizon:
    """Plays a side of some games by planning anew at every decision.

    The opponent is a script, a network or a mixture. A generation has `tried` new plans, each
    over some draws of chance, see `draws_of`. The rest is as in `Rollouts`.
    """

    def __init__(
        self,
        config: Game,
        side: Side,
        opponent: Player,
        base: Sequence[Player],
        games: int,
        tried: int,
        draws: int,
        random: np.random.Generator,
        num_threads: int | None = None,
    ) -> None:
        self._num_base, self._tried, self._draws = len(base), tried, draws
        self._random, copies = random, tried + len(base) + _PARENTS
        imagined = drawing_anew(opponent, int(random.integers(2**63)))
        self._game = Rollouts(config, side, [opponent], base, games, 1, num_threads)
        sizes = games * draws, copies, num_threads
        self._rollouts = Rollouts(config, side, [imagined], base, *sizes)
        is_time, is_certain = payoff_of(config.payoff) is CAPTURE_TIME, draws == 1
        self._limit = largest_payoff(config) if is_certain and side is EVADER else None
        is_cut = is_time and side is EVADER and isinstance(opponent.policy, MixturePolicy)
        self._most_steps = round(_SECONDS / config.dt) if is_cut else None
        is_race = is_time and side is PURSUER and is_certain
        self._patience = round(_PATIENCE / config.dt) if is_race else None
        shape = games, _PARENTS, -(-config.horizon // ACTION_REPEAT)
        actions = np.zeros((*shape, self._game.players, 2), np.float32)
        self._plans = Plans(actions, np.ones(shape, np.int64))
        self._lasting = np.full(shape[:2], shape[2])  # segments until the end of the episode
        self._scores = np.full(shape[:2], -np.inf)

    def begin(self, seeds: NDArray[np.uint64], generations: int) -> NDArray[np.float64]:
        """Tries plans from the starts of some seeds, and returns the best scores, (games,)."""
        self._game.begin(seeds)
        for _ in range(generations):
            self._improve()
        return self._scores[:, 0]

    def play(self, seeds: NDArray[np.uint64], generations: int) -> tuple[Plans, NDArray[Any]]:
        """Plays from the starts of some seeds, and returns its plans and payoffs, (games,)."""
        self.begin(seeds, generations)
        segments, played = self._plans.base.shape[2], []

        def decided(number: int) -> Segment:
            if number > 0:
                self._plans = self._plans.at(np.index_exp[:, :, 1:])
                self._lasting = np.maximum(self._lasting - 1, 1)
                self._improve()
            played.append(self._plans.at(np.index_exp[:, :1]).segment(0))
            return played[-1]

        payoffs = self._game.play(decided).payoffs[:, 0]
        played += [played[-1]] * (segments - len(played))
        return Plans(*(np.concatenate(part, axis=1) for part in zip(*played))), payoffs

    def _improve(self) -> None:
        """Tries a generation of plans from the state of the games, and keeps the best."""
        is_open = np.ones(len(self._scores), np.bool_)
        if self._limit is not None:  # at which nothing is left to gain
            is_open = self._scores[:, 0] < self._limit * (1.0 - 1e-9)
        if not is_open.any():
            return
        tried, draws = self._candidates(), self._draws
        records = np.repeat(self._game.engine.get_state(), draws)
        records["game"]["phase"][np.repeat(~is_open, draws)] = OVER
        if draws > 1:
            records["game"]["key"] = self._random.integers(0, 2**63, len(records), np.uint64)
        self._rollouts.begin_at(records)

        def segment(number: int) -> Segment:
            actions, base = tried.segment(number)
            return np.repeat(actions, draws, axis=0), np.repeat(base, draws, axis=0)

        played = self._rollouts.play(
            segment, patience=self._patience, most_steps=self._most_steps
        )
        shape = len(is_open), draws, self._rollouts.copies
        scores = self._rollouts.sign * played.payoffs.reshape(shape).mean(axis=1)
        steps = played.steps.reshape(shape).max(axis=1) - self._game.engine.state.steps[:, None]
        scores[~is_open] = -np.inf
        scores[~is_open, -_PARENTS:] = self._scores[~is_open]
        best = _ranked(scores)[:, :_PARENTS]
        self._plans = tried.at((np.arange(len(best))[:, None], best))
        self._scores, steps = (np.take_along_axis(one, best, 1) for one in (scores, steps))
        self._lasting = np.maximum(-(-steps // ACTION_REPEAT), 1)

    def _candidates(self) -> Plans:
        games, _, segments = self._plans.base.shape
        alone = np.arange(1, self._num_base + 1)[None, :, None]
        alone = np.broadcast_to(alone, (games, self._num_base, segments))
        nothing = np.zeros((*alone.shape, self._game.players, 2), np.float32)
        parts: Any = zip(self._mutants(), Plans(nothing, alone), self._plans)
        return Plans(*(np.concatenate(part, axis=1) for part in parts))

    def _mutants(self) -> Plans:
        """Changes parents in a window of time, (games, tried), and half of them afterwards."""
        random, shape = self._random, (len(self._scores), self._tried)
        # Better parents, which come first, have more children.
        parents = random.integers(0, _PARENTS, (2, *shape)).min(axis=0)
        rows = np.arange(shape[0])[:, None], parents
        actions, base = self._plans.at(rows)
        when = random.random(shape)
        when = np.where(random.random(shape) < 0.5, when, np.sqrt(when))  # half of them late
        first = (when * self._lasting[rows]).astype(np.int64)[..., None]
        end = first + random.geometric(1.0 / _MEAN_LENGTH, shape)[..., None]
        place = np.arange(base.shape[2])
        inside, after = (place >= first) & (place < end), place >= end
        kind = random.random(shape)[..., None]
        is_held, is_noisy = kind < _SHARE_HELD, kind < _SHARE_HELD + _SHARE_NOISY
        angle = random.uniform(-np.pi, np.pi, (*shape, 1, self._game.players))
        held = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        spread = np.exp(random.uniform(np.log(_LEAST_NOISE), 0.0, (*shape, 1, 1, 1)))
        noisy = np.clip(actions + spread * random.standard_normal(held.shape), -1.0, 1.0)
        keeps = inside & ~is_held & (base == 0)
        changed = np.where(keeps[..., None, None], noisy, held)
        actions = np.where(inside[..., None, None], changed, actions).astype(np.float32)
        other = random.integers(1, self._num_base + 1, shape)[..., None]
        goes_on = after & (random.random(shape)[..., None] < 0.5)
        base = np.where(inside, np.where(is_noisy, 0, other), np.where(goes_on, other, base))
        return Plans(actions, base)


def _ranked(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks plans by their scores, (games, plans), with repeated scores last."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, 1)
    is_repeated = np.zeros(ranked.shape, np.bool_)
    is_repeated[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
    return np.take_along_axis(order, np.argsort(is_repeated, axis=1, kind="stable"), 1)


def choose_base(
    config: Game,
    side: Side,
    opponent: Player,
    scripts: Mapping[str, Player],
    budget: int,
    num_threads: int | None = None,
) -> list[Player]:
    """Chooses at most four scripts that together make the best base policies.

    The best plans may end with a script that is the worst alone. So, unless the budget of plans
    is small, each script is tried in a short search beside the one that is best alone.
    """
    if len(scripts) <= _MOST_BASE:
        return list(scripts.values())
    seeds = seeds_from(_PILOT_SEED, _PILOT_STARTS)
    generations = min(budget // _PILOT_SHARE, _PILOT_GENERATIONS)

    def scores(base: Sequence[Player], tried: int, generations: int) -> NDArray[np.float64]:
        parts = config, side, opponent, base, _PILOT_STARTS, tried, 1, np.random.default_rng(0)
        return RecedingHorizon(*parts, num_threads).begin(seeds, generations)

    alone = {name: scores([one], 0, 1) for name, one in scripts.items()}
    first, reached = max(alone, key=lambda name: float(alone[name].mean())), alone
    if generations > 0:
        different = {found.tobytes(): name for name, found in reversed(alone.items())}
        reached = {
            name: scores([scripts[first], scripts[name]], _PILOT_TRIED, generations)
            for name in (first, *reversed(different.values()))
        }
    chosen = dict.fromkeys((first, *complementary(reached, _MOST_BASE)))
    return [scripts[name] for name in chosen][:_MOST_BASE]


def complementary(scores: Mapping[str, NDArray[np.float64]], most: int) -> list[str]:
    """Chooses players greedily, by the mean over starts of the best of their scores, (S,)."""
    chosen: list[str] = []
    reached = np.full(len(next(iter(scores.values()))), -np.inf)
    while len(chosen) < min(most, len(scores)):
        left = [name for name in scores if name not in chosen]
        best = max(left, key=lambda name: np.maximum(reached, scores[name]).mean())
        if chosen and not (scores[best] > reached).any():
            break
        chosen.append(best)
        reached = np.maximum(reached, scores[best])
    return chosen
