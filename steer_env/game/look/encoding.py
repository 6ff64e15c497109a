"""The writing and the reading of observations made of `FEATURES`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config.features import BLOCKS, FEATURES, OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.game.rules import PURSUER, region_of
from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.memory import BLOCK
from steer_env.game.state import State
from steer_env.machine_code.addresses import call_routine, column
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.table import numbered
from steer_env.steering.compilation import compiled
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale
from steer_env.steering.vehicle import Vehicle

IN_OWN, IN_OTHER, IN_OBSTACLE = (
    numbered([feature.name for feature in FEATURES if feature.block == block])
    for block in BLOCKS
)
"""The places of features in their blocks."""

_ITEM_SIZE = np.dtype(np.float32).itemsize

_NUMBERS_AT_ONCE = 8192
"""The numbers of a player's observations that fit the processor's nearest cache."""


@compiled
def _write(features: np.ndarray, place: int, k: int, vector: complex) -> None:
    features[place * BLOCK + k] = vector.real
    features[(place + 1) * BLOCK + k] = vector.imag


class Scales(NamedTuple):
    """The factors from quantities to features, and whether the region has bounds."""

    is_bounded: bool
    position: float
    offset: float
    speed: float
    velocity: float
    force: float
    mass: float
    radius: float
    acceleration: float
    obstacle: float
    time: float
    acceleration_limit: float


@compiled
def scales_of(rules: np.record) -> Scales:
    """The scales of a game's observations."""
    return Scales(
        region_of(rules).is_bounded,
        rules.position_scale,
        rules.offset_scale,
        rules.speed_scale,
        rules.velocity_scale,
        rules.force_scale,
        rules.mass_scale,
        rules.radius_scale,
        rules.acceleration_scale,
        rules.obstacle_scale,
        rules.time_scale,
        rules.acceleration_limit,
    )


@compiled
def shrink(scales: Scales, vector: complex, factor: float) -> complex:
    """Scales a vector, squashed into the unit disc where the region has no bounds."""
    shrunk = scale(vector, factor)
    return shrunk if scales.is_bounded else scale(shrunk, 1.0 / (1.0 + norm(shrunk)))


@compiled
def encode_me(features: np.ndarray, k: int, scales: Scales, me: Vehicle, steps: int) -> None:
    """Writes the own block of the k-th observation into columns, each of `BLOCK`."""
    speed = dot(me.velocity, me.heading)  # the two are parallel
    features[IN_OWN.speed * BLOCK + k] = speed * scales.speed
    _write(features, IN_OWN.position_x, k, shrink(scales, me.position, scales.position))
    _write(features, IN_OWN.heading_x, k, me.heading)
    features[IN_OWN.time_left * BLOCK + k] = max(0.0, 1.0 - steps * scales.time)
    features[IN_OWN.max_speed * BLOCK + k] = me.max_speed * scales.speed
    features[IN_OWN.max_force * BLOCK + k] = me.max_force * scales.force
    features[IN_OWN.mass * BLOCK + k] = me.mass * scales.mass
    features[IN_OWN.radius * BLOCK + k] = me.radius * scales.radius


@compiled
def encode_bearing(
    features: np.ndarray, k: int, scales: Scales, me: Vehicle, place: complex, other: Vehicle
) -> None:
    """Writes another player's offset from me, at a place, and its motion."""
    own_frame = me.heading.conjugate()
    offset = (place - me.position) * own_frame
    velocity = scale((other.velocity - me.velocity) * own_frame, scales.velocity)
    features[IN_OTHER.presence * BLOCK + k] = 1.0
    _write(features, IN_OTHER.offset_forward, k, shrink(scales, offset, scales.offset))
    _write(features, IN_OTHER.velocity_forward, k, velocity)
    _write(features, IN_OTHER.heading_forward, k, other.heading * own_frame)


@compiled
def encode_abilities(
    features: np.ndarray, k: int, scales: Scales, me: Vehicle, other: Vehicle
) -> None:
    """Writes another player's acceleration and limits."""
    acceleration = scale(other.acceleration * me.heading.conjugate(), scales.acceleration)
    acceleration = clamp_to_square(acceleration, scales.acceleration_limit)
    _write(features, IN_OTHER.acceleration_forward, k, acceleration)
    features[IN_OTHER.max_speed * BLOCK + k] = other.max_speed * scales.speed
    features[IN_OTHER.radius * BLOCK + k] = other.radius * scales.radius


@compiled
def number_of_other(me: int, place: int, pursuers: int, players: int) -> int:
    """The player whose block stands at a place of my observation: opponents, then teammates."""
    opponents = players - pursuers if me < pursuers else pursuers
    if place < opponents:
        return pursuers + place if me < pursuers else place
    teammate = place - opponents + (0 if me < pursuers else pursuers)
    return teammate if teammate < me else teammate + 1


