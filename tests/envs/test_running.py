"""A running environment takes other opponents, limits and starts, from its next episodes on."""

from __future__ import annotations

import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

from steer_env import Script
from steer_env.errors import InvalidAttribute, InvalidType, InvalidValue
from steer_env.players.network import NetworkPolicy
from steer_env.players.random_policy import RandomPolicy
from steer_env.steering import evade, norm, pursuit

from .test_opponents import Journal


def steps(env, count, action=(0.3, 0.1)):
    """The observations of some steps."""
    given = np.array(action, np.float32)
    num_envs = getattr(env, "num_envs", None)
    given = given if num_envs is None else np.tile(given, (num_envs, 1))
    return np.array([env.step(given)[0] for _ in range(count)])


def single(**keywords):
    return gym.make("Pursuit-v0", **keywords).unwrapped


def vector(num_envs=4, **keywords):
    return gym.make_vec("Pursuit-v0", num_envs=num_envs, **keywords).unwrapped


def test_another_opponent_plays_from_the_next_episode_on():
    env, flee, evader = single(), single(opponent="flee"), single()
    for game in (env, flee, evader):
        game.reset(seed=3)
    env.set_opponent("flee")
    np.testing.assert_array_equal(steps(env, 20), steps(evader, 20))  # this one goes on
    assert env.opponent == ("flee",)
    assert env.opponent_index == -1
    for game in (env, flee):
        game.reset(seed=4)
    np.testing.assert_array_equal(steps(env, 20), steps(flee, 20))
    assert env.opponent_index == 0


def test_episodes_that_run_keep_their_opponent_and_the_next_get_the_new_one():
    mixed = vector(40, horizon=30, opponent=["idle", "flee", "wander"])
    mixed.reset(seed=0)
    before = mixed.opponent_index
    mixed.set_opponent(["wander", "hide"], [0, 1])
    expected = {0: -1, 1: -1, 2: 0}
    assert mixed.opponent_index.tolist() == [expected[index] for index in before.tolist()]
    steps(mixed, 29)
    assert set(mixed.opponent_index.tolist()) == {-1, 0}
    steps(mixed, 3)
    assert mixed.opponent_index.tolist() == [1] * 40
    assert mixed.opponent_weights.tolist() == [0, 1]


def test_a_policy_that_stays_keeps_its_hidden_state():
    policy = Journal()
    envs = vector(2, opponent=["idle", policy], opponent_weights=[0, 1])
    envs.reset(seed=0)
    steps(envs, 3)
    envs.set_opponent([policy, "flee"], [1, 0])
    steps(envs, 2)
    assert [asked[-1] for _, _, asked in policy.pages] == [1, 2, 3, 4, 5]
    assert envs.opponent_index.tolist() == [0, 0]


def test_a_refused_opponent_changes_nothing():
    env, twin, wrong_policy = single(), single(), Journal()
    wrong_policy.observation_space = gym.spaces.Box(-1, 1, (5,))
    for game in (env, twin):
        game.reset(seed=3)
    for wrong in ("fle", "pursuit", [], 3, ["flee", "evde"]):
        with pytest.raises((InvalidValue, InvalidType)):
            env.set_opponent(wrong)
    with pytest.raises(InvalidValue, match="one weight for each"):
        env.set_opponent("flee", [1, 2])
    with pytest.raises(InvalidValue, match="observations of shape"):
        env.reset(options={"opponent": wrong_policy})
    np.testing.assert_array_equal(steps(env, 20), steps(twin, 20))
    assert env.opponent == ("evade",)


@pytest.mark.compiled
def test_a_behavior_that_cannot_be_compiled_changes_nothing():
    def not_a_force(me, other):
        return "left"

    envs = vector(6, opponent=["flee", "evade"])
    envs.reset(seed=0)
    before = envs.get_state()
    for refused in (
        lambda: envs.set_opponent(["evade", not_a_force]),
        lambda: envs.reset(seed=1, options={"opponent": not_a_force}),
    ):
        with pytest.raises(InvalidType, match="cannot be compiled"):
            refused()
        np.testing.assert_array_equal(envs.get_state(), before)
        assert envs.opponent == ("flee", "evade")


def test_a_named_policy_that_stays_plays_on():
    envs = vector(8, opponent=["flee", "random", "pretrained/evade/ppo"])
    envs.reset(seed=0)
    playing = envs.opponent_index
    assert len(set(playing)) == 3
    envs.set_opponent([*envs.opponent, "evade"])
    np.testing.assert_array_equal(envs.opponent_index, playing)
    envs.reset(options={"opponent": ["random"] * 8})
    np.testing.assert_array_equal(envs.opponent_index, [1] * 8)


