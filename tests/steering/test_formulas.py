"""Results of functions that can be worked out by hand: an equation each."""

import cmath
import math

import numpy as np
import pytest

from steer_env.steering import Obstacle, Vehicle

from .equations import check, each
from .vehicles import moving, vehicle

HALF, EVERYBODY = math.sqrt(0.5), (0.0, 1e9, -1.1)

VECTORS = [
    "norm(3 + 4j) == 5.0",
    "unit(3 + 4j) == approx(0.6 + 0.8j)",
    "unit(0j) == 0j",
    "dot(1 + 2j, 3 + 4j) == 11.0",
    "cross(1 + 2j, 3 + 4j) == -2.0",
    "cross(1 + 0j, 0 + 1j) == 1.0",  # to the left is positive
    "left(1 + 0j) == 1j",
    "scale(1 - 2j, 3.0) == 3 - 6j",
    "truncate(3 + 4j, 10.0) == 3 + 4j",
    "truncate(3 + 4j, 1.0) == approx(0.6 + 0.8j)",
    "truncate(3 + 4j, 0.0) == 0j",
    "truncate(0j, 0.0) == 0j",
    "clamp_to_square(3 - 4j, 2.0) == 2 - 2j",
    "clamp_to_square(3 - 4j, inf) == 3 - 4j",
    "shortest_offset(9, -9, period=20.0) == 2",
    "shortest_offset(9, -9) == -18",
    *each(
        "overlap_by_radii({0}, 1.5, 1.0) == overlap_by_diameters({0}, 3.0, 2.0) == {1}",
        *((0.0, 2.5), (1.0, 1.5), (2.5, 0), (2.6, 0), (1e6, 0)),
    ),
    "push_out(2.5j, 1.5, 0j, 1.0) == 0j",
    "push_out(9j, 1.5, 0j, 1.0) == 0j",
    "push_out(3j, 1.5, 3j, 1.0) == 2.5",  # on one spot they part along x
    "push_out(3j, 0.0, 3j, 0.0) == 0j",
    "part(vehicle(3j), vehicle(3j)) == (0.5, -0.5)",
    *each("separation(vehicle(), [vehicle({})]) == approx(-1)", 1e-200, 1e-160, 1e-9),
    "part(vehicle(9), vehicle(0)) == (0j, 0j)",
]

ME, FAST = vehicle(1 + 1j, 0.5j, 1j, max_speed=2), vehicle(max_speed=10)
ON_IT, RESTING = vehicle(2 + 3j, 1 - 2j, max_speed=3), vehicle(2 + 3j)
BASIC = [
    "seek(ME, 4 + 5j) == approx(1.2 + 1.6j - 0.5j)",
    "flee(ME, 4 + 5j, inf) == approx(-1.2 - 1.6j - 0.5j)",
    "flee(ME, 4 + 5j, 4.9) == 0j",  # beyond the panic distance
    "flee(ME, 4 + 5j, 5.0) == flee(ME, 4 + 5j)",
    "arrive(FAST, 3 + 0j, 0.6) == approx(5.0)",
    "arrive(FAST, 30 + 0j, 0.6) == approx(10.0)",
    # On the target the force takes the velocity away.
    *each("seek({0}, 2 + 3j) == -{0}.velocity", "ON_IT", "RESTING"),
    *each("flee({0}, 2 + 3j) == -{0}.velocity", "ON_IT", "RESTING"),
    *each("arrive({0}, 2 + 3j, 0.6) == -{0}.velocity", "ON_IT", "RESTING"),
]

