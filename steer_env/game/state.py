"""The state of N games as columns that the loop steps, and as records to save and to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue
from steer_env.fields import ranges
from steer_env.game.config import LIMITS, Game, VehicleConfig
from steer_env.maps.map import Map
from steer_env.scripts.script import Script
from steer_env.steering.vehicle import OBSTACLE, VEHICLE

UNSTARTED, RUNNING, OVER = 0, 1, 2  # the phases of a game

Vectors = NDArray[np.complex128]
Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class State(NamedTuple):
    """The columns of N games, with players in rows, the pursuers first."""

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
    outcome: Numbers  # the number of the outcome, see `Game.outcomes`; 0 for none
    distance: Numbers  # mean over free evaders, to the nearest pursuer, in meters
    script: Integers  # (2, N): which of its scripts each side plays this episode
    past_observations: NDArray[np.float32]  # (rows, N): see `sensors`; 0 rows without a delay
    past_actions: NDArray[np.float32]  # (rows, N), 0 rows without a delay
    sightings: Numbers  # (rows, N): see `general_scripts`; 0 rows without scripts that remember
    map: Integers  # (2, N): the number of the map, and its `Map.digest`; 0 rows without maps
    own: Numbers  # (rows, N): of each player as many as its scenario has in ``own``


def map_of(config: Game, record: np.void) -> Map | None:
    """The map on which the game of a record of `state_dtype` is played, or None."""
    return config.map[int(record["map"][0])] if config.map else None


class Past(NamedTuple):
    """The numbers that only some games keep: of their past, their map, and their scenario."""

    observations: int = 0
    actions: int = 0
    sightings: int = 0
    map: int = 0
    own: int = 0


NO_PAST = Past()


def make_state(num_games: int, players: int, obstacles: int, past: Past = NO_PAST) -> State:
    """The columns of games that have not started."""
    rows = dict.fromkeys(State._fields[:10], players) | dict(zip(PAST_COLUMNS, past))
    rows |= {"center": obstacles, "obstacle_radius": obstacles, "script": 2}
    made: list[Any] = [
        np.zeros((rows[name], num_games) if name in rows else num_games, kind)
        for name, kind in _KINDS.items()
    ]
    return State(*made)


_GAME_COLUMNS = ("key", "draws", "steps", "phase", "captured", "outcome", "distance")
_KINDS = {
    name: np.dtype(get_args(get_args(array)[1])[0])
    for name, array in get_type_hints(State).items()
}
PAST_COLUMNS = {name: _KINDS[name] for name in State._fields[-len(NO_PAST) :]}
"""The columns of `Past`, and the kinds of their numbers."""

_SCRIPT_FIELDS = ("pursuer_script", "evader_script")

GAME = np.dtype(
    [
        *[(name, np.uint64) for name in ("key", "draws")],
        *[(name, np.int64) for name in ("steps", "phase", *_SCRIPT_FIELDS, "captured")],
        ("outcome", np.int64),
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
    """The record of one game: both sides' players, obstacles, and the past that it keeps."""
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
    """The numbers of their past that games with these columns keep."""
    return Past(*(len(getattr(state, name)) for name in PAST_COLUMNS))


def make_records(
    num_games: int, players: int, obstacles: int, past: Past = NO_PAST
) -> NDArray[np.void]:
    """The records of games that have not started, (num_games,)."""
    return np.zeros(num_games, state_dtype(players, obstacles, past))


def records_of(state: State, rules: np.record) -> NDArray[np.void]:
    """The records of games, (N,) of `state_dtype`, as a copy."""
    players, num_games = state.position.shape
    records = make_records(num_games, players, len(state.center), past_of(state))
    for column, field in _columns_and_fields(state, records):
        field[...] = column
    player, side = records["players"], (np.arange(players) >= rules.pursuers).astype(np.int64)
    has_begun = (state.phase != UNSTARTED)[:, None]
    player["model"] = np.where(has_begun, rules.models[side], 0)
    player["script"] = np.where(
        has_begun, (rules.first_script[:, None] + state.script)[side].T, 0
    )
    return records


def set_records(state: State, records: NDArray[np.void]) -> None:
    """Writes records of games, as `records_of` returns them, into the columns."""
    for column, field in _columns_and_fields(state, records):
        column[...] = field


