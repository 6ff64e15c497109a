"""Maps by their names: of generators with a seed or two, and of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from steer_env.errors import InvalidType, InvalidValue, check_choice, got
from steer_env.maps.generators import MOST_MAPS
from steer_env.maps.map import Map

GENERATORS = ("rooms", "maze", "caves", "pillars")
_NAME = re.compile(r"([a-z_]+)/(\d+)(?:-(\d+))?")


def checked_maps(given: Any) -> tuple[Map, ...]:
    """Returns the maps of a game.

    They are given as a Map or its data, the name of maps, a list of these, or None for none.
    """
    listed = given if isinstance(given, list | tuple) else [] if given is None else [given]
    found: list[Map] = []
    for one in listed:
        if isinstance(one, str):
            found += maps_named(one)
        else:
            found.append(Map.from_dict(one) if isinstance(one, dict) else one)
        if not isinstance(found[-1], Map):
            raise InvalidType(f"map must be a steer_env.Map, or a list of them, {got(one)}")
    if len(found) > MOST_MAPS:
        raise InvalidValue(f"map must be at most {MOST_MAPS:,} maps, got {len(found):,}")
    return tuple(found)


@lru_cache(16)
def maps_named(name: str) -> tuple[Map, ...]:
    """Returns the maps of a name.

    It is a file that `Map.save` wrote, or one that `Map.from_image` reads; or a generator and
    the seed of one map, "rooms/5", or of the first and the last, "rooms/0-63".

    Raises:
        UsageError, OSError: for other names, and for files without a map.
    """
    if name.endswith(".json"):
        return (Map.load(name),)
    if name.endswith((".yaml", ".yml", ".pgm", ".png")):
        return (Map.from_image(name),)
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise InvalidValue(
            "a map's name is a generator and seeds, such as 'rooms/5' or 'rooms/0-63', or a "
            f"file with the ending .json, .yaml, .pgm or .png; {got(name)}"
        )
    check_choice("generator of maps", parts[1], GENERATORS)
    first = int(parts[2])
    last = int(parts[3] or first)
    if not 0 <= last - first < MOST_MAPS:
        raise InvalidValue(
            f"{name!r} must have 1 to {MOST_MAPS:,} maps, the first before the last"
        )
    return tuple(getattr(Map, parts[1])(last - first + 1, seed=first))


def plain_maps(maps: Sequence[Map]) -> Any:
    """Maps as plain values that `checked_maps` takes: their name if they have one, or data."""
    names = [one.name for one in maps]
    generator, _, first = names[0].partition("/")
    if first and names == [f"{generator}/{int(first) + k}" for k in range(len(maps))]:
        return names[0] if len(maps) == 1 else f"{names[0]}-{int(first) + len(maps) - 1}"
    return [one.name or one.to_dict() for one in maps]
