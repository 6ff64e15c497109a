"""The optional routines of a step: the phase that calls each, and the games that need it.

A step has the phases start, act, decide, move, resolve (which rewards, too) and observe, in
the order of `loop.play_games`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import TARGET_PAYOFFS, Game
from steer_env.game.look.learner import Learner
from steer_env.game.run.memory import ACT, DECIDED, MOVED, RESOLVED
from steer_env.machine_code.routines import ShippedRoutine
from steer_env.sides import PURSUER, Side

FEWEST = 48
"""The smallest team with a grid if bodies are solid or scripts look at teammates."""

FEWEST_TO_SEARCH = 128
"""The smallest team in whose grid the nearest opponent is looked for: fewer are all compared,
in the columns of many games at once."""


class Needs(NamedTuple):
    """Which optional routines an engine needs, and why."""

    config: Game
    learner: Learner
    has_credit: bool
    looks_at_neighbors: bool = False  # a script does
    is_measured: bool = False

    @property
    def has_terms(self) -> bool:
        """Returns whether there are user-defined reward terms."""
        return self.learner.has_terms or self.config.has_rule("reward")

    @property
    def remembers(self) -> bool:
        """Returns whether something depends on the players before the step."""
        return self.has_terms or self.has_credit

    @property
    def is_solid(self) -> bool:
        """Returns whether vehicles push each other apart."""
        return self.config.solid != "nobody"

    def has_team(self, side: int, fewest: int) -> bool:
        """Returns whether a side has at least this many vehicles."""
        return (self.config.pursuers, self.config.evaders)[side] >= fewest

    def is_searched(self, side: int) -> bool:
        """Returns whether opponents search a side's grid for the nearest."""
        return self.has_team(side, FEWEST_TO_SEARCH)

    def has_grid(self, side: int) -> bool:
        """Returns whether a side has a grid, see `neighbors`."""
        is_used = self.is_solid or self.looks_at_neighbors
        return self.is_searched(side) or (is_used and self.has_team(side, FEWEST))

    @property
    def has_grids(self) -> bool:
        """Returns whether either side has a grid."""
        return any(map(self.has_grid, Side))


def _depends_on_place(game: Needs) -> bool:
    return game.config.has_rule("limits") or game.config.has_rule("drag")


def _ends_by_payoff(game: Needs) -> bool:
    return game.config.payoff not in ("capture", *TARGET_PAYOFFS)


def _keeps_on_rim(game: Needs) -> bool:
    return game.config.target is not None and game.config.target.on_rim


OPTIONAL: tuple[tuple[int | str | None, str, Callable[[Needs], bool]], ...] = (
    (ACT, "look.sensors.actuate", lambda game: game.learner.is_actuated),
    (ACT, "look.neighbors.bin_players", lambda game: game.has_grids),
    (DECIDED, "run.resolve.measure_decisions", lambda game: game.is_measured),
    (DECIDED, "run.reward_terms.remember_players", lambda game: game.remembers),
    (MOVED, "run.targets.keep_on_rim", _keeps_on_rim),
    (MOVED, "run.move.part_overlapping", lambda game: game.is_solid),
    (MOVED, "look.neighbors.bin_moved_pursuers", lambda game: game.is_searched(PURSUER)),
    (MOVED, "run.resolve.measure_motion", lambda game: game.is_measured),
    (RESOLVED, "run.resolve.terminate_by_payoff", _ends_by_payoff),
    (RESOLVED, "run.targets.reward_reach", lambda game: game.config.target is not None),
    (RESOLVED, "run.reward_terms.add_reward_terms", lambda game: game.has_terms),
    (RESOLVED, "run.reward_terms.give_credit", lambda game: game.has_credit),
    (None, "run.move.move_among_obstacles", lambda game: game.config.has_obstacles),
    (None, "look.encoding.observe_obstacles", lambda game: game.config.has_obstacles),
    (None, "look.sensors.sense", lambda game: game.learner.has_sensors),
    (None, "look.sensors.observe_partially", lambda game: game.learner.has_sensors),
    (None, "run.reward_terms.hide_absent", lambda game: game.has_credit),
    (None, "look.neighbors.bin_players", lambda game: game.has_grids),
    (None, "look.neighbors.find_nearest", lambda game: any(map(game.is_searched, Side))),
    (None, "look.neighbors.approach_in_grid", lambda game: game.is_searched(PURSUER)),
    (None, "look.neighbors.find_teammates", lambda game: game.has_grids),
    (None, "look.neighbors.find_partner", lambda game: game.has_grids and game.is_solid),
    (None, "run.loop.write_actions", lambda game: True),
    (None, "run.scenario_rules.start_by_scenario", lambda game: game.config.has_rule("start")),
    (None, "run.scenario_rules.accelerate_in_place", _depends_on_place),
    (None, "run.scenario_rules.decide_capture", lambda game: game.config.has_rule("capture")),
    ("decide_capture", "run.targets.decide_reach", lambda game: game.config.target is not None),
)
"""The routines that only some games need, in the order in which phases of a step call them,
by their places in `steer_env.game`.

Routines without a phase are called by name; a string as phase means "replaces that routine".
"""


@cache
def game_routine(place: str) -> ShippedRoutine:
    """The routine at a place in `steer_env.game`, such as "run.loop.play_games"."""
    return ShippedRoutine(f"game.{place}")


def enter_routines(memory: NDArray[np.void], needs: Needs) -> None:
    """Enters the routines that an engine needs into its `MEMORY` record."""
    memory["has_grid"] = [*map(needs.has_grid, Side)]
    memory["is_searched"] = [*map(needs.is_searched, Side)]
    phases = memory["phases"][0]
    phases[...] = 0
    for phase, place, is_needed in OPTIONAL:
        routine = game_routine(place)
        address = routine.address if is_needed(needs) else 0
        if phase is None:
            memory[routine.name] = address
        elif isinstance(phase, str):
            memory[phase] = address or memory[phase]
        elif address != 0:
            phases[phase, np.count_nonzero(phases[phase])] = address
