"""The outlines of grids: areas, holes, discs that open them, and fewer corners."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from steer_env.errors import InvalidValue
from steer_env.maps.polygons import area_of, crossing_of, distances, is_within
from steer_env.maps.tracing import components, filled, opened, simple_polygon, simplified

GRIDS = arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9)))


def grid_of(*rows):
    return np.array([[one == "." for one in row] for row in rows])


def groups_of(free):
    """The sets of free cells that sides join, by a search."""
    left, groups = set(map(tuple, np.argwhere(free))), []
    while left:
        group, todo = set(), [left.pop()]
        while todo:
            row, column = cell = todo.pop()
            group.add(cell)
            beside = {
                (row + 1, column),
                (row - 1, column),
                (row, column + 1),
                (row, column - 1),
            }
            todo += beside & left
            left -= beside
        groups.append(group)
    return sorted(groups, key=len, reverse=True)


def test_a_ring_has_an_outline_and_a_hole():
    (ring,) = components(grid_of("....", ".##.", "...."))
    assert set(ring[0].tolist()) == {0, 4, 4 + 3j, 3j}
    assert area_of(ring[0]) == 12.0
    (hole,) = ring[1:]
    assert set(hole.tolist()) == {1 + 1j, 3 + 1j, 3 + 2j, 1 + 2j}
    assert area_of(hole) == -2.0


def test_cells_that_share_a_corner_are_apart_and_solids_are_one():
    assert len(components(grid_of(".#", "#."))) == 2
    (around,) = components(grid_of("....", ".#..", "..#.", "...."))
    assert [area_of(one) for one in around[1:]] == [-2.0]
    assert not crossing_of(around[1:][0])


def test_the_largest_part_is_first_and_holes_are_in_their_own_part():
    parts = components(grid_of("...#......", ".#.#.#..#.", "...#......"))
    assert [area_of(one[0]) for one in parts] == [18.0, 9.0]
    assert [len(one) - 1 for one in parts] == [2, 1]
    island = components(grid_of(".....", ".###.", ".#.#.", ".###.", "....."))
    assert [(area_of(one[0]), len(one) - 1) for one in island] == [(25.0, 1), (1.0, 0)]


def test_a_grid_without_a_free_cell_is_refused():
    with pytest.raises(InvalidValue, match="no cell of the map is free"):
        components(grid_of("##", "##"))


@given(GRIDS.filter(np.any))
def test_components_are_the_groups_of_free_cells(free):
    parts, groups = components(free), groups_of(free)
    sizes = [sum(map(area_of, part)) for part in parts]
    assert sorted(sizes, reverse=True) == list(map(len, groups))
    height, width = free.shape
    for part in parts:
        assert all(not crossing_of(one) for one in part)
        inside = filled(part, height, width)
        assert set(map(tuple, np.argwhere(inside))) in groups
        centers = np.arange(width) + 0.5 + 1j * (height - np.arange(height)[:, None] - 0.5)
        within = is_within(part[0], centers)
        for hole in part[1:]:
            within &= ~is_within(hole, centers)
        assert (within == inside).all()


@given(GRIDS, st.floats(0.0, 3.0))
def test_a_disc_opens_what_it_covers_on_its_ways(free, radius):
    height, width = free.shape
    cells = list(itertools.product(range(-1, height + 1), range(-1, width + 1)))
    solid = [
        (y, x) for y, x in cells if not (0 <= y < height and 0 <= x < width and free[y, x])
    ]

    def is_near(one, other):
        return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 <= int(radius * radius)

    centers = np.zeros_like(free)
    for y, x in itertools.product(range(height), range(width)):
        centers[y, x] = not any(is_near((y, x), one) for one in solid)
    found = opened(free, radius)
    assert not (found & ~free).any()
    covered = [
        {cell for cell in cells if any(is_near(cell, one) for one in group)}
        for group in groups_of(centers)
    ]
    assert set(map(tuple, np.argwhere(found))) in (covered or [set()])


POLYGON = st.lists(st.floats(0.5, 3.0), min_size=3, max_size=40).map(
    lambda radii: np.array(radii) * np.exp(2j * np.pi * np.arange(len(radii)) / len(radii))
)


@given(POLYGON, st.floats(0.0, 2.0))
def test_what_is_left_out_is_near_what_is_left(corners, tolerance):
    fewer = simplified(corners, tolerance)
    assert set(fewer.tolist()) <= set(corners.tolist())
    assert fewer[0] == corners[0]
    apart = distances(fewer, np.roll(fewer, -1), corners[:, None]).min(1)
    assert apart.max() <= tolerance + 1e-12


@given(POLYGON, st.floats(0.0, 2.0))
def test_polygons_with_fewer_corners_do_not_cross_themselves(corners, tolerance):
    fewer = simple_polygon(corners, tolerance)
    assert len(fewer) < 3 or not crossing_of(fewer)


def test_corners_on_a_line_are_left_out():
    square = np.array([0, 1, 2, 2 + 1j, 2 + 2j, 1 + 2j, 2j, 1j])
    assert simplified(square, 0.0).tolist() == [0, 2, 2 + 2j, 2j]
    assert len(simple_polygon(square / 100, 0.1)) < 3  # smaller than the tolerance
