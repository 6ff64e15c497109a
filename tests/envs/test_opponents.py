"""Opponents: names, scripts, mixtures, policies and teams; and they do what they say."""

from __future__ import annotations

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.errors import InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side

from .same import IDS, assert_same, make_sync, play, play_all, sides_of

OTHER = slice(11, 13)  # features: the offset of the other player
MODES = list(AutoresetMode)
OPPONENTS_SIDE = {PursuitEnv: EVADER, EvadeEnv: PURSUER}


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


def chase(observations):
    """A simple learner: full force toward where the other is, less the drift across it."""
    wish = observations[..., OTHER] * 20.0 + observations[..., 13:15] * 8.0
    return wish / np.maximum(np.linalg.norm(wish, axis=-1, keepdims=True), 1e-6)


def captures(envs, act, steps=600):
    """Shares of captured games, and the mean number of steps, of one episode in each."""
    observations, _ = envs.reset(seed=0)
    caught, length = np.zeros(envs.num_envs, bool), np.full(envs.num_envs, steps)
    going = np.ones(envs.num_envs, bool)
    for step in range(steps):
        observations, _, terminated, truncated, _ = envs.step(act(observations))
        length[going & (terminated | truncated)] = step + 1
        caught |= going & terminated
        going &= ~(terminated | truncated)
    return caught.mean(), length.mean()


def duel(pursuer, evader, games=400, steps=600):
    """The share that one script catches of another."""
    engine = Engine(GameConfig(), [named_script(pursuer)], [named_script(evader)], games)
    engine.seed(range(games))
    engine.start()
    nobody = np.zeros((0, 1, 2), np.float32)
    caught = np.zeros(games, bool)
    for _ in range(steps):
        caught |= engine.step(nobody, nobody, PURSUER, True).terminated
    return caught.mean()


@pytest.mark.parametrize("name", ROSTER)
@pytest.mark.parametrize("kind", [PursuitEnv, EvadeEnv])
def test_every_name_is_the_script_of_that_name(kind, name):
    """A name of the other side is refused; there the Script itself plays."""
    script = ROSTER[name]
    player = name if OPPONENTS_SIDE[kind] in sides_of(name) else script
    env, other, listed = kind(opponent=player), kind(opponent=script), kind(opponent=[player])
    first = env.reset(seed=0)
    assert_same(other.reset(seed=0), first)
    assert_same(listed.reset(seed=0), first)
    expected = play(env, 100)
    assert_same(play(other, 100), expected)
    assert_same(play(listed, 100), expected)
    assert env.opponent_index == 0


@pytest.mark.parametrize(
    ("env_id", "name"),
    [
        (side.environment, name)
        for side in Side
        for name in ROSTER
        if side.other not in sides_of(name)
    ],
)
@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_a_name_of_the_other_side_is_refused_and_its_script_is_not(make, env_id, name):
    side = Side.of_environment(env_id)
    message = (
        rf"^'{name}' is made for the {side.name}, and would play the {side.other.name}: .*"
        rf"pass the Script itself, ROSTER\['{name}'\]$"
    )
    for opponent in (name, [name], ["rest", name], ["random", name]):
        with pytest.raises(InvalidValue, match=message):
            make(env_id, opponent=opponent)
    for opponent in (ROSTER[name], ["rest", ROSTER[name]]):
        env = make(env_id, opponent=opponent)
        env.reset(seed=0)
        env.step(env.action_space.sample())


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasiums_checker_is_content_with_a_random_opponent(env_id):
    for opponent in ("random", ["random", "wander"]):
        env = gym.make(env_id, opponent=opponent)
        check_env(env.unwrapped, skip_render_check=True)


def episodes(envs, seed, steps=150):
    """What a reset with this seed and random actions of the learner, always the same, give."""
    run = play_all if hasattr(envs, "num_envs") else play
    return [envs.reset(seed=seed), *run(envs, steps)]


@pytest.mark.parametrize("opponent", ["random", ["random", "wander"]], ids=["alone", "mixed"])
@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize(
    "make",
    [
        gym.make,
        lambda *args, **keywords: gym.make_vec(*args, num_envs=3, **keywords),
        lambda *args, **keywords: gym.make_vec(
            *args, num_envs=3, vectorization_mode="sync", **keywords
        ),
    ],
    ids=["single", "vector", "sync"],
)
def test_a_random_opponent_follows_the_seed_of_reset(make, env_id, opponent):
    keywords = {"opponent": opponent, "max_episode_steps": 40}
    env, other = make(env_id, **keywords), make(env_id, **keywords)
    expected = episodes(env, seed=5)
    assert_same(episodes(other, seed=5), expected)
    different = episodes(other, seed=6)
    assert not np.array_equal(different[-1][0], expected[-1][0])
    assert_same(episodes(other, seed=5), expected)  # also after other episodes


