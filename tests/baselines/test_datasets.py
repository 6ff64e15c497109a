"""Collected episodes are the environment's, lead through it again, and are kept whole."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest

from steer_env.actions import DIRECTIONS
from steer_env.baselines import Dataset, FunctionPolicy, collect
from steer_env.game.config.observation import FeatureFunction
from steer_env.game.engine import LARGEST_SEED
from steer_env.scripts.script import Script


def nothing(transition):
    return 0.0


def nearness(me, other):
    return 1.0 / (1.0 + abs(me.position - other.position))


class WholePolicy:
    """Takes all features of the default game, and is told where an episode begins."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (21,))

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        assert episode_start.tolist() == [state is None] * len(observation)
        return np.zeros((len(observation), 2), np.float32), "begun"


OWN_FEATURE = {"observation": {"features": ["own.speed", FeatureFunction(nearness)]}}
TEAMS = {"pursuers": 2, "evaders": 2, "obstacles": 2, "arena": "torus", "horizon": 90}


NOISY = {
    "horizon": 70,
    "dt": 0.05,
    "observation": {
        "features": [
            "other.distance",
            "own.speed",
            "other.offset_left",
            "other.offset_forward",
        ],
        "noise": 0.01,
        "delay": 2,
    },
    "action": {"noise": 0.1, "delay": 1},
    "randomize": {"evader": {"max_speed": (2.0, 3.0)}},
}


def check_replayed(data, make_env=None, episodes=None):
    """An environment that takes the recorded actions gives all that was recorded."""
    env = data.make_env() if make_env is None else make_env()
    for index in range(len(data)) if episodes is None else episodes:
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


@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize(
    ("pursuer", "evader", "game"),
    [
        ("pursuit", "evade", {"horizon": 120}),
        ("random", "wander", {"horizon": 30, "pursuer": {"model": "car"}}),
        ("pursuit", "evade/among_obstacles", TEAMS),
        ("pursuit", "evade", NOISY),
        ("pursuit", "evade", NOISY | TEAMS),
        ("pursuit", "evade", {"observation": {"scales": "game"}, "horizon": 60}),
    ],
)
def test_the_actions_lead_through_the_episodes_again(pursuer, evader, game, side):
    data = collect(pursuer, evader, game, 2, 40, side=side, epsilon=0.3)
    np.testing.assert_array_equal(data.seeds, np.arange(40, 42))
    assert data.environment.startswith("Pursuit" if side == "pursuer" else "Evade")
    check_replayed(data)


def test_a_behavior_or_a_policy_of_the_caller_is_collected():
    def ahead(me, other):
        return me.heading * me.max_speed - me.velocity

    data = collect(Script(behavior="seek"), ahead, config={"horizon": 40}, episodes=3)
    assert "opponent" not in data.keywords
    assert data.about["evader"] == "ahead"
    with pytest.raises(ValueError, match="do not name their opponent, ahead"):
        data.make_env()
    check_replayed(data, lambda: gym.make("Pursuit-v0", opponent=ahead, horizon=40))
    collect(WholePolicy(), "flee", config={"horizon": 40}, episodes=3)
    for columns, game in (([11, 12], {"horizon": 40}), ([3, 2], NOISY)):
        policy = FunctionPolicy(lambda rows, columns=columns: rows[:, columns])
        data = collect(policy, "flee", game, 2, 5)
        check_replayed(data)
        np.testing.assert_array_equal(data.actions, data.observations[:, columns])


@pytest.mark.parametrize("side", ["pursuer", "evader"])
def test_captures_in_the_last_step_are_terminations_and_truncations(side):
    """The end of an episode stands in the row of the step that ends it, and in no other."""
    data = collect("navigation", "flee", {"horizon": 115}, 200, 3, side=side)
    last = data.starts + data.lengths - 1
    ends = data.terminations | data.truncations
    np.testing.assert_array_equal(np.flatnonzero(ends), last)
    both = data.terminations & data.truncations
    assert both.any()
    assert (data.lengths[both[last]] == 115).all()
    np.testing.assert_array_equal(data.truncations[last], data.lengths == 115)
    # A capture's reward comes in that row.
    gains = data.rewards if side == "pursuer" else -data.rewards
    assert gains[data.terminations].min() > 0.9
    assert gains[~data.terminations].max() < 0.1
    for index in np.flatnonzero(both[last])[:2]:
        check_replayed(data, episodes=[index])


@pytest.mark.parametrize("epsilon", [0.0, 0.25])
def test_epsilon_is_the_share_of_random_actions(epsilon):
    policy = FunctionPolicy(lambda rows: np.zeros((len(rows), 2)))
    data = collect(policy, "flee", {"horizon": 100}, 50, epsilon=epsilon)
    moved = data.actions.any(axis=1)
    assert moved.mean() == pytest.approx(epsilon, abs=0.03)
    if epsilon:
        assert data.actions[moved].mean() == pytest.approx(0.0, abs=0.06)
        assert data.actions[moved].std() == pytest.approx(3.0**-0.5, abs=0.04)


