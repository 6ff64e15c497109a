"""What a player sees: the one table of features, and the code that fills and reads it.

An observation is a float32 vector: the own features, then a block for every other
player (opponents first, then teammates, each in the order of their numbers), then a block
for every obstacle, nearest first. Directions are in the own frame: forward, left. It
holds all that the hand-written opponents use, so `decode` gives a script the same vehicles
that it has inside the loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import OPEN, nearest_image, nearest_offset
from steer_env.game.memory import (
    BLOCK,
    body_at,
    games_of,
    obstacle_at,
    player_at,
    players_of,
    rules_of,
)
from steer_env.game.rules import PURSUER
from steer_env.game.state import State
from steer_env.steering.addresses import column
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale
from steer_env.steering.vehicle import Vehicle


@dataclass(frozen=True)
class Feature:
    """One number of an observation.

    Attributes:
        block: "own", "other" (one block a player) or "obstacle" (one block an obstacle).
        name: unique in its block.
        low: smallest value.
        high: largest value.
        meaning: what it is, and what 1 stands for.
    """

    block: str
    name: str
    low: float
    high: float
    meaning: str


_TOP_SPEED = "the highest max_speed of either side"
_OFFSET = "share of the largest offset in the arena (open: z / (|z| + arena size))"

FEATURES = (
    Feature("own", "speed", 0, 1, f"own speed; 1 is {_TOP_SPEED}"),
    Feature("own", "position_x", -1, 1, "place in the arena; 1 is its edge (open: as offsets)"),
    Feature("own", "position_y", -1, 1, "place in the arena; 1 is its edge (open: as offsets)"),
    Feature("own", "heading_x", -1, 1, "cosine of the heading in the arena"),
    Feature("own", "heading_y", -1, 1, "sine of the heading in the arena"),
    Feature("own", "time_left", 0, 1, "share of the horizon that is left"),
    Feature("own", "max_speed", 0, 1, f"own top speed; 1 is {_TOP_SPEED}"),
    Feature("own", "max_force", 0, 1, "own force limit; 1 is the highest of either side"),
    Feature("own", "mass", 0, 1, "own mass; 1 is the highest of either side"),
    Feature("own", "radius", 0, 1, "own radius; 1 is the highest of either side"),
    Feature("other", "presence", 0, 1, "1 while the other plays; all its features are 0 after"),
    Feature("other", "offset_forward", -1, 1, f"position less mine; {_OFFSET}"),
    Feature("other", "offset_left", -1, 1, f"position less mine; {_OFFSET}"),
    Feature("other", "velocity_forward", -1, 1, f"velocity less mine; 1 is twice {_TOP_SPEED}"),
    Feature("other", "velocity_left", -1, 1, f"velocity less mine; 1 is twice {_TOP_SPEED}"),
    Feature("other", "heading_forward", -1, 1, "cosine of its heading against mine"),
    Feature("other", "heading_left", -1, 1, "sine of its heading against mine"),
    Feature("other", "acceleration_forward", -1, 1, "last acceleration; 1 is the largest"),
    Feature("other", "acceleration_left", -1, 1, "that a force can cause, cut there"),
    Feature("other", "max_speed", 0, 1, f"its top speed; 1 is {_TOP_SPEED}"),
    Feature("other", "radius", 0, 1, "its radius; 1 is the highest of either side"),
    Feature("obstacle", "presence", 0, 1, "1 if there is one; all its features are 0 if not"),
    Feature("obstacle", "offset_forward", -1, 1, f"center less own position; {_OFFSET}"),
    Feature("obstacle", "offset_left", -1, 1, f"center less own position; {_OFFSET}"),
    Feature("obstacle", "radius", 0, 1, "share of half the arena's side"),
)
"""Every feature, in the order of the observation."""


def _block(block: str) -> tuple[Feature, ...]:
    return tuple(feature for feature in FEATURES if feature.block == block)


OWN_SIZE, OTHER_SIZE, OBSTACLE_SIZE = (len(_block(b)) for b in ("own", "other", "obstacle"))


def _place(block: str, name: str) -> int:
    return [feature.name for feature in _block(block)].index(name)


_SPEED = _place("own", "speed")
_POSITION = _place("own", "position_x")
_HEADING = _place("own", "heading_x")
_TIME_LEFT = _place("own", "time_left")
_MAX_SPEED = _place("own", "max_speed")
_MAX_FORCE = _place("own", "max_force")
_MASS = _place("own", "mass")
_RADIUS = _place("own", "radius")
_PRESENCE = _place("other", "presence")
_OFFSET_FORWARD = _place("other", "offset_forward")
_VELOCITY = _place("other", "velocity_forward")
_OTHER_HEADING = _place("other", "heading_forward")
_ACCELERATION = _place("other", "acceleration_forward")
_OTHER_MAX_SPEED = _place("other", "max_speed")
_OTHER_RADIUS = _place("other", "radius")
_OBSTACLE_PRESENCE = _place("obstacle", "presence")
_OBSTACLE_OFFSET = _place("obstacle", "offset_forward")
_OBSTACLE_RADIUS = _place("obstacle", "radius")


def observation_layout(players: int, obstacles: int) -> tuple[Feature, ...]:
    """The features of an observation, one for each of its numbers."""
    return (
        *_block("own"),
        *_block("other") * (players - 1),
        *_block("obstacle") * obstacles,
    )


@compiled
def shrink(arena: int, vector: complex, factor: float) -> complex:
    """A place or an offset as a share of the largest; endless ones into the unit disc."""
    shrunk = scale(vector, factor)
    return scale(shrunk, 1.0 / (1.0 + norm(shrunk))) if arena == OPEN else shrunk


@compiled
def _write(features: np.ndarray, place: int, k: int, vector: complex) -> None:
    features[place * BLOCK + k] = vector.real
    features[(place + 1) * BLOCK + k] = vector.imag


class Scales(NamedTuple):
    """The factors from quantities to features, and the kind of arena that offsets are in."""

    arena: int
    position: float
    offset: float
    speed: float
    force: float
    mass: float
    radius: float
    acceleration: float
    obstacle: float
    time: float


@compiled
def scales_of(rules: np.record) -> Scales:
    """The scales of a game's observations."""
    return Scales(
        rules.arena,
        rules.position_scale,
        rules.offset_scale,
        rules.speed_scale,
        rules.force_scale,
        rules.mass_scale,
        rules.radius_scale,
        rules.acceleration_scale,
        rules.obstacle_scale,
        rules.time_scale,
    )


