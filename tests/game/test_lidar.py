"""Lidar: rays that measure distances to walls, obstacles and vehicles."""

from __future__ import annotations

import math
import pickle

import gymnasium as gym
import numpy as np
import pytest
from envs.same import assert_same, make_sync, play_all

from steer_env import Map
from steer_env.baselines import load
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import LidarConfig, ObservationConfig
from steer_env.game.look.lidar import meet_walls
from steer_env.machine_code.addresses import LANES
from steer_env.maps.cells import make_walls
from steer_env.maps.polygons import distances
from steer_env.steering.rays import closeness_of_disc, closeness_of_square

YARD = Map([(-6, -4), (6, -4), (6, 4), (-6, 4)])
AHEAD = np.float32([1.0, 0.2])
MAPS = {
    "rooms": Map.rooms(1)[0],
    "caves": Map.caves(1, seed=3)[0],
    "pillars": Map.pillars(1, seed=1)[0],
    "maze": Map.maze(1)[0],
    "many": Map.rooms(1, seed=2, across=11, door=1.2)[0],
    "clockwise": Map(YARD.outline[::-1], [[(0, 0), (0, 1), (1, 1), (1, 0)]]),
}


def by_all_walls(world, place, rays):
    """The distance to the first of all walls along each ray, by numpy."""
    starts, ends = (one - place for one in world.segments.T)
    along = ends - starts
    across = np.conj(rays)[:, None]
    right, left = (across * starts).imag, (across * ends).imag
    far = (np.conj(starts) * along).imag / np.where(left == right, np.inf, left - right)
    return np.where((right < 0) != (left < 0), np.where(far > 0, far, np.inf), np.inf).min(1)


def by_lanes(walls, place, rays):
    near = [1.0 / walls.margin] * LANES
    meet_walls(near, rays.tolist(), walls, place)
    return 1.0 / np.array(near)


def places_in(world, count, generator):
    half = world.half_size
    found = generator.uniform(-half, half, (2, 20 * count))
    found = found[0] + 1j * found[1]
    apart = distances(*world.segments.T, found[:, None]).min(1)
    return found[world.contains(found) & (apart > 0.05)][:count]


@pytest.mark.parametrize("reach", [1.5, 8.0, 50.0])
@pytest.mark.parametrize("name", MAPS)
def test_rays_end_at_the_first_of_all_walls(name, reach):
    world, generator = MAPS[name], np.random.default_rng(0)
    walls = make_walls(world, reach, 4.0, for_rays=True)
    for place in places_in(world, 12, generator).tolist():
        rays = np.exp(1j * generator.uniform(0.0, 7.0, LANES))
        found, expected = by_lanes(walls, place, rays), by_all_walls(world, place, rays)
        np.testing.assert_allclose(found, np.minimum(expected, reach), rtol=1e-12)
        assert reach < 50.0 or found.max() < 50.0  # so they met something


def test_rays_to_corners_do_not_pass_between_walls():
    generator = np.random.default_rng(1)
    for name in {*MAPS} - {"caves"}:  # whose corners are not all the farthest along a ray
        world = MAPS[name]
        walls = make_walls(world, 100.0, 4.0, for_rays=True)
        corners = world.polygons[0]
        for place in places_in(world, 6, generator).tolist():
            toward = generator.choice(corners, LANES) - place
            rays = toward / np.abs(toward)
            for turned in (rays, rays * (1 + 1e-16j), rays * (1 - 1e-16j)):
                assert (by_lanes(walls, place, turned) <= np.abs(toward) * (1 + 1e-9)).all()


def test_a_wall_seen_edge_on_is_no_wall():
    fin = Map(YARD.outline, walls=[[(1, 0), (2, 0)]])
    near = [0.01] * LANES
    meet_walls(near, [1 + 0j] * LANES, make_walls(fin, 100.0, 4.0, for_rays=True), 0j)
    assert near == [pytest.approx(1 / 6)] * LANES


def test_lists_for_rays_leave_out_walls_that_are_seen_from_behind():
    walls = make_walls(
        Map(YARD.outline, [[(-1, -1), (1, -1), (1, 1), (-1, 1)]]), 20.0, 4.0, for_rays=True
    )
    cell = walls.cells["begin"][:2]
    lower_left = walls.cell_walls[cell[0] : cell[1]].tolist()
    assert lower_left == [0, 1, 2, 3, 4, 7]  # the block's right and upper side are hidden


