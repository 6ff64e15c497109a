"""What holds for all inputs: symmetry, limits, and never NaN."""

from __future__ import annotations

import cmath
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from steer_env import steering
from steer_env.steering import OBSTACLE, VEHICLE, Obstacle, Vehicle, truncate, unit

from .vehicles import mirrored, rotated, vehicle

LAWS = [
    steering.none,
    steering.constant,
    steering.closing,
    steering.target_speed,
    steering.own_speed,
    steering.reynolds,
    steering.intercept,
]
PREDICTORS = [steering.linear, steering.turning, steering.braking, steering.accelerating]
PAIRS = [(law, steering.linear) for law in LAWS]
PAIRS += [(steering.closing, predictor) for predictor in PREDICTORS[1:]]


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
    return steering.evade(me, menace, steering.closing, steering.linear, 9.0)


BLENDED = steering.Blend("budget", [(dodge, 9), (run, 2), (steering.seek, 1)])


def blend(s):
    return BLENDED(s.me, menace=s.other, rocks=s.rocks, target=s.third.position)


CASES = {
    "vector": {
        "unit": lambda s: unit(s.vector),
        "truncate": lambda s: truncate(s.vector, s.share),
        "scale": lambda s: steering.scale(s.vector, s.share),
        "seek": lambda s: steering.seek(s.me, s.other.position),
        "flee": lambda s: steering.flee(s.me, s.other.position, s.reach),
        "arrive": lambda s: steering.arrive(s.me, s.other.position, 0.6),
        "hide": lambda s: steering.hide(s.me, s.other, s.rocks, s.share, 0.6),
        "offset_pursuit": lambda s: steering.offset_pursuit(s.me, s.other, s.own, 0.6),
        "interpose": lambda s: steering.interpose(s.me, s.other, s.third, 0.6),
        "encirclement": lambda s: steering.encirclement(s.me, s.crowd[1:], s.other, s.share),
        "encirclement_bearing": lambda s: steering.encirclement_bearing(
            s.me, s.crowd[:1], s.third
        ),
        "flanking": lambda s: steering.flanking(s.me, s.crowd[1:], s.other, s.share),
        "guard": lambda s: steering.guard(s.me, s.crowd[1:], s.crowd[:1], 0.6),
        "shortest_offset": lambda s: steering.shortest_offset(s.me.position, s.other.position),
        "voronoi_pursuit": lambda s: steering.voronoi_pursuit(s.me, s.crowd[1:], s.other),
        "true_navigation": lambda s: steering.true_navigation(s.me, s.other, 3.0),
        "pure_navigation": lambda s: steering.pure_navigation(s.me, s.other, 3.0),
        "augmented_navigation": lambda s: steering.augmented_navigation(s.me, s.other, 3.0),
        "constant_bearing": lambda s: steering.constant_bearing(s.me, s.other),
        "deviated_pursuit": lambda s: steering.deviated_pursuit(s.me, s.other, s.share),
        "separation": lambda s: steering.separation(s.me, s.crowd, 1.5, s.reach, -0.3),
        "alignment": lambda s: steering.alignment(s.me, s.crowd, 1.5, s.reach, -0.3),
        "cohesion": lambda s: steering.cohesion(s.me, s.crowd, 1.5, s.reach, -0.3),
        "avoid_obstacle": lambda s: steering.avoid_obstacle(
            s.me, Obstacle(s.other.position, s.share), 2.0
        ),
        "avoid_obstacles": lambda s: steering.avoid_obstacles(s.me, s.rocks, 2.0),
        "avoid_collisions": lambda s: steering.avoid_collisions(s.me, s.crowd, s.reach, 1.0),
        "follow_path": lambda s: steering.follow_path(
            s.me, s.path, s.share, 0.7, s.share > 0.5
        ),
        "follow_waypoints": lambda s: steering.follow_waypoints(s.me, s.path, 0, 0.6, False),
        "wander": lambda s: steering.wander(s.me, s.own, 2.0, 1.2),
        "wander_sideways": lambda s: steering.wander_sideways(s.me, s.side),
        "push_out": lambda s: steering.push_out(
            s.me.position, s.share, s.other.position, s.other.radius
        ),
        "part": lambda s: steering.part(s.me, s.other)[0],
        "apply_force": lambda s: steering.apply_force(s.me, s.vector, 0.1)[0],
        "finish": lambda s: steering.finish(1, s.vector, s.share),
        "Blend": blend,
    },
    "point": {
        "hiding_place": lambda s: steering.hiding_place(
            s.other, Obstacle(s.me.position, s.share), 1.0
        ),
        "point_on_path": lambda s: steering.point_on_path(s.path, 9 * s.share, s.share > 0.5),
        "nearest_on_path": lambda s: steering.nearest_on_path(
            s.path, s.me.position, s.share > 0.5
        )[1],
        "apollonius_circle": lambda s: steering.apollonius_circle(s.me, s.other)[0],
        "pursuit_aim": lambda s: steering.pursuit_aim(
            s.me, s.other, steering.closing, steering.turning, False
        ),
        "encirclement_aim": lambda s: steering.encirclement_aim(
            s.me, s.crowd[1:], s.other, s.share
        ),
        "encirclement_point": lambda s: steering.encirclement_point(
            s.me, s.crowd[1:], s.other, s.third.position, s.share
        ),
        "flanking_aim": lambda s: steering.flanking_aim(s.me, s.crowd[1:], s.other, s.share),
        "guard_aim": lambda s: steering.guard_aim(s.me, s.crowd[1:], s.crowd[:1])[1],
        "interpose_aim": lambda s: steering.interpose_aim(s.me, s.other, s.third),
        "blind_side_place": lambda s: steering.blind_side_place(s.me, s.other, 3.0 * s.share),
        "voronoi_aim": lambda s: steering.voronoi_aim(
            s.me, s.crowd[1:], s.other, seconds=s.share
        ),
        "offset_pursuit_aim": lambda s: steering.offset_pursuit_aim(s.me, s.other, s.own),
        "nearest_hiding_place": lambda s: steering.nearest_hiding_place(
            s.me, s.other, s.rocks, s.share
        )[0],
        "wander_circle": lambda s: steering.wander_circle(s.me, 2.0, 1.2)[0],
        "wander_target": lambda s: steering.wander_target(s.me, s.own, 2.0, 1.2),
        "wall_feelers": lambda s: steering.wall_feelers(s.me, s.share)[0],
        "advance": lambda s: steering.advance(s.me, s.vector, 0.1).position,
        "accelerating": lambda s: steering.accelerating(s.other, 5 * s.share),
        "braking": lambda s: steering.braking(s.other, 5 * s.share),
        "linear": lambda s: steering.linear(s.other, 5 * s.share),
        "turning": lambda s: steering.turning(s.other, 5 * s.share),
    },
    "own": {
        "flank_offset": lambda s: steering.flank_offset(s.me, s.crowd[1:], s.other, s.share),
        "left": lambda s: steering.left(s.own) * math.copysign(1.0, s.side),
        "turn_wander_point": lambda s: steering.turn_wander_point(s.own, s.side),
        "jitter_wander_point": lambda s: steering.jitter_wander_point(1 + 0j, s.own),
        "direction": lambda s: steering.direction(3.0 * s.side),
    },
    "number": {
        "norm": lambda s: steering.norm(s.vector),
        "dot": lambda s: steering.dot(s.vector, s.me.velocity),
        "assignment": lambda s: steering.assignment(
            [s.me, s.third], [s.other, s.me._replace(position=s.me.position + s.vector)]
        )[0],
        "nearest_of": lambda s: steering.nearest_of(s.me, s.crowd),
        "ward_and_menace": lambda s: steering.ward_and_menace(s.crowd, [s.me])[0],
        "comes_at_me": lambda s: steering.comes_at_me(s.me, s.other),
        "in_neighborhood": lambda s: steering.in_neighborhood(s.me, s.other, 1.0, s.reach, 0.5),
        "closing_speed": lambda s: steering.closing_speed(s.me, s.other),
        "nearest_approach_time": lambda s: steering.nearest_approach_time(s.me, s.other),
        "detection_box": lambda s: steering.detection_box(s.me, s.share, 0.5)[0],
        "path_length": lambda s: steering.path_length(s.path, s.share > 0.5),
        "next_waypoint": lambda s: steering.next_waypoint(s.me, s.path, 0, s.reach, True),
        "overlap_by_radii": lambda s: steering.overlap_by_radii(s.share, s.me.radius, 0.5),
        "overlap_by_diameters": lambda s: steering.overlap_by_diameters(s.share, 0.7, 0.5),
        "next_behavior": lambda s: steering.next_behavior(4, 0, [s.share], 1, 0, 0.5),
        "none": lambda s: steering.none(s.me, s.other),
        **{law.__name__: lambda s, law=law: law(s.me, s.other, 1e9) for law in LAWS[1:]},
    },
    "side": {
        "cross": lambda s: steering.cross(s.vector, s.me.velocity),
        "line_of_sight_rate": lambda s: steering.line_of_sight_rate(s.me, s.other),
        "turn_rate": lambda s: steering.turn_rate(s.me),
        "angle_of": lambda s: steering.angle_of(s.own),
        "walk_sideways": lambda s: steering.walk_sideways(s.side, 2 * s.side),
        "distance_to_collision": lambda s: steering.distance_to_collision(
            s.me, Obstacle(s.other.position, s.share), 2.0
        )[1],
    },
}
for law, predict in PAIRS:
    name = f"{law.__name__}-{predict.__name__}"
    CASES["vector"]["pursuit " + name] = lambda s, law=law, predict=predict: steering.pursuit(
        s.me, s.other, law, predict, True
    )
    CASES["vector"]["evade " + name] = lambda s, law=law, predict=predict: steering.evade(
        s.me, s.other, law, predict, s.reach
    )
