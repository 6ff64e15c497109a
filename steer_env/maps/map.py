"""`Map`: a world of straight walls, as polygons and lines of points."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, check_path, check_sequence
from steer_env.files import read_json, write_json

Points = tuple[tuple[float, float], ...]
Places = NDArray[np.complex128]

MOST_SEGMENTS = 512
"""Straight pieces that the walls of a map may have."""

MOST_MAPS = 1024
"""Maps that a game may have."""

_FARTHEST = 1e5  # meters from the origin
_SHORTEST = 1e-6  # meters, of a segment


@dataclass(frozen=True)
class Map:
    """A world of straight walls: an outline, solid polygons in it, and thin walls.

    Its coordinates are moved so that the middle of the outline's bounding box is the origin, as
    in all games. Polygons are closed: their last point is joined to their first.

    Example:
        >>> yard = Map([(0, 0), (12, 0), (12, 8), (0, 8)], solids=[[(3, 3), (5, 3), (4, 5)]])
        >>> yard.outline[0], yard.half_size, len(yard.segments)
        ((-6.0, -4.0), 6.0, 7)

    Args:
        outline: the corners of the polygon that holds all, (x, y) in meters, at least three.
        solids: polygons in which nobody can be.
        walls: lines of at least two points that nobody can cross.

    Raises:
        UsageError: for a polygon that crosses itself, for points that are not pairs of numbers
            or follow one another at one place, and for more than `MOST_SEGMENTS` segments.
    """

    outline: Points
    solids: tuple[Points, ...] = ()
    walls: tuple[Points, ...] = ()
    middle: complex = field(default=0j, init=False, compare=False)
    """Where the origin was in the given coordinates, x + iy in meters."""

    def __post_init__(self) -> None:
        outline = _places("outline", self.outline, 3)
        solids, walls = _parts("solids", self.solids, 3), _parts("walls", self.walls, 2)
        for name, polygon in {"outline": outline, **solids}.items():
            _check_polygon(name, polygon)
        x, y = outline.real, outline.imag
        middle = complex(x.min() + x.max(), y.min() + y.max()) / 2
        moved = {
            "outline": _pairs(outline - middle),
            "solids": tuple(_pairs(one - middle) for one in solids.values()),
            "walls": tuple(_pairs(one - middle) for one in walls.values()),
            "middle": middle,
        }
        for name, value in moved.items():
            object.__setattr__(self, name, value)
        if len(self.segments) > MOST_SEGMENTS:
            raise InvalidValue(
                f"a map has at most {MOST_SEGMENTS} segments, got {len(self.segments)}: leave out "
                "points, or simplify an image by a larger tolerance"
            )

    @cached_property
    def polygons(self) -> tuple[Places, ...]:
        """The corners of the outline and of each solid, x + iy."""
        return tuple(map(_complex, (self.outline, *self.solids)))

    @cached_property
    def segments(self) -> Places:
        """The start and the end of each straight piece of wall, shape (segments, 2)."""
        closed = [np.stack([one, np.roll(one, -1)], 1) for one in self.polygons]
        lines = map(_complex, self.walls)
        return np.concatenate([*closed, *(np.stack([one[:-1], one[1:]], 1) for one in lines)])

    @property
    def half_size(self) -> float:
        """Half the longer side of the outline's bounding box, in meters."""
        return float(
            max(np.abs(self.polygons[0].real).max(), np.abs(self.polygons[0].imag).max())
        )

    def contains(self, places: Places) -> NDArray[np.bool_]:
        """Returns which places, x + iy, are in the outline and in no solid."""
        inside, *solid = (is_within(one, np.asarray(places)) for one in self.polygons)
        return np.asarray(inside & ~np.any(solid, axis=0) if solid else inside)

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that maps with the same walls have in common."""
        return hashlib.sha256(json.dumps(self.to_dict()).encode()).hexdigest()[:16]

    @property
    def key(self) -> int:
        """The digest as a signed integer of 64 bits."""
        return int.from_bytes(bytes.fromhex(self.digest), "little", signed=True)

    def to_dict(self) -> dict[str, Any]:
        """Returns the map as data for JSON, without what it lacks."""
        parts = {"outline": self.outline, "solids": self.solids, "walls": self.walls}
        return {name: part for name, part in parts.items() if part}

    @classmethod
    def from_dict(cls, data: Any) -> Map:
        """Returns the map of `to_dict`'s data.

        Raises:
            UsageError: for other data.
        """
        if not isinstance(data, dict) or not {"outline"} <= {*data} <= {
            "outline",
            "solids",
            "walls",
        }:
            raise InvalidType("a map's data are a dict of its outline, solids and walls")
        return cls(**data)

    def save(self, path: str | Path) -> None:
        """Writes the map as JSON.

        Raises:
            UsageError, OSError: for a path that cannot be written.
        """
        write_json(check_path("path", path), self.to_dict(), indent=None)

    @classmethod
    def load(cls, path: str | Path) -> Map:
        """Reads a map that `save` has written.

        Raises:
            UsageError, OSError: for a file that holds none.
        """
        return cls.from_dict(read_json(check_path("path", path)))


def checked_maps(given: object) -> tuple[Map, ...]:
    """The maps of a game, from a Map or its data, a list of them, or None for none."""
    if given is None:
        return ()
    listed = given if isinstance(given, list | tuple) else [given]
    if len(listed) > MOST_MAPS:
        raise InvalidValue(f"map must be at most {MOST_MAPS:,} maps, got {len(listed):,}")
    found = [Map.from_dict(one) if isinstance(one, dict) else one for one in listed]
    for one in found:
        if not isinstance(one, Map):
            raise InvalidType(f"map must be a steer_env.Map, or a list of them, {got(one)}")
    return tuple(found)


def _places(what: str, given: object, fewest: int) -> Places:
    """Returns points as complex numbers, or raises a UsageError."""
    points = check_array(what, given)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < fewest:
        raise InvalidValue(
            f"{what} must be at least {fewest} points (x, y) in meters, got an array of the shape "
            f"{points.shape}"
        )
    if not (np.abs(points) <= _FARTHEST).all():
        raise InvalidValue(f"{what} must be within {_FARTHEST:,g} m of the origin")
    places = _complex(points)
    closed = np.append(places, places[0]) if fewest == 3 else places
    near = np.nonzero(np.abs(np.diff(closed)) < _SHORTEST)[0]
    if len(near):
        raise InvalidValue(
            f"{what}: points that follow one another must differ, and the points {near[0]} and "
            f"{(near[0] + 1) % len(places)} are at one place (a polygon is closed by itself)"
        )
    return places


def _parts(what: str, given: object, fewest: int) -> dict[str, Places]:
    entries = enumerate(check_sequence(what, given))
    return {f"{what}[{k}]": _places(f"{what}[{k}]", one, fewest) for k, one in entries}


def _complex(points: Any) -> Places:
    pairs = np.asarray(points, float)
    return np.asarray(pairs[:, 0] + 1j * pairs[:, 1])


def _pairs(places: Places) -> Points:
    return tuple(zip(places.real.tolist(), places.imag.tolist()))


def _check_polygon(what: str, corners: Places) -> None:
    """Raises an InvalidValue if two sides of a polygon cross."""
    ends = np.roll(corners, -1)
    crossing = np.argwhere(segments_cross(corners[:, None], ends[:, None], corners, ends))
    if len(crossing):
        one, other = crossing[0]
        raise InvalidValue(
            f"{what} crosses itself: the sides after its points {one} and {other} meet; give the "
            "corners in their order around it"
        )


def segments_cross(
    start: Places, end: Places, other: Places, other_end: Places
) -> NDArray[np.bool_]:
    """Returns which segments cross others in their insides, for arrays broadcast together."""

    def sides(a: Places, b: Places, c: Places) -> Any:
        return np.sign(((b - a).conjugate() * (c - a)).imag)

    apart = sides(start, end, other) * sides(start, end, other_end) < 0
    return np.asarray(
        apart & (sides(other, other_end, start) * sides(other, other_end, end) < 0)
    )


def is_within(corners: Places, places: Places) -> NDArray[np.bool_]:
    """Returns which places are in a polygon: a line from them to the right crosses it oddly."""
    inside = np.zeros(places.shape, bool)
    for start, end in zip(corners, np.roll(corners, -1)):
        spans = (start.imag > places.imag) != (end.imag > places.imag)
        if start.imag != end.imag:
            share = (places.imag - start.imag) / (end.imag - start.imag)
            inside ^= spans & (places.real < start.real + share * (end.real - start.real))
    return inside