# The line of sight is 4j, the relative velocity -2-2j: it turns by 1/2, and shrinks by 2.
HUNTER = Vehicle(1 + 0j, 3 + 0j, 1 + 0j, max_speed=5.0, mass=2.0)
QUARRY = vehicle(1 + 4j, 1 - 2j, 1, max_speed=3, acceleration=1 + 5j)
SLOW, UP = vehicle(0, 1 + 1j, max_speed=2.5), vehicle(0, 1j, max_speed=2)
LEAD, TWO = 2 * cmath.exp(0.4j), vehicle(1, 0, max_speed=2)
GUIDANCE = [
    "line_of_sight_rate(HUNTER, QUARRY) == 0.5",
    "closing_speed(HUNTER, QUARRY) == 2.0",
    "line_of_sight_rate(mirrored(HUNTER), mirrored(QUARRY)) == -0.5",
    "closing_speed(moving(0, 2), moving(4, 5)) == -3.0",
    "line_of_sight_rate(moving(0, 2), moving(4, 5)) == 0.0",
    # 2 kg times the gain times 1/2 times the speed, and 5 - 3 ahead toward top speed; the
    # quarry's acceleration to the left of the line of sight, which is -x, is -1.
    *each("true_navigation(HUNTER, QUARRY, {0}) == -2 * {0} * 0.5 * 2 + 2", 3.0, 4.0),
    *each("pure_navigation(HUNTER, QUARRY, {0}) == 2 * {0} * 0.5 * 3j + 2", 3.0, 4.0),
    *each("augmented_navigation(HUNTER, QUARRY, {0}) == -{0} + 2", 3.0, 4.0),
    # Only the quarry's velocity across the line counts, up to the top speed.
    "constant_bearing(SLOW, moving(6, 1.5j)) == 2 + 1.5j - SLOW.velocity",
    "constant_bearing(SLOW, moving(6, 1.5j - 40)) == 2 + 1.5j - SLOW.velocity",
    "constant_bearing(SLOW, moving(6, -2.5j)) == -2.5j - SLOW.velocity",
    "constant_bearing(SLOW, moving(6, 9j)) == 2.5j - SLOW.velocity",
    "constant_bearing(SLOW, vehicle(6j)) == seek(SLOW, 6j)",
    # It leads to the side that the quarry moves to.
    "deviated_pursuit(UP, moving(5, 3 + 1j), 0.4) == approx(LEAD - 1j)",
    "deviated_pursuit(UP, moving(5, 3 - 1j), 0.4) == approx(LEAD.conjugate() - 1j)",
    "deviated_pursuit(UP, vehicle(5), 0.4) == seek(UP, 5 + 0j)",
    "deviated_pursuit(UP, moving(5, 3), 0.4) == seek(UP, 5 + 0j)",
    "deviated_pursuit(UP, moving(5, -3), 0.4) == seek(UP, 5 + 0j)",
    "deviated_pursuit(UP, moving(5, 3 + 1j), 0.0) == seek(UP, 5 + 0j)",
    "apollonius_circle(TWO, vehicle(4)) == (4 + 0j, 0.0)",
    "apollonius_circle(vehicle(1, max_speed=0), moving(4, 1j)) == (1 + 0j, 0.0)",
    "apollonius_circle(TWO, moving(1, 1j)) == (1 + 0j, 0.0)",  # they have met
]

LEADER, ROCK = moving(4, 2, max_speed=2), Obstacle(3 + 1j, 2.0)
BEHIND, HIDING = moving(2, 2, max_speed=3), vehicle(0, 0.5j, max_speed=2)
NEAR, FAR = Obstacle(4 + 0j, 1.0), Obstacle(8j, 1.0)
ABOVE, AWAY = vehicle(5j, 0.5j, max_speed=2), vehicle(3, 1j, max_speed=2)
WOLF = moving(0, 1 + 1j, max_speed=2)
PLACES = [
    "offset_pursuit(vehicle(), vehicle(4), 0j, 0.6) == arrive(vehicle(), 4 + 0j, 0.6)",
    # A leader at rest has a heading, too; in its place it wants the speed only after a lag.
    *each(
        "offset_pursuit(ME, vehicle(5, 0, {0}), 3j, 0.6)"
        " == approx(arrive(ME, 5 + 3j * {0}, 0.6))",
        *(1, 1j, -1, cmath.exp(2j)),
    ),
    "offset_pursuit(BEHIND, LEADER, -2 + 0j, 0.3) == -2",
    "offset_pursuit(vehicle(4, max_speed=0), vehicle(4), 0j, 0.3) == 0j",
    "hiding_place(vehicle(3 + 1j), ROCK, 0.7) == 3 + 1j",  # no side is behind
    "hide(HIDING, vehicle(), [NEAR, FAR], 1.0, 0.6) == arrive(HIDING, 6 + 0j, 0.6)",
    "hide(HIDING, vehicle(), [FAR, NEAR], 1.0, 0.6) == arrive(HIDING, 6 + 0j, 0.6)",
    "hide(HIDING, vehicle(), [NEAR], 1.0, 0.6) == arrive(HIDING, 6 + 0j, 0.6)",
    "hide(ABOVE, vehicle(), [NEAR, FAR], 1.0, 0.6) == arrive(ABOVE, 10j, 0.6)",
    "hide(AWAY, WOLF, [], 1.0, 0.6) == evade(AWAY, WOLF, closing, linear, inf)",
]