def _columns_and_fields(
    state: State, records: NDArray[np.void]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yields each column, (N, ...), and the field of records with the same content."""
    game, player, disc = records["game"], records["players"], records["obstacles"]
    for name in _GAME_COLUMNS:
        yield getattr(state, name), game[name]
    yield from zip(state.script, (game[name] for name in _SCRIPT_FIELDS))
    for name in VEHICLE.names or ():
        yield getattr(state, name).T, player["body"][name]
    yield state.wander_point.T, player["wander_point"]
    yield state.active.T, player["active"]
    yield state.center.T, disc["center"]
    yield state.obstacle_radius.T, disc["radius"]
    for name in PAST_COLUMNS:
        if name in (records.dtype.names or ()):
            yield getattr(state, name).T, records[name]


_ROUNDING = 1e-9  # share
_DRIFT = 1e-6  # of a direction's length from 1, after many turns
_FARTHEST = 1e16  # meters: beyond what the fastest vehicle goes in the longest episode

SIGHTING_SIZE = 10
"""The numbers of an opponent that a player remembers: its own number, from 1 on (0: none), the
step, and the vectors of `general_scripts.Sighting`."""


@np.errstate(over="ignore")  # of lengths, which are refused then
def check_records(
    records: object, state: State, config: Game, num_scripts: tuple[int, int]
) -> None:
    """Raises an error for records that the compiled loop must not read into these columns.

    The loop trusts its state: an index out of range would read other memory. States are not
    checked for reachability. It is an InvalidType if they are not an array of their
    `state_dtype`, and an InvalidValue if their number is another, or they are damaged.
    """
    players, num_games = state.position.shape
    dtype = state_dtype(players, len(state.center), past_of(state))
    if not isinstance(records, np.ndarray) or records.dtype != dtype:
        got = getattr(records, "dtype", type(records).__name__)
        raise InvalidType(
            "a state is what get_state() returned from an environment with as many "
            "pursuers, evaders and obstacles as this one, as long delays, and scripts that "
            f"remember and own numbers if this one has such; got {got}"
        )
    if records.shape != (num_games,):
        raise InvalidValue(f"the state must have shape {(num_games,)}, got {records.shape}")
    for field, places, valid in _damage(records, config, num_scripts):
        if places.any():
            game = np.argwhere(places)[0, 0]
            raise InvalidValue(
                f"the state is damaged: {field} of game {game} must be {valid}; pass a state "
                "that get_state() returned, unchanged, from an environment with the same "
                "limits and opponents"
            )


def _damage(
    state: NDArray[np.void], config: Game, num_scripts: tuple[int, int]
) -> Iterator[tuple[str, Flags, str]]:
    """Yields each field, the places out of its range, (N, ...), and the range in words."""
    game, players, discs = state["game"], state["players"], state["obstacles"]
    body, active = players["body"], players["active"]
    spans = {"phase": (UNSTARTED, OVER), "steps": (0, config.horizon)}
    spans |= {name: (0, count - 1) for name, count in zip(_SCRIPT_FIELDS, num_scripts)}
    spans |= {"captured": (0, config.evaders), "distance": (0, int(3 * _FARTHEST))}
    for name, (low, high) in spans.items():
        yield name, _outside(game[name], low, high), f"from {low} to {high:.10g}"
    numbers = np.where(game["phase"] == OVER, len(config.outcomes), 0)
    yield "outcome", _outside(game["outcome"], 0, numbers), "that of a game that is over, or 0"
    begun, runs = game["phase"] != UNSTARTED, game["phase"] == RUNNING
    pursuers, evaders = active[:, : config.pursuers], active[:, config.pursuers :]
    idle = (begun & ~pursuers.all(axis=1)) | (runs & ~evaders.any(axis=1))
    yield "active", idle, "True of pursuers, and of an evader while the game runs"
    row = game["evader_script"][:, None] + num_scripts[0]  # pursuers' rows come first
    is_pursuer = np.arange(active.shape[1]) < config.pursuers
    row = np.where(is_pursuer, game["pursuer_script"][:, None], row)
    yield "script", begun[:, None] & (players["script"] != row), "the row of its side's script"
    for name, (least, most) in _spans_of_vehicles(config).items():
        given = (players if name == "wander_point" else body)[name]
        is_vector = given.dtype == np.complex128
        lowest = np.where(begun, least, 0.0)[:, None]  # all is 0 in a game that has not begun
        beyond = _outside(
            np.abs(given) if is_vector else given, lowest, most * (1.0 + _ROUNDING)
        )
        yield name, beyond, f"{'of a length ' if is_vector else ''}from {least:g} to {most:g}"
    region = config.region
    if region.is_bounded:
        yield "position", ~region.contains(body["position"]), "inside the arena"
    yield "center", ~region.contains(discs["center"]), "inside the arena"
    widest = max(config.arena_size, *config.obstacle_radius)
    yield "radius", _outside(discs["radius"], 0.0, widest), f"from 0 to {widest:g}"
    for name in PAST_COLUMNS.keys() & (state.dtype.names or ()):
        yield name, ~np.isfinite(state[name]), "finite"
    if config.map:
        number, last = state["map"][:, 0], len(config.map) - 1
        known = np.array([one.key for one in config.map])[np.clip(number, 0, last)]
        is_other = _outside(number, 0, last) | (known != state["map"][:, 1])
        yield "map", begun & is_other, "one that the environment was made with"
    if "sightings" in (state.dtype.names or ()):
        sightings = state["sightings"].reshape(*active.shape, SIGHTING_SIZE)
        valid = f"of a player, from 1 to {active.shape[1]}, or of nobody, 0"
        unknown = ~np.isin(sightings[:, :, 0], np.arange(active.shape[1] + 1))
        yield "sightings", unknown, valid
        beyond = _outside(np.abs(sightings), 0.0, _FARTHEST)
        yield "sightings", beyond, f"from {-_FARTHEST:g} to {_FARTHEST:g}"


def _spans_of_vehicles(config: Game) -> dict[str, tuple[float, float]]:
    """The least and the most of each field of a vehicle, of vectors the length."""
    bounds, fastest = ranges(VehicleConfig), config.highest("max_speed")
    limits = {
        name: (0.0 if bounds[name].or_zero else bounds[name].low, config.highest(name))
        for name in LIMITS
    }
    direction = 1.0 - _DRIFT, 1.0 + _DRIFT
    return {
        **limits,
        "position": (0.0, _FARTHEST),
        "velocity": (0.0, fastest),
        "acceleration": (0.0, 2.0 * fastest / config.dt),
        "heading": direction,
        "wander_point": direction,
    }


def _outside(given: NDArray[Any], low: Any, high: Any) -> Flags:
    outside: Flags = ~((given >= low) & (given <= high))  # nan is, too
    return outside


def sighting_rows(scripts: Iterable[Script | None], players: int, has_maps: bool) -> int:
    """The number of rows for sightings in the state, 0 if no script remembers.

    On maps, scripts that follow paths keep their plans there.
    """
    remembers = any(
        script is not None and (script.sees != "all" or (has_maps and script.follows_paths))
        for script in scripts
    )
    return players * SIGHTING_SIZE if remembers else 0
