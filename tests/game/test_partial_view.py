"""Limits of sight and of the nearest: their geometry, and that observations leak nothing."""

from __future__ import annotations

import cmath
import math
from itertools import product
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest
from engines import started
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from test_sensing import can_show

from steer_env.baselines import FunctionPolicy
from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.game.config.features import NAMED, OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.game.config.observation import ObservationConfig
from steer_env.game.look.visibility import crosses_disc, hides, is_in_view
from steer_env.game.region import ARENAS, Region
from steer_env.game.rules import sight_limits
from steer_env.sides import EVADER, PURSUER

AHEAD = np.float32([1.0, 0.2])
BLIND = {"range": 9.0, "field_of_view": 1.5, "occlusion": True}


def rows(steps=30, count=20, env_id="Pursuit-v0", **keywords):
    """The observations of games' starts and of some steps."""
    envs = gym.make_vec(env_id, count, **keywords)
    found = [envs.reset(seed=3)[0]]
    actions = np.broadcast_to(AHEAD, envs.action_space.shape).astype(np.float32)
    for _ in range(steps):
        found.append(envs.step(actions)[0])
    return np.array(found)


def scene(players, obstacles=(), pursuers=1, **keywords):
    """An engine with one game, in which players are at places, with headings."""
    counts = {"pursuers": pursuers, "evaders": len(players) - pursuers}
    engine = started(learner=PURSUER, obstacles=obstacles, **counts, **keywords)
    for number, (position, heading) in enumerate(players):
        engine.state.position[number, 0] = position
        engine.state.heading[number, 0] = heading
        engine.state.velocity[number, 0] = heading
    return engine


def blocks(engine, side=PURSUER, player=0):
    """The blocks of a player's observation: of others, and of obstacles."""
    seen = engine.observe(side)[0, player]
    nearest = engine.config.observation.nearest
    others = engine.num_players - 1 if nearest is None else 2 * nearest
    end = OWN_SIZE + others * OTHER_SIZE
    return seen[OWN_SIZE:end].reshape(-1, OTHER_SIZE), seen[end:].reshape(-1, OBSTACLE_SIZE)


# ---- Formulas, by hand ---------------------------------------------------------------------

FIVE = [(0j, 1 + 0j), (3 + 4j, 1j), (-6 + 0j, 1j), (0j, 1j), (4 - 4j, 1 + 0j)]
"""A pursuer that faces right; evaders ahead on the left, behind, on it, ahead on the right."""


@pytest.mark.parametrize(
    ("observation", "seen"),
    [
        ({"range": 100.0}, [1, 1, 1, 1]),
        ({"range": 5.0}, [1, 0, 1, 0]),  # the first is exactly there
        ({"range": 4.999}, [0, 0, 1, 0]),
        ({"range": 0.0}, [0, 0, 1, 0]),
        ({"field_of_view": math.pi / 2}, [1, 0, 1, 1]),
        ({"field_of_view": math.pi / 4}, [0, 0, 1, 1]),  # the last is exactly on the edge
        ({"field_of_view": 0.0}, [0, 0, 1, 0]),
        ({"range": 5.9, "field_of_view": 0.93}, [1, 0, 1, 1]),
        ({"occlusion": True}, [1, 0, 1, 0]),
        ({"occlusion": True, "range": 4.0}, [0, 0, 1, 0]),
    ],
)
def test_who_is_seen_is_what_the_geometry_says(observation, seen):
    rocks = [(2.0, -2.0, 0.5), (-3.0, 0.0, 0.5), (2.0, -3.0, 0.2)]
    found, _ = blocks(scene(FIVE, rocks, observation=observation))
    np.testing.assert_array_equal(found[:, 0], seen)
    assert not found[np.array(seen) == 0].any()
    everything, _ = blocks(scene(FIVE, rocks))
    np.testing.assert_array_equal(found[np.array(seen) == 1], everything[np.array(seen) == 1])