@pytest.mark.parametrize("mode", MODES)
def test_a_random_opponent_follows_the_seed_in_every_mode(mode):
    keywords = {"opponent": "random", "max_episode_steps": 20, "capture_radius": 2.5}
    envs, other = (
        gym.make_vec("Pursuit-v0", num_envs=4, autoreset_mode=mode, **keywords)
        for _ in range(2)
    )
    assert_same(episodes(envs, seed=1), episodes(other, seed=1))


@pytest.mark.parametrize("make", [PursuitEnv, EvadeEnv, lambda **k: PursuitVectorEnv(3, **k)])
def test_the_forces_of_a_random_opponent_come_from_the_seed(make):
    """From one state on, all that can differ is what the opponent does."""
    env = make(opponent="random")
    env.reset(seed=0)
    state = env.get_state()
    run = play_all if hasattr(env, "num_envs") else play
    returned = []
    for seed in (0, 1, 0):
        env.reset(seed=seed)
        env.set_state(state)
        returned.append(run(env, 10))
    assert_same(returned[2], returned[0])
    assert not np.array_equal(returned[1][-1][0], returned[0][-1][0])


def test_a_script_of_ones_own():
    fearless = Script(behavior="evade", threat_range=1e-3)
    env, rest = PursuitEnv(opponent=fearless), PursuitEnv(opponent="rest")
    env.reset(seed=0), rest.reset(seed=0)
    assert_same(play(env, 50), play(rest, 50))


@pytest.mark.parametrize(
    ("kind", "opponent"), [(PursuitVectorEnv, "evade"), (EvadeVectorEnv, "pursuit")]
)
def test_default_opponents(kind, opponent):
    envs, named = kind(3), kind(3, opponent=opponent)
    envs.reset(seed=0), named.reset(seed=0)
    assert_same(play_all(envs, 60), play_all(named, 60))


def test_a_mixture_draws_an_opponent_for_each_episode():
    names = ["rest", "wander", "evade"]
    envs = PursuitVectorEnv(300, opponent=names, max_episode_steps=3)
    envs.reset(seed=0)
    first = envs.opponent_index
    assert (first.dtype, first.shape) == (np.int64, (300,))
    assert np.bincount(first, minlength=3).min() > 70
    play_all(envs, 4)
    assert 0.2 < (envs.opponent_index == first).mean() < 0.45
    assert first is not envs.opponent_index


def test_the_opponent_drawn_is_the_one_that_plays():
    opponents = ["rest", ROSTER["seek"], "flee"]
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


def test_rest_rests_and_the_others_move():
    for name, script in ROSTER.items():
        envs = PursuitVectorEnv(20, opponent=script)
        before, _ = envs.reset(seed=0)
        for _ in range(60):
            after, *_ = envs.step(np.zeros((20, 2), np.float32))
        moved = np.abs(after[:, OTHER] - before[:, OTHER]).max(axis=1) > 1e-3
        assert (not moved.any()) if name == "rest" else moved.all(), name


@pytest.mark.parametrize(
    ("name", "nearer"),
    [("seek", True), ("pursuit", True), ("flee", False), ("evade", False)],
)
def test_hunters_come_nearer_and_the_hunted_go_away(name, nearer):
    envs = PursuitVectorEnv(50, opponent=ROSTER[name], arena="open")
    _, before = envs.reset(seed=0)
    for _ in range(45):
        *_, after = envs.step(np.zeros((50, 2), np.float32))
    assert ((after["distance"] < before["distance"]) == nearer).mean() > 0.9


@pytest.mark.compiled
def test_who_flees_lives_longer():
    names = ("rest", "wander", "seek", "flee", "evade")
    games = {
        name: captures(PursuitVectorEnv(400, opponent=ROSTER[name]), chase) for name in names
    }
    assert games["rest"][0] == 1.0
    steps = {name: length for name, (_, length) in games.items()}
    assert steps["seek"] < steps["rest"] - 5
    assert min(steps["flee"], steps["evade"]) > max(steps["rest"], steps["wander"]) + 10


@pytest.mark.compiled
def test_pursuit_catches_more_than_chance():
    rng = np.random.default_rng(0)

    def stagger(observations):
        return rng.uniform(-1, 1, (len(observations), 2))

    rate = {
        name: captures(EvadeVectorEnv(200, opponent=name), stagger)[0]
        for name in ("rest", "wander", "pursuit", "seek")
    }
    by_chance = captures(PursuitVectorEnv(200, opponent="evade"), stagger)[0]
    assert rate["pursuit"] > 0.9
    assert rate["pursuit"] > rate["wander"] + 0.3
    assert rate["wander"] >= rate["rest"]
    assert by_chance < 0.05