SMALL = vehicle(1 + 1j, 3 + 4j)._replace(radius=0.25)
WIDE = vehicle(1 + 1j, 4j, 1j)._replace(radius=1.0)  # ahead is +y
WALLS_AND_OBSTACLES = [
    # Ahead 4 m, 45 degrees to each side 2 m: tips at 4, and at sqrt(2) +- sqrt(2)i.
    "avoid_walls(moving(7, 1), 10.0, 4.0) == approx(-1.0)",
    "avoid_walls(moving(9, 1), 10.0, 4.0) == approx(-3.0 - 2 * (2 * HALF - 1))",
    # Along a wall on the left, only the left feeler sees it.
    "avoid_walls(moving(9j, 1), 10.0, 4.0) == approx(-1j * (2 * HALF - 1))",
    "avoid_walls(moving(-9j, 1), 10.0, 4.0) == approx(1j * (2 * HALF - 1))",
    # Two walls push at once in a corner.
    "avoid_walls(moving(9 + 9j, 1 + 1j), 10.0, 2.0) == approx((1 + 1j) * (1 - 2 * HALF))",
    *each("avoid_walls(moving(10 - {0} - 1e-9, 1), 10.0, {0}) == 0j", 0.5, 2.0, 7.0),
    *each("avoid_walls(moving(10.01 - {0}, 1), 10.0, {0}) == approx(-0.01)", 0.5, 2, 7),
    "avoid_walls(vehicle(), 10.0, 0.0) == 0j",
    "avoid_walls(vehicle(9, 0, 1), 10.0, 2.0) == -1",  # at rest it faces the wall, too
    # The push is less its part along the heading, 0.6 + 0.8i.
    *each(
        "containment(moving(9, 3 + 4j), 10.0, {0}) == approx((3 * {0} - 1) * (-0.64 + 0.48j))",
        *(0.5, 1.0, 2.0),
    ),
    *each("containment(moving(9, -3), 10.0, {0}) == 0j", 0.5, 1.0, 2.0),
    *each("containment(moving(9, 3 + 4j), inf, {0}) == 0j", 0.5, 1.0, 2.0),
    "containment(moving(9, 2), 10.0, 1.0) == approx(-1.0)",  # head-on it brakes
    "detection_box(SMALL) == (5.0, 0.25)",
    "detection_box(SMALL, 2.0, 0.5) == (10.0, 0.75)",
    "detection_box(SMALL, 2.0, 0.5, 3.0) == (13.0, 3.75)",
    "detection_box(SMALL, 0.0) == detection_box(vehicle()._replace(radius=0.25), 9.0)",
    "distance_to_collision(WIDE, Obstacle(1 + 9j, 4.0), 1.0) == (inf, 0.0)",
    "distance_to_collision(WIDE, Obstacle(1 + 9j, 4.0), 2.0) == (3.0, 0.0)",
    "distance_to_collision(WIDE, Obstacle(-2 + 6j, 4.0), 1.0) == (1.0, 3.0)",
    "distance_to_collision(WIDE, Obstacle(4 + 6j, 4.0), 1.0) == (1.0, -3.0)",
    # R + r = 5, y = 3: the chord is 4, contact after 6 - 4 = 2 m of 8, so urgency 1.75; of
    # what is touched already it is 2, and not more.
    "avoid_obstacle(moving(0, 8), Obstacle(6 + 3j, 4.5), 1.0) == approx(3.5 * (-0.2 - 1j))",
    "avoid_obstacle(moving(0, 8), Obstacle(1 + 3j, 4.5), 1.0) == approx(4.0 * (-0.2 - 1j))",
    # Away from it, to either side, which Buckland's push is not.
    *each(
        "copysign(1, avoid_obstacle(moving(0, 4), Obstacle(3 + {}j, 2.0), 1.0).imag) == {}",
        *((0.3, -1), (1.2, -1), (2.2, -1), (-0.3, 1), (-1.2, 1), (-2.2, 1)),
    ),
    "glide_on(3 + 4j, 2 + 1j, 0.5, 2.5, []) == (2.5 + 2.5j, 0j)",
    "glide_on(3 + 1j, -2 + 1j, 0.5, 2.5, []) == (2.5 + 1j, 1j)",
    "glide_on(1 + 0j, -2 + 1j, 0.5, inf, [Obstacle(0j, 1.0)]) == (1.5 + 0j, 1j)",
    "glide_on(1 + 0j, 2 + 1j, 0.5, inf, [Obstacle(0j, 1.0)]) == (1.5 + 0j, 2 + 1j)",
    "glide_on(2 + 0j, -2 + 1j, 0.5, inf, [Obstacle(0j, 1.0)]) == (2 + 0j, -2 + 1j)",
]

