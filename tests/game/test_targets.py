"""Games with a target in the engine: who is safe, who is caught, what both get, what fits."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import evaluate
from steer_env.envs.parallel_vector import check_credit
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import TargetConfig, make_game


def places(pursuer, evader):
    return {"pursuer": {"position": pursuer}, "evader": {"position": evader}}


RACE = {
    "game": "reach_avoid",
    "start": places((1.0, 0.0), (4.0, 0.0)),
    "target": {"radius": 0.25, "reach": 3.0, "approach": 2.0**0.5 * 8.0},
}


def played(env, act):
    """Plays an episode; returns the sum of the rewards, its steps and the last bodies."""
    env.reset(seed=0)
    total, steps, done = 0.0, 0, False
    while not done:
        bodies = env.unwrapped.get_state()["players"]["body"][0]
        _, reward, terminated, truncated, _ = env.step(act(bodies))
        total, steps, done = total + reward, steps + 1, terminated or truncated
    return total, steps, env.unwrapped.get_state()


def straight_for(place):
    """An attacker's actions: at its top speed for a place."""

    def act(bodies):
        body = bodies[-1]
        course = (place - body["position"]) * body["heading"].conjugate()
        course /= max(abs(course), 1e-12)
        return np.array([course.real, course.imag], np.float32)

    return act


@pytest.mark.parametrize("dt", [1 / 60, 1 / 30, 0.1, 0.2])
def test_a_caught_attacker_pays_for_where_it_is_caught(dt):
    """0.7 and 1 m/s run at each other over 3 m, until 0.2 m are left: 2.8 * 0.7 / 1.7 m."""
    env = gym.make("ReachAvoidEvade-v0", **RACE, dt=dt, horizon=round(20 / dt))
    total, _, state = played(env, straight_for(0j))
    way = 2.8 * 0.7 / 1.7
    assert state["players"]["body"]["position"][0, 1] == pytest.approx(4.0 - way, abs=1e-6)
    assert total == pytest.approx(way, abs=1e-5)
    assert state["game"]["captured"][0] == 1
    config = make_game(**RACE, dt=dt, horizon=round(20 / dt))
    found = evaluate("optimal/reach_avoid", "optimal/reach_avoid", config, episodes=4)
    np.testing.assert_allclose(found["distance"], -(4.0 - way - 0.25), rtol=1e-9)
    assert found["captured"].all()


@pytest.mark.parametrize("dt", [1 / 60, 1 / 30, 0.2])
def test_one_that_gets_there_is_safe(dt):
    start = places((0.0, 3.0), (1.0, 0.0))
    keywords = {**RACE, "start": start, "dt": dt, "horizon": round(20 / dt)}
    env = gym.make("ReachAvoidEvade-v0", **keywords)
    total, steps, state = played(env, straight_for(0j))
    assert state["players"]["body"]["position"][0, 1] == pytest.approx(0.25, abs=1e-5)
    assert total == pytest.approx(0.75 + 3.0, abs=1e-5)
    assert state["game"]["captured"][0] == 0
    assert steps == math.ceil(0.75 / 0.7 / dt - 1e-9)
    other = gym.make("ReachAvoid-v0", opponent="reach", **keywords)
    total, _, _ = played(other, lambda _: np.zeros(2, np.float32))
    assert total == pytest.approx(-3.75, abs=1e-5)
    found = evaluate("idle", "reach", make_game(**keywords), episodes=3)
    assert (found["distance"] == 0.0).all()
    assert not found["captured"].any()


@pytest.mark.parametrize(("pursuer", "evader", "captured"), [(-0.35, 0.32, 0), (0.12, 0.36, 1)])
def test_in_one_step_what_comes_first_counts(pursuer, evader, captured):
    """The attacker is at the edge after half of the step, the defender at it in the end."""
    start = places((pursuer, 0.0), (evader, 0.0))
    keywords = {**RACE, "start": start, "dt": 0.2, "horizon": 100}
    env = gym.make("ReachAvoidEvade-v0", opponent="seek", **keywords)
    _, steps, state = played(env, straight_for(0j))
    assert (steps, state["game"]["captured"][0]) == (1, captured)


def coasted(captors, speed, **keywords):
    """A step of Guard in which an evader at (3, 0) flies left at this speed; and the game."""
    evader = {"position": (3.0, 0.0), "heading": math.pi, "speed": speed}
    start = {"pursuer": {"position": captors}, "evader": evader}
    rules = {"payoff": "capture", "opponent": "idle", "evader": {"max_speed": speed}}
    env = gym.make("GuardEvade-v0", start=start, **rules, **keywords)
    env.reset(seed=0)
    *_, terminated, _, info = env.step(np.zeros(2, np.float32))
    return terminated, info["captured"], env.unwrapped.get_state()["players"][0]


