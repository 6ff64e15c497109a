"""A block of games that are stepped together, as the functions of the compiled loop see it.

They take a `Block`, and some of these:

- ``k``: a game, counted from the first of all, or in columns from the first of the block;
- ``number``: of a player; ``row``: of its script in the table; ``followers``: how many games
  follow the script, which the column ``moves`` marks and ``members`` lists;
- ``side``: PURSUER or EVADER.

Routines (see `steer_env.machine_code.routines`) take the three numbers of `block_at` first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.region import Region
from steer_env.game.rules import EVADER, PURSUER, RULES, region_of
from steer_env.game.run.maps import walls_of
from steer_env.game.run.memory import BLOCK, CALL, MEMORY, SCRATCH, Columns
from steer_env.game.state import Flags, Integers, Numbers, Vectors
from steer_env.machine_code.addresses import column, record_at, records_at
from steer_env.machine_code.marking import compiled_class
from steer_env.scripts.table import EXPLANATION, SCRIPT
from steer_env.steering.compilation import compiled
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Obstacle, Vehicle, with_motion
from steer_env.steering.walls import Walls

_SCRIPT_SIZE, _EXPLANATION_SIZE = SCRIPT.itemsize, EXPLANATION.itemsize


@compiled_class
@dataclass(frozen=True)
class Block:
    """Games that are stepped together, and the addresses of their data."""

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
    def columns(self) -> Any:
        """The `Columns` of the thread's scratch space."""
        return Columns(self.scratch_at)

    @property
    def rules(self) -> np.record:
        """The game's `RULES` record."""
        return record_at(self.rules_at, RULES)

    @property
    def region(self) -> Region:
        """The region of the games."""
        return region_of(self.rules)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The numbers that make a block, as routines take them."""
        return self.call_at, self.start, self.stop

    @property
    def games(self) -> Games:
        """The columns of the games."""
        return _games(self.memory, self.start, self.size)

    def game(self, k: int) -> Games:
        """The columns of the k-th game alone."""
        return _games(self.memory, k, 1)

    def playing(self, side: int) -> Integers:
        """The script of a side that plays in each game, by its place among the side's."""
        games = self.games
        return games.pursuers_script if side == PURSUER else games.evaders_script

    def side(self, number: int) -> int:
        """The side that a player is on."""
        return PURSUER if number < self.rules.pursuers else EVADER

    def team(self, side: int) -> tuple[int, int]:
        """The number of a side's first player, and how many it has."""
        pursuers = self.rules.pursuers
        return (0, pursuers) if side == PURSUER else (pursuers, self.memory.players - pursuers)

    def teammates(self, number: int) -> tuple[int, int]:
        """The first player of a player's own side, and one past the last."""
        pursuers = self.rules.pursuers
        return (0, pursuers) if number < pursuers else (pursuers, self.memory.players)

    def opponents(self, number: int) -> tuple[int, int]:
        """The first player of the other side, and one past the last."""
        pursuers = self.rules.pursuers
        return (pursuers, self.memory.players) if number < pursuers else (0, pursuers)

    def players(self, number: int) -> Players:
        """The columns of a player in the games of the block."""
        return _players(self.memory, number * self.memory.games + self.start, self.size)

    def player(self, number: int, k: int) -> Players:
        """The columns of a player in the k-th game alone."""
        return _players(self.memory, number * self.memory.games + k, 1)

    def body(self, number: int, k: int) -> Vehicle:
        """The body of a player in the k-th game."""
        return body_at(self.player(number, k), 0)

    def seen_from(self, position: complex, number: int, k: int) -> Vehicle:
        """The body of a player in the k-th game, at its image nearest to a position."""
        body = self.body(number, k)
        return with_motion(body, self.region.image(position, body.position), body.velocity)

    def obstacles(self, place: int) -> tuple[Vectors, Numbers]:
        """The columns of centers and radii of an obstacle in the games of the block."""
        first, memory = place * self.memory.games + self.start, self.memory
        return (
            column(memory.center, first, self.size, np.complex128),
            column(memory.obstacle_radius, first, self.size, np.float64),
        )

    def obstacle(self, place: int, k: int) -> Obstacle:
        """An obstacle of the k-th game, of radius 0 if it is absent."""
        first, memory = place * self.memory.games + k, self.memory
        center = column(memory.center, first, 1, np.complex128)
        return Obstacle(center[0], column(memory.obstacle_radius, first, 1, np.float64)[0])

    def discs(self, k: int) -> np.ndarray:
        """The obstacles of the k-th game."""
        discs = self.space_for_discs
        for place in range(self.memory.obstacles):
            obstacle = self.obstacle(place, k)
            discs[place].center = obstacle.center
            discs[place].radius = obstacle.radius
        return discs

    def walls(self, k: int) -> Walls:
        """The walls of the k-th game's map."""
        return walls_of(self.memory, k, False)

    def walls_for_feelers(self, k: int) -> Walls:
        """The same in large cells with a wide margin."""
        return walls_of(self.memory, k, True)

    @property
    def space_for_discs(self) -> np.ndarray:
        """The records of a thread for the obstacles of a game, as one player sees them."""
        return records_at(self.scratch.discs, self.memory.obstacles, OBSTACLE)

    @property
    def neighbors(self) -> np.ndarray:
        """The thread's records for the vehicles near a player."""
        return records_at(self.scratch.neighbors, self.memory.players, VEHICLE)

    def script(self, row: int) -> np.record:
        """A row of the table of the scripts that an engine's games draw from."""
        return record_at(self.memory.scripts + row * _SCRIPT_SIZE, SCRIPT)

    def explanation(self, number: int, k: int) -> int:
        """The address of the explanation of a player in the k-th game, or 0."""
        if self.memory.explanations == 0:
            return 0
        return self.memory.explanations + (number * self.memory.games + k) * _EXPLANATION_SIZE

    def actions(self, side: int) -> int:
        """The address of a side's actions, 0 if scripts steer all its players."""
        return self.call.pursuer_actions if side == PURSUER else self.call.evader_actions

    def force(self, number: int) -> Vectors:
        """The steering forces of a player in the games, not truncated, in newtons."""
        return column(self.scratch.force, number * BLOCK, BLOCK, np.complex128)

    def step(self, number: int) -> Vectors:
        """The displacements of a player in the games in this step, in meters."""
        return column(self.scratch.step, number * BLOCK, BLOCK, np.complex128)

    def played(self, number: int) -> Flags:
        """The games in which a player was in play before this step."""
        return column(self.scratch.played, number * BLOCK, BLOCK, np.uint8)

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


class Games(NamedTuple):
    """The columns of the games of a block, see `State`."""

    key: NDArray[np.uint64]
    draws: NDArray[np.uint64]
    steps: Integers
    phase: Integers
    captured: Integers
    outcome: Numbers
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
        column(memory.outcome, start, count, np.float64),
        column(memory.distance, start, count, np.float64),
        column(memory.script, start, count, np.int64),
        column(memory.script, memory.games + start, count, np.int64),
    )


class Outcomes(NamedTuple):
    """The columns of a call for the rewards and ends of games."""

    rewards: Numbers
    terminated: Flags
    truncated: Flags


@compiled
def fill_forces(
    block: Block, number: int, row: int, followers: int, decide: Callable[..., complex]
) -> None:
    """Writes the forces ``decide(block, number, script, k)`` of a script's followers."""
    script, force, members = block.script(row), block.force(number), block.columns.members
    for entry in range(followers):
        k = members[entry]
        force[k - block.start] = decide(block, number, script, k)
