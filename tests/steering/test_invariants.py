"""Symmetry of all functions, their compiled code, and lengths of vectors."""

from __future__ import annotations

import cmath
import functools
import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from steer_env import steering
from steer_env.steering import OBSTACLE, VEHICLE, Obstacle, Vehicle, truncate, unit

from .vehicles import mirrored, rotated, vehicle

LAWS = ["none", "constant", "closing", "target_speed", "own_speed", "reynolds", "intercept"]
PREDICTIONS = [f"{law}, linear" for law in LAWS]
PREDICTIONS += [f"closing, {predict}" for predict in ("turning", "braking", "accelerating")]


class Scene(NamedTuple):
    """All that a behavior may ask for."""

    me: Vehicle
    other: Vehicle
    third: Vehicle
    crowd: Any  # records of VEHICLE
    rocks: Any  # records of OBSTACLE
    path: Any  # complex
    vector: complex
    own: complex  # in the own frame
    side: float  # from -1 to 1: to the left, as a share
    share: float  # from 0 to 1
    reach: float  # perhaps infinite


# ---- What every function is called with, and what its result is ---------------------------

# How a result changes as the scene turns and shifts, and in a mirror.
KINDS = {
    "vector": (lambda z, turn, shift: z * turn, lambda z: complex(z).conjugate()),
    "point": (lambda z, turn, shift: z * turn + shift, lambda z: complex(z).conjugate()),
    "own": (lambda z, turn, shift: z, lambda z: complex(z).conjugate()),
    "number": (lambda z, turn, shift: z, lambda z: z),
    "side": (lambda z, turn, shift: z, lambda z: -z),
}


def dodge(me, rocks):
    return steering.avoid_obstacles(me, rocks, 1.0)


def run(me, menace):
    return steering.evade(me, menace, threat_range=9.0)


BLENDED = [(dodge, 9), (run, 2), (steering.seek, 1)]

