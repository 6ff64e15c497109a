"""What is measured of games that are played to their end, besides the outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.game.dynamics import action_of_force
from steer_env.game.judgment import approach
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    Measures,
    body_at,
    flags,
    force_of,
    numbers,
    players_of,
    rules_of,
    step_of,
)
from steer_env.game.payoff import share_until_capture
from steer_env.game.rules import EVADER, PURSUER, TIME
from steer_env.machine_code.addresses import address_of, column, record_at
from steer_env.machine_code.routines import routine
from steer_env.steering.vectors import norm


def measure(memory: NDArray[np.void], measures: Measures | None) -> None:
    """Has the loop add to these measures; None for not to measure.

    Args:
        memory: an array of one `MEMORY` record.
        measures: of its games; the caller must keep them.
    """
    for each in (measure_decisions, measure_motion):
        memory[each.name] = 0 if measures is None else each.address
    for name, array in () if measures is None else measures._asdict().items():
        memory[name] = address_of(array)


@routine
def measure_decisions(memory_at: int, scratch_at: int, start: int, stop: int) -> None:
    """After the players of a block have decided: adds up how hard they push; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    rules, still, count = rules_of(memory), flags(scratch.still), stop - start
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        first, model = side * memory.games + start, rules.models[side]
        effort = column(memory.effort, first, count, np.float64)
        turns = column(memory.turns, first, count, np.int64)
        players, force = players_of(memory, number, start, stop), force_of(scratch, number)
        for k in range(count):
            if players.active[k] != 0 and still[k] == 0:
                action = action_of_force(model, body_at(players, k), force[k], rules.dt)
                effort[k] += norm(action)
                turns[k] += 1


@routine
def measure_motion(memory_at: int, scratch_at: int, start: int, stop: int) -> None:
    """After the players of a block have moved: how far they went, and how near; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    rules, still, count = rules_of(memory), flags(scratch.still), stop - start
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        path = column(memory.path, side * memory.games + start, count, np.float64)
        step = step_of(scratch, number)  # 0 for a player that does not move
        for k in range(count):
            path[k] += norm(step[k])
    closest, least = (column(memory.closest, start, count, np.float64), numbers(scratch.least))
    early = column(memory.early, start, count, np.float64)
    for evader in range(rules.pursuers, memory.players):
        approach(memory, scratch, evader, start, stop)
        active = players_of(memory, evader, start, stop).active
        for k in range(count):
            if active[k] != 0 and still[k] == 0:
                closest[k] = min(closest[k], least[k])
                if rules.payoff == TIME and least[k] < rules.caught_within:
                    share = share_until_capture(memory, scratch, start, k, rules.dt)
                    early[k] = (1.0 - share) * rules.dt
