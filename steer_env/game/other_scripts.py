"""The forces of scripts that are not plain, one vehicle at a time.

Such a script looks at obstacles, teammates or the line of sight, combines its parts in another
way than by adding them up, or is a user's own behavior.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steer_env.bounds import LARGEST_FORCE
from steer_env.errors import FaultyBehavior
from steer_env.game.arena import room
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
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
    copy_vehicle,
    discs_seen_from,
    nearest_opponent,
    seen_from,
    teammates_of,
)
from steer_env.scripts.force import (
    BEHAVIOR_PART,
    CONTAINMENT,
    WALLS,
    WANDER,
    WANDER_PART,
    force_alone,
    force_around,
    force_of_behavior,
    minds,
)
from steer_env.scripts.script import Script
from steer_env.scripts.table import CUSTOM
from steer_env.steering.addresses import call_routine, column, record_at, records_at
from steer_env.steering.blending import add_force, wants
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle


@compiled
def ask_own_behavior(address: int, me: Vehicle, other: Vehicle, scratch: np.record) -> complex:
    """The force of the user's own behavior at an address.

    A force that is not finite, or beyond `LARGEST_FORCE`, counts as 0: the pair of vehicles
    that the behavior is called with is in ``scratch.pair[:2]``, and the first pair at fault is
    kept in ``[2:]``.
    """
    pair = records_at(scratch.pair, 4, VEHICLE)
    answer = column(scratch.answer, 0, 1, np.complex128)
    copy_vehicle(me, pair[0])
    copy_vehicle(other, pair[1])
    answer[0] = complex(math.nan, 0.0)  # stays so if the behavior raises an error
    call_routine(address, (scratch.pair, scratch.answer))
    if abs(answer[0].real) <= LARGEST_FORCE and abs(answer[0].imag) <= LARGEST_FORCE:
        return answer[0]
    is_faulty = column(scratch.is_faulty, 0, 1, np.uint8)
    if is_faulty[0] == 0:
        is_faulty[0] = 1
        copy_vehicle(me, pair[2])
        copy_vehicle(other, pair[3])
    return 0j


def faulty_behavior(
    scripts: Sequence[Script | None], spaces: Sequence[Scratch]
) -> FaultyBehavior:
    """The error for a user's own behavior at fault, from what the scratch space shows."""
    own = {s.behavior_name for s in scripts if s is not None and callable(s.behavior)}
    space = next(space for space in spaces if space.is_faulty[0])
    me, other = (Vehicle(*body.item()) for body in space.pair[2:])
    return FaultyBehavior(
        f"the behavior {' or '.join(sorted(own))} raised an error (printed above), or returned "
        f"None, nan, infinity or more than {LARGEST_FORCE:g} newtons; the step has been made "
        f"with a force of 0. It was called with me = {me} and other = {other}"
    )


@compiled
def _as_observed(body: Vehicle, is_me: bool) -> Vehicle:
    """A body as an observation shows it: another's force and mass, and my acceleration, not."""
    return Vehicle(
        body.position,
        body.velocity,
        body.heading,
        body.max_speed,
        body.max_force if is_me else 1.0,
        body.mass if is_me else 1.0,
        body.radius,
        0j if is_me else body.acceleration,
    )


@compiled
def force_of_script(
    memory: np.record, scratch: np.record, number: int, script: np.record, k: int
) -> complex:
    """The force of a script that is not plain, for one player in the k-th game."""
    rules, game = rules_of(memory), games_of(memory, k, k + 1)
    mine = player_at(memory, number, k)
    me, point = _as_observed(body_at(mine, 0), True), mine.wander_point[0]
    nearest = nearest_opponent(memory, number, k, rules)
    other = _as_observed(seen_from(me.position, memory, max(nearest, 0), k, rules), False)
    is_minded = nearest >= 0 and minds(script, me, other)
    space = room(rules.arena, rules.half_size, me.radius)
    neighbors = records_at(scratch.neighbors, 0, VEHICLE)
    if script.sees_neighbors:
        neighbors = teammates_of(memory, scratch, number, k, rules)
    discs = records_at(scratch.discs, 0, OBSTACLE)
    if script.sees_obstacles:
        discs = discs_seen_from(me.position, memory, scratch, k, rules)
    total, is_done = 0j, False
    for rank in range(script.num_parts):
        part, chance = script.parts[rank], script.chances[rank]
        dice = draw_uniform(game, 0.0, 1.0) if script.draws else 0.0
        if is_done or not wants(script.method, chance, dice):
            continue
        if part == BEHAVIOR_PART and script.behavior == WANDER:
            part = WANDER_PART
        if part in (WALLS, CONTAINMENT, WANDER_PART):
            force = force_alone(part, script, me, space, point)
        elif part != BEHAVIOR_PART:
            force = force_around(part, script, me, neighbors, discs)
        elif not is_minded:
            force = 0j
        elif script.behavior == CUSTOM:
            force = ask_own_behavior(script.address, me, other, scratch)
        else:
            force = force_of_behavior(script, me, other, space, discs, rules.capture_radius)
        weight = script.weights[rank]
        total, is_done = add_force(script.method, total, force, weight, chance, me.max_force)
    return total


def fill_other_forces(
    memory_address: int,
    scratch_address: int,
    number: int,
    row: int,
    start: int,
    stop: int,
    found: int,
) -> None:
    """The forces of one player by such a script; see `plain_scripts.fill_plain_forces`."""
    memory, scratch = record_at(memory_address, MEMORY), record_at(scratch_address, SCRATCH)
    script, force = script_at(memory, row), force_of(scratch, number)
    members = integers(scratch.members)
    for entry in range(found):
        k = members[entry]
        force[k - start] = force_of_script(memory, scratch, number, script, k)
