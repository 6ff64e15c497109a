"""How the compiled loop reaches an engine's arrays: one record holds all their addresses.

Looking at the types of thirty arrays would cost more than a step of a game. So the loop takes
the addresses of two records, an engine's memory and a thread's scratch space, and makes its
named columns of what they point to. The engine keeps the arrays alive, and never moves them.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from steer_env.game.rules import RULES
from steer_env.game.state import Flags, Integers, Numbers, State, Vectors
from steer_env.scripts.table import SCRIPT
from steer_env.steering.compilation import compiled, record_dtype
from steer_env.steering.vehicle import OBSTACLE, VEHICLE

BLOCK = 128
"""Games that are stepped together: their columns fit the processor's nearest cache."""


class Scratch(NamedTuple):
    """The scratch space of one thread; its contents mean nothing between calls.

    Only the forces of a step are looked at after it, by `Engine.forces`.
    """

    force: Vectors  # (players, BLOCK): the steering force, not truncated
    step: Vectors  # (players, BLOCK): the displacement in this step, in meters
    seen: Vectors  # (10, BLOCK): what scripted players see; see `plain_scripts.Scene`
    measured: Numbers  # (5, BLOCK): likewise
    present: Flags  # (BLOCK,): whether a scripted player has an opponent left
    members: Integers  # (BLOCK,): games of the block in which a player follows a script
    still: Flags  # (BLOCK,): games that do not move in this step
    nearest: Numbers  # (BLOCK,): from an evader to its nearest pursuer after the step
    least: Numbers  # (BLOCK,): the same, at any moment of the step
    total: Numbers  # (BLOCK,): distances of all free evaders added up
    free: Integers  # (BLOCK,): evaders still free
    caught: Integers  # (BLOCK,): evaders caught in this step
    features: NDArray[np.float32]  # (features of one player, BLOCK)
    neighbors: NDArray[np.void]  # (players,) of VEHICLE: teammates of one player
    discs: NDArray[np.void]  # (obstacles,) of OBSTACLE, as one player sees them
    pair: NDArray[np.void]  # (4,) of VEHICLE: see `decision.ask_own_behavior`
    answer: Vectors  # (1,): the force that a user's own behavior returned
    is_faulty: Flags  # (1,): whether one of these was not a number


def make_scratch(players: int, obstacles: int, features: int) -> Scratch:
    """Scratch space for blocks of games with so many players and obstacles each."""
    return Scratch(
        np.zeros((players, BLOCK), np.complex128),
        np.zeros((players, BLOCK), np.complex128),
        np.zeros((10, BLOCK), np.complex128),
        np.zeros((5, BLOCK)),
        np.zeros(BLOCK, np.bool_),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK, np.bool_),
        *(np.zeros(BLOCK) for _ in range(3)),
        *(np.zeros(BLOCK, np.int64) for _ in range(2)),
        np.zeros((features, BLOCK), np.float32),
        np.zeros(players, VEHICLE),
        np.zeros(obstacles, OBSTACLE),
        np.zeros(4, VEHICLE),
        np.zeros(1, np.complex128),
        np.zeros(1, np.bool_),
    )


class Measures(NamedTuple):
    """What is measured of each game besides its outcome; columns are (2, N): both sides."""

    closest: Numbers  # (N,): the nearest that a pursuer came to a free evader, in meters
    path: Numbers  # meters that the side's players have gone, added up
    effort: Numbers  # lengths of their actions (1: all they can), added up
    turns: Integers  # steps in which they acted, added up


def make_measures(num_games: int) -> Measures:
    """Measures of games that have not begun."""
    return Measures(
        np.full(num_games, np.inf),
        np.zeros((2, num_games)),
        np.zeros((2, num_games)),
        np.zeros((2, num_games), np.int64),
    )


def _addresses(*fields: str) -> list[tuple[Any, ...]]:
    return [(name, np.intp) for name in fields]


MEMORY = record_dtype(
    [
        *[(name, np.int64) for name in ("games", "players", "obstacles", "num_features")],
        ("is_measured", np.bool_),
        *_addresses(*State._fields, *Measures._fields, "rules", "scripts"),
    ]
)
"""What belongs to an engine: numbers of things, and where each column begins."""

SCRATCH = record_dtype(
    [
        *[(name, np.int64) for name in ("players", "obstacles", "num_features")],
        *_addresses(*Scratch._fields),
    ]
)
"""What belongs to a thread."""


def address_of(array: NDArray[Any]) -> int:
    """Where an array begins in memory."""
    return int(array.ctypes.data)


