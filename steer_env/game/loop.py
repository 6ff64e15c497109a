"""The compiled loop: steps, resets and observes many games, a block at a time."""

from __future__ import annotations

import numpy as np

from steer_env.game.decision import decide
from steer_env.game.motion import move_players
from steer_env.game.observation import (
    OTHER_SIZE,
    OWN_SIZE,
    encode_me,
    encode_obstacles,
    encode_other,
    nearest_image,
)
from steer_env.game.rules import judge, start_episode
from steer_env.game.state import OVER, PURSUER, RUNNING
from steer_env.game.workspace import (
    BLOCK,
    Bodies,
    Outcome,
    Workspace,
    bodies_in,
    body_at,
    crowd_in,
    load_bodies,
    marks_in,
)
from steer_env.steering.compilation import compiled, compiled_entrance, compiled_loop


@compiled_loop
def observe_block(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    rules: np.record,
    scales: np.record,
    side: int,
    bodies: Bodies,
    observations: np.ndarray,
) -> None:
    """Writes the observations of one side's players in a block of games.

    Args:
        games: the block's part of the view of games.
        players: likewise.
        obstacles: likewise.
        rules: of the game.
        scales: of its observations.
        side: PURSUER or EVADER.
        bodies: of the block, as they are in `players`.
        observations: (games of the block, players of the side, features); written.
    """
    arena, half_size, count = rules.arena, rules.half_size, len(games)
    first = 0 if side == PURSUER else rules.pursuers
    for me in range(first, first + observations.shape[1]):
        for k in range(count):
            row = observations[k, me - first]
            encode_me(row, arena, scales, body_at(bodies, me, k), games[k].steps)
        start = OWN_SIZE
        for place in range(1, players.shape[1]):
            other = _number_of_other(me, place, rules.pursuers, players.shape[1])
            for k in range(count):
                block = observations[k, me - first, start:]
                if players[k, other].active:
                    mine = body_at(bodies, me, k)
                    seen = nearest_image(arena, half_size, mine, body_at(bodies, other, k))
                    encode_other(block, arena, scales, mine, seen)
                else:
                    block[:OTHER_SIZE] = 0.0
            start += OTHER_SIZE
        if obstacles.shape[1] > 0:
            for k in range(count):
                block = observations[k, me - first, start:]
                mine = body_at(bodies, me, k)
                encode_obstacles(block, arena, half_size, scales, mine, obstacles[k])


@compiled
def _number_of_other(me: int, place: int, pursuers: int, players: int) -> int:
    # The player in a block of my observation: opponents first, then teammates.
    opponents = players - pursuers if me < pursuers else pursuers
    if place <= opponents:
        return pursuers + place - 1 if me < pursuers else place - 1
    teammate = place - opponents - 1 + (0 if me < pursuers else pursuers)
    return teammate if teammate < me else teammate + 1


@compiled
def first_not_finite(actions: np.ndarray) -> int:
    """The first game with an action that is nan or infinite, -1 if there is none."""
    numbers = actions.reshape(-1)
    faults = 0
    for place in range(len(numbers)):  # counting, unlike leaving early, is done in vectors
        faults += 0 if abs(numbers[place]) < np.inf else 1
    if faults == 0:
        return -1
    for place in range(len(numbers)):
        if not abs(numbers[place]) < np.inf:
            return place * len(actions) // len(numbers)
    return -1


@compiled_entrance
def first_fault(
    games: np.ndarray,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    restart: bool,
    first: int,
    last: int,
) -> int:
    """The first game that cannot be stepped, -1 if all can.

    Its actions are not finite, or it is over and nobody restarts it.
    """
    for actions in (pursuer_actions, evader_actions):
        index = first_not_finite(actions[first:last])
        if index >= 0:
            return first + index
    if not restart:
        for index in range(first, last):
            if games[index].phase != RUNNING:
                return index
    return -1


@compiled_entrance
def step_games(
    first: int,
    last: int,
    restart: bool,
    side: int,
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    scripts: np.ndarray,
    rules_table: np.ndarray,
    scale_table: np.ndarray,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    outcome: Outcome,
    space: Workspace,
) -> int:
    """Steps the games from first to last - 1 and writes what one side gets of it.

    Args:
        first: the first game.
        last: one past the last game.
        restart: whether a game that is over begins anew instead of its step.
        side: PURSUER or EVADER.
        games: the view of the state.
        players: likewise.
        obstacles: likewise.
        scripts: the table that all the games share.
        rules_table: one record of rules.
        scale_table: one record of scales.
        pursuer_actions: (N, pursuers, 2); (0, pursuers, 2) if none is steered from outside.
        evader_actions: likewise.
        outcome: written.
        space: scratch.

    Returns:
        -1, or the first game at fault (`first_fault`); then no game has been touched. -2
        if a user's own behavior returned no number; its force was taken to be 0.
    """
    is_faulty = crowd_in(space).is_faulty
    is_faulty[0] = False
    fault = first_fault(games, pursuer_actions, evader_actions, restart, first, last)
    if fault >= 0:
        return fault
    rules, scales = rules_table[0], scale_table[0]
    sign = 1.0 if side == PURSUER else -1.0
    bodies, fresh = bodies_in(space, players.shape[1]), marks_in(space).fresh
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        for index in range(start, stop):
            fresh[index - start] = restart and games[index].phase == OVER
            if fresh[index - start]:
                start_episode(games[index], players[index], obstacles[index], scripts, rules)
        load_bodies(players, start, stop, bodies)
        decide(
            games,
            players,
            obstacles,
            scripts,
            rules,
            pursuer_actions,
            evader_actions,
            start,
            stop,
            space,
        )
        move_players(players, obstacles, rules, start, stop, bodies, fresh)
        judge(games, players, rules, start, stop, sign, bodies, space, outcome)
        observe_block(
            games[start:stop],
            players[start:stop],
            obstacles[start:stop],
            rules,
            scales,
            side,
            bodies,
            outcome.observations[start:stop],
        )
    return -2 if is_faulty[0] else -1


@compiled_entrance
def reset_games(
    mask: np.ndarray,
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    scripts: np.ndarray,
    rules_table: np.ndarray,
) -> None:
    """Starts the next episode of the games whose mask is True."""
    rules = rules_table[0]
    for index in range(len(mask)):
        if mask[index]:
            start_episode(games[index], players[index], obstacles[index], scripts, rules)


@compiled_entrance
def observe_games(
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    rules_table: np.ndarray,
    scale_table: np.ndarray,
    side: int,
    mask: np.ndarray,
    observations: np.ndarray,
    space: Workspace,
) -> None:
    """Writes the observations of one side's players in the games whose mask is True."""
    bodies = bodies_in(space, players.shape[1])
    for index in range(len(mask)):
        if mask[index]:
            load_bodies(players, index, index + 1, bodies)
            observe_block(
                games[index : index + 1],
                players[index : index + 1],
                obstacles[index : index + 1],
                rules_table[0],
                scale_table[0],
                side,
                bodies,
                observations[index : index + 1],
            )
