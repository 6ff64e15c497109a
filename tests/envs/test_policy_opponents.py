"""Policies as opponents: what they are asked, what they may answer, and what they remember."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from steer_env.envs.single import PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.players.random_policy import RandomPolicy
from steer_env.scripts.roster import ROSTER

from .same import assert_same, make_sync, play, play_all

MODES = list(AutoresetMode)


class Memory:
    """A policy with a hidden state per row: how often it was asked in the episode."""

    def __init__(self, discrete=False):
        self.discrete = discrete

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        rows = len(observation)
        assert observation.dtype == np.float32
        assert deterministic is True
        assert (episode_start.dtype, episode_start.shape) == (np.bool_, (rows,))
        assert (observation[episode_start, 5] == 1.0).all()
        asked = np.zeros(rows, np.int64) if state is None else state
        asked = np.where(episode_start, 0, asked) + 1
        if self.discrete:
            return asked % 9, asked
        angle = 0.1 * asked + observation[:, 11]
        return np.stack([np.cos(angle), np.sin(angle)], axis=1), asked


class Journal(Memory):
    """The same, and it writes down what it was given."""

    def __init__(self):
        super().__init__()
        self.pages = []

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        actions, after = super().predict(observation, state, episode_start, deterministic)
        self.pages.append((state, episode_start.copy(), after))
        return actions, after


class Constant:
    """Answers with whatever it holds."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return self.answer


def test_a_recurrent_policy_gets_its_state_back():
    journal = Journal()
    env = PursuitEnv(opponent=journal, horizon=4, capture_radius=1e-9)
    for seed in (0, None):
        env.reset(seed=seed)
        for _ in range(4):
            env.step([0.0, 0.0])
    env.reset()
    env.step([0.0, 0.0])
    states = [None if state is None else state.tolist() for state, _, _ in journal.pages]
    assert states == [None, [1], [2], [3], [4], [1], [2], [3], [4]]
    starts = [start.tolist() for _, start, _ in journal.pages]
    assert starts == [[True], *[[False]] * 3] * 2 + [[True]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("env_id", "discrete", "others"),
    [("Pursuit-v0", False, []), ("EvadeDiscrete-v0", True, [ROSTER["evade"]])],
)
def test_policies_play_alike_in_single_and_vector_games(env_id, discrete, others, mode):
    keywords = {"capture_radius": 2.5, "max_episode_steps": 40, "arena": "torus"}
    keywords["opponent"] = [*others, Memory(discrete), Memory()]
    keywords["opponent_weights"] = [3] * len(others) + [2, 1]
    envs = gym.make_vec(env_id, num_envs=3, autoreset_mode=mode, **keywords)
    sync = make_sync(env_id, 3, mode, **keywords)
    assert_same(envs.reset(seed=1), sync.reset(seed=1))
    assert_same(play_all(envs, 150), play_all(sync, 150))


@pytest.mark.parametrize("kind", [PursuitVectorEnv, EvadeVectorEnv])
def test_a_policy_plays_a_whole_team(kind):
    journal = Journal()
    team = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "max_episode_steps": 50}
    envs = kind(4, opponent=[ROSTER["evade"], journal], **team)
    single = {"PursuitVectorEnv": "Pursuit-v0", "EvadeVectorEnv": "Evade-v0"}[kind.__name__]
    sync = make_sync(single, 4, opponent=[ROSTER["evade"], Memory()], **team)
    assert_same(envs.reset(seed=1), sync.reset(seed=1))
    assert_same(play_all(envs, 150), play_all(sync, 150))
    rows = 4 * (2 if kind is PursuitVectorEnv else 3)
    first, *later = [len(start) for _, start, _ in journal.pages]
    assert first < rows  # asked for the games that it plays in, before its memory showed
    assert set(later) == {rows}


