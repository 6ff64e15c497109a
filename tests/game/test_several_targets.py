"""Games with several targets: any of them is safe, and both sides race for the same one."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from steer_env import Scenario
from steer_env.baselines import evaluate
from steer_env.baselines.measures import fields_of_game
from steer_env.errors import InvalidType, InvalidValue
from steer_env.game.config import TargetConfig, make_game
from steer_env.steering import norm
from steer_env.steering.targets import contested_point

EAST, WEST = (
    {"kind": "gap", "position": (x, 0.0), "width": 4.0, "approach": 0.0} for x in (10.0, -10.0)
)
EXITS = {"target": [EAST, WEST]}


def places(pursuer, evader):
    return {"pursuer": {"position": pursuer}, "evader": {"position": evader}}


def end_of(start, **keywords):
    """The places at which evaders that reach for an exit end, and how many are caught."""
    players = {"evader": {"model": "simple_motion", "max_speed": 3.0}, "horizon": 900}
    keywords = {**EXITS, **players, "start": start, **keywords}
    env = gym.make("Pursuit-v0", opponent="reach", **keywords)
    env.reset(seed=0)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(np.zeros(2, np.float32))
        over = terminated or truncated
    return env.unwrapped.get_state()["players"]["body"]["position"][0, -1], info["captured"]


@pytest.mark.parametrize("x", [3.0, -3.0])
def test_either_exit_is_safe(x):
    place, captured = end_of(places((0.0, 9.0), (x, 0.0)))
    assert captured == 0
    assert place == pytest.approx(np.sign(x) * 9.7, abs=0.01)  # its body is at the wall


def test_the_evader_runs_for_the_exit_at_which_it_comes_first():
    place, captured = end_of(places((6.0, 0.0), (1.0, 0.0)))
    assert place.real == pytest.approx(-9.7, abs=0.01)  # the east is nearer, and guarded
    assert captured == 0


def test_both_sides_race_for_the_same_target():
    """Of one that no evader reaches in time they take that to which it comes nearest."""
    targets = [{"position": (6.0, y), "radius": 0.5, "approach": 0.0} for y in (5.0, -5.0)]
    vehicles = {side: {"model": "simple_motion", "max_speed": 3.0} for side in SIDES}
    game = make_game(target=targets, **vehicles, capture_radius=0.3)
    generator = np.random.default_rng(3)
    for _ in range(12):
        pursuer, evader = generator.uniform(-9, 9, 2), generator.uniform(-9, 9, 2)
        start = places(tuple(pursuer), tuple(evader))
        if (game.distances_to_target(np.array([complex(*evader)])) <= 0.0).any():
            continue
        ends = complex(*evader), complex(*pursuer)
        meetings = [contested_point(*ends, 1.0, 0.3, shape) for shape in game.shapes]
        left = [game.distances_to_target(np.array([place]))[0] for place in meetings]
        lengths = [norm(shape.center - ends[0]) for shape in game.shapes]
        expected = meetings[int(np.lexsort((lengths, np.round(left, 9)))[0])]
        for side, opponent in (("evader", "reach"), ("pursuer", "block")):
            env = gym.make(
                "Pursuit-v0" if side == "evader" else "Evade-v0",
                **{"opponent": opponent, "target": targets, "start": start},
                **{**vehicles, "capture_radius": 0.3},
            )
            env.reset(seed=0)
            env.step(np.zeros(2, np.float32))
            body = env.unwrapped.get_state()["players"]["body"][0, int(side == "evader")]
            place = ends[0] if side == "evader" else ends[1]
            course = (expected - place) / abs(expected - place)
            assert body["velocity"] / 3.0 == pytest.approx(course, abs=1e-6)


SIDES = "pursuer", "evader"


def test_the_features_and_the_reward_are_about_the_nearest_one():
    seen = {"features": ["own.target_forward", "own.target_left"]}
    weights = {"reward": {"capture": 0.0, "time": 0.0, "closing": 0.0}}
    targets = [{"position": (x, 0.0), "radius": 1.0, "approach": 800.0**0.5} for x in (8, -8)]
    start = {"evader": {"position": (-4.0, 3.0), "heading": 0.0, "speed": 3.6}}
    rules = {"target": targets, "start": start, "observation": seen, **weights}
    env = gym.make("Evade-v0", opponent="idle", **rules)
    observation, _ = env.reset(seed=0)
    assert complex(*observation) * 800.0**0.5 == pytest.approx((-4 - 3j) * 0.8, abs=1e-5)
    total, config = 0.0, make_game(target=targets)
    for _ in range(90):  # from the left one's to the right one's
        total += env.step(np.zeros(2, np.float32))[1]
    place = env.unwrapped.get_state()["players"]["body"]["position"][:, 1]
    assert place.real[0] > 4.0
    far, near = config.distances_to_target(np.array([-4.0 + 3.0j, place[0]]))
    assert far == pytest.approx(4.0)
    assert total == pytest.approx(far - near, abs=1e-5)


def test_starts_and_obstacles_keep_off_all_of_them():
    targets = [{"position": (x, 0.0), "radius": 3.0} for x in (6, -6)]
    envs = gym.make_vec("Pursuit-v0", num_envs=300, obstacles=4, target=targets)
    envs.reset(seed=0)
    state = envs.unwrapped.get_state()
    evaders, discs = state["players"]["body"]["position"][:, 1], state["obstacles"]
    for middle in (6.0, -6.0):
        assert np.abs(evaders - middle).min() > 3.0
        assert (np.abs(discs["center"] - middle) - discs["radius"]).min() > 3.0


def test_single_and_vector_games_are_the_same():
    keywords = {**EXITS, "opponent": "reach/full_force", "horizon": 200}
    envs = gym.make_vec("Pursuit-v0", num_envs=5, **keywords)
    alone = [gym.make("Pursuit-v0", **keywords) for _ in range(5)]
    envs.reset(seed=7)
    for k, env in enumerate(alone):
        env.reset(seed=7 + k)
    for step in range(60):
        actions = np.random.default_rng(step).uniform(-1, 1, (5, 2)).astype(np.float32)
        _, rewards, terminated, _, _ = envs.step(actions)
        for k, env in enumerate(alone):
            if env is not None:
                _, reward, over, *_ = env.step(actions[k])
                assert (reward, over) == (rewards[k], terminated[k])
                alone[k] = None if over else env


class Ambush(Scenario):
    """Evaders are caught in the lower half only."""

    def capture(self, evader, pursuers, distances):
        return evader.position.imag < 0.0 and distances[0] < 1.0


@pytest.mark.parametrize(("y", "captured"), [(1.5, 0), (-1.5, 1)])
def test_a_scenario_may_decide_captures_beside_targets(y, captured):
    assert end_of(places((6.0, y), (5.2, y)), game=Ambush)[1] == captured


def test_a_game_with_targets_goes_through_a_file():
    game = make_game(**EXITS)
    assert len(game.zones) == 2
    assert make_game(**fields_of_game(game)) == game
    assert make_game(target=[EAST]) == make_game(target=EAST)
    assert make_game(target=[TargetConfig(), {"position": (5.0, 5.0)}]).targets[1].radius == 1.0
    found = evaluate("block/full_force", "reach/full_force", EXITS, episodes=50)
    assert 0.0 < found["captured"].mean() < 1.0


FOUR_DISCS = [{"position": (x, y), "radius": 5.0} for x in (5.0, -5.0) for y in (5.0, -5.0)]
TWO = {"target": [{"radius": 1.0}, {"position": (5.0, 5.0)}]}


@pytest.mark.parametrize(
    ("keywords", "match"),
    [
        ({"target": []}, "1 to 8"),
        ({"target": [{}] * 9}, "1 to 8"),
        ({"target": [{}, {"reach": 2.0}]}, "reach must be the same"),
        ({"target": [{}, {"on_rim": True}]}, "with that one"),
        ({"target": [{}, {"position": (12.0, 0.0)}]}, "inside the arena"),
        ({"target": FOUR_DISCS}, "a quarter"),
        ({**TWO, "payoff": "target_distance"}, "one alone; got 2"),
    ],
)
def test_wrong_targets(keywords, match):
    with pytest.raises(InvalidValue, match=match):
        make_game(**keywords)


def test_targets_of_the_wrong_type():
    with pytest.raises(InvalidType, match=r"target\[1\].*radios|radios"):
        make_game(target=[{}, {"radios": 1.0}])
    rules = {"payoff": "capture", "opponent": "optimal/reach_avoid", **TWO}
    with pytest.raises(InvalidValue, match="one target"):
        gym.make("ReachAvoid-v0", **rules)
