"""`Map`: a world of straight walls, as polygons and lines of points. And names of maps."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Complex
from pathlib import Path
from typing import Any

import numpy as np

from steer_env import errors
from steer_env.errors import InvalidType, InvalidValue, UsageError, got
from steer_env.files import read_json, write_json
from steer_env.maps import generators, polygons, reading
from steer_env.maps.generators import MOST_MAPS
from steer_env.maps.polygons import Mask, Places, Points, complexes, is_within, pairs_of
from steer_env.steering.walls import ROUNDING

GENERATORS = ("rooms", "maze", "caves", "pillars")
_PARTS = ("outline", "solids", "walls")
_DIGITS = 9  # of coordinates in meters


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """A world of straight walls: an outline, solid polygons in it, and thin walls.

    Its coordinates are moved so that the middle of the outline's bounding box is the origin, as
    in all games, and rounded to a nanometer. Polygons are closed: their last point is joined to
    their first. Maps with the same walls are equal.

    Example:
        >>> yard = Map([(0, 0), (12, 0), (12, 8), (0, 8)], solids=[[(3, 3), (5, 3), (4, 5)]])
        >>> yard.outline[0], yard.half_size, len(yard.segments)
        ((-6.0, -4.0), 6.0, 7)

    Args:
        outline: the corners of the polygon that holds all, (x, y) in meters, at least three.
        solids: polygons that keep everything out.
        walls: lines of at least two points that nothing crosses.
        middle: a vector that is added to the attribute of this name.
        name: for generators.

    Raises:
        UsageError: for a polygon that crosses itself, or touches itself but at corners; for
            points that are not pairs of numbers, or follow one another at one place; for parts
            outside the outline, a solid that covers it, and more than 512 segments.
    """

    outline: Points
    solids: Sequence[Points] = ()
    walls: Sequence[Points] = ()
    middle: complex = 0j
    """The origin's place in the coordinates that were given, x + iy in meters."""
    name: str = ""
    """As `maps_named` takes it, such as "rooms/5", or empty."""

    rooms = classmethod(generators.rooms)
    maze = classmethod(generators.maze)
    caves = classmethod(generators.caves)
    pillars = classmethod(generators.pillars)
    from_text = classmethod(reading.from_text)
    from_image = classmethod(reading.from_image)

    def __post_init__(self) -> None:
        given = self.middle
        if not isinstance(given, Complex) or isinstance(given, bool):
            raise InvalidType(f"middle must be a complex number, {got(given)}")
        if not max(abs(given.real), abs(given.imag)) <= polygons.FARTHEST:
            raise InvalidValue(f"middle must be within 100,000 m of 0, {got(given)}")
        outline, solids, walls = polygons.checked(self.outline, self.solids, self.walls)
        x, y = outline.real, outline.imag
        middle = 0.5 * np.array([x.min() + x.max(), y.min() + y.max()])
        middle[np.abs(middle) < 2.0 * 10.0**-_DIGITS] = 0.0  # so that nothing moves twice
        shift = complex(*middle.tolist())

        def moved(places: Places) -> Points:
            return pairs_of(np.round(places - shift, _DIGITS) + 0.0)  # without -0.0

        vars(self).update(
            outline=moved(outline),
            solids=tuple(map(moved, solids)),
            walls=tuple(map(moved, walls)),
            middle=complex(given) + shift,
        )

    def __repr__(self) -> str:
        """Its digest, size and number of segments: points are in `outline` and the others."""
        x, y = np.ptp(self.polygons[0].real), np.ptp(self.polygons[0].imag)
        return f"<Map {self.digest}: {x:g} m x {y:g} m, {len(self.segments)} segments>"

    def __eq__(self, other: object) -> bool:
        """Returns whether another map has the same walls, in the same order."""
        return self.digest == other.digest if isinstance(other, Map) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:  # without what is cached
        return Map, (self.outline, self.solids, self.walls, self.middle, self.name)

    def __deepcopy__(self, memo: object) -> Map:
        return self  # nothing in it changes

    @cached_property
    def polygons(self) -> tuple[Places, ...]:
        """The corners of the outline and of each solid, x + iy."""
        return tuple(map(complexes, (self.outline, *self.solids)))

    @cached_property
    def segments(self) -> Places:
        """The start and the end of each straight piece of wall, shape (segments, 2)."""
        closed = [np.stack([one, np.roll(one, -1)], 1) for one in self.polygons]
        lines = map(complexes, self.walls)
        return np.concatenate([*closed, *(np.stack([one[:-1], one[1:]], 1) for one in lines)])

    @property
    def half_size(self) -> float:
        """Half the longer side of the outline's bounding box, in meters."""
        return max(abs(number) for point in self.outline for number in point)

    def contains(self, places: Places) -> Mask:
        """Returns which places, x + iy, are in the outline and in no solid."""
        inside, *solid = (is_within(one, np.asarray(places, complex)) for one in self.polygons)
        return np.asarray(inside & ~np.any(solid, axis=0) if solid else inside)

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that maps with the same walls have in common."""
        parts = [getattr(self, name) for name in _PARTS]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def key(self) -> int:
        """The digest as a signed integer of 64 bits."""
        return int.from_bytes(bytes.fromhex(self.digest), "little", signed=True)

    def to_dict(self) -> dict[str, Any]:
        """Returns the map as data for JSON, without what it lacks."""
        data = {name: getattr(self, name) for name in _PARTS}
        data["middle"] = [self.middle.real, self.middle.imag] if self.middle else None
        return {name: part for name, part in data.items() if part}

    @classmethod
    def from_dict(cls, data: Any) -> Map:
        """Returns the map of `to_dict`'s data, or raises a UsageError for other data."""
        if not isinstance(data, Mapping) or "outline" not in data:
            raise InvalidType(f"a map's data are a dict with an outline, {got(data)}")
        for name in data:
            if name not in (*_PARTS, "middle"):
                raise InvalidType(errors.unknown("field of a map", name, (*_PARTS, "middle")))
        middle = polygons.places_of("middle", [data.get("middle", (0.0, 0.0))], 1)[0]
        return cls(**{**data, "middle": complex(middle)})

    def save(self, path: str | Path) -> None:
        """Writes the map as JSON, or raises a UsageError or OSError for an invalid path."""
        write_json(errors.check_path("path", path), self.to_dict(), indent=None)

    @classmethod
    def load(cls, path: str | Path) -> Map:
        """Reads a map that `save` has written.

        Raises:
            UsageError, OSError: for a file that holds none.
        """
        data = read_json(file := errors.check_path("path", path))
        try:
            return cls.from_dict(data)
        except UsageError as error:
            raise type(error)(f"{file}: {error}") from None


