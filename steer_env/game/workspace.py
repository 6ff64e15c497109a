"""Scratch space in which the loop lays a block of games out in columns.

The state keeps each game's data together, which is right for copying, saving and
looking at one. Arithmetic is fastest on columns: the loop copies a block of games into
columns that fit the processor's nearest cache, applies one textbook function to a column
after the other, which the compiler turns into vector instructions, and copies back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vehicle import Vehicle

BLOCK = 128
"""Games stepped together."""

Vectors = NDArray[np.complex128]
Numbers = NDArray[np.float64]


class Workspace(NamedTuple):
    """Scratch arrays of one thread; their contents mean nothing between calls."""

    vectors: Vectors  # (rows, BLOCK)
    numbers: Numbers  # (rows, BLOCK)
    wander_points: Vectors  # (BLOCK,): of the players in a scene
    wander_turns: Numbers  # (BLOCK,): of those points in this step, in radians
    members: NDArray[np.int64]  # (BLOCK,): games of the block that share a script
    present: NDArray[np.bool_]  # (BLOCK,): see `Scene`
    fresh: NDArray[np.bool_]  # (BLOCK,): games that began anew instead of their step
    nearest: Numbers  # (2, BLOCK): distance to the nearest pursuer, now and least in the step
    total: Numbers  # (BLOCK,): distances of all free evaders added up
    free: NDArray[np.int64]  # (BLOCK,): evaders still free
    caught: NDArray[np.int64]  # (BLOCK,): evaders caught in this step


class Outcome(NamedTuple):
    """What one side gets of a step of N games; every array is C-contiguous."""

    observations: NDArray[np.float32]  # (N, players of the side, features)
    rewards: NDArray[np.float64]  # (N,)
    terminated: NDArray[np.bool_]  # (N,)
    truncated: NDArray[np.bool_]  # (N,)
    distance: NDArray[np.float64]  # (N,): of free evaders to their pursuers, meters
    captured: NDArray[np.int64]  # (N,): evaders caught in the episode


class Bodies(NamedTuple):
    """The bodies of a block's players; every column has the shape (players, BLOCK)."""

    position: Vectors
    velocity: Vectors
    heading: Vectors
    acceleration: Vectors
    force: Vectors  # the steering force, not truncated
    step: Vectors  # the displacement in this step, in meters
    max_speed: Numbers
    max_force: Numbers
    mass: Numbers
    radius: Numbers


class Scene(NamedTuple):
    """What scripted players see; every column has the shape (BLOCK,), an entry a player."""

    position: Vectors
    velocity: Vectors
    heading: Vectors
    wander_point: Vectors
    other_position: Vectors  # the nearest opponent's, at its nearest image
    other_velocity: Vectors
    other_heading: Vectors
    other_acceleration: Vectors
    aim: Vectors
    force: Vectors
    max_speed: Numbers
    other_max_speed: Numbers
    room: Numbers  # how far from the middle the center can be; inf without walls
    time: Numbers  # seconds ahead
    present: NDArray[np.bool_]  # False where no opponent is left


_BODIES_VECTORS, _BODIES_NUMBERS = 6, 4
_SCENE_VECTORS, _SCENE_NUMBERS = 9, 4


def make_workspace(players: int) -> Workspace:
    """Scratch space for blocks of games with so many players each."""
    return Workspace(
        np.zeros((_SCENE_VECTORS + _BODIES_VECTORS * players, BLOCK), np.complex128),
        np.zeros((_SCENE_NUMBERS + _BODIES_NUMBERS * players, BLOCK), np.float64),
        np.zeros(BLOCK, np.complex128),
        np.zeros(BLOCK, np.float64),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK, np.bool_),
        np.zeros(BLOCK, np.bool_),
        np.zeros((2, BLOCK), np.float64),
        np.zeros(BLOCK, np.float64),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK, np.int64),
    )


