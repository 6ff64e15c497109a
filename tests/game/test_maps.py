"""Games on maps: motion, captures, sight, starts, feelers, and what is kept of them."""

from __future__ import annotations

import pickle

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, random_actions, started

from steer_env import Map
from steer_env.errors import InvalidValue, UsageError
from steer_env.game.config import keywords_of, make_game
from steer_env.game.config.keywords import plain
from steer_env.maps.cells import make_walls
from steer_env.maps.polygons import distances
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle
from steer_env.steering.avoidance import avoid_walls
from steer_env.steering.wall_following import avoid_map_walls, map_containment

HALL = Map([(0, 0), (20, 0), (20, 12), (0, 12)], walls=[[(10, 0), (10, 8)]])
"""Two halves, parted by a wall at x = 0, from y = -6 to y = 2."""

BOX = Map([(-10, -10), (10, -10), (10, 10), (-10, 10)])
MODELS = ("point_mass", "simple_motion", "car", "double_integrator")


def scene(places, headings=(1, 1), speeds=(0.0, 0.0), pursuers=1, **keywords):
    """An engine with one game on a map, and bodies at places."""
    counts = {"pursuers": pursuers, "evaders": len(places) - pursuers}
    engine = started(**{"map": HALL, "learner": PURSUER, **counts, **keywords})
    for number, (place, heading, speed) in enumerate(zip(places, headings, speeds)):
        engine.state.position[number, 0] = place
        engine.state.heading[number, 0] = heading
        engine.state.velocity[number, 0] = speed * heading
    return engine


@pytest.mark.parametrize("model", MODELS)
def test_a_vehicle_slides_along_a_wall(model):
    heading = (1 + 1j) / abs(1 + 1j)
    vehicle = {"model": model, "radius": 0.3}
    engine = scene([-1.2 - 3j, 8 + 4j], [heading, 1], [4.0, 0.0], pursuer=vehicle)
    action = np.zeros((1, 1, 2), np.float32)
    action[..., 0] = 1.0
    for _ in range(30):
        engine.step(action, np.zeros((1, 1, 2), np.float32), PURSUER, False)
    place = complex(engine.state.position[0, 0])
    assert place.real <= -0.3 + 1e-9
    assert place.real == pytest.approx(-0.3, abs=1e-6) or place.imag > 2.0 or model == "car"
    assert place.imag > -2.0


def test_a_wall_takes_the_part_of_the_velocity_into_it():
    engine = scene([-0.35 - 1j, 8 + 4j], [0.6 + 0.8j, 1], [3.0, 0.0])
    coast(engine)
    assert engine.state.position[0, 0].real == pytest.approx(-0.3, abs=1e-9)
    assert engine.state.velocity[0, 0] == pytest.approx(2.4j, abs=1e-12)
    assert engine.state.heading[0, 0] == pytest.approx(1j)


def test_nobody_is_caught_behind_a_wall():
    apart = scene([-0.32 + 0j, 0.32 + 0j], capture_radius=0.7)
    beside = scene([-0.32 + 3j, 0.32 + 3j], capture_radius=0.7)
    assert not coast(apart).terminated[0]
    assert coast(beside).terminated[0]


def test_a_capture_counts_the_moment_of_the_closest_approach():
    fast = {"max_speed": 60.0, "radius": 0.01}
    for height, is_caught in ((2.6, True), (1.5, False)):  # above the wall's end, and behind it
        places = [-0.3 + 1j, complex(0.3, height)]
        engine = scene(places, [1j, 1], [60.0, 0.0], capture_radius=0.7, pursuer=fast)
        assert coast(engine).terminated[0] == is_caught
        assert engine.state.position[0, 0] == pytest.approx(-0.3 + 3j)


def test_several_captors_must_see_the_evader():
    places = [-0.4 + 0j, 0.4 + 0.5j, 0.4 + 0j]
    keywords = {"pursuers": 2, "capture_radius": 0.9, "captors_needed": 2}
    assert not coast(scene(places, [1, 1, 1], [0, 0, 0], **keywords)).terminated[0]
    places = [place + 3j for place in places]
    assert coast(scene(places, [1, 1, 1], [0, 0, 0], **keywords)).terminated[0]


def test_the_credit_of_a_capture_goes_to_those_in_sight():
    keywords = {"pursuers": 2, "capture_radius": 0.9, "credit_method": 1}
    engine = scene([-0.4 + 0j, 0.4 + 0.5j, 0.4 + 0j], [1, 1, 1], [0, 0, 0], **keywords)
    coast(engine)
    assert engine.credit.captures[0, 0].tolist() == [False, True]


def test_walls_hide_where_the_view_is_partial():
    for observation, seen in (({}, 1.0), ({"range": 9.0}, 0.0), ({"nearest": 1}, 0.0)):
        behind = scene([-2 + 0j, 2 + 0j], observation=observation)
        beside = scene([-2 + 4j, 2 + 4j], observation=observation)
        names = [one.name for one in behind.features(PURSUER)]
        presence = names.index("presence")
        assert behind.observe(PURSUER)[0, 0, presence] == seen
        assert beside.observe(PURSUER)[0, 0, presence] == 1.0


