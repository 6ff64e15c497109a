"""The learner's sensors and actuators: chosen features, noise and delay."""

from __future__ import annotations

import json
import math
import pickle

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import FunctionPolicy, evaluate, load
from steer_env.errors import FaultyBehavior, InvalidValue
from steer_env.game.config import make_game
from steer_env.game.config.features import DERIVED, NAMED, PATH_FEATURES
from steer_env.game.config.observation import FeatureFunction, ObservationConfig
from steer_env.game.random import OF_ACTUATORS, OF_SENSORS, noise
from steer_env.steering import Vehicle, closing_speed, line_of_sight_rate
from steer_env.steering.targets import disc, offset_to_target

AHEAD = np.float32([1.0, 0.2])


def make(env_id="Pursuit-v0", **keywords):
    return gym.make(env_id, **keywords).unwrapped


def rows(env, steps=30, seed=3):
    """The observations of an episode's start and of some steps."""
    return np.array([env.reset(seed=seed)[0], *(env.step(AHEAD)[0] for _ in range(steps))])


def test_features_are_chosen_and_ordered_by_name():
    standard = rows(make(obstacles=2))
    places = [[*NAMED].index(name) for name in ("other.radius", "own.speed")]
    chosen = rows(make(obstacles=2, observation={"features": ["other.radius", "own.speed"]}))
    np.testing.assert_array_equal(chosen, standard[:, places])
    blocks = rows(make(obstacles=2, observation={"features": ["obstacle", "own"]}))
    np.testing.assert_array_equal(blocks, np.hstack([standard[:, 21:], standard[:, :10]]))


def can_show(name, arena):
    """True if a game without a target, lidar or map has a feature in an arena."""
    needs_more = name.startswith(("own.target", "lidar.")) or "path" in name
    return not needs_more and (arena == "walls" or name != "own.wall_distance")


def shown(env):
    """Derived features of a single environment's state, by their formulas."""
    me, other = (Vehicle(*body.item()) for body in env.get_state()["players"]["body"][0])
    offset = (other.position - me.position) / me.heading
    turned = me.acceleration / me.heading
    speed, rate = closing_speed(me, other), line_of_sight_rate(me, other)
    time = abs(offset) / speed if speed > 0.0 else 1e300
    toward = offset_to_target(disc(3j, 1.0), me.position) / me.heading / math.hypot(20.0, 20.0)
    walls = 10.0 - 0.3 - max(abs(me.position.real), abs(me.position.imag))
    return {
        "own.acceleration_forward": turned.real / 12.0,
        "own.acceleration_left": turned.imag / 12.0,
        "own.wall_distance": walls / 10.0,
        "own.target_forward": toward.real,
        "own.target_left": toward.imag,
        "other.distance": abs(offset) / math.hypot(20.0, 20.0),
        "other.bearing": math.atan2(offset.imag, offset.real) / math.pi,
        "other.bearing_forward": offset.real / abs(offset),
        "other.bearing_left": offset.imag / abs(offset),
        "other.closing_speed": speed / 8.0,
        "other.time_to_contact": time / (1.0 + time),
        "other.line_of_sight_rate": rate / (1.0 + abs(rate)),
    }


def test_derived_features_are_what_their_formulas_say():
    names = [name for name in NAMED if NAMED[name] in DERIVED and name not in PATH_FEATURES]
    env = make(observation={"features": names}, target={"position": (0.0, 3.0)})
    observation, _ = env.reset(seed=5)
    for _ in range(60):
        expected = [shown(env)[name] for name in names]
        np.testing.assert_allclose(observation, expected, atol=1e-6)
        observation = env.step(np.float32([0.9, 0.3]))[0]


# ---- User-defined features -----------------------------------------------------------------


def sideways(me, other):
    """The feature is out of its bounds for what is farther than 4 m: see below."""
    return abs(other.position.real - me.position.real)


def unstable(me, other):
    return math.nan if other.max_force > 0.0 else 0.0