def test_closeness_of_a_disc_from_inside_and_behind():
    assert closeness_of_disc(1 + 0j, 0.5j, 1.0) >= 1e12
    assert closeness_of_disc(1 + 0j, -3 + 0j, 1.0) == 0.0
    assert closeness_of_disc(1 + 0j, 3 + 1j, 1.0) == 0.0  # touched
    assert closeness_of_disc(1j, 3 + 4j, 5.0) >= 1e12  # its rim
    assert closeness_of_square(1j, 2 + 3j, 5.0) == 0.5


# ---- In environments -----------------------------------------------------------------------


def measured(env, seed=0, steps=0, **start):
    """The lidar's part of an observation, (rays, numbers of each)."""
    env = env.unwrapped
    observation, _ = env.reset(seed=seed, options={"start": start} if start else None)
    for _ in range(steps):
        observation, *_ = env.step(AHEAD)
    lidar = env.config.observation.lidar
    return observation[-lidar.rays * len(lidar.features) :].reshape(lidar.rays, -1)


def make(lidar=None, **keywords):
    return gym.make("Pursuit-v0", observation={"lidar": lidar or {}}, **keywords)


def at(*bodies):
    """The start of a pursuer and of an evader at places, with headings in radians."""
    sides = ("pursuer", "evader")
    return {
        side: {"position": (place.real, place.imag), "heading": heading}
        for side, (place, heading) in zip(sides, bodies)
    }


FAR = (-5.5 + 3.5j, 0.0)


@pytest.mark.parametrize("keywords", [{"map": YARD}, {"arena_size": 12.0}])
def test_four_rays_in_a_room(keywords):
    half = 4.0 if "map" in keywords else 6.0
    start = at((1 + 2j, math.pi / 2), FAR)
    found = measured(make({"rays": 4, "range": 8.0}, **keywords), **start)[:, 0]
    # Behind (down), to the right, ahead, to the left.
    expected = [(half + 2) / 8, 5 / 8, (half - 2) / 8, 7 / 8]
    np.testing.assert_allclose(found, np.minimum(expected, 1.0), rtol=1e-6)
    found = measured(make({"rays": 5, "field_of_view": math.pi / 2}, **keywords), **start)[:, 0]
    slant = math.sqrt(2) * (half - 2) / 8
    np.testing.assert_allclose(found, [5 / 8, slant, (half - 2) / 8, slant, 7 / 8], rtol=1e-6)


@pytest.mark.parametrize("rays", [4, 7, 16, 33, 128])
@pytest.mark.parametrize("field", [0.5, 3.0, math.pi])
def test_directions_are_spread_evenly(rays, field):
    angles = np.angle(LidarConfig(rays=rays, field_of_view=field).directions)
    is_round = field == math.pi
    gaps = 2.0 * field / (rays if is_round else rays - 1)
    np.testing.assert_allclose(np.diff(angles), gaps, rtol=1e-12)
    assert angles[0] == pytest.approx(-field)
    assert is_round or angles[-1] == pytest.approx(field)


def test_many_rays_agree_with_all_walls():
    world = MAPS["rooms"]
    env = make({"rays": 33, "range": 9.0, "field_of_view": 2.5}, map=world)
    directions = env.unwrapped.config.observation.lidar.directions
    for seed in range(5):
        found = measured(env, seed, steps=seed)[:, 0]
        body = env.unwrapped.get_state()["players"]["body"][0][0]
        expected = by_all_walls(world, body["position"], directions * body["heading"])
        np.testing.assert_allclose(found, np.minimum(expected / 9.0, 1.0), atol=1e-6)


def test_obstacles_end_rays():
    for place in ({"map": YARD}, {}, {"arena": "open"}):
        env = make({"rays": 4, "range": 10.0}, obstacles=[(3.0, 0.0, 1.0)], **place)
        found = measured(env, **at((0j, 0.0), FAR))[:, 0]
        assert found[2] == pytest.approx(0.2)
        assert found[0] == pytest.approx(1.0 if "arena" in place else 0.6 if place else 1.0)


