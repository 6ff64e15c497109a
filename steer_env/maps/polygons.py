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

FARTHEST = 1e5
"""Meters that points may be from the origin."""

_SHORTEST = 1e-6  # meters, of a side
_ON = 1e-9  # meters: points that are nearer are on a side


def places_of(what: str, given: object, fewest: int) -> Places:
    """Returns given points as complex numbers.

    Raises:
        UsageError: if they are not at least so few pairs of numbers, or two that follow one
            another are at one place.
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
    closed = np.append(places, places[0]) if fewest == 3 else places
    near = np.flatnonzero(np.abs(np.diff(closed)) < _SHORTEST)
    if len(near):
        raise InvalidValue(
            f"{what}: its points {near[0]} and {(near[0] + 1) % len(places)} are at one place, "
            "and points that follow one another must differ"
            + " (the last point is joined to the first)"
            * (fewest == 3)
        )
    return places


def parts_of(what: str, given: object, fewest: int) -> dict[str, Places]:
    """Returns given lists of points by their names in messages, see `places_of`."""
    entries = enumerate(check_sequence(what, given))
    return {f"{what}[{k}]": places_of(f"{what}[{k}]", one, fewest) for k, one in entries}


def complexes(points: Any) -> Places:
    """Returns pairs (x, y) as complex numbers."""
    pairs = np.asarray(points, float)
    return np.asarray(pairs[:, 0] + 1j * pairs[:, 1])


def pairs_of(places: Places) -> Points:
    """Returns complex numbers as pairs (x, y)."""
    return tuple(zip(places.real.tolist(), places.imag.tolist()))


def check_polygon(what: str, corners: Places) -> None:
    """Raises an InvalidValue if a polygon crosses itself, or touches itself but at corners."""
    fault = crossing_of(corners)
    if fault is not None:
        one, other, place = fault
        raise InvalidValue(
            f"{what} crosses or touches itself at ({place.real:.6g}, {place.imag:.6g}), by "
            f"the sides after its points {one} and {other}: give its corners in their order"
        )


def crossing_of(corners: Places) -> tuple[int, int, complex] | None:
    """Returns two sides of a polygon that meet, and where, or None if it is simple.

    Corners may be at one place, as those of a solid of two cells that have a corner in common,
    if no side crosses another there.
    """
    ends, count = np.roll(corners, -1), len(corners)
    crossing = np.argwhere(segments_cross(corners[:, None], ends[:, None], corners, ends))
    for one, other in crossing[:1]:
        along, across = ends[one] - corners[one], ends[other] - corners[other]
        offset = corners[other] - corners[one]
        share = (offset * across.conjugate()).imag / (along * across.conjugate()).imag
        return int(one), int(other), complex(corners[one] + share * along)
    is_same = np.abs(corners[:, None] - corners) < _ON  # also each with itself
    is_end = is_same | np.roll(is_same, -1, axis=1)  # the row's corner, of the column's side
    touching = np.argwhere(~is_end & (distances(corners, ends, corners[:, None]) < _ON))
    for one, other in touching[:1]:
        return int(one), int(other), complex(corners[one])
    is_next = np.roll(is_same, -1, axis=0)
    is_twice = np.roll(is_next, -1, axis=1) & is_same  # sides from and to the same places
    is_twice |= np.roll(is_same, -1, axis=1) & is_next  # and sides back
    is_twice &= ~np.eye(count, dtype=bool)
    for one, other in np.argwhere(is_twice)[:1]:
        return int(one), int(other), complex(corners[one])
    if is_same.sum() > count:  # the polygon is on the same hand of all sides, or crosses itself
        middles = 0.5 * (corners + ends)[:, None]
        turns = np.angle((ends - middles) / (corners - middles))
        np.fill_diagonal(turns, 0.0)
        around = np.rint(turns.sum(1) / np.pi)
        one = int(np.argmax((np.abs(around) != 1.0) | (around != around[0])))
        if one or abs(around[0]) != 1.0:
            corner = int(np.argmax(is_same.sum(1) > 1))
            return corner, int(np.flatnonzero(is_same[corner])[-1]), complex(corners[corner])
    return None


def segments_cross(
    start: Places, end: Places, other: Places, other_end: Places
) -> NDArray[np.bool_]:
    """Returns which segments cross others in their insides, for arrays broadcast together."""

    def sides(a: Places, b: Places, c: Places) -> Any:
        one, two = b - a, c - a
        return np.sign(one.real * two.imag - one.imag * two.real)

    apart = sides(start, end, other) * sides(start, end, other_end) < 0
    return np.asarray(
        apart & (sides(other, other_end, start) * sides(other, other_end, end) < 0)
    )


def distances(starts: Places, ends: Places, places: Places) -> NDArray[np.float64]:
    """Returns the distances of places from segments, for arrays broadcast together."""
    along, offset = ends - starts, places - starts
    square = np.maximum(along.real * along.real + along.imag * along.imag, TINY)
    share = (offset.real * along.real + offset.imag * along.imag) / square
    share = np.clip(share, 0.0, 1.0)
    x, y = offset.real - share * along.real, offset.imag - share * along.imag
    return np.asarray(np.sqrt(x * x + y * y))


def distances_to_walls(segments: Places, places: Places) -> NDArray[np.float64]:
    """Returns the distances of places from the nearest of segments, (segments, 2)."""
    nearest = np.full(places.shape, np.inf)
    for start, end in segments:
        nearest = np.minimum(nearest, distances(start, end, places))
    return nearest


def is_within(corners: Places, places: Places) -> NDArray[np.bool_]:
    """Returns which places are in a polygon: a line from them to the right crosses it oddly."""
    start, end = corners, np.roll(corners, -1)
    is_slanted = start.imag != end.imag
    start, end = start[is_slanted], end[is_slanted]
    inside = [
        (
            ((start.imag > some.imag) != (end.imag > some.imag))
            & (
                some.real - start.real
                < (some.imag - start.imag) / (end.imag - start.imag) * (end.real - start.real)
            )
        ).sum(1)
        % 2
        == 1
        for some in np.array_split(places.reshape(-1, 1), 1 + places.size * len(start) // 2**18)
    ]
    return np.concatenate(inside).reshape(places.shape)


def area_of(corners: Places) -> float:
    """The area of a polygon, negative if its corners go clockwise around it."""
    x, y = corners.real, corners.imag
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def check_inside(outline: Places, solids: dict[str, Places], walls: dict[str, Places]) -> None:
    """Raises an InvalidValue for a part of a map outside its outline, or one that covers it."""
    around = _samples(outline)
    for name, part in {**solids, **walls}.items():
        if is_outside(outline, part, name in solids):
            raise InvalidValue(f"{name} is outside the outline, so that nothing can meet it")
        if name in solids and not _crosses(outline, part):
            on = distances(part, np.roll(part, -1), around[:, None]).min(1) < _ON
            if (on | is_within(part, around)).all():
                raise InvalidValue(f"{name} covers the whole outline, and leaves no free place")


def is_outside(outline: Places, part: Places, is_closed: bool = True) -> bool:
    """Returns whether no part of a polygon or a line is in the outline."""
    inside = is_within(outline, _samples(part, is_closed)).any()
    inside |= is_closed and is_within(part, _samples(outline)).any()
    return not (inside or _crosses(outline, part, is_closed))


def _crosses(outline: Places, part: Places, is_closed: bool = True) -> bool:
    ends = np.roll(part, -1) if is_closed else part[1:]
    starts = part[: len(ends), None]
    return bool(segments_cross(starts, ends[:, None], outline, np.roll(outline, -1)).any())


def _samples(corners: Places, is_closed: bool = True) -> Places:
    """The corners of a polygon or a line, and the middles of its sides."""
    following = np.roll(corners, -1) if is_closed else corners[1:]
    return np.concatenate([corners, 0.5 * (corners[: len(following)] + following)])