@pytest.mark.compiled
def test_scripts_against_scripts():
    share = {
        (pursuer, evader): duel(pursuer, evader)
        for pursuer in ("seek", "pursuit", "wander")
        for evader in ("rest", "wander", "evade")
    }
    assert share["pursuit", "rest"] == 1.0
    assert 0.5 <= share["pursuit", "evade"] <= 0.9
    assert share["pursuit", "evade"] < share["pursuit", "wander"] - 0.05
    assert share["seek", "evade"] < share["pursuit", "evade"] - 0.05
    assert share["wander", "evade"] < min(0.1, share["wander", "wander"])


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
@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
@pytest.mark.parametrize(
    "others", [[], [ROSTER["evade"], ROSTER["pursuit"]]], ids=["alone", "mixed"]
)
def test_policies_play_alike_in_single_and_vector_games(env_id, others, discrete, mode):
    keywords = {"capture_radius": 2.5, "max_episode_steps": 70, "arena": "torus"}
    keywords["opponent"] = [*others, Memory(discrete), *others, Memory()]
    envs = gym.make_vec(env_id, num_envs=3, autoreset_mode=mode, **keywords)
    sync = make_sync(env_id, 3, mode, **keywords)
    assert_same(envs.reset(seed=1), sync.reset(seed=1))
    assert_same(play_all(envs, 400), play_all(sync, 400))


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


@pytest.mark.parametrize("clone", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
@pytest.mark.parametrize("opponent", [Memory(), ["pursuit", Memory()]], ids=["alone", "mixed"])
def test_a_copy_keeps_the_policys_memory(clone, opponent):
    for env, run in (
        (EvadeEnv(opponent=opponent), play),
        (EvadeVectorEnv(3, opponent=opponent), play_all),
    ):
        env.reset(seed=0)
        run(env, 25)
        twin = clone(env)
        assert_same(run(twin, 100), run(env, 100))


BAD_ANSWERS = {
    "shape": (
        (np.zeros((1, 3)), None),
        ValueError,
        r"policy Constant as .*shape \(1, 2\).* or \(1,\).*got \(1, 3\)",
    ),
    "rows": ((np.zeros((2, 2)), None), ValueError, r"policy Constant as .*got \(2, 2\)"),
    "one": ((np.zeros(2), None), ValueError, r"policy Constant as .*got \(2,\)"),
    "floats": ((np.zeros(1), None), TypeError, "discrete and must be integers.*float64"),
    "bools": ((np.zeros((1, 2), bool), None), TypeError, "real numbers, got dtype bool"),
    "nan": ((np.full((1, 2), np.nan), None), ValueError, "policy .*Constant.*not finite"),
    "inf": ((np.full((1, 2), np.inf), None), ValueError, "policy .*Constant.*not finite"),
    "nine": ((np.array([9]), None), ValueError, "policy .*Constant.*go from 0 to 8"),
    "text": ((np.array([["a", "b"]]), None), TypeError, "policy .*Constant.*real numbers"),
    "none": (None, TypeError, "policy Constant as .*predict, got NoneType$"),
    "no state": (np.zeros((1, 2)), TypeError, r"predict, got ndarray of shape \(1, 2\)$"),
    "three": ((np.zeros((1, 2)), 0, 0), TypeError, "predict, got a tuple of length 3$"),
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
    with pytest.raises(error, match=message):
        env.step(actions)
    assert_same(env.get_state(), before)
    policy.answer = np.zeros((1, 2)), None
    env.step(actions)
    assert env.get_state()["game"]["steps"] == 2


def test_a_policys_own_error_comes_through():
    class Broken:
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            raise KeyError("mine")

    env = PursuitEnv(opponent=Broken())
    env.reset(seed=0)
    with pytest.raises(KeyError, match="mine"):
        env.step([0.0, 0.0])


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


def test_policies_may_write_into_what_they_get():
    class Scribbler(Memory):
        def predict(self, observation, state=None, episode_start=None, deterministic=False):
            answer = super().predict(observation, state, episode_start, deterministic)
            observation[...] = np.nan
            episode_start[...] = True
            return answer

    envs = PursuitVectorEnv(8, opponent=[Scribbler(), Memory()], max_episode_steps=20)
    clean = PursuitVectorEnv(8, opponent=[Memory(), Memory()], max_episode_steps=20)
    assert_same(envs.reset(seed=0), clean.reset(seed=0))
    assert_same(play_all(envs, 60), play_all(clean, 60))


@pytest.mark.parametrize("kind", [PursuitEnv, EvadeEnv])
def test_a_team_is_caught_one_by_one(kind):
    sign = 1.0 if kind is PursuitEnv else -1.0
    reward = {"time": 0.0, "closing": 0.0}
    env = kind(pursuers=3, evaders=2, capture_radius=3.0, reward=reward)
    players = 3 if kind is PursuitEnv else 2
    assert env.observation_space.shape == (players, 10 + 11 * 4)
    partly = ends = 0
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        captured = ended = cut = 0
        while not ended and not cut:
            actions = chase(observation) if kind is PursuitEnv else np.zeros((2, 2))
            before = captured
            observation, gain, ended, cut, info = env.step(actions)
            captured = info["captured"]
            assert gain == sign * 0.5 * (captured - before)
            assert ended == (captured == 2)
            assert (info["distance"] == 0.0) == ended
            partly += captured == 1
        ends += ended
    assert partly > 0
    assert ends > 0
