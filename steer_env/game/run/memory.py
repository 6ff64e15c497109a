"""The records through which the compiled loop reaches an engine's arrays.

Looking at the types of thirty arrays would cost more than a step of a game. So the loop takes
the address of one record, a `CALL`, which leads to two others: an engine's memory and a
thread's scratch space. `steer_env.game.run.block` makes named columns of what they point to.
The engine keeps the arrays alive, and never moves them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config.observation import OBSTACLE_SIZE
from steer_env.game.rules import EVADER, PURSUER, Limits
from steer_env.game.state import Flags, Integers, Numbers, State, Vectors
from steer_env.game.transition import TRANSITION
from steer_env.machine_code.addresses import address_of, column
from steer_env.machine_code.marking import compiled_class, record_dtype
from steer_env.steering.own_functions import FUNCTION_CALL
from steer_env.steering.vehicle import OBSTACLE, VEHICLE

MOST_BYTES = 2**32
"""Bytes that the arrays of games may have on every machine."""

BLOCK = 128
"""Games that are stepped together: their columns fit the processor's nearest cache."""


NO_FAULT, FAULTY_FUNCTION = -1, -2
"""Results of `loop.play_games` beside the number of a game at fault."""

CELLS_BESIDE = 2
"""A grid of n vehicles has at most 2 n + 1 cells, and the last one has an end."""

GRID = record_dtype(
    [
        ("count", np.int64),  # of vehicles in it
        ("columns", np.int64),  # of cells
        ("rows", np.int64),
        ("wraps", np.bool_),  # on a torus the last cell is beside the first
        ("corner", np.complex128),  # the lower left one, in meters
        ("far_corner", np.complex128),
        ("cells_per_meter", np.complex128),  # along x and along y
        ("longest_step", np.float64),  # of a vehicle, in meters
        ("fastest", np.float64),  # speed of a vehicle, in m/s
        ("widest", np.float64),  # radius of a vehicle, in meters
    ]
)
"""The grid of one side in one game, with about a cell for each vehicle: on a torus over all of
it, elsewhere over the box around the vehicles."""


class Scratch(NamedTuple):
    """Per-thread scratch buffers.

    Their contents are undefined between calls. Only `Engine.forces` reads the forces
    afterwards. Columns have an entry for each game of a block; "the player" is the current one.
    """

    force: Vectors  # (players, BLOCK): decided on, not truncated, in newtons
    step: Vectors  # (players, BLOCK): displacements in this step, in meters
    is_idle: Flags  # (BLOCK,), as the rest: games that do not move in this step
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
    room: Numbers  # see `vectorized_scripts.Scene`, as the next three
    time: Numbers
    aim: Vectors
    script_force: Vectors
    free_velocity: Vectors  # under the force, free of walls
    free_heading: Vectors
    end_velocity: Vectors  # free of walls at the end of a step, where it `dynamics.curves`
    after: Vectors  # the velocity after the step
    nearest: Numbers  # from an evader to its nearest pursuer after the step
    minimum_distance: Numbers  # the same, at any moment of the step
    total: Numbers  # `nearest`, added up for all free evaders
    free: Integers  # evaders still free
    caught: Integers  # evaders caught in this step
    reached: Integers  # evaders that reached the target in this step
    within: Integers  # pursuers that came within the capture radius of an evader
    features: NDArray[np.float32]  # (11, BLOCK): see `encoding.observe_players`
    neighbors: NDArray[np.void]  # (players,) of VEHICLE: teammates of one player
    discs: NDArray[np.void]  # (obstacles,) of OBSTACLE: of one game, as one player sees them
    disc_square: Numbers  # (obstacles,) of one game, nearest first: of the distance
    disc_squares: Numbers  # (obstacles, BLOCK): of the distances from one player
    disc_order: Integers  # (obstacles,): of one game, the nearest first
    disc_features: NDArray[np.float32]  # (obstacles, 4, BLOCK): see `encoding`
    grids: NDArray[np.void]  # (2 * BLOCK,) of `GRID`: both sides' in each game
    cell_begins: Integers  # where each cell's members begin, among those of its grid
    cell_members: Integers  # (BLOCK * players,): the numbers of the vehicles, cell by cell
    cell_places: Vectors  # (BLOCK * players,): theirs
    cell_numbers: Integers  # (players,): the cell of each vehicle of one game
    near: Integers  # (players,): numbers of the vehicles near a place
    near_square: Numbers  # (players,): of their distances
    near_spare: Integers  # (players,): room to sort them
    binned_at: Vectors  # (players,): where the grids of one game have its vehicles
    neighbor_result: Integers  # its first entry: the result of a routine of `neighbors`
    drift: Numbers  # its first entry: the largest distance of a vehicle from `binned_at`
    seen: Integers  # (BLOCK,): see `visibility.nearest_in_sight`
    seen_square: Numbers  # (BLOCK,): the squares of their distances
    calls: NDArray[np.void]  # (2,) of FUNCTION_CALL: see `own_functions.note_fault`
    before: NDArray[np.void]  # (players * BLOCK,) of VEHICLE: as they were before the step
    played: Flags  # (players, BLOCK): whether they were in play then
    transitions: NDArray[np.void]  # (2,) of TRANSITION: see `reward_terms.add_reward_terms`


