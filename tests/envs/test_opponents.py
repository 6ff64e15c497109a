"""Opponents: by name or file, in mixtures and in teams, and who is asked."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines import evaluate
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.players.pretrained import load_network, path_of
from steer_env.scripts.roster import ROSTER

from .same import assert_same, play_all
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
