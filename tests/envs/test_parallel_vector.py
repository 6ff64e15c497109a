"""N games whose players learn apart play the games of the other environments, bit for bit."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import steer_env
from steer_env.envs.parallel_vector import ParallelVectorEnv
from steer_env.errors import InvalidType, InvalidValue

from .same import assert_same

TEAMS = {"pursuers": 3, "evaders": 2, "capture_radius": 2.0, "arena_size": 12.0}
COUNTS = {"pursuer": 3, "evader": 2}
REST = {side: np.zeros((2, players, 2)) for side, players in COUNTS.items()}
"""Actions of two games that do nothing."""


def random_actions(envs, rng):
    return {
        side: rng.uniform(-1, 1, (envs.num_envs, envs.config.count(side), 2)).astype(np.float32)
        for side in envs.sides
    }


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("env_id", "side"), [("Pursuit-v0", "pursuer"), ("Evade-v0", "evader")]
)
def test_one_side_plays_the_vector_environment(env_id, side, mode):
    ours = ParallelVectorEnv(6, learner=side, autoreset_mode=mode, **TEAMS)
    theirs = gym.make_vec(env_id, 6, autoreset_mode=mode, **TEAMS)
    rng = np.random.default_rng(0)
    observations, info = ours.reset(seed=5)
    wanted, their_info = theirs.reset(seed=5)
    assert_same(observations[side], wanted)
    ends = 0
    for _ in range(300):
        alive = info["alive"][side]
        actions = random_actions(ours, rng)
        observations, rewards, terminations, truncations, info = ours.step(actions)
        wanted, reward, ended, cut, their_info = theirs.step(actions[side])
        # Players that are caught see nothing here; there their own block stays.
        shown = alive | info["alive"][side]
        assert (observations[side][shown] == wanted[shown]).all()
        assert not observations[side][~shown].any()
        assert (rewards[side] == np.where(alive, reward[:, None], 0.0)).all()
        assert (truncations[side].any(axis=1) == (cut & ~ended)).all()
        assert terminations[side][ended].sum() == alive[ended].sum()
        np.testing.assert_array_equal(info["distance"], their_info["distance"])
        np.testing.assert_array_equal(info["alive"][side], their_info["alive"])
        ends += ended.sum()
    assert ends > 1


def test_both_sides_get_opposite_rewards_and_the_flags_of_their_players():
    envs = steer_env.parallel_vec_env(16, horizon=80, **TEAMS)
    assert envs.sides == ("pursuer", "evader")
    rng = np.random.default_rng(1)
    _, info = envs.reset(seed=0)
    ends = {"terminated": 0, "truncated": 0}
    for _ in range(400):
        before = info["alive"]
        observations, rewards, terminations, truncations, info = envs.step(
            random_actions(envs, rng)
        )
        for side, count in COUNTS.items():
            assert observations[side].shape == (16, count, 54)
            assert rewards[side].dtype == np.float64
            assert not (terminations[side] & truncations[side]).any()
            assert not ((terminations[side] | truncations[side]) & ~before[side]).any()
            assert not observations[side][~before[side] & ~info["alive"][side]].any()
        of_pursuers, played = rewards["pursuer"][:, :1], before["evader"]
        assert (rewards["evader"] == np.where(played, -of_pursuers, 0.0)).all()
        caught = terminations["evader"]
        assert (info["captures"].any(axis=2) == caught).all()
        ends["terminated"] += terminations["pursuer"].any()
        ends["truncated"] += truncations["pursuer"].any()
    assert min(ends.values()) > 0


def test_same_step_gives_what_ended():
    both = [ParallelVectorEnv(8, autoreset_mode=m, **TEAMS) for m in ("SameStep", "Disabled")]
    same, disabled = both
    for envs in both:
        envs.reset(seed=1)
    rng = np.random.default_rng(3)
    for _ in range(400):
        actions = random_actions(same, rng)
        *_, info = same.step(actions)
        observations, *_, last = disabled.step(actions)
        if "final_obs" not in info:
            continue
        over = info["_final_obs"]
        for side in COUNTS:
            assert (info["final_obs"][side][over] == observations[side][over]).all()
            assert (info["final_info"]["alive"][side] == last["alive"][side]).all()
        assert not info["captures"][over].any()
        assert last["captures"][over].any()
        assert info["alive"]["evader"][over].all()
        return
    pytest.fail("no game ended")


def test_disabled_mode_needs_a_mask():
    envs = ParallelVectorEnv(2, autoreset_mode="Disabled", horizon=2, **TEAMS)
    envs.reset(seed=0)
    envs.step(REST)
    *_, truncations, _ = envs.step(REST)
    assert truncations["pursuer"].all()
    with pytest.raises(ResetNeeded):
        envs.step(REST)
    mask = np.array([True, False])
    observations, _ = envs.reset(options={"reset_mask": mask})
    assert observations["pursuer"].shape == (2, 3, 54)
    with pytest.raises(ResetNeeded):
        envs.step(REST)
    envs.reset(options={"reset_mask": ~mask})
    envs.step(REST)


def test_discrete_actions():
    discrete = ParallelVectorEnv(3, action_type="discrete", **TEAMS)
    continuous = ParallelVectorEnv(3, **TEAMS)
    for envs in (discrete, continuous):
        envs.reset(seed=0)
    ahead = {side: np.full((3, n), 1) for side, n in COUNTS.items()}
    pushed = {side: np.tile([1.0, 0.0], (3, n, 1)) for side, n in COUNTS.items()}
    assert_same(discrete.step(ahead), continuous.step(pushed))
    assert discrete.action_spaces["evader"].n == 9


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"learner": "hunter"}, InvalidValue, "learner"),
        ({"learner": "both", "opponent": "evade"}, InvalidValue, "learn"),
        ({"credit": "mine"}, InvalidValue, "credit"),
        ({"credit": "own", "game": "two_cars"}, InvalidValue, "payoff"),
        ({"credit": "own", "reward": {"terms": [lambda step: 0.0]}}, InvalidValue, "terms"),
        ({"opponent_weights": [1.0]}, InvalidValue, "both sides learn"),
        ({"observation": {"noise": 0.1}}, InvalidValue, "noise"),
        ({"persuers": 3}, InvalidType, "pursuers"),
        ({"render_mode": "ansi"}, InvalidValue, "render"),
    ],
)
def test_keywords_are_checked(keywords, error, message):
    with pytest.raises(error, match=message):
        ParallelVectorEnv(2, **keywords)


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        (REST["pursuer"], InvalidType, "dict"),
        ({"pursuer": REST["pursuer"]}, InvalidValue, "'evader' is missing"),
        ({**REST, "evader": np.zeros((2, 2))}, InvalidValue, "evaders'"),
        ({**REST, "evader": np.full((2, 2, 2), np.nan)}, InvalidValue, "not finite"),
        ({**REST, "pursuers": REST["pursuer"]}, InvalidValue, "pursuer"),
    ],
)
def test_actions_are_checked(actions, error, message):
    envs = ParallelVectorEnv(2, **TEAMS)
    envs.reset(seed=0)
    before = envs.get_state()
    with pytest.raises(error, match=message):
        envs.step(actions)
    assert_same(envs.get_state(), before)


def test_the_order_of_calls_is_checked():
    envs = ParallelVectorEnv(2, **TEAMS)
    with pytest.raises(ResetNeeded):
        envs.step(REST)
    with pytest.raises(ResetNeeded):
        envs.state()
    with pytest.raises(InvalidValue, match="both sides learn"):
        envs.reset(options={"opponent": "evade"})
    with pytest.raises(InvalidValue, match="both sides learn"):
        envs.set_opponent("evade")
    envs.reset(seed=0)
    envs.close(), envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(REST)