IN_2_S, RIGHT = moving(8 + 0.6j, -2), moving(0, 2, max_speed=3)
APART, EAST, ONE = moving(8 + 1.01j, -2), moving(0, 2), moving(0, 1)
STILL, STOPPING = vehicle(max_speed=3, max_force=4), moving(0, 1j, max_force=10)
FACING, TURNED = vehicle(3 + 1j, -2, 1j), vehicle(1 + 1j, 1, 1j)
OTHERS = [
    "nearest_approach_time(ONE, moving(6 + 2j, -2)) == 2.0",
    "nearest_approach_time(ONE, moving(-6, -2)) == -2.0",
    "nearest_approach_time(ONE, moving(4 + 9j, 1)) == 0.0",  # side by side for ever
    "nearest_approach_time(ONE, ONE) == 0.0",
    # They meet in 2 s, 0.6 m apart; dead on, to my left; in 2.25 s, at 4.5 and 4 - 0.5i.
    "avoid_collisions(RIGHT, [IN_2_S], 3.0, 0.0) == approx(-3j)",
    "avoid_collisions(RIGHT, [moving(4 - 4j, 2j)], 3.0, 0.0) == approx(3j)",
    "avoid_collisions(RIGHT, [moving(4 - 5j, 2j)], 3.0, 0.0) == approx(3 * exp(0.25j * pi))",
    *each(  # which it does not meet
        "avoid_collisions(EAST, [{}], 3.0, 0.0) == 0j",
        *("APART", "moving(-8, 2)", "moving(8, 2)", "moving(13, -2)", "EAST"),
    ),
    "avoid_collisions(EAST, [APART], 3.0, 0.1) == -1j",  # beyond the radii, within the margin
    "avoid_collisions(EAST, [], 3.0, 0.1) == 0j",
    "avoid_collisions(ONE, [moving(-4, -1)], 99.0, 9.0) == 0j",  # in the past
    "in_neighborhood(FACING, vehicle(3 + 5j), 1.0, 9.0, 0.7) == True",  # by its heading
    "in_neighborhood(FACING, vehicle(-3 + 1j), 1.0, 9.0, 0.7) == False",
    "in_neighborhood(FACING, vehicle(7 + 1j), 1.0, 9.0, 0.7) == False",
    *each(
        "in_neighborhood(vehicle(), vehicle({} * exp({}j * pi)), 1.5, 5.0, 0.7) == {}",
        *((1.4, 0.0, True), (1.4, 0.5, True), (1.4, 1.0, True), (5.0, 0.0, True)),
        *((1.6, 1.0, False), (5.001, 0.0, False)),
    ),
    "in_neighborhood(vehicle(), vehicle(-6), 7.0, 5.0, 0.7) == True",  # the least goes first
    # At rest and pushed backward it starts backward.
    "advance(STILL, -8 + 0j, 0.5)[:3] == (-1, -2, -1)",
    "advance(STILL, 1j, 0.1).heading == approx(1j)",
    "advance(STOPPING, -10j, 0.1)[:3] == (0j, 0j, 1j)",  # it keeps its heading
    "advance(advance(STOPPING, -10j, 0.1), 0j, 0.1).heading == 1j",
    "advance(STILL, -1 - 1j, 0.1).heading == approx(-HALF - 1j * HALF)",
    # Neighbors cancel out, and one faces where I do.
    "separation(TURNED, [vehicle(2 + 1j), vehicle(1j)], *EVERYBODY) == 0j",
    "cohesion(TURNED, [vehicle(0), vehicle(2 + 2j)], *EVERYBODY) == 0j",
    "alignment(TURNED, [vehicle(2, 0, 1j)], *EVERYBODY) == 0j",
    # Headings count, not velocities, and the nearer a neighbor the more it pushes: 1 and 2/4.
    "alignment(TURNED, [vehicle(2 + 1j, 9, 1), vehicle(5j, 0, -1j)], *EVERYBODY)"
    " == approx(unit(1 - 3j))",
    "separation(TURNED, [vehicle(2 + 1j), vehicle(1 + 3j)], *EVERYBODY)"
    " == approx(unit(-1 - 0.5j))",
]

