"""The arguments of `reset`: seeds, and options of the episodes that it begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_choice, check_integer, got, shown
from steer_env.game.config import Game
from steer_env.game.config.target import is_off_rim
from steer_env.game.engine import LARGEST_SEED, Engine
from steer_env.game.state import UNSTARTED
from steer_env.maps.map import has_room
from steer_env.sides import Side

OPTIONS = ("opponent", "map", "start", "limits", "state")

_ROUNDING = 1e-9  # share
_CONTACT = 1e-6  # meters that a body may be inside an obstacle


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
    speed = np.where(np.isnan(speed), _lengths(body["velocity"]), speed)
    body["heading"] = heading
    body["velocity"] = heading.real * speed + 1j * (heading.imag * speed)
    with np.errstate(over="ignore"):  # what is too large is refused
        for fault, places in _faults(config, body, state[mask]):
            if np.any(places):
                player = np.argwhere(places)[0, 1:]
                raise InvalidValue(f"vehicles cannot start like this: {fault.format(*player)}")
    state["players"]["body"][mask] = body
    pursuers, evaders = np.split(body["position"], [config.pursuers], axis=1)
    offsets = config.region.offsets(pursuers[:, :, None], evaders[:, None])
    state["game"]["distance"][mask] = _lengths(offsets).min(axis=1).mean(axis=1)
    return state


def _faults(
    config: Game, bodies: NDArray[np.void], games: NDArray[np.void]
) -> Iterator[tuple[str, Any]]:
    """Yields what vehicles cannot do, and which of them do it, (M, players), or if any does."""
    place, radius, region = bodies["position"], bodies["radius"], config.region
    discs, is_in_wall = games["obstacles"], np.zeros(place.shape, np.bool_)
    yield "the position of player {} is outside the arena", ~region.contains(place, radius)
    for number, world in enumerate(config.map):
        chosen = games["map"][:, 0] == number
        is_in_wall[chosen] = ~has_room(world, place[chosen], radius[chosen])
    yield "the position of player {} is in a wall of the map, or outside it", is_in_wall
    offsets = region.offsets(place[:, :, None], discs["center"][:, None])
    reach = discs["radius"][:, None] + radius[:, :, None] - _CONTACT
    overlap = (_lengths(offsets) < reach) & (discs["radius"] > 0.0)[:, None]
    yield "the position of player {} is in an obstacle", overlap.any(axis=2)
    speed, fastest = _lengths(bodies["velocity"]), bodies["max_speed"] * (1.0 + _ROUNDING)
    yield "the velocity of player {} is above max_speed", speed > fastest
    if config.targets:
        pursuers, evaders = np.split(place, [config.pursuers], axis=1)
        yield "an evader is in the target", config.distances_to_target(evaders.ravel()) == 0.0
        yield "a pursuer is off the rim", [is_off_rim(t, pursuers) for t in config.targets]


def _lengths(vectors: NDArray[np.complex128]) -> NDArray[np.float64]:
    # np.abs rounds differently on other processors.
    return np.sqrt(vectors.real * vectors.real + vectors.imag * vectors.imag)
