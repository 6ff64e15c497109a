"""Observations with limits: what is out of sight is absent, or only the nearest have blocks.

The routine takes the place of `observation.observe` for a side with such limits. It writes the
same features, by the same functions, in the blocks of `sensor.blocks_of`; `sensing.sense` then
picks the numbers that an observation is made of, as always.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import OPEN, nearest_image
from steer_env.game.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE, place_of
from steer_env.game.in_sight import (
    disc_columns,
    nearest_in_sight,
    obstacles_in_sight,
    offset_in_sight,
)
from steer_env.game.memory import (
    BLOCK,
    MEMORY,
    SCRATCH,
    body_at,
    games_of,
    player_at,
    players_of,
    rules_of,
    team_of,
)
from steer_env.game.observation import (
    encode_abilities,
    encode_bearing,
    encode_me,
    number_of_other,
    scales_of,
    shrink,
)
from steer_env.game.sensor import SENSOR
from steer_env.game.sight import opponents_of
from steer_env.machine_code.addresses import column, record_at, records_at
from steer_env.machine_code.routines import routine
from steer_env.steering.compilation import compiled

_POSITION = place_of("own", "position_x")
_PRESENCE = place_of("obstacle", "presence")
_OFFSET = place_of("obstacle", "offset_forward")
_RADIUS = place_of("obstacle", "radius")
NOBODY = -1
"""Stands for a player in a block without one."""


@compiled
def list_others(
    memory: np.record, scratch: np.record, k: int, me: int, sensor: np.record, row: int
) -> None:
    """Writes which player each block of an observation is about, `NOBODY` for none.

    ``row`` is the observation's in the table ``whose`` of its side's sensor.
    """
    rules, others = rules_of(memory), sensor.others
    whose = column(sensor.whose, row * others, others, np.int64)
    for place in range(others):
        whose[place] = NOBODY
    if rules.nearest == 0:
        for place in range(others):
            other = number_of_other(me, place, rules.pursuers, memory.players)
            is_seen, _ = offset_in_sight(memory, k, rules, me, other)
            whose[place] = other if is_seen else NOBODY
        return
    mates = column(sensor.whose, row * others + rules.nearest, rules.nearest, np.int64)
    first, last = opponents_of(me, rules, memory.players)
    nearest_in_sight(memory, scratch, k, rules, me, first, last, whose)
    first, last = (
        (0, rules.pursuers) if me < rules.pursuers else (rules.pursuers, memory.players)
    )
    nearest_in_sight(memory, scratch, k, rules, me, first, last, mates)


@compiled
def _write_me(
    memory: np.record,
    scratch: np.record,
    me: int,
    start: int,
    stop: int,
    rows: NDArray[np.float32],
    stride: int,
) -> None:
    """Writes a player's own features into its observations in a block of games."""
    rules, games = rules_of(memory), games_of(memory, start, stop)
    features = column(scratch.features, 0, OTHER_SIZE * BLOCK, np.float32)
    mine, scales = players_of(memory, me, start, stop), scales_of(rules)
    for k in range(stop - start):
        encode_me(features, k, scales, body_at(mine, k), games.steps[k])
        for place in range(OWN_SIZE):
            rows[k * stride + place] = features[place * BLOCK + k]
        if rules.arena == OPEN:  # which looks the same from everywhere
            rows[k * stride + _POSITION] = rows[k * stride + _POSITION + 1] = 0.0


@compiled
def _write_other(
    memory: np.record,
    scratch: np.record,
    me: int,
    other: int,
    k: int,
    row: NDArray[np.float32],
    begin: int,
) -> None:
    """Writes the block of another player, or zeros for `NOBODY`, into an observation."""
    for place in range(OTHER_SIZE if other == NOBODY else 0):
        row[begin + place] = 0.0
    if other == NOBODY:
        return
    rules = rules_of(memory)
    features = column(scratch.features, 0, OTHER_SIZE * BLOCK, np.float32)
    mine, theirs = player_at(memory, me, k), player_at(memory, other, k)
    seen = nearest_image(rules.arena, rules.half_size, mine.position[0], theirs.position[0])
    scales = scales_of(rules)
    encode_bearing(features, 0, scales, body_at(mine, 0), seen, body_at(theirs, 0))
    encode_abilities(features, 0, scales, body_at(mine, 0), body_at(theirs, 0))
    for place in range(OTHER_SIZE):
        row[begin + place] = features[place * BLOCK]


@compiled
def _write_obstacles(
    memory: np.record,
    scratch: np.record,
    me: int,
    k: int,
    most: int,
    row: NDArray[np.float32],
    begin: int,
) -> None:
    """Writes the blocks of the obstacles that a player sees into an observation."""
    rules = rules_of(memory)
    scales, own_frame = scales_of(rules), player_at(memory, me, k).heading[0].conjugate()
    offsets, _, radii = disc_columns(memory, scratch)
    found = obstacles_in_sight(memory, scratch, k, rules, me, most)
    for place in range(begin, begin + most * OBSTACLE_SIZE):
        row[place] = 0.0
    for rank in range(found):
        first = begin + rank * OBSTACLE_SIZE
        share = shrink(rules.arena, offsets[rank] * own_frame, scales.offset)
        row[first + _PRESENCE] = 1.0
        row[first + _OFFSET], row[first + _OFFSET + 1] = share.real, share.imag
        row[first + _RADIUS] = radii[rank] * scales.obstacle


@routine
def observe_partially(
    memory_at: int, scratch_at: int, start: int, stop: int, side: int, observations_address: int
) -> None:
    """Writes what one side's players see in a block of games, with limits; a routine."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    sensor = records_at(memory.sensors, 2, SENSOR)[side]
    first, team = team_of(memory, side)
    size, others, most = sensor.seen_length, sensor.others, sensor.obstacles
    for place in range(team):
        me, begin = first + place, (start * team + place) * size
        extent = (stop - start - 1) * team * size + size
        rows = column(observations_address, begin, extent, np.float32)
        _write_me(memory, scratch, me, start, stop, rows, team * size)
        for k in range(start, stop):
            number = k * team + place
            list_others(memory, scratch, k, me, sensor, number)
            row = column(observations_address, number * size, size, np.float32)
            whose = column(sensor.whose, number * others, others, np.int64)
            for rank in range(others):
                begin = OWN_SIZE + rank * OTHER_SIZE
                _write_other(memory, scratch, me, whose[rank], k, row, begin)
            begin = OWN_SIZE + others * OTHER_SIZE
            _write_obstacles(memory, scratch, me, k, most, row, begin)