CASES = {
    "vector": [
        "unit(vector)",
        "truncate(vector, share)",
        "scale(vector, share)",
        "seek(me, other.position)",
        "flee(me, other.position, reach)",
        "arrive(me, other.position, 0.6)",
        "hide(me, other, rocks, share, 0.6)",
        "offset_pursuit(me, other, own, 0.6)",
        "interpose(me, other, third, 0.6)",
        "encirclement(me, crowd[1:], other, share)",
        "encirclement_bearing(me, crowd[:1], third)",
        "flanking(me, crowd[1:], other, share)",
        "guard(me, crowd[1:], crowd[:1], 0.6)",
        "shortest_offset(me.position, other.position)",
        "voronoi_pursuit(me, crowd[1:], other)",
        "true_navigation(me, other, 3.0)",
        "pure_navigation(me, other, 3.0)",
        "augmented_navigation(me, other, 3.0)",
        "constant_bearing(me, other)",
        "deviated_pursuit(me, other, share)",
        "separation(me, crowd, 1.5, reach, -0.3)",
        "alignment(me, crowd, 1.5, reach, -0.3)",
        "cohesion(me, crowd, 1.5, reach, -0.3)",
        "avoid_obstacle(me, Obstacle(other.position, share), 2.0)",
        "avoid_obstacles(me, rocks, 2.0)",
        "avoid_collisions(me, crowd, reach, 1.0)",
        "follow_path(me, path, share, 0.7, share > 0.5)",
        "follow_waypoints(me, path, 0, 0.6, False)",
        "wander(me, own, 2.0, 1.2)",
        "wander_sideways(me, side)",
        "push_out(me.position, share, other.position, other.radius)",
        "part(me, other)[0]",
        "apply_force(me, vector, 0.1)[0]",
        "finish(1, vector, share)",
        "Blend('budget', BLENDED)(me, menace=other, rocks=rocks, target=third.position)",
        *[f"pursuit(me, other, {prediction}, True)" for prediction in PREDICTIONS],
        *[f"evade(me, other, {prediction}, reach)" for prediction in PREDICTIONS],
        *[
            f"add_force({number}, me.velocity, vector, share, share, me.max_force)[0]"
            for number in range(len(steering.METHODS))
        ],
    ],
    "point": [
        "hiding_place(other, Obstacle(me.position, share), 1.0)",
        "point_on_path(path, 9 * share, share > 0.5)",
        "nearest_on_path(path, me.position, share > 0.5)[1]",
        "apollonius_circle(me, other)[0]",
        "pursuit_aim(me, other, closing, turning, False)",
        "encirclement_aim(me, crowd[1:], other, share)",
        "encirclement_point(me, crowd[1:], other, third.position, share)",
        "flanking_aim(me, crowd[1:], other, share)",
        "guard_aim(me, crowd[1:], crowd[:1])[1]",
        "interpose_aim(me, other, third)",
        "blind_side_place(me, other, 3.0 * share)",
        "voronoi_aim(me, crowd[1:], other, seconds=share)",
        "offset_pursuit_aim(me, other, own)",
        "nearest_hiding_place(me, other, rocks, share)[0]",
        "wander_circle(me, 2.0, 1.2)[0]",
        "wander_target(me, own, 2.0, 1.2)",
        "wall_feelers(me, share)[0]",
        "advance(me, vector, 0.1).position",
        "accelerating(other, 5 * share)",
        "braking(other, 5 * share)",
        "linear(other, 5 * share)",
        "turning(other, 5 * share)",
    ],
    "own": [
        "flank_offset(me, crowd[1:], other, share)",
        "left(own) * copysign(1.0, side)",
        "turn_wander_point(own, side)",
        "jitter_wander_point(1 + 0j, own)",
        "direction(3.0 * side)",
    ],
    "number": [
        "norm(vector)",
        "dot(vector, me.velocity)",
        "assignment([me, third], [other, me._replace(position=me.position + vector)])[0]",
        "nearest_of(me, crowd)",
        "ward_and_menace(crowd, [me])[0]",
        "comes_at_me(me, other)",
        "in_neighborhood(me, other, 1.0, reach, 0.5)",
        "closing_speed(me, other)",
        "nearest_approach_time(me, other)",
        "detection_box(me, share, 0.5)[0]",
        "path_length(path, share > 0.5)",
        "next_waypoint(me, path, 0, reach, True)",
        "overlap_by_radii(share, me.radius, 0.5)",
        "overlap_by_diameters(share, 0.7, 0.5)",
        "next_behavior(4, 0, [share], 1, 0, 0.5)",
        "none(me, other)",
        *[f"{law}(me, other, 1e9)" for law in LAWS[1:]],
    ],
    "side": [
        "cross(vector, me.velocity)",
        "line_of_sight_rate(me, other)",
        "turn_rate(me)",
        "angle_of(own)",
        "walk_sideways(side, 2 * side)",
        "distance_to_collision(me, Obstacle(other.position, share), 2.0)[1]",
    ],
}
# Walls are square: for them a quarter turn is the smallest.
SQUARE_CASES = {
    "vector": [
        "avoid_walls(me, 5.0, 2.0)",
        "containment(me, 5.0, 1.0)",
        "voronoi_pursuit(me, crowd[1:], other, 8.0, seconds=share)",
        "voronoi_pursuit(me, crowd[1:], other, period=16.0)",
        "encirclement(me, crowd[1:], other, share, period=16.0)",
    ],
    "point": [
        "voronoi_border(me, crowd[1:], other, 8.0)[0]",
        "clamp_to_square(vector, 5.0)",
        "contained(other, 3 * share, 5.0)",
        "stop_at_walls(vector, me.velocity, 5.0)[0]",
        "glide_on(vector, me.velocity, share, 5.0, rocks)[0]",
    ],
}
TURNED, SQUARE = (
    [(kind, call) for kind, calls in cases.items() for call in calls]
    for cases in (CASES, SQUARE_CASES)
)
CALLS = [call for _, call in TURNED + SQUARE]
# Called with arrays that they write to, made by other means, or slow: see their own tests.
NOT_HERE = {"as_vehicle", "Obstacle", "Vehicle", "compiled", "part_all"}
NOT_HERE |= {"escape", "escape_aim", "seconds_free"}


