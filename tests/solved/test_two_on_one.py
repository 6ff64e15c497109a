"""The time that several pursuers take for an evader, derived in other ways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steer_env.errors import InvalidType, InvalidValue
from steer_env.solved import simple
from steer_env.solved.two_on_one import capture_point, tie_margin, value

places = st.builds(complex, st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
teams = st.lists(places, min_size=1, max_size=4)
speeds = st.floats(0.1, 0.9)


def by_search(evader, pursuers, nu, radius):
    """The longest wait over places that the evader reaches first, in all directions."""
    courses = np.exp(2j * np.pi * np.arange(3600) / 3600)
    reach = np.full(len(courses), np.inf)
    for pursuer in pursuers:
        gap = pursuer - evader
        behind = radius / nu + (gap * courses.conj()).real
        square = abs(gap) ** 2 - radius**2
        edge = square / (behind + np.sqrt(behind**2 + (1.0 / nu**2 - 1.0) * square))
        reach = np.minimum(reach, edge)
    shares = np.linspace(0.0, 1.0, 101)[:, None]
    ends = evader + shares * (reach * courses)
    waits = np.min([np.abs(ends - pursuer) - radius for pursuer in pursuers], axis=0)
    return float(waits.max())


def aim(evader, pursuers, nu, radius):
    """The capture point."""
    return capture_point(evader, np.array(pursuers, np.complex128), len(pursuers), nu, radius)


@given(places, teams, speeds, st.floats(0.0, 0.9))
def test_values_by_search(evader, pursuers, nu, share):
    nearest = min(abs(pursuer - evader) for pursuer in pursuers)
    assume(nearest > 0.05)
    expected = by_search(evader, pursuers, nu, share * nearest)
    found = value(evader, pursuers, nu, share * nearest)
    assert found >= expected - 1e-9  # what is searched is a way to play
    assert found == pytest.approx(expected, rel=0.02, abs=1e-3)


@given(places, teams, speeds, st.floats(0.0, 0.9))
def test_the_point_is_reached_by_all_that_matter_at_once(evader, pursuers, nu, share):
    nearest = min(abs(pursuer - evader) for pursuer in pursuers)
    assume(nearest > 0.05)
    radius = share * nearest
    time, point = value(evader, pursuers, nu, radius), aim(evader, pursuers, nu, radius)
    waits = [abs(point - pursuer) - radius for pursuer in pursuers]
    assert min(waits) == pytest.approx(time, rel=1e-6, abs=1e-6)
    assert abs(point - evader) <= nu * time * (1.0 + 1e-6)


def test_states_by_hand():
    assert value(0j, [-1.0, 1.0], 0.6) == pytest.approx(1.25)  # along the bisector
    assert value(0j, [-1.0], 0.6) == pytest.approx(2.5)
    assert value(0j, [-1.0, -1.0], 0.6) == pytest.approx(2.5)  # two at one place are as one
    assert value(0j, [-1.0, 90.0], 0.6) == pytest.approx(2.5)  # too far to matter
    # A capture radius of 0.28 on the bisector: (T + 0.28)^2 = 1 + (0.6 T)^2 has T = 0.8925...
    time = value(0j, [-1.0, 1.0], 0.6, 0.28)
    assert (time + 0.28) ** 2 == pytest.approx(1.0 + (0.6 * time) ** 2)
    # In the middle of three it waits; anywhere near, it goes back to the middle first.
    three = [np.exp(2j * np.pi * k / 3) for k in range(3)]
    assert value(0j, three, 0.5) == pytest.approx(1.0)
    assert value(0.1 + 0.1j, three, 0.5, 0.2) == pytest.approx(0.8)
    assert aim(0.1 + 0.1j, three, 0.5, 0.2) == pytest.approx(0.0, abs=1e-12)
    assert value(0j, [0.1, 5.0], 0.6, 0.2) == 0.0  # caught
    assert aim(0j, [0.1, 5.0], 0.6, 0.2) == 0j
    assert value(0j, [0j, 1.0], 0.6) == 0.0


@given(places, places, speeds, st.floats(0.0, 0.9))
def test_one_pursuer_is_simple_motion(evader, pursuer, nu, share):
    gap = abs(evader - pursuer)
    expected = simple.value(gap, 1.0, nu, share * gap)
    assert value(evader, [pursuer], nu, share * gap) == pytest.approx(expected, rel=1e-9)


@given(places, teams, speeds, st.floats(0.0, 0.4), st.floats(-3.0, 3.0), st.floats(0.1, 10.0))
def test_turned_mirrored_moved_scaled_and_in_another_order(
    evader, pursuers, nu, radius, angle, size
):
    known = value(evader, pursuers, nu, radius)
    near = {"rel": 1e-6, "abs": 1e-6 * size + 1e-6}
    spin = complex(math.cos(angle), math.sin(angle))
    moved = [size * spin * place + 1.0 - 2j for place in (evader, *pursuers)]
    assert value(moved[0], moved[1:], nu, size * radius) == pytest.approx(size * known, **near)
    mirrored = [place.conjugate() for place in pursuers]
    assert value(evader.conjugate(), mirrored, nu, radius) == pytest.approx(known, **near)
    assert value(evader, pursuers[::-1], nu, radius) == pytest.approx(known, **near)


@given(places, teams, places, speeds, st.floats(0.0, 0.4))
def test_one_more_pursuer_never_helps_the_evader(evader, pursuers, other, nu, radius):
    with_one = value(evader, [*pursuers, other], nu, radius)
    assert with_one <= value(evader, pursuers, nu, radius) * (1.0 + 1e-9) + 1e-9


@given(places, st.lists(places, min_size=2, max_size=3), speeds, st.floats(0.0, 0.3))
def test_isaacs_equation(evader, pursuers, nu, radius):
    """Time goes by as fast as V falls, whatever one side does, if the other plays its best."""
    now = value(evader, pursuers, nu, radius)
    margin = tie_margin(evader, pursuers, nu, radius)
    nearest = min(abs(pursuer - evader) for pursuer in pursuers)
    apart = min(
        abs(one - other) for k, one in enumerate(pursuers) for other in pursuers[k + 1 :]
    )
    assume(nearest > radius + 0.5 and margin > 0.05 and apart > 0.3)
    dt, point = 1e-4, aim(evader, pursuers, nu, radius)

    def toward(place):
        return (point - place) / max(abs(point - place), 1e-12)

    ahead = np.array([place + dt * toward(place) for place in pursuers])
    courses = nu * dt * np.exp(2j * np.pi * np.arange(60) / 60)
    # At kinks, where another pursuer begins to matter, the fall is between two slopes.
    evaders = value(evader + courses, np.broadcast_to(ahead, (60, len(ahead))), nu, radius)
    assert evaders.max() <= now - dt + 1e-6
    way = min(nu * dt, abs(point - evader))
    for number in range(len(pursuers)):
        for course in np.exp(2j * np.pi * np.arange(12) / 12):
            others = ahead.copy()
            others[number] = pursuers[number] + dt * course
            found = value(evader + way * toward(evader), others, nu, radius)
            assert found >= now - dt - 1e-6


def test_ties_by_hand():
    assert tie_margin(0j, [-1.0, 1.0], 0.6) == 0.0  # up or down
    assert tie_margin(0.1j, [-1.0, 1.0], 0.6) > 0.0
    assert tie_margin(0j, [-1.0], 0.6) == math.inf


def test_shapes_and_errors():
    evaders = np.array([[0.0, 1j], [2.0, -1j]])
    assert value(evaders, [-1.0, 1.0], 0.6).shape == (2, 2)
    assert value(0j, np.ones((5, 3)) * [1.0, 1j, -1.0], 0.6).shape == (5,)
    assert isinstance(value(0j, [1.0], 0.6), float)
    for wrong, match in (
        ({"nu": 1.0}, "nu must be at least 1e-06 and at most 1"),
        ({"nu": 0.0}, "nu must be"),
        ({"l": -0.1}, "l must be at least 0"),
        ({"pursuers": 1.0}, r"shape \(..., N\)"),
        ({"pursuers": []}, r"shape \(..., N\)"),
        ({"evader": math.nan}, "nan"),
        ({"evader": [1.0, 2.0], "l": [0.1, 0.2, 0.3]}, "shapes"),
    ):
        with pytest.raises(InvalidValue, match=match):
            value(**{"evader": 0j, "pursuers": [-1.0, 1.0], "nu": 0.6, **wrong})
    for wrong in ({"evader": "here"}, {"pursuers": ["a"]}, {"nu": "fast"}):
        with pytest.raises(InvalidType):
            value(**{"evader": 0j, "pursuers": [-1.0, 1.0], "nu": 0.6, **wrong})