_KINDS: dict[Any, Any] = {
    Vectors: np.complex128,
    Numbers: np.float64,
    Integers: np.int64,
    Flags: np.bool_,
}
_DTYPES: dict[str, Any] = {
    **{name: _KINDS.get(kind) for name, kind in get_type_hints(Scratch).items()},
    **dict.fromkeys(("features", "disc_features"), np.float32),
    **dict.fromkeys(("neighbors", "before"), VEHICLE),
    **{"calls": FUNCTION_CALL, "discs": OBSTACLE, "grids": GRID, "transitions": TRANSITION},
}


def _shapes(players: int, obstacles: int, remembered: int, binned: int) -> dict[str, Any]:
    """The shapes of the columns whose shape is not (BLOCK,)."""
    return {
        **dict.fromkeys(("force", "step", "played"), (players, BLOCK)),
        **{"features": (11, BLOCK), "neighbors": players, "before": remembered * BLOCK},
        **dict.fromkeys(("calls", "transitions"), 2),
        **dict.fromkeys(("discs", "disc_square", "disc_order"), obstacles),
        "disc_squares": (obstacles, BLOCK),
        "disc_features": (obstacles, OBSTACLE_SIZE, BLOCK),
        "grids": 2 * BLOCK if binned else 0,
        "cell_begins": BLOCK * 2 * (binned + CELLS_BESIDE) if binned else 0,
        **dict.fromkeys(("cell_members", "cell_places"), BLOCK * binned),
        **dict.fromkeys(("cell_numbers", "near", "near_square", "near_spare"), binned),
        "binned_at": binned,
    }


def make_scratch(
    players: int, obstacles: int, remembers: bool = False, has_grids: bool = False
) -> Scratch:
    """Scratch space for blocks of games with these numbers of players and obstacles.

    It has room for the players before the step if it ``remembers``, and for the grids of
    `neighbors` if it ``has_grids``.
    """
    shapes = _shapes(players, obstacles, players * remembers, players * has_grids)
    size = max(BLOCK, players + 1)  # `general_scripts` has teams in some
    return Scratch(*(np.zeros(shapes.get(name, size), _DTYPES[name]) for name in _DTYPES))