def test_rays_on_a_torus_meet_images():
    env = make({"rays": 4, "range": 20.0}, arena="torus", obstacles=[(9.0, 0.0, 0.5)])
    found = measured(env, **at((-9 + 0j, 0.0), (0j, 0.0)))[:, 0]
    np.testing.assert_allclose(found, [1.5 / 20, 1.0, 17.5 / 20, 1.0], rtol=1e-6)
    with pytest.raises(InvalidValue, match="at most the side of a torus, here 20 m"):
        make({"range": 20.1}, arena="torus", obstacles=2)


def test_a_ray_sees_vehicles_but_not_behind_walls():
    world = Map(YARD.outline, walls=[[(2, -1), (2, 1)]])
    env = make({"rays": 4, "range": 10.0, "vehicles": True}, map=world)
    behind, beside = (4 + 0j, 0.0), (-4.2 + 0j, 0.0)
    found = measured(env, **at((0j, 0.0), behind))
    np.testing.assert_allclose(found[2], [0.2, 1.0], rtol=1e-6)
    found = measured(env, **at((0j, 0.0), beside))
    np.testing.assert_allclose(found[0], [0.6, 0.39], rtol=1e-6)
    assert (found[1:, 1] == 1.0).all()


def test_rays_see_teammates_but_nobody_who_is_caught():
    env = gym.make(
        "Evade-v0", evaders=2, arena="open", observation={"lidar": {"vehicles": True}}
    ).unwrapped
    env.reset(seed=0)
    state = env.get_state()
    state["players"]["body"]["position"] = [[9j, 0j, 3 + 0j]]
    env.set_state(state)

    def ahead():
        numbers = env._engine.observe(1)[0, 0, -32:].reshape(16, 2)
        heading = env.get_state()["players"]["body"]["heading"][0, 1]
        return numbers[:, 1].min(), heading

    assert ahead()[0] == pytest.approx((3 - 0.3) / 8, rel=0.05)
    state = env.get_state()
    state["players"]["active"][0, 2] = False
    env.set_state(state)
    assert ahead()[0] == 1.0


def test_a_turn_by_one_gap_shifts_the_rays():
    start = [at((1 + 0.5j, 2 * math.pi * turn / 16), FAR) for turn in (0, 1)]
    one, other = (measured(make(map=YARD), **each)[:, 0] for each in start)
    np.testing.assert_allclose(np.roll(other, 1), one, atol=1e-6)


# ---- As features ---------------------------------------------------------------------------


def test_rays_are_the_last_block_of_an_observation():
    plain = gym.make("Pursuit-v0", map=YARD, obstacles=1)
    env = make({"rays": 8, "vehicles": True}, map=YARD, obstacles=1)
    assert env.observation_space.shape == (plain.observation_space.shape[0] + 16,)
    observation = env.reset(seed=3)[0]
    np.testing.assert_array_equal(observation[:-16], plain.reset(seed=3)[0])
    assert env.observation_space.contains(observation)
    np.testing.assert_array_equal(env.observation_space.high[-16:], 1.0)


def test_rays_are_chosen_by_name():
    whole = measured(make({"rays": 8, "vehicles": True}, map=YARD), 2)
    for names, parts in {
        ("lidar", "own.speed"): [*whole.ravel(), 0.0],
        ("own.speed", "lidar.vehicle", "own.mass", "lidar.wall"): [
            *(0.0, *whole[:, 1]),
            *(1.0, *whole[:, 0]),
        ],
    }.items():
        seen = {"lidar": {"rays": 8, "vehicles": True}, "features": names}
        observation = gym.make("Pursuit-v0", map=YARD, observation=seen).reset(seed=2)[0]
        if "own.speed" in names:
            parts[parts.index(0.0)] = observation[[*names].index("own.speed") * -1]
        np.testing.assert_array_equal(observation, np.float32(parts))


