"""Collected episodes are the environment's, and their actions lead through them again."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest

from baselines import Dataset, FunctionPolicy, collect, evaluate
from steer_env.actions import DIRECTIONS
from steer_env.game.config import game_config
from steer_env.scripts.script import Script

TEAMS = {"pursuers": 2, "evaders": 2, "obstacles": 2, "arena": "torus", "horizon": 90}


def check_replayed(data, make_env=None):
    """An environment that takes the recorded actions gives all that was recorded."""
    env = data.make_env() if make_env is None else make_env()
    for index in range(len(data)):
        observation, _ = env.reset(seed=int(data.seeds[index]))
        rows = data.episode(index)
        for row in range(rows.start, rows.stop):
            np.testing.assert_array_equal(observation, data.observations[row])
            assert env.action_space.contains(data.actions[row])
            observation, reward, terminated, truncated, _ = env.step(data.actions[row])
            expected = data.rewards[row], data.terminations[row], data.truncations[row]
            assert (reward, terminated, truncated) == expected
        np.testing.assert_array_equal(observation, data.final_observations[index])
        assert terminated or truncated


@pytest.mark.parametrize("action_type", ["continuous", "discrete"])
@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize(
    ("pursuer", "evader", "game"),
    [
        ("pursuit", "evade", {"horizon": 120}),
        ("random", "wander", {"horizon": 60, "pursuer": {"model": "car"}}),
        ("pursuit", "evade/among_obstacles", TEAMS),
    ],
)
def test_the_actions_lead_through_the_episodes_again(pursuer, evader, game, side, action_type):
    data = collect(pursuer, evader, side, game, 5, 40, epsilon=0.3, action_type=action_type)
    np.testing.assert_array_equal(data.seeds, np.arange(40, 45))
    assert data.environment.startswith("Pursuit" if side == "pursuer" else "Evade")
    check_replayed(data)


def test_a_script_plays_as_in_the_loop():
    """Its actions come from float32 observations, which changes hardly any episode's end."""
    for side in ("pursuer", "evader"):
        data = collect("pursuit", "evade", side, {"horizon": 200}, 60)
        found = evaluate("pursuit", "evade", {"horizon": 200}, 60)
        ends = np.add.reduceat(data.terminations, data.starts) > 0
        assert (ends != found["captured"]).mean() < 0.1


def test_a_behavior_or_a_policy_of_the_caller_is_collected():
    def ahead(me, other):
        return me.heading * me.max_speed - me.velocity

    data = collect(Script(behavior="seek"), ahead, game={"horizon": 40}, episodes=3)
    assert "opponent" not in data.keywords
    assert data.about["evader"] == "ahead"
    check_replayed(data, lambda: gym.make("Pursuit-v0", opponent=ahead, horizon=40))
    policy = FunctionPolicy(lambda rows: rows[:, 11:13])
    data = collect(policy, "flee", game={"horizon": 40}, episodes=3)
    check_replayed(data)
    np.testing.assert_array_equal(data.actions, data.observations[:, 11:13])


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("action_type", ["continuous", "discrete"])
def test_epsilon_is_the_share_of_random_actions(epsilon, action_type):
    still = 0 if action_type == "discrete" else np.zeros(2)
    policy = FunctionPolicy(lambda rows: np.broadcast_to(still, (len(rows), *np.shape(still))))
    data = collect(
        policy, "flee", game={"horizon": 100}, episodes=50, epsilon=epsilon,
        action_type=action_type,
    )  # fmt: skip
    steps = len(data.rewards)
    moved = (data.actions != still).reshape(steps, -1).any(axis=1)
    share = epsilon * (8 / 9 if action_type == "discrete" else 1.0)
    assert moved.mean() == pytest.approx(share, abs=0.03)
    if epsilon == 0.25 and action_type == "continuous":
        assert data.actions[moved].mean() == pytest.approx(0.0, abs=0.06)
        assert data.actions[moved].std() == pytest.approx(3.0**-0.5, abs=0.04)


