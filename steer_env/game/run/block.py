"""A block of games that are stepped together, as the functions of the compiled loop see it.

They take a `Block`, and some of these:

- ``k``: a game, counted from the first of all, or in columns from the first of the block;
- ``number``: of a player; ``row``: of its script in the table; ``found``: how many games follow
  the script, which ``scratch.moves`` marks and ``scratch.members`` lists;
- ``side``: PURSUER or EVADER.

Routines (see `steer_env.machine_code.routines`) take the three numbers of `block_at` first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import nearest_image, nearest_offset
from steer_env.game.rules import EVADER, PURSUER, RULES
from steer_env.game.run.memory import BLOCK, CALL, MEMORY, SCRATCH
from steer_env.game.state import Flags, Integers, Numbers, Vectors
from steer_env.machine_code.addresses import column, record_at, records_at
from steer_env.machine_code.marking import compiled_properties
from steer_env.scripts.explanation import EXPLANATION
from steer_env.scripts.table import SCRIPT
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import VEHICLE, Obstacle, Vehicle

_SCRIPT_SIZE, _EXPLANATION_SIZE = SCRIPT.itemsize, EXPLANATION.itemsize


@compiled_properties
class Block(NamedTuple):
    """Games that are stepped together, and the addresses of all that belongs to them."""

    call_at: int
    memory_at: int
    scratch_at: int
    rules_at: int
    start: int  # the first game
    stop: int  # one past the last
    size: int  # how many games

    @property
    def call(self) -> np.record:
        """The arguments of the call, a `CALL` record."""
        return record_at(self.call_at, CALL)

    @property
    def memory(self) -> np.record:
        """The engine's `MEMORY` record."""
        return record_at(self.memory_at, MEMORY)

    @property
    def scratch(self) -> np.record:
        """The thread's `SCRATCH` record."""
        return record_at(self.scratch_at, SCRATCH)

    @property
    def rules(self) -> np.record:
        """The game's `RULES` record."""
        return record_at(self.rules_at, RULES)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The numbers that make a block, as routines take them."""
        return self.call_at, self.start, self.stop

    @property
    def games(self) -> Games:
        """The columns of the games."""
        return _games(self.memory, self.start, self.size)

    @property
    def neighbors(self) -> np.ndarray:
        """The records of a thread for vehicles that a player attends to."""
        return records_at(self.scratch.neighbors, self.memory.players, VEHICLE)

    @property
    def outcomes(self) -> Outcomes:
        """The columns of the call for rewards and ends."""
        call, start, size = self.call, self.start, self.size
        return Outcomes(
            column(call.rewards, start, size, np.float64),
            column(call.terminated, start, size, np.uint8),
            column(call.truncated, start, size, np.uint8),
        )


@compiled
def block_at(call_at: int, start: int, stop: int) -> Block:
    """The games from start to stop - 1 of a call."""
    call = record_at(call_at, CALL)
    memory = record_at(call.memory, MEMORY)
    return Block(call_at, call.memory, call.scratch, memory.rules, start, stop, stop - start)


class Players(NamedTuple):
    """One player in the games of a block: columns with an entry a game."""

    position: Vectors
    velocity: Vectors
    heading: Vectors
    max_speed: Numbers
    max_force: Numbers
    mass: Numbers
    radius: Numbers
    acceleration: Vectors
    wander_point: Vectors
    active: Flags


@compiled
def _players(memory: np.record, first: int, count: int) -> Players:
    return Players(
        column(memory.position, first, count, np.complex128),
        column(memory.velocity, first, count, np.complex128),
        column(memory.heading, first, count, np.complex128),
        column(memory.max_speed, first, count, np.float64),
        column(memory.max_force, first, count, np.float64),
        column(memory.mass, first, count, np.float64),
        column(memory.radius, first, count, np.float64),
        column(memory.acceleration, first, count, np.complex128),
        column(memory.wander_point, first, count, np.complex128),
        column(memory.active, first, count, np.uint8),
    )


@compiled
def players_of(block: Block, number: int) -> Players:
    """The columns of a player in the games of a block."""
    return _players(block.memory, number * block.memory.games + block.start, block.size)


@compiled
def player_at(block: Block, number: int, k: int) -> Players:
    """The columns of a player in the k-th game alone."""
    return _players(block.memory, number * block.memory.games + k, 1)


@compiled
def body_at(players: Players, k: int) -> Vehicle:
    """The body of a player in the k-th game of the block."""
    return Vehicle(
        players.position[k],
        players.velocity[k],
        players.heading[k],
        players.max_speed[k],
        players.max_force[k],
        players.mass[k],
        players.radius[k],
        players.acceleration[k],
    )


class Games(NamedTuple):
    """The columns of the games of a block, see `State`."""

    key: NDArray[np.uint64]
    draws: NDArray[np.uint64]
    steps: Integers
    phase: Integers
    captured: Integers
    distance: Numbers
    pursuers_script: Integers
    evaders_script: Integers


@compiled
def _games(memory: np.record, start: int, count: int) -> Games:
    return Games(
        column(memory.key, start, count, np.uint64),
        column(memory.draws, start, count, np.uint64),
        column(memory.steps, start, count, np.int64),
        column(memory.phase, start, count, np.int64),
        column(memory.captured, start, count, np.int64),
        column(memory.distance, start, count, np.float64),
        column(memory.script, start, count, np.int64),
        column(memory.script, memory.games + start, count, np.int64),
    )


@compiled
def game_at(block: Block, k: int) -> Games:
    """The columns of the k-th game alone."""
    return _games(block.memory, k, 1)


@compiled
def obstacle_at(block: Block, place: int, k: int) -> Obstacle:
    """An obstacle of the k-th game, of radius 0 if it is absent."""
    first, memory = place * block.memory.games + k, block.memory
    center = column(memory.center, first, 1, np.complex128)
    return Obstacle(center[0], column(memory.obstacle_radius, first, 1, np.float64)[0])


@compiled
def obstacles_of(block: Block, place: int) -> tuple[Vectors, Numbers]:
    """The columns of centers and radii of an obstacle in the games of a block."""
    first, memory = place * block.memory.games + block.start, block.memory
    return (
        column(memory.center, first, block.size, np.complex128),
        column(memory.obstacle_radius, first, block.size, np.float64),
    )


@compiled
def team_of(block: Block, side: int) -> tuple[int, int]:
    """The number of a side's first player, and how many it has."""
    pursuers = block.rules.pursuers
    return (0, pursuers) if side == PURSUER else (pursuers, block.memory.players - pursuers)


