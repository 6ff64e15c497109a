"""Runs the compiled loop on the arrays of an engine, in one thread or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from struct import Struct
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.game import neighbors
from steer_env.game.config import GameConfig
from steer_env.game.credit import Credit, give_credit, hide_absent, lay_out_credit
from steer_env.game.learner import Learner
from steer_env.game.limits import Limits
from steer_env.game.loop import play_games
from steer_env.game.memory import CALL, Scratch, make_scratch, memory_record, scratch_record
from steer_env.game.motion import move_among_obstacles
from steer_env.game.observed_obstacles import observe_obstacles
from steer_env.game.optimal import FILLS
from steer_env.game.other_scripts import fill_other_forces
from steer_env.game.payoff import settle
from steer_env.game.plain_scripts import fill_plain_forces
from steer_env.game.reward import remember_players
from steer_env.game.rules import PURSUER
from steer_env.game.searching import fill_searching_forces
from steer_env.game.solid import part_overlapping
from steer_env.game.state import State
from steer_env.game.team_scripts import fill_team_forces
from steer_env.game.threads import Threads
from steer_env.machine_code.addresses import address_of
from steer_env.machine_code.routines import Routine
from steer_env.scripts.own_behavior import OWN_KINDS
from steer_env.scripts.table import EXTERNAL
from steer_env.steering.own_functions import own_functions


def fill_of(row: np.record) -> Routine:
    """The routine that works out a script's forces a vehicle at a time; plain scripts, too."""
    if int(row.behavior) in FILLS:
        return FILLS[int(row.behavior)]
    if row.looks_at_team:
        return fill_team_forces
    return fill_other_forces if row.sees_all else fill_searching_forces


_fields: Any = CALL.fields
_GIVEN: int = _fields["steps"][1]  # bytes of a call before what is given anew each time
_write_arguments: Any = Struct(f"{(CALL.itemsize - _GIVEN) // 8}q").pack_into  # fast


def _numbers(steps: int, how: Sequence[Any]) -> tuple[int, ...]:
    """The fields of a `CALL` from steps on; None and an empty array are none."""
    when_over, side, *arrays = how
    places = [0 if one is None or len(one) == 0 else address_of(one) for one in arrays]
    return steps, when_over, side, *places


