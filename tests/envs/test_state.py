"""A game's state can be taken, put back exactly, branched from; damaged ones are refused."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv

from .same import MIXTURE, assert_same, play, play_all

NAN, INF = float("nan"), float("inf")
GAME = {**MIXTURE, "horizon": 120}
PAIRS = [(PursuitEnv, PursuitVectorEnv), (EvadeEnv, EvadeVectorEnv)]


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


@pytest.mark.parametrize(("kind", "vector_kind"), PAIRS)
def test_a_state_may_go_to_another_environment(kind, vector_kind):
    envs = vector_kind(4, autoreset_mode="Disabled", max_episode_steps=120, **GAME)
    envs.reset(seed=[9, 9, 5, 9])
    for _ in range(11):
        envs.step(np.zeros((4, 2), np.float32))
    fresh, used = kind(**GAME), kind(**GAME)
    used.reset(seed=77)
    play(used, 50)
    state = envs.get_state()[2:3]
    assert_same(fresh.set_state(state), used.set_state(state))
    for _ in range(200):
        result = envs.step(np.full((4, 2), 0.4, np.float32))
        one, other = (env.step([0.4, 0.4]) for env in (fresh, used))
        assert_same(one, other)
        assert_same(one[0], result[0][2])
        assert one[1:4] == tuple(part[2] for part in result[1:4])
        if (result[2] | result[3]).any():
            break
    else:
        pytest.fail("no game ended")


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


def of_game(name, value):
    def damage(state):
        state["game"][name] = value

    return damage


def of_player(name, value, player=1):
    def damage(state):
        state["players"][name][:, player] = value

    return damage


def of_body(name, value, player=1):
    def damage(state):
        state["players"]["body"][name][:, player] = value

    return damage


def of_obstacle(name, value):
    def damage(state):
        state["obstacles"][name][:, 0] = value

    return damage


DAMAGES = {
    "phase 3": ("phase", of_game("phase", 3)),
    "steps -1": ("steps", of_game("steps", -1)),
    "steps beyond the horizon": ("steps", of_game("steps", 121)),
    "captured 1": ("captured", of_game("captured", 1)),
    "wander_point 9": ("wander_point", of_player("wander_point", 9.0)),
    "max_speed 400": ("max_speed", of_body("max_speed", 400.0)),
    "radius 9": ("radius", of_body("radius", 9.0)),
    "acceleration 1e200": ("acceleration", of_body("acceleration", 1e200)),
    "velocity 9": ("velocity", of_body("velocity", 9.0)),
    "obstacle far out": ("center", of_obstacle("center", 99.0)),
    "obstacle's radius 9": ("radius", of_obstacle("radius", 9.0)),
    "distance nan": ("distance", of_game("distance", NAN)),
    "pursuer_script 1": ("pursuer_script", of_game("pursuer_script", 1)),
    "evader_script 5": ("evader_script", of_game("evader_script", 5)),
    "captured 2": ("captured", of_game("captured", 2)),
    "script 6": ("script", of_player("script", 6)),
    "script of the other side": ("script", of_player("script", 0)),
    "all caught": ("active|phase|captured", of_player("active", False)),
    "position inf": ("position", of_body("position", complex(INF, 0))),
    "position outside": ("position", of_body("position", 99.0)),
    "acceleration nan": ("acceleration", of_body("acceleration", NAN, 0)),
    "heading 2": ("heading", of_body("heading", 2.0)),
    "mass 0": ("mass", of_body("mass", 0.0)),
    "max_force inf": ("max_force", of_body("max_force", INF, 0)),
    "radius -1": ("radius", of_body("radius", -1.0)),
    "center nan": ("center|obstacle", of_obstacle("center", NAN)),
}


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


@pytest.mark.parametrize(("name", "damage"), DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("kind", [PursuitEnv, PursuitVectorEnv])
def test_a_damaged_state_is_refused(kind, name, damage):
    env = kind(**{**GAME, "capture_radius": 1e-9})
    env.reset(seed=3)
    env.step(np.zeros_like(env.action_space.sample()))
    state = env.get_state()
    damage(state)
    refuse(env, state, ValueError, f"state is damaged: ({name}) .*get_state")


def test_a_velocity_against_the_heading_is_refused():
    env = PursuitEnv()
    env.reset(seed=3)
    env.step([1.0, 0.0])
    state = env.get_state()
    state["players"]["body"]["velocity"] *= -1.0
    refuse(env, state, ValueError, r"velocity of game 0 .*player 0.*along the heading")


def test_a_body_inside_an_obstacle_is_refused():
    env = PursuitEnv(obstacles=[(2, 2, 1)])
    env.reset(seed=3)
    state = env.get_state()
    state["players"]["body"]["position"][0, 1] = 2 + 2.5j
    refuse(env, state, ValueError, r"position of game 0 .*player 1.*outside the obstacles")


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


def test_states_of_another_number_of_games_are_refused():
    envs, env = PursuitVectorEnv(3, **GAME), PursuitEnv(**GAME)
    envs.reset(seed=0), env.reset(seed=0)
    whole = envs.get_state()
    refuse(env, whole, ValueError, "shape")
    for wrong in (env.get_state(), whole[:2], whole[:, None]):
        refuse(envs, wrong, ValueError, "shape")


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
