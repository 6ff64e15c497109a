"""The compiled loop: starts, steps and observes many games, a block at a time."""

from __future__ import annotations

import numpy as np

from steer_env.game.decision import decide
from steer_env.game.judgment import judge
from steer_env.game.measurement import measure_decisions, measure_motion
from steer_env.game.memory import (
    BLOCK,
    MEMORY,
    SCRATCH,
    array_at,
    scratch_at,
    state_at,
)
from steer_env.game.motion import move_players
from steer_env.game.observation import observe
from steer_env.game.starts import start_episode
from steer_env.game.state import OVER, RUNNING
from steer_env.steering.compilation import compiled_entrance, compiled_loop

REFUSE, RESTART, REST = range(3)
"""What a step does about a game that is over: an error, its next episode, or nothing."""

NO_FAULT, FAULTY_BEHAVIOR = -1, -2


@compiled_loop
def first_not_finite(actions: np.ndarray, first: int, last: int) -> int:
    """The first game with an action that is nan or infinite, -1 if there is none."""
    numbers = actions[first:last].reshape(-1)
    faults = 0
    for place in range(len(numbers)):  # counting, unlike leaving early, is done in vectors
        faults += 0 if abs(numbers[place]) < np.inf else 1
    if faults == 0:
        return -1
    for place in range(len(numbers)):
        if not abs(numbers[place]) < np.inf:
            return first + place * (last - first) // len(numbers)
    return -1


@compiled_loop
def first_fault(
    memory: np.record,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    when_over: int,
    first: int,
    last: int,
) -> int:
    """The first game that cannot be stepped, NO_FAULT if all can.

    Its actions are not finite, or it is over and REFUSE says that this is an error.
    """
    for actions in (pursuer_actions, evader_actions):
        index = first_not_finite(actions, first, last) if len(actions) > 0 else -1
        if index >= 0:
            return index
    if when_over == REFUSE:
        phase = state_at(memory).phase
        for index in range(first, last):
            if phase[index] != RUNNING:
                return index
    return NO_FAULT


@compiled_loop
def begin_step(
    memory: np.record, scratch_memory: np.record, start: int, stop: int, when_over: int
) -> int:
    """Marks the games of a block that do not move in this step; how many do.

    A game that is over begins its next episode, or rests.
    """
    phase, still = state_at(memory).phase, scratch_at(scratch_memory).still
    moving = 0
    for k in range(start, stop):
        still[k - start] = phase[k] != RUNNING
        moving += phase[k] == RUNNING
    if moving < stop - start and when_over == RESTART:
        for k in range(start, stop):
            if phase[k] == OVER:
                start_episode(memory, scratch_memory, k)
    return moving


@compiled_entrance
def play_games(
    memory_address: int,
    scratch_address: int,
    first: int,
    last: int,
    steps: int,
    when_over: int,
    side: int,
    mask: np.ndarray,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    observations: np.ndarray,
    rewards: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
) -> int:
    """Steps the games from first to last - 1, and writes what one side gets.

    It is the only function of the loop that Python calls, so that only one is compiled.

    Args:
        memory_address: of the engine's `MEMORY` record.
        scratch_address: of the thread's `SCRATCH` record.
        first: the first game.
        last: one past the last game.
        steps: how many steps; a block whose games are all over makes no more. With 0 steps
            the games are started and observed only.
        when_over: REFUSE, RESTART or REST.
        side: PURSUER or EVADER.
        mask: (N,) or (0,): without steps, the games to start if `when_over` is RESTART, and
            to observe; (0,) for all.
        pursuer_actions: (N, pursuers, 2) in float32; (0, pursuers, 2) if scripts steer all.
        evader_actions: likewise.
        observations: (N, players of the side, features) in float32, written; (0, ...) for
            none.
        rewards: (N,), written; in several steps, those of the last, as are the next two.
        terminated: (N,), written.
        truncated: (N,), written.

    Returns:
        NO_FAULT, or the first game at fault (`first_fault`); then no game has been touched.
        FAULTY_BEHAVIOR if a user's own behavior returned no number; its force was taken to
        be 0.
    """
    memory = array_at(memory_address, 1, MEMORY)[0]
    scratch_memory = array_at(scratch_address, 1, SCRATCH)[0]
    is_faulty = scratch_at(scratch_memory).is_faulty
    is_faulty[0] = False
    if steps > 0:
        fault = first_fault(memory, pursuer_actions, evader_actions, when_over, first, last)
        if fault != NO_FAULT:
            return fault
    elif when_over == RESTART:
        for k in range(first, last):
            if len(mask) == 0 or mask[k]:
                start_episode(memory, scratch_memory, k)
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        for _ in range(steps):
            moving = begin_step(memory, scratch_memory, start, stop, when_over)
            if moving == 0 and when_over == REST:
                break
            decide(memory, scratch_memory, pursuer_actions, evader_actions, start, stop)
            if memory.is_measured:
                measure_decisions(memory, scratch_memory, start, stop)
            move_players(memory, scratch_memory, start, stop)
            if memory.is_measured:
                measure_motion(memory, scratch_memory, start, stop)
            judge(memory, scratch_memory, start, stop, side, rewards, terminated, truncated)
        if len(observations) > 0:
            observe(memory, scratch_memory, start, stop, side, mask, observations)
    return FAULTY_BEHAVIOR if is_faulty[0] else NO_FAULT