@compiled
def encode_me(features: np.ndarray, k: int, scales: Scales, me: Vehicle, steps: int) -> None:
    """Writes the own block of the k-th observation into columns, each of `BLOCK`."""
    features[_SPEED * BLOCK + k] = (
        dot(me.velocity, me.heading) * scales.speed
    )  # the two are parallel
    _write(features, _POSITION, k, shrink(scales.arena, me.position, scales.position))
    _write(features, _HEADING, k, me.heading)
    features[_TIME_LEFT * BLOCK + k] = max(0.0, 1.0 - steps * scales.time)
    features[_MAX_SPEED * BLOCK + k] = me.max_speed * scales.speed
    features[_MAX_FORCE * BLOCK + k] = me.max_force * scales.force
    features[_MASS * BLOCK + k] = me.mass * scales.mass
    features[_RADIUS * BLOCK + k] = me.radius * scales.radius


@compiled
def encode_bearing(
    features: np.ndarray, k: int, scales: Scales, me: Vehicle, place: complex, other: Vehicle
) -> None:
    """Writes where another player is, seen from me at a place, and how it moves."""
    own_frame = me.heading.conjugate()
    offset = (place - me.position) * own_frame
    velocity = scale((other.velocity - me.velocity) * own_frame, 0.5 * scales.speed)
    features[_PRESENCE * BLOCK + k] = 1.0
    _write(features, _OFFSET_FORWARD, k, shrink(scales.arena, offset, scales.offset))
    _write(features, _VELOCITY, k, velocity)
    _write(features, _OTHER_HEADING, k, other.heading * own_frame)


