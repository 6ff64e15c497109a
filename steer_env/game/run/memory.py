"""The records through which the compiled loop reaches an engine's arrays.

Looking at the types of thirty arrays would cost more than a step of a game. So the loop takes
the address of one `CALL`, which leads to the engine's memory and a thread's scratch space. The
engine keeps the arrays alive, and never moves them.
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config.features import OBSTACLE_SIZE
from steer_env.game.rules import EVADER, PURSUER, Limits
from steer_env.game.state import Flags, Integers, Numbers, State
from steer_env.game.transition import TRANSITION
from steer_env.machine_code.addresses import address_of, column
from steer_env.machine_code.marking import compiled_class, record_dtype
from steer_env.scenarios.arguments import ARGUMENTS
from steer_env.scenarios.own_numbers import MOST_OWN
from steer_env.scripts.table import SCRIPT
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


RIDER_NUMBERS = VEHICLE.itemsize // 8 + MOST_OWN + 1
"""The numbers of a rider's record: a `VEHICLE`, its own ones, and one that is not used."""

_SCRATCH: dict[str, tuple[Any, ...]] = {
    "force": (np.complex128, "players", BLOCK),  # decided on, not truncated, in newtons
    "step": (np.complex128, "players", BLOCK),  # displacements in this step, in meters
    "is_idle": (np.bool_,),  # games that do not move in this step
    "moves": (np.bool_,),  # where the player moves
    "members": (np.int64,),  # the games where it follows a script, one after the other
    "wander_turn": (np.float64,),
    "opponent": (np.int64,),  # the number of its nearest opponent, -1 if none is left
    "opponent_square": (np.float64,),  # of the distance to it
    "present": (np.bool_,),  # where it has one
    "other_position": (np.complex128,),  # the opponent's
    "other_velocity": (np.complex128,),
    "other_heading": (np.complex128,),
    "other_acceleration": (np.complex128,),
    "other_max_speed": (np.float64,),
    "room": (np.float64,),  # see `vectorized_scripts.Scene`, as the next three
    "time": (np.float64,),
    "aim": (np.complex128,),
    "script_force": (np.complex128,),
    "free_velocity": (np.complex128,),  # under the force, free of walls
    "free_heading": (np.complex128,),
    "end_velocity": (np.complex128,),  # at the end of a step, where it `dynamics.curves`
    "after": (np.complex128,),  # the velocity after the step
    "nearest": (np.float64,),  # from an evader to its nearest pursuer after the step
    "minimum_distance": (np.float64,),  # the same, at any moment of the step
    "total": (np.float64,),  # `nearest`, added up for all free evaders
    "free": (np.int64,),  # evaders still free
    "caught": (np.int64,),  # evaders caught in this step
    "reached": (np.int64,),  # evaders that reached the target in this step
    "within": (np.int64,),  # pursuers that came within the capture radius of an evader
    "features": (np.float32, 11, BLOCK),  # see `encoding.observe_players`
    "neighbors": (VEHICLE, "players"),  # teammates of one player
    "discs": (OBSTACLE, "obstacles"),  # of one game, as one player sees them
    "own_next": (np.float64, "own", BLOCK),  # own numbers after the step
    "known_script": (SCRIPT, 1),  # see `knowing_scripts`
    "riders": (np.float64, "players", RIDER_NUMBERS),  # see `ends`
    "own_discs": (OBSTACLE, "obstacles"),  # the same, as a scenario's method sees them
    "disc_square": (np.float64, "obstacles"),  # of one game, nearest first: of the distance
    "disc_squares": (np.float64, "obstacles", BLOCK),  # of the distances from one player
    "disc_order": (np.int64, "obstacles"),  # of one game, the nearest first
    "disc_features": (np.float32, "obstacles", OBSTACLE_SIZE, BLOCK),  # see `encoding`
    "grids": (GRID, "grids"),  # both sides' in each game
    "cell_begins": (np.int64, "cells"),  # where its members begin, among those of its grid
    "cell_members": (np.int64, "binned", BLOCK),  # the numbers of the vehicles, cell by cell
    "cell_places": (np.complex128, "binned", BLOCK),  # theirs
    "cell_numbers": (np.int64, "binned"),  # the cell of each vehicle of one game
    "near": (np.int64, "binned"),  # numbers of the vehicles near a place
    "near_square": (np.float64, "binned"),  # of their distances
    "near_spare": (np.int64, "binned"),  # room to sort them
    "binned_at": (np.complex128, "binned"),  # where the grids of one game have its vehicles
    "neighbor_result": (np.int64,),  # its first entry: the result of a routine of `neighbors`
    "drift": (np.float64,),  # its first entry: the largest distance from `binned_at`
    "seen": (np.int64,),  # see `visibility.nearest_in_sight`
    "seen_square": (np.float64,),  # the squares of their distances
    "calls": (FUNCTION_CALL, 2),  # see `own_functions.note_fault`
    "before": (VEHICLE, "remembered", BLOCK),  # as they were before the step
    "played": (np.bool_, "players", BLOCK),  # whether they were in play then
    "way_numbers": (np.float64, 0),  # of queries of `ways.ways_of`, made where they are needed
    "transitions": (TRANSITION, 2),  # see `reward_terms.add_reward_terms`
}
"""The kinds and the shapes of a thread's scratch columns, (BLOCK,) unless another is given.

Their contents are undefined between calls; only `Engine.forces` reads the forces afterwards.
They have an entry for each game of a block; "the player" is the current one.
"""

