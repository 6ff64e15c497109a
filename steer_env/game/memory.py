"""How the compiled loop reaches an engine's arrays: one record holds all their addresses.

Looking at the types of thirty arrays would cost more than a step of a game. So the loop takes
the addresses of two records, an engine's memory and a thread's scratch space, and makes its
named columns of what they point to. The engine keeps the arrays alive, and never moves them.

The functions of the loop, and its routines (see `steer_env.machine_code.routines`), take some
of these:

- ``memory``, ``scratch``: the engine's `MEMORY` and the thread's `SCRATCH`; of routines the
  addresses, ``memory_at`` and ``scratch_at``;
- ``start``, ``stop``: the first game of a block, and one past its last; ``k``: a game;
- ``number``: of a player; ``row``: of its script in the table; ``found``: how many games follow
  the script, which ``scratch.moves`` marks and ``scratch.members`` lists;
- ``side``: PURSUER or EVADER; of whose players or rewards the other arguments are;
- ``observations_address``, ``actions``: of (N, players of the side, size) in float32;
- ``rewards_address``: of (N,) in float64; ``terminated_address`` and ``truncated_address``: of
  (N,) flags.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from steer_env.game.features import OBSTACLE_SIZE
from steer_env.game.limits import Limits
from steer_env.game.rules import PURSUER, RULES
from steer_env.game.state import Flags, Integers, Numbers, State, Vectors
from steer_env.game.transition import TRANSITION
from steer_env.game.uniform_grid import CELLS_BESIDE, GRID
from steer_env.machine_code.addresses import address_of, column, record_at
from steer_env.machine_code.marking import record_dtype
from steer_env.scripts.table import SCRIPT
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import ASKED
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Obstacle, Vehicle

_SCRIPT_SIZE = SCRIPT.itemsize

BLOCK = 128
"""Games that are stepped together: their columns fit the processor's nearest cache."""


class Scratch(NamedTuple):
    """The scratch space of one thread; its contents mean nothing between calls.

    Only the forces of a step are looked at after it, by `Engine.forces`. Columns have an entry
    for each game of a block; "the player" is the one that is dealt with.
    """

    force: Vectors  # (players, BLOCK): decided on, not truncated, in newtons
    step: Vectors  # (players, BLOCK): displacements in this step, in meters
    still: Flags  # (BLOCK,), as the rest: 0 for games that move in this step
    moves: Flags  # where the player moves
    members: Integers  # the games where it follows a script, one after the other
    wander_turn: Numbers
    opponent: Integers  # the number of its nearest opponent, -1 if none is left
    opponent_square: Numbers  # of the distance to it
    present: Flags  # where it has one
    other_position: Vectors  # the opponent's
    other_velocity: Vectors
    other_heading: Vectors
    other_acceleration: Vectors
    other_max_speed: Numbers
    room: Numbers  # see `plain_scripts.Scene`, as the next three
    time: Numbers
    aim: Vectors
    script_force: Vectors
    free_velocity: Vectors  # under the force, free of walls
    free_heading: Vectors
    end_velocity: Vectors  # free of walls at the end of a step, where it `dynamics.curves`
    after: Vectors  # the velocity after the step
    nearest: Numbers  # from an evader to its nearest pursuer after the step
    least: Numbers  # the same, at any moment of the step
    total: Numbers  # `nearest`, added up for all free evaders
    free: Integers  # evaders still free
    caught: Integers  # evaders caught in this step
    within: Integers  # pursuers that came within the capture radius of an evader
    features: NDArray[np.float32]  # (11, BLOCK): see `observation.observe_players`
    neighbors: NDArray[np.void]  # (players,) of VEHICLE: teammates of one player
    discs: NDArray[np.void]  # (obstacles,) of OBSTACLE: of one game, as one player sees them
    disc_offset: Vectors  # (obstacles,) of one game, nearest first: from one player
    disc_square: Numbers  # (obstacles,): of the distance
    disc_radius: Numbers  # (obstacles,)
    disc_squares: Numbers  # (obstacles, BLOCK): of the distances from one player
    disc_ranks: Integers  # (obstacles, BLOCK): how many obstacles are nearer
    disc_order: Integers  # (obstacles,): of one game, the nearest first
    disc_features: NDArray[np.float32]  # (obstacles, 4, BLOCK): see `observed_obstacles`
    grids: NDArray[np.void]  # (2 * BLOCK,) of `neighbors.GRID`: both sides' in each game
    cell_begins: Integers  # where each cell's members begin, among those of its grid
    cell_members: Integers  # (BLOCK * players,): the numbers of the vehicles, cell by cell
    cell_places: Vectors  # (BLOCK * players,): theirs
    cell_numbers: Integers  # (players,): the cell of each vehicle of one game
    near: Integers  # (players,): numbers of the vehicles near a place
    near_square: Numbers  # (players,): of their distances
    near_spare: Integers  # (players,): room to sort them
    binned_at: Vectors  # (players,): where the grids of one game have its vehicles
    found: Integers  # of which the first entry says what a routine of `neighbors` found
    drift: Numbers  # of which the first says how far a vehicle is from `binned_at` at most
    seen: Integers  # (BLOCK,): see `in_sight.nearest_in_sight`
    seen_square: Numbers  # (BLOCK,), likewise
    asked: NDArray[np.void]  # (2,) of ASKED: of a script; see `own_behavior.ask_behavior`
    sensed: NDArray[np.void]  # (2,) of ASKED: of a user-defined feature, and the first fault
    before: NDArray[np.void]  # (players * BLOCK,) of VEHICLE: as they were before the step
    played: Flags  # (players, BLOCK): whether they were in play then
    transitions: NDArray[np.void]  # (2,) of TRANSITION: see `reward.add_reward_terms`
    own_number: Numbers  # (1,): what a user's own reward term returned
    faulty_term: Integers  # (1,): the first one that was not a number, -1 if all are
    faulty_feature: Integers  # (1,): the first one at fault, -1 if none is