@compiled
def encode_abilities(
    features: np.ndarray, k: int, scales: Scales, me: Vehicle, other: Vehicle
) -> None:
    """Writes how another player accelerates, and what it is capable of."""
    acceleration = scale(other.acceleration * me.heading.conjugate(), scales.acceleration)
    _write(features, _ACCELERATION, k, clamp_to_square(acceleration, 1.0))
    features[_OTHER_MAX_SPEED * BLOCK + k] = other.max_speed * scales.speed
    features[_OTHER_RADIUS * BLOCK + k] = other.radius * scales.radius


@compiled_loop
def encode_obstacles(row: np.ndarray, memory: np.record, me: int, k: int) -> None:
    """Writes the obstacles' blocks of the k-th game, nearest center first.

    Args:
        row: column of the observation, from the obstacles' blocks on.
        memory: of the engine.
        me: the player that sees them.
        k: the game.
    """
    rules = rules_of(memory)
    arena, half_size, scales = rules.arena, rules.half_size, scales_of(rules)
    mine = player_at(memory, me, k)
    position, heading = mine.position[0], mine.heading[0]
    last_square, last_place = -1.0, -1
    for rank in range(memory.obstacles):
        nearest, nearest_square, nearest_at = -1, math.inf, 0j
        for place in range(memory.obstacles):
            obstacle = obstacle_at(memory, place, k)
            if obstacle.radius > 0.0:
                offset = nearest_offset(arena, half_size, position, obstacle.center)
                square = dot(offset, offset)
                behind = square > last_square or (square == last_square and place > last_place)
                if behind and square < nearest_square:
                    nearest, nearest_square, nearest_at = place, square, offset
        first = rank * OBSTACLE_SIZE
        for feature in range(OBSTACLE_SIZE):
            row[first + feature] = 0.0
        if nearest >= 0:
            last_square, last_place = nearest_square, nearest
            own_offset = nearest_at * heading.conjugate()
            share = shrink(arena, own_offset, scales.offset)
            row[first + _OBSTACLE_PRESENCE] = 1.0
            row[first + _OBSTACLE_OFFSET] = share.real
            row[first + _OBSTACLE_OFFSET + 1] = share.imag
            radius = obstacle_at(memory, nearest, k).radius
            row[first + _OBSTACLE_RADIUS] = radius * scales.obstacle


@compiled
def number_of_other(me: int, place: int, pursuers: int, players: int) -> int:
    """The player whose block stands at a place of my observation: opponents, then teammates."""
    opponents = players - pursuers if me < pursuers else pursuers
    if place < opponents:
        return pursuers + place if me < pursuers else place
    teammate = place - opponents + (0 if me < pursuers else pursuers)
    return teammate if teammate < me else teammate + 1


@compiled_loop
def observe(
    memory: np.record, scratch: np.record, start: int, stop: int, side: int, observations: int
) -> None:
    """Writes the observations of one side's players in a block of games.

    Args:
        memory: of the engine.
        scratch: of the thread.
        start: the block's first game.
        stop: one past its last.
        side: PURSUER or EVADER.
        observations: the address of (N, players of the side, features) in float32; written.
    """
    pursuers, features = rules_of(memory).pursuers, memory.num_features
    first, team = (0, pursuers) if side == PURSUER else (pursuers, memory.players - pursuers)
    for me in range(first, first + team):
        place = (start * team + me - first) * features
        size = ((stop - start - 1) * team + 1) * features
        rows = column(observations, place, size, np.float32)
        observe_players(memory, scratch, me, start, stop, rows, team * features)
        begin = features - memory.obstacles * OBSTACLE_SIZE
        for k in range(start, stop) if memory.obstacles > 0 else range(0):
            place = (k * team + me - first) * features + begin
            row = column(observations, place, features - begin, np.float32)
            encode_obstacles(row, memory, me, k)