def test_other_limits_from_the_next_episode_on():
    wide = {"pursuer": {"max_speed": 5.0}, "evader": {"mass": 2.0}}
    env = single(**wide)
    slow = single(pursuer={"max_speed": 5.0}, evader={"max_speed": 2.0, "mass": 1.5})
    env.reset(seed=0)
    before = env.get_state()
    env.set_limits(evader={"max_speed": 2.0, "mass": 1.5})
    assert env.config.evader.max_speed == 2.0
    steps(env, 5)
    env.set_state(before)  # with limits that episodes no longer have
    for game in (env, slow):
        game.reset(seed=9)
    np.testing.assert_array_equal(
        env.get_state()["players"]["body"], slow.get_state()["players"]["body"]
    )
    assert env.observation_space.contains(steps(env, 5)[-1])


def test_limits_can_be_ranges_and_of_each_vehicle():
    envs = vector(500, pursuers=2, pursuer={"max_speed": 6.0})
    envs.set_limits(evader={"max_speed": (1.0, 3.0)}, pursuer=[{"max_speed": 3.0}, {}])
    envs.reset(seed=0)
    speeds = envs.get_state()["players"]["body"]["max_speed"]
    assert (speeds[:, 0] == 3.0).all()
    assert (speeds[:, 1] == 6.0).all()
    assert 1.0 <= speeds[:, 2].min() < 1.1 < 2.9 < speeds[:, 2].max() <= 3.0
    envs.set_limits(evader={"max_speed": 2.5})  # a number ends the range
    envs.reset()
    assert (envs.get_state()["players"]["body"]["max_speed"][:, 2] == 2.5).all()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"evader": {"max_speed": 4.1}}, "max_speed"),
        ({"pursuer": {"max_speed": (1.0, 9.0)}}, "max_speed"),
        ({"evader": {"mass": 0.5}}, "max_force / mass"),
        ({"evader": {"model": "car"}}, "model"),
        ({"evader": {"drag": 1.0}}, "drag"),
        ({"evader": {"max_sped": 3.0}}, "'max_speed'"),
        ({"evader": [{}, {}]}, "evader"),
        ({"evader": 3.0}, "dict"),
    ],
)
def test_limits_that_do_not_fit_are_refused(limits, words):
    env = single()
    env.reset(seed=0)
    before = env.config
    with pytest.raises((InvalidValue, InvalidType), match=words):
        env.set_limits(**limits)
    with pytest.raises((InvalidValue, InvalidType), match=words):
        env.reset(options={"limits": limits})
    assert env.config is before


def test_options_for_the_games_of_a_mask():
    envs, plain = vector(3), vector(3)
    for games in (envs, plain):
        games.reset(seed=0)
        steps(games, 3)
    mask = np.array([False, True, False])
    start = {"evader": {"position": (3.0, -2.0)}}
    envs.reset(options={"reset_mask": mask, "opponent": "flee", "start": start})
    assert envs.opponent_index.tolist() == [0, -1, 0]
    places = envs.get_state()["players"]["body"]["position"]
    assert places[1, 1] == 3 - 2j
    np.testing.assert_array_equal(steps(envs, 9)[:, ~mask], steps(plain, 9)[:, ~mask])


def test_each_game_can_have_options_of_its_own():
    def options(opponent, heading):
        evader = {"heading": heading, "speed": 0.5}
        start = {"evader": evader, "pursuer": {"position": (0, 0)}}
        limits = {"evader": {"max_speed": 2.0}}
        return {"opponent": opponent, "start": start, "limits": limits}

    names, headings = ["flee", "idle", "flee", "wander"], np.array([0.0, 0.5, 1.0, 1.5])
    envs = vector(4, autoreset_mode="Disabled")
    seen, info = envs.reset(seed=2, options=options(names, headings))
    following = steps(envs, 10)
    for k, (name, heading) in enumerate(zip(names, headings)):
        env = single()
        alone, alone_info = env.reset(seed=2 + k, options=options(name, heading))
        np.testing.assert_array_equal(alone, seen[k])
        assert alone_info["distance"] == info["distance"][k]
        np.testing.assert_array_equal(steps(env, 10), following[:, k])


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_vehicles_start_where_they_are_told(arena):
    env = single(arena=arena, evaders=2)
    _, info = env.reset(
        seed=1,
        options={
            "start": {
                "pursuer": {"position": (-9.0, 0.0), "heading": np.pi / 2, "speed": 3.0},
                "evader": {"position": [(9.0, 0.0), (-9.0, 4.0)], "speed": [0.0, 1.0]},
            }
        },
    )
    bodies = env.get_state()["players"]["body"][0]
    assert bodies["position"].tolist() == [-9, 9, -9 + 4j]
    assert bodies["velocity"][0] == pytest.approx(3j)
    assert np.abs(bodies["velocity"]).tolist() == pytest.approx([3, 0, 1])
    far = 2.0 if arena == "torus" else 18.0
    assert info["distance"] == pytest.approx((far + 4.0) / 2)