_DTYPES: dict[Any, Any] = {
    Vectors: np.complex128,
    Numbers: np.float64,
    Integers: np.int64,
    Flags: np.bool_,
}
_KINDS = get_type_hints(Scratch)
_RECORDS: dict[str, Any] = {
    **dict.fromkeys(("features", "disc_features"), np.float32),
    **dict.fromkeys(("neighbors", "before"), VEHICLE),
    **dict.fromkeys(("asked", "sensed"), ASKED),
    **{"discs": OBSTACLE, "grids": GRID, "transitions": TRANSITION},
}


def make_scratch(
    players: int, obstacles: int, remembers: bool = False, has_grids: bool = False
) -> Scratch:
    """Scratch space for blocks of games with so many players and obstacles each.

    Args:
        players: of both sides.
        obstacles: of one game.
        remembers: whether it has room for the players as they were before the step.
        has_grids: whether it has room for the grids of `neighbors`.
    """
    remembered, binned = players if remembers else 0, players if has_grids else 0
    cells = 2 * (binned + CELLS_BESIDE) if has_grids else 0
    size = max(BLOCK, players + 1)  # `team_scripts` borrows some, with an entry for each player
    shapes: dict[str, Any] = {
        **dict.fromkeys(("force", "step", "played"), (players, BLOCK)),
        "features": (11, BLOCK),
        "neighbors": players,
        **dict.fromkeys(("discs", "disc_offset", "disc_square", "disc_radius"), obstacles),
        **dict.fromkeys(("disc_squares", "disc_ranks"), (obstacles, BLOCK)),
        "disc_order": obstacles,
        "disc_features": (obstacles, OBSTACLE_SIZE, BLOCK),
        "grids": 2 * BLOCK if has_grids else 0,
        "cell_begins": BLOCK * cells,
        **dict.fromkeys(("cell_members", "cell_places"), BLOCK * binned),
        **dict.fromkeys(("cell_numbers", "near", "near_square", "near_spare"), binned),
        "binned_at": binned,
        "before": remembered * BLOCK,
        **dict.fromkeys(("asked", "sensed", "transitions"), 2),
        **dict.fromkeys(("own_number", "faulty_term", "faulty_feature"), 1),
    }
    kinds = {name: _RECORDS.get(name) or _DTYPES[kind] for name, kind in _KINDS.items()}
    return Scratch(*(np.zeros(shapes.get(name, size), kinds[name]) for name in kinds))