@compiled_loop
def observe_players(
    memory: np.record,
    scratch: np.record,
    me: int,
    start: int,
    stop: int,
    rows: np.ndarray,
    stride: int,
) -> None:
    """Writes what one player sees of all players, a block of features at a time.

    Args:
        memory: of the engine.
        scratch: of the thread; the features are computed there in columns.
        me: the player.
        start: the first of the games.
        stop: one past the last.
        rows: column of its observations in these games; written.
        stride: from one observation to the next.
    """
    games, rules, count = games_of(memory, start, stop), rules_of(memory), stop - start
    arena, half_size, scales = rules.arena, rules.half_size, scales_of(rules)
    features = column(scratch.features, 0, OTHER_SIZE * BLOCK, np.float32)
    mine = players_of(memory, me, start, stop)
    for k in range(count):
        encode_me(features, k, scales, body_at(mine, k), games.steps[k])
    for k in range(count):
        for place in range(OWN_SIZE):
            rows[k * stride + place] = features[place * BLOCK + k]
    for place in range(memory.players - 1):
        begin = OWN_SIZE + place * OTHER_SIZE
        other = number_of_other(me, place, rules.pursuers, memory.players)
        theirs = players_of(memory, other, start, stop)
        for k in range(count):
            seen = nearest_image(arena, half_size, mine.position[k], theirs.position[k])
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
    """Writes into the columns of games what observations of their players show.

    The player that observes is the first of its side in each game. Of another player's force
    limit and mass an observation shows nothing; they become the observer's.

    Args:
        observations: (N, features), one for each game.
        rules: of the games.
        side: of the player that observes.
        state: of N games; written, apart from what concerns the games themselves.
    """
    rows = observations.astype(np.float64)
    me, players = 0 if side == PURSUER else int(rules.pursuers), len(state.position)
    position, heading = _grown(rows, _POSITION, rules, "position"), _read(rows, _HEADING)
    velocity = heading * rows[:, _SPEED] / rules.speed_scale
    state.position[me], state.velocity[me], state.heading[me] = position, velocity, heading
    state.max_speed[me] = rows[:, _MAX_SPEED] / rules.speed_scale
    state.max_force[:] = rows[:, _MAX_FORCE] / rules.force_scale
    state.mass[:] = rows[:, _MASS] / rules.mass_scale
    state.radius[me] = rows[:, _RADIUS] / max(rules.radius_scale, 1e-300)
    state.active[me] = True
    block = rows[:, OWN_SIZE:]
    for place in range(players - 1):
        other = number_of_other(me, place, rules.pursuers, players)
        drift = _read(block, _VELOCITY) * (2.0 / rules.speed_scale)
        state.active[other] = block[:, _PRESENCE] > 0.5
        state.position[other] = (
            position + _grown(block, _OFFSET_FORWARD, rules, "offset") * heading
        )
        state.velocity[other] = velocity + drift * heading
        state.heading[other] = _read(block, _OTHER_HEADING) * heading
        acceleration = _read(block, _ACCELERATION) / rules.acceleration_scale
        state.acceleration[other] = acceleration * heading
        state.max_speed[other] = block[:, _OTHER_MAX_SPEED] / rules.speed_scale
        state.radius[other] = block[:, _OTHER_RADIUS] / max(rules.radius_scale, 1e-300)
        block = block[:, OTHER_SIZE:]
    for place in range(len(state.center)):
        offset = _grown(block, _OBSTACLE_OFFSET, rules, "offset")
        state.center[place] = position + offset * heading
        radius = block[:, _OBSTACLE_RADIUS] / rules.obstacle_scale
        state.obstacle_radius[place] = np.where(block[:, _OBSTACLE_PRESENCE] > 0.5, radius, 0.0)
        block = block[:, OBSTACLE_SIZE:]


def _read(rows: NDArray[np.float64], place: int) -> NDArray[np.complex128]:
    vectors: NDArray[np.complex128] = rows[:, place] + 1j * rows[:, place + 1]
    return vectors


def _grown(
    rows: NDArray[np.float64], place: int, rules: np.record, quantity: str
) -> NDArray[np.complex128]:
    """`shrink` undone, for a feature of many observations."""
    share = _read(rows, place)
    grown = share / rules[f"{quantity}_scale"]
    return grown / np.maximum(1e-6, 1.0 - np.abs(share)) if rules.arena == OPEN else grown