def test_starts_have_room_and_lie_on_both_sides_of_walls():
    world = Map.rooms(1, seed=3)[0]
    engine = started(None, None, 300, map=world, obstacles=2)
    place = engine.state.position.ravel()
    assert world.contains(place).all()
    assert distances(*world.segments.T, place[:, None]).min() >= 0.3 - 1e-9
    center, radius = engine.state.center, engine.state.obstacle_radius
    assert world.contains(center.ravel()).all()
    apart = distances(*world.segments.T, center.ravel()[:, None]).min(1)
    assert (apart >= radius.ravel() + 0.6 - 1e-9).all()
    assert {*np.sign(place.real)} == {*np.sign(place.imag)} == {-1.0, 1.0}


@pytest.mark.parametrize("width", [0.6, 0.65])
def test_starts_have_room_in_corridors_alone(width):
    corner = [(0, 0), (10, 0), (10, width), (width, width), (width, 7.3), (0, 7.3)]
    world = Map(corner)
    place = started(None, None, 6, map=world).state.position
    assert world.contains(place).all()
    assert distances(*world.segments.T, place[..., None]).min() >= 0.3 - 1e-9
    assert len({*place.ravel().tolist()}) > 6


def test_starts_have_room_on_a_map_of_which_little_is_free():
    world = Map([(0, 0), (9000, 0), (9000, 1.5), (0, 1.5)])
    place = started(None, None, 4, map=world).state.position
    assert distances(*world.segments.T, place[..., None]).min() >= 0.3 - 1e-9


def test_every_episode_draws_a_map_and_keeps_it():
    worlds = Map.rooms(5)
    engine = started(None, None, 200, map=worlds)
    number, key = engine.state.map
    assert {*number.tolist()} == {*range(5)}
    assert key.tolist() == [worlds[k].key for k in number]
    before = engine.state.map.copy()
    coast(engine)
    assert (engine.state.map == before).all()
    for k in range(200):
        world = worlds[number[k]]
        apart = distances(*world.segments.T, engine.state.position[:, k, None])
        assert apart.min() >= 0.3 - 1e-9


def test_a_state_is_that_of_its_maps():
    engine = started(None, None, 3, learner=PURSUER, map=Map.rooms(2))
    state = engine.get_state()
    random = np.random.default_rng(1)
    actions = [random_actions(engine, random) for _ in range(20)]

    def play():
        return [engine.step(*one, PURSUER, True).observations for one in actions]

    first = play()
    engine.set_state(state)
    assert (np.array(play()) == np.array(first)).all()
    other = started(None, None, 3, learner=PURSUER, map=Map.rooms(2, seed=9))
    with pytest.raises(InvalidValue, match="map of game 0 must be one that the environment"):
        other.set_state(state)
    with pytest.raises(UsageError):
        started(None, None, 3, learner=PURSUER).set_state(state)


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "Evade-v0"])
def test_single_is_vector_on_maps(env_id):
    keywords = {"map": Map.caves(3), "obstacles": 1, "observation": {"range": 7.0}}
    envs = gym.make_vec(env_id, 4, **keywords)
    singles = [gym.make(env_id, **keywords) for _ in range(4)]
    seen = envs.reset(seed=5)[0]
    for k, env in enumerate(singles):
        assert (env.reset(seed=5 + k)[0] == seen[k]).all()
    random = np.random.default_rng(0)
    for _ in range(60):
        actions = random.uniform(-1, 1, envs.action_space.shape).astype(np.float32)
        seen, rewards, ended, _, _ = envs.step(actions)
        for k, env in enumerate(singles):
            one = env.step(actions[k])
            assert (one[0] == seen[k]).all()
            assert one[1] == rewards[k]
            assert one[2] == ended[k]
        if ended.any():
            break


def test_an_environment_on_a_map_survives_pickle():
    env = gym.make("Pursuit-v0", map=Map.rooms(2)).unwrapped
    env.reset(seed=1)
    other = pickle.loads(pickle.dumps(env))
    for _ in range(10):
        assert (env.step(AHEAD)[0] == other.step(AHEAD)[0]).all()


AHEAD = np.array([1.0, 0.0], np.float32)


def test_a_copy_keeps_the_walls_of_the_largest_limits():
    largest = {"radius": 0.6, "max_speed": 4.0}
    env = gym.make("Pursuit-v0", map=HALL, pursuer=largest, evader=largest).unwrapped
    least = {"radius": 0.1, "max_speed": 1.0}
    env.set_limits(pursuer=least, evader=least)
    env.reset(seed=1)
    copies = env, pickle.loads(pickle.dumps(env))
    for one in copies:
        one.set_limits(pursuer=largest, evader=largest)
    first, second = [[one.reset(seed=3)[0]] for one in copies]
    for _ in range(40):
        first.append(env.step(AHEAD)[0])
        second.append(copies[1].step(AHEAD)[0])
    assert (np.array(first) == np.array(second)).all()


