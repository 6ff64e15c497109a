"""Every game keeps the same laws: checkers, vector = single, copies, states, threads."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import pytest
from check_vector_env import check_vector_env
from gymnasium.utils.env_checker import check_env

import steer_env
from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.errors import InUse
from steer_env.scenarios.registry import GAMES as SUITE
from steer_env.sides import Side

from .same import MIXTURE, assert_same, assert_share_no_memory, play, play_all

GAMES = {
    **{name: {"game": name} for name in SUITE},
    "mixture": MIXTURE,
    "other bodies": {
        "pursuers": 3,
        "evaders": 2,
        "pursuer": {"model": "car"},
        "evader": {"model": "simple_motion"},
        "arena": "open",
        "capture_radius": 2.0,
        "reward": {"closing": 2.0, "discount": 0.9},
    },
    "random opponents": {"opponent": ["random", "wander"], "capture_radius": 2.5},
    "limited sight": {
        "obstacles": [(0, 0, 2), (4, 4, 1.5)],
        "arena": "torus",
        "capture_radius": 2.0,
        "observation": {"noise": 0.05, "delay": 2},
        "action": {"noise": 0.1, "delay": 1},
    },
}
"""The games of the suite, and four that have what those have not."""

TESTS = Path(__file__).parents[1]
SHORT = {"horizon": 20}
COPIES = {"pickle": lambda env: pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy}


class Row(NamedTuple):
    """A side of a game, with one of the two kinds of actions."""

    game: str
    side: Side
    action_type: str

    @property
    def env_id(self):
        return SUITE[self.game if self.game in SUITE else "walls"].environment(
            self.side, self.action_type
        )

    @property
    def keywords(self):
        return SHORT if self.game in SUITE else {**SHORT, **GAMES[self.game]}

    def single(self):
        return gym.make(self.env_id, **self.keywords)

    def vector(self, count, mode="NextStep", **others):
        made = {"autoreset_mode": mode, **self.keywords, **others}
        return gym.make_vec(self.env_id, num_envs=count, **made)


def rows():
    """Every game with one side daily and the other weekly; the kinds of actions take turns."""
    for number, (name, side) in enumerate(product(GAMES, Side)):
        row = Row(name, side, ("continuous", "discrete")[number // 4 % 2])
        marks = () if number % 4 in (0, 3) else pytest.mark.weekly
        yield pytest.param(row, marks=marks, id=f"{name}-{side.name}")


every_game = pytest.mark.parametrize("row", [*rows()])


@every_game
def test_checkers_are_content(row):
    env = row.single().unwrapped
    check_env(env, skip_render_check=True)
    if len(env.observation_space.shape) == 1:  # it warns of a team's two dimensions
        checker = pytest.importorskip("stable_baselines3.common.env_checker")
        checker.check_env(row.single().unwrapped)


@every_game
def test_vector_games_are_single_ones_in_every_mode(row):
    check_vector_env(row.single, row.vector, num_envs=3, steps=30)


@every_game
@pytest.mark.parametrize("clone", COPIES.values(), ids=COPIES)
def test_a_copy_goes_on_bit_for_bit(row, clone):
    for env, run in ((row.single(), play), (row.vector(3), play_all)):
        early = clone(env)
        assert_same(early.reset(seed=4), env.reset(seed=4))
        run(env, 17, seed=1)
        twin = clone(clone(env))
        expected = run(env, 30, seed=2)  # first the one, then the other: they share nothing
        assert_same(run(twin, 30, seed=2), expected)
        assert_same(twin.reset(), env.reset())
        assert_same(twin.reset(seed=9), env.reset(seed=9))


@every_game
def test_a_state_restarts_a_game_bit_for_bit(row):
    for make, run in ((row.single, play), (lambda: row.vector(3), play_all)):
        env, other = make().unwrapped, make().unwrapped
        env.reset(seed=3)
        run(env, 17, seed=1)
        state = env.get_state()
        expected = run(env, 30, seed=2)
        stored = pickle.loads(pickle.dumps(state))
        seen = env.set_state(state)
        assert_same(env.get_state(), state)
        assert_same(run(env, 30, seed=2), expected)
        assert_same(other.set_state(stored), seen)  # which was never reset
        assert_same(run(other, 30, seed=2), expected)


@every_game
def test_a_game_depends_on_nothing_beside_it(row):
    few, *many = (row.vector(n, num_threads=k) for n, k in ((5, 1), (300, 1), (300, 3)))
    first = [envs.reset(seed=3)[0] for envs in (few, *many)]
    assert_same(first[1], first[2])
    assert_same(first[0], first[1][:5])
    many[0].action_space.seed(0)
    for _ in range(30):
        actions = many[0].action_space.sample()
        results = [envs.step(actions) for envs in many]
        assert_same(*results)
        for one, all_of_them in zip(few.step(actions[:5])[:4], results[0]):
            assert_same(one, all_of_them[:5])


@every_game
def test_what_is_returned_is_never_written_to_again(row):
    before = random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002
    for make, run in ((row.single, play), (lambda: row.vector(3), play_all)):
        env, untouched = make(), make()
        first = env.reset(seed=0)
        returned = [first, *run(env, 30)]
        assert_share_no_memory(returned)
        assert_same(returned, [untouched.reset(seed=0), *run(untouched, 30)])
        kinds = {tuple((key, type(value)) for key, value in sorted(first[-1].items()))}
        for result in returned:
            result[0].view(np.uint8)[...] = 255  # the environment must not notice
            info = sorted(result[-1].items())
            kinds.add(tuple((key, type(value)) for key, value in info))
        assert_same(run(env, 10), run(untouched, 10))
        assert len(kinds) == 1
    assert before == (random.getstate(), pickle.dumps(np.random.get_state()))  # noqa: NPY002


class Slow:
    """An opponent that takes as long for an action as a test wants, or fails."""

    asked, may_answer, fails = threading.Event(), threading.Event(), False

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.asked.set()
        assert self.may_answer.wait(60.0)
        assert not self.fails
        return np.zeros((len(observation), 2), np.float32), state


COASTS = np.zeros((2, 2), np.float32)
SLOW = {
    "single": (lambda **game: gym.make("Pursuit-v0", **game).unwrapped, COASTS[0]),
    "vector": (lambda **game: gym.make_vec("Pursuit-v0", 2, **game), COASTS),
    "sides": (lambda **game: ParallelVectorEnv(2, **game), {"pursuer": COASTS[:, None]}),
    "agents": (lambda **game: steer_env.parallel_env(**game), {"pursuer_0": COASTS[0]}),
}


def slow_env(kind):
    """An environment of a kind with a slow opponent, and an action for it."""
    if kind == "agents":
        pytest.importorskip("pettingzoo")
    make, action = SLOW[kind]
    return make(opponent=Slow(), horizon=50), action


@pytest.mark.parametrize("kind", SLOW)
def test_a_second_thread_gets_an_error_and_the_first_goes_on(kind):
    env, action = slow_env(kind)
    twin, _ = slow_env(kind)
    for each in (env, twin):
        each.reset(seed=3)
    state, found = env.get_state(), []
    Slow.asked.clear(), Slow.may_answer.clear()
    thread = threading.Thread(target=lambda: found.append(env.step(action)))
    thread.start()
    assert Slow.asked.wait(60.0)
    calls = [lambda: env.step(action), env.reset, lambda: env.set_state(state)]
    if kind != "agents":
        calls += [lambda: env.set_opponent("evade")]
        calls += [lambda: env.set_limits(evader={"mass": 1.0})]
    for call in calls:
        with pytest.raises(InUse, match="another thread is using this environment"):
            call()
    copies = [clone(env) for clone in COPIES.values()]
    Slow.may_answer.set()
    thread.join()
    assert_same(found[0], twin.step(action))
    expected = twin.step(action)
    for each in (env, *copies):
        each.set_state(state)
        each.step(action)
        assert_same(each.step(action), expected)


@pytest.mark.parametrize("kind", SLOW)
def test_an_error_in_a_step_leaves_the_environment_to_others(kind, monkeypatch):
    env, action = slow_env(kind)
    Slow.may_answer.set()
    env.reset(seed=3)
    with monkeypatch.context() as patch:
        patch.setattr(Slow, "fails", True)
        with pytest.raises(AssertionError):
            env.step(action)
    thread = threading.Thread(target=lambda: env.step(action))
    thread.start()
    thread.join()
    assert (env.get_state()["game"]["steps"] == 1).all()


FORKS = """
import os, signal, threading, time
import gymnasium as gym, numpy as np
from gymnasium.error import ResetNeeded
from envs.test_laws import Slow, slow_env

