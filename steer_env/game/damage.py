"""Finds what is wrong with a state that somebody hands in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.arena import OPEN, WALLS
from steer_env.game.config import GameConfig
from steer_env.game.state import OVER, RUNNING, UNSTARTED
from steer_env.sides import EVADER, PURSUER

_ROUNDING = 1e-6


def check_records(
    records: object, dtype: np.dtype[Any], num_games: int, config: GameConfig, rules: np.void
) -> None:
    """Raises an error for anything but the sound records of a number of games.

    Raises:
        InvalidType: if it is not an array with records of this dtype.
        InvalidValue: if their number is another, or they are damaged.
    """
    if not isinstance(records, np.ndarray) or records.dtype != dtype:
        got = getattr(records, "dtype", type(records).__name__)
        raise InvalidType(
            "a state is what get_state() returned from an environment with as many "
            f"pursuers, evaders and obstacles as this one; got {got}"
        )
    if records.shape != (num_games,):
        raise InvalidValue(f"the state must have shape {(num_games,)}, got {records.shape}")
    fault = find_damage(records, config, rules)
    if fault is not None:
        name, game = fault
        raise InvalidValue(
            f"the state is damaged: {name} of game {game} is out of range; "
            "pass one that get_state() returned, unchanged"
        )


def find_damage(
    state: NDArray[np.void], config: GameConfig, rules: np.void
) -> tuple[str, int] | None:
    """The first field that is out of range, and in which game; None if all are fine.

    The compiled loop trusts the state: an index out of range would read other memory.

    Args:
        state: (N,) records of the right dtype.
        config: the game.
        rules: its record of rules.
    """
    game, players, discs = state["game"], state["players"], state["obstacles"]
    body = players["body"]
    begun = (game["phase"] != UNSTARTED)[:, None]
    side = np.where(np.arange(players.shape[1]) < config.pursuers, PURSUER, EVADER)
    chosen = np.where(
        side == PURSUER, game["pursuer_script"][:, None], game["evader_script"][:, None]
    )
    radius = np.concatenate([body["radius"], discs["radius"]], axis=1)
    caught = (~players["active"][:, config.pursuers :]).sum(axis=1)
    free_players = players["active"] | (side == EVADER)
    faults: dict[str, NDArray[Any]] = {
        "phase": ~np.isin(game["phase"], (UNSTARTED, RUNNING, OVER)),
        "steps": game["steps"] < 0,
        "distance": ~np.isfinite(game["distance"]),
        "pursuer_script": _outside(game["pursuer_script"], rules["num_scripts"][PURSUER]),
        "evader_script": _outside(game["evader_script"], rules["num_scripts"][EVADER]),
        "script": begun & (players["script"] != rules["first_script"][side] + chosen),
        "model": begun & (players["model"] != rules["models"][side]),
        "wander_point": ~np.isfinite(players["wander_point"]),
        "center": ~np.isfinite(discs["center"]),
        "radius": ~np.isfinite(radius) | (radius < 0.0),
        "captured": (game["captured"] < 0) | (game["captured"] > config.evaders),
        "active": begun & ~free_players,
    }
    all_caught = (game["phase"] == RUNNING) & (caught == config.evaders)
    faults["active"] |= all_caught[:, None]
    for name in ("max_speed", "max_force", "mass"):
        faults[name] = ~np.isfinite(body[name]) | (begun & ~(body[name] > 0.0))
    for name in ("position", "velocity", "heading", "acceleration"):
        faults[name] = ~np.isfinite(body[name])
    faults["position"] |= begun & _beyond_the_edge(body, rules)
    faults["heading"] |= begun & (np.abs(np.abs(body["heading"]) - 1.0) > _ROUNDING)
    too_fast = np.abs(body["velocity"]) > body["max_speed"] * (1.0 + _ROUNDING)
    faults["velocity"] |= begun & too_fast
    for name, fault in faults.items():
        if fault.any():
            return name, int(np.argwhere(fault)[0][0])
    return None


def _beyond_the_edge(body: NDArray[np.void], rules: np.void) -> NDArray[np.bool_]:
    position = body["position"]
    if rules["arena"] == OPEN:
        return np.zeros(position.shape, np.bool_)
    room = rules["half_size"] - (body["radius"] if rules["arena"] == WALLS else 0.0)
    reach = np.maximum(np.abs(position.real), np.abs(position.imag))
    beyond: NDArray[np.bool_] = reach > room + _ROUNDING
    return beyond


def _outside(index: NDArray[Any], count: int) -> NDArray[np.bool_]:
    outside: NDArray[np.bool_] = (index < 0) | (index >= count)
    return outside