@pytest.mark.parametrize(("second", "is_caught"), [((-1.8, 0.0), 0), ((2.0, 0.0), 1)])
def test_a_capture_by_several_is_as_late_as_the_last_that_it_takes(second, is_caught):
    """The evader meets the first pursuer before the target, and the second one beyond it."""
    rules = {"pursuers": 2, "captors_needed": 2, "dt": 0.25}
    assert coasted(((2.4, 0.0), second), 20.0, **rules)[:2] == (True, is_caught)


def test_a_caught_evader_does_not_count_as_in_the_target():
    """It is caught at 2.5 m, and would be in the target at the end of its step."""
    players = coasted((1.9, 0.0), 25.0, dt=0.1, horizon=90)[2]
    pursuer, evader = players["body"]["position"]
    assert abs(pursuer - evader) == pytest.approx(0.6)  # the capture radius
    assert not make_game(game="guard").reached(players).any()


def test_evaders_of_a_team_leave_one_after_the_other():
    rules = {"evaders": 2, "target": {"radius": 2.0}, "reward": {"closing": 0.0, "time": 0.0}}
    keywords = {**rules, "start": places((9.0, 9.0), ((3.0, 0.0), (-8.0, 0.0)))}
    env = gym.make("Pursuit-v0", opponent="reach/full_force", **keywords, horizon=400)
    env.reset(seed=0)
    active, terminated = [], False
    while not terminated:
        _, reward, terminated, _, info = env.step(np.zeros(2, np.float32))
        active.append(env.unwrapped.get_state()["players"]["active"][0, 1:].tolist())
    assert active[0] == [True, True]
    assert [False, True] in active
    assert active[-1] == [False, False]
    assert info["captured"] == 0
    assert -0.52 < reward < -0.5  # the second one's share, and a step toward the target
    found = evaluate("idle", "reach/full_force", keywords, episodes=3)
    assert (found["time"] == 20.0).all()  # nobody is caught within the time limit
    assert not found["caught"].any()


TORUS = {"arena": "torus", "target": {"position": (8.0, 0.0), "radius": 1.0}}


def test_a_target_is_reached_across_the_edge_of_a_torus():
    start = places((0.0, 0.0), (-9.0, 0.0))
    env = gym.make("Evade-v0", **TORUS, start=start, observation={"features": SEEN})
    observation, _ = env.reset(seed=0)
    heading = env.unwrapped.get_state()["players"]["body"]["heading"][0, 1]
    seen = complex(*observation[:2]) * heading * 14.142135623730951
    assert seen == pytest.approx(-2.0, abs=1e-5)
    _, steps, state = played(env, straight_for(-12.0 + 0j))
    assert not state["players"]["active"][0, 1]
    assert steps < 60
    found = evaluate("idle", "reach/full_force", {**TORUS, "start": start}, episodes=2)
    assert not found["captured"].any()


SEEN = ("own.target_forward", "own.target_left")


def test_the_way_to_a_target_is_that_to_its_nearest_image():
    """On a torus of 8 m, along a line on which the nearest image changes."""
    start = {"evader": {"position": (-1.5, 2.0), "heading": 0.0, "speed": 3.6}}
    weights = {"capture": 0.0, "time": 0.0, "closing": 0.0}
    target = {"position": (2.0, 0.0), "radius": 1.0, "reach": 0.0, "approach": 128.0**0.5}
    keywords = {"arena": "torus", "arena_size": 8.0, "target": target, "reward": weights}
    env = gym.make("Evade-v0", **keywords, start=start, horizon=45, opponent="idle")
    env.reset(seed=0)
    config, total = make_game(**keywords), 0.0
    far = [config.distances_to_target(np.array([-1.5 + 2.0j]))[0]]
    for _ in range(45):
        _, reward, _, truncated, _ = env.step(np.array([0.0, 0.0], np.float32))
        total += reward
    assert truncated
    place = env.unwrapped.get_state()["players"]["body"]["position"][0, 1]
    far.append(config.distances_to_target(np.array([place]))[0])
    assert total == pytest.approx(far[0] - far[1], abs=1e-5)


def test_a_gap_is_reached_by_the_body_at_the_wall():
    target = {"kind": "gap", "position": (10.0, 1.0), "width": 2.0}
    for height, is_safe in ((1.5, True), (3.0, False)):
        start = places((-9.0, 0.0), (8.0, height))
        env = gym.make("Evade-v0", target=target, start=start, opponent="idle", horizon=90)
        _, _, state = played(env, straight_for(20.0 + 1j * height))
        assert state["players"]["active"][0, 1] != is_safe


def test_random_starts_and_obstacles_keep_off_the_target():
    target = {"radius": 4.0}
    envs = gym.make_vec("Pursuit-v0", num_envs=500, obstacles=6, target=target)
    envs.reset(seed=0)
    state = envs.unwrapped.get_state()
    pursuers, evaders = np.abs(state["players"]["body"]["position"]).T
    assert pursuers.min() < 3.0  # they may be anywhere
    assert evaders.min() > 4.0
    discs = state["obstacles"]
    assert (np.abs(discs["center"]) - discs["radius"]).min() > 4.0