SLOWER_ONE = moving(8 + 0j, 2j, max_speed=2)
SEEN, SEEKER = moving(8, 2j, max_speed=4), moving(0, 1, max_speed=3)
NEARBY, CALM = moving(6, 1j, max_speed=2), vehicle(0, 0.5 + 1j, max_speed=3)
CIRCLING, BRAKING = moving(0, 2, acceleration=2j), moving(0, 4, acceleration=-2)
SPEEDING, STEADY = moving(0, 1, max_speed=3, acceleration=2), moving(0, 3)
ROCKS = [Obstacle(6 + 0j, 1.0), Obstacle(-3 + 4j, 2.0), Obstacle(0 - 8j, 1.5)]
CORNER, SLIM = [Obstacle(-8 + 0j, 1.0)], moving(0, 3)._replace(radius=0.0)
PREDICTION = [
    "none(SEEKER, SEEN) == 0.0",
    "constant(SEEKER, SEEN, 0.7) == 0.7",
    "closing(SEEKER, SEEN) == approx(8 / 5)",
    "target_speed(SEEKER, SEEN) == approx(2.0)",
    "own_speed(SEEKER, SEEN) == approx(8.0)",
    "intercept(SEEKER, SEEN) == approx(8 / 5**0.5)",
    # The quarry's top speed counts (S4 took the current vehicle's), in parts of updates, too.
    *each("target_speed(vehicle(max_speed={}), NEARBY) == 3.0", 0.5, 2.0, 9.0),
    *each(
        "target_speed(ONE, moving({0}, 1j, max_speed=2)) == approx(0.5 * {0})",
        *(0.01, 0.5, 1.99, 2.01),
    ),
    *each(
        "pursuit_aim(ONE, moving({0}, 1j, max_speed=2), target_speed).imag == approx({0} / 2)",
        *(0.01, 0.5, 1.99, 2.01),
    ),
    "pursuit_aim(SEEKER, SLOWER_ONE, closing, linear, True) == approx(8 + 2j * 8 / 5)",
    "pursuit(SEEKER, SLOWER_ONE, closing, linear, True)"
    " == seek(SEEKER, pursuit_aim(SEEKER, SLOWER_ONE, closing, linear, True))",
    "pursuit(SEEKER, SLOWER_ONE, none, linear, False) == seek(SEEKER, 8)",
    # S1 calls it minus pursuit.
    "evade(CALM, NEARBY, closing, linear, inf)"
    " == approx(-pursuit(CALM, NEARBY, closing, linear, False) - 2 * CALM.velocity)",
    "turn_rate(moving(0, 2, acceleration=3j)) == approx(1.5)",
    "turn_rate(vehicle()) == 0.0",
    # One radian a second, radius 2, center 2i, for a quarter.
    *each("turning(CIRCLING, {0}) == approx(2j - 2j * exp({0}j))", 0.3, 1.0, 1.5),
    "turning(CIRCLING, 0.5 * pi + 1.0) == approx(2 + 2j + 2j)",
    "turning(moving(1, 2), 3.0) == linear(moving(1, 2), 3.0)",
    # What brakes stops, and does not come back.
    "braking(BRAKING, 1.0) == approx(3.0)",
    "braking(BRAKING, 2.0) == approx(4.0)",
    "braking(BRAKING, 50.0) == approx(4.0)",
    "braking(moving(0, 4, acceleration=2), 1.0) == approx(4.0)",
    "braking(vehicle(3), 5.0) == 3.0",
    "accelerating(SPEEDING, 0.5) == approx(0.75)",
    "accelerating(SPEEDING, 2.0) == approx(2.0 + 3.0)",  # a second to speed 3
    "accelerating(moving(0, 3, max_speed=3), 2.0) == approx(6.0)",
    "accelerating(moving(0, 3, max_speed=3, acceleration=5), 2.0) == approx(6.0)",
    "contained(moving(8 + 0j, 3 + 1j), 1.0, 10.0) == 10 + 1j",
    "contained(moving(8 + 0j, 3 + 1j), 1.0, inf) == 11 + 1j",
    "contained(STEADY, 1.0, 10.0, ROCKS) == 3",  # free
    "contained(STEADY, 1.6, 10.0, ROCKS) == 4.5",  # 4.8 is 0.3 m inside: 6 - 1 - 0.5
    "contained(STEADY, 2.4, 10.0, ROCKS) == 7.5",  # the far side of it is nearer
    "contained(STEADY, 2.0, 10.0, ROCKS) == 4.5",  # its very center: where it comes from
    "contained(STEADY, 2.0, 10.0, []) == 6",
    "contained(STEADY, 2.0, 10.0) == 6",
    "contained(SLIM, 1.6, 10.0, ROCKS) == approx(4.8)",
    # Across the edge of a torus there is an image at 12.
    "contained(moving(8, 2), 1.4, inf, CORNER) == approx(10.8)",
    "contained(moving(8, 2), 1.4, inf, CORNER, period=20.0) == approx(10.5)",
]