def test_an_episode_depends_on_its_seed_alone(monkeypatch):
    game = {"horizon": 50}
    whole = collect("seek", "wander", game=game, episodes=6, seed=3, epsilon=0.5)
    monkeypatch.setattr("baselines.collection._STEPS_AT_ONCE", 100)  # two episodes at once
    done = []
    parts = collect(
        "seek", "wander", game=game, episodes=6, seed=3, epsilon=0.5, progress=done.append
    )
    assert done == [2, 4]
    for name in ("observations", "actions", "rewards", "lengths", "starts", "seeds"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    later = collect("seek", "wander", game=game, episodes=1, seed=5, epsilon=0.5)
    np.testing.assert_array_equal(later.actions, whole.actions[whole.episode(2)])


@pytest.mark.parametrize(
    ("keywords", "error", "match"),
    [
        ({"side": "pursuers"}, ValueError, "Did you mean 'pursuer'"),
        ({"episodes": 0}, ValueError, "episodes must be from 1"),
        ({"seed": -1}, ValueError, "seed must be from 0"),
        ({"epsilon": 1.1}, ValueError, "epsilon must be finite and at least 0 and at most 1"),
        ({"action_type": "float"}, ValueError, "unknown action_type"),
        ({"game": {"arenna": "open"}}, TypeError, "Did you mean 'arena'"),
        ({"game": game_config()}, TypeError, "must be a dict of the environment's keywords"),
        ({"game": {"arena": {1}}}, TypeError, "values that JSON can hold"),
        ({"evader": "pursuit"}, ValueError, "would play the evader"),
        ({"pursuer": "pursit"}, ValueError, "Did you mean 'pursuit'"),
    ],
)
def test_wrong_arguments_are_refused(keywords, error, match):
    with pytest.raises(error, match=match):
        collect(**{"pursuer": "seek", "evader": "flee", "episodes": 1, **keywords})


def test_continuous_actions_in_a_discrete_environment_are_refused():
    policy = FunctionPolicy(lambda rows: rows[:, 11:13])
    with pytest.raises(TypeError, match=r"FunctionPolicy.* has continuous actions; collect"):
        collect(policy, "flee", episodes=1, action_type="discrete")
    pushes = FunctionPolicy(lambda rows: np.full(len(rows), 3))
    data = collect(pushes, "flee", game={"horizon": 5}, episodes=1)
    np.testing.assert_array_equal(data.actions, np.tile(DIRECTIONS[3], (5, 1)))


# ---- The command ---------------------------------------------------------------------------


def test_the_command_writes_what_the_function_returns(say, tmp_path):
    path = tmp_path / "data.npz"
    line = (
        "collect --pursuer seek --evader flee --side evader --episodes 4 --seed 9 --horizon 50"
    )
    printed = say(f"{line} --epsilon 0.1 --out", path)
    expected = collect("seek", "flee", "evader", {"horizon": 50}, 4, 9, epsilon=0.1)
    found = Dataset.load(path)
    np.testing.assert_array_equal(found.observations, expected.observations)
    np.testing.assert_array_equal(found.actions, expected.actions)
    assert (found.keywords, found.about) == (expected.keywords, expected.about)
    assert f"4 episodes, {len(found.rewards)} steps" in printed
    with np.load(path) as plain:  # without pickle
        description = json.loads(str(plain["description"]))
        np.testing.assert_array_equal(plain["rewards"], expected.rewards)
    assert description["keywords"] == {"horizon": 50, "opponent": "seek"}
    check_replayed(found)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("collect --out data.csv", "'data.csv' is neither an .npz file nor the id of a Minari"),
        ("collect --out nowhere/data.npz", "there is no folder 'nowhere'"),
        ("collect --pursuer a.zip --out x.npz", "a.zip is a file of stable-baselines3, which"),
    ],
)
def test_what_the_command_cannot_write_is_refused_before_anything_is_played(
    line, message, say, capsys, monkeypatch, tmp_path
):
    if "csv" in line:
        pytest.importorskip("minari")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        say(line)
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
