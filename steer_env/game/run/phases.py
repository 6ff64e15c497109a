"""The optional routines of a step, by phases: start, act, decide, move, resolve, observe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import TARGET_PAYOFFS, Game
from steer_env.game.config.hooks import looks_back
from steer_env.game.look.learner import Learner
from steer_env.game.run.memory import ACT, DECIDED, MOVED, RESOLVED
from steer_env.machine_code.routines import ShippedRoutine
from steer_env.sides import PURSUER

FEWEST = 48
"""The smallest team with a grid if bodies are solid or scripts look at teammates."""

FEWEST_TO_SEARCH = 128
"""The smallest team in whose grid the nearest opponent is looked for: fewer are all compared,
in the columns of many games at once."""


def needs_of(
    config: Game,
    learner: Learner,
    has_credit: bool,
    looks_at_neighbors: bool = False,
    is_measured: bool = False,
    follows_ways: bool = False,
) -> dict[str, Any]:
    """The needs of an engine's games, by their names in `OPTIONAL`.

    ``has_grid`` and ``is_searched``, for both sides, say whether a side has a grid (see
    `neighbors`), and whether its opponents search it for the nearest.
    """
    is_solid, targets = config.solid != "nobody", config.targets
    has_terms = learner.has_terms or config.has_rule("reward")
    teams = config.pursuers, config.evaders
    is_searched = [team >= FEWEST_TO_SEARCH for team in teams]
    uses_grids = is_solid or looks_at_neighbors
    fewest = min(FEWEST, FEWEST_TO_SEARCH) if uses_grids else FEWEST_TO_SEARCH
    has_grid = [team >= fewest for team in teams]
    return {
        **{"has_grid": has_grid, "is_searched": is_searched, "always": True},
        **{"grids": any(has_grid), "solid grids": any(has_grid) and is_solid},
        **{"search": any(is_searched), "search of pursuers": is_searched[PURSUER]},
        **{"actuators": learner.is_actuated, "sensors": learner.has_sensors},
        "lidar": learner.has_lidar,
        **{"measures": is_measured, "credit": has_credit, "terms": has_terms},
        # Something depends on them:
        "ways": follows_ways,
        "players before": has_terms or has_credit or looks_back(config.scenario),
        **{"target": len(targets) > 0, "rim": any(target.on_rim for target in targets)},
        **{"solid": is_solid, "obstacles": config.has_obstacles, "maps": len(config.map) > 0},
        "payoff": config.payoff not in ("capture", *TARGET_PAYOFFS),
        "places": config.has_rule("limits") or config.has_rule("drag"),
        **{name: config.has_rule(name) for name in ("start", "capture", "motion", "ends")},
        **{"own": bool(config.own), "head start": config.head_start > 0.0},
    }


OPTIONAL: tuple[tuple[int | str | None, str, str], ...] = (
    (ACT, "look.sensors.actuate", "actuators"),
    (ACT, "look.neighbors.bin_players", "grids"),
    (ACT, "run.reward_terms.remember_players", "players before"),
    (DECIDED, "run.move.hold_pursuers", "head start"),
    (DECIDED, "run.resolve.measure_decisions", "measures"),
    (MOVED, "run.targets.keep_on_rim", "rim"),
    (MOVED, "run.move.part_overlapping", "solid"),
    (MOVED, "run.own_motion.renew_own", "own"),
    (MOVED, "look.neighbors.bin_moved_pursuers", "search of pursuers"),
    (MOVED, "run.resolve.measure_motion", "measures"),
    (RESOLVED, "run.resolve.terminate_by_payoff", "payoff"),
    (RESOLVED, "run.ends.end_by_scenario", "ends"),
    (RESOLVED, "run.targets.reward_reach", "target"),
    (RESOLVED, "run.reward_terms.add_reward_terms", "terms"),
    (RESOLVED, "run.reward_terms.give_credit", "credit"),
    (None, "run.move.move_among_obstacles", "obstacles"),
    ("move_among_obstacles", "run.walls.move_among_walls", "maps"),
    (None, "run.walls.approach_in_line", "maps"),
    (None, "run.walls.push_off_walls", "maps"),
    (None, "run.path_scripts.follow_ways", "ways"),
    (None, "look.encoding.observe_obstacles", "obstacles"),
    (None, "look.sensors.sense", "sensors"),
    (None, "look.sensors.observe_partially", "sensors"),
    (None, "look.lidar.cast_rays", "lidar"),
    (None, "run.reward_terms.hide_absent", "credit"),
    (None, "look.neighbors.bin_players", "grids"),
    (None, "look.neighbors.find_nearest", "search"),
    (None, "look.neighbors.approach_in_grid", "search of pursuers"),
    (None, "look.neighbors.find_teammates", "grids"),
    (None, "look.neighbors.find_partner", "solid grids"),
    (None, "run.loop.write_actions", "always"),
    (None, "run.scenario_rules.start_by_scenario", "start"),
    (None, "run.scenario_rules.accelerate_in_place", "places"),
    ("accelerate_in_place", "run.own_motion.move_by_scenario", "motion"),
    (None, "run.scenario_rules.decide_capture", "capture"),
    (None, "run.targets.decide_reach", "target"),
)
"""The routines that only some games need, in the order in which phases of a step call them, by
their places in `steer_env.game`; and the need, see `needs_of`.

Routines without a phase are called by name; a string as phase means "replaces that routine".
"""


@cache
def game_routine(place: str) -> ShippedRoutine:
    """The routine at a place in `steer_env.game`, such as "run.loop.play_games"."""
    return ShippedRoutine(f"game.{place}")


def enter_routines(memory: NDArray[np.void], needs: Mapping[str, Any]) -> None:
    """Enters the routines that an engine needs into its `MEMORY` record."""
    memory["has_grid"], memory["is_searched"] = needs["has_grid"], needs["is_searched"]
    phases = memory["phases"][0]
    phases[...] = 0
    for phase, place, need in OPTIONAL:
        routine = game_routine(place)
        address = routine.address if needs[need] else 0
        if phase is None:
            memory[routine.name] = address
        elif isinstance(phase, str):
            memory[phase] = address or memory[phase]
        elif address != 0:
            phases[phase, np.count_nonzero(phases[phase])] = address
