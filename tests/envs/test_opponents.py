"""Opponents: names, scripts, mixtures and teams; and they do what they say."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.errors import InvalidValue
from steer_env.game.config import GameConfig
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER, named_script
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import ENVIRONMENTS

from .same import assert_same, play, play_all, sides_of

OTHER = slice(11, 13)  # features: the offset of the other player
ANY_GAME = [name for name, script in ROSTER.items() if not script.is_optimal]
OPPONENTS_SIDE = {PursuitEnv: EVADER, EvadeEnv: PURSUER}


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


@pytest.mark.parametrize("name", ANY_GAME)
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
        for name in ANY_GAME
        if side.other not in sides_of(name)
    ],
)
@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_a_name_of_the_other_side_is_refused_and_its_script_is_not(make, env_id, name):
    side = ENVIRONMENTS[env_id].side
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
    for name in ANY_GAME:
        envs = PursuitVectorEnv(20, opponent=ROSTER[name])
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