def test_unknown_attributes_are_refused():
    for env in (single(), vector()):
        with pytest.raises(InvalidAttribute, match="Did you mean 'opponent'"):
            env.oponent = "flee"
        for name, value in (("horizon", 5), ("evader", {}), ("side", 1), ("dt", 0.1)):
            with pytest.raises(InvalidAttribute, match=f"{name} cannot change"):
                setattr(env, name, value)
        env.render_mode = "rgb_array"
        with pytest.raises(AttributeError):
            env.config = None


def test_a_file_that_was_written_anew_is_another_opponent(tmp_path):
    path, weights = str(tmp_path / "policy.npz"), [np.zeros((2, 21))]
    NetworkPolicy(weights, [[0.0, 0.0]], activation="tanh", head="box").save(path)
    envs = vector(2, opponent=path)
    envs.reset(seed=0)
    envs.set_opponent(path)
    assert envs.opponent_index.tolist() == [0, 0]
    NetworkPolicy(weights, [[1.0, 0.0]], activation="tanh", head="box").save(path)
    envs.set_opponent(path)
    assert envs.opponent_index.tolist() == [-1, -1]


def test_a_state_fits_after_the_pool_has_grown():
    env = single()
    env.reset(seed=0)
    steps(env, 5)
    state = env.get_state()
    after = steps(env, 5)
    env.set_opponent([*env.opponent, "wander"])
    env.set_state(state)
    np.testing.assert_array_equal(steps(env, 5), after)


@pytest.mark.parametrize(
    "opponent",
    [
        "pretrained/evade/ppo",
        "random",
        RandomPolicy(seed=3),
        Script(behavior="evade", wander=1.0),
        lambda me, other: evade(me, other) if norm(me.velocity) < 3.0 else pursuit(me, other),
    ],
)
def test_every_kind_of_opponent_can_take_over(opponent):
    early, late, once = vector(opponent=copy.deepcopy(opponent)), vector(), vector()
    late.reset(seed=1)
    late.opponent = copy.deepcopy(opponent)
    for envs in (early, late):
        envs.reset(seed=1)
    once.reset(seed=1, options={"opponent": copy.deepcopy(opponent)})
    expected = steps(early, 30)
    for envs in (late, once):
        np.testing.assert_array_equal(steps(envs, 30), expected)


def test_steering_goes_through_wrappers():
    env = RecordEpisodeStatistics(TimeLimit(gym.make("Pursuit-v0"), 50))
    env.get_wrapper_attr("set_opponent")("flee")
    assert env.unwrapped.opponent == ("flee",)
    env.set_wrapper_attr("opponent", ["evade", "flee"])
    assert env.unwrapped.opponent == ("evade", "flee")
    with pytest.raises(InvalidAttribute, match="horizon cannot change"):
        env.set_wrapper_attr("horizon", 50)
    env.reset(seed=0, options={"opponent": "idle"})
    assert env.unwrapped.opponent_index == -1

    sync = SyncVectorEnv([lambda: gym.make("Pursuit-v0")] * 3)
    native = RecordVectorStatistics(gym.make_vec("Pursuit-v0", 3))
    for envs in (sync, native.unwrapped):
        envs.reset(seed=0)
        envs.call("set_limits", evader={"max_speed": 2.0})
        envs.set_attr("opponent", "flee")
        assert envs.get_attr("opponent") == (("flee",),) * 3
        states = envs.call("get_state")
        assert [state.shape for state in states] == [(1,)] * 3
        assert envs.get_attr("opponent_index") == (-1, -1, -1)
        envs.reset(seed=1)
        bodies = [state["players"]["body"] for state in envs.call("get_state")]
        assert [body["max_speed"][0, 1] for body in bodies] == [2.0] * 3
        with pytest.raises(InvalidAttribute, match="arena cannot change"):
            envs.set_attr("arena", "torus")
    np.testing.assert_array_equal(steps(sync, 20), steps(native, 20))
    with pytest.raises(InvalidValue, match="call\\('set_opponent'"):
        native.unwrapped.set_attr("opponent", ["flee", "idle", "evade"])
    with pytest.raises(InvalidAttribute, match="'get_state'"):
        native.unwrapped.call("get_stat")