@compiled_loop
def observe(block: Block, side: int, observations: int) -> None:
    """Writes the observations of one side's players in a block of games."""
    features = block.memory.num_features
    first, team = block.team(side)
    games = BLOCK
    while games > 1 and games * features > _NUMBERS_AT_ONCE:
        games //= 2
    for begin in range(block.start, block.stop, games):
        end = min(begin + games, block.stop)
        for me in range(first, first + team):
            place = (begin * team + me - first) * features
            size = ((end - begin - 1) * team + 1) * features
            rows = column(observations, place, size, np.float32)
            part = block_at(block.call_at, begin, end)
            observe_players(part, me, rows, team * features)
            if block.memory.obstacles > 0:
                place += features - block.memory.obstacles * OBSTACLE_SIZE
                rows_address = observations + place * _ITEM_SIZE
                here = (block.call_at, begin, end, me, rows_address, team * features)
                call_routine(block.memory.observe_obstacles, here)


@compiled_loop
def observe_me(block: Block, me: int, rows: np.ndarray, stride: int) -> None:
    """Writes the own features of one player's observations, see `observe_players`."""
    steps, rules, scales = block.games.steps, block.rules, scales_of(block.rules)
    features = column(block.scratch.features, 0, OTHER_SIZE * BLOCK, np.float32)
    mine, count = block.players(me), block.size
    for k in range(count):
        encode_me(features, k, scales, body_at(mine, k), steps[k])
    if not (scales.is_bounded or rules.num_targets > 0):  # which looks the same from everywhere
        for k in range(count):
            _write(features, IN_OWN.position_x, k, 0j)
    for k in range(count):
        for place in range(OWN_SIZE):
            rows[k * stride + place] = features[place * BLOCK + k]


@compiled_loop
def observe_players(block: Block, me: int, rows: np.ndarray, stride: int) -> None:
    """Writes one player's observations, ``stride`` apart, by way of columns of features."""
    rules, count = block.rules, block.size
    region, scales = block.region, scales_of(rules)
    features = column(block.scratch.features, 0, OTHER_SIZE * BLOCK, np.float32)
    mine = block.players(me)
    observe_me(block, me, rows, stride)
    for place in range(block.memory.players - 1):
        begin = OWN_SIZE + place * OTHER_SIZE
        other = number_of_other(me, place, rules.pursuers, block.memory.players)
        theirs = block.players(other)
        for k in range(count):
            seen = region.image(mine.position[k], theirs.position[k])
            encode_bearing(features, k, scales, body_at(mine, k), seen, body_at(theirs, k))
        for k in range(count):
            encode_abilities(features, k, scales, body_at(mine, k), body_at(theirs, k))
        for k in range(count):
            for feature in range(OTHER_SIZE):
                rows[k * stride + begin + feature] = features[feature * BLOCK + k]
        for k in range(count):
            if theirs.active[k] == 0:
                for feature in range(OTHER_SIZE):
                    rows[k * stride + begin + feature] = 0.0


def decode(
    observations: NDArray[np.float32], rules: np.record, side: int, state: State
) -> None:
    """Writes the contents of observations, (N, features), into the columns of N games.

    The observer is the first player of its side. The force limit and mass of others become the
    observer's. Of the games only the steps are written, from the time left.
    """
    rows = observations.astype(np.float64)
    me, players = 0 if side == PURSUER else int(rules.pursuers), len(state.position)
    position = _grown(rows, IN_OWN.position_x, rules, "position")
    heading = _read(rows, IN_OWN.heading_x)
    velocity = heading * rows[:, IN_OWN.speed] / rules.speed_scale
    state.position[me], state.velocity[me], state.heading[me] = position, velocity, heading
    state.max_speed[me] = rows[:, IN_OWN.max_speed] / rules.speed_scale
    state.max_force[:] = rows[:, IN_OWN.max_force] / rules.force_scale
    state.mass[:] = rows[:, IN_OWN.mass] / rules.mass_scale
    state.radius[me] = rows[:, IN_OWN.radius] / max(rules.radius_scale, 1e-300)
    state.steps[:] = np.rint((1.0 - rows[:, IN_OWN.time_left]) / rules.time_scale)
    state.active[me] = True
    block = rows[:, OWN_SIZE:]
    for place in range(players - 1):
        other = number_of_other(me, place, rules.pursuers, players)
        drift = _read(block, IN_OTHER.velocity_forward) * (1.0 / rules.velocity_scale)
        state.active[other] = block[:, IN_OTHER.presence] > 0.5
        offset = _grown(block, IN_OTHER.offset_forward, rules, "offset")
        state.position[other] = position + _product(offset, heading)
        state.velocity[other] = velocity + _product(drift, heading)
        state.heading[other] = _product(_read(block, IN_OTHER.heading_forward), heading)
        acceleration = _read(block, IN_OTHER.acceleration_forward) / rules.acceleration_scale
        state.acceleration[other] = _product(acceleration, heading)
        state.max_speed[other] = block[:, IN_OTHER.max_speed] / rules.speed_scale
        state.radius[other] = block[:, IN_OTHER.radius] / max(rules.radius_scale, 1e-300)
        block = block[:, OTHER_SIZE:]
    for place in range(len(state.center)):
        offset = _grown(block, IN_OBSTACLE.offset_forward, rules, "offset")
        state.center[place] = position + _product(offset, heading)
        radius, presence = block[:, IN_OBSTACLE.radius], block[:, IN_OBSTACLE.presence]
        radius = np.where(presence > 0.5, radius / rules.obstacle_scale, 0.0)
        state.obstacle_radius[place] = radius
        block = block[:, OBSTACLE_SIZE:]