Scratch: Any = namedtuple("Scratch", [*_SCRATCH])  # type: ignore[misc]


def make_scratch(
    players: int,
    obstacles: int,
    remembers: bool = False,
    has_grids: bool = False,
    own: int = 0,
) -> Any:
    """Space for games, with room for what some of them need."""
    binned = players if has_grids else 0
    sizes = {
        **{"players": players, "obstacles": obstacles, "binned": binned, "own": own},
        **{"remembered": players if remembers else 0, "grids": 2 * BLOCK if binned else 0},
        "cells": BLOCK * 2 * (binned + CELLS_BESIDE) if binned else 0,
    }
    size = max(BLOCK, players + 1)  # `general_scripts` has teams in some
    made = (
        np.zeros([sizes.get(part, part) for part in shape] or size, kind)
        for kind, *shape in _SCRATCH.values()
    )
    return Scratch(*made)


def check_memory(num_games: int, bytes_of_game: Mapping[str, int]) -> None:
    """Raises an InvalidValue if games need more bytes than 4 GB and an eighth of the memory."""
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


_MAPS = "maps", "walls", "cells", "cell_walls", "ground"
"""See `maps.MapTable`."""

WAYS = ("ways", "way_turns", "way_lengths", "way_begins", "way_entries", "way_homes")
"""See `ways.WayTable`."""

SERVICES = (
    *("accelerate_in_place", "approach_in_grid", "decide_capture", "decide_reach"),
    "find_nearest",
    *("find_partner", "find_teammates", "hide_absent", "move_among_obstacles"),
    *("approach_in_line", "follow_ways", "push_off_walls"),
    *("observe_obstacles", "observe_partially", "bin_players", "sense", "start_by_scenario"),
    "cast_rays",
    "write_actions",
)
"""Optional routines that are called by name."""

ACT, DECIDED, MOVED, RESOLVED = PHASES = range(4)
"""The phases with optional routines: before and after decisions, after motion, and after
`resolve`. See `phases.OPTIONAL`."""

MOST_IN_PHASE = 6
"""Optional routines of a phase."""

MEMORY = record_dtype(
    [
        *[(name, np.int64) for name in ("games", "players", "obstacles", "num_features")],
        *[(name, np.int64) for name in ("num_terms", "action_delay", "past_action_rows")],
        *[(name, np.int64) for name in ("sighting_rows", "own_numbers")],
        ("action_noise", np.float64),
        *_addresses(*State._fields, *Limits._fields, *Measures._fields, "rules", "scripts"),
        *_addresses("terms", "sensors", "executed", "starts", "own_starts"),
        ("num_shared_terms", np.int64),  # reward terms of both sides: a scenario's
        *_addresses("shared_terms"),
        *_addresses(*(f"scenario_{rule}" for rule in ARGUMENTS if rule != "reward")),
        ("explanations", np.intp),  # (players, N) of EXPLANATION; 0 for none
        ("credit_captures", np.intp),
        *[(f"credit_{name}", np.intp, (2,)) for name in ("rewards", "in_play")],  # each side's
        *[(f"credit_{name}", np.intp, (2,)) for name in ("terminated", "truncated")],
        ("credit_method", np.int64),
        ("others_observations", np.intp),  # of the side that the outcome is not of
        ("num_starts", np.int64),
        ("num_maps", np.int64),
        ("chosen_maps", np.intp),  # (N,) numbers, -1 for one that is drawn; 0 for none
        *_addresses(*_MAPS, *WAYS),
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


def _column_property(name: str, dtype: Any) -> property:
    place = cast(Any, SCRATCH.fields)[name][1]

    def read(columns: Columns) -> Any:
        address = column(columns.scratch_at + place, 0, 1, np.intp)[0]
        return column(address, 0, _LONGEST, dtype)

    return property(read)


for _name, (_kind, *_shape) in _SCRATCH.items():
    if len(_shape) < 2 and np.dtype(_kind).names is None:
        _dtype = np.uint8 if _kind is np.bool_ else _kind
        setattr(Columns, _name, _column_property(_name, _dtype))
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
    enter_addresses(memory, arrays)
    return memory


def enter_addresses(record: NDArray[np.void], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Enters the addresses of arrays of the caller into the fields of their names."""
    for name, array in arrays.items():
        record[name] = address_of(array)


def scratch_record(scratch: Any) -> NDArray[np.void]:
    """An array of one `SCRATCH` record for this space of the caller."""
    record = np.zeros(1, SCRATCH)
    enter_addresses(record, scratch._asdict())
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
