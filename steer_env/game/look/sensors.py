"""The learner's sensors and actuators: chosen features, limits of view, noise and delay.

`sense` picks numbers from a standard observation, with limits of view one of
`observe_partially`. Delays use ring buffers in the state, indexed by the step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config.features import DERIVED, OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.game.look.encoding import (
    IN_OBSTACLE,
    Scales,
    encode_abilities,
    encode_bearing,
    number_of_other,
    observe_me,
    scales_of,
    shrink,
)
from steer_env.game.look.learner import NUMBER, SENSOR
from steer_env.game.look.visibility import nearest_in_sight, obstacles_in_sight, offset_in_sight
from steer_env.game.random import OF_ACTUATORS, OF_SENSORS, noise
from steer_env.game.rules import number_of_target, region_of, target_of
from steer_env.game.run.arguments import begin_hook
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.memory import BLOCK, DECIDE
from steer_env.game.run.targets import nearest_target
from steer_env.game.run.ways import ways_of
from steer_env.machine_code.addresses import call_routine, column, record_at, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.table import numbered
from steer_env.steering.compilation import compiled
from steer_env.steering.guidance import closing_speed, line_of_sight_rate
from steer_env.steering.own_functions import FUNCTION_CALL, note_fault
from steer_env.steering.targets import offset_to_target
from steer_env.steering.trigonometry import angle_of
from steer_env.steering.vectors import clamp_to_square, norm, scale, unit
from steer_env.steering.vehicle import Vehicle, copy_vehicle
from steer_env.steering.walls import wall_distance
from steer_env.steering.ways import shortest_way

_FEATURE = numbered([feature.name for feature in DERIVED])
_LONG_WAY = 20.0  # meters, that a feature has as 0.5


@compiled
def derived_feature(
    number: int, scales: Scales, rules: np.record, me: Vehicle, other: Vehicle
) -> float:
    """A feature of an other at its image nearest to me, by its place in `DERIVED`."""
    if number in (_FEATURE.acceleration_forward, _FEATURE.acceleration_left):
        share = scale(me.acceleration * me.heading.conjugate(), scales.acceleration)
        share = clamp_to_square(share, scales.acceleration_limit)
        return share.real if number == _FEATURE.acceleration_forward else share.imag
    if number in (_FEATURE.target_forward, _FEATURE.target_left):
        target = target_of(rules, number_of_target(rules, me.position))
        place = region_of(rules).image(target.center, me.position)
        toward = offset_to_target(target, place) * me.heading.conjugate()
        share = shrink(scales, toward, scales.offset)
        return share.real if number == _FEATURE.target_forward else share.imag
    if number == _FEATURE.closing_speed:
        return closing_speed(me, other) * scales.velocity
    if number == _FEATURE.line_of_sight_rate:
        rate = line_of_sight_rate(me, other)
        return rate / (abs(rate) + 1.0)
    offset = (other.position - me.position) * me.heading.conjugate()
    if number == _FEATURE.distance:
        return norm(shrink(scales, offset, scales.offset))
    if number == _FEATURE.time_to_contact:
        closing, distance = closing_speed(me, other), norm(offset)
        return distance / (distance + closing) if closing > 0.0 else 1.0
    if number == _FEATURE.bearing:
        return angle_of(offset) / math.pi
    bearing = unit(offset)
    return bearing.real if number == _FEATURE.bearing_forward else bearing.imag


@compiled_loop
def _wall_distance(block: Block, k: int, me: Vehicle) -> float:
    """From a body in the k-th game to the nearest wall, in meters."""
    if block.memory.num_maps == 0:
        return block.region.wall_distance(me.radius, me.position)
    walls = block.walls_for_feelers(k)
    return max(wall_distance(walls, me.position) - me.radius, 0.0)


@compiled_loop
def _way_to(
    block: Block, k: int, number: int, place: int, other: Vehicle
) -> tuple[float, complex]:
    """The length of a player's way to another, or to the target (-1), and its direction.

    The direction is a unit vector in the player's own frame.
    """
    me, end = block.body(number, k), other.position
    if place < 0:
        end = me.position + offset_to_target(nearest_target(block, me.position), me.position)
    ways = ways_of(block.memory, block.scratch, k, block.side(number))
    length, aim, _ = shortest_way(block.walls(k), ways, me.position, end)
    return length, unit((aim - me.position) * me.heading.conjugate())


@compiled
def _path_feature(number: int, length: float, toward: complex) -> float:
    if number in (_FEATURE.path_length, _FEATURE.target_path_length):
        return length / (length + _LONG_WAY) if length < math.inf else 1.0
    is_forward = number in (_FEATURE.path_forward, _FEATURE.target_path_forward)
    return toward.real if is_forward else toward.imag


@compiled
def _call_feature(
    block: Block, number: int, k: int, row: np.record, me: Vehicle, other: Vehicle
) -> None:
    """Calls a user-defined feature, and leaves its answer in the `FUNCTION_CALL` record."""
    calls = block.scratch.calls
    call = begin_hook(block, number, k, me, block.games.steps[k])
    copy_vehicle(other, call.other)
    for part in range(row.count):
        call.numbers[part] = math.nan
    call_routine(row.address, (calls,))


@compiled
def _answered(row: np.record, calls: int) -> float:
    """The value of the user-defined feature called last, or its lower bound for a fault."""
    call = record_at(calls, FUNCTION_CALL)
    value = call.number if row.part < 0 else call.numbers[row.part]
    if row.low <= value <= row.high:
        return value
    note_fault(row.address, calls)
    return row.low


@routine
def sense(call_at: int, start: int, stop: int, side: int, observations_address: int) -> None:
    """Makes one side's observations in a block of games from the standard ones."""
    block = block_at(call_at, start, stop)
    sensor = records_at(block.memory.sensors, 2, SENSOR)[side]
    rules, games, count = block.rules, block.games, block.size
    first, team = block.team(side)
    size, features, players = sensor.length, sensor.seen_length, block.memory.players
    rows, scales = records_at(sensor.rows, size, NUMBER), scales_of(rules)
    lines, of_rays = block.memory.games * team, sensor.num_rays * sensor.numbers_of_ray
    standard = column(sensor.standard, 0, lines * (features + of_rays), np.float32)
    made = column(observations_address, 0, block.memory.games * team * size, np.float32)
    for place in range(team):
        number = first + place
        mine = block.players(number)
        for k in range(count):
            me, steps = body_at(mine, k), games.steps[k]
            line, rank = (block.start + k) * team + place, 0
            shown, length, toward = -2, 0.0, 0j  # the way that was looked at last
            seen, begin, answered = line * features, line * size, 0
            while rank < size:
                row = rows[rank]
                source = lines * features + line * of_rays if row.is_of_ray else seen
                source += row.source
                for step in range(row.run):
                    made[begin + rank + step] = standard[source + step]
                if row.run > 0:
                    rank += row.run
                    continue
                is_there = row.presence < 0 or standard[seen + row.presence] > 0.5
                value, other = 0.0, me
                if row.source >= 0:
                    value = np.float64(standard[source])
                elif is_there:
                    if row.place >= 0:
                        whose = number_of_other(number, row.place, rules.pursuers, players)
                        if sensor.whose != 0:
                            place_of_block = line * sensor.others + row.place
                            whose = column(sensor.whose, place_of_block, 1, np.int64)[0]
                        other = block.seen_from(me.position, whose, block.start + k)
                    if row.address != 0:
                        if row.part < 0 or row.address != answered:
                            _call_feature(block, number, k, row, me, other)
                            answered = row.address  # of several numbers, for the next ones
                        value = _answered(row, block.scratch.calls)
                    elif row.derived == _FEATURE.wall_distance:
                        value = _wall_distance(block, block.start + k, me) * scales.position
                    elif row.derived >= _FEATURE.path_length:
                        goal = row.place if row.derived <= _FEATURE.path_left else -1
                        if goal != shown:
                            shown = goal
                            length, toward = _way_to(
                                block, block.start + k, number, goal, other
                            )
                        value = _path_feature(row.derived, length, toward)
                    else:
                        value = derived_feature(row.derived, scales, rules, me, other)
                if is_there and row.noise > 0.0:
                    draw = np.uint64((steps * players + number) * size + rank)
                    # The space's bounds count on a value that is rounded before.
                    rounded = np.float64(np.float32(value))
                    value = rounded + row.noise * noise(games.key[k], OF_SENSORS, draw)
                made[begin + rank] = value
                rank += 1
        if sensor.delay > 0:
            _exchange(block, sensor, number, made, place * size, team * size)


