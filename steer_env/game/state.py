"""The state of N games as columns, and as the records that are saved and shown.

The loop wants columns: one array for each quantity, an entry for each game, so that it applies
a textbook function to many games at once. Saving, restoring and looking at one game want
records: one numpy record for each game. `State` is the columns, which are stepped in place;
`records_of` and `set_records` convert between the two, and nothing else does.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.steering.vehicle import OBSTACLE, VEHICLE

UNSTARTED, RUNNING, OVER = 0, 1, 2  # the phases of a game

Vectors = NDArray[np.complex128]
Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class State(NamedTuple):
    """The columns of N games; players are in rows, the pursuers first."""

    position: Vectors  # (players, N), as the next nine
    velocity: Vectors
    heading: Vectors
    acceleration: Vectors
    max_speed: Numbers
    max_force: Numbers
    mass: Numbers
    radius: Numbers
    wander_point: Vectors  # exp(i angle) on the wander circle
    active: Flags  # False once captured
    center: Vectors  # (obstacles, N)
    obstacle_radius: Numbers  # (obstacles, N); 0 for one that is not there
    key: NDArray[np.uint64]  # (N,), as the rest: all chance of the episode follows from it
    draws: NDArray[np.uint64]  # random numbers drawn so far in the episode
    steps: Integers
    phase: Integers
    captured: Integers  # evaders caught so far
    distance: Numbers  # mean over free evaders, to the nearest pursuer, in meters
    script: Integers  # (2, N): which of its scripts each side plays this episode
    past_observations: NDArray[np.float32]  # (rows, N): see `sensing`; 0 rows without a delay
    past_actions: NDArray[np.float32]  # (rows, N), likewise
    sightings: Numbers  # (rows, N): see `searching`; 0 rows without scripts that remember


class Past(NamedTuple):
    """How many numbers of its past a game keeps, for what is delayed or remembered."""

    observations: int = 0
    actions: int = 0
    sightings: int = 0


NO_PAST = Past()


def make_state(num_games: int, players: int, obstacles: int, past: Past = NO_PAST) -> State:
    """The columns of games that have not started."""
    shapes = {"players": (players, num_games), "obstacles": (obstacles, num_games)}
    columns: list[Any] = [
        *(np.zeros(shapes["players"], np.complex128) for _ in range(4)),
        *(np.zeros(shapes["players"]) for _ in range(4)),
        np.zeros(shapes["players"], np.complex128),
        np.zeros(shapes["players"], np.bool_),
        np.zeros(shapes["obstacles"], np.complex128),
        np.zeros(shapes["obstacles"]),
        *(np.zeros(num_games, np.uint64) for _ in range(2)),
        *(np.zeros(num_games, np.int64) for _ in range(3)),
        np.zeros(num_games),
        np.zeros((2, num_games), np.int64),
        *(np.zeros((rows, num_games), kind) for rows, kind in zip(past, PAST_COLUMNS.values())),
    ]
    return State(*columns)


_GAME_COLUMNS = ("key", "draws", "steps", "phase", "captured", "distance")
PAST_COLUMNS = {
    "past_observations": np.float32,
    "past_actions": np.float32,
    "sightings": np.float64,
}
"""The columns of `Past`, and the kinds of their numbers."""

_SCRIPT_FIELDS = ("pursuer_script", "evader_script")

GAME = np.dtype(
    [
        ("key", np.uint64),
        ("draws", np.uint64),
        ("steps", np.int64),
        ("phase", np.int64),
        ("pursuer_script", np.int64),
        ("evader_script", np.int64),
        ("captured", np.int64),
        ("distance", np.float64),
    ],
    align=True,
)

PLAYER = np.dtype(
    [
        ("body", np.dtype((np.void, VEHICLE))),  # plain records are quicker to read
        ("wander_point", np.complex128),
        ("model", np.int32),  # see dynamics.MODELS
        ("script", np.int32),  # row of the table of scripts
        ("active", np.bool_),
    ],
    align=True,
)


@cache
def state_dtype(players: int, obstacles: int, past: Past = NO_PAST) -> np.dtype[Any]:
    """The record of one game with so many players (both sides) and obstacles.

    What a game with a delay, or with scripts that remember, keeps of its past are further
    fields.
    """
    kept = [(*entry, (rows,)) for entry, rows in zip(PAST_COLUMNS.items(), past) if rows > 0]
    return np.dtype(
        [
            ("game", GAME),
            ("players", PLAYER, (players,)),
            ("obstacles", np.dtype((np.void, OBSTACLE)), (obstacles,)),
            *kept,
        ],
        align=True,
    )


def past_of(state: State) -> Past:
    """How many numbers of their past games with these columns keep."""
    return Past(*(len(getattr(state, name)) for name in PAST_COLUMNS))


def make_records(
    num_games: int, players: int, obstacles: int, past: Past = NO_PAST
) -> NDArray[np.void]:
    """The records of games that have not started, (num_games,)."""
    return np.zeros(num_games, state_dtype(players, obstacles, past))


def records_of(state: State, rules: np.record) -> NDArray[np.void]:
    """The records of games, (N,) of `state_dtype`; a copy."""
    players, num_games = state.position.shape
    records = make_records(num_games, players, len(state.center), past_of(state))
    game, player, disc = records["game"], records["players"], records["obstacles"]
    for name in _GAME_COLUMNS:
        game[name] = getattr(state, name)
    for name, script in zip(_SCRIPT_FIELDS, state.script):
        game[name] = script
    body = player["body"]
    for name in VEHICLE.names or ():
        body[name] = getattr(state, name).T
    player["wander_point"], player["active"] = state.wander_point.T, state.active.T
    side = (np.arange(players) >= rules.pursuers).astype(np.int64)
    has_begun = (state.phase != UNSTARTED)[:, None]
    player["model"] = np.where(has_begun, rules.models[side], 0)
    player["script"] = np.where(
        has_begun, (rules.first_script[:, None] + state.script)[side].T, 0
    )
    disc["center"], disc["radius"] = state.center.T, state.obstacle_radius.T
    for name in PAST_COLUMNS:
        if name in (records.dtype.names or ()):
            records[name] = getattr(state, name).T
    return records


def set_records(state: State, records: NDArray[np.void]) -> None:
    """Writes records of games, as `records_of` returns them, into the columns."""
    game, player, disc = records["game"], records["players"], records["obstacles"]
    for name in _GAME_COLUMNS:
        getattr(state, name)[...] = game[name]
    for name, script in zip(_SCRIPT_FIELDS, state.script):
        script[...] = game[name]
    for name in VEHICLE.names or ():
        getattr(state, name)[...] = player["body"][name].T
    state.wander_point[...], state.active[...] = player["wander_point"].T, player["active"].T
    state.center[...], state.obstacle_radius[...] = disc["center"].T, disc["radius"].T
    for name in PAST_COLUMNS:
        if name in (records.dtype.names or ()):
            getattr(state, name)[...] = records[name].T
