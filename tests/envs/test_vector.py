"""Vector environments are many single ones, bit for bit; the checker finds others."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from check_vector_env import VectorEnvError, check_vector_env
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as vector_wrappers

from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.errors import InvalidValue

from .same import MIXTURE, assert_same, make_sync, play_all


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


@pytest.mark.weekly
def test_single_environments_run_in_processes():
    keywords = {"num_envs": 2, "max_episode_steps": 60, **MIXTURE}
    spawned = {"vectorization_mode": "async", "vector_kwargs": {"context": "spawn"}}
    ours = gym.make_vec("Pursuit-v0", **keywords)
    processes = gym.make_vec("Pursuit-v0", **spawned, **keywords)
    assert_same(processes.reset(seed=1), ours.reset(seed=1))
    assert_same(play_all(processes, 60), play_all(ours, 60))
    processes.close()


# ---- The checker --------------------------------------------------------------------------

LONG = {
    "opponent": "wander",
    "randomize": {
        "pursuer": {"max_speed": (3.0, 6.0), "radius": (0.1, 0.4)},
        "evader": {"mass": (0.5, 2.0), "max_force": (4.0, 20.0)},
    },
    "obstacles": 2,
    "max_episode_steps": 60,
}


def makers(env_id, **keywords):
    return (
        lambda: gym.make(env_id, **keywords),
        lambda count, mode: gym.make_vec(
            env_id, num_envs=count, autoreset_mode=mode, **keywords
        ),
    )


@pytest.mark.parametrize(
    ("env_id", "keywords", "steps"),
    [
        ("Pursuit-v0", {"max_episode_steps": 2}, 100),
        pytest.param("EvadeDiscrete-v0", LONG, 10_000, marks=pytest.mark.weekly),
    ],
)
def test_our_environments_keep_the_contract_in_all_modes(env_id, keywords, steps):
    check_vector_env(*makers(env_id, **keywords), num_envs=3, steps=steps)


def broken(change):
    """Our vector environment with one method changed."""

    class Broken(gym.vector.VectorWrapper):
        pass

    for name, function in change.items():
        setattr(Broken, name, function)
    single, vector = makers("Pursuit-v0", max_episode_steps=30)
    return single, lambda count, mode: Broken(vector(count, mode))


def reuse_observations(self, actions):
    observations, *rest = self.env.step(actions)
    if not hasattr(self, "buffer"):
        self.buffer = observations
    self.buffer[...] = observations
    return (self.buffer, *rest)


def returning(change):
    """A step that returns something else than the environment's."""
    return {"step": lambda self, actions: change(*self.env.step(actions))}


def same_seed_for_all(self, *, seed=None, options=None):
    if isinstance(seed, int):
        seed = [seed] * self.num_envs
    return self.env.reset(seed=seed, options=options)


def ignore_the_mask(self, *, seed=None, options=None):
    return self.env.reset(seed=seed)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"step": reuse_observations}, "changed later|share memory"),
        (returning(lambda o, r, ended, cut, info: (o, r, cut, ended, info)), "terminations"),
        (returning(lambda *found: (*found[:4], {})), "infos: keys"),
        (
            returning(lambda o, r, *rest: (o, r.astype(np.float32), *rest)),
            "float32 .* where SyncVectorEnv has float64",
        ),
        (
            returning(lambda *found: (*found[:4], {**found[4], "distance": 0.0})),
            r"infos \['distance'\]: 0.0 where",
        ),
        ({"reset": same_seed_for_all}, "an int as seed"),
        ({"reset": ignore_the_mask}, "step 0: reset with a mask"),
    ],
)
def test_it_finds_what_is_broken(change, complaint):
    with pytest.raises(VectorEnvError, match=complaint):
        check_vector_env(*broken(change), steps=60, modes=[AutoresetMode.NEXT_STEP])


def test_it_closes_environments_that_raise():
    made, closed = [], []
    make_single, make_vector = broken({"step": lambda *_: 1 / 0})

    def counted(count, mode):
        made.append(envs := make_vector(count, mode))
        envs.close = lambda: closed.append(envs)
        return envs

    with pytest.raises(VectorEnvError, match="raised ZeroDivisionError"):
        check_vector_env(make_single, counted, modes=[AutoresetMode.NEXT_STEP])
    assert len(made) > 5
    assert all(any(one is envs for one in closed) for envs in made)


def test_it_finds_the_faults_of_gymnasiums_own_vector_environment():
    with pytest.raises(VectorEnvError, match="game 0 among 4 is not game 0 alone"):
        check_vector_env(
            lambda: gym.make("CartPole-v1"),
            lambda count, _: gym.make_vec("CartPole-v1", num_envs=count),
            modes=[AutoresetMode.NEXT_STEP],
        )


def test_it_asks_for_more_steps_when_no_episode_ended_and_for_at_least_one():
    with pytest.raises(VectorEnvError, match="no episode ended within 5 steps"):
        check_vector_env(*makers("Pursuit-v0"), steps=5, modes=[AutoresetMode.NEXT_STEP])
    with pytest.raises(InvalidValue, match="steps"):
        check_vector_env(*makers("Pursuit-v0"), steps=0)


# ---- Gymnasium's wrappers -------------------------------------------------------------------

SHORT = {**MIXTURE, "max_episode_steps": 60}
WIDE = np.float32(-2.0), np.float32(2.0)


VECTOR_WRAPPERS = {
    "NormalizeObservation": vector_wrappers.NormalizeObservation,
    "NormalizeReward": vector_wrappers.NormalizeReward,
    "RescaleAction": lambda envs: vector_wrappers.RescaleAction(envs, *WIDE),
    "RescaleObservation": lambda envs: vector_wrappers.RescaleObservation(envs, *WIDE),
    "DictInfoToList": vector_wrappers.DictInfoToList,
}


@pytest.mark.parametrize("wrap", VECTOR_WRAPPERS.values(), ids=VECTOR_WRAPPERS)
def test_vector_wrappers(wrap):
    ours = wrap(gym.make_vec("Pursuit-v0", num_envs=4, **SHORT))
    sync = wrap(make_sync("Pursuit-v0", 4, **SHORT))
    assert_same(ours.reset(seed=1), sync.reset(seed=1))
    assert_same(play_all(ours, 150), play_all(sync, 150))
    assert ours.observation_space == sync.observation_space


def test_time_aware_observation():
    env = gym.make("Pursuit-v0", max_episode_steps=20, capture_radius=1e-9)
    env = wrappers.TimeAwareObservation(env, flatten=True, normalize_time=True)
    observation, _ = env.reset(seed=0)
    assert observation.shape == (22,)
    times = [env.step(env.action_space.sample())[0][-1] for _ in range(20)]
    assert np.allclose(times, np.arange(1, 21) / 20)
