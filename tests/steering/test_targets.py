"""Targets: how far they are, when a step reaches them, and the point that decides a race."""

import cmath
import math

import pytest
from hypothesis import given, strategies as st

from steer_env.steering.targets import (
    Target,
    along_rim,
    arc_between,
    contested_point,
    disc,
    half_plane,
    lead,
    offset_to_target,
    on_rim,
    reach_along,
    share_until_reached,
)

places = st.builds(complex, st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))
angles = st.floats(-math.pi, math.pi)
GAP = Target(2.0 + 0j, 1j, 1.0, 0.5, False)
LEFT = half_plane(-1.0 + 0j, 1.0 + 0j)


@pytest.mark.parametrize(
    ("target", "place", "offset"),
    [
        (disc(1.0 + 0j, 2.0), 6.0 + 0j, -3.0 + 0j),
        (disc(1.0 + 0j, 2.0), 2.0 + 1j, 0j),
        (disc(0j, 0.0), 3.0 + 4j, -3.0 - 4j),
        (LEFT, 2.0 + 7j, -3.0 + 0j),
        (LEFT, -1.5 + 0j, 0j),
        (GAP, 4.0 + 0.3j, -1.5 + 0j),
        (GAP, 2.0 + 4j, -2.5j),
        (GAP, 2.2 + 0.9j, 0j),
    ],
)
def test_offsets_by_hand(target, place, offset):
    assert offset_to_target(target, place) == pytest.approx(offset)


@pytest.mark.parametrize(
    ("target", "start", "step", "share"),
    [
        (disc(0j, 1.0), 3.0 + 0j, -4.0 + 0j, 0.5),
        (disc(0j, 1.0), 3.0 + 0j, -1.9 + 0j, math.inf),
        (disc(0j, 1.0), 3.0 + 0j, 4.0 + 0j, math.inf),  # away from it
        (disc(0j, 1.0), 3.0 + 2j, -6.0 + 0j, math.inf),  # past it
        (disc(0j, 1.0), 0.5 + 0j, 4.0 + 0j, 0.0),  # from inside
        (disc(0j, 1.0), 3.0 + 0j, 0j, math.inf),  # at rest
        (LEFT, 1.0 + 0j, -4.0 + 1j, 0.5),
        (LEFT, 1.0 + 0j, 4.0 + 0j, math.inf),
        (GAP, 4.5 + 0.5j, -4.0 + 0j, 0.5),
        (GAP, 2.0 + 3.5j, -4.0j, 0.5),  # by its end
        (GAP, 4.5 + 3j, -2.5 + 0j, math.inf),  # beside it
    ],
)
def test_steps_by_hand(target, start, step, share):
    assert share_until_reached(target, start, step) == pytest.approx(share)


@given(places, places, angles, st.sampled_from([disc(0.5j, 1.0), LEFT, GAP]))
def test_a_step_reaches_a_target_where_it_is_first_at_its_edge(start, step, angle, target):
    share = share_until_reached(target, start, step)
    on_way = [abs(offset_to_target(target, start + step * k / 400)) for k in range(401)]
    if share == math.inf:
        assert min(on_way) > 0.0
    else:
        assert abs(offset_to_target(target, start + step * share)) < 1e-6
        assert all(far > 0.0 for k, far in enumerate(on_way) if k / 400 < share - 1e-9)


@given(places, places, st.floats(0.05, 1.0), st.floats(0.0, 0.95), angles)
def test_both_reach_the_edge_at_once(attacker, defender, nu, share, angle):
    gap, course = defender - attacker, cmath.rect(1, angle)
    radius = share * abs(gap)
    if abs(gap) < 1e-3:
        return

    def lead_at(run):
        return lead(attacker, defender, nu, radius, attacker + run * course)

    reach = reach_along(gap, course, nu, radius)
    if reach == math.inf:
        assert nu == 1.0
        assert lead_at(1e3) >= -1e-9
        return
    assert lead_at(reach) == pytest.approx(0, abs=1e-6 * (1 + reach))
    assert lead_at(0.7 * reach) > -1e-9


def test_races_at_their_edges():
    target = disc(0j, 0.5)
    assert contested_point(2.0 + 0j, 2.1 + 0j, 0.7, 0.2, target) == 2.0  # caught
    assert contested_point(2.0 + 0j, 9.0 + 0j, 0.7, 0.2, target) == 0.0  # it gets there
    straight = contested_point(3.0 + 0j, 1.0 + 0j, 0.5, 0.0, target)  # the defender between
    assert straight == pytest.approx(3.0 - 2.0 / 3.0)
    behind = contested_point(1.0 + 0j, 3.0 + 0j, 0.5, 0.0, disc(-9.0 + 0j, 0.0))
    assert behind == pytest.approx(1.0 - 2.0)
    assert contested_point(1.0 + 0j, 1.0 + 0j, 0.5, 0.0, target) == 1.0  # on each other
    # Equally fast, it never catches who runs straight away.
    away = contested_point(0j, 1.0 + 0j, 1.0, 0.0, half_plane(-7.0 + 0j, 1.0 + 0j))
    assert away == -7.0


def test_rims_by_hand():
    target = disc(1.0 + 0j, 2.0)
    assert on_rim(target, 1.0 + 5j) == pytest.approx(1.0 + 2j)
    assert on_rim(target, 1.0 + 0j) == 3.0
    assert along_rim(target, 3.0 + 0j, 1j * math.pi) == pytest.approx(1.0 + 2j)
    assert along_rim(target, 3.0 + 0j, 4.0 + 0j) == pytest.approx(3.0)  # straight out
    assert arc_between(target, 3.0 + 0j, 1.0 - 2j) == pytest.approx(math.pi)