envs = gym.make_vec("steer_env:Pursuit-v0", 1024, pursuers=8, evaders=8, num_threads=2)
envs.reset(seed=0)
actions, goes_on = np.zeros((1024, 8, 2), np.float32), True

def play():
    while goes_on:
        envs.step(actions)

def holds_in_child(check):
    child = os.fork()
    if child == 0:
        signal.alarm(50)  # ends one that waits for ever
        check()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

thread = threading.Thread(target=play)
thread.start()
for _ in range(3):
    time.sleep(0.1)
    holds_in_child(lambda: envs.step(actions))
goes_on = False
thread.join()

env, action = slow_env("single")
Slow.may_answer.set(), env.reset(seed=0), env.step(action)
holds_in_child(lambda: env.step(action))
Slow.may_answer.clear(), Slow.asked.clear()
thread = threading.Thread(target=lambda: env.step(action))
thread.start(), Slow.asked.wait()

def is_cut():
    Slow.may_answer = threading.Event()
    Slow.may_answer.set()
    try:
        env.step(action)
    except ResetNeeded:
        env.reset(seed=0)
        env.step(action)
    else:
        os._exit(1)

holds_in_child(is_cut)
Slow.may_answer.set(), thread.join(), env.step(action)
"""


@pytest.mark.weekly
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_process_that_is_forked_amid_a_step_waits_for_nobody():
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    line = [sys.executable, "-c", FORKS]
    subprocess.run(line, cwd=TESTS, env=paths, timeout=300, check=True)


def play_both(envs, steps, seed=0):
    """Random actions of both sides; returns all that the environment returned."""
    rng, returned = np.random.default_rng(seed), []
    for _ in range(steps):
        actions = {
            side: rng.uniform(-1, 1, (envs.num_envs, envs.config.count(side), 2))
            for side in envs.sides
        }
        returned.append(envs.step(actions))
    return returned


@pytest.mark.parametrize("name", [name for name in GAMES if name != "limited sight"])
def test_where_both_sides_learn_the_same_laws_hold(name):
    keywords = {**SHORT, **{k: v for k, v in GAMES[name].items() if k != "opponent"}}
    envs, other, many = (
        ParallelVectorEnv(count, num_threads=threads, **keywords)
        for count, threads in ((3, 1), (3, 1), (300, 3))
    )
    first = envs.reset(seed=4)[0]
    for side in envs.sides:
        assert_same(first[side], many.reset(seed=4)[0][side][:3])
    play_both(envs, 17)
    twins = [clone(envs) for clone in COPIES.values()]
    state = envs.get_state()
    expected = play_both(envs, 50, seed=1)
    for twin in twins:
        assert_same(play_both(twin, 50, seed=1), expected)
    assert_same(other.set_state(state), envs.set_state(state))
    for each in (envs, other):
        assert_same(play_both(each, 50, seed=1), expected)
