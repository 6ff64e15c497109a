"""Opponents: names, scripts, mixtures and teams; and they do what they say."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines import evaluate
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.scripts.roster import ROSTER

from .same import assert_same

OTHER = slice(11, 13)  # features: the offset of the other player
ANY_GAME = [name for name, script in ROSTER.items() if not script.is_optimal]


def chase(observations):
    """A simple learner: full force toward where the other is, less the drift across it."""
    wish = observations[..., OTHER] * 20.0 + observations[..., 13:15] * 8.0
    return wish / np.maximum(np.linalg.norm(wish, axis=-1, keepdims=True), 1e-6)


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