def has_room(world: Map, places: Places, radii: Any) -> Mask:
    """Returns at which places, x + iy, bodies of radii fit, broadcast together."""
    is_clear = polygons.distances_to_walls(world.segments, places) >= radii - ROUNDING
    return is_clear & world.contains(places)


def checked_maps(given: Any) -> tuple[Map, ...]:
    """Returns a game's maps: given as a Map, its data, maps' name, a list of these, or None."""
    listed = given if isinstance(given, list | tuple) else [] if given is None else [given]
    if given == []:
        raise InvalidValue("map must be at least one map, or None for a square; got []")
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
    parts = re.fullmatch(r"([a-z_]+)/(\d+)(?:-(\d+))?", name)
    if parts is None:
        raise InvalidValue(
            "a map's name is a generator and seeds, such as 'rooms/5' or 'rooms/0-63', or a "
            f"file with the ending .json, .yaml, .pgm or .png; {got(name)}"
        )
    errors.check_choice("generator of maps", parts[1], GENERATORS)
    first, last = int(parts[2]), int(parts[3] or parts[2])
    if not 0 <= last - first < MOST_MAPS:
        raise InvalidValue(
            f"{name!r} must have 1 to {MOST_MAPS:,} maps, the first before the last"
        )
    return _generated(parts[1], first, last)


@lru_cache(16)
def _generated(generator: str, first: int, last: int) -> tuple[Map, ...]:
    return tuple(getattr(Map, generator)(last - first + 1, seed=first))


def plain_maps(maps: Sequence[Map]) -> Any:
    """Maps as plain values that `checked_maps` takes: their name if they have one, or data."""
    names = [one.name for one in maps]
    generator, _, first = names[0].partition("/")
    if first and names == [f"{generator}/{int(first) + k}" for k in range(len(maps))]:
        return names[0] if len(maps) == 1 else f"{names[0]}-{int(first) + len(maps) - 1}"
    return [one.name or one.to_dict() for one in maps]