@compiled
def scene_in(space: Workspace) -> Scene:
    """The columns of a scene in a workspace."""
    vectors, numbers = space.vectors, space.numbers
    return Scene(
        vectors[0],
        vectors[1],
        vectors[2],
        space.wander_points,
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        vectors[7],
        vectors[8],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        space.present,
    )


@compiled
def bodies_in(space: Workspace, players: int) -> Bodies:
    """The columns of the bodies in a workspace."""
    vectors, numbers = space.vectors[_SCENE_VECTORS:], space.numbers[_SCENE_NUMBERS:]
    return Bodies(
        vectors[:players],
        vectors[players : 2 * players],
        vectors[2 * players : 3 * players],
        vectors[3 * players : 4 * players],
        vectors[4 * players : 5 * players],
        vectors[5 * players : 6 * players],
        numbers[:players],
        numbers[players : 2 * players],
        numbers[2 * players : 3 * players],
        numbers[3 * players : 4 * players],
    )


@compiled
def scene_of_all(space: Workspace, bodies: Bodies, number: int, opponent: int) -> Scene:
    """The scene of one player in all games of a block, which needs no copying."""
    scratch = scene_in(space)
    return Scene(
        bodies.position[number],
        bodies.velocity[number],
        bodies.heading[number],
        scratch.wander_point,
        bodies.position[opponent],
        bodies.velocity[opponent],
        bodies.heading[opponent],
        bodies.acceleration[opponent],
        scratch.aim,
        bodies.force[number],
        bodies.max_speed[number],
        bodies.max_speed[opponent],
        scratch.room,
        scratch.time,
        scratch.present,
    )


@compiled
def me_at(scene: Scene, k: int) -> Vehicle:
    """The k-th player of a scene, as far as steering functions read it."""
    return Vehicle(
        scene.position[k],
        scene.velocity[k],
        scene.heading[k],
        scene.max_speed[k],
        1.0,
        1.0,
        0.0,
        0j,
    )


@compiled
def other_at(scene: Scene, k: int) -> Vehicle:
    """The opponent that the k-th player of a scene sees."""
    return Vehicle(
        scene.other_position[k],
        scene.other_velocity[k],
        scene.other_heading[k],
        scene.other_max_speed[k],
        1.0,
        1.0,
        0.0,
        scene.other_acceleration[k],
    )


@compiled
def body_at(bodies: Bodies, number: int, k: int) -> Vehicle:
    """The body of player ``number`` in the block's k-th game."""
    return Vehicle(
        bodies.position[number, k],
        bodies.velocity[number, k],
        bodies.heading[number, k],
        bodies.max_speed[number, k],
        bodies.max_force[number, k],
        bodies.mass[number, k],
        bodies.radius[number, k],
        bodies.acceleration[number, k],
    )


@compiled
def load_body(body: np.record, bodies: Bodies, number: int, k: int) -> None:
    """Copies a body's record into the columns."""
    bodies.position[number, k] = body.position
    bodies.velocity[number, k] = body.velocity
    bodies.heading[number, k] = body.heading
    bodies.acceleration[number, k] = body.acceleration
    bodies.max_speed[number, k] = body.max_speed
    bodies.max_force[number, k] = body.max_force
    bodies.mass[number, k] = body.mass
    bodies.radius[number, k] = body.radius


@compiled
def store_body(body: np.record, bodies: Bodies, number: int, k: int) -> None:
    """Copies what changes in a step from the columns into a body's record."""
    body.position = bodies.position[number, k]
    body.velocity = bodies.velocity[number, k]
    body.heading = bodies.heading[number, k]
    body.acceleration = bodies.acceleration[number, k]


@compiled_loop
def load_bodies(players: np.ndarray, start: int, stop: int, bodies: Bodies) -> None:
    """Copies the bodies of the games from start to stop - 1 into columns."""
    for number in range(players.shape[1]):
        for k in range(stop - start):
            load_body(players[start + k, number].body, bodies, number, k)