class Measures(NamedTuple):
    """What is measured of each game besides its outcome; columns are (2, N): both sides."""

    closest: Numbers  # (N,): the nearest that a pursuer came to a free evader, in meters
    path: Numbers  # meters that the side's players have gone, added up
    effort: Numbers  # lengths of their actions (1: all they can), added up
    turns: Integers  # steps in which they acted, added up
    early: Numbers  # (N,): seconds from the moment of capture to the end of its step


def make_measures(num_games: int) -> Measures:
    """Measures of games that have not begun."""
    return Measures(
        np.full(num_games, np.inf),
        np.zeros((2, num_games)),
        np.zeros((2, num_games)),
        np.zeros((2, num_games), np.int64),
        np.zeros(num_games),
    )


def _addresses(*fields: str) -> list[tuple[Any, ...]]:
    return [(name, np.intp) for name in fields]


ROUTINES = (
    "move_among_obstacles",
    "observe_obstacles",
    "observe_partially",
    "part_overlapping",
    "measure_decisions",
    "measure_motion",
    "write_actions",
    "remember_players",
    "add_reward_terms",
    "give_credit",
    "hide_absent",
    "sense",
    "actuate",
    "settle",
    "bin_players",
    "bin_moved_pursuers",
    "find_nearest",
    "find_teammates",
    "find_partner",
    "approach_in_grid",
)
"""Routines that most games do without; they are called only where they are needed."""

MEMORY = record_dtype(
    [
        *[(name, np.int64) for name in ("games", "players", "obstacles", "num_features")],
        *[(name, np.int64) for name in ("num_terms", "action_delay", "past_action_rows")],
        ("sighting_rows", np.int64),
        ("action_noise", np.float64),
        *_addresses(
            *State._fields, *Limits._fields, *Measures._fields, "rules", "scripts", "address"
        ),
        *_addresses("terms", "sensors", "executed", "starts"),
        ("explanations", np.intp),  # (players, N) of EXPLANATION; 0 if nobody wants them
        ("credit_captures", np.intp),
        *[(f"credit_{name}", np.intp, (2,)) for name in ("rewards", "in_play")],  # each side's
        *[(f"credit_{name}", np.intp, (2,)) for name in ("terminated", "truncated")],
        ("credit_method", np.int64),
        ("others_observations", np.intp),  # of the side that the outcome is not of
        ("num_starts", np.int64),
        ("has_grid", np.int64, (2,)),  # whether each side has one; see `neighbors`
        ("is_searched", np.int64, (2,)),  # whether its opponents look for the nearest in it
        *_addresses(*ROUTINES),
    ]
)
"""What belongs to an engine: numbers of things, and where each column, the record itself and
the routines are; 0 for one that is not called."""

SCRATCH = record_dtype(_addresses(*Scratch._fields, "address"))
"""What belongs to a thread."""

CALL = record_dtype(
    [
        ("memory", np.int64),  # the address of the engine's `MEMORY` record
        ("scratch", np.int64),  # of the thread's `SCRATCH` record
        ("first", np.int64),  # the first game
        ("last", np.int64),  # one past the last game
        ("steps", np.int64),  # how many; fewer where all games of a block are over
        ("when_over", np.int64),  # REFUSE, RESTART, REST or DECIDE
        ("side", np.int64),  # PURSUER or EVADER
        ("mask", np.int64),  # the address of (N,) bools; 0 for all games
        ("pursuer_actions", np.int64),  # of (N, pursuers, 2) in float32; 0 if scripts steer all
        ("evader_actions", np.int64),
        ("observations", np.int64),  # of (N, players of the side, features); 0 for none
        ("rewards", np.int64),  # of (N,) in float64
        ("terminated", np.int64),  # of (N,) bools
        ("truncated", np.int64),
    ]
)
"""The arguments of `loop.play_games`.

Without steps games are started and observed only: the mask says which to observe, and with
RESTART which to start. With DECIDE the actions of the side are written. Of several steps the
rewards and the ends of the last are written.
"""