# Paths of 3 m and 4 m, and 5 m back; and others.
ELBOW, POINT = np.array([0j, 3 + 0j, 3 + 4j]), np.array([2 + 1j])
SQUARE, LINE = np.array([-5 - 5j, 5 - 5j, 5 + 5j, -5 + 5j]), np.array([0j, 10])
REPEATED = np.array([0j, 0j, 3 + 0j, 3 + 0j, 3 + 0j, 3 + 4j, 3 + 4j])
FOUND = (pytest.approx(11.0), pytest.approx(0.6 + 0.8j))
WALKER = vehicle(2.8 + 0.1j, 1j, 1, max_speed=2)
COMING = vehicle(3 + 3.9j, 0.5, max_speed=2)
PATHS = [
    *each(
        "[path_length({0}), path_length({0}, True)] == [{1}, {2}]",
        *(("ELBOW", 7.0, 12.0), ("SQUARE", 30.0, 40.0), ("POINT", 0.0, 0.0)),
        *(("REPEATED", 7.0, 12.0), ("LINE", 10.0, 20.0)),
    ),
    *each(
        "nearest_on_path(ELBOW, {0}) == nearest_on_path(REPEATED, {0}) == ({1}, {2})",
        *((1 + 2j, 1, 1 + 0j), (1 - 2j, 1, 1 + 0j)),
        (-4 - 3j, 0, 0j),  # before the start
        (5 - 1j, 3, 3 + 0j),  # outside the corner
        (5 + 1j, 4, 3 + 1j),
        (2 + 9j, 7, 3 + 4j),  # past the end
        (3 + 0j, 3, 3 + 0j),  # on the path
    ),
    # Closed, it has one side more: beside the way back, 1 m from the start.
    "nearest_on_path(ELBOW, 0.2 + 1.1j, True) == FOUND",
    "nearest_on_path(REPEATED, 0.2 + 1.1j, True) == FOUND",
    *each(
        "[point_on_path({}, {}, closed) for closed in (False, True)] == approx([{}, {}])",
        *(
            (path, *row)
            for path in ("ELBOW", "REPEATED")
            for row in (
                *((0.0, 0j, 0j), (3.0, 3 + 0j, 3 + 0j), (5.0, 3 + 2j, 3 + 2j)),
                *((7.0, 3 + 4j, 3 + 4j), (9.5, 3 + 4j, 1.5 + 2j), (41.0, 3 + 4j, 3 + 2j)),
                *((-2.5, 0j, 1.5 + 2j), (-26.5, 0j, 1.5 + 2j)),
            )
        ),
    ),
    *each(  # open, and closed
        "[next_waypoint(vehicle({}), ELBOW, {}, {}, one) for one in (False, True)] == [{}, {}]",
        *((2, 0, 1.0, 0, 0), (1, 0, 1.0, 1, 1), (3.5j, 0, 4.0, 1, 1), (3 + 0.5j, 1, 1.0, 2, 2)),
        *((3 + 4j, 1, 1.0, 1, 1), (9, 2, 1.0, 2, 2), (3 + 4j, 2, 1.0, 2, 0)),
    ),
    "follow_waypoints(WALKER, ELBOW, 1, 0.9, False) == seek(WALKER, 3 + 0j)",
    "follow_waypoints(WALKER, ELBOW, 1, 0.9, True) == seek(WALKER, 3 + 0j)",
    "follow_waypoints(COMING, ELBOW, 2, 0.9) == arrive(COMING, 3 + 4j, 0.9)",
    "follow_waypoints(COMING, ELBOW, 2, 0.3) == arrive(COMING, 3 + 4j, 0.3)",
    "follow_waypoints(COMING, ELBOW, 2, 0.9, True) == seek(COMING, 3 + 4j)",
]

