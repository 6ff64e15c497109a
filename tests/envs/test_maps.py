"""A reset chooses the maps of the episodes that it begins, and refuses starts in walls."""

import gymnasium as gym
import numpy as np
import pytest

import steer_env
from steer_env import Map
from steer_env.envs.sb3 import make_vec_env
from steer_env.errors import InvalidType, InvalidValue, UsageError
from steer_env.game.config import make_game

from .same import assert_same

ROOM = [(-6, -4), (6, -4), (6, 4), (-6, 4)]
MAPS = [Map(ROOM, solids=[[(x - 1, -1), (x + 1, -1), (x, 1)]]) for x in (-3, 0, 3)]


def numbers_of(env):
    """The numbers of the maps in play; they agree with the digests."""
    numbers, digests = env.get_state()["map"].T
    assert [MAPS[number].key for number in numbers] == digests.tolist()
    return numbers.tolist()


def test_a_reset_chooses_the_map_of_one_episode():
    env, plain = (gym.make("Pursuit-v0", map=MAPS).unwrapped for _ in range(2))
    for number in (2, 0, 1):
        env.reset(seed=4, options={"map": number})
        assert numbers_of(env) == [number]
    plain.reset(seed=4)
    for _ in range(5):  # the map takes no chance from what comes after it
        env.reset()
        plain.reset()
        assert_same(env.get_state(), plain.get_state())


def test_each_game_can_have_a_map_of_its_own():
    envs = gym.make_vec("Pursuit-v0", num_envs=6, map=MAPS)
    drawn, _ = envs.reset(seed=7)
    before = numbers_of(envs)
    chosen = [0, 2, None, 1, 1, None]
    seen, _ = envs.reset(seed=7, options={"map": chosen})
    wanted = [old if new is None else new for old, new in zip(before, chosen)]
    assert numbers_of(envs) == wanted
    kept = np.equal(wanted, before)
    np.testing.assert_array_equal(seen[kept], drawn[kept])
    for game, number in enumerate(wanted):
        env = gym.make("Pursuit-v0", map=MAPS)
        alone, _ = env.reset(seed=7 + game, options={"map": number})
        np.testing.assert_array_equal(alone, seen[game])
    mask = np.array([True, False, False, False, True, False])
    envs.reset(options={"map": np.full(6, 2), "reset_mask": mask})
    assert numbers_of(envs) == np.where(mask, 2, wanted).tolist()


def test_games_with_many_agents_take_the_option():
    env = steer_env.parallel_env(map=MAPS)
    env.reset(seed=0, options={"map": 2})
    assert numbers_of(env) == [2]
    envs = steer_env.parallel_vec_env(3, map=MAPS)
    envs.reset(seed=0, options={"map": [1, 0, 2]})
    assert numbers_of(envs) == [1, 0, 2]


def test_so_does_stable_baselines():
    vec_env = make_vec_env("Pursuit-v0", num_envs=3, seed=0, map=MAPS)
    vec_env.set_options({"map": 1})
    vec_env.reset()
    assert [int(one["map"][0, 0]) for one in vec_env.env_method("get_state")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (3, InvalidValue, "must be from 0 to 2, got 3"),
        (-1, InvalidValue, "from 0 to 2"),
        (1.0, InvalidType, "must be an integer"),
        (True, InvalidType, "must be an integer"),
        ("rooms", InvalidType, "must be an integer"),
        ([0, 1], InvalidValue, "must be one number, or 3, one for each game; got 2"),
        (np.zeros((3, 1), int), InvalidType, "must be an integer"),
    ],
)
def test_other_maps_are_refused_and_nothing_begins(given, error, words):
    envs = gym.make_vec("Pursuit-v0", num_envs=3, map=MAPS)
    envs.reset(seed=0)
    before = envs.get_state()
    with pytest.raises(error, match=words):
        envs.reset(options={"map": given})
    assert_same(envs.get_state(), before)


def test_a_game_without_maps_has_none_to_choose():
    env = gym.make("Pursuit-v0")
    with pytest.raises(InvalidValue, match="needs a game with maps"):
        env.reset(options={"map": 0})


def test_a_start_must_be_free_on_the_map_of_its_episode():
    env = gym.make("Pursuit-v0", map=MAPS).unwrapped
    env.reset(seed=0)
    places = {0j: [0, 2], 3 - 0.5j: [0, 1], -5.8 + 0j: [], -5.7 + 0j: [0, 1, 2]}
    for place, free in places.items():
        start = {"evader": {"position": (place.real, place.imag)}}
        for number in range(3):
            before = env.get_state()
            if number in free:
                env.reset(options={"map": number, "start": start})
                assert env.get_state()["players"]["body"]["position"][0, 1] == place
                continue
            with pytest.raises(
                InvalidValue, match=f"player 1 is in a wall on map {number} of 3"
            ):
                env.reset(options={"map": number, "start": start})
            assert_same(env.get_state(), before)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((0, 0), "player . is in a wall on map 1 of 3"),
        ((-4.2, -0.9), "on map 0 of 3"),  # the center is free
        ((5.9, 0), "on map 0 of 3"),
        ((0, 5), "on map 0 of 3"),
        ((6.5, 0), "within"),
    ],
)
def test_configured_starts_must_be_free_on_every_map(place, words):
    with pytest.raises(UsageError, match=words):
        make_game(map=MAPS, start={"pursuer": {"position": place}})
    make_game(map=MAPS, start={"pursuer": {"position": (-5.7, -3.7)}})