def test_pursuers_stay_on_the_rim_and_a_breach_is_measured_at_its_moment():
    for dt in (1 / 30, 0.2):
        keywords = {"game": "perimeter_defense", "dt": dt, "horizon": round(20 / dt)}
        start = places((1.0, 0.0), (-1.5, 0.0))
        env = gym.make("PerimeterDefenseEvade-v0", **keywords, start=start, opponent="wander")
        total, _, state = played(env, straight_for(0j))
        pursuer, evader = state["players"]["body"]["position"][0]
        assert abs(pursuer) == pytest.approx(1.0, abs=1e-12)
        assert abs(evader) == pytest.approx(1.0, abs=1e-6)
        assert total == pytest.approx(abs(np.angle(pursuer / evader)), abs=1e-6)


@pytest.mark.parametrize("angle", [0.0, 0.7, -1.4, 2.0])
def test_pursuers_on_the_rim_face_along_it(angle):
    env = gym.make("PerimeterDefense-v0", opponent="wander")
    env.reset(seed=0)
    for _ in range(3):
        heading = env.unwrapped.get_state()["players"]["body"]["heading"][0, 0]
        action = np.exp(1j * angle) * heading.conjugate()
        observation, *_ = env.step(np.array([action.real, action.imag], np.float32))
        body = env.unwrapped.get_state()["players"]["body"][0, 0]
        assert body["velocity"] == pytest.approx(abs(body["velocity"]) * body["heading"])
        assert observation[0] == pytest.approx(abs(body["velocity"]), abs=1e-6)


RIM = {"game": "perimeter_defense"}


@pytest.mark.parametrize(
    ("keywords", "match"),
    [
        ({"target": {"kind": "circle"}}, "kind of target.*disc"),
        ({"target": {"radius": -1.0}}, "radius"),
        ({"target": {"position": (9.5, 0.0)}}, "inside the arena"),
        ({"target": {"position": (1.0, 2.0, 3.0)}}, r"\(x, y\)"),
        ({"target": {"position": (math.nan, 0.0)}}, r"\(x, y\)"),
        ({"target": {"radius": 10.0}}, "a quarter"),
        ({"target": {}, "obstacles": [(1.5, 0.0, 1.0)]}, "inside an obstacle"),
        (
            {"target": {}, "start": {"evader": {"position": (0.5, 0.0)}}},
            "an evader is in the target",
        ),
        ({"target": {"kind": "gap", "position": (9.0, 0.0)}}, "a part of a wall"),
        ({"target": {"kind": "gap", "position": (10.0, 9.0)}}, "a part of a wall"),
        ({"target": {"kind": "gap", "position": (10.0, 0.0)}, "arena": "open"}, "walls"),
        ({"target": {"kind": "half_plane"}, "arena": "torus"}, "torus"),
        ({"target": {"kind": "half_plane", "position": (-11.0, 0.0)}}, "not leave all"),
        ({"payoff": "target_distance"}, "needs a target"),
        ({"payoff": "target_distance", "target": {}, "evaders": 2}, "one evader"),
        ({"payoff": "breach_distance", "target": {}}, "on_rim"),
        ({"target": {"on_rim": True}}, "simple_motion"),
        ({"target": {"on_rim": True, "kind": "half_plane"}}, "needs a disc"),
        ({**RIM, "start": {"pursuer": {"position": (0.5, 0.0)}}}, "a pursuer is off the rim"),
        ({**RIM, "payoff": "capture", "pursuers": 2, "solid": "teammates"}, "need solid"),
        ({**RIM, "dt": 1.0, "pursuer": {"max_speed": 4.0}}, "less than half of it in a step"),
    ],
)
def test_wrong_targets(keywords, match):
    with pytest.raises(InvalidValue, match=match):
        make_game(**keywords)


@pytest.mark.parametrize(
    ("name", "side", "wrong", "right", "match"),
    [
        ("PerimeterDefense-v0", "pursuer", (2.5, 0.0), (0.6, 0.8), "a pursuer is off the rim"),
        ("Guard-v0", "evader", (0.5, 0.0), (1.5, 0.0), "an evader is in the target"),
    ],
)
def test_an_episode_cannot_begin_off_the_rim_or_in_the_target(name, side, wrong, right, match):
    env = gym.make(name)
    with pytest.raises(InvalidValue, match=match):
        env.reset(seed=0, options={"start": {side: {"position": wrong}}})
    env.reset(seed=0, options={"start": {side: {"position": right}}})


def test_targets_of_the_wrong_type():
    with pytest.raises(InvalidType, match=r"radius.*'radios'|radios"):
        make_game(target={"radios": 1.0})
    with pytest.raises(InvalidType):
        make_game(target=1.0)
    assert make_game(target=TargetConfig(radius=2.0)).target.radius == 2.0
    with pytest.raises(InvalidValue, match="need a game with one"):
        gym.make("Pursuit-v0", observation={"features": SEEN})
    with pytest.raises(InvalidValue, match="knows nothing of targets"):
        check_credit("own", make_game(target={}))
