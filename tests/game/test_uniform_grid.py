"""Every place within reach is in one of the cells that are looked into."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from steer_env.game.look.neighbors import GRID, cell_of, distance_to_box, lay_out, span
from steer_env.steering.vectors import norm, wrap

pytestmark = pytest.mark.weekly

HALF_SIZE = 10.0
ALONG = st.one_of(
    st.floats(-HALF_SIZE, HALF_SIZE),
    st.sampled_from([-HALF_SIZE, 0.0, 2.5, -2.5, HALF_SIZE, float(np.nextafter(HALF_SIZE, 0))]),
)
PLACES = st.lists(st.builds(complex, ALONG, ALONG), min_size=1, max_size=40)


def grid_around(places):
    """A grid over the box around places."""
    grid = np.zeros(1, GRID)[0]
    x, y = [place.real for place in places], [place.imag for place in places]
    lay_out(grid, complex(min(x), min(y)), complex(max(x), max(y)), len(places), False)
    return grid


def torus_grid(count):
    """A grid around a torus."""
    grid, corner = np.zeros(1, GRID)[0], complex(HALF_SIZE, HALF_SIZE)
    lay_out(grid, -corner, corner, count, True)
    return grid


def cells_within(grid, place, reach):
    """The numbers of the cells that are looked into."""
    corner, per_meter = grid.corner, grid.cells_per_meter
    first, last = span(place.real, reach, corner.real, per_meter.real, grid.columns, grid.wraps)
    low, high = span(place.imag, reach, corner.imag, per_meter.imag, grid.rows, grid.wraps)
    return [
        (row % grid.rows) * grid.columns + column % grid.columns
        for row in range(low, high + 1)
        for column in range(first, last + 1)
    ]


def check_no_more_cells_than_there_is_room_for(grid, places):
    assert 1 <= grid.columns * grid.rows <= 2 * len(places) + 1
    assert all(0 <= cell_of(grid, place) < grid.columns * grid.rows for place in places)


@given(PLACES, st.builds(complex, ALONG, ALONG), st.floats(0.0, 50.0))
@example([1 + 1j] * 5, 1 + 1j, 0.0)
@example([complex(x, 0.0) for x in range(9)], 4 + 0j, 1.0)
@example([complex(x, 5e-324 * x) for x in range(9)], 4 + 0j, 1.0)
@example([0j, 1e-300 + 0j], 0j, 1.0)
@example([0j], 7 + 0j, 2.0)
def test_in_a_box(places, place, reach):
    grid = grid_around(places)
    check_no_more_cells_than_there_is_room_for(grid, places)
    cells = cells_within(grid, place, reach + 1e-9)
    assert len(set(cells)) == len(cells)
    near = [other for other in places if norm(other - place) <= reach]
    assert {cell_of(grid, other) for other in near} <= {*cells}


@given(PLACES, st.builds(complex, ALONG, ALONG), st.floats(0.0, 50.0))
@example([complex(-HALF_SIZE, HALF_SIZE)] * 30, complex(HALF_SIZE, -HALF_SIZE), 0.0)
def test_around_a_torus(places, place, reach):
    grid = torus_grid(len(places))
    check_no_more_cells_than_there_is_room_for(grid, places)
    cells = cells_within(grid, place, reach + 1e-9)
    assert len(set(cells)) == len(cells)
    near = [other for other in places if norm(wrap(other - place, HALF_SIZE)) <= reach]
    assert {cell_of(grid, other) for other in near} <= {*cells}


def test_it_has_about_a_cell_for_each_vehicle_and_looks_into_few():
    generator = np.random.default_rng(0)
    places = [complex(*xy) for xy in generator.uniform(-HALF_SIZE, HALF_SIZE, (900, 2))]
    for grid in (grid_around(places), torus_grid(900)):
        assert 850 <= grid.columns * grid.rows <= 1000
        assert len(cells_within(grid, 0j, 1.0)) <= 25


@pytest.mark.parametrize("reach", [1e300, math.inf])
def test_an_endless_reach_looks_into_every_cell_once(reach):
    places = [complex(x, y) for x in range(5) for y in range(5)]
    for grid in (grid_around(places), torus_grid(25)):
        assert sorted(cells_within(grid, 3 + 3j, reach)) == [*range(grid.columns * grid.rows)]


@pytest.mark.parametrize(
    ("place", "distance"),
    [(1 + 1j, 0.0), (0j, 0.0), (-3 + 1j, 3.0), (7 + 6j, 5.0), (1 - 2j, 2.0)],
)
def test_distance_to_a_box(place, distance):
    assert distance_to_box(place, 0j, 4 + 2j) == distance
