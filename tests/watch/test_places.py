"""Panels, inspector and status line share the window."""

from __future__ import annotations

import itertools

import pytest
from interface.test_grid import SIZES, covered

from steer_env.watch.places import places_in


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
