"""Environments in other processes: spawned ones, and forks of running ones."""

from __future__ import annotations

import copy
import multiprocessing
import warnings

import gymnasium as gym
import pytest

from envs.same import (
    assert_same,
    play_all,
)
from envs.test_vector import SHORT
from steer_env.envs.vector import PursuitVectorEnv

pytestmark = pytest.mark.weekly


def test_single_environments_run_in_processes():
    keywords = {"num_envs": 2, **SHORT}
    ours = gym.make_vec("Pursuit-v0", **keywords)
    processes = gym.make_vec(
        "Pursuit-v0",
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
        **keywords,
    )
    assert_same(processes.reset(seed=1), ours.reset(seed=1))
    assert_same(play_all(processes, 60), play_all(ours, 60))
    processes.close()


def test_a_forked_process_steps_with_its_own_threads():
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("no fork on this system")
    envs = PursuitVectorEnv(300, num_threads=2)
    twin = copy.deepcopy(envs)
    envs.reset(seed=0), twin.reset(seed=0)
    play_all(envs, 3), play_all(twin, 3)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(False)
    child = context.Process(target=lambda: sender.send(play_all(envs, 5)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child.start()
    assert receiver.poll(60)
    assert_same(receiver.recv(), play_all(twin, 5))
    child.join()
    envs.close(), twin.close()