@functools.cache
def function_of(call):
    """The function of a scene's fields that a call is."""
    names = {**vars(steering), "BLENDED": BLENDED, "copysign": math.copysign}
    return eval(f"lambda {', '.join(Scene._fields)}: {call}", names)


def test_every_public_function_is_here():
    public = {name for name in steering.__all__ if callable(getattr(steering, name))}
    public -= {"METHODS", "OBSTACLE", "VEHICLE"}
    assert public - {call.partition("(")[0] for call in CALLS} == NOT_HERE


# ---- Symmetry -----------------------------------------------------------------------------

coordinate = st.integers(-800, 800).map(lambda n: n / 100)
vectors = st.builds(complex, coordinate, coordinate)
angles = st.integers(-314, 314).map(lambda n: n / 100)


@st.composite
def vehicles(draw):
    heading = cmath.exp(1j * draw(angles))
    speed = draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    acceleration = draw(st.just(0j) | vectors)
    return vehicle(draw(vectors), speed * heading, heading, 3.0, 9.0, acceleration)


def make_scene(me, other, third, vector, own, side, share, reach):
    crowd = np.array([tuple(other), tuple(third)], VEHICLE)
    rocks = np.array([(other.position, 1.0), (third.position, 2.0)], OBSTACLE)
    path = np.array([other.position, third.position, other.position + vector])
    return Scene(me, other, third, crowd, rocks, path, vector, own, side, share, reach)


@st.composite
def scenes(draw):
    three = [draw(vehicles()) for _ in range(3)]
    shares = (draw(angles) / 3.14, abs(draw(angles)) / 3.14)
    return make_scene(*three, draw(vectors), draw(vectors), *shares, draw(reaches))


reaches = st.sampled_from([math.inf, 1.0, 4.0, 9.0])


def changed(scene, change, vector, own, side=1):
    three = [change(body) for body in (scene.me, scene.other, scene.third)]
    return make_scene(*three, vector, own, side * scene.side, scene.share, scene.reach)


# Two, since for every triple there are scenes that it changes too little.
NUDGES = [(0.6 + 0.8j, -0.3 + 0.5j, 0.7 - 0.4j), (-0.5 + 0.2j, 0.1 - 0.9j, -0.8 - 0.3j)]


def nudged(scene, by, nudges=NUDGES[0]):
    """The scene with everything moved a little, each thing to another side."""
    directions = iter(nudges)

    def nudge(body):
        way = by * next(directions)
        heading = body.heading * cmath.exp(1j * abs(way) * by / abs(by))
        velocity, place = body.velocity + way * 1j, body.position + way
        return body._replace(position=place, velocity=velocity, heading=heading)

    moved = changed(scene, nudge, scene.vector + by * 0.9j, scene.own + by)
    return moved._replace(share=scene.share + by, side=scene.side + by)


def near(one, other, tolerance):
    return one == other or abs(one - other) <= tolerance * (1 + abs(one))


def check_symmetry(kind, call, scene, angle, shift):
    # At the threshold of a decision, or where nothing decides between left and right (dead
    # ahead, two things at one distance, on the aim itself), rounding may decide either way:
    # there the tiniest change of the scene changes the result, too.
    result = call(scene)
    assume(cmath.isfinite(result) or kind == "number")
    moved = [nudged(scene, by, nudges) for by in (1e-8, -1e-8) for nudges in NUDGES]
    assume(all(near(result, call(scene), 1e-4) for scene in moved))
    turn = cmath.exp(1j * angle)
    spun = changed(scene, lambda me: rotated(me, angle, shift), scene.vector * turn, scene.own)
    image = changed(scene, mirrored, scene.vector.conjugate(), scene.own.conjugate(), side=-1)
    how_turned, how_reflected = KINDS[kind]
    assert near(call(spun), how_turned(result, turn, shift), 1e-6)
    assert near(call(image), how_reflected(result), 1e-6)


