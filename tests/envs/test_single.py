"""The single environments keep Gymnasium's contract."""

from __future__ import annotations

import copy
import pickle
import random

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from steer_env.actions import DIRECTIONS
from steer_env.envs.single import EvadeEnv, PursuitEnv

from .same import IDS, MIXTURE, assert_same, assert_share_no_memory, play

CLASSES = (PursuitEnv, EvadeEnv)
COAST = np.zeros(2, np.float32)
NEVER_CAUGHT = {"capture_radius": 1e-9, "opponent": "wander"}
TEAMS = {"pursuers": 3, "evaders": 2}


def coast(env, steps):
    """Steps with the coasting action until the episode ends; how many steps, and the last."""
    action = np.zeros_like(env.action_space.sample())
    for step in range(1, steps + 1):
        last = env.step(action)
        if last[2] or last[3]:
            return step, last
    return steps, last


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_checker_is_content(env_id, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pytest.importorskip("pygame")
    check_env(gym.make(env_id).unwrapped)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("keywords", [MIXTURE, {**TEAMS, "arena": "torus"}], ids=["1", "team"])
def test_gymnasiums_checker_is_content_with_other_games(env_id, keywords):
    check_env(gym.make(env_id, **keywords).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("env_id", IDS)
def test_stable_baselines3s_checker_is_content(env_id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gym.make(env_id).unwrapped, warn=True)


@pytest.mark.parametrize("env_id", IDS)
def test_step_returns_python_numbers_and_infos_of_numpys(env_id):
    env = gym.make(env_id)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (observation.dtype, observation.shape) == (np.float32, (21,))
    assert type(reward) is float
    assert type(terminated) is bool
    assert type(truncated) is bool
    assert type(info["distance"]) is np.float64
    assert type(info["captured"]) is np.int64


@pytest.mark.parametrize("env_id", IDS)
def test_info_has_the_same_keys_and_types_always(env_id):
    env = gym.make(env_id, **MIXTURE)
    infos = [env.reset(seed=0)[1], *(step[-1] for step in play(env, 300))]
    kinds = {tuple(sorted((key, type(value)) for key, value in i.items())) for i in infos}
    assert len(kinds) == 1


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("keywords", [{}, {**MIXTURE, **TEAMS}], ids=["1", "team"])
def test_what_is_returned_is_never_written_to_again(kind, keywords):
    env, untouched = kind(**keywords), kind(**keywords)
    first = env.reset(seed=0)
    returned = [first, env.get_state(), *play(env, 20), env.get_state()]
    assert_share_no_memory(returned)
    expected = [untouched.reset(seed=0), untouched.get_state(), *play(untouched, 20)]
    assert_same(returned[:-1], expected)
    for array in (first[0], returned[1], returned[5][0], returned[-1]):
        array.view(np.uint8)[...] = 255  # the environment must not notice
    assert_same(play(env, 20), play(untouched, 20))


def test_actions_are_neither_kept_nor_changed():
    env, other = PursuitEnv(), PursuitEnv()
    env.reset(seed=0), other.reset(seed=0)
    action = np.array([0.6, -0.8], np.float32)
    action.flags.writeable = False
    first = env.step(action)
    assert action.tolist() == np.array([0.6, -0.8], np.float32).tolist()
    changed = action.copy()
    assert_same(other.step(changed), first)
    changed[:] = np.nan
    assert_same(env.step(action), other.step(action.copy()))


@pytest.mark.parametrize(
    "action",
    [[0.5, -0.5], (0.5, -0.5), np.array([0.5, -0.5]), np.array([0.5, -0.5], np.float16)],
    ids=["list", "tuple", "float64", "float16"],
)
def test_actions_of_any_real_kind_mean_the_same(action):
    env, other = PursuitEnv(), PursuitEnv()
    env.reset(seed=0), other.reset(seed=0)
    for _ in range(5):
        expected = other.step(np.array([0.5, -0.5], np.float32))
        assert_same(env.step(action), expected)


@pytest.mark.parametrize("long", [(5.0, 0.0), (-3.0, 4.0), (1e30, -1e30), (3e38, 0.0)])
def test_actions_are_cut_to_the_unit_disc(long):
    env, other = PursuitEnv(), PursuitEnv()
    env.reset(seed=0), other.reset(seed=0)
    for _ in range(5):
        observation = env.step(np.array(long, np.float32))[0]
        on_disc = np.array(long) / np.hypot(*long)
        expected = other.step(on_disc.astype(np.float32))[0]
        np.testing.assert_allclose(observation, expected, atol=1e-6)


@pytest.mark.parametrize("side", ["Pursuit", "Evade"])
def test_discrete_actions_are_nine_of_the_continuous_ones(side):
    env, other = gym.make(f"{side}Discrete-v0"), gym.make(f"{side}-v0")
    assert_same(env.reset(seed=0), other.reset(seed=0))
    kinds = [int, np.int64, np.int32, np.uint8, np.array]
    for step in range(45):
        number = step % 9
        action = kinds[step % len(kinds)](number)
        assert_same(env.unwrapped.step(action), other.unwrapped.step(DIRECTIONS[number]))


@pytest.mark.parametrize("kind", CLASSES)
def test_a_discrete_team_has_one_action_each(kind):
    env, other = kind(**TEAMS, action_type="discrete"), kind(**TEAMS)
    players = len(env.action_space.sample())
    assert_same(env.reset(seed=0), other.reset(seed=0))
    for step in range(9):
        numbers = (np.arange(players) + step) % 9
        assert_same(env.step(numbers), other.step(DIRECTIONS[numbers]))


COPIES = {"pickle": lambda env: pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy}
MAKERS = {
    "class": lambda **keywords: PursuitEnv(**keywords),
    "make": lambda **keywords: gym.make("Evade-v0", max_episode_steps=80, **keywords),
    "discrete": lambda **keywords: gym.make("PursuitDiscrete-v0", **keywords),
}


@pytest.mark.parametrize("clone", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("steps", [0, 37, 300])
def test_a_copy_goes_on_bit_for_bit(clone, make, steps):
    env = make(**MIXTURE)
    env.reset(seed=4)
    play(env, steps, seed=1)
    twin = clone(clone(env))
    expected = play(env, 150, seed=2)  # first the one, then the other: they share nothing
    assert_same(play(twin, 150, seed=2), expected)
    assert_same(twin.reset(), env.reset())
    assert_same(twin.reset(seed=9), env.reset(seed=9))


@pytest.mark.parametrize("clone", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_copy_can_be_made_before_the_first_reset(clone, make):
    env = make(**MIXTURE)
    twin = clone(env)
    with pytest.raises(ResetNeeded):
        twin.step(twin.action_space.sample())
    assert_same(twin.reset(seed=9), env.reset(seed=9))
    assert_same(play(twin, 100), play(env, 100))


@pytest.mark.parametrize("clone", COPIES.values(), ids=COPIES)
def test_a_copy_at_an_episodes_end_is_over_too(clone):
    env = PursuitEnv(horizon=5, **NEVER_CAUGHT)
    env.reset(seed=0)
    coast(env, 5)
    twin = clone(env)
    with pytest.raises(ResetNeeded, match="reset"):
        twin.step(COAST)
    assert_same(twin.reset(), env.reset())


@pytest.mark.parametrize("env_id", IDS)
def test_the_same_seed_gives_the_same_episodes(env_id):
    env, other = gym.make(env_id, **MIXTURE), gym.make(env_id, **MIXTURE)
    for _ in range(2):  # the second time from the middle of another episode
        assert_same(env.reset(seed=7), other.reset(seed=7))
        assert_same(play(env, 200, seed=3), play(other, 200, seed=3))
        play(other, 11, seed=5)


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**64 - 1, np.int64(3), np.uint8(3)])
def test_any_integer_is_a_seed(seed):
    env = PursuitEnv()
    assert_same(env.reset(seed=seed), PursuitEnv().reset(seed=int(seed)))
    assert env.np_random_seed == int(seed)


def test_different_seeds_start_differently():
    env = PursuitEnv()
    starts = {env.reset(seed=seed)[0].tobytes() for seed in range(200)}
    assert len(starts) == 200


def test_reset_without_a_seed_goes_on_with_another_episode():
    env, other = PursuitEnv(), PursuitEnv()
    starts = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(20))]
    assert len({start.tobytes() for start in starts}) == 21
    assert_same(other.reset(seed=7)[0], starts[0])
    for start in starts[1:]:  # whatever was played in between
        play(other, 5)
        assert_same(other.reset()[0], start)


