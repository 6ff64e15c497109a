"""The engine: N games in one structured array, stepped by the compiled loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_integer
from steer_env.game import loop
from steer_env.game.config import GameConfig
from steer_env.game.damage import find_damage
from steer_env.game.entry_points import entry_points
from steer_env.game.observation import observation_layout, observation_scale
from steer_env.game.random import key_of_seed
from steer_env.game.rules import game_rules
from steer_env.game.script import Script
from steer_env.game.scripts import Mixtures
from steer_env.game.state import (
    EVADER,
    PURSUER,
    make_state,
    views,
)
from steer_env.game.workspace import (
    BLOCK,
    Bodies,
    Outcome,
    Workspace,
    bodies_in,
    faulty_pair,
    make_workspace,
)
from steer_env.steering.compilation import records
from steer_env.steering.vectors import truncate

NO_FAULT, FAULTY_BEHAVIOR = -1, -2

LARGEST_SEED = 2**64 - 1

_GAMES_PER_THREAD = 8192
"""With fewer games than this, another thread costs more than it saves."""

# As plain Python: compiled code hands out whole arrays only, no parts of them.
_bodies_in: Callable[[Workspace, int], Bodies] = getattr(bodies_in, "py_func", bodies_in)


class Engine:
    """N independent games of pursuit and evasion.

    Game i depends on its own seed and actions only: not on how many games there are, nor
    on the number of threads.

    Args:
        config: the game.
        pursuers: scripts of the pursuers; every episode draws one of them for the side.
            None among them stands for pursuers that are steered from outside.
        evaders: the same for the evaders.
        num_games: N.
        max_episode_steps: when an episode is truncated; 0 for never.
        num_threads: at most so many; None for as many as the machine has, where the
            number of games is worth it.
    """

    def __init__(
        self,
        config: GameConfig,
        pursuers: Sequence[Script | None],
        evaders: Sequence[Script | None],
        num_games: int = 1,
        max_episode_steps: int = 0,
        num_threads: int | None = None,
    ) -> None:
        self.config = config
        self.num_games = check_integer("num_envs", num_games, 1)
        self.num_threads = _thread_count(num_threads, num_games)
        self._players = config.pursuers + config.evaders
        self.num_features = len(observation_layout(self._players, config.arena.num_obstacles))
        self.mixtures = Mixtures(pursuers, evaders, config.dt)
        self._rules = records(
            game_rules(config, (len(pursuers), len(evaders)), max_episode_steps)
        )
        self._scales = records(observation_scale(config))
        self._state = make_state(num_games, self._players, config.arena.num_obstacles)
        if not isinstance(config.arena.obstacles, int):
            for number, (x, y, radius) in enumerate(config.arena.obstacles):
                self._state["obstacles"]["center"][:, number] = complex(x, y)
                self._state["obstacles"]["radius"][:, number] = radius
        self._games, self._bodies, self._discs = views(self._state)
        self._spaces = self._make_workspaces()
        self._observation_shapes = [
            (num_games, self.side_size(side), self.num_features) for side in (PURSUER, EVADER)
        ]
        # A side that only scripts steer needs no actions.
        self._action_shapes = [
            [
                (rows, self.side_size(side), 2)
                for rows in (num_games, 0)[: 2 - (None in scripts)]
            ]
            for side, scripts in ((PURSUER, pursuers), (EVADER, evaders))
        ]
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    def _make_workspaces(self) -> list[Workspace]:
        obstacles = self.config.arena.num_obstacles
        return [make_workspace(self._players, obstacles) for _ in range(self.num_threads)]

    def side_size(self, side: int) -> int:
        """How many players a side (PURSUER or EVADER) has."""
        return self.config.pursuers if side == PURSUER else self.config.evaders

    @property
    def max_episode_steps(self) -> int:
        """When an episode is truncated; 0 for never."""
        return int(self._rules["max_episode_steps"][0])

    @max_episode_steps.setter
    def max_episode_steps(self, steps: int) -> None:
        self._rules["max_episode_steps"] = steps

    @property
    def state(self) -> NDArray[np.void]:
        """The live state, (N,) of `state_dtype`: look, do not write."""
        return self._state

    def get_state(self) -> NDArray[np.void]:
        """A copy of the state of all the games, (N,)."""
        return self._state.copy()

    def set_state(self, state: NDArray[np.void]) -> None:
        """Puts all the games into a state that `get_state` returned.

        Raises:
            TypeError: if it is no array with the records of this engine.
            ValueError: if there are not N of them, or they are damaged.
        """
        self.check_state(state)
        self._state[...] = state
        self._spaces[0].vectors[...] = 0.0  # with the forces of a step that led elsewhere

    def check_state(self, state: NDArray[np.void]) -> None:
        """Raises what `set_state` would, and changes nothing."""
        if not isinstance(state, np.ndarray) or state.dtype != self._state.dtype:
            got = state.dtype if isinstance(state, np.ndarray) else type(state).__name__
            raise InvalidType(
                "a state is what get_state() returned from an environment with as many "
                f"pursuers, evaders and obstacles as this one; got {got}"
            )
        if state.shape != self._state.shape:
            raise InvalidValue(
                f"the state must have shape {self._state.shape}, got {state.shape}"
            )
        fault = find_damage(state, self.config, self._rules[0])
        if fault is not None:
            name, game = fault
            raise InvalidValue(
                f"the state is damaged: {name} of game {game} is out of range; "
                "pass one that get_state() returned, unchanged"
            )

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Sets what chance follows for each game; None leaves a game's chance as it is.

        Args:
            seeds: N integers from 0 to LARGEST_SEED, or None.
        """
        keys = self._state["game"]["key"]
        for index, seed in enumerate(seeds):
            if seed is not None:
                keys[index] = key_of_seed(np.uint64(seed))

    def start(self, mask: NDArray[np.bool_] | None = None) -> None:
        """Begins the next episode of all games, or of those whose mask (N,) is True."""
        if mask is None:
            mask = np.ones(self.num_games, np.bool_)
        mask = np.ascontiguousarray(mask)
        entry_points(self).reset(
            mask, self._games, self._bodies, self._discs, self.mixtures.table, self._rules
        )

    def observe(
        self,
        side: int,
        mask: NDArray[np.bool_] | None = None,
        into: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """The observations of a side, (N, players of the side, features) in float32.

        Args:
            side: PURSUER or EVADER.
            mask: (N,); only the games where it is True are written.
            into: the array to write into; a new one if None.
        """
        if mask is None:
            mask = np.ones(self.num_games, np.bool_)
        mask = np.ascontiguousarray(mask)
        if into is None:
            into = self._new_observations(side)
        entry_points(self).observe(
            self._games,
            self._bodies,
            self._discs,
            self._rules,
            self._scales,
            side,
            mask,
            into,
            self._spaces[0],
        )
        return into

    def forces(self, game: int = 0) -> NDArray[np.complex128]:
        """The steering forces of a game's last step, (players,), in newtons; a copy.

        They are cut to max_force, also where the model of motion cuts something else. They
        are 0 for who is caught; and for all where there was no step: the game began with the
        last one, `start`, or `set_state`, or the engine was copied since.

        The step leaves them in its scratch space, so they cost it nothing, and more than
        `BLOCK` games overwrite each other's: then they are nan.

        Args:
            game: which of the N.
        """
        if self.num_games > BLOCK:
            return np.full(self._players, complex(np.nan, np.nan))
        players = self._state["players"][game]
        if self._state["game"]["steps"][game] == 0:
            return np.zeros(self._players, np.complex128)
        decided = _bodies_in(self._spaces[0], self._players).force[:, game]
        limits = players["body"]["max_force"]
        cut = [truncate(force, limit) for force, limit in zip(decided, limits)]
        return np.where(players["active"], cut, 0j)

    def _new_observations(self, side: int) -> NDArray[np.float32]:
        return np.empty(self._observation_shapes[side], np.float32)

    def new_outcome(self, side: int) -> Outcome:
        """Arrays for what a side gets of a step, with nothing in them yet."""
        count = self.num_games
        return Outcome(
            self._new_observations(side),
            np.empty(count, np.float64),
            np.empty(count, np.bool_),
            np.empty(count, np.bool_),
            np.empty(count, np.float64),
            np.empty(count, np.int64),
        )

    def check_actions(
        self, pursuer_actions: NDArray[np.float32], evader_actions: NDArray[np.float32]
    ) -> None:
        """Raises a ValueError for actions of another shape or dtype than a step takes."""
        for actions, shapes in zip(
            (pursuer_actions, evader_actions), self._action_shapes, strict=True
        ):
            # Compiled code trusts them: a wrong shape would read other memory.
            if actions.shape not in shapes or actions.dtype != np.float32:
                raise InvalidValue(
                    f"actions of this side must be float32 with shape {shapes[0]}, "
                    f"got {actions.dtype} {actions.shape}"
                )

    def prepare_step(
        self,
        outcome: Outcome,
        pursuer_actions: NDArray[np.float32],
        evader_actions: NDArray[np.float32],
        side: int,
        restart: bool,
        first: int = 0,
        last: int | None = None,
        thread: int = 0,
    ) -> Callable[[], int]:
        """A call that steps the games from first to last - 1, with all its arguments bound.

        Args:
            outcome: where to write what the side gets.
            pursuer_actions: float32, C-contiguous, (N, pursuers, 2), or (0, pursuers, 2)
                if the pursuers are scripted; read anew in every call.
            evader_actions: the same for the evaders.
            side: PURSUER or EVADER.
            restart: whether a game that is over begins anew instead of its step.
            first: the first game.
            last: one past the last game; None for N.
            thread: whose scratch space to use.

        Returns:
            A function that returns -1, or the index of a game that could not be stepped
            (actions not finite; over and not restarted); then none of them was. -2 if a
            user's own behavior returned no number: see `raise_fault`.

        Raises:
            ValueError: for actions of another shape or dtype.
        """
        self.check_actions(pursuer_actions, evader_actions)
        return partial(
            entry_points(self).step,
            first,
            self.num_games if last is None else last,
            restart,
            side,
            self._games,
            self._bodies,
            self._discs,
            self.mixtures.table,
            self._rules,
            self._scales,
            pursuer_actions,
            evader_actions,
            outcome,
            self._spaces[thread],
        )

    def step(
        self,
        pursuer_actions: NDArray[np.float32],
        evader_actions: NDArray[np.float32],
        side: int,
        restart: bool,
    ) -> Outcome:
        """Steps all games once; see `prepare_step` for the arguments.

        Raises:
            ValueError: if an action is not finite; no game has been stepped then.
            gymnasium.error.ResetNeeded: if a game is over and not restarted; likewise.
            FloatingPointError: if a user's own behavior returned no number.
        """
        outcome = self.new_outcome(side)
        if self.num_threads == 1:
            fault = self.prepare_step(outcome, pursuer_actions, evader_actions, side, restart)()
        else:
            fault = loop.first_fault(
                self._games, pursuer_actions, evader_actions, restart, 0, self.num_games
            )
            if fault == NO_FAULT:
                fault = self.in_threads(
                    lambda first, last, thread: self.prepare_step(
                        outcome,
                        pursuer_actions,
                        evader_actions,
                        side,
                        restart,
                        first,
                        last,
                        thread,
                    )
                )
        if fault != NO_FAULT:
            self.raise_fault(fault, pursuer_actions, evader_actions)
        return outcome

    def in_threads(self, prepare: Callable[[int, int, int], Callable[[], int]]) -> int:
        """Cuts the games into a share for each thread, and has each share's call made.

        Args:
            prepare: from a share's first game, one past its last, and the number of the
                thread, to the call.

        Returns:
            The least that a call returned.
        """
        blocks = -(-self.num_games // BLOCK)
        share = -(-blocks // self.num_threads) * BLOCK
        calls = [
            prepare(first, min(first + share, self.num_games), thread)
            for thread, first in enumerate(range(0, self.num_games, share))
        ]
        if len(calls) == 1:
            return calls[0]()
        pool = self._thread_pool()
        others = [pool.submit(call) for call in calls[1:]]
        return min([calls[0](), *(other.result() for other in others)])

    def _thread_pool(self) -> ThreadPoolExecutor:
        # Threads do not survive a fork: a child process starts its own.
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self.num_threads - 1, "steer_env")
            self._pool_process = os.getpid()
        return self._pool

    def raise_fault(self, game: int, *actions: NDArray[np.float32]) -> None:
        """Raises the error for what `prepare_step`'s function returned."""
        if game == FAULTY_BEHAVIOR:
            self._raise_faulty_behavior()
        for side_actions in actions:
            if game < len(side_actions) and not np.isfinite(side_actions[game]).all():
                raise InvalidValue(
                    f"the action of game {game} is not finite: {side_actions[game].tolist()}; "
                    "actions are numbers from -1 to 1"
                )
        raise ResetNeeded(f"game {game} is over or has not begun; reset it first")

    def _raise_faulty_behavior(self) -> None:
        own = {
            s.behavior_name
            for s in self.mixtures.scripts
            if s is not None and callable(s.behavior)
        }
        me, other = next(filter(None, map(faulty_pair, self._spaces)))
        raise FloatingPointError(
            f"the behavior {' or '.join(sorted(own))} raised an error (printed above), or "
            "returned None, nan or infinity; the step has been made with a force of 0. It was "
            f"called with me = {me} and other = {other}"
        )

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        """All but the threads and the views, which are made anew."""
        kept = self.__dict__.copy()
        for name in ("_games", "_bodies", "_discs", "_spaces"):
            del kept[name]
        kept["_pool"] = None
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Makes the views and the scratch space anew."""
        self.__dict__.update(kept)
        self._games, self._bodies, self._discs = views(self._state)
        self._spaces = self._make_workspaces()


def _thread_count(num_threads: int | None, num_games: int) -> int:
    if num_threads is None:
        return max(1, min(os.cpu_count() or 1, num_games // _GAMES_PER_THREAD))
    most = -(-num_games // BLOCK)
    return min(check_integer("num_threads", num_threads, 1, 1024), most)
