"""Scripts that know a scenario's limits: they aim with the speeds of the places ahead."""

from __future__ import annotations

import numpy as np

from steer_env.game.look.visibility import (
    as_observed,
    discs_seen_by,
    nearest_opponent,
    teammates_in_reach,
)
from steer_env.game.run.block import Block, block_at, fill_forces
from steer_env.game.run.general_scripts import force_of_script
from steer_env.game.run.scenario_rules import limited
from steer_env.machine_code.addresses import records_at
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import time_ahead
from steer_env.scripts.table import LOOKAHEAD, SCRIPT
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import TINY, norm, scale, unit
from steer_env.steering.vehicle import Vehicle, with_limits, with_motion

_PARTS = 8  # of the way ahead, each with the top speed where it begins
_LONGEST = 10.0  # seconds ahead, beyond which speeds are taken to stay
_ROUNDS = 2  # of the time ahead, which speeds depend on, and of speeds, which depend on it


@compiled
def _on_its_way(block: Block, number: int, k: int, body: Vehicle, time: float) -> Vehicle:
    """A player with its mean velocity in some seconds, and the top speed where it is then.

    It goes straight on, at the same share of the top speed of each place.
    """
    place, speed, row = body.position, norm(body.velocity), k - block.start
    along = scale(body.velocity, 1.0 / max(speed, TINY))
    here = limited(block, number, row, body)
    share = min(speed / here.max_speed, 1.0)
    for _ in range(_PARTS if time > 0.0 else 0):
        place += scale(along, share * here.max_speed * time / _PARTS)
        here = limited(block, number, row, with_motion(body, place, body.velocity))
    mean = scale(place - body.position, 1.0 / time) if time > 0.0 else body.velocity
    return with_limits(with_motion(body, body.position, mean), here.max_speed, body.max_force)


@compiled
def _nearest_on_its_way(
    block: Block, number: int, script: np.record, k: int
) -> tuple[bool, Vehicle]:
    """Returns the nearest opponent as expected, and writes the time ahead into the script."""
    nearest, calls = nearest_opponent(block, number, k), block.scratch.calls
    me, other = block.body(number, k), max(nearest, 0)
    body = block.seen_from(me.position, other, k)
    mine, theirs, time = limited(block, number, k - block.start, me), body, 0.0
    for _ in range(_ROUNDS):
        time = time_ahead(script, as_observed(mine, True), as_observed(theirs, False), calls)
        ahead = min(time, _LONGEST)
        theirs = _on_its_way(block, other, k, body, ahead)
        aim = body.position + scale(theirs.velocity, ahead)
        velocity = scale(unit(aim - me.position), me.max_speed)
        on_way = with_motion(me, me.position, velocity)
        on_way = _on_its_way(block, number, k, on_way, ahead)
        speed = norm(on_way.velocity) if ahead > 0.0 else mine.max_speed
        mine = with_limits(mine, speed, mine.max_force)
    script.lookahead, script.lookahead_seconds = LOOKAHEAD.constant, time
    return nearest >= 0, theirs


@compiled
def _knowing_force(block: Block, number: int, script: np.record, k: int) -> complex:
    ways = _nearest_on_its_way, teammates_in_reach, discs_seen_by
    copies = records_at(block.scratch.known_script, 1, SCRIPT)
    copies[0] = script
    return force_of_script(block, number, copies[0], k, *ways)


@routine
def fill_knowing_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """The forces of one player, as `general_scripts.fill_general_forces`."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, _knowing_force)