def test_an_episode_depends_on_its_seed_alone(monkeypatch):
    given, done = {"config": {"horizon": 50}, "epsilon": 0.5}, []
    whole = collect("seek", "wander", episodes=6, seed=3, **given)
    later = collect("seek", "wander", episodes=1, seed=5, **given)
    np.testing.assert_array_equal(later.actions, whole.actions[whole.episode(2)])
    monkeypatch.setattr("steer_env.baselines.datasets._STEPS_AT_ONCE", 100)  # two episodes
    parts = collect("seek", "wander", episodes=6, seed=3, progress=done.append, **given)
    assert done == [2, 4]
    for name in ("observations", "actions", "rewards", "lengths", "starts", "seeds"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


@pytest.mark.parametrize(
    ("keywords", "error", "match"),
    [
        ({"side": "pursuers"}, ValueError, "'pursuer'"),
        ({"episodes": 0}, ValueError, "episodes"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": LARGEST_SEED, "episodes": 2}, ValueError, "seed"),
        ({"epsilon": 1.1}, ValueError, "epsilon"),
        ({"config": {"arenna": "open"}}, TypeError, "'arena'"),
        ({"config": {"reward": {"terms": nothing}}}, TypeError, "reward"),
        ({"config": OWN_FEATURE}, TypeError, "observation"),
        (
            {"pursuer": WholePolicy(), "config": {"observation": {"features": ["own.speed"]}}},
            ValueError,
            r"\(21,\).*\(1,\)",
        ),
        ({"evader": "pursuit"}, ValueError, "evader"),
    ],
)
def test_wrong_arguments_are_refused(keywords, error, match):
    with pytest.raises(error, match=match):
        collect(**{"pursuer": "seek", "evader": "flee", "episodes": 1, **keywords})


def test_discrete_actions_are_kept_as_forces():
    pushes = FunctionPolicy(lambda rows: np.full(len(rows), 3))
    data = collect(pushes, "flee", config={"horizon": 5}, episodes=1)
    np.testing.assert_array_equal(data.actions, np.tile(DIRECTIONS[3], (5, 1)))


def test_the_command_writes_what_the_function_returns(say, tmp_path):
    path, line = tmp_path / "data.npz", "--pursuer seek --evader flee --side evader --seed 9"
    printed = say(f"collect {line} --episodes 4 --horizon 50 --epsilon 0.1 --out", path)
    expected = collect("seek", "flee", {"horizon": 50}, 4, 9, side="evader", epsilon=0.1)
    found = Dataset.load(path)
    np.testing.assert_array_equal(found.observations, expected.observations)
    np.testing.assert_array_equal(found.actions, expected.actions)
    assert (found.keywords, found.about) == (expected.keywords, expected.about)
    assert f"4 episodes, {len(found.rewards)} steps" in printed
    assert f"{found.terminations.sum() / 4:.1%} captured" in printed
    with np.load(path) as plain:  # without pickle
        description = json.loads(str(plain["description"]))
        np.testing.assert_array_equal(plain["rewards"], expected.rewards)
    assert description["keywords"] == {"horizon": 50, "opponent": "seek"}


@pytest.fixture(scope="module")
def data():
    game = {"horizon": 40, "obstacles": 1, "reward": {"time": 0.5}}
    return collect("pursuit", "evade", game, episodes=4, seed=7, epsilon=0.2)


def test_a_saved_data_set_is_the_same(data, tmp_path):
    path = tmp_path / "data.npz"
    data.save(path)
    found = Dataset.load(path)
    for name, value in vars(data).items():
        np.testing.assert_array_equal(getattr(found, name), value)
    assert len(found) == 4
    assert repr(found) == f"Dataset('Pursuit-v0', 4 episodes, {len(data.rewards)} steps)"


@pytest.mark.parametrize(
    "changes",
    [
        {"rewards": None},
        {"rewards": np.zeros(3)},
        {"seeds": np.zeros(4)},
        {"lengths": np.array([1, 1, 1, 1])},
        {"starts": np.array([0, 1, 2, 3])},
        {"actions": np.zeros((4, 2), complex)},
        {"description": np.array("{}")},
        {"description": np.array(json.dumps({"format": "other"}))},
        {"more": np.zeros(2)},
    ],
    ids=str,
)
def test_damaged_files_are_refused(changes, data, tmp_path):
    path = tmp_path / "data.npz"
    data.save(path)
    with np.load(path) as found:
        arrays = {**found, **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ValueError, match=r"data\.npz is not a data set that Dataset\.save"):
        Dataset.load(path)