@pytest.mark.compiled
def test_a_function_is_a_feature_for_each_other_player():
    own = {"function": sideways, "low": 0.0, "high": 100.0}
    env = make(evaders=2, observation={"features": ["own.mass", own]})
    observations = rows(env, steps=4)
    me, *others = env.get_state()["players"]["body"]["position"][0]
    expected = [abs(other.real - me.real) for other in others]
    np.testing.assert_allclose(observations[-1], [1.0, *expected], rtol=1e-6)
    np.testing.assert_array_equal(env.observation_space.low, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(env.observation_space.high[1:], [100.0, 100.0])
    features = ObservationConfig(features=["own.mass", FeatureFunction(**own)]).features
    assert pickle.loads(pickle.dumps(env.config)).observation.features == features
    twin = gym.make(gym.make("Pursuit-v0", evaders=2, observation={"features": features}).spec)
    np.testing.assert_array_equal(rows(twin.unwrapped, steps=4), observations)


@pytest.mark.compiled
def test_a_function_is_not_asked_about_what_is_unseen():
    features = [FeatureFunction(sideways, 0.0, 4.0)]
    envs = gym.make_vec("Pursuit-v0", 50, observation={"features": features, "range": 3.99})
    seen = envs.reset(seed=0)[0]
    assert not seen.any()
    for _ in range(200):
        seen = np.maximum(seen, envs.step(np.tile(AHEAD, (50, 1)))[0])
    assert seen.any()
    env = make(observation={"features": features, "noise": {"sideways": 0.1}})
    with pytest.raises(FaultyBehavior, match=r"feature sideways .* 0 to 4.* me = Vehicle\("):
        rows(env)


@pytest.mark.compiled
def test_functions_that_cannot_be_features_are_refused():
    with pytest.raises(FaultyBehavior, match="unstable"):
        make(observation={"features": [FeatureFunction(unstable)]}).reset()
    with pytest.raises(TypeError, match="feature '<lambda>' cannot be compiled"):
        make(observation={"features": [FeatureFunction(lambda me, other: "far")]})
    with pytest.raises(InvalidValue, match="low of sideways must be below high"):
        FeatureFunction(sideways, 1.0, 1.0)
    with pytest.raises(InvalidValue, match="twice"):
        ObservationConfig(features=[FeatureFunction(sideways), FeatureFunction(sideways, -2.0)])


# ---- Noise and delay -----------------------------------------------------------------------


@pytest.mark.parametrize("arena", ["torus", "open", "walls"])
def test_observations_stay_within_their_space(arena):
    names = [name for name in NAMED if can_show(name, arena)]
    game = {"arena": arena, "arena_size": 30.0, "obstacles": 1, "horizon": 50}
    game |= {"opponent": "pursuit", "pursuer": {"max_speed": 12.0}}
    envs = gym.make_vec("Evade-v0", 64, **game, observation={"features": names, "noise": 0.3})
    observation, _ = envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(100):
        assert envs.observation_space.contains(observation)
        observation, *_ = envs.step(envs.action_space.sample())


def test_noise_has_the_asked_spread_and_disturbs_no_other_chance():
    keywords = {"opponent": ["evade", "wander"], "randomize": {"evader": {"mass": (0.5, 2.0)}}}
    noise = {"own.speed": 0.5, "other.offset_left": 0.02}
    exact, noisy = (
        gym.make_vec("Pursuit-v0", 500, **keywords, **more)
        for more in ({}, {"observation": {"noise": noise}, "action": {"noise": 0.0}})
    )
    first, second = exact.reset(seed=4)[0], noisy.reset(seed=4)[0]
    errors, actions = [], np.tile(AHEAD, (500, 1))
    for _ in range(40):
        errors.append(second - first)
        first, second = exact.step(actions)[0], noisy.step(actions)[0]
    np.testing.assert_array_equal(exact.unwrapped.get_state(), noisy.unwrapped.get_state())
    for place, name in enumerate([*NAMED][: first.shape[1]]):
        error = np.array(errors)[:, :, place].ravel()
        if name not in noise:
            assert not error.any()
            continue
        assert abs(error.mean()) < 0.03 * noise[name]
        assert error.std() == pytest.approx(noise[name], rel=0.02)
        share = error / noise[name]
        assert (share**4).mean() == pytest.approx(2.9, abs=0.15)
        assert np.corrcoef(error[:-500], error[500:])[0, 1] == pytest.approx(0, abs=0.03)


def test_noise_of_sensors_and_of_actuators_is_unrelated():
    draws = [np.uint64(number) for number in range(2000)]
    pair = [[noise(np.uint64(7), of, n) for n in draws] for of in (OF_SENSORS, OF_ACTUATORS)]
    assert np.corrcoef(pair)[0, 1] == pytest.approx(0, abs=0.1)


def test_presences_and_players_that_are_caught_have_no_noise():
    keywords = {"evaders": 2, "capture_radius": 4.0, "arena_size": 10.0}
    exact = rows(make(**keywords), steps=200, seed=0)
    noisy = rows(make(**keywords, observation={"noise": 0.1}), steps=200, seed=0)
    presences = exact[:, [10, 21]]
    assert presences[0].all()
    assert not presences[-1].all()
    np.testing.assert_array_equal(noisy[:, [10, 21]], presences)
    for block, first in enumerate((10, 21)):
        assert not noisy[presences[:, block] == 0.0, first : first + 11].any()


def test_observations_come_late_and_the_first_show_the_start():
    exact = rows(make())
    late = rows(make(observation={"delay": 4}))
    np.testing.assert_array_equal(late[:5], exact[[0] * 5])
    np.testing.assert_array_equal(late[5:], exact[1:-4])


def places(env, actions):
    env.reset(seed=2)
    found = []
    for action in actions:
        env.step(action)
        found.append(env.get_state()["players"]["body"]["position"][0])
    return np.array(found)


def test_actions_are_carried_out_late_and_the_vehicle_coasts_until_then():
    generator = np.random.default_rng(0)
    actions = generator.uniform(-1, 1, (30, 2)).astype(np.float32)
    for name, given, rest in (
        ("Pursuit-v0", actions, np.zeros((3, 2), np.float32)),
        ("PursuitDiscrete-v0", np.full(10, 2), np.zeros(3, int)),
    ):
        late = places(make(name, action={"delay": 3}), given)
        expected = places(make(name), np.concatenate([rest, given[:-3]]))
        np.testing.assert_array_equal(late, expected)


def test_noise_in_actions_has_the_asked_spread():
    keywords = {"opponent": "idle", "arena": "open", "arena_size": 1000.0}
    envs = gym.make_vec("Pursuit-v0", 4000, action={"noise": 0.1}, **keywords).unwrapped
    envs.reset(seed=0)
    heading = envs.get_state()["players"]["body"]["heading"][:, 0]
    envs.step(np.tile(np.float32([0.5, -0.2]), (4000, 1)))
    velocity = envs.get_state()["players"]["body"]["velocity"][:, 0]
    done = velocity / heading / (12.0 / 30.0)
    for part, mean in ((done.real, 0.5), (done.imag, -0.2)):
        assert part.mean() == pytest.approx(mean, abs=0.006)
        assert part.std() == pytest.approx(0.1, rel=0.04)
    assert abs(np.corrcoef(done.real, done.imag)[0, 1]) < 0.05
    loud = gym.make_vec("Pursuit-v0", 50, action={"noise": 1e6}, **keywords).unwrapped
    loud.reset(seed=0)
    loud.step(np.zeros((50, 2), np.float32))
    speeds = np.abs(loud.get_state()["players"]["body"]["velocity"][:, 0])
    np.testing.assert_allclose(speeds, 12.0 / 30.0)  # cut to the unit disc


# ---- Evaluations ---------------------------------------------------------------------------


class Chaser(FunctionPolicy):
    """Steers to where the chosen features show the evader."""

    def __init__(self, env):
        super().__init__(lambda observations: observations[:, :2].astype(np.float32))
        self.observation_space, self.action_space = env.observation_space, env.action_space


@pytest.mark.parametrize("extra", [[], list(NAMED)[:19]])
def test_a_policy_made_for_chosen_features_is_evaluated_with_them(extra):
    chosen = ["other.bearing_forward", "other.bearing_left", *extra]
    keywords = {"observation": {"features": chosen, "noise": 0.2, "delay": 5}}
    found = evaluate(Chaser(make(**keywords)), "flee", make_game(**keywords), episodes=60)
    standard = evaluate("seek", "flee", episodes=60)
    assert found.capture_rate.estimate > standard.capture_rate.estimate - 0.2
    assert found.config == make_game(observation={"features": chosen})
    assert json.dumps(found.to_dict())
    with pytest.raises(InvalidValue, match=r"made for observations .*or for chosen features"):
        evaluate(Chaser(make()), "flee", make_game(pursuers=2, **keywords), episodes=2)


@pytest.mark.weekly
def test_a_learner_is_evaluated_with_the_noise_and_the_delays_of_the_game():
    keywords = {
        "observation": {"noise": 0.05, "delay": 4},
        "action": {"noise": 0.3, "delay": 2},
    }
    policy = load("pretrained/pursuit/ppo")
    found = evaluate(policy, "evade", keywords, 20, seed=3, learner="pursuer")
    assert found.config == make_game(**keywords)
    exact = evaluate(policy, "evade", keywords, 20, seed=3)
    assert exact.config == make_game()
    assert found["time"].mean() > exact["time"].mean() + 0.1
    with pytest.raises(InvalidValue, match="pursuit is a script"):
        evaluate("pursuit", "evade", keywords, 4, learner="pursuer")
