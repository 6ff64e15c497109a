"""The vector environments are many single ones, step for step and bit for bit."""

from __future__ import annotations

import copy
import multiprocessing
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv

from .same import (
    IDS,
    MIXTURE,
    assert_same,
    make_sync,
    play_all,
)

MODES = list(AutoresetMode)
SHORT = {**MIXTURE, "arena": "walls", "max_episode_steps": 60}
TEAMS = {"pursuers": 3, "evaders": 2, "reward": {"closing": 2.0, "discount": 0.9}}


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


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("keywords", [{}, TEAMS], ids=["1", "team"])
def test_spaces_shapes_and_dtypes(env_id, keywords):
    envs = gym.make_vec(env_id, num_envs=5, **keywords)
    single = gym.make(env_id, **keywords)
    assert envs.num_envs == 5
    assert envs.single_action_space == single.action_space
    assert envs.single_observation_space == single.observation_space
    assert envs.action_space == batch_space(single.action_space, 5)
    assert envs.observation_space == batch_space(single.observation_space, 5)
    observations, info = envs.reset(seed=0)
    expected = {
        "distance": (np.float64, (5,)),
        "_distance": (np.bool_, (5,)),
        "captured": (np.int64, (5,)),
        "_captured": (np.bool_, (5,)),
    }
    if keywords:  # of teams: who is alive
        players = single.observation_space.shape[0]
        expected |= {"alive": (np.bool_, (5, players)), "_alive": (np.bool_, (5,))}
    assert {key: (value.dtype, value.shape) for key, value in info.items()} == expected
    result = envs.step(envs.action_space.sample())
    assert {key: (value.dtype, value.shape) for key, value in result[4].items()} == expected
    dtypes = [np.float32, np.float64, np.bool_, np.bool_]
    shapes = [(5, *single.observation_space.shape), (5,), (5,), (5,)]
    for array, dtype, shape in zip(result[:4], dtypes, shapes):
        assert type(array) is np.ndarray
        assert (array.dtype, array.shape) == (dtype, shape)
    assert envs.observation_space.contains(observations)


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: gym.make_vec("Pursuit-v0", num_envs=2, capture_radius=1e-9), 600),
        (lambda: gym.make_vec("Pursuit-v0", 2, max_episode_steps=50, capture_radius=1e-9), 50),
        (lambda: gym.make_vec("Pursuit-v0", num_envs=2, horizon=40, capture_radius=1e-9), 40),
        (lambda: gym.make_vec("Pursuit-v0", 2, horizon=650, capture_radius=1e-9), 650),
        (lambda: gym.make_vec("EvadeDiscrete-v0", 2, max_episode_steps=1, opponent="rest"), 1),
        (lambda: gym.make_vec("Evade-v0", 2, max_episode_steps=650, opponent="rest"), 600),
        (lambda: PursuitVectorEnv(2, horizon=40, capture_radius=1e-9), 40),
    ],
)
def test_episodes_are_truncated_on_time(make, steps):
    envs = make()
    envs.reset(seed=0)
    actions = np.zeros_like(envs.action_space.sample())
    for _ in range(2):
        for _ in range(steps - 1):
            assert not envs.step(actions)[3].any()
        assert envs.step(actions)[3].all()
        observations, rewards, _, truncated, _ = envs.step(actions)  # begins anew
        assert not rewards.any()
        assert not truncated.any()
        assert (observations[:, 5] == 1.0).all()


@pytest.mark.parametrize("env_id", IDS)
def test_seeds_are_those_of_single_environments(env_id):
    envs = gym.make_vec(env_id, num_envs=3, **MIXTURE)
    cases = [(5, [5, 6, 7]), (np.int64(5), [5, 6, 7]), ([8, 1, 8], [8, 1, 8])]
    cases += [((8, 2**64 - 1, 0), (8, 2**64 - 1, 0)), (np.array([3, 1, 2]), [3, 1, 2])]
    for seed, each in cases:
        observations, _ = envs.reset(seed=seed)
        for index, one in enumerate(each):
            single = gym.make(env_id, **MIXTURE)
            assert_same(observations[index], single.reset(seed=int(one))[0])


def test_none_goes_on_from_the_seed_before():
    envs = PursuitVectorEnv(3, **MIXTURE)
    sync = make_sync("Pursuit-v0", 3, **MIXTURE)
    for seed in (5, None, None, [None, 3, None], None, [1, None, 1], None):
        assert_same(envs.reset(seed=seed), sync.reset(seed=seed))
        assert_same(play_all(envs, 20, 1), play_all(sync, 20, 1))


def test_without_any_seed_all_games_differ():
    starts = [PursuitVectorEnv(20).reset()[0], PursuitVectorEnv(20).reset(seed=[None] * 20)[0]]
    assert len({row.tobytes() for start in starts for row in start}) == 40


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
@pytest.mark.parametrize("seed", [None, 11, [4, None, 6, 7]])
def test_a_mask_resets_the_games_that_it_names(mode, seed):
    ours = EvadeVectorEnv(4, autoreset_mode=mode, opponent="wander", **{"obstacles": 1})
    sync = make_sync("Evade-v0", 4, mode, opponent="wander", obstacles=1)
    ours.reset(seed=0), sync.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        mask = rng.random(4) < 0.5
        mask[rng.integers(4)] = True
        options = {"reset_mask": mask}
        actions = ours.action_space.sample()
        before = ours.step(actions)
        assert_same(before, sync.step(actions))
        after = ours.reset(seed=seed, options=options)
        assert options["reset_mask"] is mask  # nothing of the caller's is changed
        assert_same(after, sync.reset(seed=seed, options={"reset_mask": mask.copy()}))
        assert_same(after[0][~mask], before[0][~mask])
        assert (after[1]["_distance"] == mask).all()


def test_a_masked_reset_spares_a_game_its_own_restart():
    envs, other = (PursuitVectorEnv(2, max_episode_steps=3) for _ in range(2))
    actions = np.zeros((2, 2), np.float32)
    for each in (envs, other):
        each.reset(seed=[1, 2])
        for _ in range(3):
            result = each.step(actions)
    assert result[3].all()
    envs.reset(options={"reset_mask": np.array([True, False])})
    ours, theirs = envs.step(actions), other.step(actions)
    assert_same(ours[0][1], theirs[0][1])
    assert ours[0][0, 5] < 1.0 == theirs[0][0, 5]


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


@pytest.mark.parametrize("kind", [PursuitVectorEnv, EvadeVectorEnv])
def test_the_classs_metadata_is_left_alone(kind):
    before = copy.deepcopy(kind.metadata)
    for mode in MODES:
        envs = kind(2, autoreset_mode=mode.value)
        assert envs.metadata["autoreset_mode"] is mode
        assert envs.metadata is not kind.metadata
    assert kind.metadata == before
    assert before["autoreset_mode"] is AutoresetMode.NEXT_STEP
