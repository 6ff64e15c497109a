"""Targets: how far they are, when a step reaches them, and the point that decides a race."""

import cmath
import math

import pytest
from hypothesis import given, strategies as st

from steer_env.steering import targets
from steer_env.steering.targets import (
    Target,
    disc,
    half_plane,
    lead,
    offset_to_target,
    reach_along,
    share_until_reached,
)

from .equations import check, each

places = st.builds(complex, st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))
angles = st.floats(-math.pi, math.pi)
GAP = Target(2.0 + 0j, 1j, 1.0, 0.5, False)
LEFT = half_plane(-1.0 + 0j, 1.0 + 0j)
DISC, HOME, RIM = disc(0j, 1.0), disc(0j, 0.5), disc(1.0 + 0j, 2.0)


EQUATIONS = [
    *each(
        "offset_to_target({}, {}) == approx({})",
        ("disc(1.0 + 0j, 2.0)", 6.0 + 0j, -3.0 + 0j),
        ("disc(1.0 + 0j, 2.0)", 2.0 + 1j, 0j),
        ("disc(0j, 0.0)", 3.0 + 4j, -3.0 - 4j),
        *(("LEFT", 2.0 + 7j, -3.0 + 0j), ("LEFT", -1.5 + 0j, 0j)),
        *(("GAP", 4.0 + 0.3j, -1.5 + 0j), ("GAP", 2.0 + 4j, -2.5j), ("GAP", 2.2 + 0.9j, 0j)),
    ),
    *each(
        "share_until_reached({}, {}, {}) == approx({})",
        ("DISC", 3.0 + 0j, -4.0 + 0j, 0.5),
        ("DISC", 3.0 + 0j, -1.9 + 0j, math.inf),
        ("DISC", 3.0 + 0j, 4.0 + 0j, math.inf),  # away from it
        ("DISC", 3.0 + 2j, -6.0 + 0j, math.inf),  # past it
        ("DISC", 0.5 + 0j, 4.0 + 0j, 0.0),  # from inside
        ("DISC", 3.0 + 0j, 0j, math.inf),  # at rest
        *(("LEFT", 1.0 + 0j, -4.0 + 1j, 0.5), ("LEFT", 1.0 + 0j, -2.0 + 1j, 1.0)),
        ("LEFT", 1.0 + 0j, 4.0 + 0j, math.inf),
        ("GAP", 4.5 + 0.5j, -4.0 + 0j, 0.5),
        ("GAP", 2.0 + 3.5j, -4.0j, 0.5),  # by its end
        ("GAP", 4.5 + 3j, -2.5 + 0j, math.inf),  # beside it
    ),
    "contested_point(2.0 + 0j, 2.1 + 0j, 0.7, 0.2, HOME) == 2.0",  # caught
    "contested_point(2.0 + 0j, 9.0 + 0j, 0.7, 0.2, HOME) == 0.0",  # it gets there
    # With the defender between, and behind; on each other; and equally fast, where it never
    # catches who runs straight away.
    "contested_point(3.0 + 0j, 1.0 + 0j, 0.5, 0.0, HOME) == approx(3.0 - 2.0 / 3.0)",
    "contested_point(1.0 + 0j, 3.0 + 0j, 0.5, 0.0, disc(-9.0 + 0j, 0.0)) == approx(1.0 - 2.0)",
    "contested_point(1.0 + 0j, 1.0 + 0j, 0.5, 0.0, HOME) == 1.0",
    "contested_point(0j, 1.0 + 0j, 1.0, 0.0, half_plane(-7.0 + 0j, 1.0 + 0j)) == -7.0",
    "on_rim(RIM, 1.0 + 5j) == approx(1.0 + 2j)",
    "on_rim(RIM, 1.0 + 0j) == 3.0",
    "along_rim(RIM, 3.0 + 0j, 1j * pi) == approx(1.0 + 2j)",
    "along_rim(RIM, 3.0 + 0j, 4.0 + 0j) == approx(3.0)",  # straight out
    "arc_between(RIM, 3.0 + 0j, 1.0 - 2j) == approx(pi)",
]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_an_equation_holds(equation):
    check(equation, {**vars(targets), **globals()})


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