def memory_record(
    state: State, num_features: int, rules: NDArray[np.void], scripts: NDArray[np.void]
) -> NDArray[np.void]:
    """An array of one `MEMORY` record for these arrays; the caller must keep them."""
    memory = np.zeros(1, MEMORY)
    memory["players"], memory["games"] = state.position.shape
    memory["obstacles"], memory["num_features"] = len(state.center), num_features
    for name, array in (*state._asdict().items(), ("rules", rules), ("scripts", scripts)):
        memory[name] = address_of(array)
    return memory


def measure(memory: NDArray[np.void], measures: Measures | None) -> None:
    """Has the loop add to these measures; None for not to measure."""
    memory["is_measured"] = measures is not None
    for name, array in () if measures is None else measures._asdict().items():
        memory[name] = address_of(array)


def scratch_record(scratch: Scratch) -> NDArray[np.void]:
    """An array of one `SCRATCH` record for this space; the caller must keep it."""
    record = np.zeros(1, SCRATCH)
    record["players"], record["obstacles"] = len(scratch.neighbors), len(scratch.discs)
    record["num_features"] = len(scratch.features)
    for name, array in scratch._asdict().items():
        record[name] = address_of(array)
    return record


def array_at(address: int, shape: Any, dtype: Any) -> Any:
    """The C-contiguous array at an address; nothing is copied."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = (ctypes.c_char * size).from_address(int(address))
    return np.ndarray(shape, dtype, memory)


@intrinsic
def _pointer(context, address):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.intp), generate


@overload(array_at)
def _array_at(address, shape, dtype):  # type: ignore[no-untyped-def]
    return lambda address, shape, dtype: numba.carray(_pointer(address), shape, dtype)


@compiled
def state_at(memory: np.record) -> State:
    """The columns of an engine's games."""
    each_player = (memory.players, memory.games)
    each_obstacle = (memory.obstacles, memory.games)
    games = memory.games
    return State(
        array_at(memory.position, each_player, np.complex128),
        array_at(memory.velocity, each_player, np.complex128),
        array_at(memory.heading, each_player, np.complex128),
        array_at(memory.acceleration, each_player, np.complex128),
        array_at(memory.max_speed, each_player, np.float64),
        array_at(memory.max_force, each_player, np.float64),
        array_at(memory.mass, each_player, np.float64),
        array_at(memory.radius, each_player, np.float64),
        array_at(memory.wander_point, each_player, np.complex128),
        array_at(memory.active, each_player, np.bool_),
        array_at(memory.center, each_obstacle, np.complex128),
        array_at(memory.obstacle_radius, each_obstacle, np.float64),
        array_at(memory.key, games, np.uint64),
        array_at(memory.draws, games, np.uint64),
        array_at(memory.steps, games, np.int64),
        array_at(memory.phase, games, np.int64),
        array_at(memory.captured, games, np.int64),
        array_at(memory.distance, games, np.float64),
        array_at(memory.script, (2, games), np.int64),
    )


@compiled
def measures_at(memory: np.record) -> Measures:
    """The measures of an engine's games; without games where nothing is measured."""
    games = memory.games if memory.is_measured else 0
    return Measures(
        array_at(memory.closest, games, np.float64),
        array_at(memory.path, (2, games), np.float64),
        array_at(memory.effort, (2, games), np.float64),
        array_at(memory.turns, (2, games), np.int64),
    )


@compiled
def rules_at(memory: np.record) -> np.record:
    """The rules of an engine's games."""
    return array_at(memory.rules, 1, RULES)[0]


@compiled
def scripts_at(memory: np.record, rules: np.record) -> np.ndarray:
    """The table of the scripts that an engine's games draw from."""
    return array_at(memory.scripts, rules.num_scripts[0] + rules.num_scripts[1], SCRIPT)


@compiled
def scratch_at(record: np.record) -> Scratch:
    """The scratch space of a thread."""
    each_player = (record.players, BLOCK)
    return Scratch(
        array_at(record.force, each_player, np.complex128),
        array_at(record.step, each_player, np.complex128),
        array_at(record.seen, (10, BLOCK), np.complex128),
        array_at(record.measured, (5, BLOCK), np.float64),
        array_at(record.present, BLOCK, np.bool_),
        array_at(record.members, BLOCK, np.int64),
        array_at(record.still, BLOCK, np.bool_),
        array_at(record.nearest, BLOCK, np.float64),
        array_at(record.least, BLOCK, np.float64),
        array_at(record.total, BLOCK, np.float64),
        array_at(record.free, BLOCK, np.int64),
        array_at(record.caught, BLOCK, np.int64),
        array_at(record.features, (record.num_features, BLOCK), np.float32),
        array_at(record.neighbors, record.players, VEHICLE),
        array_at(record.discs, record.obstacles, OBSTACLE),
        array_at(record.pair, 4, VEHICLE),
        array_at(record.answer, 1, np.complex128),
        array_at(record.is_faulty, 1, np.bool_),
    )
