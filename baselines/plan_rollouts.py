"""Plans of a side, and the rollouts that try them.

A plan divides an episode into segments (action-repeat of 4), in each of which a side holds an
action or follows a base policy: a known player, such as a script, which reacts to the opponent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.measures import payoff_of
from steer_env.baselines.rollouts import records_of_episodes
from steer_env.errors import InvalidValue
from steer_env.game.config import Game
from steer_env.game.engine import Engine
from steer_env.game.run.memory import Measures, make_measures
from steer_env.game.state import OVER, make_records, past_of, set_records
from steer_env.players.mixture import MixturePolicy
from steer_env.players.player import Player, seen_by
from steer_env.players.random_policy import RandomPolicy
from steer_env.sides import EVADER, Side

ACTION_REPEAT = 4  # the steps of a segment
_REPEATS_AT_ONCE = 4  # segments that are played together once nothing changes any more
Segment = tuple[NDArray[np.float32], NDArray[np.int64]]
"""Actions, (..., players, 2), and the numbers of base policies, (...), 0 for the action."""


class Plans(NamedTuple):
    """A plan for each of some games. After the last segment it goes on as in that one."""

    actions: NDArray[np.float32]  # (..., segments, players, 2), in the engine's form
    base: NDArray[np.int64]  # (..., segments): a base policy from 1 on, 0 for the action

    def segment(self, number: int) -> Segment:
        """Returns one segment of each plan."""
        place = min(number, self.base.shape[-1] - 1)
        return self.actions[..., place, :, :], self.base[..., place]

    def at(self, index: Any) -> Plans:
        """Returns some of the plans, by an index of numpy."""
        return Plans(self.actions[index], self.base[index])


class Played(NamedTuple):
    """The outcome of rollouts, as arrays (games, copies)."""

    payoffs: NDArray[np.float64]  # in seconds or meters
    steps: NDArray[np.int64]  # of the whole episode


class Rollouts:
    """Plays copies of some games to their end, with another plan in each.

    All chance but that of a mixture is the games', so equal plans have equal outcomes. The
    opponents are scripts or one policy; a mixture draws anew in each copy. Base policies, from
    1 on, are no mixtures; an InvalidValue refuses random policies, and some that were trained
    with different observations. `sign` is that of payoffs in scores.
    """

    def __init__(
        self,
        config: Game,
        side: Side,
        opponents: Sequence[Player],
        base: Sequence[Player],
        games: int,
        copies: int = 1,
        num_threads: int | None = None,
    ) -> None:
        self.copies, self._shape = copies, (games, copies)
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
        config = seen_by((*opponents, *base), config)
        own = [None, *(one.script for one in base if one.script is not None)]
        sides = side.ordered(own, [one.script for one in opponents])
        threads = min(os.cpu_count() or 1, 16) if num_threads is None else num_threads
        self.engine = Engine(config, *sides, games * copies, num_threads=threads)
        # The script that stands for each base policy in the engine: none, 0, for a network.
        is_script = np.array([one.script is not None for one in base], np.bool_)
        self._scripts = np.concatenate([[0], np.cumsum(is_script) * is_script])
        self._start: list[NDArray[Any]] = []

    def begin(self, seeds: Sequence[int] | NDArray[np.uint64]) -> None:
        """Takes the starts of some seeds, (games,), as the states to play from."""
        self.engine.seed(np.repeat(np.asarray(seeds, np.uint64), self.copies).tolist())
        self.engine.start()
        self._start = [column.copy() for column in self.engine.state]

    def begin_at(self, records: NDArray[np.void]) -> None:
        """Takes records of `Engine.get_state`, (games,), as states to play from."""
        players, obstacles = records["players"].shape[1], records["obstacles"].shape[1]
        state = self.engine.state
        own = make_records(len(records), players, obstacles, past_of(state))
        for name in own.dtype.names or ():
            if name in (records.dtype.names or ()):
                own[name] = records[name]
        set_records(state, np.repeat(own, self.copies))
        self._start = [column.copy() for column in state]

    def play(
        self,
        segment: Callable[[int], Segment],
        segments: int | None = None,
        patience: int | None = None,
        most_steps: int | None = None,
    ) -> Played:
        """Plays all games to their end.

        Args:
            segment: returns a segment for (games, copies) by its number.
            segments: the number after which the last one goes on.
            patience: steps after the end of a game's first copy, at which the others stop with
                the payoffs of that moment.
            most_steps: the number after which all copies stop.
        """
        engine, state = self.engine, self.engine.state
        self._rewind()
        opponent = self._opponent.join(engine, self._side.other)
        policies = {
            number: one.join(engine, self._side)
            for number, one in enumerate(self._base, 1)
            if one.script is None
        }
        measures, number, played = make_measures(engine.num_games), 0, 0
        while (state.phase != OVER).any():
            is_last = segments is not None and number >= segments
            steps = ACTION_REPEAT * (_REPEATS_AT_ONCE if is_last else 1)
            self._play_segment(measures, steps, segment(number), opponent, policies)
            if patience is not None:
                is_over = (state.phase == OVER).reshape(self._shape)
                steps_of = state.steps.reshape(self._shape)
                first = np.where(is_over, steps_of, np.iinfo(np.int64).max - patience)
                late = steps_of >= first.min(axis=1, keepdims=True) + patience
                state.phase[late.reshape(-1)] = OVER
            number, played = number + 1, played + steps
            if most_steps is not None and played >= most_steps:
                state.phase[:] = OVER
        with np.errstate(invalid="ignore"):  # efforts of games that were over: 0 / 0
            episodes = records_of_episodes(engine, measures)
        payoffs = episodes[payoff_of(engine.config.payoff).column]
        return Played(payoffs.reshape(self._shape), state.steps.reshape(self._shape).copy())

    def decisions(self, base: int | NDArray[np.int64]) -> NDArray[np.float32]:
        """Returns the first actions of scripts by their numbers, one for all or (copies,)."""
        engine = self.engine
        self._rewind()
        numbers = np.broadcast_to(self._scripts[base], self._shape)
        engine.state.script[self._side] = numbers.reshape(-1)
        return engine.decisions(self._side).reshape(*self._shape, self.players, 2)

    def _rewind(self) -> None:
        columns: list[NDArray[Any]] = list(self.engine.state)
        for column, kept in zip(columns, self._start):
            column[...] = kept

    def _play_segment(
        self,
        measures: Measures,
        steps: int,
        segment: Segment,
        opponent: Player,
        policies: Mapping[int, Player],
    ) -> None:
        engine, side = self.engine, self._side
        base = segment[1].reshape(-1)
        own = np.array(segment[0], np.float32).reshape(engine.num_games, self.players, 2)
        engine.state.script[side] = self._scripts[base]
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
