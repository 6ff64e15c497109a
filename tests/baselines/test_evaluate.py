"""Evaluations are paired, exact about time-outs, and refuse unsuitable players."""

from __future__ import annotations

import functools
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from recorded import trajectory

from steer_env.baselines import FunctionPolicy, NetworkPolicy, RandomPolicy, evaluate, load
from steer_env.game.config import make_game
from steer_env.players.resolver import name_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script


class Still:
    """A policy that never moves, and remembers its observations."""

    def __init__(self):
        self.first = []

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        self.first.append(episode_start.all())
        assert deterministic
        return np.zeros((len(observation), 2), np.float32), (state or 0) + 1


def straight_ahead(me, other):
    """Runs on along its heading at top speed."""
    return me.heading * me.max_speed - me.velocity


def test_the_same_seed_gives_the_same_starts_to_all_players():
    one, other = (evaluate("pursuit", "evade", episodes=300) for _ in range(2))
    assert one.episodes.tobytes() == other.episodes.tobytes()
    later = evaluate("pursuit", "evade", episodes=20, seed=130)
    assert later.episodes.tobytes() == one.episodes[130:150].tobytes()
    # With the same random numbers, both sides would push with the same forces.
    found, again = (evaluate("random", "random", {"horizon": 20}, 30) for _ in range(2))
    assert (found["pursuer_effort"] != found["evader_effort"]).all()
    assert found.episodes.tobytes() == again.episodes.tobytes()


def test_a_time_out_counts_as_the_limit():
    config = make_game(horizon=30)
    episodes = evaluate(Still(), "evade", config, episodes=20)
    assert not episodes["captured"].any()
    np.testing.assert_allclose(episodes["time"], 30 * config.dt)
    assert episodes.time_limit == pytest.approx(1.0)
    assert (episodes["distance"] > config.capture_radius).all()
    np.testing.assert_array_equal(episodes["seed"], np.arange(20))
    half = FunctionPolicy(lambda rows: np.tile([0.3, 0.4], (len(rows), 1)))
    efforts = evaluate(half, "evade", config, episodes=3)["pursuer_effort"]
    np.testing.assert_allclose(efforts, 0.5, atol=1e-7)


def test_pursuit_of_a_vehicle_at_rest_takes_the_time_to_get_there():
    config = make_game(evader={"max_speed": 1e-3})
    episodes = evaluate("seek", "idle", config, episodes=50)
    assert episodes["captured"].all()
    assert (episodes["time"] > 4.0 / config.pursuer.max_speed).all()
    assert (episodes["distance"] == 0.0).all()
    assert (episodes["closest"] < config.capture_radius).all()


@pytest.mark.parametrize(
    "keywords",
    [
        {"arena": "torus"},
        {"pursuers": 2, "evaders": 3, "solid": "everyone", "capture_radius": 0.8},
        {"pursuer": {"model": "car"}, "evader": {"model": "simple_motion"}},
    ],
    ids=["torus", "teams", "cars"],
)
def test_measures_are_those_of_the_recorded_episode(keywords):
    """Paths are the sums of all displacements, on a torus the short way, over a side's mean."""
    config = make_game(**keywords)
    found = evaluate("pursuit", "evade", config, 1, 7)
    shown = trajectory("pursuit", "evade", config, 7)
    places, offsets = shown.positions, config.region.offsets
    steps, apart = offsets(places[:-1], places[1:]), offsets(places[:, 0], places[:, -1])
    lengths = np.abs(steps).sum(axis=0)
    assert found["pursuer_path"][0] == pytest.approx(lengths[: config.pursuers].mean())
    assert found["evader_path"][0] == pytest.approx(lengths[config.pursuers :].mean())
    assert found["time"][0] == pytest.approx(shown.times[-1], abs=1e-12)
    assert found["captured"][0] == shown.status.is_captured
    active = shown.states["players"]["active"][-1, config.pursuers :]
    assert found["caught"][0] == (~active).sum()
    if config.evaders == 1:  # the closest moment may be within a step
        least = np.abs(apart).min()
        assert least - 0.15 < found["closest"][0] <= np.nextafter(least, 1.0)


@pytest.mark.parametrize(
    ("ours", "error", "match"),
    [
        (3, TypeError, "^pursuer"),
        (["seek", "pursuit"], TypeError, "^pursuer.*list"),
        (Still, TypeError, r"pass Still\("),
        (lambda rows: rows, (TypeError, ValueError), "FunctionPolicy"),
        (functools.partial(np.add), TypeError, "FunctionPolicy"),
        (Path("pursuit"), FileNotFoundError, "pursuit"),
        ({}, TypeError, r"pursuer lacks the field 'behavior', got {}"),
    ],
)
def test_anything_but_a_policy_is_refused(ours, error, match):
    with pytest.raises(error, match=match):
        evaluate(ours, "evade", episodes=2)