for number, method in enumerate(steering.METHODS):
    CASES["vector"]["add_force " + method] = lambda s, number=number: steering.add_force(
        number, s.me.velocity, s.vector, s.share, s.share, s.me.max_force
    )[0]
# Walls are square: for them a quarter turn is the smallest.
SQUARE_CASES = {
    "vector": {
        "avoid_walls": lambda s: steering.avoid_walls(s.me, 5.0, 2.0),
        "containment": lambda s: steering.containment(s.me, 5.0, 1.0),
        "voronoi_pursuit walls": lambda s: steering.voronoi_pursuit(
            s.me, s.crowd[1:], s.other, 8.0, seconds=s.share
        ),
        "voronoi_pursuit torus": lambda s: steering.voronoi_pursuit(
            s.me, s.crowd[1:], s.other, period=16.0
        ),
        "encirclement torus": lambda s: steering.encirclement(
            s.me, s.crowd[1:], s.other, s.share, period=16.0
        ),
    },
    "point": {
        "voronoi_border": lambda s: steering.voronoi_border(s.me, s.crowd[1:], s.other, 8.0)[0],
        "clamp_to_square": lambda s: steering.clamp_to_square(s.vector, 5.0),
        "contained": lambda s: steering.contained(s.other, 3 * s.share, 5.0),
        "stop_at_walls": lambda s: steering.stop_at_walls(s.vector, s.me.velocity, 5.0)[0],
        "glide_on": lambda s: steering.glide_on(s.vector, s.me.velocity, s.share, 5.0, s.rocks)[
            0
        ],
    },
}


