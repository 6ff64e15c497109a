"""Polygons and lines of points: their checks, and what is in or near them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_array, check_sequence, got
from steer_env.steering.vectors import TINY

Points = Sequence[tuple[float, float]]
Places = NDArray[np.complex128]
Mask = NDArray[np.bool_]

FARTHEST = 1e5
"""Meters that points may be from the origin."""

MOST_SEGMENTS = 512
"""Straight pieces that the walls of a map may have."""

_JOINED = " (the last point is joined to the first)"
_SHORTEST = 1e-6  # meters, of a side
_ON = 1e-9  # meters: points that are nearer are on a side


def places_of(what: str, given: object, fewest: int) -> Places:
    """Returns given points as complex numbers, of a polygon if there must be three.

    Raises:
        UsageError: for other values, and for points at one place that follow one another.
    """
    try:
        points = check_array(what, given)
    except InvalidType:
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < fewest:
        raise InvalidType(f"{what} must be at least {fewest} points (x, y), {got(given)}")
    if not (np.abs(points) <= FARTHEST).all():
        raise InvalidValue(f"{what} must be finite and within {FARTHEST:,g} m of the origin")
    places = complexes(points)
    is_polygon = fewest == 3
    steps = np.diff(places, append=places[:1] if is_polygon else [])
    for near in np.flatnonzero(np.abs(steps) < _SHORTEST)[:1]:
        raise InvalidValue(
            f"{what}: its points {near} and {(near + 1) % len(places)} are at one place, and "
            f"points that follow one another must differ{is_polygon * _JOINED}"
        )
    return places


def _parts_of(what: str, given: object, fewest: int) -> dict[str, Places]:
    named = {f"{what}[{k}]": one for k, one in enumerate(check_sequence(what, given))}
    return {name: places_of(name, one, fewest) for name, one in named.items()}


def complexes(points: Any) -> Places:
    """Returns pairs (x, y) as complex numbers."""
    pairs = np.asarray(points, float)
    return np.asarray(pairs[:, 0] + 1j * pairs[:, 1])


def pairs_of(places: Places) -> Points:
    """Returns complex numbers as pairs (x, y)."""
    return tuple(zip(places.real.tolist(), places.imag.tolist()))


def crossing_of(corners: Places) -> str:
    """Returns where a polygon crosses or touches itself, for a message, or "" if it is simple.

    Corners may be at one place, as those of a solid of two cells that have a corner in common,
    if no side crosses another there.
    """
    ends = np.roll(corners, -1)
    at, to = corners[:, None], ends[:, None]
    is_same = np.abs(at - corners) < _ON  # also each with itself
    is_end = is_same | np.roll(is_same, -1, axis=1)  # the row's corner, of the column's side
    meets = segments_cross(at, to, corners, ends)
    meets |= ~is_end & (distances(corners, ends, at) < _ON)
    if not meets.any() and is_same.sum() > len(corners):
        # The polygon is on the same hand of all sides, or crosses itself.
        middles = 0.5 * (at + to)
        turns = np.angle((ends - middles) / (corners - middles))
        turns[np.abs(middles - middles.T) < _ON] = 0.0  # the side itself, or one on it
        around = np.rint(turns.sum(1) / np.pi)
        if abs(around[0]) != 1.0 or (around != around[0]).any():
            meets = np.triu(is_same, 1)
    for one, other in np.argwhere(meets)[:1].tolist():
        along, across = ends[one] - corners[one], ends[other] - corners[other]
        area = (along * across.conjugate()).imag
        offset = (corners[other] - corners[one]) * across.conjugate()
        place = corners[one] + (offset.imag / area if area else 0.0) * along
        return (
            f"at ({place.real:.6g}, {place.imag:.6g}), by the sides after its points {one} and "
            f"{other}: give its corners in their order"
        )
    return ""


def segments_cross(start: Places, end: Places, other: Places, other_end: Places) -> Mask:
    """Returns which segments cross others in their insides, for arrays broadcast together."""

    def sides(a: Places, b: Places, c: Places) -> Any:
        one, two = b - a, c - a
        return np.sign(one.real * two.imag - one.imag * two.real)

    apart = sides(start, end, other) * sides(start, end, other_end) < 0
    across = sides(other, other_end, start) * sides(other, other_end, end) < 0
    return np.asarray(apart & across)


def distances(starts: Places, ends: Places, places: Places) -> NDArray[np.float64]:
    """Returns the distances of places from segments, for arrays broadcast together."""
    along, offset = ends - starts, places - starts
    square = np.maximum(along.real * along.real + along.imag * along.imag, TINY)
    share = np.clip((offset.real * along.real + offset.imag * along.imag) / square, 0.0, 1.0)
    x, y = offset.real - share * along.real, offset.imag - share * along.imag
    return np.asarray(np.sqrt(x * x + y * y))


def distances_to_walls(segments: Places, places: Places) -> NDArray[np.float64]:
    """Returns the distances of places from the nearest of segments, (segments, 2)."""
    nearest = np.full(places.shape, np.inf)
    for start, end in segments:
        nearest = np.minimum(nearest, distances(start, end, places))
    return nearest


def is_within(corners: Places, places: Places) -> Mask:
    """Returns which places are in a polygon: a line from them to the right crosses it oddly."""
    is_slanted = corners.imag != np.roll(corners.imag, -1)
    start, end = corners[is_slanted], np.roll(corners, -1)[is_slanted]

    def crosses_oddly(some: Places) -> Mask:
        share = (some.imag - start.imag) / (end.imag - start.imag)
        is_met = some.real - start.real < share * (end.real - start.real)
        is_met &= (start.imag > some.imag) != (end.imag > some.imag)
        return np.asarray(is_met.sum(1) % 2 == 1)

    parts = np.array_split(places.reshape(-1, 1), 1 + places.size * len(start) // 2**18)
    return np.concatenate([*map(crosses_oddly, parts)]).reshape(places.shape)


def area_of(corners: Places) -> float:
    """The area of a polygon, negative if its corners go clockwise around it."""
    x, y = corners.real, corners.imag
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def checked(outline: Any, solids: Any, walls: Any) -> tuple[Places, list[Places], list[Places]]:
    """Returns the parts of a map as complex numbers, or raises the errors of `Map`."""
    rim = places_of("outline", outline, 3)
    inner, lines = _parts_of("solids", solids, 3), _parts_of("walls", walls, 2)
    sides, pieces = sum(map(len, inner.values())), sum(len(one) - 1 for one in lines.values())
    if (count := len(rim) + sides + pieces) > MOST_SEGMENTS:
        raise InvalidValue(
            f"a map has at most {MOST_SEGMENTS} segments, and this one has {count:,} "
            f"({len(rim)} of the outline, {sides} of solids, {pieces} of walls): leave out "
            "points, or read its image with a larger tolerance"
        )
    for name, polygon in {"outline": rim, **inner}.items():
        if fault := crossing_of(polygon):
            raise InvalidValue(f"{name} crosses or touches itself {fault}")
    around = _samples(rim)
    there_and_back = {name: np.append(one, one[-2:0:-1]) for name, one in lines.items()}
    for name, part in {**inner, **there_and_back}.items():
        if is_outside(rim, part):
            raise InvalidValue(f"{name} is outside the outline, so that nothing can meet it")
        if name in inner and not _cross(rim, part):
            on = distances(part, np.roll(part, -1), around[:, None]).min(1) < _ON
            if (on | is_within(part, around)).all():
                raise InvalidValue(f"{name} covers the whole outline, and leaves no free place")
    return rim, [*inner.values()], [*lines.values()]


def is_outside(outline: Places, part: Places) -> bool:
    """Returns whether no part of a polygon is in an outline."""
    is_in = is_within(outline, _samples(part)).any() or is_within(part, _samples(outline)).any()
    return not (is_in or _cross(outline, part))


def _cross(one: Places, other: Places) -> bool:
    start, end = other[:, None], np.roll(other, -1)[:, None]
    return bool(segments_cross(start, end, one, np.roll(one, -1)).any())


def _samples(corners: Places) -> Places:
    """The corners of a polygon, and the middles of its sides."""
    return np.append(corners, 0.5 * (corners + np.roll(corners, -1)))