def test_without_any_seed_environments_differ():
    starts = {PursuitEnv().reset()[0].tobytes() for _ in range(5)}
    assert len(starts) == 5


@pytest.mark.parametrize("kind", CLASSES)
def test_global_random_state_is_neither_used_nor_changed(kind):
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002
    env = kind(**MIXTURE)
    env.reset()
    for _ in range(100):
        if any(env.step(COAST)[2:4]):
            env.reset()
    env.close()
    assert before == (random.getstate(), pickle.dumps(np.random.get_state()))  # noqa: NPY002


@pytest.mark.parametrize("kind", CLASSES)
def test_the_classs_metadata_is_left_alone(kind):
    before = copy.deepcopy(kind.metadata)
    env = kind(render_mode="rgb_array", dt=0.1)
    env.reset(seed=0)
    env.step(COAST)
    env.close()
    assert kind.metadata == before == {"render_modes": ["human", "rgb_array"], "render_fps": 30}


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: gym.make("Pursuit-v0", **NEVER_CAUGHT), 600),
        (lambda: gym.make("Pursuit-v0", max_episode_steps=50, **NEVER_CAUGHT), 50),
        (lambda: gym.make("Pursuit-v0", horizon=40, **NEVER_CAUGHT), 40),
        (lambda: gym.make("Pursuit-v0", horizon=700, **NEVER_CAUGHT), 700),
        (lambda: gym.make("Pursuit-v0", horizon=40, max_episode_steps=50, **NEVER_CAUGHT), 40),
        (lambda: gym.make("Evade-v0", max_episode_steps=700, horizon=700, **NEVER_CAUGHT), 700),
        (lambda: gym.make("EvadeDiscrete-v0", **NEVER_CAUGHT), 600),
        (lambda: PursuitEnv(**NEVER_CAUGHT), 600),
        (lambda: EvadeEnv(horizon=40, **NEVER_CAUGHT), 40),
    ],
)
def test_episodes_are_truncated_on_time(make, steps):
    env = make()
    for seed in (0, None):
        env.reset(seed=seed)
        played, (_, _, terminated, truncated, _) = coast(env, 1000)
        assert (played, terminated, truncated) == (steps, False, True)