def flat(cases):
    return [
        pytest.param(kind, call, id=name)
        for kind in cases
        for name, call in cases[kind].items()
    ]


# Called with arrays that they write to, made by other means, or slow: see their own tests.
NOT_HERE = {"as_vehicle", "Obstacle", "Vehicle", "compiled", "part_all"}
NOT_HERE |= {"escape", "escape_aim", "seconds_free"}


def test_every_public_function_is_here():
    public = {name for name in steering.__all__ if callable(getattr(steering, name))}
    public -= {"METHODS", "OBSTACLE", "VEHICLE"}
    cases = [*CASES.values(), *SQUARE_CASES.values()]
    assert public - {name.split()[0] for group in cases for name in group} == NOT_HERE


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
    turned = changed(
        scene, lambda body: rotated(body, angle, shift), scene.vector * turn, scene.own
    )
    reflected = changed(
        scene, mirrored, scene.vector.conjugate(), scene.own.conjugate(), side=-1
    )
    how_turned, how_reflected = KINDS[kind]
    assert near(call(turned), how_turned(result, turn, shift), 1e-6)
    assert near(call(reflected), how_reflected(result), 1e-6)


@pytest.mark.parametrize(("kind", "call"), flat(CASES))
@given(scene=scenes(), angle=angles, shift=vectors)
def test_rotation_shift_and_reflection_carry_over(kind, call, scene, angle, shift):
    check_symmetry(kind, call, scene, angle, shift)


@pytest.mark.parametrize(("kind", "call"), flat(SQUARE_CASES))
@given(scene=scenes(), quarters=st.integers(0, 3))
def test_quarter_turns_and_reflection_carry_over_between_walls(kind, call, scene, quarters):
    check_symmetry(kind, call, scene, quarters * 0.5 * math.pi, 0j)


# ---- Never NaN ----------------------------------------------------------------------------


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
