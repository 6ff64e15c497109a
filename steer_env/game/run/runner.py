"""Runs the compiled loop on the arrays of an engine, in one thread or several.

`Runner` enters all addresses into records that the loop reads, those of machine code, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.actions import FLOAT
from steer_env.errors import FaultyBehavior, InvalidValue, check_integer
from steer_env.game.config import SIDES
from steer_env.game.run import memory, phases
from steer_env.game.run.maps import map_table
from steer_env.game.run.turn import renew_after_fork
from steer_env.game.run.ways import NO_WAYS, NUMBERS_OF_TURN, way_table
from steer_env.game.state import RUNNING
from steer_env.game.transition import shown_transition
from steer_env.machine_code.addresses import address_of
from steer_env.machine_code.routines import ShippedRoutine
from steer_env.scripts.table import BEHAVIOR, EXTERNAL, OPTIMAL
from steer_env.sides import Side
from steer_env.steering.own_functions import fault_of

if TYPE_CHECKING:
    from steer_env.game.engine import Engine

_GAMES_PER_THREAD = 8192
"""With fewer games than this, another thread costs more than it saves."""


def thread_count(num_threads: int | None, num_games: int) -> int:
    """The number of threads, from 1 to 1024, that step games: a block of them each at least."""
    if num_threads is None:
        return max(1, min(os.cpu_count() or 1, num_games // _GAMES_PER_THREAD))
    blocks = -(-num_games // memory.BLOCK)
    return min(check_integer("num_threads", num_threads, 1, 1024), blocks)


Actions = NDArray[np.float32]
"""One side's actions, C-contiguous: (N, players of the side, 2), or (0, players, 2) if only
scripts steer the side."""


def _shares(num_games: int, threads: int) -> list[tuple[int, int]]:
    """Each thread's share of the games, in whole blocks: first, and one past the last."""
    blocks = -(-num_games // memory.BLOCK)
    share = -(-blocks // threads) * memory.BLOCK
    return [(first, min(first + share, num_games)) for first in range(0, num_games, share)]


class Outcome(NamedTuple):
    """The outcome of a step of N games for one side, in C-contiguous arrays."""

    observations: NDArray[np.float32]  # (N, players of the side, features)
    rewards: NDArray[np.float64]  # (N,)
    terminated: NDArray[np.bool_]  # (N,)
    truncated: NDArray[np.bool_]  # (N,)


_play_games = phases.game_routine("run.loop.play_games")


def fill_of(
    row: np.record, can_vectorize: bool, has_maps: bool = False, has_limits: bool = False
) -> ShippedRoutine:
    """The routine that computes the forces of a script, in games with a scenario's limits."""
    chases = row.behavior in (BEHAVIOR.seek, BEHAVIOR.pursuit)
    if has_maps and row.follows_paths and not (can_vectorize and chases):
        return phases.game_routine("run.path_scripts.fill_path_forces")
    if row.knows_limits and has_limits:
        return phases.game_routine("run.knowing_scripts.fill_knowing_forces")
    if can_vectorize:
        return phases.game_routine("run.vectorized_scripts.fill_vectorized_forces")
    if row.behavior in OPTIMAL:
        return phases.game_routine("run.optimal.fill_optimal_forces")
    if row.looks_at_team:
        return phases.game_routine("run.general_scripts.fill_team_forces")
    if row.sees_all:
        return phases.game_routine("run.general_scripts.fill_general_forces")
    return phases.game_routine("run.general_scripts.fill_tracking_forces")


_fields: Any = memory.CALL.fields
_GIVEN: int = _fields["steps"][1]  # bytes of a call before the fields that vary
_write_arguments: Any = Struct(f"{(memory.CALL.itemsize - _GIVEN) // 8}q").pack_into  # fast


def _numbers(steps: int, how: Sequence[Any]) -> tuple[int, ...]:
    """The fields of a `CALL` from steps on, 0 for None and for an empty array."""
    when_over, side, *arrays = how
    places = [0 if one is None or len(one) == 0 else address_of(one) for one in arrays]
    return steps, when_over, side, *places


class Runner:
    """The memory and the threads of one engine, with addresses of this process.

    It has an array of one `MEMORY` record, and the scratch ``spaces`` of its threads.
    """

    def __init__(self, engine: Engine) -> None:
        config, state, credit = engine.config, engine.state, engine.credit
        learner, num_games = engine.learning, engine.num_games
        self._engine, self._measures = engine, False
        self.memory = memory.memory_record(
            state, engine.limits, engine.num_features, engine.rules, engine.mixtures.table
        )
        learner.lay_out(self.memory)
        if credit is not None:
            memory.lay_out_credit(self.memory, credit, engine.credit_method or 0)
        self.memory["starts"] = address_of(engine.starts)
        self.memory["num_starts"] = len(engine.starts)
        self._maps = map_table(engine.space)  # for all limits that may come
        self.memory["num_maps"] = len(config.map)
        memory.enter_addresses(self.memory, self._maps._asdict())
        self._needs = partial(phases.needs_of, config, learner, credit is not None)
        sizes = len(state.position), len(state.center), self._needs()["players before"]
        has_grids = max(config.pursuers, config.evaders) >= phases.FEWEST
        threads = range(engine.num_threads)
        own = len(state.own)
        self.spaces = [memory.make_scratch(*sizes, has_grids, own) for _ in threads]
        self._records = [memory.scratch_record(space) for space in self.spaces]
        renew_after_fork(self)
        self.renew()
        # The first call is for all games in one thread, each other one for a thread's share.
        games = [(0, num_games), *_shares(num_games, len(self.spaces))]
        scratch = [address_of(record) for record in (self._records[0], *self._records)]
        self._calls = np.zeros(len(games), memory.CALL)
        self._calls["memory"] = address_of(self.memory)
        self._calls["scratch"] = scratch[: len(games)]
        self._calls["first"], self._calls["last"] = zip(*games)
        self._shapes = [(num_games, engine.side_size(side), 2) for side in Side]
        self.no_actions = [np.zeros((0, *shape[1:]), np.float32) for shape in self._shapes]
        self._bytes = self._calls.view(np.uint8)
        self._places = [address_of(call) for call in np.split(self._calls, len(games))]
        self._is_compiled = self._is_explained = False
        self._ways = NO_WAYS
        self._phases: dict[bool, NDArray[np.void]] = {}  # without measures, and with them

    def renew(self) -> None:
        """Makes a lock for the process at hand, and forgets the threads of another."""
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None

    def set_scripts(self) -> None:
        """Points the loop at the engine's present scripts and sightings."""
        sightings = self._engine.state.sightings
        # Earlier ones no longer pass without a check.
        self.no_actions = [none.copy() for none in self.no_actions]
        self.memory["scripts"] = address_of(self._engine.mixtures.table)
        self.memory["sightings"] = address_of(sightings)
        self.memory["sighting_rows"] = len(sightings)
        self._is_compiled = False

    def renew_learner(self) -> None:
        """Points the loop at the learner's present needs."""
        self._engine.learning.lay_out(self.memory)
        self._is_compiled = False

    def explain_into(self, explanations: NDArray[np.void]) -> None:
        """Makes scripts explain decisions, (players, N), all by the general routine now."""
        self.memory["explanations"] = address_of(explanations)
        if not self._is_explained:
            self._is_explained, self._is_compiled = True, False

    def measure(self, measures: memory.Measures | None) -> None:
        """Makes the loop add to these measures of the caller, or to none."""
        self._measures = measures is not None
        if measures is not None:
            memory.enter_addresses(self.memory, measures._asdict())
        if self._is_compiled:
            self.memory["phases"] = self._phases[self._measures]

    def call(
        self,
        side: int,
        outcome: Outcome,
        steps: int,
        when_over: int,
        actions: Sequence[Actions] | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        """Calls the loop, in as many threads as are worth it, and raises its faults."""
        given = self.no_actions if actions is None else actions
        chosen = None if mask is None else np.require(mask, np.bool_, ["C", "W"])
        if chosen is not None and chosen.shape != (self._engine.num_games,):
            raise InvalidValue(
                f"a mask must have shape ({self._engine.num_games},), got {chosen.shape}"
            )
        if len(self.spaces) > 1 and steps > 0:  # before any thread steps its share
            self.check_step(given, when_over != memory.REFUSE)
        fault = self._play(steps, (when_over, int(side), chosen, *given, *outcome))
        if fault != memory.NO_FAULT:
            self.raise_fault(fault, *given)

    def check_actions(self, *actions: Actions) -> None:
        """Raises an InvalidValue for actions not laid out as a step takes them."""
        for side, given in enumerate(actions):
            # Compiled code trusts them: a wrong shape would read other memory.
            if given is self.no_actions[side]:
                continue
            shape = self._shapes[side]
            fits = given.shape == shape or (
                given.shape == (0, *shape[1:])
                and None not in self._engine.mixtures.scripts_of(side)
            )
            if not fits or given.dtype != FLOAT:
                raise InvalidValue(
                    f"actions of this side must be float32 with shape {shape}, "
                    f"got {given.dtype} {given.shape}"
                )
            if not given.flags.carray:
                raise InvalidValue("actions must be C-contiguous and writable: see np.require")

    def check_step(self, actions: Sequence[Actions], restart: bool) -> None:
        """Raises an error if an action is not finite, or a game is over and may not restart."""
        at_fault = np.zeros(self._engine.num_games, np.bool_)
        for given in actions:
            if not np.isfinite(given).all():  # to look at each game takes longer than a step
                at_fault |= ~np.isfinite(given).all(axis=(1, 2))
        if not restart:
            at_fault |= self._engine.state.phase != RUNNING
        if at_fault.any():
            self.raise_fault(int(at_fault.argmax()), *actions)

    def raise_fault(self, game: int, *actions: Actions) -> None:
        """Raises the exception that matches a fault code of the loop, or a game at fault."""
        if game == memory.FAULTY_FUNCTION:
            raise self._fault()
        for given in actions:
            if game < len(given) and not np.isfinite(given[game]).all():
                raise InvalidValue(
                    f"the action of game {game} is not finite: {given[game].tolist()}; "
                    "actions are numbers from -1 to 1"
                )
        raise ResetNeeded(f"game {game} is over or has not begun; reset it first")

    def _play(self, steps: int, how: Sequence[Any]) -> int:
        """Calls `play_games` for all games with the rest of a `CALL`, and returns its code."""
        self.compile()
        with self._lock:  # the arguments last as long as the call
            _write_arguments(self._bytes, _GIVEN, *_numbers(steps, how))
            if len(self.spaces) == 1 or steps == 0:
                return _play_games.call(self._places[0])
            arguments = self._calls.view(np.int64).reshape(len(self._calls), -1)
            arguments[1:, _GIVEN // 8 :] = arguments[0, _GIVEN // 8 :]
            if self._pool is None:
                self._pool = ThreadPoolExecutor(len(self.spaces) - 1, "steer_env")
            _, own, *others = self._places
            try:  # this thread plays, too: so an interrupt ends a command in an endless loop
                asked = [self._pool.submit(_play_games.call, one) for one in others]
                return min([_play_games.call(own), *(one.result() for one in asked)])
            except BaseException:  # an interrupt: the memory is theirs as long as they run
                self.close()
                raise

    def prepared(self, steps: int, how: Sequence[Any]) -> Callable[[], int]:
        """A call in one thread with the same arguments each time, keeping its engine alive."""
        self.compile()
        arguments = self._calls[:1].copy()
        _write_arguments(arguments.view(np.uint8), _GIVEN, *_numbers(steps, how))
        step = partial(_play_games.call, address_of(arguments))
        step.kept = self._engine, arguments, how  # type: ignore[attr-defined]
        return step

    def compile(self) -> None:
        """Finds the machine code that these games need, before the first step."""
        if self._is_compiled:
            return
        engine = self._engine
        is_among, has_maps = engine.config.has_obstacles, len(engine.config.map) > 0
        has_limits = engine.config.has_rule("limits")
        kind = "is_vectorized_among_obstacles" if is_among else "is_vectorized"
        for row, solution in zip(engine.mixtures.table, engine.solutions):
            if row.behavior != EXTERNAL:
                can_vectorize = row[kind] and not self._is_explained
                row.routine = fill_of(row, can_vectorize, has_maps, has_limits).address
                row.solution = address_of(solution)
        follows = has_maps and bool(engine.mixtures.table["follows_paths"].any())
        if follows or (has_maps and engine.learning.sees_ways):
            self._lay_out_ways()
        looks = bool(engine.mixtures.table["sees_neighbors"].any())
        for measures in (not self._measures, self._measures):  # the last of both stays entered
            phases.enter_routines(self.memory, self._needs(looks, measures, follows))
            self._phases[measures] = self.memory["phases"].copy()
        self._is_compiled = True

    def _lay_out_ways(self) -> None:
        """Enters the tables of ways, and space for queries, once they are needed."""
        if self._ways is not NO_WAYS:
            return
        space = self._engine.space
        radii = [space.limit_range(side, "radius")[1] for side in SIDES]
        self._ways = way_table(space.map, (radii[0], radii[1]))
        memory.enter_addresses(self.memory, self._ways._asdict())
        self._way_numbers = np.zeros((len(self._records), NUMBERS_OF_TURN * self._ways.most))
        for record, numbers in zip(self._records, self._way_numbers):
            record["way_numbers"] = address_of(numbers)

    def _fault(self) -> FaultyBehavior:
        """The error for the first user-defined function at fault in the last call."""
        space = next(space for space in self.spaces if space.calls["address"][1])
        return fault_of(space.calls[1], {"transition": shown_transition(space.transitions[1])})

    def close(self) -> None:
        """Ends the threads, once their calls have returned."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = None