@compiled
def _exchange(
    block: Block, sensor: np.record, number: int, made: np.ndarray, begin: int, stride: int
) -> None:
    """Pushes new observations into a ring buffer, and replaces them by the delayed ones."""
    slots, games, steps = sensor.delay + 1, block.memory.games, block.games.steps
    size, slot_size = sensor.length, block.memory.players * sensor.length
    past = column(block.memory.past_observations, 0, slots * slot_size * games, np.float32)
    for rank in range(size):
        row = number * size + rank
        for k in range(block.size):
            place, game = (block.start + k) * stride + begin + rank, block.start + k
            newest, oldest = steps[k] % slots, (steps[k] + 1) % slots
            for slot in range(slots if steps[k] == 0 else 0):
                past[(slot * slot_size + row) * games + game] = made[place]
            past[(newest * slot_size + row) * games + game] = made[place]
            made[place] = past[(oldest * slot_size + row) * games + game]


@routine
def actuate(call_at: int, start: int, stop: int) -> None:
    """Writes the learner's actions with noise and delay."""
    block = block_at(call_at, start, stop)
    call, memory = block.call, block.memory
    side, delay, players = call.side, memory.action_delay, memory.players
    actions = block.actions(side)
    if actions == 0 or call.when_over == DECIDE:
        return
    games, is_idle = block.games, block.columns.is_idle
    first, team = block.team(side)
    num_games = memory.games
    given = column(actions, 0, 2 * num_games * team, np.float32)
    executed = column(memory.executed, 0, 2 * num_games * team, np.float32)
    past = column(memory.past_actions, 0, 2 * delay * players * num_games, np.float32)
    for place in range(team):
        for k in range(block.size):
            if is_idle[k] != 0:
                continue
            steps = games.steps[k]
            for axis in range(2):
                at = ((block.start + k) * team + place) * 2 + axis
                action = given[at]
                if delay > 0:
                    row = ((steps % delay) * players + first + place) * 2 + axis
                    oldest = past[row * num_games + block.start + k]
                    past[row * num_games + block.start + k] = action
                    action = oldest
                draw = np.uint64((steps * players + first + place) * 2 + axis)
                spread = memory.action_noise * noise(games.key[k], OF_ACTUATORS, draw)
                executed[at] = np.float64(action) + spread