def test_the_obstacles_in_sight_come_first_and_the_nearest_of_them_first():
    rocks = [(6.0, 0.0, 1.0), (-3.0, 0.0, 1.0), (0.0, 3.0, 0.5), (9.0, 0.0, 0.5)]
    players = [(0j, 1 + 0j), (5j, 1j)]
    _, found = blocks(scene(players, rocks))
    assert [round(float(x), 2) for x in found[:, 3]] == [0.1, 0.05, 0.1, 0.05]
    for observation, x_and_y in (
        ({"range": 5.0}, [(-3.0, 0.0), (0.0, 3.0), (6.0, 0.0)]),  # whose edge is 5 m away
        ({"range": 4.9}, [(-3.0, 0.0), (0.0, 3.0)]),
        ({"field_of_view": 2.0}, [(0.0, 3.0), (6.0, 0.0), (9.0, 0.0)]),
        ({"occlusion": True}, [(-3.0, 0.0), (0.0, 3.0), (6.0, 0.0)]),  # hides the last
        ({"occlusion": True, "nearest": 2}, [(-3.0, 0.0), (0.0, 3.0)]),
        ({"nearest": 1, "field_of_view": 1.0}, [(6.0, 0.0)]),
    ):
        _, found = blocks(scene(players, rocks, observation=observation))
        places = found[found[:, 0] > 0.0, 1:3] * math.hypot(20.0, 20.0)
        np.testing.assert_allclose(places, x_and_y, atol=1e-5)
        assert not found[len(x_and_y) :].any()


def test_only_the_nearest_have_blocks_opponents_before_teammates():
    places = [0j, 8 + 0j, -2 + 0j, 1 + 0j, 5 + 0j, -3j, 4j, 7j]
    players = [(place, 1 + 0j) for place in places]
    engine = scene(players, pursuers=4, observation={"nearest": 2})
    standard, _ = blocks(scene(players, pursuers=4))
    found, _ = blocks(engine)
    # Evaders are 4 to 7, with the blocks 0 to 3; teammates 1 to 3 have the blocks 4 to 6.
    np.testing.assert_array_equal(found, standard[[1, 2, 6, 5]])
    engine.state.active[5, 0] = False  # caught
    found, _ = blocks(engine)
    np.testing.assert_array_equal(found, standard[[2, 0, 6, 5]])
    found, _ = blocks(engine, player=3)
    assert found[:, 0].tolist() == [1.0] * 4
    limited = scene(players, pursuers=4, observation={"nearest": 3, "range": 4.5})
    found, _ = blocks(limited)
    np.testing.assert_array_equal(
        found,
        np.vstack([standard[[1, 2]], 0 * standard[:1], standard[[6, 5]], 0 * standard[:1]]),
    )


def test_the_number_of_the_nearest_is_a_keyword():
    for keywords in ({}, {"pursuers": 5, "evaders": 4, "obstacles": 3}):
        env = gym.make("Pursuit-v0", observation={"nearest": 3}, **keywords)
        assert env.observation_space.shape[-1:] == (88,)
        assert env.observation_space.contains(env.reset(seed=0)[0])
    with pytest.raises(InvalidValue, match="nearest"):
        make_game(observation={"nearest": 65})


# ---- Without limits, and together with all else ---------------------------------------------


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize("side", ["Pursuit-v0", "Evade-v0"])
def test_limits_that_hide_nothing_change_no_bit(arena, side):
    keywords = {"pursuers": 3, "evaders": 2, "obstacles": 3, "arena": arena, "env_id": side}
    expected = rows(**keywords)
    assert expected.any(axis=(0, 1, 2)).sum() > 50
    found = rows(**keywords, observation={"range": 1e9})
    np.testing.assert_array_equal(found, expected)
    names = [name for name in NAMED if can_show(name, arena)]
    late = {"features": names, "delay": 2, "noise": 0.1}
    expected = rows(**keywords, observation=late)
    found = rows(**keywords, observation={**late, "range": 1e9})
    np.testing.assert_array_equal(found, expected)


def test_what_is_unseen_has_no_noise_and_what_is_seen_has_its_own():
    keywords = {"pursuers": 2, "evaders": 3, "obstacles": 3}
    loud = rows(**keywords, observation={"noise": 0.05})
    found = rows(**keywords, observation={"noise": 0.05, **BLIND})
    np.testing.assert_array_equal(found[..., :OWN_SIZE], loud[..., :OWN_SIZE])
    shape = (*found.shape[:-1], 4, OTHER_SIZE)
    mine, theirs = (
        x[..., OWN_SIZE : OWN_SIZE + 4 * OTHER_SIZE].reshape(shape) for x in (found, loud)
    )
    is_seen = mine[..., 0] == 1.0
    assert 0.05 < is_seen.mean() < 0.9
    np.testing.assert_array_equal(mine[is_seen], theirs[is_seen])
    assert not mine[~is_seen].any()


def test_opponents_see_the_game_as_it_is():
    seen = []
    for observation in ({}, {"range": 0.0, "nearest": 1}):

        def coast(observations):
            seen.append(observations.copy())
            return np.zeros((len(observations), 2), np.float32)

        rows(opponent=FunctionPolicy(coast), count=2, observation=observation)
    half = len(seen) // 2
    np.testing.assert_array_equal(seen[:half], seen[half:])


