"""Plays games to their end in the compiled loop, and measures how each was played."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.decision import decide
from steer_env.game.dynamics import action_of_force
from steer_env.game.engine import NO_FAULT, Engine
from steer_env.game.entry_points import EntryPoint
from steer_env.game.loop import first_fault
from steer_env.game.motion import move_players
from steer_env.game.rules import judge, judge_evader
from steer_env.game.state import EVADER, PURSUER, RUNNING
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
    tally_in,
)
from steer_env.steering.compilation import compiled, compiled_entrance, compiled_loop
from steer_env.steering.vectors import norm


class Measures(NamedTuple):
    """What is measured of each game besides its outcome; columns are (N, 2): both sides."""

    closest: NDArray[np.float64]  # (N,): the nearest that a pursuer came to a free evader, m
    path: NDArray[np.float64]  # meters that the side's players have gone, added up
    effort: NDArray[np.float64]  # lengths of their actions (1: all they can), added up
    turns: NDArray[np.int64]  # steps in which they acted, added up


def make_measures(num_games: int) -> Measures:
    """Measures of games that have not begun."""
    return Measures(
        np.full(num_games, np.inf),
        np.zeros((num_games, 2)),
        np.zeros((num_games, 2)),
        np.zeros((num_games, 2), np.int64),
    )


def play(
    engine: Engine,
    measures: Measures,
    steps: int,
    pursuer_actions: NDArray[np.float32],
    evader_actions: NDArray[np.float32],
) -> None:
    """Plays all games that run for some steps, or to their end if that is sooner.

    Args:
        engine: whose games to play.
        measures: of these games; added to.
        steps: how many at most; with actions from outside, they are the same in each.
        pursuer_actions: see `Engine.prepare_step`.
        evader_actions: likewise.

    Raises:
        ValueError: if an action is not finite, or actions have the wrong shape.
        FloatingPointError: if a user's own behavior returned no number.
    """
    engine.check_actions(pursuer_actions, evader_actions)
    arrays = (
        engine._games,
        engine._bodies,
        engine._discs,
        engine.mixtures.table,
        engine._rules,
    )
    outcome = engine.new_outcome(PURSUER)
    given = (*arrays, pursuer_actions, evader_actions, outcome, measures)
    play_games = _PLAY_GAMES(0, 0, 0, *given, engine._spaces[0])
    fault = engine.in_threads(
        lambda first, last, thread: partial(
            play_games, first, last, steps, *given, engine._spaces[thread]
        )
    )
    if fault != NO_FAULT:
        engine.raise_fault(fault, pursuer_actions, evader_actions)


@compiled
def _side_of(number: int, rules: np.record) -> int:
    return PURSUER if number < rules.pursuers else EVADER


@compiled_loop
def measure_decisions(
    players: np.ndarray,
    rules: np.record,
    start: int,
    stop: int,
    bodies: Bodies,
    idle: np.ndarray,
    measures: Measures,
) -> None:
    """After the players of a block have decided: how hard they push."""
    for number in range(players.shape[1]):
        side = _side_of(number, rules)
        for k in range(stop - start):
            if players[start + k, number].active and not idle[k]:
                me, force = body_at(bodies, number, k), bodies.force[number, k]
                action = action_of_force(rules.models[side], me, force, rules.dt)
                measures.effort[start + k, side] += norm(action)
                measures.turns[start + k, side] += 1


@compiled_loop
def measure_motion(
    players: np.ndarray,
    rules: np.record,
    start: int,
    stop: int,
    bodies: Bodies,
    idle: np.ndarray,
    space: Workspace,
    measures: Measures,
) -> None:
    """After the players of a block have moved: how far, and how near they came."""
    for number in range(players.shape[1]):
        side = _side_of(number, rules)
        for k in range(stop - start):
            if players[start + k, number].active and not idle[k]:
                measures.path[start + k, side] += norm(bodies.step[number, k])
    tally = tally_in(space)
    for evader in range(rules.pursuers, players.shape[1]):
        judge_evader(bodies, evader, rules, stop - start, tally)
        for k in range(stop - start):
            if players[start + k, evader].active and not idle[k]:
                nearest = measures.closest[start + k]
                measures.closest[start + k] = min(nearest, tally.least[k])


@compiled_entrance
def play_games(
    first: int,
    last: int,
    steps: int,
    games: np.ndarray,
    players: np.ndarray,
    obstacles: np.ndarray,
    scripts: np.ndarray,
    rules_table: np.ndarray,
    pursuer_actions: np.ndarray,
    evader_actions: np.ndarray,
    outcome: Outcome,
    measures: Measures,
    space: Workspace,
) -> int:
    """Plays the games from first to last - 1; see `play` and `loop.step_games`."""
    is_faulty = crowd_in(space).is_faulty
    is_faulty[0] = False
    fault = first_fault(games, pursuer_actions, evader_actions, True, first, last)
    if fault >= 0:
        return fault
    rules, bodies = rules_table[0], bodies_in(space, players.shape[1])
    idle = marks_in(space).fresh  # like games begun just now, they have nothing to do
    for start in range(first, last, BLOCK):
        stop = min(start + BLOCK, last)
        load_bodies(players, start, stop, bodies)
        for _ in range(steps):
            running = 0
            for index in range(start, stop):
                idle[index - start] = games[index].phase != RUNNING
                running += games[index].phase == RUNNING
            if running == 0:
                break
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
            measure_decisions(players, rules, start, stop, bodies, idle, measures)
            move_players(players, obstacles, rules, start, stop, bodies, idle)
            measure_motion(players, rules, start, stop, bodies, idle, space, measures)
            judge(games, players, rules, start, stop, 1.0, bodies, space, outcome)
    return -2 if is_faulty[0] else -1


_PLAY_GAMES = EntryPoint(play_games)