@pytest.mark.compiled
def test_a_function_that_only_looks_like_a_behavior_is_refused():
    def scaled(rows, gain=2.0):
        return gain * rows[:, 11:13]

    def of_two(rows, gains):
        return gains * rows

    with pytest.raises(TypeError, match=r"(?s)scaled.*FunctionPolicy"):
        evaluate(scaled, "evade", episodes=2)
    assert len(evaluate(FunctionPolicy(scaled), "evade", episodes=2)) == 2
    for refused in (
        lambda: evaluate(of_two, "evade", episodes=2),
        lambda: gym.make("Evade-v0", opponent=of_two),
    ):
        with pytest.raises(TypeError, match=r"(?s)cannot be compiled.*FunctionPolicy"):
            refused()


def test_a_policy_for_another_game_is_refused():
    layer = [np.zeros((2, 33), np.float32)], [np.zeros(2, np.float32)]
    policy = NetworkPolicy(*layer, activation="tanh", head="box")
    with pytest.raises(ValueError, match=r"shape \(33,\).*\(21,\)"):
        evaluate(policy, "evade", episodes=2)
    with pytest.raises(ValueError, match="Box"):
        evaluate(RandomPolicy(gym.spaces.Box(-1, 1, (3,))), "evade", episodes=2)
    with pytest.raises(ValueError, match=r"\(33,\)"):
        gym.make("Evade-v0", opponent=policy)


@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("evade/intercept", "evade/intercept"),
        (ROSTER["pursuit"], "pursuit"),
        (Script(behavior="evade", description="mine"), "Script(evade)"),
        ({"behavior": "evade"}, "Script(evade)"),
        (Script(behavior="evade", threat_range=1), "Script(evade, threat_range=1)"),
        (
            Script(behavior="evade", lookahead="none", wander=0.7),
            "Script(evade, lookahead=none, wander=0.7)",
        ),
        (Script(behavior=straight_ahead), "Script(straight_ahead)"),
        (FunctionPolicy(np.tanh), "tanh"),
        (straight_ahead, "straight_ahead"),
        (Still(), "Still"),
    ],
)
def test_names_in_tables(player, name):
    assert name_of(player) == name


def test_policies_load_by_the_path_of_their_file(tmp_path):
    generator = np.random.default_rng(0)
    weights = [generator.normal(size=(16, 21)), generator.normal(size=(2, 16))]
    policy = NetworkPolicy(weights, [np.zeros(16), np.zeros(2)], activation="relu", head="box")
    path = tmp_path / "policy.npz"
    policy.save(path)
    from_file = evaluate(str(path), "evade", episodes=20)
    alone = evaluate(policy, "evade", episodes=20)
    assert from_file.episodes.tobytes() == alone.episodes.tobytes()
    assert from_file.pursuer == f"{tmp_path.name}/{path.stem}"
    rows = generator.uniform(-1, 1, (5, 21)).astype(np.float32)
    for given in (path, str(path)):
        np.testing.assert_array_equal(load(given).predict(rows)[0], policy.predict(rows)[0])


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "EvadeDiscrete-v0"])
def test_random_policies_stay_in_the_action_space_and_repeat_with_their_seed(env_id):
    env, rows = gym.make(env_id), np.zeros((40, 21), np.float32)
    actions, again, other = (load("random", env, x).predict(rows)[0] for x in (1, 1, 2))
    assert all(env.action_space.contains(action) for action in actions)
    assert env.action_space.contains(np.asarray(load("random", env).predict(rows[0])[0])[()])
    np.testing.assert_array_equal(actions, again)
    assert not np.array_equal(actions, other)
    envs = gym.make_vec(env_id, num_envs=3)  # the policy is for one of many
    assert load("random", envs).action_space == envs.single_action_space
    assert load("random").action_space.shape == (2,)
    envs.close()


def test_a_function_is_a_policy():
    policy = FunctionPolicy(lambda rows: rows[:, :2] * 2)
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, (4, 21)).astype(np.float32)
    actions, state = policy.predict(rows, state="kept")
    assert state == "kept"
    np.testing.assert_array_equal(actions, rows[:, :2] * 2)
    np.testing.assert_array_equal(policy.predict(rows[0])[0], actions[0])
    with pytest.raises(TypeError, match="function"):
        FunctionPolicy("pursuit")
