"""The arguments of `reset`: seeds, and options of the episodes that it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_choice, check_integer, got, shown
from steer_env.game.config import Game
from steer_env.game.config.fits import check_starts, lengths
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.state import UNSTARTED
from steer_env.sides import Side

OPTIONS = ("opponent", "map", "start", "limits")


def check_seed(seed: Any) -> int | None:
    """Returns a seed as an int from 0 to 2**64 - 1, or None."""
    return None if seed is None else check_integer("seed", seed, 0, LARGEST_SEED)


def check_seeds(seed: Any, num_envs: int) -> list[int | None]:
    """Returns the seeds of N games from None, one for each, or s for s, s + 1, and so on."""
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, Integral):
        first = check_integer("seed", seed, 0, LARGEST_SEED - num_envs + 1)
        return list(range(first, first + num_envs))
    is_list = isinstance(seed, Sequence) and not isinstance(seed, str)
    if not is_list and not (isinstance(seed, np.ndarray) and seed.ndim == 1):
        raise InvalidType(f"seed must be an integer, a list of them, or None, {got(seed)}")
    if len(seed) != num_envs:
        raise InvalidValue(f"seed must have num_envs={num_envs} entries, got {len(seed)}")
    return [check_seed(one) for one in seed]


def check_options(options: Any, valid: Sequence[str] = OPTIONS) -> Mapping[str, Any]:
    """Returns the options of a reset: an empty dict for None."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InvalidType(f"options must be a dict or None, got {shown(options)}")
    for name in options:
        check_choice("reset option", name, valid)
    return options


def options_and_mask(
    options: Any, phases: NDArray[np.int64], everyone: NDArray[np.bool_]
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """The options of a vector environment's reset, and the mask of the games that begin."""
    given = dict(check_options(options, ("reset_mask", *OPTIONS)))
    if "reset_mask" not in given:
        return given, everyone
    mask = given.pop("reset_mask")
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise InvalidType(f"reset_mask must be a numpy array of bools, {got(mask)}")
    if mask.shape != phases.shape:
        raise InvalidValue(f"reset_mask must have shape {phases.shape}, got {mask.shape}")
    if not mask.any():
        raise InvalidValue("reset_mask must have at least one True")
    if (phases[~mask] == UNSTARTED).any():
        raise ResetNeeded("reset all games once before resetting some with reset_mask")
    return given, mask


def chosen_maps(config: Game, given: Any, num_games: int) -> NDArray[np.int64]:
    """Returns the number of each game's map, (N,): -1 for one that is drawn.

    The option ``map`` is the number of one of the game's maps, or N of them and Nones.
    """
    what, last = "the reset option 'map'", len(config.map) - 1
    if last < 0:
        raise InvalidValue(f"{what} needs a game with maps, made with the keyword map")
    if isinstance(given, np.ndarray):
        given = given.tolist()
    numbers = given if isinstance(given, list | tuple) else [given] * num_games
    if len(numbers) != num_games:
        raise InvalidValue(
            f"{what} must be one number, or {num_games}, one for each game; got {len(numbers)}"
        )
    found = [-1 if one is None else check_integer(what, one, 0, last) for one in numbers]
    return np.array(found, np.int64)


def with_starts(
    engine: Engine, table: NDArray[np.float64], mask: NDArray[np.bool_]
) -> NDArray[np.void]:
    """Returns the state of N games, with vehicles at given places in those of a mask (N,).

    The table is that of `start_table`, a row for each game. Solid bodies that are placed on
    each other part in the first step.

    Raises:
        InvalidValue: if a vehicle would stand outside the arena or in an obstacle, or be faster
            than it can be.
    """
    config, state = engine.config, engine.get_state()
    body = state["players"]["body"][mask]
    x, y, heading_x, heading_y, speed = np.moveaxis(table[mask], -1, 0)
    is_wrong = ~np.isnan(speed) & (speed != body["max_speed"])
    for side, wrong in zip(Side, np.split(is_wrong, [config.pursuers], axis=1)):
        if config.model(side.name) == "car" and wrong.any():
            what = f"start[{side.name!r}]['speed']"
            raise InvalidValue(f"{what} must be a car's only speed, max_speed; leave it out")
    body["position"] = np.where(np.isnan(x), body["position"], x + 1j * y)
    heading = np.where(np.isnan(heading_x), body["heading"], heading_x + 1j * heading_y)
    speed = np.where(np.isnan(speed), lengths(body["velocity"]), speed)
    body["heading"] = heading
    body["velocity"] = heading.real * speed + 1j * (heading.imag * speed)
    games = state[mask]
    discs = games["obstacles"]["center"], games["obstacles"]["radius"]
    limits = body["radius"], body["max_speed"]
    maps = games["map"][:, 0] if config.map else None
    with np.errstate(over="ignore"):  # what is too large is refused
        check_starts(config, body["position"], lengths(body["velocity"]), limits, discs, maps)
    state["players"]["body"][mask] = body
    pursuers, evaders = np.split(body["position"], [config.pursuers], axis=1)
    offsets = config.region.offsets(pursuers[:, :, None], evaders[:, None])
    state["game"]["distance"][mask] = lengths(offsets).min(axis=1).mean(axis=1)
    return state