def check_memory(num_games: int, bytes_of_game: Mapping[str, int]) -> None:
    """Raises an InvalidValue if games need too much, from the bytes of each purpose.

    The limit is 4 GB, or an eighth of the machine's memory if that is more.
    """
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # on Windows
        machine = 0
    most, each = max(MOST_BYTES, machine // 8), sum(bytes_of_game.values())
    if num_games * each > most:
        parts = sorted(bytes_of_game.items(), key=lambda part: -part[1])
        large = ", ".join(f"{size:,} for {what}" for what, size in parts if size > each // 10)
        raise InvalidValue(
            f"num_envs={num_games:,} needs {num_games * each:,} bytes of memory, and the limit "
            f"here is {most:,}: in each game {large}; valid are fewer games or vehicles, a "
            "shorter delay, or fewer features to observe, as by the nearest of observation"
        )


class Measures(NamedTuple):
    """The measures of each game besides its outcome: columns (2, N) with both sides."""

    closest: Numbers  # (N,): the nearest that a pursuer came to a free evader, in meters
    path: Numbers  # meters that the side's players have gone, added up
    effort: Numbers  # lengths of their actions (1: all they can), added up
    turns: Integers  # steps in which they acted, added up
    early: Numbers  # (N,): seconds from the moment of capture to the end of its step


def make_measures(num_games: int) -> Measures:
    """Measures of games that have not begun."""
    path, effort = np.zeros((2, num_games)), np.zeros((2, num_games))
    turns = np.zeros((2, num_games), np.int64)
    return Measures(np.full(num_games, np.inf), path, effort, turns, np.zeros(num_games))


def _addresses(*fields: str) -> list[tuple[Any, ...]]:
    return [(name, np.intp) for name in fields]


SERVICES = (
    *("accelerate_in_place", "approach_in_grid", "decide_capture", "find_nearest"),
    *("find_partner", "find_teammates", "hide_absent", "move_among_obstacles"),
    *("observe_obstacles", "observe_partially", "bin_players", "sense", "start_by_scenario"),
    "write_actions",
)
"""Optional routines that are called by name."""

ACT, DECIDED, MOVED, RESOLVED = PHASES = range(4)
"""The phases with optional routines: before and after decisions, after motion, and after
`resolve`. See `phases.OPTIONAL`."""

MOST_IN_PHASE = 5
"""Optional routines of a phase."""

MEMORY = record_dtype(
    [
        *[(name, np.int64) for name in ("games", "players", "obstacles", "num_features")],
        *[(name, np.int64) for name in ("num_terms", "action_delay", "past_action_rows")],
        ("sighting_rows", np.int64),
        ("action_noise", np.float64),
        *_addresses(*State._fields, *Limits._fields, *Measures._fields, "rules", "scripts"),
        *_addresses("terms", "sensors", "executed", "starts"),
        ("num_shared_terms", np.int64),  # reward terms of both sides: a scenario's
        *_addresses("shared_terms"),
        *_addresses(*(f"scenario_{rule}" for rule in ("start", "limits", "drag", "capture"))),
        ("explanations", np.intp),  # (players, N) of EXPLANATION; 0 for none
        ("credit_captures", np.intp),
        *[(f"credit_{name}", np.intp, (2,)) for name in ("rewards", "in_play")],  # each side's
        *[(f"credit_{name}", np.intp, (2,)) for name in ("terminated", "truncated")],
        ("credit_method", np.int64),
        ("others_observations", np.intp),  # of the side that the outcome is not of
        ("num_starts", np.int64),
        ("has_grid", np.int64, (2,)),  # whether each side has one; see `neighbors`
        ("is_searched", np.int64, (2,)),  # whether its opponents look for the nearest in it
        *_addresses(*SERVICES),
        ("phases", np.intp, (len(PHASES), MOST_IN_PHASE)),  # then zeros
    ]
)
"""The engine's part: numbers of things, and addresses of columns and routines, 0 for none."""

SCRATCH = record_dtype(_addresses(*Scratch._fields))
"""The thread's part."""


@dataclass(frozen=True)
class Columns:
    """The columns of `Scratch` that have one row, as properties."""

    scratch_at: int


_LONGEST = 4096  # upper bound on column length when running uncompiled


def _column_property(name: str) -> property:
    place = cast(Any, SCRATCH.fields)[name][1]
    dtype = np.uint8 if _DTYPES[name] is np.bool_ else _DTYPES[name]

    def read(columns: Columns) -> Any:
        address = column(columns.scratch_at + place, 0, 1, np.intp)[0]
        return column(address, 0, _LONGEST, dtype)

    return property(read)


for _name in Scratch._fields:
    if _DTYPES[_name] in _KINDS.values() and not isinstance(
        _shapes(0, 0, 0, 0).get(_name), tuple
    ):
        setattr(Columns, _name, _column_property(_name))
compiled_class(Columns)

REFUSE, RESTART, IDLE, DECIDE = range(4)
"""The modes of a call. Games that are over raise an error, start their next episode, or stay
idle; with DECIDE there is no step, and scripts only write their actions."""

CALL = record_dtype(
    [
        ("memory", np.int64),  # the address of the engine's `MEMORY` record
        ("scratch", np.int64),  # of the thread's `SCRATCH` record
        ("first", np.int64),  # the first game
        ("last", np.int64),  # one past the last game
        ("steps", np.int64),  # how many; fewer where all games of a block are over
        ("when_over", np.int64),  # REFUSE, RESTART, IDLE or DECIDE
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
    """An array of one `MEMORY` record for these arrays of the caller."""
    memory = np.zeros(1, MEMORY)
    memory["players"], memory["games"] = state.position.shape
    memory["obstacles"], memory["num_features"] = len(state.center), num_features
    memory["past_action_rows"] = len(state.past_actions)
    memory["sighting_rows"] = len(state.sightings)
    arrays = {**state._asdict(), **limits._asdict(), "rules": rules, "scripts": scripts}
    for name, array in arrays.items():
        memory[name] = address_of(array)
    return memory


def scratch_record(scratch: Scratch) -> NDArray[np.void]:
    """An array of one `SCRATCH` record for this space of the caller."""
    record = np.zeros(1, SCRATCH)
    for name, array in scratch._asdict().items():
        record[name] = address_of(array)
    return record


class Credit(NamedTuple):
    """The rewards and ends of the last step for each player."""

    captures: Flags  # (N, evaders, pursuers): which pursuers caught the evader in this step
    rewards: tuple[Numbers, Numbers]  # of both sides, (N, players each), as the rest
    terminated: tuple[Flags, Flags]  # it was in play, and is no longer: caught, or all are
    truncated: tuple[Flags, Flags]  # it was in play, and the time is up
    in_play: tuple[Flags, Flags]  # it can still be moved, unless the game is over


def make_credit(pursuers: int, evaders: int, num_games: int) -> Credit:
    """The credit of games that have not begun: none."""
    shapes = (num_games, pursuers), (num_games, evaders)
    captures = np.zeros((num_games, evaders, pursuers), np.bool_)
    rewards = np.zeros(shapes[PURSUER]), np.zeros(shapes[EVADER])
    ends = [(rewards[PURSUER] != 0.0, rewards[EVADER] != 0.0) for _ in range(3)]
    return Credit(captures, rewards, *ends)


def lay_out_credit(memory: NDArray[np.void], credit: Credit, method: int) -> None:
    """Enters the addresses of these arrays of the caller into a `MEMORY` record."""
    memory["credit_captures"] = address_of(credit.captures)
    for name in ("rewards", "terminated", "truncated", "in_play"):
        memory[f"credit_{name}"] = [address_of(array) for array in getattr(credit, name)]
    memory["credit_method"] = method
