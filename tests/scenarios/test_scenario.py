"""Scenarios: rules of a user's game, in the compiled loop and as plain Python."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from engines import coast, random_actions, started
from own_games import AHEAD, Mud, River, SafeZone, TwoCaptors, faulty

import steer_env
from steer_env import Scenario, feature
from steer_env.errors import InvalidType, InvalidValue
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.compiled


def played(game, steps=150, count=16, opponent="evade", **keywords):
    """The state of games before and after each step ahead, and its outcome."""
    engine = started(None, opponent, count, game=game, learner=PURSUER, **keywords)
    ahead = np.zeros((count, engine.side_size(PURSUER), 2), np.float32) + AHEAD
    for _ in range(steps):
        before = engine.get_state()["players"]["body"]
        outcome = engine.step(ahead, engine.no_actions(EVADER), PURSUER, restart=True)
        yield before, engine.get_state()["players"]["body"], outcome


@pytest.mark.parametrize("model", ["point_mass", "simple_motion", "car", "double_integrator"])
def test_every_model_keeps_to_the_limits_of_the_place(model):
    vehicles, dry = {"pursuer": {"model": model}, "evader": {"model": model}}, 0
    for before, after, _ in played(River(share=0.25), 60, **vehicles):
        moved = abs(after["position"] - before["position"]) * 30.0
        is_wet = abs(before["position"].real) < 2.0  # the limits are those where a step begins
        assert (moved[is_wet] <= 0.25 * after["max_speed"][is_wet] + 1e-9).all()
        dry += (moved > 0.5 * after["max_speed"]).sum()
    assert dry > 100


def test_drag_is_that_of_the_formula_and_of_the_place():
    engine = started(None, "idle", game=Mud)
    engine.state.velocity[0] = 2.0 + 0j
    for place, kept in ((1.0 + 1j, 1.0 / (1.0 + 2.0 / 30.0)), (-1.0 + 1j, 1.0)):
        engine.state.position[:, 0] = place, 5.0
        before = engine.state.velocity[0, 0]
        coast(engine)
        assert engine.state.velocity[0, 0] == pytest.approx(kept * before)


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
    for _, body, outcome in played(SafeZone, 250, 64, "idle"):
        pursuers, evaders = body["position"].T
        is_safe = abs(evaders) <= 2.0
        assert not outcome.terminated[is_safe].any()
        near_in_zone += (is_safe & (abs(pursuers - evaders) < 1.0)).sum()
        caught += outcome.terminated.sum()
    assert caught > 0
    for _, _, outcome in played(SafeZone(radius=30.0), 200, 8, "idle"):
        assert not outcome.terminated.any()


@pytest.mark.parametrize(
    ("one", "two", "is_caught"),
    [(-2.0, 2.0, True), (2.0, 2.1j + 1.0, False), (-2.0, 3.0, False), (-0.1, -0.1, False)],
)
def test_two_captors_stand_on_opposite_sides(one, two, is_caught):
    engine = started(None, "idle", game=TwoCaptors)
    engine.state.position[:, 0] = one, two, 0j
    assert bool(coast(engine).terminated[0]) is is_caught


def test_a_reward_is_zero_sum_and_a_multiple_of_the_formula():
    reward = {"capture": 0.0, "time": 0.0, "closing": 0.0}
    engine = started(None, None, 32, game=SafeZone, reward=reward, pursuers=3)
    generator = np.random.default_rng(0)
    for _ in range(30):
        actions = random_actions(engine, generator)
        pursuers, evaders = engine.step_both(*actions, restart=False)
        expected = 3 * 0.01 * abs(engine.state.position[3])
        assert pursuers.rewards == pytest.approx(expected)
        assert (evaders.rewards == -pursuers.rewards).all()


def test_a_feature_is_part_of_the_own_block():
    engine = started(game=River, learner=PURSUER)
    assert [one.name for one in engine.features(PURSUER)][10:12] == ["water", "presence"]
    seen = set()
    for _, body, outcome in played(River):
        assert outcome.observations.shape[-1] == 22
        is_wet = abs(body["position"][:, 0].real) < 2.0
        assert (outcome.observations[:, 0, 10] == is_wet).all()
        seen |= {*is_wet.tolist()}
    assert seen == {False, True}


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
    for wrong in (np.ones(3), {"features": np.ones(3)}):
        with pytest.raises(InvalidType, match=r"must be (of the type|a)"):
            own(observation=wrong)


def test_parameters_are_the_scenarios_own():
    for width, water in ((40.0, 1.0), (1e-3, 0.0)):
        for _, _, outcome in played(River(width=width), steps=1):
            assert (outcome.observations[..., 10] == water).all()
    assert River(width=3.0) == River(width=3.0) != River()
    with pytest.raises(TypeError, match="widht"):
        River(widht=3.0)
    with pytest.raises(InvalidType, match="width of the scenario river must be a finite num"):
        River(width="wide")


# ------------------------------------------------------------------- wherever games are played


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