@pytest.mark.parametrize(("kind", "call"), TURNED)
@given(scene=scenes(), angle=angles, shift=vectors)
def test_rotation_shift_and_reflection_carry_over(kind, call, scene, angle, shift):
    function = function_of(call)
    check_symmetry(kind, lambda scene: function(*scene), scene, angle, shift)


@pytest.mark.parametrize(("kind", "call"), SQUARE)
@given(scene=scenes(), quarters=st.integers(0, 3))
def test_quarter_turns_and_reflection_carry_over_between_walls(kind, call, scene, quarters):
    function = function_of(call)
    check_symmetry(kind, lambda scene: function(*scene), scene, quarters * 0.5 * math.pi, 0j)


# ---- Objects of your own, and compiled code -----------------------------------------------


def as_lists(scene):
    crowd = [Vehicle(*row) for row in scene.crowd.tolist()]
    rocks = [Obstacle(*row) for row in scene.rocks.tolist()]
    return scene._replace(crowd=crowd, rocks=rocks, path=scene.path.tolist())


def as_records(scene):
    me, other, third = np.array([tuple(body) for body in scene[:3]], VEHICLE)
    return scene._replace(me=me, other=other, third=third)


def as_namespaces(scene):
    lists = as_lists(scene)
    crowd, rocks = (
        tuple(SimpleNamespace(**one._asdict()) for one in given)
        for given in (lists.crowd, lists.rocks)
    )
    me, other, third = (SimpleNamespace(**body._asdict()) for body in scene[:3])
    return Scene(me, other, third, crowd, rocks, tuple(lists.path), *scene[6:])


@given(scene=scenes())
def test_what_has_the_fields_of_a_vehicle_is_one_and_a_list_equals_an_array(scene):
    for call in (one for one in CALLS if "._replace(" not in one):
        known = pytest.approx(function_of(call)(*scene), rel=1e-12, abs=1e-12, nan_ok=True)
        lists, spaces, records = (
            function_of(call)(*change(scene))
            for change in (as_lists, as_namespaces, as_records)
        )
        assert lists == spaces == known, call
        assert records == known, call


in_machine_code = functools.cache(numba.njit(error_model="numpy"))
NOT_COMPILED = ("advance", "assignment", "Blend")  # they make objects, and explain


@pytest.mark.weekly
@pytest.mark.compiled
@pytest.mark.parametrize("call", [one for one in CALLS if not one.startswith(NOT_COMPILED)])
@given(scene=scenes())
def test_compiled_code_gets_what_python_gets(call, scene):
    function = function_of(call)
    found = in_machine_code(function)(*scene)
    assert found == pytest.approx(function(*scene), rel=1e-12, abs=1e-12, nan_ok=True)


# ---- Lengths ------------------------------------------------------------------------------


@given(vector=vectors, limit=st.floats(0, 100))
def test_truncate_and_unit_keep_their_word(vector, limit):
    short = truncate(vector, limit)
    assert abs(short) <= limit * (1 + 1e-12)
    if abs(vector) <= limit:
        assert short == vector
    assert abs(unit(vector)) == pytest.approx(1.0 if vector else 0.0)


@pytest.mark.parametrize("length", [1e-155, 1e-160, 1e-162, 1e-200, 1e-300, 1e-320])
def test_the_shortest_vectors_have_a_direction_or_none(length):
    assert abs(unit(length * (0.6 - 0.8j))) < 1.01
