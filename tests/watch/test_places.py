"""Panels, inspector and status line share the window."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from interface.test_grid import SIZES, covered

from steer_env.watch.places import Table, places_in


@pytest.mark.parametrize(("size", "has_inspector"), [*itertools.product(SIZES, (False, True))])
def test_panels_inspector_and_status_share_the_window(size, has_inspector):
    places = places_in(size, 6, 3, 30, has_inspector)
    parts = [*places.panels, places.status]
    if has_inspector:
        parts.append(places.inspector)
        is_wide = size[0] >= size[1]
        assert (places.inspector.top == 0) == is_wide
        assert (places.inspector.left == 0) != is_wide
    assert (covered(parts, *size) == 1).all()


TABLES = {"3 pairs of 3": (3, 3), "6 pairs of 2": (6, 2), "2 pairs of 8": (2, 8)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("counts", TABLES.values(), ids=TABLES)
def test_a_table_has_a_row_or_column_for_each_number(size, counts):
    table = Table(counts, (90, 60), 22)
    places = places_in(size, counts[0] * counts[1], 1, 30, False, table)
    headers = [header.place for header in places.headers]
    assert covered([*places.panels, *headers, places.status], *size).max() == 1
    for axis in (0, 1):
        for number in range(counts[axis]):
            games = np.arange(counts[0] * counts[1]).reshape(counts).take(number, axis)
            own = [h for h in places.headers if (h.axis, h.number) == (axis, number)]
            for game in games.tolist():
                panel = places.panels[game]
                in_line = [
                    header.place
                    for header in own
                    if (header.is_row and header.place.top == panel.top)
                    or (not header.is_row and header.place.left == panel.left)
                ]
                assert in_line, (axis, number, game)


def test_the_orientation_of_a_table_is_that_of_larger_panels():
    def rows_of(size):
        places = places_in(size, 8, 1, 30, False, Table((2, 4), (90, 60), 22))
        return len({panel.top for panel in places.panels})

    assert rows_of((1200, 600)) == 2  # the two pairs
    assert rows_of((500, 900)) == 4


def test_a_long_table_is_cut_into_blocks_only_where_panels_gain_much():
    def blocks_of(size, counts):
        table = Table(counts, (90, 60), 22)
        headers = places_in(size, counts[0] * counts[1], 1, 30, False, table).headers
        return max(sum(h.number == 0 and h.axis == axis for h in headers) for axis in (0, 1))

    assert blocks_of((960, 720), (6, 2)) == 2
    assert blocks_of((960, 720), (3, 3)) == 1
    assert blocks_of((600, 900), (3, 3)) == 1
