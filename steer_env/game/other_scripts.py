"""The forces of scripts that are not plain, one vehicle at a time.

Such a script looks at obstacles, teammates or the line of sight, combines its parts in another
way than by adding them up, or has a user's own behavior, lookahead law or predictor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steer_env.errors import FaultyBehavior
from steer_env.game.arena import TORUS, room
from steer_env.game.explanation import (
    begin_explanation,
    explain_aim,
    explanation_of,
    note_share,
)
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    Games,
    Scratch,
    body_at,
    force_of,
    games_of,
    integers,
    player_at,
    rules_of,
    script_at,
)
from steer_env.game.random import draw_uniform
from steer_env.game.sight import (
    as_observed,
    discs_seen_from,
    nearest_opponent,
    seen_from,
    teammates_in_reach,
)
from steer_env.machine_code.addresses import record_at, records_at
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import (
    BEHAVIOR_PART,
    CONTAINMENT,
    WALLS,
    WANDER,
    WANDER_PART,
    Surroundings,
    aim_of,
    force_alone,
    force_around,
    force_of_behavior,
    minds,
    predicts,
)
from steer_env.scripts.own_behavior import fault_of
from steer_env.scripts.script import Script
from steer_env.steering.blending import add_force, next_behavior
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import scale
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle, Vehicles


def faulty_function(
    scripts: Sequence[Script | None], spaces: Sequence[Scratch]
) -> FaultyBehavior:
    """The error for a script's own function at fault, from what the scratch space shows."""
    asked = next(space.asked[1] for space in spaces if space.asked["address"][1])
    return fault_of((script for script in scripts if script is not None), asked)


@compiled
def look_around(
    memory: np.record, scratch: np.record, number: int, script: np.record, k: int
) -> tuple[bool, Vehicle, np.ndarray, np.ndarray]:
    """What a player attends to in the k-th game, by a script that sees everything.

    Returns:
        Whether it has an opponent, the nearest one, its teammates, and the obstacles. The last
        two are empty if the script needs none.
    """
    rules, position = rules_of(memory), player_at(memory, number, k).position[0]
    nearest = nearest_opponent(memory, scratch, number, k, rules)
    other = seen_from(position, memory, max(nearest, 0), k, rules)
    neighbors = records_at(scratch.neighbors, 0, VEHICLE)
    if script.sees_neighbors:
        neighbors = teammates_in_reach(memory, scratch, number, k, rules)
    discs = records_at(scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = discs_seen_from(position, memory, scratch, k, rules)
    return nearest >= 0, other, neighbors, discs


@compiled
def force_of_script(
    memory: np.record,
    scratch: np.record,
    number: int,
    script: np.record,
    k: int,
    look: Callable[..., tuple[bool, Vehicle, np.ndarray, np.ndarray]],
) -> complex:
    """The force of a script that is not plain, for one player that looks as `look_around`."""
    rules, game = rules_of(memory), games_of(memory, k, k + 1)
    mine = player_at(memory, number, k)
    me, point = as_observed(body_at(mine, 0), True), mine.wander_point[0]
    has_opponent, body, neighbors, discs = look(memory, scratch, number, script, k)
    other = as_observed(body, False)
    is_minded = has_opponent and minds(script, me, other)
    space = room(rules.arena, rules.half_size, me.radius)
    period = 2.0 * rules.half_size if rules.arena == TORUS else 0.0
    around = Surroundings(space, discs, period, rules.capture_radius)
    return combined_force(
        scratch,
        script,
        game,
        point,
        me,
        other,
        is_minded,
        neighbors,
        around,
        around,
        force_of_behavior,
        (aim_of, predicts),
        explanation_of(memory, number, k),
    )


@compiled
def combined_force(
    scratch: np.record,
    script: np.record,
    game: Games,
    wander_point: complex,
    me: Vehicle,
    other: Vehicle,
    is_minded: bool,
    neighbors: Vehicles,
    around: Surroundings,
    view: Any,
    behave: Callable[..., complex],
    aims: tuple[Callable[..., tuple[bool, complex]], Callable[..., bool]],
    explanation: int,
) -> complex:
    """The parts of a script in one force, by the script's method.

    Args:
        scratch: of the thread.
        script: a row of `SCRIPT`.
        game: the columns of the game alone, whose chance some methods draw from.
        wander_point: of the player.
        me: the player's body.
        other: the opponent that its main behavior is about.
        is_minded: whether there is one, and it is near enough to matter.
        neighbors: its teammates.
        around: what is around it.
        view: of its surroundings, what ``behave`` looks at.
        behave: the force of the main behavior, see `force_of_behavior`.
        aims: where that aims, and whether it predicts; see `explain_aim`.
        explanation: the address of an `EXPLANATION` to write; 0 for none.
    """
    space, discs, point = around.room, around.discs, wander_point
    method, count, chances = script.method, script.num_parts, script.chances
    total, is_done, had_turn = 0j, False, 0
    if explanation != 0:
        begin_explanation(explanation, script, me, point, is_minded)
        if is_minded:
            explain_aim(explanation, script, me, other, view, scratch.asked, *aims)
    for turn in range(count):
        dice = draw_uniform(game, 0.0, 1.0) if script.draws else 0.0
        rank = next_behavior(method, turn, chances, count, had_turn, dice)
        if is_done or rank < 0:
            continue
        had_turn |= 1 << rank
        part = script.parts[rank]
        if part == BEHAVIOR_PART and script.behavior == WANDER:
            part = WANDER_PART
        if part in (WALLS, CONTAINMENT, WANDER_PART):
            force = force_alone(part, script, me, space, point)
        elif part != BEHAVIOR_PART:
            force = force_around(part, script, me, neighbors, discs)
        elif not is_minded:
            force = 0j
        else:
            force = behave(script, me, other, view, scratch.asked)
        weight, before = script.weights[rank], total
        total, is_done = add_force(method, total, force, weight, chances[rank], me.max_force)
        if explanation != 0:
            note_share(explanation, part, scale(force, weight), before, total)
    return total


@compiled
def fill_forces(
    memory_at: int,
    scratch_at: int,
    number: int,
    row: int,
    start: int,
    found: int,
    look: Callable[..., tuple[bool, Vehicle, np.ndarray, np.ndarray]],
) -> None:
    """The forces of one player in the games that the scratch space lists."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    script, force = script_at(memory, row), force_of(scratch, number)
    members = integers(scratch.members)
    for entry in range(found):
        k = members[entry]
        force[k - start] = force_of_script(memory, scratch, number, script, k, look)


@routine
def fill_other_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The forces of one player by such a script; see `plain_scripts.fill_plain_forces`."""
    fill_forces(memory_at, scratch_at, number, row, start, found, look_around)