# ---- Leaks -----------------------------------------------------------------------------------

places = st.builds(complex, st.floats(-9.0, 9.0), st.floats(-9.0, 9.0))
headings = st.floats(-math.pi, math.pi).map(lambda angle: cmath.exp(angle * 1j))
speeds = st.floats(0.0, 4.0)
bodies = st.tuples(places, headings, speeds, st.floats(0.1, 9.0), st.floats(0.0, 0.5))
sights = st.fixed_dictionaries(
    {
        "range": st.one_of(st.none(), st.floats(0.0, 12.0)),
        "field_of_view": st.one_of(st.just(math.pi), st.floats(0.0, 3.0)),
        "occlusion": st.booleans(),
    },
    optional={"nearest": st.integers(1, 3)},
)
ROCKS = [(3.0, 1.0, 1.2), (-4.0, -3.0, 2.0), (0.0, 7.0, 0.8)]


def put(engine, number, body):
    """Gives a player a whole new body."""
    position, heading, speed, mass, radius = body
    state = engine.state
    state.position[number], state.heading[number] = position, heading
    state.velocity[number] = heading * speed
    state.acceleration[number] = speed * 1j * heading
    state.mass[number], state.radius[number], state.max_speed[number] = mass, radius, mass + 4.0
    state.wander_point[number] = heading


def surely_unseen(engine, me, position):
    """True if a player of the first game cannot see a place, by independent geometry."""
    config, state = engine.config, engine.state
    sight, period = config.observation, config.arena_size
    start, heading = state.position[me, 0], state.heading[me, 0]
    offset = position - start
    shifts = [0j]
    if config.arena == "torus":
        shifts = [period * complex(x, y) for x, y in product((-2, -1, 0, 1, 2), repeat=2)]
        offset = min((offset + shift for shift in shifts), key=abs)
    if sight.range is not None and abs(offset) > sight.range + 1e-6:
        return True
    angle = abs(cmath.phase(offset / heading)) if abs(offset) > 1e-6 else 0.0
    if angle > sight.field_of_view + 1e-6:
        return True
    if not sight.occlusion:
        return False
    points = np.linspace(0.0, 1.0, 2001) * offset
    for x, y, radius in ROCKS:
        gaps = [np.abs(complex(x, y) - start + shift - points).min() for shift in shifts]
        if min(gaps) < radius - 1e-6:
            return True
    return False


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    sights,
    st.sampled_from(["walls", "torus", "open"]),
    st.integers(0, 4),
    st.lists(bodies, min_size=5, max_size=5),
    st.lists(st.lists(bodies, min_size=5, max_size=5), min_size=3, max_size=3),
    st.integers(0, 2),
)
def test_nothing_about_an_unseen_vehicle_is_in_any_observation(
    sight, arena, me, first, changes, delay
):
    names = [name for name in NAMED if can_show(name, arena)]
    observation = {"features": names, "noise": 0.02, "delay": delay, **sight}
    game = {"pursuers": 2, "evaders": 3, "obstacles": ROCKS, "arena": arena}
    side = PURSUER if me < 2 else EVADER
    twins = [started(learner=side, observation=observation, **game) for _ in range(2)]
    for engine in twins:
        for number, body in enumerate(first):
            put(engine, number, body)
    one, other = twins
    for step, bodies_now in enumerate(changes):
        for number, body in enumerate(bodies_now):
            places_of_it = one.state.position[number, 0], body[0]
            if number != me and all(surely_unseen(one, me, place) for place in places_of_it):
                put(other, number, body)  # in another way in each step
                if number >= 2 and step == 1:
                    other.state.active[number] = False
        for engine in twins:
            engine.state.steps[:] = step
        mine = [engine.observe(side)[0, me - (0 if me < 2 else 2)] for engine in twins]
        assert mine[0].tobytes() == mine[1].tobytes()
    np.testing.assert_array_equal(one.state.position[me], other.state.position[me])


@given(st.lists(bodies, min_size=2, max_size=2), places, places, st.floats(0.1, 8.0))
def test_nothing_about_an_unseen_obstacle_is_in_any_observation(both, here, there, reach):
    names = [name for name in NAMED if can_show(name, "walls")]
    observation, seen = {"features": names, "range": reach, "delay": 1}, []
    for place in (here, there):
        engine = started(learner=PURSUER, obstacles=ROCKS, observation=observation)
        for number, body in enumerate(both):
            put(engine, number, body)
        if abs(place - both[0][0]) > reach + 0.5 + 1e-6:
            engine.state.center[1, 0], engine.state.obstacle_radius[1, 0] = place, 0.5
        else:
            engine.state.obstacle_radius[1, 0] = 0.0  # none instead of one that is seen
        seen.append(engine.observe(PURSUER).tobytes())
    assert seen[0] == seen[1]