@pytest.mark.parametrize("worlds", [HALL, [HALL], [HALL, BOX], Map.rooms(2), [*Map.rooms(2)]])
def test_an_environment_on_a_map_is_made_again_from_its_spec(worlds):
    env = gym.make("Pursuit-v0", map=worlds)
    again = gym.make(env.spec)
    assert again.unwrapped.config.map == env.unwrapped.config.map
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.config.map == env.unwrapped.config.map


def test_a_game_on_maps_is_made_again_from_json():
    game = make_game(map=Map.rooms(2), obstacles=1)
    again = make_game(**plain(keywords_of(game)))
    assert again == game
    assert again.map[1].digest == game.map[1].digest
    assert "arena_size" not in keywords_of(game)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"arena": "torus"}, "a map has its own shape and size, here 20 m"),
        ({"arena_size": 30.0}, "leave arena and arena_size out"),
        ({"payoff": "time"}, "payoff='time' is that of games without walls"),
        ({"target": {"kind": "gap", "position": (10.0, 0.0)}}, "a gap is a part of a wall"),
        ({"pursuer": {"radius": 0.0}}, "need a radius of 0.001 m or more"),
        ({"randomize": {"evader": {"radius": (1e-6, 0.3)}}}, "got 1e-06 m for the evader"),
        ({"pursuer": {"radius": 3.0}}, "no vehicle of radius 3 m can reach|no room"),
    ],
)
def test_what_does_not_go_with_a_map_is_refused(keywords, message):
    with pytest.raises(InvalidValue, match=message):
        make_game(map=Map.rooms(1)[0], **keywords)


def test_a_target_in_which_no_evader_has_room_is_refused():
    block = Map(BOX.outline, solids=[[(-3, -3), (3, -3), (3, 3), (-3, 3)]])
    make_game(map=[BOX, block], target={"position": (2.0, 0.0), "radius": 1.3})
    for place, radius in ((2.0, 1.2), (3.1, 0.0)):
        with pytest.raises(InvalidValue, match=r"no evader has room in .* on map 1 of 2"):
            make_game(map=[BOX, block], target={"position": (place, 0.0), "radius": radius})


def test_feelers_on_a_square_map_push_as_walls_of_a_square():
    walls = make_walls(BOX, 5.0)
    for place, heading in ((9 + 0j, 1), (9 + 1j, 0.6 + 0.8j), (-9.5 - 3j, -1), (0j, 1)):
        me = Vehicle(position=place, heading=heading, velocity=2 * heading)
        push = avoid_map_walls(me, walls, 2.0)
        assert push == pytest.approx(avoid_walls(me, 10.0, 2.0), abs=1e-12)


def test_feelers_meet_the_first_wall_alone():
    thin = Map(BOX.outline, walls=[[(5, -3), (5, 3)], [(6, -3), (6, 3)]])
    me = Vehicle(position=4 + 0j)
    for margin in (0.5, 6.0):  # by all walls, and by those of a cell
        assert avoid_map_walls(me, make_walls(thin, margin), 4.0) == pytest.approx(
            -3.0 - 2 * (2.0 * 0.5**0.5 - 1.0)
        )
    assert avoid_map_walls(Vehicle(position=-4 + 0j), make_walls(thin, 0.5), 4.0) == 0j


def test_containment_turns_away_from_the_wall_ahead():
    walls = make_walls(BOX, 0.5)
    me = Vehicle(position=9 + 0j, velocity=3 + 0j)
    assert map_containment(me, walls) == pytest.approx(-2)
    along = Vehicle(position=9 + 0j, velocity=2 + 2j, heading=(1 + 1j) / abs(1 + 1j))
    push = map_containment(along, walls)
    assert push.real < 0 < push.imag
    assert map_containment(Vehicle(position=0j, velocity=3 + 0j), walls) == 0j


@pytest.mark.parametrize("part", ["walls", "containment"])
def test_scripts_keep_off_the_walls_of_a_map(part):
    """A wanderer that feels walls comes near them less often than one that does not."""
    from steer_env.scripts.script import Script

    shares = []
    for weight in (0.0, 30.0):
        parts = {"walls": 0.0, "containment": 0.0, part: weight}
        script = Script(behavior="wander", **parts)
        engine = started(script, script, 40, map=Map.rooms(4), solid="nobody", horizon=10**6)
        near = 0
        for _ in range(120):
            coast(engine)
            for k in range(40):
                world = engine.config.map[engine.state.map[0, k]]
                apart = distances(*world.segments.T, engine.state.position[:, k, None])
                near += (apart.min(1) < 0.31).sum()
        shares.append(near)
    assert shares[1] < {"walls": 0.3, "containment": 0.6}[part] * shares[0]


def test_an_empty_list_is_no_map():
    with pytest.raises(InvalidValue, match="at least one map"):
        make_game(map=[])
