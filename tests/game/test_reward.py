"""A user's own reward terms: what they are asked about, and what comes of their answers."""

from __future__ import annotations

import json
import math

import gymnasium as gym
import numpy as np
import pytest
from engines import started

from steer_env.baselines import evaluate
from steer_env.errors import FaultyBehavior, InvalidType
from steer_env.game.config import RewardConfig, make_game
from steer_env.game.state import RUNNING
from steer_env.game.transition import transition_of
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import compiled

NOTHING = {"capture": 0.0, "time": 0.0, "closing": 0.0}


def keep_still(transition):
    return -abs(transition.action.real) - abs(transition.action.imag)


@compiled
def near(distance):
    return 1.0 if distance < 6.0 else 0.0


def stay_near(transition):
    return near(transition.distance)


def count_caught(transition):
    return transition.caught + 100.0 * transition.me_caught + 1e4 * transition.number


def end(transition):
    return 1.0 * transition.terminated + 10.0 * transition.truncated + 0.01 * transition.step


def fail_when_near(transition):
    return math.nan if transition.distance < 7.0 else 0.0


def learning(terms, side=PURSUER, games=6, **keywords):
    """An engine whose learners get nothing but these terms."""
    scripts = ["pursuit", "evade"]
    scripts[side] = None
    reward = {**NOTHING, "terms": terms}
    return started(*scripts, games, 60, learner=side, reward=reward, **keywords)


def stepped(engine, side, steps):
    """The actions of a side, and the outcome, of each of some steps."""
    generator = np.random.default_rng(5)
    shape = (engine.num_games, engine.side_size(side), 2)
    for _ in range(steps):
        given = [engine.no_actions(PURSUER), engine.no_actions(EVADER)]
        given[side] = generator.uniform(-1.2, 1.2, shape).astype(np.float32)
        yield given[side], engine.step(*given, side, True)


@pytest.mark.parametrize(
    ("side", "keywords"),
    [
        (PURSUER, {}),
        (EVADER, {"arena": "torus", "arena_size": 8.0}),
        (PURSUER, {"pursuers": 2, "evaders": 2, "arena": "torus", "obstacles": 2}),
        (EVADER, {"pursuers": 2, "evaders": 3, "evader": {"model": "simple_motion"}}),
    ],
)
def test_every_fact_is_that_of_the_states_before_and_after(side, keywords):
    rules = {"arena_size": 12.0, "capture_radius": 6.5}
    engine = learning(keep_still, side, **{**rules, **keywords})
    config, team, last = engine.config, engine.side_size(side), engine.num_games - 1
    half, pursuers = config.region.half_size, config.pursuers
    # The last player of the last game is the one whose facts are left in the scratch space.
    number = (pursuers if side == PURSUER else pursuers + config.evaders) - 1
    opponents = [*range(pursuers, pursuers + config.evaders)]
    opponents = opponents if side == PURSUER else [*range(pursuers)]

    def offset(one, other):
        return config.region.offset(*(complex(each["position"]) for each in (one, other)))

    checked = others_caught = crossed = 0
    after = engine.record(last)
    for actions, _ in stepped(engine, side, 150):
        before, after = after, engine.record(last)
        free = before["players"]["active"]
        if before["game"]["phase"] != RUNNING or not free[number]:
            continue
        facts = transition_of(engine._runner.spaces[0].transitions[0])
        was, now = before["players"]["body"], after["players"]["body"]
        others = [other for other in opponents if free[other]]
        other = min(others, key=lambda one: abs(offset(now[number], now[one])))
        assert tuple(facts.me) == pytest.approx(now[number].item())
        assert tuple(facts.me_before)[1:] == pytest.approx(was[number].item()[1:])
        assert facts.other.velocity == now[other]["velocity"]
        assert facts.other_before.max_force == was[other]["max_force"]
        crossed += abs(facts.me_before.position - was[number]["position"]) > half
        apart, apart_before = offset(now[number], now[other]), offset(was[number], was[other])
        for one, two, expected in (
            (facts.me_before, facts.me, offset(was[number], now[number])),
            (facts.me, facts.other, apart),
            (facts.me_before, facts.other_before, apart_before),
        ):
            assert two.position - one.position == pytest.approx(expected)
        assert facts.distance == pytest.approx(abs(apart))
        assert facts.distance_before == pytest.approx(abs(apart_before))
        action = complex(*actions[-1, -1])
        assert facts.action == pytest.approx(action / max(1.0, abs(action)), abs=1e-6)
        captured = int(after["game"]["captured"])
        assert facts.captured == captured
        assert facts.caught == captured - int(before["game"]["captured"])
        assert facts.free == config.evaders - captured
        assert facts.me_caught == (not after["players"]["active"][number])
        assert facts.other_caught == (not after["players"]["active"][other])
        assert facts.terminated == (captured == config.evaders)
        assert facts.step == after["game"]["steps"] == before["game"]["steps"] + 1
        assert facts.truncated == (facts.step == 60)
        assert facts.time == pytest.approx(facts.step / 30)
        assert facts.time_left == pytest.approx((60 - facts.step) / 30)
        assert facts.number == team - 1
        assert (facts.capture_radius, facts.half_size) == (config.capture_radius, half)
        assert facts.dt == config.dt
        checked += 1
        others_caught += facts.other_caught
    assert checked > 20
    assert (others_caught > 0) == (side == PURSUER)
    assert crossed == 0 or config.region.wraps