def memory_record(
    state: State,
    limits: Limits,
    num_features: int,
    rules: NDArray[np.void],
    scripts: NDArray[np.void],
) -> NDArray[np.void]:
    """An array of one `MEMORY` record for these arrays; the caller must keep them."""
    memory = np.zeros(1, MEMORY)
    memory["players"], memory["games"] = state.position.shape
    memory["obstacles"], memory["num_features"] = len(state.center), num_features
    memory["past_action_rows"] = len(state.past_actions)
    memory["sighting_rows"] = len(state.sightings)
    arrays = {**state._asdict(), **limits._asdict(), "rules": rules, "scripts": scripts}
    for name, array in arrays.items():
        memory[name] = address_of(array)
    memory["address"] = address_of(memory)
    return memory


def scratch_record(scratch: Scratch) -> NDArray[np.void]:
    """An array of one `SCRATCH` record for this space; the caller must keep it."""
    record = np.zeros(1, SCRATCH)
    for name, array in scratch._asdict().items():
        record[name] = address_of(array)
    record["address"] = address_of(record)
    return record


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
def players_of(memory: np.record, number: int, start: int, stop: int) -> Players:
    """The columns of a player in the games from start to stop - 1."""
    first, count = number * memory.games + start, stop - start
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
def player_at(memory: np.record, number: int, k: int) -> Players:
    """The columns of a player in the k-th game alone."""
    return players_of(memory, number, k, k + 1)


class Games(NamedTuple):
    """The games of a block, apart from their players: columns; see `State`."""

    key: NDArray[np.uint64]
    draws: NDArray[np.uint64]
    steps: Integers
    phase: Integers
    captured: Integers
    distance: Numbers
    pursuers_script: Integers
    evaders_script: Integers


@compiled
def games_of(memory: np.record, start: int, stop: int) -> Games:
    """The columns of the games from start to stop - 1."""
    count = stop - start
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
def obstacle_at(memory: np.record, place: int, k: int) -> Obstacle:
    """An obstacle of the k-th game; its radius is 0 if it is not there."""
    first = place * memory.games + k
    center = column(memory.center, first, 1, np.complex128)
    return Obstacle(center[0], column(memory.obstacle_radius, first, 1, np.float64)[0])


@compiled
def obstacles_of(
    memory: np.record, place: int, start: int, stop: int
) -> tuple[Vectors, Numbers]:
    """The columns of centers and radii of an obstacle in the games from start to stop - 1."""
    first, count = place * memory.games + start, stop - start
    return (
        column(memory.center, first, count, np.complex128),
        column(memory.obstacle_radius, first, count, np.float64),
    )


@compiled
def rules_of(memory: np.record) -> np.record:
    """The rules of an engine's games."""
    return record_at(memory.rules, RULES)


@compiled
def team_of(memory: np.record, side: int) -> tuple[int, int]:
    """The number of a side's first player, and how many it has."""
    pursuers = rules_of(memory).pursuers
    return (0, pursuers) if side == PURSUER else (pursuers, memory.players - pursuers)


@compiled
def script_at(memory: np.record, row: int) -> np.record:
    """A row of the table of the scripts that an engine's games draw from."""
    return record_at(memory.scripts + row * _SCRIPT_SIZE, SCRIPT)


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
def force_of(scratch: np.record, number: int) -> Vectors:
    """The steering forces of a player in the games of a block, not truncated, in newtons."""
    return column(scratch.force, number * BLOCK, BLOCK, np.complex128)


@compiled
def step_of(scratch: np.record, number: int) -> Vectors:
    """The displacements of a player in the games of a block in this step, in meters."""
    return column(scratch.step, number * BLOCK, BLOCK, np.complex128)
