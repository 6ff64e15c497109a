"""Solid bodies part, walls and obstacles stop them, and a torus has no edge."""

from __future__ import annotations

import cmath
import itertools
import math

import numpy as np
import pytest
from engines import coast, random_actions, started
from hypothesis import assume, given, strategies as st

from steer_env.game.config import make_game
from steer_env.game.dynamics import MODELS, accelerate, force_of_action
from steer_env.game.region import ARENAS, ROUNDING as CONTACT, Region
from steer_env.sides import PURSUER
from steer_env.steering import OBSTACLE
from steer_env.steering.vectors import wrap
from steer_env.steering.vehicle import Obstacle, Vehicle

ROUNDING = CONTACT + 1e-13  # of the distances that are measured here


def overlaps(engine):
    """Overlaps of the active solid bodies, in meters."""
    state, region, first = engine.state, engine.config.region, engine.config.pursuers
    found = []
    for one, two in itertools.combinations(range(engine.num_players), 2):
        if engine.config.solid != "everyone" and (one < first) != (two < first):
            continue
        offset = region.offsets(state.position[one], state.position[two])
        depth = state.radius[one] + state.radius[two] - abs(offset)
        found.append(depth[state.active[one] & state.active[two]])
    return np.concatenate(found)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("places", "parted", "arena"),
    [
        ([0j, 0.4 + 0j], [-0.1, 0.5], "walls"),
        ([2j, 2j], [0.3 + 2j, -0.3 + 2j], "walls"),  # coincident
        ([0j, 0.6 + 0j], [0, 0.6], "walls"),  # just touching
        ([9.9 + 0j, -9.9 + 0j], [9.7, -9.7], "torus"),
        # Who stands at the wall cannot give way: the other does.
        ([9.7 + 0j, 9.5 + 0j], [9.7, 9.1], "walls"),
        ([9.5 + 0j, 9.7 + 0j], [9.1, 9.7], "walls"),
    ],
)
def test_each_takes_half(places, parted, arena):
    engine = started("idle", "idle", solid="teammates", pursuers=2, arena=arena)
    engine.state.position[:, 0] = [*places, -8 - 8j]
    coast(engine, restart=False)
    np.testing.assert_allclose(engine.state.position[:2, 0], parted, atol=1e-12)


CROWDS = {
    "against a wall": {"pursuers": 1, "evaders": 12, "evader": {"radius": 0.5}},
    "around a quarry": {"pursuers": 12, "evaders": 1, "pursuer": {"radius": 0.5}},
    "in a corner of a full arena": {"evaders": 30, "arena_size": 8.0, "capture_radius": 1e-3},
    "of all sizes": {"pursuers": 6, "randomize": {"pursuer": {"radius": (0.05, 1.0)}}},
    "among obstacles": {"pursuers": 8, "evaders": 8, "obstacles": 6, "arena_size": 14.0},
    "of both sides": {
        "pursuers": 8,
        "evaders": 8,
        "solid": "everyone",
        "capture_radius": 0.65,
        "arena_size": 12.0,
    },
    "on a torus": {"pursuers": 12, "arena": "torus", "arena_size": 8.0},
    "in the open": {"pursuers": 12, "arena": "open", "arena_size": 8.0},
}


@pytest.mark.compiled
@pytest.mark.weekly
@pytest.mark.parametrize("name", CROWDS)
def test_crowds_start_apart_and_never_overlap(name):
    rules = {"capture_radius": 0.05, "solid": "teammates", **CROWDS[name]}
    engine = started("seek", "evade", 12, **rules)
    for _ in range(150):
        assert overlaps(engine).max() <= ROUNDING
        coast(engine)
    engine.check_state(engine.get_state())


def test_solid_bodies_without_room_to_start_apart_are_refused():
    full = {"pursuers": 8, "pursuer": {"radius": 0.5}, "arena_size": 4.0, "capture_radius": 0.9}
    make_game(solid="teammates", **full)  # 8 squares of 1 m are half of it
    make_game(**{**full, "pursuers": 30})  # ghosts need no room
    discs = {"obstacles": [(0.0, 0.0, 0.3)]}
    radii = {"randomize": {"pursuer": {"radius": (0.1, 0.9)}}}
    for more, match in (
        ({"solid": "everyone"}, r"9 solid bodies of up to 0\.5 m have no room"),
        ({"solid": "teammates", **discs}, r"they take 8\.6 of its 16 square meters"),
        ({"solid": "teammates", **radii}, r"up to 0\.9 m have no room"),
    ):
        with pytest.raises(ValueError, match=match):
            make_game(**full, **more)


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("model", ["point_mass", "simple_motion"])
def test_a_step_among_obstacles_is_that_of_the_textbook_to_the_bit(arena, model):
    """The loop asks `move` only where an obstacle may be in reach."""
    kind = MODELS.index(model)
    limits = {"max_speed": (1.0, 40.0), "max_force": (5.0, 500.0), "radius": (0.0, 0.4)}
    both = {side: {"model": model} for side in ("pursuer", "evader")}
    game = {"arena": arena, "arena_size": 12.0, "pursuers": 3, "obstacles": 4, **both}
    engine = started(None, None, 60, **game, randomize=dict.fromkeys(both, limits))
    region, state, generator = engine.config.region, engine.state, np.random.default_rng(0)
    dt, touched = engine.config.dt, 0
    for _ in range(15):
        before = engine.get_state()
        actions = random_actions(engine, generator)
        engine.step(*actions, PURSUER, True)
        for game, number in zip(*np.nonzero(state.active.T & (state.steps > 0)[:, None])):
            me = Vehicle(*before["players"]["body"][game, number].item())
            discs = [Obstacle(*disc.item()) for disc in before["obstacles"][game]]
            action = complex(*np.hstack(actions)[game, number].tolist())
            force = force_of_action(kind, me, action, dt)
            free, _ = accelerate(kind, me, force, dt)
            end, velocity = region.move(discs, me.radius, me.position, free, dt)
            expected = region.wrap(me.position + (end - me.position))
            found = state.position[number, game], state.velocity[number, game]
            assert found == (expected, velocity)
            touched += velocity != region.glide(me.radius, me.position, free, dt)[1]
    assert touched > 20


