"""Given places for vehicles to start from: their checks, and their table for the loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, check_choice, got
from steer_env.fields import MOST_STARTS
from steer_env.sides import Side
from steer_env.steering.trigonometry import direction

PLACE = ("position", "heading", "speed")
PLACE_SIZE = 5  # numbers of a player's start in the table: x, y, heading x, heading y, speed

Places: TypeAlias = list[dict[str, NDArray[np.float64]]]
"""For each side the keys of PLACE that are given: arrays (N, players) or (N, players, 2)."""


def checked_places(given: object, count: int, players: tuple[int, int]) -> Places:
    """The start of the vehicles of N games, given for these numbers of players of each side.

    It is a dict with "pursuer", "evader" or both: dicts with "position" (x, y) in meters,
    "heading" in radians and "speed" in m/s along it, each in a shape of `for_every_player`.
    Anything else is an InvalidType or InvalidValue.
    """
    places: Places = [{}, {}]
    for side, name, place in _sides_of(given):
        for key, value in place.items():
            check_choice(f"key in start[{name!r}]", key, PLACE)
            what, ending = f"start[{name!r}][{key!r}]", (2,) if key == "position" else ()
            numbers = for_every_player(what, value, count, players[side], ending)
            if not np.isfinite(numbers).all():
                raise InvalidValue(f"{what} must be finite, {got(value)}")
            if key == "speed" and (numbers < 0.0).any():
                raise InvalidValue(f"{what} must be at least 0, {got(value)}")
            places[side][key] = numbers
    return places


def _sides_of(given: object) -> list[tuple[Side, str, Mapping[str, Any]]]:
    if not isinstance(given, Mapping):
        raise InvalidType(
            "start must be a dict such as {'evader': {'position': (5.0, 0.0), 'heading': "
            f"1.57, 'speed': 2.0}}}}, {got(given)}"
        )
    found = []
    for name, place in given.items():
        check_choice("side in start", name, [side.name for side in Side])
        if not isinstance(place, Mapping):
            what = f"start[{name!r}] must be a dict with {', '.join(PLACE)}"
            raise InvalidType(f"{what}, {got(place)}")
        found.append((Side.named(name), name, place))
    return found


def for_every_player(
    what: str, given: Any, num_games: int, players: int, ending: tuple[int, ...] = ()
) -> NDArray[np.float64]:
    """Numbers for one side's players in all games, (N, players, *ending).

    They are given in that shape, in ``ending`` or in (players, *ending), with 1 in place of N
    or players; for one player also in (N, *ending). ``what`` is their name in messages.
    Raises an InvalidType if they are not numbers, an InvalidValue for another shape.
    """
    numbers = check_array(what, given)
    if np.asarray(given).dtype.kind == "b":
        raise InvalidType(f"{what} must be numbers, {got(given)}")
    shape = (num_games, players, *ending)
    own = numbers.shape[max(numbers.ndim - len(ending), 0) :]
    if players == 1 and numbers.shape == (num_games, *ending) and num_games > 1:
        numbers = numbers[:, None]
    try:
        if own != ending:
            raise ValueError
        return np.array(np.broadcast_to(numbers, shape))
    except ValueError:
        shapes = [ending, shape[1:], shape]
        raise InvalidValue(
            f"{what} must have the shape {' or '.join(map(str, shapes))}, got {numbers.shape}"
        ) from None


def checked_starts(given: object, players: tuple[int, int]) -> dict[str, dict[str, Any]]:
    """The `start` of a `Game` as nested tuples of numbers."""
    count = _number_of_starts(given, players)
    places = checked_places(given, count, players)
    return {
        side.name: {key: _nested_tuple(values.tolist()) for key, values in places[side].items()}
        for side in Side
        if places[side]
    }


def _nested_tuple(value: Any) -> Any:
    return tuple(map(_nested_tuple, value)) if isinstance(value, list) else value


def _number_of_starts(given: object, players: tuple[int, int]) -> int:
    found = 1
    for side, name, place in _sides_of(given):
        for key, value in place.items():
            numbers = check_array(f"start[{name!r}][{key!r}]", value)
            axes = numbers.ndim - (key == "position")
            if axes == 2 or (axes == 1 and players[side] == 1):
                found = max(found, len(numbers))
    if found > MOST_STARTS:
        raise InvalidValue(f"start must have at most {MOST_STARTS:,} starts, got {found:,}")
    return found


def start_table(
    start: Mapping[str, Any], players: tuple[int, int], count: int | None = None
) -> NDArray[np.float64]:
    """The table of `Game.start` for the compiled loop, (S, players, PLACE_SIZE).

    It has nan for numbers that are drawn. Without a ``count``, S is the number of starts, 0 if
    there are none.
    """
    if count is None:
        count = _number_of_starts(start, players) if start else 0
    table = np.full((count, sum(players), PLACE_SIZE), np.nan)
    for side, place in zip(Side, checked_places(start, count, players)):
        first = players[0] if side else 0
        rows = table[:, first : first + players[side]]
        if "position" in place:
            rows[..., :2] = place["position"]
        if "heading" in place:
            angles = place["heading"]
            headings = np.array([direction(angle) for angle in angles.ravel().tolist()])
            headings = headings.reshape(angles.shape)
            rows[..., 2], rows[..., 3] = headings.real, headings.imag
        if "speed" in place:
            rows[..., 4] = place["speed"]
    return table