class Runner:
    """The memory and the threads of one engine; its addresses are this process's.

    Args:
        config: the game.
        state: the engine's, as the next four; the engine keeps them alive.
        limits: see `Limits`.
        starts: see `start_states.start_table`.
        num_features: of a standard observation.
        rules: an array of one `RULES` record.
        scripts: the table of scripts.
        solutions: what each of them knows of its game; see `optimal.solutions_of`.
        learner: what the side that learns has of its own.
        credit: the engine's, and the method of giving it; None if nobody asks for it.
        num_threads: at most so many.
        rows_in_play: returns the rows of the scripts that play, or may be drawn.

    Attributes:
        memory: an array of one `MEMORY` record.
        spaces: the scratch space of each thread.
    """

    def __init__(
        self,
        config: GameConfig,
        state: State,
        limits: Limits,
        starts: NDArray[np.float64],
        num_features: int,
        rules: NDArray[np.void],
        scripts: NDArray[np.void],
        solutions: Sequence[NDArray[np.float64]],
        learner: Learner,
        credit: tuple[Credit, int] | None,
        num_threads: int,
        rows_in_play: Callable[[], list[int]],
    ) -> None:
        self._rows_in_play = rows_in_play
        self._config, self._learner = config, learner
        self._scripts, self._solutions = scripts, solutions
        self._num_games = state.position.shape[1]
        self.memory = memory_record(state, limits, num_features, rules, scripts)
        learner.lay_out(self.memory)
        self._gives_credit = credit is not None
        if credit is not None:
            lay_out_credit(self.memory, *credit)
        self.set_starts(starts)
        remembers = learner.remembers or credit is not None
        sizes = len(state.position), len(state.center), remembers
        has_grids = max(config.pursuers, config.evaders) >= neighbors.FEWEST
        self.spaces: list[Scratch] = [
            make_scratch(*sizes, has_grids) for _ in range(num_threads)
        ]
        self._records = [scratch_record(space) for space in self.spaces]
        self._threads = Threads(num_threads)
        # The first call is for all games in one thread, each other one for a thread's share.
        games = [(0, self._num_games), *self._threads.shares(self._num_games)]
        scratch = [address_of(record) for record in (self._records[0], *self._records)]
        self._calls = np.zeros(len(games), CALL)
        self._calls["memory"] = address_of(self.memory)
        self._calls["scratch"] = scratch[: len(games)]
        self._calls["first"], self._calls["last"] = zip(*games)
        self._lock, self._bytes = Lock(), self._calls.view(np.uint8)
        self._places = [address_of(call) for call in np.split(self._calls, len(games))]
        self._is_compiled = self._is_explained = False

    def set_scripts(
        self, scripts: NDArray[np.void], solutions: Sequence[NDArray[np.float64]]
    ) -> None:
        """Has the loop read another table of scripts, with their solutions."""
        self._scripts, self._solutions = scripts, solutions
        self.memory["scripts"] = address_of(scripts)
        self._is_compiled = False

    def set_starts(self, starts: NDArray[np.float64]) -> None:
        """Has later episodes draw from other starts; the caller must keep them."""
        self.memory["starts"], self.memory["num_starts"] = address_of(starts), len(starts)

    def set_sightings(self, sightings: NDArray[np.float64]) -> None:
        """Has scripts remember in another column of the state; the caller must keep it."""
        self.memory["sightings"] = address_of(sightings)
        self.memory["sighting_rows"] = len(sightings)

    def renew_learner(self) -> None:
        """Has the loop do what the learner needs now."""
        self._learner.lay_out(self.memory)
        self._is_compiled = False

    def explain_into(self, explanations: NDArray[np.void]) -> None:
        """Has scripts explain their decisions, (players, N) of `EXPLANATION`; keep the array.

        Plain scripts take the routine of the others from now on, which comes to the same force.
        """
        self.memory["explanations"] = address_of(explanations)
        self._is_explained, self._is_compiled = True, False

    def call(self, steps: int, how: Sequence[Any]) -> int:
        """Calls the loop for all games, in as many threads as are worth it.

        Returns:
            What `play_games` returns.
        """
        self.compile()
        if self._own and not all(own.has_same_objects() for own in self._own):
            # Without steps no script decides, and other ones may be drawn.
            self._check_unchanged(self._rows_in_play() if steps > 0 else [])
        with self._lock:  # the arguments last as long as the call
            _write_arguments(self._bytes, _GIVEN, *_numbers(steps, how))
            if len(self.spaces) == 1 or steps == 0:
                return play_games.call(self._places[0])
            arguments = self._calls.view(np.int64).reshape(len(self._calls), -1)
            arguments[1:, _GIVEN // 8 :] = arguments[0, _GIVEN // 8 :]
            return self._threads.call(play_games.call, [(one,) for one in self._places[1:]])

    def prepared(self, engine: object, steps: int, how: Sequence[Any]) -> Callable[[], int]:
        """A call in one thread with the same arguments each time; keeps its engine alive."""
        self.compile()
        arguments = self._calls[:1].copy()
        _write_arguments(arguments.view(np.uint8), _GIVEN, *_numbers(steps, how))
        step = partial(play_games.call, address_of(arguments))
        step.kept = engine, arguments, how  # type: ignore[attr-defined]

        def checked_step() -> int:
            for own in self._own:
                if not own.has_same_objects():
                    self._check_unchanged(self._rows_in_play())
            return step()

        return checked_step if self._own else step

    def compile(self) -> None:
        """Finds the machine code that these games need, before the first step."""
        if self._is_compiled:
            return
        has_obstacles = self._config.arena.num_obstacles > 0
        for row, solution in zip(self._scripts, self._solutions):
            if row.behavior != EXTERNAL:
                is_plain = row.is_plain_among_obstacles if has_obstacles else row.is_plain
                is_plain = is_plain and not self._is_explained  # those explain nothing
                row.routine = (fill_plain_forces if is_plain else fill_of(row)).address
                row.solution = address_of(solution)
        if has_obstacles:
            self.need(move_among_obstacles, observe_obstacles)
        if self._config.solid != "nobody":
            self.need(part_overlapping)
        if self._config.payoff != "capture":
            self.need(settle)
        if self._gives_credit:
            self.need(remember_players, give_credit, hide_absent)
        self.need(*self._learner.routines)
        self._need_grids()
        self._own = own_functions(self._own_addresses())
        self._is_compiled = True

    def _own_addresses(self, rows: Any = slice(None)) -> list[int]:
        columns = [self._scripts[f"{kind.field}_address"][rows] for kind in OWN_KINDS]
        return [*map(int, np.concatenate(columns)), *self._learner.own_addresses]

    def _check_unchanged(self, rows: list[int]) -> None:
        """Raises a ChangedValue if a function of scripts or the learner reads another value."""
        for own in own_functions(self._own_addresses(rows)):
            own.check_unchanged()

    def _need_grids(self) -> None:
        """Has the loop look for neighbors in grids, where there are many vehicles."""
        teams = self._config.pursuers, self._config.evaders
        is_solid = self._config.solid != "nobody"
        sees_neighbors = self._scripts["sees_neighbors"].any()
        is_searched = [team >= neighbors.FEWEST_TO_SEARCH for team in teams]
        fewest = neighbors.FEWEST if is_solid or sees_neighbors else neighbors.FEWEST_TO_SEARCH
        has_grid = [team >= fewest for team in teams]
        self.memory["is_searched"], self.memory["has_grid"] = is_searched, has_grid
        if any(has_grid):
            self.need(neighbors.bin_players)
            if sees_neighbors:
                self.need(neighbors.find_teammates)
            if is_solid:
                self.need(neighbors.find_partner)
        if any(is_searched):
            self.need(neighbors.find_nearest)
        if is_searched[PURSUER]:
            self.need(neighbors.bin_moved_pursuers, neighbors.approach_in_grid)

    def need(self, *routines: Routine) -> None:
        """Has the loop call these routines."""
        for routine in routines:
            self.memory[routine.name] = routine.address

    def close(self) -> None:
        """Ends the threads."""
        self._threads.close()
