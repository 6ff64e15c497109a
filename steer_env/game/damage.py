"""Validates states passed to `set_state`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.searching import SIGHTING_SIZE
from steer_env.game.state import OVER, PAST_COLUMNS, RUNNING, UNSTARTED

_ROUNDING = 1e-9  # share

Flags = NDArray[np.bool_]


def check_records(
    records: object,
    dtype: np.dtype[Any],
    num_games: int,
    config: GameConfig,
    num_scripts: tuple[int, int],
) -> None:
    """Raises an error for records that the compiled loop must not read.

    The loop trusts its state: an index out of range would read other memory, and a number that
    is not finite would spread. Whether a state can come up in a game is not checked.

    Args:
        records: the state.
        dtype: of the engine's records.
        num_games: N.
        config: the game.
        num_scripts: of the pursuers and of the evaders.

    Raises:
        InvalidType: if it is not an array with records of this dtype.
        InvalidValue: if their number is another, or they are damaged; the message names the
            field and the game.
    """
    if not isinstance(records, np.ndarray) or records.dtype != dtype:
        got = getattr(records, "dtype", type(records).__name__)
        raise InvalidType(
            "a state is what get_state() returned from an environment with as many "
            "pursuers, evaders and obstacles as this one, as long delays, and scripts that "
            f"remember if this one has such; got {got}"
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
    state: NDArray[np.void], config: GameConfig, num_scripts: tuple[int, int]
) -> Iterator[tuple[str, Flags, str]]:
    """Yields each field, where it is out of range, (N, ...), and what would be right."""
    game, players, discs = state["game"], state["players"], state["obstacles"]
    body, active = players["body"], players["active"]
    yield "phase", _outside(game["phase"], UNSTARTED, OVER), f"from {UNSTARTED} to {OVER}"
    steps = _outside(game["steps"], 0, config.horizon)
    yield "steps", steps, f"from 0 to the horizon, {config.horizon}"
    for name, count in zip(("pursuer_script", "evader_script"), num_scripts):
        yield name, _outside(game[name], 0, count - 1), f"from 0 to {count - 1}"
    begun, runs = game["phase"] != UNSTARTED, game["phase"] == RUNNING
    pursuers, evaders = active[:, : config.pursuers], active[:, config.pursuers :]
    idle = (begun & ~pursuers.all(axis=1)) | (runs & ~evaders.any(axis=1))
    yield "active", idle, "True of pursuers, and of an evader while the game runs"
    row = game["evader_script"][:, None] + num_scripts[0]  # pursuers' rows come first
    is_pursuer = np.arange(active.shape[1]) < config.pursuers
    row = np.where(is_pursuer, game["pursuer_script"][:, None], row)
    yield "script", begun[:, None] & (players["script"] != row), "the row of its side's script"
    records: list[tuple[NDArray[np.void], Iterable[str]]] = [
        (game, ["distance"]),
        (body, body.dtype.names or ()),
        (players, ["wander_point"]),
        (discs, discs.dtype.names or ()),
        (state, PAST_COLUMNS.keys() & (state.dtype.names or ())),
    ]
    for record, names in records:
        for name in names:
            yield name, ~np.isfinite(record[name]), "finite"
    if "sightings" in (state.dtype.names or ()):
        seen = state["sightings"].reshape(*active.shape, SIGHTING_SIZE)[:, :, 0]
        valid = f"of a player, from 1 to {active.shape[1]}, or of nobody, 0"
        yield "sightings", ~np.isin(seen, np.arange(active.shape[1] + 1)), valid
    if config.arena.kind != "open":
        place, most = body["position"], config.arena.half_size * (1.0 + _ROUNDING)
        beyond = np.maximum(np.abs(place.real), np.abs(place.imag)) > most
        yield "position", beyond, "inside the arena"


def _outside(given: NDArray[np.int64], low: int, high: int) -> Flags:
    outside: Flags = (given < low) | (given > high)
    return outside
