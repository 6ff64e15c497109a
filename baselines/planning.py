"""Plans of a side, the rollouts that try them, and model predictive control.

A plan divides an episode into segments (action-repeat of 4), in each of which a side holds an
action or follows a base policy: a known player, such as a script, which reacts to the opponent.
At every decision the best plans of before, less the segment that has passed, compete with
changed ones: an evolution strategy over a rolling horizon (Perez, Samothrakis, Lucas and
Rohlfshagen 2013, GECCO). Copies of the game play each to the end, mostly by base policies: a
rollout algorithm (Bertsekas and Castanon 1999, J. of Heuristics 5). The first segment of the
best is then played. The first decision takes many generations of plans, later ones one.

The search knows the rules, the opponent and the state, and not future random draws: rollouts
draw anew, and a plan is worth its mean over several draws (of a mixture's members, too).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.measures import CAPTURE_TIME, largest_payoff, payoff_of
from steer_env.baselines.rollouts import records_of_episodes
from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.game.run.memory import Measures, make_measures
from steer_env.game.state import OVER, make_records, past_of, set_records
from steer_env.players.mixture import MixturePolicy
from steer_env.players.observed import seen_by
from steer_env.players.player import Player
from steer_env.players.random_policy import RandomPolicy
from steer_env.sides import EVADER, PURSUER, Side

ACTION_REPEAT = 4  # the steps of a segment
_REPEATS_AT_ONCE = 4  # segments that are played together once nothing changes any more
_PARENTS = 8  # plans of each game that are kept
_MEAN_LENGTH = 4.0  # segments that a new plan changes
_LEAST_NOISE = 0.05  # the standard deviation of noise is from here to 1
_SHARE_HELD, _SHARE_NOISY = 0.45, 0.3  # of new plans; the others follow another base policy
_DRAWS, _DRAWS_OF_MIXTURE = 16, 4  # of chance, for each plan; networks are slow
_SECONDS = 5.0  # that an evader looks ahead at a mixture
_PATIENCE = 1.0  # seconds for which later captures than the first are awaited


class Plans(NamedTuple):
    """Plans, or a segment of each of them."""

    actions: NDArray[np.float32]  # (..., segments, players, 2), in the engine's form
    base: NDArray[np.int64]  # (..., segments): a base policy from 1 on, 0 for the action

    def at(self, index: Any) -> Plans:
        """Returns some of the plans and segments, by an index of numpy."""
        return Plans(self.actions[index], self.base[index])


class Rollouts:
    """Plays copies of some games to their end, with another plan in each.

    All chance but that of a mixture is the games', so equal plans have equal outcomes. The
    opponents are scripts or one policy; a mixture draws anew in each copy. Base policies are no
    mixtures. An InvalidValue refuses random policies, and different observations of several.
    `sign` is that of payoffs in scores. After each segment, kicks change the velocity of each
    player: `kick` is their standard deviation in both directions, in m/s.
    """

    def __init__(
        self,
        config: Game,
        side: Side,
        opponents: Sequence[Player],
        base: Sequence[Player],
        games: int,
        copies: int = 1,
        kick: float = 0.0,
    ) -> None:
        self.copies, self._shape, self._kick = copies, (games, copies), kick
        self.sign = 1.0 if side is EVADER else -1.0
        self.players = config.count(side.name)
        self._side, self._opponent, self._base = side, opponents[0], base
        # An action is in the own frame, which turns with a commanded velocity.
        self._turns = config.model(side.name) == "simple_motion"
        draws = [isinstance(one.policy, RandomPolicy | MixturePolicy) for one in base]
        if any(draws) or any(isinstance(one.policy, RandomPolicy) for one in opponents):
            raise InvalidValue(
                "a player that draws random numbers of its own never plays the same game "
                "twice, so there are no plans with or against it: name a script or a network"
            )
        config = seen_by([one.policy for one in (*opponents, *base)], config)
        scripts = [None, *(one.script for one in base)]
        sides = side.ordered(scripts, [one.script for one in opponents])
        threads = min(os.cpu_count() or 1, 16)
        self.engine = Engine(config, *sides, games * copies, num_threads=threads)

    def begin(self, seeds: Sequence[int] | NDArray[np.uint64]) -> None:
        """Begins at the starts of some seeds, (games,)."""
        self.engine.seed(np.repeat(np.asarray(seeds, np.uint64), self.copies).tolist())
        self.engine.start()
        self._random = np.random.default_rng(int(seeds[0]))

    def begin_at(self, records: NDArray[np.void]) -> None:
        """Begins in states, records of `Engine.get_state`, (games,)."""
        players, obstacles = records["players"].shape[1], records["obstacles"].shape[1]
        own = make_records(len(records), players, obstacles, past_of(self.engine.state))
        for name in {*(own.dtype.names or ())} & {*(records.dtype.names or ())}:
            own[name] = records[name]
        set_records(self.engine.state, np.repeat(own, self.copies))

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps that were played of each episode, (games, copies)."""
        return self.engine.state.steps.reshape(self._shape)

    def play(
        self,
        segment: Callable[[int], Plans],
        segments: int | None = None,
        patience: int | None = None,
        most_steps: int | None = None,
    ) -> NDArray[np.float64]:
        """Plays all games on to their end.

        Args:
            segment: returns a segment for (games, copies) by its number.
            segments: the number after which the last one goes on.
            patience: steps after the end of a game's first copy, at which the others stop with
                the payoffs of that moment.
            most_steps: the number after which all copies stop.

        Returns:
            The payoffs, (games, copies), in seconds or meters.
        """
        engine, state = self.engine, self.engine.state
        opponent = self._opponent.join(engine, self._side.other)
        policies = {
            number: one.join(engine, self._side)
            for number, one in enumerate(self._base, 1)
            if one.script is None
        }
        measures, number, played = make_measures(engine.num_games), 0, 0
        while (state.phase != OVER).any():
            is_last = segments is not None and number >= segments
            count = ACTION_REPEAT * (_REPEATS_AT_ONCE if is_last else 1)
            self._play_segment(measures, count, segment(number), opponent, policies)
            if self._kick > 0.0:
                shape = 2, *state.velocity.shape
                one, other = self._kick * self._random.standard_normal(shape)
                state.velocity[...] += one + 1j * other
            if patience is not None:
                is_over = (state.phase == OVER).reshape(self._shape)
                first = np.where(is_over, self.steps, np.iinfo(np.int64).max - patience)
                late = self.steps >= first.min(axis=1, keepdims=True) + patience
                state.phase[late.reshape(-1)] = OVER
            number, played = number + 1, played + count
            if most_steps is not None and played >= most_steps:
                state.phase[:] = OVER
        with np.errstate(invalid="ignore"):  # efforts of games that were over: 0 / 0
            episodes = records_of_episodes(engine, measures)
        column = payoff_of(engine.config.payoff).column
        return np.asarray(episodes[column].reshape(self._shape))

    def decisions(self, base: int | NDArray[np.int64]) -> NDArray[np.float32]:
        """Returns the first actions of scripts by their numbers, one for all or (copies,)."""
        numbers = np.broadcast_to(base, self._shape)
        self.engine.state.script[self._side] = numbers.reshape(-1)
        return self.engine.decisions(self._side).reshape(*self._shape, self.players, 2)

    def _play_segment(
        self,
        measures: Measures,
        steps: int,
        segment: Plans,
        opponent: Player,
        policies: Mapping[int, Player],
    ) -> None:
        engine, side = self.engine, self._side
        base = segment.base.reshape(-1)
        own = np.array(segment.actions, np.float32).reshape(len(base), self.players, 2)
        engine.state.script[side] = base
        other = engine.no_actions(side.other)
        are_scripts, turns = not policies and opponent.script is not None, self._turns
        while steps > 0:
            running = engine.state.phase != OVER
            for number, player in policies.items():
                if (is_asked := running & (base == number)).any():
                    own[is_asked] = player.act(running, is_asked)
            if opponent.script is None:
                other = np.zeros((len(own), engine.side_size(side.other), 2), np.float32)
                if running.any():
                    other[running] = opponent.act(running, running)
            count = steps if are_scripts and not turns else 1
            engine.play(measures, count, *side.ordered(own, other))
            steps -= count
            if turns:  # only once: then straight ahead, as fast as before
                length, turns = np.hypot(own[..., 0], own[..., 1]), False
                own = np.stack([length, np.zeros_like(length)], axis=-1)


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
    over some draws of chance, see `draws_of`, and without kicks, which come unforeseen. The
    rest is as in `Rollouts`.
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
        kick: float = 0.0,
    ) -> None:
        self._num_base, self._tried, self._draws = len(base), tried, draws
        self._random, copies = random, tried + len(base) + _PARENTS
        imagined = drawing_anew(opponent, int(random.integers(2**63)))
        self._game = Rollouts(config, side, [opponent], base, games, kick=kick)
        self._rollouts = Rollouts(config, side, [imagined], base, games * draws, copies)
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

        def decided(number: int) -> Plans:
            if number > 0:
                self._plans = self._plans.at(np.index_exp[:, :, 1:])
                self._lasting = np.maximum(self._lasting - 1, 1)
                self._improve()
            played.append(self._plans.at(np.index_exp[:, :1, 0]))
            return played[-1]

        payoffs = self._game.play(decided)[:, 0]
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
        games = np.repeat(np.arange(len(is_open)), draws)
        payoffs = self._rollouts.play(
            lambda number: tried.at(np.index_exp[games, :, number]),
            patience=self._patience,
            most_steps=self._most_steps,
        )
        shape = len(is_open), draws, self._rollouts.copies
        scores = self._rollouts.sign * payoffs.reshape(shape).mean(axis=1)
        steps = self._rollouts.steps.reshape(shape).max(axis=1) - self._game.steps
        scores[~is_open] = -np.inf
        scores[~is_open, -_PARENTS:] = self._scores[~is_open]
        best = _ranked(scores)[:, :_PARENTS]
        self._plans = tried.at((np.arange(len(best))[:, None], best))
        self._scores, steps = (np.take_along_axis(one, best, 1) for one in (scores, steps))
        self._lasting = np.maximum(-(-steps // ACTION_REPEAT), 1)

    def _candidates(self) -> Plans:
        """The plans of before, base policies alone, and new plans, (games, copies, segments).

        These are parents, changed in a window of time, and half of them afterwards, too.
        """
        random, players = self._random, self._game.players
        shape = len(self._scores), self._tried
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
        angle = random.uniform(-np.pi, np.pi, (*shape, 1, players))
        held = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        spread = np.exp(random.uniform(np.log(_LEAST_NOISE), 0.0, (*shape, 1, 1, 1)))
        noisy = np.clip(actions + spread * random.standard_normal(held.shape), -1.0, 1.0)
        keeps = inside & ~is_held & (base == 0)
        changed = np.where(keeps[..., None, None], noisy, held)
        actions = np.where(inside[..., None, None], changed, actions).astype(np.float32)
        other = random.integers(1, self._num_base + 1, shape)[..., None]
        goes_on = after & (random.random(shape)[..., None] < 0.5)
        base = np.where(inside, np.where(is_noisy, 0, other), np.where(goes_on, other, base))
        alone = np.arange(1, self._num_base + 1)[:, None]
        alone = np.broadcast_to(alone, (shape[0], self._num_base, base.shape[2]))
        nothing = np.zeros((*alone.shape, players, 2), np.float32)
        parts: Any = zip((actions, base), (nothing, alone), self._plans)
        return Plans(*(np.concatenate(part, axis=1) for part in parts))


def _ranked(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks plans by their scores, (games, plans), with repeated scores last."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, 1)
    is_repeated = np.zeros(ranked.shape, np.bool_)
    is_repeated[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
    return np.take_along_axis(order, np.argsort(is_repeated, axis=1, kind="stable"), 1)


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