NOBODY = -1
"""Stands for a player in a block without one."""


@compiled
def list_others(block: Block, k: int, me: int, sensor: np.record, row: int) -> None:
    """Writes whom each block of an observation, a row of ``whose``, is about, or `NOBODY`."""
    rules, others = block.rules, sensor.others
    whose = column(sensor.whose, row * others, others, np.int64)
    for place in range(others):
        whose[place] = NOBODY
    if rules.nearest == 0:
        for place in range(others):
            other = number_of_other(me, place, rules.pursuers, block.memory.players)
            is_seen, _ = offset_in_sight(block, k, me, other)
            whose[place] = other if is_seen else NOBODY
        return
    mates = column(sensor.whose, row * others + rules.nearest, rules.nearest, np.int64)
    first, last = block.opponents(me)
    nearest_in_sight(block, k, me, first, last, whose)
    first, last = block.teammates(me)
    nearest_in_sight(block, k, me, first, last, mates)


@compiled
def _write_other(
    block: Block, me: int, other: int, k: int, row: NDArray[np.float32], begin: int
) -> None:
    """Writes the block of another player, or zeros for `NOBODY`, into an observation."""
    if other == NOBODY:
        for place in range(OTHER_SIZE):
            row[begin + place] = 0.0
        return
    scales = scales_of(block.rules)
    features = column(block.scratch.features, 0, OTHER_SIZE * BLOCK, np.float32)
    mine, theirs = block.body(me, k), block.body(other, k)
    seen = block.region.image(mine.position, theirs.position)
    encode_bearing(features, 0, scales, mine, seen, theirs)
    encode_abilities(features, 0, scales, mine, theirs)
    for place in range(OTHER_SIZE):
        row[begin + place] = features[place * BLOCK]


@compiled
def _write_obstacles(
    block: Block, me: int, k: int, most: int, row: NDArray[np.float32], begin: int
) -> None:
    """Writes the blocks of the obstacles that a player sees into an observation."""
    scales, mine = scales_of(block.rules), block.player(me, k)
    position, own_frame = mine.position[0], mine.heading[0].conjugate()
    for place in range(begin, begin + most * OBSTACLE_SIZE):
        row[place] = 0.0
    chosen = block.columns.disc_order
    for rank in range(obstacles_in_sight(block, k, me, most, chosen)):
        first = begin + rank * OBSTACLE_SIZE
        center, radius = block.obstacle(chosen[rank], k)
        offset = block.region.offset(position, center)
        share = shrink(scales, offset * own_frame, scales.offset)
        row[first + IN_OBSTACLE.presence] = 1.0
        row[first + IN_OBSTACLE.offset_forward] = share.real
        row[first + IN_OBSTACLE.offset_forward + 1] = share.imag
        row[first + IN_OBSTACLE.radius] = radius * scales.obstacle


@routine
def observe_partially(
    call_at: int, start: int, stop: int, side: int, observations_address: int
) -> None:
    """Writes the observations of one side in a block of games, with limits of view."""
    block = block_at(call_at, start, stop)
    sensor = records_at(block.memory.sensors, 2, SENSOR)[side]
    first, team = block.team(side)
    size, others, most = sensor.seen_length, sensor.others, sensor.obstacles
    for place in range(team):
        me, begin = first + place, (block.start * team + place) * size
        extent = (block.size - 1) * team * size + size
        rows = column(observations_address, begin, extent, np.float32)
        observe_me(block, me, rows, team * size)
        for k in range(block.start, block.stop):
            number = k * team + place
            list_others(block, k, me, sensor, number)
            row = column(observations_address, number * size, size, np.float32)
            whose = column(sensor.whose, number * others, others, np.int64)
            for rank in range(others):
                begin = OWN_SIZE + rank * OTHER_SIZE
                _write_other(block, me, whose[rank], k, row, begin)
            begin = OWN_SIZE + others * OTHER_SIZE
            _write_obstacles(block, me, k, most, row, begin)