# ---- What is in sight -----------------------------------------------------------------------

HALF = 10.0
WALLS, TORUS, OPEN = (Region(kind, HALF) for kind in range(len(ARENAS)))

lengths = st.floats(-HALF, HALF)
points = st.builds(complex, lengths, lengths)
angles = st.floats(-math.pi, math.pi)


def limits(**fields):
    return SimpleNamespace(**sight_limits(ObservationConfig(**fields)))


def test_what_is_exactly_behind_or_at_my_own_place_is_seen():
    for angle in range(63):
        heading = cmath.exp(0.1j * angle)
        assert is_in_view(limits(), heading, -1e5 * heading, 0.0)
        assert is_in_view(limits(field_of_view=0.0), heading, 0j, 0.0)
    assert is_in_view(limits(field_of_view=1.0), 0j, 0j, 0.0)  # without a heading


@pytest.mark.parametrize(
    ("offset", "center", "radius", "crosses"),
    [
        (10, 5, 1.0, True),  # in between
        (10, 5 + 1j, 1.5, True),
        (10, 5 + 1j, 1.0, False),  # it touches
        (10, 5 + 1j, 1.0 + 1e-9, True),
        (10, -2, 1.9, False),  # behind me
        (10, 13, 2.9, False),  # behind the other
        (10, 11, 1.5, True),  # the other is in it
        (6 + 8j, 7 - 1j, 6.1, False),  # beside a slanting line: 6.2 m from it
        (6 + 8j, 7 - 1j, 6.3, True),
        (0, 2, 1.0, False),  # both at one place
    ],
)
def test_a_disc_crosses_the_line_between_two_centers(offset, center, radius, crosses):
    assert crosses_disc(complex(offset), complex(center), radius) == crosses


def test_a_body_that_touches_an_obstacle_is_not_blinded_by_rounding():
    for center in (1 + 0j, 1 - 1e-9 + 0j, 0.6 + 0.8j):
        assert not hides(OPEN, 0j, -5 + 0j, (center, 1.0))
    assert not hides(OPEN, 0j, 5 + 0j, (2 + 1j, 1.0 + 1e-9))
    assert hides(OPEN, 0j, 5 + 0j, (2 + 1j, 1.0 + 3e-9))
    assert not hides(OPEN, 0j, 5 + 0j, (2 + 0j, 0.0))  # there is none


def test_on_a_torus_the_image_nearest_to_the_line_counts():
    # The image nearest to me, to the other and to the middle of the line are three others.
    assert hides(TORUS, -5 - 5j, 10 + 10j, (9.9 - 9.9j, 7.1))
    assert not hides(TORUS, -5 - 5j, 10 + 10j, (9.9 - 9.9j, 7.0))


@given(points, points, points, st.floats(0.1, 9.0))
def test_on_a_torus_an_obstacle_hides_if_any_of_its_images_does(start, offset, center, radius):
    images = [center - start + 20.0 * complex(x, y) for x, y in product(range(-2, 3), repeat=2)]
    expected = any(crosses_disc(offset, image, radius - 1e-9) for image in images)
    barely = [
        crosses_disc(offset, image, radius + sign * 1e-6)
        for image in images
        for sign in (-1, 1)
    ]
    assume(barely[::2] == barely[1::2])
    assert hides(TORUS, start, offset, (center, radius)) == expected


@given(points, angles, st.floats(0.1, 20.0), st.floats(0.0, math.pi), angles)
def test_views_turn_and_mirror_with_the_scene(offset, facing, reach, width, angle):
    heading, turn = cmath.exp(facing * 1j), cmath.exp(angle * 1j)
    away = abs(cmath.phase(offset / heading)) if offset else 0.0
    assume(abs(abs(offset) - reach) > 1e-6)
    assume(offset == 0 or abs(offset) > 1e-100)  # shorter ones count as 0
    assume(offset == 0 or abs(away - width) > 1e-6)
    rules = limits(range=reach, field_of_view=width)
    expected = abs(offset) <= reach and (abs(offset) == 0.0 or away <= width)
    assert is_in_view(rules, heading, offset, 0.0) == expected
    assert is_in_view(rules, heading * turn, offset * turn, 0.0) == expected
    assert is_in_view(rules, heading.conjugate(), offset.conjugate(), 0.0) == expected