BAD_ANSWERS = {
    "shape": ((np.zeros((1, 3)), None), ValueError, r"got \(1, 3\)"),
    "rows": ((np.zeros((2, 2)), None), ValueError, r"got \(2, 2\)"),
    "floats": ((np.zeros(1), None), TypeError, "float64"),
    "bools": ((np.zeros((1, 2), bool), None), TypeError, "bool"),
    "nan": ((np.full((1, 2), np.nan), None), ValueError, "finite"),
    "nine": ((np.array([9]), None), ValueError, "0 to 8"),
    "none": (None, TypeError, "NoneType"),
    "no state": (np.zeros((1, 2)), TypeError, "ndarray"),
    "three": ((np.zeros((1, 2)), 0, 0), TypeError, "tuple"),
}


@pytest.mark.parametrize(("answer", "error", "message"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
@pytest.mark.parametrize("kind", [PursuitEnv, EvadeVectorEnv])
def test_bad_answers_of_policies_break_nothing(kind, answer, error, message):
    policy = Constant((np.zeros((1, 2)), None))
    env = kind(opponent=policy)
    env.reset(seed=0)
    actions = np.zeros_like(env.action_space.sample())
    env.step(actions)
    before, policy.answer = env.get_state(), answer
    with pytest.raises(error, match=f"policy Constant.*{message}"):
        env.step(actions)
    assert_same(env.get_state(), before)
    policy.answer = np.zeros((1, 2)), None
    env.step(actions)
    assert env.get_state()["game"]["steps"] == 2


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [0.0]], ids=["nan", "shape"])
@pytest.mark.parametrize(
    ("make", "run"), [(PursuitEnv, play), (lambda **k: PursuitVectorEnv(2, **k), play_all)]
)
def test_a_refused_step_leaves_the_policys_memory_alone(make, run, bad):
    env, twin = make(opponent=Memory()), make(opponent=Memory())
    env.reset(seed=0), twin.reset(seed=0)
    assert_same(run(env, 3), run(twin, 3))
    with pytest.raises(ValueError, match=r"not finite|shape"):
        env.step(bad if run is play else [bad, bad])
    assert_same(run(env, 3), run(twin, 3))


def test_a_policy_is_not_asked_when_the_episode_is_over():
    for make in (PursuitEnv, lambda **k: PursuitVectorEnv(1, autoreset_mode="Disabled", **k)):
        journal = Journal()
        env = make(opponent=journal, horizon=1)
        env.reset(seed=0)
        action = np.zeros_like(env.action_space.sample())
        env.step(action)
        with pytest.raises(ResetNeeded):
            env.step(action)
        assert len(journal.pages) == 1


@pytest.mark.parametrize(
    ("make", "run"), [(PursuitEnv, play), (lambda **k: EvadeVectorEnv(3, **k), play_all)]
)
def test_a_random_opponent_follows_the_seed_of_reset(make, run):
    def episodes(env, seed):
        return [env.reset(seed=seed), *run(env, 60)]

    env, other = (make(opponent=["random", "wander"], horizon=20) for _ in range(2))
    expected = episodes(env, seed=5)
    assert_same(episodes(other, seed=5), expected)
    assert not np.array_equal(episodes(other, seed=6)[-1][0], expected[-1][0])
    assert_same(episodes(other, seed=5), expected)  # also after other episodes


def test_random_players_with_seeds_of_their_own_ignore_that_of_the_game():
    def drawn(seed, own):
        env = PursuitEnv(opponent=RandomPolicy(seed=own))
        env.reset(seed=0)
        state = env.get_state()
        env.reset(seed=seed)
        env.set_state(state)
        return play(env, 10)

    assert_same(drawn(seed=5, own=1), drawn(seed=6, own=1))
    assert not np.array_equal(drawn(5, own=1)[-1][0], drawn(5, own=2)[-1][0])


def test_a_policy_that_is_more_than_random_is_asked():
    class Coasting(RandomPolicy):
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            return np.zeros((len(observation), 2), np.float32), state

    env, rest = PursuitEnv(opponent=Coasting(seed=None)), PursuitEnv(opponent="idle")
    assert_same(env.reset(seed=0), rest.reset(seed=0))
    assert_same(play(env, 20), play(rest, 20))