def _read(rows: NDArray[np.float64], place: int) -> NDArray[np.complex128]:
    vectors: NDArray[np.complex128] = rows[:, place] + 1j * rows[:, place + 1]
    return vectors


def _product(a: NDArray[np.complex128], b: NDArray[np.complex128]) -> NDArray[np.complex128]:
    # numpy's product of complex arrays, and their abs, round differently on other processors.
    real = a.real * b.real - a.imag * b.imag
    product: NDArray[np.complex128] = real + 1j * (a.real * b.imag + a.imag * b.real)
    return product


def _grown(
    rows: NDArray[np.float64], place: int, rules: np.record, quantity: str
) -> NDArray[np.complex128]:
    """`shrink` undone, for a feature of many observations."""
    share = _read(rows, place)
    distance = np.sqrt(share.real * share.real + share.imag * share.imag)
    grown = share / rules[f"{quantity}_scale"]
    is_bounded = region_of(rules).is_bounded
    return grown if is_bounded else grown / np.maximum(1e-6, 1.0 - distance)


@compiled_loop
def encode_obstacle(block: Block, me: int, place: int) -> None:
    """Writes an obstacle's features and squared distance from a player, 0 and inf if absent."""
    mine, region, scales = block.players(me), block.region, scales_of(block.rules)
    centers, radii = block.obstacles(place)
    squares = column(block.scratch.disc_squares, place * BLOCK, BLOCK, np.float64)
    numbers = OBSTACLE_SIZE * BLOCK
    features = column(block.scratch.disc_features, place * numbers, numbers, np.float32)
    for k in range(block.size):
        radius, own_frame = radii[k], mine.heading[k].conjugate()
        offset = region.offset(mine.position[k], centers[k])
        share = shrink(scales, offset * own_frame, scales.offset)
        square = dot(offset, offset)
        size, is_there = radius * scales.obstacle, radius > 0.0
        squares[k] = square if is_there else math.inf
        features[IN_OBSTACLE.presence * BLOCK + k] = 1.0 if is_there else 0.0
        features[IN_OBSTACLE.offset_forward * BLOCK + k] = share.real if is_there else 0.0
        features[(IN_OBSTACLE.offset_forward + 1) * BLOCK + k] = share.imag if is_there else 0.0
        features[IN_OBSTACLE.radius * BLOCK + k] = size if is_there else 0.0


@compiled_loop
def write_nearest_first(block: Block, rows: np.ndarray, stride: int) -> None:
    """Writes obstacles' features into observations, the nearest first, by stable insertion."""
    obstacles, order = block.memory.obstacles, block.columns.disc_order
    squares = column(block.scratch.disc_squares, 0, obstacles * BLOCK, np.float64)
    numbers = OBSTACLE_SIZE * BLOCK
    features = column(block.scratch.disc_features, 0, obstacles * numbers, np.float32)
    for k in range(block.size):
        for place in range(obstacles):
            square, rank = squares[place * BLOCK + k], place
            while rank > 0 and square < squares[order[rank - 1] * BLOCK + k]:
                order[rank] = order[rank - 1]
                rank -= 1
            order[rank] = place
        for rank in range(obstacles):
            first, place = k * stride + rank * OBSTACLE_SIZE, order[rank] * numbers + k
            for feature in range(OBSTACLE_SIZE):
                rows[first + feature] = features[place + feature * BLOCK]


@routine
def observe_obstacles(
    call_at: int, start: int, stop: int, me: int, rows_at: int, stride: int
) -> None:
    """Writes the obstacles' blocks of one player's observations in a block of games.

    ``rows_at`` is that of the first game's first block of an obstacle, in float32, and
    ``stride`` leads from one observation to the next.
    """
    block = block_at(call_at, start, stop)
    for place in range(block.memory.obstacles):
        encode_obstacle(block, me, place)
    size = block.memory.obstacles * OBSTACLE_SIZE
    rows = column(rows_at, 0, (block.size - 1) * stride + size, np.float32)
    write_nearest_first(block, rows, stride)
