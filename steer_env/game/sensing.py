"""The learner's sensors and actuators: chosen features, noise and delay, in the compiled loop.

The routines are called only in games that have some of these. The past that a delay needs is
part of the state: rings of slots, of which a step's number chooses one.
"""

from __future__ import annotations

import math

import numpy as np

from steer_env.errors import FaultyBehavior
from steer_env.game.config import GameConfig
from steer_env.game.derived import derived_feature
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    Scratch,
    body_at,
    flags,
    games_of,
    players_of,
    rules_of,
    team_of,
)
from steer_env.game.observation import number_of_other, scales_of
from steer_env.game.random import actuator_noise, sensor_noise
from steer_env.game.sensor import NUMBER, SENSOR, chosen_features
from steer_env.game.sight import seen_from
from steer_env.machine_code.addresses import call_routine, column, record_at, records_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import ASKED
from steer_env.steering.vehicle import Vehicle, copy_vehicle


@compiled
def _ask(row: np.record, rank: int, me: Vehicle, other: Vehicle, scratch: np.record) -> float:
    """What a user's own function returns; its lower bound if that is nan or out of bounds."""
    asked = records_at(scratch.sensed, 2, ASKED)
    copy_vehicle(me, asked[0].me)
    copy_vehicle(other, asked[0].other)
    asked[0].number = math.nan  # stays so if the function raises an error
    call_routine(row.address, (scratch.sensed,))
    if row.low <= asked[0].number <= row.high:
        return asked[0].number
    faulty = column(scratch.faulty_feature, 0, 1, np.int64)
    if faulty[0] < 0:
        faulty[0] = rank
        asked[1] = asked[0]
    return row.low


@compiled
def _player_in_block(
    memory: np.record, sensor: np.record, me: int, line: int, place: int
) -> int:
    """The other player that a block of an observation is about."""
    if sensor.whose == 0:
        return number_of_other(me, place, rules_of(memory).pursuers, memory.players)
    others = sensor.others
    return column(sensor.whose, line * others, others, np.int64)[place]


@routine
def sense(
    memory_at: int, scratch_at: int, start: int, stop: int, side: int, observations_address: int
) -> None:
    """Makes one side's observations in a block of games of the standard ones; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    sensor = records_at(memory.sensors, 2, SENSOR)[side]
    rules, games, count = rules_of(memory), games_of(memory, start, stop), stop - start
    first, team = team_of(memory, side)
    size, features, players = sensor.length, sensor.seen_length, memory.players
    rows, scales = records_at(sensor.rows, size, NUMBER), scales_of(rules)
    standard = column(sensor.standard, 0, memory.games * team * features, np.float32)
    made = column(observations_address, 0, memory.games * team * size, np.float32)
    for place in range(team):
        number = first + place
        mine = players_of(memory, number, start, stop)
        for k in range(count):
            me, steps = body_at(mine, k), games.steps[k]
            seen = ((start + k) * team + place) * features
            begin = ((start + k) * team + place) * size
            for rank in range(size):
                row = rows[rank]
                is_there = row.presence < 0 or standard[seen + row.presence] > 0.5
                value, other = 0.0, me
                if row.source >= 0:
                    value = np.float64(standard[seen + row.source])
                elif is_there:
                    if row.place >= 0:
                        line = (start + k) * team + place
                        whose = _player_in_block(memory, sensor, number, line, row.place)
                        other = seen_from(me.position, memory, whose, start + k, rules)
                    if row.address != 0:
                        value = _ask(row, rank, me, other, scratch)
                    else:
                        value = derived_feature(row.derived, scales, rules, me, other)
                if is_there and row.noise > 0.0:
                    draw = np.uint64((steps * players + number) * size + rank)
                    # The space's bounds count on a value that is rounded before.
                    rounded = np.float64(np.float32(value))
                    value = rounded + row.noise * sensor_noise(games.key[k], draw)
                made[begin + rank] = value
        if sensor.delay > 0:
            _exchange(memory, sensor, number, start, stop, made, place * size, team * size)


@compiled
def _exchange(
    memory: np.record,
    sensor: np.record,
    number: int,
    start: int,
    stop: int,
    made: np.ndarray,
    begin: int,
    stride: int,
) -> None:
    """Keeps a player's observations, and puts those of some steps ago in their place."""
    slots, games, steps = sensor.delay + 1, memory.games, games_of(memory, start, stop).steps
    size, slot_size = sensor.length, memory.players * sensor.length
    past = column(memory.past_observations, 0, slots * slot_size * games, np.float32)
    for rank in range(size):
        row = number * size + rank
        for k in range(stop - start):
            place, game = (start + k) * stride + begin + rank, start + k
            newest, oldest = steps[k] % slots, (steps[k] + 1) % slots
            for slot in range(slots if steps[k] == 0 else 0):
                past[(slot * slot_size + row) * games + game] = made[place]
            past[(newest * slot_size + row) * games + game] = made[place]
            made[place] = past[(oldest * slot_size + row) * games + game]


@routine
def actuate(
    memory_at: int, scratch_at: int, start: int, stop: int, side: int, actions: int
) -> None:
    """Writes the actions that one side carries out in a block of games; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    games, still = games_of(memory, start, stop), flags(scratch.still)
    first, team = team_of(memory, side)
    delay, num_games, players = memory.action_delay, memory.games, memory.players
    given = column(actions, 0, 2 * num_games * team, np.float32)
    executed = column(memory.executed, 0, 2 * num_games * team, np.float32)
    past = column(memory.past_actions, 0, 2 * delay * players * num_games, np.float32)
    for place in range(team):
        for k in range(stop - start):
            if still[k] != 0:
                continue
            steps = games.steps[k]
            for axis in range(2):
                at = ((start + k) * team + place) * 2 + axis
                action = given[at]
                if delay > 0:
                    row = ((steps % delay) * players + first + place) * 2 + axis
                    oldest = past[row * num_games + start + k]
                    past[row * num_games + start + k] = action
                    action = oldest
                draw = np.uint64((steps * players + first + place) * 2 + axis)
                spread = memory.action_noise * actuator_noise(games.key[k], draw)
                executed[at] = np.float64(action) + spread


def faulty_feature(config: GameConfig, space: Scratch) -> FaultyBehavior:
    """The error for a feature at fault, from what the scratch space shows."""
    feature = chosen_features(config)[space.faulty_feature[0]]
    own = {f.name: f for f in config.observation.features if not isinstance(f, str)}
    me, other = (Vehicle(*space.sensed[name][1].item()) for name in ("me", "other"))
    low, high = own[feature.name].low, own[feature.name].high
    return FaultyBehavior(
        f"the feature {feature.name} raised an error (printed above), or returned None, nan or "
        f"a number beyond its bounds, {low:g} to {high:g}. It was called with me = {me} and "
        f"other = {other}"
    )
