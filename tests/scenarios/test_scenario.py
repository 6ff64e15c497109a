"""Scenarios: rules of a user's game, in the compiled loop and as plain Python."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from own_games import AHEAD, Mud, River, SafeZone, TwoCaptors, faulty

import steer_env
from steer_env import Scenario, feature
from steer_env.baselines import evaluate
from steer_env.envs.check import check_vector_env
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.compiled


def games(game, count=16, opponent="evade", steps=150, **keywords):
    envs = gym.make_vec("Pursuit-v0", count, game=game, opponent=opponent, **keywords)
    envs.reset(seed=3)
    for _ in range(steps):
        yield envs.unwrapped, envs.step(np.broadcast_to(AHEAD, envs.action_space.shape))
    envs.close()


def test_limits_depend_on_the_place():
    wet = dry = 0
    before = None
    for envs, _ in games(River(share=0.25)):
        state = envs.get_state()["players"]["body"]
        speeds = abs(state["velocity"])
        if before is not None:  # the limits are those where a step begins
            is_wet = abs(before["position"].real) < 2.0
            assert (speeds[is_wet] <= 0.25 * state["max_speed"][is_wet] + 1e-12).all()
            wet, dry = wet + is_wet.sum(), dry + (speeds > 0.5 * state["max_speed"]).sum()
        before = state
    assert wet > 100
    assert dry > 100


def test_drag_is_that_of_the_formula_and_of_the_place():
    engine = Engine(game_config(game=Mud), [None], [ROSTER["idle"]])
    engine.seed([1])
    engine.start()
    engine.state.position[:, 0] = 1.0 + 1j, 5.0
    engine.state.velocity[0] = 2.0 + 0j
    still = np.zeros((1, 1, 2), np.float32), engine.no_actions(EVADER)
    engine.step(*still, PURSUER, restart=False)
    assert engine.state.velocity[0, 0] == pytest.approx(2.0 / (1.0 + 2.0 / 30.0))
    engine.state.position[0, 0] = -1.0 + 1j
    before = engine.state.velocity[0, 0]
    engine.step(*still, PURSUER, restart=False)
    assert engine.state.velocity[0, 0] == before


@pytest.mark.parametrize("model", ["point_mass", "simple_motion", "car", "double_integrator"])
def test_every_model_keeps_to_the_limits_of_the_place(model):
    vehicles = {"pursuer": {"model": model}, "evader": {"model": model}}
    before = None
    for envs, _ in games(River(width=40.0), steps=60, **vehicles):
        body = envs.get_state()["players"]["body"]
        if before is not None:
            moved = abs(body["position"] - before["position"]) * 30.0
            assert (moved <= 0.5 * body["max_speed"] + 1e-9).all()
        before = body


def test_starts_are_those_of_the_scenario_and_follow_from_the_seed():
    envs = gym.make_vec("Evade-v0", 64, game=SafeZone)
    places = [envs.reset(seed=seed)[0] for seed in (5, 5, 6)]
    body = envs.unwrapped.get_state()["players"]["body"]
    assert (body["position"][:, 0] == 8.0).all()
    assert abs(body["position"][:, 1]) == pytest.approx(5.0)
    assert (body["heading"][:, 1] == 1j).all()
    assert (body["velocity"][:, 1] == 1j).all()
    assert np.unique(body["position"][:, 1]).size == 64
    assert (places[0] == places[1]).all()
    assert (places[0] != places[2]).any()


@pytest.mark.parametrize("far", [29.0 + 29j, 95.0 + 3j, -990.0 - 2j])
def test_a_start_beyond_the_edge_of_a_torus_is_its_image_inside(far):
    game = faulty(start=lambda self, me, is_pursuer, number, chance: (far, 1j, 0.0))
    envs = gym.make_vec("Pursuit-v0", 2, game=game, arena="torus", pursuers=2, evaders=2)
    observations, _ = envs.reset(seed=0)
    place = envs.unwrapped.get_state()["players"]["body"]["position"][0, 0]
    turns = (far - place) / 20.0
    assert max(abs(place.real), abs(place.imag)) <= 10.0
    assert turns == complex(round(turns.real), round(turns.imag))
    assert observations in envs.observation_space


def test_captures_are_those_of_the_scenario():
    caught = near_in_zone = 0
    for envs, (_, _, terminated, _, _) in games(SafeZone, 64, "idle", 250):
        body = envs.get_state()["players"]["body"]
        distance = abs(body["position"][:, 0] - body["position"][:, 1])
        is_safe = abs(body["position"][:, 1]) <= 2.0
        assert not terminated[is_safe].any()
        near_in_zone += (is_safe & (distance < 1.0)).sum()
        caught += terminated.sum()
    assert caught > 0
    envs = gym.make_vec("Pursuit-v0", 8, game=SafeZone(radius=30.0), opponent="idle")
    envs.reset(seed=0)
    for _ in range(200):
        toward = np.float32([[1.0, 0.0]] * 8)
        assert not envs.step(toward)[2].any()


def test_two_captors_stand_on_opposite_sides():
    config = game_config(game=TwoCaptors)
    engine = Engine(config, [None], [ROSTER["idle"]])
    still = np.zeros((1, 2, 2), np.float32), engine.no_actions(EVADER)

    def is_caught(one, two):
        engine.seed([1])
        engine.start()
        engine.state.position[:, 0] = one, two, 0j
        return bool(engine.step(*still, PURSUER, restart=False).terminated[0])

    assert is_caught(-2.0, 2.0)
    assert not is_caught(2.0, 2.1j + 1.0)
    assert not is_caught(-2.0, 3.0)
    assert not is_caught(-0.1, -0.1)


def test_a_reward_is_zero_sum_and_a_multiple_of_the_formula():
    config = game_config(
        game=SafeZone, reward={"capture": 0.0, "time": 0.0, "closing": 0.0}, pursuers=3
    )
    engine = Engine(config, [None], [None], 32)
    engine.seed(range(32))
    engine.start()
    generator = np.random.default_rng(0)
    for _ in range(30):
        actions = [generator.uniform(-1, 1, (32, n, 2)).astype(np.float32) for n in (3, 1)]
        pursuers, evaders = engine.step_both(*actions, restart=False)
        expected = 3 * 0.01 * abs(engine.state.position[3])
        assert pursuers.rewards == pytest.approx(expected)
        assert (evaders.rewards == -pursuers.rewards).all()


def test_a_feature_is_part_of_the_own_block():
    seen = set()
    for envs, (observations, *_) in games(River):
        assert envs.single_observation_space.shape == (22,)
        body = envs.get_state()["players"]["body"]
        is_wet = abs(body["position"][:, 0].real) < 2.0
        assert (observations[:, 10] == is_wet).all()
        seen |= set(observations[:, 10].tolist())
    assert seen == {0.0, 1.0}
    engine = Engine(game_config(game=River), [None], [None])
    assert [one.name for one in engine.features(PURSUER)][10:12] == ["water", "presence"]


def test_features_are_in_the_order_of_the_class_and_have_its_names():
    class Two(Scenario):
        water = feature(0.0, 1.0)(lambda self, me: 0.25)
        bank = feature(0.0, 1.0)(lambda self, me: 0.5)

    def own(**keywords):
        return gym.make("Pursuit-v0", game=Two, **keywords).reset(seed=0)[0]

    assert own()[10:12].tolist() == [0.25, 0.5]
    assert own(obstacles=2).size == own().size + 8
    chosen = own(observation={"features": ["bank", "own.speed", "water"]})
    assert chosen.tolist() == [0.5, 0, 0.25]
    noisy = [own(observation={"noise": {name: 0.1}}) for name in ("water", "bank")]
    assert [(one[10] != 0.25, one[11] != 0.5) for one in noisy] == [(1, 0), (0, 1)]
    with pytest.raises(InvalidValue, match=r"unknown feature 'watr'"):
        own(observation={"features": ["watr"]})


def test_parameters_are_the_scenarios_own():
    wide = next(games(River(width=40.0), steps=1))[1][0]
    narrow = next(games(River(width=1e-3), steps=1))[1][0]
    assert (wide[:, 10] == 1.0).all()
    assert (narrow[:, 10] == 0.0).all()
    assert River(width=3.0) == River(width=3.0) != River()
    with pytest.raises(TypeError, match="widht"):
        River(widht=3.0)
    with pytest.raises(InvalidType, match="width of the scenario river must be a finite num"):
        River(width="wide")


# ------------------------------------------------------------------- wherever games are played


@pytest.mark.parametrize("scenario", [SafeZone, TwoCaptors, Mud])
def test_single_and_vector_environments_are_the_same(scenario):
    keywords = {"game": scenario, "horizon": 60}
    check_vector_env(
        lambda: gym.make("Evade-v0", **keywords),
        lambda count, mode: gym.make_vec("Evade-v0", count, autoreset_mode=mode, **keywords),
        steps=70,
    )


def test_evaluations_play_by_the_rules():
    free, slow = (
        evaluate("pursuit", "evade", {"game": game}, episodes=60, seed=1).capture_rate.estimate
        for game in (River(width=1e-3), River(width=60.0, share=0.05))
    )
    assert free > 0.3
    assert slow < free / 2


def test_teams_learn_in_it():
    envs = steer_env.parallel_env(game=TwoCaptors)
    observations, _ = envs.reset(seed=0)
    actions = {agent: envs.action_space(agent).sample() for agent in observations}
    assert envs.step(actions)[1].keys() == observations.keys()
    with pytest.raises(InvalidValue, match="use credit='team'"):
        steer_env.parallel_env(game=SafeZone, credit="own")
    with pytest.raises(InvalidValue, match="needs captures by distance"):
        steer_env.parallel_env(game=TwoCaptors, credit="own")


def test_pictures_tint_the_zones():
    class Lake(Scenario):
        @property
        def zones(self):
            return [(0j, 6 + 0j, 6 + 6j, 6j)]

    frames = []
    for game in ("walls", Lake):
        env = gym.make("Pursuit-v0", game=game, render_mode="rgb_array")
        env.reset(seed=3)
        frames.append(env.render().astype(int))
    changed = np.argwhere((frames[0] != frames[1]).any(axis=-1))
    height, width = changed.max(axis=0) - changed.min(axis=0)
    assert abs(height - width) <= 1  # 6 of the 20 meters that the arena's side has
    assert 0.25 * len(frames[0]) < width < 0.3 * len(frames[0])
    assert len(changed) > 0.9 * height * width
    middle = np.array(frames[0].shape[:2]) / 2
    assert changed[:, 0].mean() < middle[0]  # up and to the right of the middle
    assert changed[:, 1].mean() > middle[1]