def test_without_a_time_limit_of_gymnasium_episodes_end_at_the_horizon():
    env = gym.make("Pursuit-v0", max_episode_steps=-1, horizon=1500, **NEVER_CAUGHT)
    env.reset(seed=0)
    played, (observation, *_, truncated, _) = coast(env, 2000)
    assert (played, truncated) == (1500, True)
    assert env.observation_space.contains(observation)


def test_time_left_runs_down_evenly():
    env = PursuitEnv(horizon=8, **NEVER_CAUGHT)
    seen = [env.reset(seed=0)[0][5], *(env.step(COAST)[0][5] for _ in range(8))]
    assert seen == [share / 8 for share in range(8, -1, -1)]


def test_a_caught_evader_is_the_end():
    env = EvadeEnv(reward={"time": 0.0, "closing": 0.0})
    env.reset(seed=1)
    played, (_, reward, terminated, truncated, info) = coast(env, 600)
    assert played < 600
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info == {"distance": 0.0, "captured": 1}


class Sequence:
    """A policy that plays given actions, the n-th in the n-th step of an episode."""

    def __init__(self, actions):
        self.actions = actions

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        step = 0 if episode_start[0] else state
        return self.actions[step].reshape(len(observation), 2), step + 1


def without_alive(info):
    """What the infos of both sides have in common."""
    return {name: value for name, value in info.items() if name != "alive"}


@pytest.mark.parametrize("keywords", [{}, {**TEAMS, "arena": "torus"}], ids=["1", "team"])
def test_both_sides_play_one_zero_sum_game(keywords):
    rng = np.random.default_rng(0)
    shapes = [keywords.get(side, 1) for side in ("pursuers", "evaders")]
    pursuers, evaders = (rng.uniform(-1, 1, (600, n, 2)).astype(np.float32) for n in shapes)
    pursuit = PursuitEnv(opponent=Sequence(evaders), capture_radius=3.0, **keywords)
    evade = EvadeEnv(opponent=Sequence(pursuers), capture_radius=3.0, **keywords)
    ends = 0
    for seed in range(5):
        infos = pursuit.reset(seed=seed)[1], evade.reset(seed=seed)[1]
        assert_same(*map(without_alive, infos))
        for step in range(600):
            one = pursuit.step(pursuers[step].reshape(pursuit.action_space.shape))
            other = evade.step(evaders[step].reshape(evade.action_space.shape))
            assert one[1] == -other[1]
            assert_same(one[2:4], other[2:4])
            assert_same(without_alive(one[4]), without_alive(other[4]))
            if one[2] or one[3]:
                ends += one[2]
                break
    assert ends > 0
