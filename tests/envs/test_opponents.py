"""Opponents: in mixtures and in teams; what policies are asked, answer and remember."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from steer_env.baselines import evaluate
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.players.pretrained import load_network, path_of
from steer_env.players.random_policy import RandomPolicy
from steer_env.scripts.roster import ROSTER

from .same import assert_same, make_sync, play, play_all
from .test_policy_player import given

NAME = "pretrained/pursuit/ppo/2"


def test_a_trained_opponent_by_name_file_or_itself(pretrained_folder):
    path = path_of(NAME)
    for kind in (EvadeEnv, EvadeVectorEnv):
        played = []
        for opponent in (NAME, path, str(path), [NAME], load_network(NAME)):
            envs = kind(opponent=opponent)
            envs.reset(seed=0)
            envs.action_space.seed(0)
            played.append([envs.step(envs.action_space.sample()) for _ in range(20)])
        for other in played[1:]:
            assert_same(other, played[0])


def test_new_weights_count_from_the_next_episode():
    names = ["idle", "wander", "flee"]
    envs = PursuitVectorEnv(200, opponent=names, max_episode_steps=5)
    envs.reset(seed=0)
    before = envs.opponent_index
    envs.opponent_weights = [0, 0, 5]
    assert envs.opponent_weights.tolist() == [0.0, 0.0, 1.0]
    play_all(envs, 5)
    np.testing.assert_array_equal(envs.opponent_index, before)
    play_all(envs, 1)
    assert (envs.opponent_index == 2).all()
    envs.opponent_weights = None
    envs.reset()
    assert np.bincount(envs.opponent_index, minlength=3).min() > 40
    envs.opponent_weights[0] = 1.0  # a copy: to write into it changes nothing
    np.testing.assert_array_equal(envs.opponent_weights, np.full(3, 1 / 3))


WRONG_WEIGHTS = [
    ([1.0], ValueError, "one weight for each"),
    ([0, 0], ValueError, "must not all be 0"),
    ([1.0, -0.5], ValueError, r"opponent_weights\[1\] .*got -0.5"),
    ([float("nan"), 1.0], ValueError, r"opponent_weights\[0\] .*nan"),
    ([1.0, "2"], TypeError, r"opponent_weights\[1\] .*got '2'"),
    ([True, 1], TypeError, r"opponent_weights\[0\] .*got True"),
    ("12", TypeError, "opponent_weights .*got '12'"),
    (0.5, TypeError, "opponent_weights .*got 0.5"),
    (np.ones((2, 2)), TypeError, "opponent_weights"),
]


@pytest.mark.parametrize(("weights", "error", "message"), WRONG_WEIGHTS)
@pytest.mark.parametrize("kind", [PursuitEnv, EvadeVectorEnv])
def test_wrong_weights_are_refused_and_change_nothing(kind, weights, error, message):
    with pytest.raises(error, match=message):
        kind(opponent=["idle", "wander"], opponent_weights=weights)
    envs = kind(opponent=["idle", "wander"], opponent_weights=[1, 3])
    with pytest.raises(error, match=message):
        envs.opponent_weights = weights
    assert envs.opponent_weights.tolist() == [0.25, 0.75]


def test_policies_are_asked_only_for_their_games():
    policies = [given(lambda rows: np.zeros((len(rows), 2), np.float32)) for _ in range(3)]
    envs = PursuitVectorEnv(50, opponent=["evade", *policies])
    envs.reset(seed=0)
    games = np.bincount(envs.opponent_index, minlength=4)[1:]
    envs.step(np.zeros((50, 2), np.float32))
    assert [policy.asked for policy in policies] == [[((n, 21), (n,))] for n in games]


def test_opponents_of_games_that_a_reset_leaves_out_are_not_loaded():
    policy = given(lambda rows: np.zeros((len(rows), 2), np.float32))
    envs = PursuitVectorEnv(3, opponent="evade")
    envs.reset(seed=0)
    for mask, loaded in (([True, False, False], 1), ([True, True, False], 2)):
        asked_for = {"reset_mask": np.array(mask), "opponent": ["evade", policy, policy]}
        envs.reset(options=asked_for)
        assert len(envs._members) == loaded
    envs.step(np.zeros((3, 2), np.float32))
    assert policy.asked == [((1, 21), (1,))]


def test_the_opponent_drawn_is_the_one_that_plays():
    opponents = ["idle", ROSTER["seek"], "flee"]
    env = PursuitEnv(opponent=opponents)
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        seen.add(env.opponent_index)
        alone = PursuitEnv(opponent=opponents[env.opponent_index])
        state = env.get_state()
        state["game"]["evader_script"] = state["players"]["script"][:, 1] = 0
        state["players"]["script"][:, 1] = 1  # the learner's row comes first
        alone.reset(seed=seed)
        alone.set_state(state)
        for _ in range(40):
            assert_same(env.step([0.3, 0.1]), alone.step([0.3, 0.1]))
    assert seen == {0, 1, 2}


@pytest.mark.compiled
def test_scripts_against_scripts():
    share = {
        (pursuer, evader): evaluate(pursuer, evader, None, 400)["captured"].mean()
        for pursuer in ("seek", "pursuit", "wander")
        for evader in ("idle", "wander", "evade")
    }
    assert share["pursuit", "idle"] == 1.0
    assert 0.5 <= share["pursuit", "evade"] <= 0.9
    assert share["pursuit", "evade"] < share["pursuit", "wander"] - 0.05
    assert share["seek", "evade"] < share["pursuit", "evade"] - 0.05
    assert share["wander", "evade"] < min(0.1, share["wander", "wander"])


# ---- Policies ------------------------------------------------------------------------------

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
