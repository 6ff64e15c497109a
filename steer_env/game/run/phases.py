"""The optional routines of a step: the phase that calls each, and the games that need it.

A step has the phases start, act, decide, move, resolve (which rewards, too) and observe, in
the order of `loop.play_games`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import TARGET_PAYOFFS, GameConfig
from steer_env.game.look import neighbors
from steer_env.game.look.encoding import observe_obstacles
from steer_env.game.look.learner import Learner
from steer_env.game.look.sensors import actuate, observe_partially, sense
from steer_env.game.run.loop import write_actions
from steer_env.game.run.memory import ACT, DECIDED, MOVED, RESOLVED
from steer_env.game.run.move import move_among_obstacles, part_overlapping
from steer_env.game.run.resolve import measure_decisions, measure_motion, terminate_by_payoff
from steer_env.game.run.reward_terms import (
    add_reward_terms,
    give_credit,
    hide_absent,
    remember_players,
)
from steer_env.game.run.scenario_rules import (
    accelerate_in_place,
    decide_capture,
    start_by_scenario,
)
from steer_env.game.run.targets import decide_reach, keep_on_rim, reward_reach
from steer_env.machine_code.routines import Routine
from steer_env.sides import EVADER, PURSUER


class Needs(NamedTuple):
    """Which optional routines an engine needs, and why."""

    config: GameConfig
    learner: Learner
    has_credit: bool
    is_measured: bool
    looks_at_neighbors: bool  # a script does

    @property
    def has_terms(self) -> bool:
        """Returns whether there are user-defined reward terms."""
        return self.learner.has_terms or self.config.has_rule("reward")

    @property
    def is_solid(self) -> bool:
        """Returns whether vehicles push each other apart."""
        return self.config.solid != "nobody"

    def has_team(self, side: int, fewest: int) -> bool:
        """Returns whether a side has at least this many vehicles."""
        return (self.config.pursuers, self.config.evaders)[side] >= fewest

    def is_searched(self, side: int) -> bool:
        """Returns whether opponents search a side's grid for the nearest."""
        return self.has_team(side, neighbors.FEWEST_TO_SEARCH)

    def has_grid(self, side: int) -> bool:
        """Returns whether a side has a grid, see `neighbors`."""
        is_used = self.is_solid or self.looks_at_neighbors
        return self.is_searched(side) or (is_used and self.has_team(side, neighbors.FEWEST))

    @property
    def has_grids(self) -> bool:
        """Returns whether either side has a grid."""
        return self.has_grid(PURSUER) or self.has_grid(EVADER)


def _searches(game: Needs) -> bool:
    return game.is_searched(PURSUER) or game.is_searched(EVADER)


def _depends_on_place(game: Needs) -> bool:
    return game.config.has_rule("limits") or game.config.has_rule("drag")


def _ends_by_payoff(game: Needs) -> bool:
    return game.config.payoff not in ("capture", *TARGET_PAYOFFS)


def _keeps_on_rim(game: Needs) -> bool:
    return game.config.target is not None and game.config.target.on_rim


OPTIONAL: tuple[tuple[int | str | None, Routine, Callable[[Needs], bool]], ...] = (
    (ACT, actuate, lambda game: game.learner.is_actuated),
    (ACT, neighbors.bin_players, lambda game: game.has_grids),
    (DECIDED, measure_decisions, lambda game: game.is_measured),
    (DECIDED, remember_players, lambda game: game.has_terms or game.has_credit),
    (MOVED, keep_on_rim, _keeps_on_rim),
    (MOVED, part_overlapping, lambda game: game.is_solid),
    (MOVED, neighbors.bin_moved_pursuers, lambda game: game.is_searched(PURSUER)),
    (MOVED, measure_motion, lambda game: game.is_measured),
    (RESOLVED, terminate_by_payoff, _ends_by_payoff),
    (RESOLVED, reward_reach, lambda game: game.config.target is not None),
    (RESOLVED, add_reward_terms, lambda game: game.has_terms),
    (RESOLVED, give_credit, lambda game: game.has_credit),
    (None, move_among_obstacles, lambda game: game.config.has_obstacles),
    (None, observe_obstacles, lambda game: game.config.has_obstacles),
    (None, sense, lambda game: game.learner.has_sensors),
    (None, observe_partially, lambda game: game.learner.has_limited_sensors),
    (None, hide_absent, lambda game: game.has_credit),
    (None, neighbors.bin_players, lambda game: game.has_grids),
    (None, neighbors.find_nearest, _searches),
    (None, neighbors.approach_in_grid, lambda game: game.is_searched(PURSUER)),
    (None, neighbors.find_teammates, lambda game: game.has_grids and game.looks_at_neighbors),
    (None, neighbors.find_partner, lambda game: game.has_grids and game.is_solid),
    (None, write_actions, lambda game: True),
    (None, start_by_scenario, lambda game: game.config.has_rule("start")),
    (None, accelerate_in_place, _depends_on_place),
    (None, decide_capture, lambda game: game.config.has_rule("capture")),
    ("decide_capture", decide_reach, lambda game: game.config.target is not None),
)
"""The routines that only some games need, in the order in which phases of a step call them.

Routines without a phase are called by name; a string as phase means "replaces that routine".
"""


def enter_routines(memory: NDArray[np.void], needs: Needs) -> None:
    """Enters the routines that an engine needs into its `MEMORY` record."""
    memory["has_grid"] = [needs.has_grid(side) for side in (PURSUER, EVADER)]
    memory["is_searched"] = [needs.is_searched(side) for side in (PURSUER, EVADER)]
    phases = memory["phases"][0]
    phases[...] = 0
    for phase, routine, is_needed in OPTIONAL:
        address = routine.address if is_needed(needs) else 0
        if phase is None:
            memory[routine.name] = address
        elif isinstance(phase, str):
            memory[phase] = address or memory[phase]
        elif address != 0:
            phases[phase, np.count_nonzero(phases[phase])] = address
