"""Two cars: the formula against search, the literature, Isaacs' equation and rollouts."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from solved.test_two_cars import TURN, after_a_step, distance, states, ties
from steer_env.solved.two_cars import best_course, tie_margin, turn_to, turns

pytestmark = pytest.mark.weekly

# fmt: off
MERZ: dict[float, dict[str, tuple[tuple[float, float], ...]]] = {
    math.pi / 4: {
        "left": (
            (4.619398, 1.913417), (5.149817, 0.632872), (5.906000, -1.192717),
            (6.831139, -3.426200), (7.855731, -5.899782),
        ),
        "right": (
            (-4.619398, -1.913417), (-4.564616, -2.045672), (-4.515373, -2.164556),
            (-4.471744, -2.269884), (-4.433798, -2.361495), (-4.401592, -2.439246),
            (-4.375177, -2.503019), (-4.354592, -2.552714), (-4.339871, -2.588255),
            (-4.331034, -2.609588), (-4.328097, -2.616679), (-4.246257, -2.803652),
            (-4.150405, -3.001148), (-4.039598, -3.208335), (-3.912938, -3.424319),
            (-3.769576, -3.648157), (-3.608713, -3.878849), (-3.429602, -4.115347),
            (-3.231554, -4.356554), (-3.013937, -4.601329), (-2.776802, -4.847870),
            (-1.018390, -6.213616), (1.023304, -7.101739), (3.221274, -7.456992),
            (5.438793, -7.257275), (7.537917, -6.515013),
        ),
    },
    3 * math.pi / 4: {
        "left": (
            (1.913417, 4.619398), (3.646996, 3.901326), (5.449858, 3.154556),
            (7.252685, 2.407800), (8.986161, 1.689771), (10.583636, 1.028075),
            (11.983690, 0.448154), (13.132492, -0.027695), (13.985873, -0.381177),
            (14.511021, -0.598701), (14.687746, -0.671903), (15.719225, -1.230424),
        ),
        "right": (
            (-1.913417, -4.619398), (-0.934442, -5.024902), (-0.018083, -5.404471),
            (0.822950, -5.752838), (1.576991, -6.065172), (2.233582, -6.337141),
            (2.783617, -6.564973), (3.219466, -6.745507), (3.535084, -6.876241),
            (3.726093, -6.955359), (3.789844, -6.981766), (4.412208, -7.196130),
            (5.191015, -7.365574), (6.122455, -7.455874), (7.196806, -7.433302),
            (8.398521, -7.265546), (9.706458, -6.922609), (11.094231, -6.377675),
            (12.530692, -5.607917), (13.980530, -4.595235), (15.401473, -3.330406),
        ),
    },
}
"""Points (x, y) of the barrier by heading: solutions of Merz's equations for its parts."""
# fmt: on


# ---- The formula --------------------------------------------------------------------------


# ---- Isaacs' equation ---------------------------------------------------------------------


def test_the_pursuer_has_an_answer_where_two_courses_are_equally_good():
    found = ties(600)
    assert len(found) > 20
    x, y, psi = np.array([state for state, _, _ in found]).T
    now = distance(x, y, psi)
    coming = now < np.hypot(x, y) - 0.04
    assert coming.sum() > 20
    assert (after_a_step(x, y, psi, 0.01) - now)[coming].max() < 1e-5
    for (_, _, heading), course, other_course in found:
        evader = [turn_to(1 + 0j, u) > 0.0 for u in (course, other_course)]
        pursuer = [turn_to(cmath.rect(1.0, heading), u) > 0.0 for u in (course, other_course)]
        assert evader[0] != evader[1] or pursuer[0] == pursuer[1]


# ---- Symmetry and scale -------------------------------------------------------------------


def test_the_value_changes_no_faster_than_the_place():
    x, y, psi = states(5000)
    change = np.abs(distance(x + 1e-4, y, psi) - distance(x, y, psi))
    assert change.max() <= 1e-4 + 1e-12
    turned = np.abs(distance(x, y, psi + 1e-4) - distance(x, y, psi))
    assert turned.max() <= 6e-4


# ---- Edge cases ---------------------------------------------------------------------------


# ---- Turns --------------------------------------------------------------------------------


def test_turns_are_at_most_the_turn_rate_and_no_more_than_needed():
    x, y, psi = states(300)
    for state in zip(5.0 * x, 5.0 * y, psi):
        course = cmath.phase(best_course(complex(*state[:2]) / 5.0, state[2])[1])
        needed = [math.remainder(course - own, TURN) for own in (0.0, state[2])]
        for seconds in (0.1, 1.0, 10.0):
            made = turns(*state, 5.0, 1.0, seconds)
            allowed = np.clip(needed, -seconds, seconds)
            assert made[0] == pytest.approx(allowed[0], abs=1e-9)
            # Near a tie, also of half a turn to either side, the pursuer may hedge.
            if tie_margin(*state) > 20.0 * seconds and abs(needed[1]) < math.pi - 4 * seconds:
                assert made[1] == pytest.approx(allowed[1], abs=1e-9)


# ---- The barrier --------------------------------------------------------------------------