def test_noise_and_delay_are_those_of_features():
    exact = make(map=YARD)
    clean = [measured(exact, 1, steps=k) for k in range(4)]
    late = gym.make("Pursuit-v0", map=YARD, observation={"lidar": {}, "delay": 2})
    np.testing.assert_array_equal(measured(late, 1, steps=3), clean[1])
    noisy = {"lidar": {}, "noise": {"lidar.wall": 0.05}}
    env = gym.make("Pursuit-v0", map=YARD, observation=noisy)
    errors = np.concatenate([measured(env, 1, steps=k) - clean[k] for k in range(4)])
    assert 0.03 < errors.std() < 0.07
    assert env.observation_space.high[-1] == pytest.approx(1.3)


@pytest.mark.parametrize(
    "keywords",
    [{"map": Map.rooms(3), "evaders": 2}, {"obstacles": 4}, {"arena": "torus", "obstacles": 3}],
)
def test_vector_environments_measure_the_same_bits(keywords):
    seen = {"lidar": {"rays": 20, "vehicles": True}, "range": 6.0, "noise": 0.01}
    keywords |= {"observation": seen, "max_episode_steps": 25}
    envs = gym.make_vec("Pursuit-v0", 5, **keywords), make_sync("Pursuit-v0", 5, **keywords)
    starts = [each.reset(seed=3) for each in envs]
    assert_same(*starts)
    assert_same(*(play_all(each, 40) for each in envs))


def test_sides_and_copies_measure_alike():
    env = make({"rays": 8}, map=MAPS["caves"]).unwrapped
    env.reset(seed=4)
    copy = pickle.loads(pickle.dumps(env))
    for _ in range(5):
        np.testing.assert_array_equal(env.step(AHEAD)[0], copy.step(AHEAD)[0])


def test_scripts_act_from_observations_with_rays():
    env = make(map=MAPS["rooms"])
    plain = gym.make("Pursuit-v0", map=MAPS["rooms"])
    observation = env.reset(seed=0)[0]
    one, other = load("pursuit", env), load("pursuit", plain)
    np.testing.assert_array_equal(
        one.predict(observation)[0], other.predict(observation[:21])[0]
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lidar": {"rays": 3}}, "lidar: rays must be from 4 to 128"),
        ({"lidar": {"range": 0.0}}, "range must be"),
        ({"lidar": {"field_of_view": 4.0}}, "field_of_view must be"),
        ({"features": ["lidar"]}, "'lidar' needs a lidar, such as lidar={}"),
        ({"lidar": {}, "features": ["lidar.vehicle"]}, "needs vehicles=True"),
        ({"lidar": {}, "features": ["lidar", "lidar.wall"]}, "'lidar.wall' twice"),
        ({"noise": {"lidar.wall": 0.1}}, "feature in noise"),
    ],
)
def test_wrong_values_are_refused(given, message):
    with pytest.raises(InvalidValue, match=message):
        ObservationConfig(**given)


def test_wrong_types_and_empty_worlds_are_refused():
    with pytest.raises(InvalidType, match="Did you mean 'rays'"):
        ObservationConfig(lidar={"ray": 8})
    with pytest.raises(InvalidType, match="lidar must be of the type LidarConfig or a dict"):
        ObservationConfig(lidar=16)
    with pytest.raises(InvalidValue, match="arena='open' without obstacles a lidar meets"):
        make(arena="open")
    assert make({"vehicles": True}, arena="open")


# ---- The distance of the nearest wall ------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
def test_the_distance_of_the_nearest_wall(name):
    world = MAPS[name]
    env = gym.make("Pursuit-v0", map=world, observation={"features": ["own.wall_distance"]})
    for seed in range(8):
        found = env.reset(seed=seed)[0][0] * 10.0
        place = env.unwrapped.get_state()["players"]["body"]["position"][0, 0]
        expected = distances(*world.segments.T, np.array([place])[:, None]).min() - 0.3
        assert found == pytest.approx(expected, abs=1e-5)


def test_the_nearest_wall_may_be_far():
    hall = Map([(-20, -20), (20, -20), (20, 20), (-20, 20)])
    seen = {"features": ["own.wall_distance"], "scales": {"length": 40.0}}
    env = gym.make("Pursuit-v0", map=hall, observation=seen)
    found = env.reset(options={"start": at((1 + 2j, 0.0), FAR)})[0]
    assert found[0] == pytest.approx((18.0 - 0.3) / 20.0)