# ---- Walls, obstacles and a torus -----------------------------------------------------------

HALF = 10.0
WALLS, TORUS, OPEN = REGIONS = [Region(kind, HALF) for kind in range(len(ARENAS))]
DT = 1 / 30
RADIUS = 0.3

coordinates = st.floats(-HALF, HALF)
places = st.builds(complex, coordinates, coordinates)
points = st.builds(complex, st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
velocities = st.builds(cmath.rect, st.floats(0.0, 200.0), st.floats(-math.pi, math.pi))
discs = st.lists(st.tuples(places, st.floats(0.01, 3.0)), min_size=1, max_size=5)


def obstacles_of(*placed):
    """Obstacles as the loop sees them, from (center, radius)."""
    return np.array(list(placed), OBSTACLE)


def gaps(region, placed, position):
    """From the body's edge to the obstacles' edges, in meters."""
    return [abs(region.offset(position, center)) - radius - RADIUS for center, radius in placed]


@given(points)
def test_walls_clamp_and_a_torus_wraps_to_places_that_the_region_contains(point):
    for region in (WALLS, TORUS):
        inside = region.wrap(region.clamp(RADIUS, point))
        assert region.contains(np.array([inside]), RADIUS).all()
        assert abs(region.offset(point, inside)) <= abs(point - inside) + 1e-9
    assert WALLS.clamp(RADIUS, WALLS.clamp(RADIUS, point)) == WALLS.clamp(RADIUS, point)
    assert OPEN.wrap(OPEN.clamp(RADIUS, point)) == point


def test_an_outline_is_a_closed_square_around_the_region():
    outline = np.array(Region.named("walls", HALF).outline(0.5))
    assert outline[0] == outline[-1] == -10.5 + 10.5j
    assert np.abs(np.diff(outline)).tolist() == [21.0] * 4
    assert outline[:4].sum() == 0j


@given(points)
def test_wrapping_goes_round_whole_times(point):
    wrapped = wrap(point, HALF)
    assert max(abs(wrapped.real), abs(wrapped.imag)) <= HALF * (1 + 1e-12)
    turns = (point - wrapped) / (2 * HALF)
    assert abs(turns - complex(round(turns.real), round(turns.imag))) < 1e-9
    assert wrap(wrapped, HALF) == wrapped


@given(places, places)
def test_offsets_on_a_torus_go_to_the_nearest_image(start, end):
    images = [end + 20 * x + 20j * y for x in (-1, 0, 1) for y in (-1, 0, 1)]
    nearest = min(abs(image - start) for image in images)
    offset = TORUS.offset(start, end)
    assert abs(offset) == pytest.approx(nearest, abs=1e-9)
    assert min(abs(start + offset - image) for image in images) < 1e-9
    assert TORUS.image(start, end) == start + offset
    for region in (WALLS, OPEN):
        assert (region.offset(start, end), region.image(start, end)) == (end - start, end)
    both = np.array([start]), np.array([end])
    for region in REGIONS:
        assert region.offsets(*both)[0] == region.offset(start, end)


TURNS = [1, 1j, -1, -1j]


@pytest.mark.parametrize(
    ("region", "discs", "start", "velocity", "end", "after"),
    [
        # A wall stops the velocity into it, and none other; a corner stops everything.
        *((WALLS, (), (9.65 + 2j) * t, (6 + 3j) * t, (9.7 + 2.1j) * t, 3j * t) for t in TURNS),
        *((WALLS, (), 9.7 * t, (-6 + 3j) * t, (9.5 + 0.1j) * t, (-6 + 3j) * t) for t in TURNS),
        (WALLS, (), 9.69 - 9.69j, 6 - 6j, 9.7 - 9.7j, 0j),
        # Head on, also across the seam of a torus; a disc of radius zero is not there.
        (OPEN, [(0j, 1.0)], -1.4 + 0j, 6 + 0j, -1.3 + 0j, 0j),
        (TORUS, [(9.5 + 0j, 1.0)], -9.1 + 0j, -6 + 0j, -9.2 + 0j, 0j),
        (OPEN, [(0j, 0.0)], -0.4 + 0j, 6 + 0j, -0.2 + 0j, 6 + 0j),
    ],
)
def test_what_is_solid_stops_a_body(region, discs, start, velocity, end, after):
    start, velocity = complex(start), complex(velocity)
    found = region.move(obstacles_of(*discs), RADIUS, start, velocity, DT)
    assert found == pytest.approx((end, after))


def test_obstacles_have_an_inside():
    far, absent = obstacles_of((9.5 + 0j, 1.0)), obstacles_of((-9.3 + 0j, 0.0))
    assert TORUS.is_blocked(far, RADIUS, -9.3 + 0j)
    assert not OPEN.is_blocked(far, RADIUS, -9.3 + 0j)
    assert not OPEN.is_blocked(absent, RADIUS, -9.3 + 0j)


@pytest.mark.parametrize("region", REGIONS, ids=ARENAS)
@given(placed=discs, start=places, velocity=velocities)
def test_the_first_contact_is_where_the_path_meets_an_obstacle(region, placed, start, velocity):
    assume(min(gaps(region, placed, start)) > 1e-6)
    step = velocity * DT
    free, normal = region.path_to_contact(obstacles_of(*placed), RADIUS, start, step)
    assert 0.0 <= free <= 1.0
    # Contact before that, by sampling the way: none deeper than a sample's error.
    for share in np.linspace(0.0, free, 50):
        assert min(gaps(region, placed, start + share * step)) > -1e-9
    if free < 1.0:
        at_contact = gaps(region, placed, start + free * step)
        assert min(at_contact, key=abs) == pytest.approx(0.0, abs=1e-9)
        assert abs(normal) == pytest.approx(1.0)
        assert (normal.conjugate() * step).real < 0.0


@pytest.mark.parametrize("center", [0j, 1.7 - 2.3j, -3.1 + 0.6j])
@pytest.mark.parametrize("turn", [1j, -1j], ids=["left", "right"])
def test_sliding_is_smooth(center, turn):
    # Rounding may make the tangent point into what is slid along: no reason to stop.
    obstacles, position = obstacles_of((center, 1.1)), center + 1.4
    for _ in range(200):
        outward = (position - center) / abs(position - center)
        end, velocity = OPEN.move(obstacles, RADIUS, position, outward * (3 * turn - 1), DT)
        assert abs(velocity - 3 * turn * outward) < 0.1
        assert abs(end - position) == pytest.approx(3 * DT, rel=0.05)
        position = end


@pytest.mark.parametrize("turn", np.linspace(0.0, 6.0, 9))
def test_who_slides_into_another_obstacle_stops_at_it(turn):
    # Rounding must not decide whether it counts as inside, and is thrown back to the start.
    ahead = cmath.exp(1j * turn)
    first, second = 0.7 - 0.4j, 0.7 - 0.4j + ahead * (-1.3 - 0.3 + 0.85j)
    start = first - 1.3 * ahead
    obstacles = obstacles_of((first, 1.0), (second, 0.5))
    end, _ = OPEN.move(obstacles, RADIUS, start, ahead * (4 + 4j), DT)
    assert abs(end - start) > 0.05
    assert gaps(OPEN, [(second, 0.5)], end)[0] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("region", REGIONS, ids=ARENAS)
@given(placed=discs, start=places, velocity=velocities)
def test_nobody_gets_into_an_obstacle(region, placed, start, velocity):
    assume(min(gaps(region, placed, start)) > 0.0)
    limit = region.room(RADIUS)
    assume(max(abs(start.real), abs(start.imag)) <= limit)
    end, after = region.move(obstacles_of(*placed), RADIUS, start, velocity, DT)
    assert min(gaps(region, placed, end)) > -1e-8
    assert max(abs(end.real), abs(end.imag)) <= limit
    assert abs(after) <= abs(velocity) * (1 + 1e-9)
    assert abs(end - start) <= abs(velocity) * DT * (1 + 1e-9) + 1e-9


def test_who_is_wedged_stays():
    # Between two obstacles that leave no way on; neither of them is entered.
    obstacles = obstacles_of((1 + 1j, 1.0), (1 - 1j, 1.0))
    position, velocity = -2 + 0j, 4 + 0j
    for _ in range(100):
        position, velocity = OPEN.move(obstacles, RADIUS, position, 4 + 0j, DT)
        assert not OPEN.is_blocked(obstacles, RADIUS, position)
    assert position.real < 1.0
    assert abs(velocity) < 4.0
    away, velocity = OPEN.move(obstacles, RADIUS, position, -4 + 0j, DT)
    assert away.real < position.real
    assert velocity == -4 + 0j