WANDERER = vehicle(3 - 1j, 0.5 - 0.2j, 1j, max_speed=2)
SLOWER = vehicle(3 - 1j, 0.5j, 1j, max_speed=2)
AT_REST = vehicle(3 - 1j, 0, 1j, max_speed=2)
SIDEWAYS = vehicle(3 - 1j, 2 + 1j, cmath.exp(0.8j), max_force=4)
WANDERING = [
    "wander_circle(WANDERER, 5.0, 2.0) == (3 + 4j, 2.0)",
    "wander_circle(WANDERER) == (3 + 1j, 1.2)",
    "wander_target(WANDERER, -1j) == wander_target(WANDERER, -1j, 2.0, 1.2)",
    "wander_target(WANDERER, -1j) == approx(4.2 + 1j)",
    *each(
        "wander_target(WANDERER, exp({0}j), 5.0, 2.0) == approx(3 + 4j + 2j * exp({0}j))",
        *(0.0, 0.7, -2.0, 3.1),
    ),
    *each(
        "wander(ME, exp({0}j), 5.0, 2.0) == seek(ME, wander_target(ME, exp({0}j), 5.0, 2.0))",
        *(0.0, 0.7, -2.0, 3.1),
    ),
    "wander(SLOWER, -1 + 0j, 1.5, 1.5) == -0.5j",  # the point is where the vehicle is
    "wander(SLOWER, 1j, 0.0, 0.0) == -0.5j",
    "wander(SLOWER, 1j, 2.0, 0.0) == 1.5j",  # straight on
    "wander(AT_REST, 1 + 0j, 2.0, 1.2) == 2j",  # off it goes
    "wander(vehicle(max_speed=0), 1j) == 0j",
    "jitter_wander_point(1j, 3 + 3j) == approx(0.6 + 0.8j)",
    "jitter_wander_point(1j, 0j) == 1j",
    "jitter_wander_point(0.6 + 0.8j, -3.6 - 4.8j) == approx(-0.6 - 0.8j)",
    "jitter_wander_point(1j, -1j) == 1j",  # at the center there is no direction
    "walk_sideways(0.25, -0.5) == -0.25",
    "walk_sideways(0.25, 2.0) == 1.0",
    "walk_sideways(-0.75, -0.5) == -1.0",
    "walk_sideways(1.0, -0.25) == 0.75",
    *each(  # a share of the largest force, to the left
        "wander_sideways(SIDEWAYS, {0}) == approx(4 * {0} * 1j * exp(0.8j))",
        *(-1.0, -0.3, 0.0, 1.0),
    ),
]

