"""What is measured of games that are played to their end, besides the outcome."""

from __future__ import annotations

import numpy as np

from steer_env.game.dynamics import action_of_force
from steer_env.game.judgment import LEAST, approach_evader
from steer_env.game.memory import (
    STILL,
    body_at,
    flags_in,
    force_of,
    numbers_in,
    players_of,
    rules_of,
    step_of,
)
from steer_env.game.rules import EVADER, PURSUER
from steer_env.steering.addresses import column
from steer_env.steering.compilation import compiled_loop
from steer_env.steering.vectors import norm


@compiled_loop
def measure_decisions(memory: np.record, scratch: np.record, start: int, stop: int) -> None:
    """After the players of a block have decided: adds up how hard they push."""
    rules, still, count = rules_of(memory), flags_in(scratch, STILL), stop - start
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


@compiled_loop
def measure_motion(memory: np.record, scratch: np.record, start: int, stop: int) -> None:
    """After the players of a block have moved: how far they went, and how near they came."""
    rules, still, count = rules_of(memory), flags_in(scratch, STILL), stop - start
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        path = column(memory.path, side * memory.games + start, count, np.float64)
        step = step_of(scratch, number)  # 0 for a player that does not move
        for k in range(count):
            path[k] += norm(step[k])
    closest, least = (
        column(memory.closest, start, count, np.float64),
        numbers_in(scratch, LEAST),
    )
    for evader in range(rules.pursuers, memory.players):
        approach_evader(memory, scratch, evader, start, stop)
        active = players_of(memory, evader, start, stop).active
        for k in range(count):
            if active[k] != 0 and still[k] == 0:
                closest[k] = min(closest[k], least[k])