def moved(transition):
    return abs(transition.me.position - transition.me_before.position)


def test_a_vehicle_does_not_jump_where_it_crosses_the_edge_of_a_torus():
    engine = learning([moved], games=1, arena="torus", arena_size=10.0)
    ahead, places, rewards = np.float32([[[1.0, 0.0]]]), [], []
    for _ in range(59):
        outcome = engine.step(ahead, engine.no_actions(EVADER), PURSUER, False)
        rewards.append(outcome.rewards[0])
        places.append(engine.state.position[0, 0])
    assert np.abs(np.diff(places)).max() > 5.0  # it has crossed the edge
    assert max(rewards) == pytest.approx(4.0 / 30.0)


def test_the_terms_are_weighted_and_added_up_with_the_built_in_ones():
    keywords = {"capture_radius": 3.0, "arena_size": 10.0}
    reward = {"terms": [keep_still, (stay_near, -0.5)]}
    plain, both = (
        started(None, "evade", 6, 60, learner=PURSUER, **keywords, **more)
        for more in ({}, {"reward": reward})
    )
    rests = 0
    for _ in range(70):
        running = plain.state.phase == RUNNING
        actions = np.full((6, 1, 2), 0.25, np.float32)
        without = plain.step(actions, plain.no_actions(EVADER), PURSUER, True)
        outcome = both.step(actions, plain.no_actions(EVADER), PURSUER, True)
        is_near = abs(plain.state.position[0] - plain.state.position[1]) < 6.0
        expected = np.where(running, -0.5 - 0.5 * is_near, 0.0)
        np.testing.assert_allclose(outcome.rewards - without.rewards, expected)
        np.testing.assert_array_equal(outcome.observations, without.observations)
        rests += (~running).sum()
    assert rests >= 6


def test_a_team_gets_the_sum_over_those_that_were_in_play():
    game = {"pursuers": 2, "capture_radius": 2.0, "pursuer": {"max_speed": 9.0}}
    engine, caught_in_all = learning(count_caught, EVADER, 20, evaders=3, **game), 0
    before = engine.get_state()
    for _, outcome in stepped(engine, EVADER, 40):
        after = engine.get_state()
        free, still_free = before["players"]["active"][:, 2:], after["players"]["active"][:, 2:]
        gone = (free & ~still_free).sum(axis=1)
        expected = free.sum(axis=1) * gone + 100 * gone + 1e4 * (free * range(3)).sum(axis=1)
        is_running = before["game"]["phase"] == RUNNING
        assert outcome.rewards.tolist() == np.where(is_running, expected, 0.0).tolist()
        caught_in_all += gone[is_running].sum()
        before = after
    assert caught_in_all > 5


@pytest.mark.parametrize("threads", [1, 2])
def test_nan_raises_an_error_that_names_the_term(threads):
    reward = {"terms": [keep_still, (fail_when_near, 0.0)]}
    envs = gym.make_vec("Pursuit-v0", 300, num_threads=threads, reward=reward)
    envs.reset(seed=0)
    with pytest.raises(FaultyBehavior, match=r"fail_when_near .*Transition\(me=Vehicle\("):
        envs.step(np.zeros((300, 2), np.float32))
    state = envs.unwrapped.get_state()
    assert (state["game"]["steps"] == 1).all()  # the step has been made, and the state is sound
    envs.unwrapped.set_state(state)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "term",
    [lambda: 0.0, lambda transition: "much", lambda transition: transition.distnace],
    ids=["arguments", "result", "field"],
)
def test_what_cannot_be_compiled_is_refused_when_the_environment_is_made(term):
    with pytest.raises(
        TypeError, match=r"reward term '<lambda>' cannot be compiled: .* a reward term is"
    ):
        gym.make("Pursuit-v0", reward={"terms": term})


def test_evaluations_ask_no_term():
    game = make_game(reward={"capture": 2.0, "terms": fail_when_near})
    found = evaluate("pursuit", "evade", game, episodes=20)
    plain = evaluate("pursuit", "evade", episodes=20)
    np.testing.assert_array_equal(found["time"], plain["time"])
    assert found.config == make_game(reward={"capture": 2.0})
    assert json.dumps(found.to_dict())


def test_one_function_is_a_list_of_one_with_weight_1():
    assert RewardConfig(terms=end).terms == ((end, 1.0),)
    config = RewardConfig(terms=[end, (stay_near, -2)])
    assert config.terms == ((end, 1.0), (stay_near, -2.0))
    assert RewardConfig(terms=config.terms) == config
    assert hash(RewardConfig()) != hash(config)


@pytest.mark.parametrize(
    "given", ["closing", 3, None, {end: 1.0}, [3], [(end, 1.0, 2.0)], [abs]]
)
def test_what_is_not_a_term_is_refused(given):
    with pytest.raises(InvalidType, match="function"):
        RewardConfig(terms=given)