@compiled
def side_of(block: Block, number: int) -> int:
    """The side that a player is on."""
    return PURSUER if number < block.rules.pursuers else EVADER


@compiled
def teammates_of(block: Block, number: int) -> tuple[int, int]:
    """The first player of a player's own side, and one past the last."""
    pursuers = block.rules.pursuers
    return (0, pursuers) if number < pursuers else (pursuers, block.memory.players)


@compiled
def opponents_of(block: Block, number: int) -> tuple[int, int]:
    """The first player of the other side, and one past the last."""
    pursuers = block.rules.pursuers
    return (pursuers, block.memory.players) if number < pursuers else (0, pursuers)


@compiled
def offset_between(block: Block, start: complex, end: complex) -> complex:
    """The vector from start to end in the games' arena, see `nearest_offset`."""
    return nearest_offset(block.rules.arena, block.rules.half_size, start, end)


@compiled
def image_near(block: Block, start: complex, end: complex) -> complex:
    """The image of the end that is nearest to the start, see `nearest_image`."""
    return nearest_image(block.rules.arena, block.rules.half_size, start, end)


@compiled
def script_at(block: Block, row: int) -> np.record:
    """A row of the table of the scripts that an engine's games draw from."""
    return record_at(block.memory.scripts + row * _SCRIPT_SIZE, SCRIPT)


@compiled
def explanation_of(block: Block, number: int, k: int) -> int:
    """The address of the explanation of a player in the k-th game, or 0."""
    if block.memory.explanations == 0:
        return 0
    return block.memory.explanations + (number * block.memory.games + k) * _EXPLANATION_SIZE


@compiled
def vectors(address: int) -> Vectors:
    """A column of vectors in a thread's scratch space."""
    return column(address, 0, BLOCK, np.complex128)


@compiled
def numbers(address: int) -> Numbers:
    """A column of numbers in a thread's scratch space."""
    return column(address, 0, BLOCK, np.float64)


@compiled
def integers(address: int) -> Integers:
    """A column of integers in a thread's scratch space."""
    return column(address, 0, BLOCK, np.int64)


@compiled
def flags(address: int) -> Flags:
    """A column of flags in a thread's scratch space."""
    return column(address, 0, BLOCK, np.uint8)


@compiled
def force_of(block: Block, number: int) -> Vectors:
    """The steering forces of a player in the games of a block, not truncated, in newtons."""
    return column(block.scratch.force, number * BLOCK, BLOCK, np.complex128)


@compiled
def step_of(block: Block, number: int) -> Vectors:
    """The displacements of a player in the games of a block in this step, in meters."""
    return column(block.scratch.step, number * BLOCK, BLOCK, np.complex128)


@compiled
def played_of(block: Block, number: int) -> Flags:
    """The games of a block in which a player was in play before this step."""
    return column(block.scratch.played, number * BLOCK, BLOCK, np.uint8)


class Outcomes(NamedTuple):
    """The columns of a call for the rewards and ends of games."""

    rewards: Numbers
    terminated: Flags
    truncated: Flags


@compiled
def fill_forces(
    block: Block, number: int, row: int, found: int, decide: Callable[..., complex]
) -> None:
    """Writes a player's forces in the games where it follows a script.

    ``decide`` takes a block, the player's number, its `SCRIPT` record and a game's number.
    """
    script, force = script_at(block, row), force_of(block, number)
    members = integers(block.scratch.members)
    for entry in range(found):
        k = members[entry]
        force[k - block.start] = decide(block, number, script, k)
