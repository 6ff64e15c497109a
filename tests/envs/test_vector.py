"""The vector environments are many single ones, step for step and bit for bit."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv

from .same import (
    IDS,
    MIXTURE,
    assert_same,
    assert_share_no_memory,
    make_sync,
    play,
    play_all,
)

MODES = list(AutoresetMode)
SHORT = {**MIXTURE, "arena": "walls", "max_episode_steps": 60}
TEAMS = {"pursuers": 3, "evaders": 2, "reward": {"closing": 2.0, "discount": 0.9}}
GAMES = {
    "mixture": SHORT,
    "torus": {**SHORT, "arena": "torus"},
    "open": {**SHORT, "arena": "open"},
    "team": {**SHORT, **TEAMS},
    "cars": {**SHORT, "pursuer": {"model": "car"}, "evader": {"model": "simple_motion"}},
    "fixed obstacles": {**SHORT, "obstacles": [(0, 0, 2), (4, 4, 1.5)]},
}


def compare(env_id, count, mode, steps, keywords, seed=3):
    """Steps ours and SyncVectorEnv side by side; how many episodes ended by which cause."""
    ours = gym.make_vec(env_id, num_envs=count, autoreset_mode=mode, **keywords)
    sync = make_sync(env_id, count, mode, **keywords)
    assert_same(ours.reset(seed=seed), sync.reset(seed=seed))
    ours.action_space.seed(seed)
    caught = late = 0
    for step in range(steps):
        actions = ours.action_space.sample()
        result = ours.step(actions)
        assert_same(result, sync.step(actions), f"step {step}")
        caught, late = caught + result[2].sum(), late + result[3].sum()
        over = result[2] | result[3]
        if mode is AutoresetMode.DISABLED and over.any():
            assert_same(
                ours.reset(options={"reset_mask": over.copy()}),
                sync.reset(options={"reset_mask": over.copy()}),
                f"reset after step {step}",
            )
    return int(caught), int(late)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("keywords", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("env_id", IDS)
def test_equal_to_gymnasiums_own(env_id, keywords, mode):
    caught, late = compare(env_id, 3, mode, 600, keywords)
    assert late > 0
    assert caught > 0 or keywords["arena"] == "open"


@pytest.mark.compiled
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
def test_equal_to_gymnasiums_own_over_ten_thousand_steps(env_id, mode):
    caught, late = compare(env_id, 4, mode, 10_000, SHORT)
    assert caught > 50
    assert late > 50


@pytest.mark.parametrize("env_id", IDS)
def test_make_vec_makes_ours_unless_told_otherwise(env_id):
    keywords = {"num_envs": 2, **SHORT}
    ours, sync = (
        gym.make_vec(env_id, **keywords),
        gym.make_vec(env_id, "sync", **keywords)
        if False
        else gym.make_vec(env_id, vectorization_mode="sync", **keywords),
    )
    assert isinstance(ours, (PursuitVectorEnv, EvadeVectorEnv))
    assert isinstance(sync, gym.vector.SyncVectorEnv)
    assert_same(ours.reset(seed=1), sync.reset(seed=1))
    assert_same(play_all(ours, 100), play_all(sync, 100))


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


@pytest.mark.parametrize("keywords", GAMES.values(), ids=GAMES)
def test_observations_stay_in_their_space(keywords):
    keywords = {**keywords, "max_episode_steps": 700}
    for kind in (PursuitVectorEnv, EvadeVectorEnv):
        envs = kind(8, **keywords)
        for observations, *_ in [envs.reset(seed=0), *play_all(envs, 800)]:
            assert envs.observation_space.contains(observations)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_returned_is_never_written_to_again(mode):
    envs, untouched = (PursuitVectorEnv(3, autoreset_mode=mode, **SHORT) for _ in range(2))
    returned = [envs.reset(seed=0), *play_all(envs, 60)]
    assert_share_no_memory(returned)
    expected = [untouched.reset(seed=0), *play_all(untouched, 60)]
    assert_same(returned, expected)
    for result in returned:
        for array in (result[0], *result[-1].values()):
            if isinstance(array, np.ndarray) and array.dtype != object:
                array[...] = 1
    assert_same(play_all(envs, 60), play_all(untouched, 60))


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


def test_arrays_that_may_not_be_written_are_read():
    envs, other = (PursuitVectorEnv(3) for _ in range(2))
    actions, mask = np.full((3, 2), 0.5, np.float32), np.array([True, False, True])
    assert_same(envs.reset(seed=1), other.reset(seed=1))
    expected = other.step(actions.copy()), other.reset(options={"reset_mask": mask.copy()})
    actions.flags.writeable = mask.flags.writeable = False
    assert_same((envs.step(actions), envs.reset(options={"reset_mask": mask})), expected)


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


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [PursuitVectorEnv, EvadeVectorEnv])
def test_a_game_depends_on_nothing_beside_it(kind, mode):
    few = kind(5, autoreset_mode=mode, **SHORT)
    many = [kind(300, autoreset_mode=mode, num_threads=n, **SHORT) for n in (1, 2, 3, None)]
    first = [envs.reset(seed=3) for envs in many]
    assert_same(few.reset(seed=3)[0], first[0][0][:5])
    rng = np.random.default_rng(0)
    for _ in range(300):
        actions = rng.uniform(-1, 1, (300, 2)).astype(np.float32)
        results = [envs.step(actions) for envs in many]
        for result in results[1:]:
            assert_same(result, results[0])
        alone = few.step(actions[:5])
        for one, all_of_them in zip(alone[:4], results[0]):
            assert_same(one, all_of_them[:5])
        over = results[0][2] | results[0][3]
        if mode is AutoresetMode.DISABLED and over.any():
            for envs in many:
                envs.reset(options={"reset_mask": over})
            if over[:5].any():
                few.reset(options={"reset_mask": over[:5]})


COPIES = {"pickle": lambda env: pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("clone", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("count", "threads"), [(3, 1), (300, 2)])
def test_a_copy_goes_on_bit_for_bit(clone, mode, count, threads):
    envs = PursuitVectorEnv(count, autoreset_mode=mode, num_threads=threads, **SHORT)
    early = clone(envs)
    with pytest.raises(ResetNeeded):
        early.step(early.action_space.sample())
    assert_same(early.reset(seed=4), envs.reset(seed=4))
    assert_same(play_all(early, 57), play_all(envs, 57))
    late = clone(envs)
    expected = play_all(envs, 60)
    assert_same(play_all(late, 60), expected)
    assert_same(late.reset(), envs.reset())


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


def test_global_random_state_is_neither_used_nor_changed():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002
    envs = PursuitVectorEnv(3, **SHORT)
    envs.reset()
    for _ in range(100):
        envs.step(np.zeros((3, 2), np.float32))
    envs.close()
    assert before == (random.getstate(), pickle.dumps(np.random.get_state()))  # noqa: NPY002


def test_one_game_is_a_single_environment():
    envs, env = PursuitVectorEnv(1, **MIXTURE), gym.make("Pursuit-v0", **MIXTURE)
    assert_same(envs.reset(seed=2)[0][0], env.reset(seed=2)[0])
    for many, one in zip(play_all(envs, 30), play(env, 30)):
        assert_same(many[0][0], one[0])
        assert_same([part[0].item() for part in many[1:4]], list(one[1:4]))


def test_closing_twice_is_fine():
    envs = PursuitVectorEnv(300, num_threads=2)
    envs.reset(seed=0)
    play_all(envs, 2)
    envs.close(), envs.close()
    assert envs.closed
    unused = PursuitVectorEnv(2)
    unused.close()
    assert unused.closed