CROWD = [vehicle(5), vehicle(-9), vehicle(3j), vehicle(3)]
MATES, ALONE = [vehicle(0), vehicle(9), vehicle(5j)], [vehicle(1)]
MENACES, WATCHING = [vehicle(20), vehicle(6j)], vehicle(1, heading=1j)
HUNTERS, HUNTED = [vehicle(9), vehicle(4)], [vehicle(-9), vehicle(0)]
LOST, LEFT, PREY = vehicle(complex(math.nan, 0)), vehicle(-2), vehicle(2)
TEAMS = [
    "nearest_of(vehicle(), CROWD) == 2",  # the first of two at one distance
    "nearest_of(vehicle(9), CROWD, period=20.0) == 1",
    "nearest_of(vehicle(), []) == -1",
    "ward_and_menace(MATES, MENACES) == (2, 1)",  # the mate with the nearest menace
    "ward_and_menace(MATES, [vehicle(-9)], period=19.0) == (1, 0)",
    "ward_and_menace(MATES, []) == ward_and_menace([], MENACES) == (-1, -1)",
    # A guard without a ward evades the nearest menace, and without a menace it rests.
    "guard(vehicle(), [], [vehicle(9), moving(3, 1j)]) == evade(vehicle(), moving(3, 1j))",
    "guard(vehicle(), ALONE, []) == guard(vehicle(), [], []) == 0j",
    "blind_side_place(vehicle(4), WATCHING, 2 * pi / 3) == approx(1 + 3 * exp(-1j * pi / 3))",
    "blind_side_place(vehicle(1 + 3j), WATCHING, 2 * pi / 3).real == approx(-0.5)",  # its left
    "blind_side_place(vehicle(-2 - 5j), WATCHING, 0.5 * pi) == -2 - 5j",
    "blind_side_place(vehicle(1 - 2j), WATCHING, pi) == 1 - 2j",
    "blind_side_place(WATCHING, WATCHING, 1.0) == 1",
    "assignment([], ALONE) == assignment(ALONE, []) == ()",
    "assignment([vehicle(2, max_speed=0)] * 3, ALONE) == (0, 0, 0)",
    "sorted(assignment(ALONE * 3, ALONE * 3)) == [0, 1, 2]",  # all on one spot
    "len(assignment([LOST, vehicle(1)], [vehicle(2), vehicle(3)])) == 2",  # and it ends
    "assignment(HUNTERS, HUNTED, period=20.0) == (0, 1)",  # the nearest images count
    "assignment(HUNTERS[::-1], HUNTED, period=20.0) == (1, 0)",
    "voronoi_border(LEFT, [], PREY, 6.0) == (0j, 12.0)",
    "voronoi_border(LEFT, [vehicle(2 + 4j)], PREY, 6.0) == (-2j, 8.0)",
    "voronoi_pursuit(LEFT, [vehicle(2 + 4j)], PREY, 6.0) == seek(LEFT, -2j)",
    # One that does not border on its cell runs at it.
    "voronoi_aim(vehicle(-6), [vehicle(1 + 1j)], vehicle(2 + 1j), 9.0) == 2 + 1j",
]

TABLES = (VECTORS, BASIC, GUIDANCE, PLACES, WALLS_AND_OBSTACLES, OTHERS, PREDICTION, PATHS)


@pytest.mark.parametrize(
    "equation", [one for table in (*TABLES, WANDERING, TEAMS) for one in table]
)
def test_an_equation_holds(equation):
    check(equation, globals())
