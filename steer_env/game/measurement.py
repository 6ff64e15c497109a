"""What is measured of games that are played to their end, besides the outcome."""

from __future__ import annotations

import numpy as np

from steer_env.game.dynamics import action_of_force
from steer_env.game.judgment import approach_evader
from steer_env.game.memory import measures_at, rules_at, scratch_at, state_at
from steer_env.game.state import vehicle_at
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.compilation import compiled_loop
from steer_env.steering.vectors import norm


@compiled_loop
def measure_decisions(
    memory: np.record, scratch_memory: np.record, start: int, stop: int
) -> None:
    """After the players of a block have decided: adds up how hard they push."""
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    measures = measures_at(memory)
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        for k in range(start, stop):
            if state.active[number, k] and not scratch.still[k - start]:
                me, force = vehicle_at(state, number, k), scratch.force[number, k - start]
                action = action_of_force(rules.models[side], me, force, rules.dt)
                measures.effort[side, k] += norm(action)
                measures.turns[side, k] += 1


@compiled_loop
def measure_motion(memory: np.record, scratch_memory: np.record, start: int, stop: int) -> None:
    """After the players of a block have moved: how far they went, and how near they came."""
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    measures = measures_at(memory)
    for number in range(memory.players):
        side = PURSUER if number < rules.pursuers else EVADER
        for k in range(start, stop):
            if state.active[number, k] and not scratch.still[k - start]:
                measures.path[side, k] += norm(scratch.step[number, k - start])
    for evader in range(rules.pursuers, memory.players):
        approach_evader(memory, scratch_memory, evader, start, stop)
        for k in range(start, stop):
            if state.active[evader, k] and not scratch.still[k - start]:
                measures.closest[k] = min(measures.closest[k], scratch.least[k - start])
