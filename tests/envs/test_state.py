"""States can be taken, put back and branched from; episodes begin in states and at starts."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from steer_env.actions import DIRECTIONS
from steer_env.envs.single import PursuitEnv
from steer_env.envs.vector import PursuitVectorEnv
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import Game, make_game
from steer_env.scripts.roster import ROSTER

from .same import MIXTURE, assert_same, play, play_all

NAN, INF = float("nan"), float("inf")
GAME = {**MIXTURE, "horizon": 120}


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_restart_at_an_episodes_end(mode):
    envs = PursuitVectorEnv(3, autoreset_mode=mode, max_episode_steps=5)
    envs.reset(seed=0)
    actions = np.zeros((3, 2), np.float32)
    for _ in range(5):
        envs.step(actions)
    state = envs.get_state()
    if mode is AutoresetMode.DISABLED:
        envs.reset()
        envs.set_state(state)
        with pytest.raises(ResetNeeded, match="game 0 is over"):
            envs.step(actions)
        return
    expected = play_all(envs, 12)
    envs.set_state(state)
    assert_same(play_all(envs, 12), expected)


def test_a_state_is_a_copy_and_is_not_kept():
    env = PursuitEnv()
    env.reset(seed=0)
    state = env.get_state()
    assert not np.shares_memory(state, env.get_state())
    before = state.copy()
    env.step([1.0, 0.0])
    assert_same(state, before)
    env.set_state(state)
    first = env.step([1.0, 0.0])
    assert_same(state, before)
    env.set_state(state)
    state["players"]["body"]["position"] = 0
    assert_same(env.step([1.0, 0.0]), first)


DAMAGES = [  # part, field, value and player; tests/game/test_engine.py has more
    ("game", "steps", 121),  # beyond the horizon
    ("players", "script", 6),
    ("players", "script", 0),  # of the other side
    ("body", "max_force", INF, 0),
    ("body", "position", 99.0),
    ("body", "position", complex(1e308, 1e308)),
    ("body", "velocity", 6.01),  # what `GAME` lets the fastest do
    ("body", "acceleration", 1e155, 0),
    ("body", "heading", 2.0),
    ("body", "heading", 0.0),
    ("body", "max_speed", -1.0),
    ("body", "max_speed", 6.01),
    ("body", "max_force", 0.0),
    ("body", "mass", 1e308, 0),
    ("body", "radius", -0.1),
    ("players", "wander_point", 3j),
    ("game", "captured", 2),
    ("game", "captured", -1),
    ("game", "distance", -1.0),
    ("game", "distance", 1e155),
    ("obstacles", "center", 6.01j),
    ("obstacles", "radius", 1e155),
]


def damaged(state, part, name, value, player=1):
    """The state with another value in one of its fields."""
    fields = state["players"]["body"] if part == "body" else state[part]
    if part == "game":
        fields[name] = value
    else:
        fields[name][:, 0 if part == "obstacles" else player] = value
    return state


def refuse(env, state, error, message):
    """Holds that the state is refused, and that the env goes on from where it was."""
    before = env.get_state()
    with pytest.raises(error, match=message):
        env.set_state(state)
    assert_same(env.get_state(), before)
    good = np.zeros_like(env.action_space.sample())
    result = env.step(good)
    env.set_state(before)
    assert_same(env.step(good), result)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: "-".join(map(str, damage)))
@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
def test_a_damaged_state_is_refused(kind, damage):
    env = kind(**{**GAME, "capture_radius": 1e-9})
    env.reset(seed=3)
    env.step(np.zeros_like(env.action_space.sample()))
    refuse(env, damaged(env.get_state(), *damage), ValueError, f"damaged: .*{damage[1]}")


@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
@pytest.mark.parametrize("places", [(1e155, 0.0), (-1e17, 0.0)])
def test_a_place_that_no_vehicle_gets_to_is_refused(kind, places):
    env = kind(arena="open")
    env.reset(seed=3)
    state = damaged(env.get_state(), "body", "position", places[0])
    refuse(env, state, ValueError, "damaged: position")
    with pytest.raises(ValueError, match="outside the arena"):
        env.reset(options={"start": {"evader": {"position": places}}})


@pytest.mark.parametrize(("place", "value"), [(0, 3.0), (2, 1e155), (4, NAN)])
def test_a_sighting_that_there_cannot_be_is_refused(place, value):
    env = PursuitEnv(opponent=replace(ROSTER["evade"], sees="observed", memory_seconds=2.0))
    env.reset(seed=3)
    state = env.get_state()
    state["sightings"].reshape(-1)[place] = value
    refuse(env, state, ValueError, "sightings")


NO_STATES = {
    "none": lambda state: None,
    "record": lambda state: state[0],
    "part": lambda state: state["game"],
    "objects": lambda state: state.astype(object),
    "other players": lambda state: PursuitEnv(evaders=2, **GAME).get_state(),
    "other obstacles": lambda state: PursuitEnv(**{**GAME, "obstacles": 2}).get_state(),
}


@pytest.mark.parametrize("make", NO_STATES.values(), ids=NO_STATES)
@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
def test_what_is_no_state_is_refused(kind, make):
    env = kind(**GAME)
    env.reset(seed=0)
    given = make(env.get_state())
    refuse(env, given, TypeError, "get_state")


@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
@pytest.mark.parametrize("begun", [True, False])
def test_a_state_of_a_game_that_has_not_begun_is_refused(kind, begun):
    unstarted, env = kind().get_state(), kind()
    if begun:
        env.reset(seed=0)
        refuse(env, unstarted, ResetNeeded, "not begun; call reset")
        return
    unstarted["game"]["key"] = 5
    with pytest.raises(ResetNeeded, match=r"not begun; call reset"):
        env.set_state(unstarted)
    assert (env.get_state()["game"]["key"] == 0).all()
    env.reset(seed=0)
    env.step(np.zeros_like(env.action_space.sample()))


def test_a_vector_searches_all_branches_at_once():
    env, envs = PursuitEnv(opponent="evade"), PursuitVectorEnv(9, opponent="evade")
    env.reset(seed=2)
    play(env, 10)
    root = env.get_state()
    observations = envs.set_state(np.repeat(root, 9))
    assert_same(observations[4], env.set_state(root))
    for _ in range(20):
        results = envs.step(DIRECTIONS)
    for branch, action in enumerate(DIRECTIONS):
        env.set_state(root)
        for _ in range(20):
            observation, *_ = env.step(action)
        assert_same(observation, results[0][branch])


def test_equal_states_have_equal_bytes():
    states = []
    for _ in range(20):
        env = PursuitEnv(**GAME)
        env.reset(seed=5)
        env.step([1.0, 0.0])
        rubbish = [np.full(size, 0xAB, np.uint8) for size in range(100, 2000, 50)]
        del rubbish  # the allocator hands it out again, unless it is cleared
        states.append(env.get_state())
    assert len({state.tobytes() for state in states}) == 1
    assert len({pickle.dumps(state) for state in states}) == 1
    assert len({state.copy()[:1].tobytes() for state in states}) == 1


# ---- Starts --------------------------------------------------------------------------------

CHAUFFEUR = {
    "pursuer": {"position": (0.0, 0.0), "heading": math.pi / 2},
    "evader": {"position": [(1.0, 0.0), (0.0, 1.0), (-1.5, 0.5)]},
}


def places(env):
    return env.unwrapped.get_state()["players"]["body"]["position"]


def test_episodes_draw_one_of_the_starts():
    env = gym.make("HomicidalChauffeur-v0", start=CHAUFFEUR)
    found = set()
    for seed in range(60):
        env.reset(seed=seed)
        state = env.unwrapped.get_state()["players"]["body"][0]
        assert state["position"][0] == 0
        assert state["heading"][0] == pytest.approx(1j)
        assert state["velocity"][0] == pytest.approx(1j)  # a car drives
        found.add(complex(state["position"][1]))
    assert found == {1 + 0j, 1j, -1.5 + 0.5j}


WRONG_STARTS = [
    (3, InvalidType, "dict"),
    ({"evaders": {}}, InvalidValue, "'evaders'.*mean 'evader'"),
    ({"evader": {"place": 1}}, InvalidValue, "'place'"),
    ({"evader": {"position": (1, 2, 3)}}, InvalidValue, "shape"),
    ({"evader": {"position": (11, 0)}}, InvalidValue, "position"),
    ({"evader": {"speed": 9.0}}, InvalidValue, "speed|velocity"),
    ({"evader": {"speed": -1.0}}, InvalidValue, "speed"),
    ({"evader": {"heading": math.nan}}, InvalidValue, "finite"),
    ({"evader": {"heading": "north"}}, InvalidType, "numbers"),
]


@pytest.mark.parametrize(("start", "error", "match"), WRONG_STARTS)
def test_wrong_starts_are_refused_and_change_nothing(start, error, match):
    with pytest.raises(error, match=match):
        make_game(start=start)
    env, twin = (gym.make("Pursuit-v0").unwrapped for _ in range(2))
    env.reset(seed=0), twin.reset(seed=0)
    with pytest.raises(error, match=match):
        env.reset(seed=5, options={"start": start})
    assert_same(play(env, 9), play(twin, 9))


@pytest.mark.parametrize(
    ("game", "match"),
    [
        ({"start": {"evader": {"heading": 1}}, "obstacles": 2}, "random"),
        (
            {"start": {"evader": {"heading": 1}}, "solid": "everyone", "capture_radius": 1.0},
            "solid",
        ),
        ({"start": {"evader": {"position": (3, 0)}}, "obstacles": [(3, 0, 1)]}, "obstacles"),
        ({"start": {"pursuer": {"speed": 1.0}}, "pursuer": {"model": "car"}}, "speed"),
    ],
)
def test_starts_that_do_not_fit_the_game(game, match):
    with pytest.raises(InvalidValue, match=match):
        make_game(**game)


def test_starts_are_part_of_the_configuration():
    config = make_game(start={"evader": {"position": np.array([[1.0, 2.0], [3.0, 4.0]])}})
    assert config.start == {"evader": {"position": (((1.0, 2.0),), ((3.0, 4.0),))}}
    assert Game(start=config.start) == config
    team = make_game(pursuers=2, start={"pursuer": {"position": [(1, 0), (0, 1)]}})
    assert team.start["pursuer"]["position"] == (((1.0, 0.0), (0.0, 1.0)),)


def test_the_vector_environment_starts_there_too_also_by_itself():
    envs = gym.make_vec("HomicidalChauffeur-v0", num_envs=40, start=CHAUFFEUR)
    envs.reset(seed=3)
    single = gym.make("HomicidalChauffeur-v0", start=CHAUFFEUR)
    for number in range(5):
        single.reset(seed=3 + number)
        assert_same(places(single)[0], places(envs)[number])
    starts = {1 + 0j, 1j, -1.5 + 0.5j}
    seen = []
    for _ in range(150):  # E is caught from some starts in a second
        _, _, terminated, _, _ = envs.step(np.zeros((40, 2), np.float32))
        for number in np.flatnonzero(seen[-1] if seen else []):
            assert complex(places(envs)[number, 1]) in starts
        seen.append(terminated)
    assert np.any(seen)
