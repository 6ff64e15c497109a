"""Features of a scenario, one or many from a method, and the policies that see them."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from engines import started
from own_games import AHEAD, faulty

from steer_env import Scenario, features
from steer_env.baselines import evaluate
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue
from steer_env.game.config import make_game
from steer_env.game.config.keywords import plain
from steer_env.sides import PURSUER
from steer_env.steering import norm

pytestmark = pytest.mark.compiled


class Compass(Scenario):
    """An observation of its own length."""

    keywords = {"observation": {"features": ["gap"]}, "horizon": 60, "evader": {"max_speed": 1}}

    @features(3, -30.0, 30.0)
    def gap(self, me, other):
        ahead = (other.position - me.position) * me.heading.conjugate()
        return ahead.real, ahead.imag, norm(ahead)

    @features(2, 0.0, 99.0)
    def clock(self, time):
        numbers = np.zeros(2)
        numbers[1] = time
        return numbers

    @features(4, 0.0, 1.0)
    def mixed(self, is_pursuer):
        return 1, is_pursuer, 0.5, False

    @features(1, 0.0, 99.0)
    def alone(self, time):
        return time


class Chaser:
    """A policy as users write it, for the three numbers of a `Compass`."""

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        assert observation.shape[-1] == 3
        return self.side * observation[..., :2] / observation[..., 2:], state

    side = 1.0


class Fleer(Chaser):
    side = -1.0


def observed(chosen, steps=3, **keywords):
    env = gym.make("Pursuit-v0", game=Compass, observation={"features": chosen}, **keywords)
    seen, _ = env.reset(seed=0)
    for _ in range(steps):
        seen, *_ = env.step(AHEAD)
    assert seen in env.observation_space
    return seen, env.unwrapped.get_state()["players"]["body"][0]


def test_a_method_gives_as_many_features_as_it_says():
    seen, body = observed(["gap", "own.speed", "clock", "mixed", "alone"])
    gap = (body["position"][1] - body["position"][0]) * body["heading"][0].conjugate()
    speed = abs(body["velocity"][0]) / 4.0
    told = [gap.real, gap.imag, abs(gap), speed, 0, 0.1, 1, 1, 0.5, 0, 0.1]
    assert seen == pytest.approx(np.array(told), abs=1e-5)


def test_each_has_a_name_and_can_be_chosen_apart():
    whole, _ = observed(["gap"])
    parts, _ = observed(["gap_2", "clock_1", "gap_0", "own.speed", "gap_1"])
    assert parts[[2, 4, 0]].tolist() == whole.tolist()
    assert parts[1] == pytest.approx(0.1)
    names = [one.name for one in started(game=Compass, learner=PURSUER).features(PURSUER)]
    assert names == ["gap_0", "gap_1", "gap_2"]
    kept = plain(make_game(game=Compass).observation)["features"]
    assert make_game(game=Compass, observation={"features": kept}) == make_game(game=Compass)
    noisy = {"features": ["gap"], "noise": {"gap_1": 0.1}}
    told = gym.make("Pursuit-v0", game=Compass, observation=noisy).reset(seed=0)[0]
    exact = gym.make("Pursuit-v0", game=Compass).reset(seed=0)[0]
    assert (told != exact).tolist() == [False, True, False]
    every = faulty(rays=features(2)(lambda self: (0.25, 0.5)))
    told = gym.make("Pursuit-v0", game=every).reset(seed=0)[0]
    assert told[10:12].tolist() == [0.25, 0.5]
    assert told.shape == (23,)
    with pytest.raises(InvalidValue, match="unknown feature 'gap_3'"):
        observed(["gap_3"])


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (lambda self, time: [time] * 3, "another count than 2, or a number beyond -1 and 1"),
        (lambda self: (0.5, 1.5), "a number beyond -1 and 1"),
        (lambda self: (np.nan, 0.5), "a number beyond"),
    ],
)
def test_features_that_are_not_sound_are_named(method, message):
    env = gym.make("Pursuit-v0", game=faulty(rays=features(2)(method)))
    with pytest.raises(FaultyBehavior, match=message):
        env.reset(seed=0)


@pytest.mark.parametrize(
    "method", [lambda self: (0.5,), lambda self: 0.5, lambda self: ("a", 1)]
)
def test_features_of_another_form_are_refused(method):
    with pytest.raises(InvalidType, match=r"cannot be compiled: .*must return"):
        gym.make("Pursuit-v0", game=faulty(rays=features(2)(method)))


def test_the_decorator_says_what_it_needs():
    with pytest.raises(InvalidType, match=r"write @features\(count, low, high\)"):
        features(lambda self: 1.0)
    with pytest.raises(InvalidValue, match="the count of @features"):
        features(0)
    with pytest.raises(InvalidValue, match="256"):
        features(257)


# --------------------------------------------------------------------- policies that see them


def test_a_policy_sees_them_wherever_it_plays():
    caught = evaluate(Chaser(), "idle", Compass(), 64).capture_rate.estimate
    assert caught > 0.2
    assert evaluate("pursuit", Fleer(), Compass(), 16).capture_rate.estimate < caught
    assert len(evaluate(Chaser(), Fleer(), Compass(), 16)) == 16
    one = gym.make("Evade-v0", game=Compass, opponent=Chaser())
    many = gym.make_vec("Evade-v0", 2, game=Compass, opponent=[Chaser(), "pursuit"])
    for env, actions in ((one, AHEAD), (many, np.tile(AHEAD, (2, 1)))):
        env.reset(seed=0)
        for _ in range(3):
            env.step(actions)
        assert env.unwrapped.get_state()["players"]["body"]["velocity"][0, 0] != 0


class Trained(Chaser):
    observation_config = {"features": ["gap"]}


class Standard:
    """A policy that says that it is for the standard observation."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (21,))

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        assert observation.shape[-1] == 21
        return observation[..., :2], state


def test_a_policy_sees_what_it_was_made_for():
    more = {"features": ["own.speed", "gap"]}
    game = make_game(game=Compass, observation=more, horizon=5)
    assert len(evaluate(Trained(), Standard(), game, 4)) == 4
    with pytest.raises(AssertionError):
        evaluate(Chaser(), "evade", game, 4)
    for policy in (Trained(), Standard()):
        env = gym.make("Evade-v0", game=Compass, observation=more, opponent=policy)
        env.reset(seed=0)
        assert env.step(AHEAD)[0].shape == (4,)
    with pytest.raises(InvalidValue, match="all opponents observe the same"):
        gym.make("Evade-v0", game=Compass, opponent=[Chaser(), Standard()])
    env = gym.make("Evade-v0", game=Compass, opponent=Chaser()).unwrapped
    env.reset(seed=0)
    before = env.opponent
    with pytest.raises(InvalidValue, match="all opponents observe the same"):
        env.set_opponent(Standard())
    assert env.opponent == before
    env.step(AHEAD)
