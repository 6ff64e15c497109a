"""Hunters share their quarries out at the least cost, as scipy's solver does."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.steering import VEHICLE, assignment

from .vehicles import vehicle

coordinates = st.integers(-900, 900).map(lambda n: n / 100)
places = st.builds(complex, coordinates, coordinates)
teams = st.lists(places, min_size=1, max_size=7)


def seconds(hunter, quarry):
    return abs(quarry.position - hunter.position) / hunter.max_speed


@given(teams, teams, st.randoms())
def test_the_total_time_is_that_of_scipys_solver(hunters, quarries, dice):
    from scipy.optimize import linear_sum_assignment

    hunters = [vehicle(place, max_speed=dice.choice([1, 2, 5])) for place in hunters]
    quarries = [vehicle(place) for place in quarries]
    most = -(-len(hunters) // len(quarries))
    cost = np.array([[seconds(one, other) for other in quarries] for one in hunters])
    rows, columns = linear_sum_assignment(np.tile(cost, most))
    least = np.tile(cost, most)[rows, columns].sum()
    found = assignment(hunters, quarries)
    assert max(map(found.count, found)) <= most
    assert sum(map(seconds, hunters, [quarries[k] for k in found])) == pytest.approx(least)
    array = np.array([tuple(one) for one in hunters], VEHICLE)
    assert assignment(array, quarries) == found


def test_nobody_is_hunted_twice_while_there_are_enough_quarries():
    hunters = [vehicle(k) for k in range(3)]
    quarries = [vehicle(place) for place in (1, 1 + 9j, 1 - 9j, 60)]
    assert sorted(assignment(hunters, quarries)) == [0, 1, 2]
    assert assignment(hunters, quarries)[1] == 0


def test_the_order_of_the_hunters_does_not_matter():
    places = (0.3 + 1j, 5 - 2.1j, -3 + 3.3j, 2 + 7j)
    hunters, quarries = [vehicle(p) for p in places], [vehicle(4 + 4j), vehicle(-2 - 1j)]
    found = dict(zip(places, assignment(hunters, quarries), strict=True))
    for order in itertools.permutations(range(4)):
        again = assignment([hunters[k] for k in order], quarries)
        assert again == tuple(found[places[k]] for k in order)


def test_edges():
    somebody = [vehicle(1)]
    assert assignment([], somebody) == assignment(somebody, []) == ()
    assert assignment([vehicle(2, max_speed=0)] * 3, somebody) == (0, 0, 0)
    assert sorted(assignment(somebody * 3, somebody * 3)) == [0, 1, 2]  # all on one spot
    nowhere = [vehicle(complex(math.nan, 0)), vehicle(1)]
    assert len(assignment(nowhere, [vehicle(2), vehicle(3)])) == 2  # and it ends
    hunters, quarries = [vehicle(9), vehicle(4)], [vehicle(-9), vehicle(0)]
    assert assignment(hunters, quarries, period=20.0) == (0, 1)  # the nearest images count
    assert assignment(hunters[::-1], quarries, period=20.0) == (1, 0)
