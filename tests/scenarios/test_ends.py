"""Ends that a scenario declares: who has won, what it is worth, and what is told of it."""

from __future__ import annotations

import csv
import json

import gymnasium as gym
import numpy as np
import pytest
from scenarios.ending_games import Flag, Hill, InSight, Tunnel

from steer_env import Scenario, parallel_env, register
from steer_env.baselines import Episodes, evaluate
from steer_env.envs.parallel_vector import check_credit
from steer_env.errors import FaultyBehavior, InvalidType, InvalidValue
from steer_env.game.config import make_game
from steer_env.information import game_facts
from steer_env.sides import CAPTURED, ESCAPED, EVADER, OUTCOMES, PURSUER, TIME_UP

IDLE = np.zeros(2, np.float32)
NO_SHAPING = {"reward": {"closing": 0.0, "time": 0.0}}


def played(env, act=lambda step: IDLE, **reset):
    """The steps, the sum of rewards, both flags and the outcome of an episode."""
    env.reset(seed=0, **reset)
    total, steps, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(act(steps))
        total, steps, over = total + reward, steps + 1, terminated or truncated
    outcome = env.unwrapped.config.outcome(info["outcome"])
    return steps, total, (terminated, truncated), outcome, info


def start_at(pursuer, evader, speed=0.0, heading=0.0):
    return {
        "pursuer": {"position": pursuer},
        "evader": {"position": evader, "speed": speed, "heading": heading},
    }


@pytest.mark.parametrize(
    ("side", "x", "heading", "outcome", "won"),
    [
        ("Pursuit", 7.0, 0.0, "through the east exit", -1.0),
        ("Pursuit", -7.0, np.pi, "through the west exit", -1.0),
        ("Evade", 7.0, 0.0, "through the east exit", 1.0),
        ("Pursuit", 0.0, np.pi / 2, "shut in", 1.0),
        ("Evade", 0.0, np.pi / 2, "shut in", -1.0),
    ],
)
def test_the_side_that_has_won_gets_a_capture(side, x, heading, outcome, won):
    start = start_at((0.0, -9.0), (x, 0.0), 3.0, heading)
    env = gym.make(f"{side}-v0", game=Tunnel, start=start, opponent="idle", **NO_SHAPING)
    steps, total, flags, found, info = played(env)
    assert (found, total, flags) == (outcome, won, (True, False))
    assert info["captured"] == 0  # an escape is not a capture
    assert steps == (271 if outcome == "shut in" else 21)  # 2 m at 3 m/s, and beyond 9 m


def test_a_terminal_state_has_no_potential():
    """The shaping of an episode adds up to what the start had, whatever its end."""
    start = start_at((0.0, -9.0), (7.0, 0.0), 3.0)
    rules = {"reward": {"time": 0.0, "closing": 20.0 * 2.0**0.5}, "opponent": "idle"}
    env = gym.make("Pursuit-v0", game=Tunnel, start=start, **rules)
    _, total, _, _, info = played(env)
    assert total == pytest.approx(-1.0 + abs(7 + 9j), abs=1e-9)
    assert info["distance"] > 10.0  # which is told as it is


def test_captures_and_the_time_limit_come_as_in_every_game():
    start = start_at((5.0, 0.0), (5.6, 0.0))
    start["pursuer"]["heading"] = 0.0
    env = gym.make("Pursuit-v0", game=Tunnel, start=start, opponent="idle")
    _, _, flags, outcome, info = played(env, lambda _: np.array([1.0, 0.0], np.float32))
    assert (outcome, info["captured"], info["outcome"]) == ("captured", 1, CAPTURED)
    assert flags == (True, False)
    limited = gym.make("Pursuit-v0", opponent="idle", horizon=5)
    assert played(limited)[2:4] == ((False, True), "time up")
    cut = gym.make_vec("Pursuit-v0", num_envs=2, opponent="idle", max_episode_steps=5)
    cut.reset(seed=0)
    for _ in range(5):
        *_, truncated, info = cut.step(np.zeros((2, 2), np.float32))
    assert truncated.all()
    assert (info["outcome"] == 0).all()  # nobody has won what was only cut short


def test_a_target_is_an_escape_and_may_get_a_name():
    start = start_at((-9.0, 0.0), (3.0, 0.0), 3.0, np.pi)
    rules = {"target": {"radius": 1.0, "approach": 0.0}, "start": start, "opponent": "idle"}
    env = gym.make("Pursuit-v0", **rules, **NO_SHAPING)
    assert played(env)[1:4] == (-1.0, (True, False), "escaped")
    assert env.unwrapped.get_state()["game"]["outcome"][0] == ESCAPED
    named = gym.make("Pursuit-v0", game=Door, **rules, **NO_SHAPING)
    assert played(named)[1:4] == (-1.0, (True, False), "through the door")  # paid once
    late = gym.make("Pursuit-v0", game=Door(key=0.0), **rules, **NO_SHAPING)
    assert played(late)[1:4] == (0.0, (True, False), "without the key")


class Door(Scenario):
    key: float = 1.0
    outcomes = {"through the door": "evaders", "without the key": "pursuers"}

    def ends(self, reached, captured):
        if reached > 0 and captured == 0:
            return "through the door" if self.key > 0.0 else "without the key"
        return ""


def test_a_flag_is_brought_home_by_the_one_that_has_it():
    start = {"evader": {"position": ((7.0, 0.0), (-8.0, 5.0))}}
    env = gym.make("Evade-v0", game=Flag, start=start, opponent="idle")
    env.reset(seed=0)
    outcome, step, terminated = 0.0, 0, False
    while not terminated:
        bodies = env.unwrapped.get_state()["players"]["body"][0, 2:]
        course = -bodies["heading"].conjugate()  # to the left
        actions = np.stack([course.real, course.imag], 1).astype(np.float32)
        actions[1] = 0.0  # at home from the start, without the flag
        *_, terminated, _, info = env.step(actions)
        outcome, step = info["outcome"], step + 1
    place = env.unwrapped.get_state()["players"]["body"]["position"][0, 2]
    assert env.unwrapped.config.outcome(outcome) == "flag brought home"
    assert place.real < -7.0
    assert step > 60


def test_a_zone_is_held_for_three_seconds():
    start = start_at((9.0, 9.0), (0.0, 0.0))
    env = gym.make("Evade-v0", game=Hill, start=start, opponent="idle")
    steps, *_, outcome, info = played(env)
    assert (steps, outcome, info["captured"]) == (90, "held the hill", 0)


@pytest.mark.parametrize(("y", "outcome"), [(0.0, "hidden"), (5.0, "seen at last")])
def test_ends_see_obstacles_and_come_with_the_time_limit(y, outcome):
    start = start_at((-6.0, y), (6.0, y))
    env = gym.make("Pursuit-v0", game=InSight, start=start, opponent="idle", **NO_SHAPING)
    assert played(env)[:4] == (60, 1.0 if y else -1.0, (True, False), outcome)


@pytest.mark.parametrize("game", [Tunnel, Flag, Hill, InSight])
def test_single_and_vector_games_are_the_same(game):
    count, opponent = 6, "wander"
    envs = gym.make_vec("Evade-v0", num_envs=count, game=game, opponent=opponent)
    alone = [gym.make("Evade-v0", game=game, opponent=opponent) for _ in range(count)]
    seen, _ = envs.reset(seed=5)
    for k, env in enumerate(alone):
        np.testing.assert_array_equal(env.reset(seed=5 + k)[0], seen[k])
    generator = np.random.default_rng(0)
    for _ in range(90):
        actions = generator.uniform(-1, 1, envs.action_space.shape).astype(np.float32)
        seen, rewards, terminated, truncated, info = envs.step(actions)
        for k, env in enumerate(alone):
            if env is not None:
                mine, reward, ended, cut, about = env.step(actions[k])
                np.testing.assert_array_equal(mine, seen[k])
                assert (reward, ended, cut) == (rewards[k], terminated[k], truncated[k])
                assert about["outcome"] == info["outcome"][k]
                alone[k] = None if ended or cut else env


def test_evaluations_tell_escapes_from_captures(tmp_path, forgotten):
    found = evaluate("pursuit", "flee", register(Tunnel), episodes=60)
    outcomes, numbers = found["outcome"], found.to_dict()
    assert set(np.unique(outcomes)) <= {*range(len(OUTCOMES) + 4)}
    assert (found["captured"] == (outcomes == CAPTURED)).all()
    assert (found["time"][~found["captured"]] == found.time_limit).all()
    groups = found.by("outcome")
    assert sum(map(len, groups.values())) == 60
    assert len(groups["captured"]) == found["captured"].sum()
    shares = [found.metric(name).estimate for name in found.metric_names[-4:]]
    assert sum(shares) + found.capture_rate.estimate == pytest.approx(1.0)
    assert found.won("pursuer").estimate + found.won("evader").estimate == pytest.approx(1.0)
    assert numbers["shut in"]["estimate"] == found["shut in"].mean()
    assert "through the east exit" in str(found.table())
    found.save(tmp_path / "found.npz")
    loaded = Episodes.load(tmp_path / "found.npz")
    assert loaded.episodes.tobytes() == found.episodes.tobytes()
    found.save(tmp_path / "found.csv")
    with open(tmp_path / "found.csv", encoding="utf-8", newline="") as file:
        named = [row["outcome"] for row in csv.DictReader(file)]
    assert named == found.config.outcome(outcomes).tolist()


def test_games_without_ends_of_their_own_have_outcomes_in_files_too(tmp_path):
    found = evaluate("pursuit", "evade", episodes=30)
    assert set(found["outcome"]) <= {CAPTURED, TIME_UP}
    assert "escaped" not in found.metric_names
    found.save(tmp_path / "found.csv")
    text = (tmp_path / "found.csv").read_text(encoding="utf-8")
    named = found.config.outcome(found["outcome"]).tolist()
    assert [row["outcome"] for row in csv.DictReader(text.splitlines())] == named
    assert "time up" not in json.dumps(found.to_dict())


def test_players_and_training_get_the_outcome():
    from steer_env.envs.sb3 import make_vec_env

    start = start_at((0.0, -9.0), (7.0, 0.0), 3.0)
    games = parallel_env(game=Tunnel, start=start)
    games.reset(seed=0)
    while games.agents:
        actions = dict.fromkeys(games.agents, IDLE)
        _, rewards, terminated, _, infos = games.step(actions)
    assert terminated == {"pursuer_0": True, "evader_0": True}
    assert rewards["pursuer_0"] == -rewards["evader_0"]
    assert games.config.outcome(infos["evader_0"]["outcome"]) == "through the east exit"
    for env_id, is_success in (("Pursuit-v0", False), ("Evade-v0", True)):
        rows = make_vec_env(env_id, 2, monitor=False, game=Tunnel, start=start, opponent="idle")
        rows.reset()
        dones = np.zeros(2, np.bool_)
        while not dones.any():
            *_, dones, about = rows.step(np.zeros((2, 2), np.float32))
        assert about[0]["outcome"] == "through the east exit"
        assert about[0]["is_success"] is is_success


class Typo(Scenario):
    outcomes = {"out of fuel": "pursuers"}

    def ends(self, time):
        return "out of fule" if time > 0.05 else None


class Number(Scenario):
    outcomes = {"out of fuel": "pursuers"}

    def ends(self, time):
        return 1


def test_a_name_that_is_not_an_outcome_is_a_fault():
    env = gym.make("Pursuit-v0", game=Typo)
    env.reset(seed=0)
    env.step(IDLE)
    with pytest.raises(FaultyBehavior, match="a name that is not in outcomes"):
        env.step(IDLE)
    with pytest.raises((InvalidType, FaultyBehavior), match="outcome"):
        played(gym.make("Pursuit-v0", game=Number))


def made(**members):
    return type("Made", (Scenario,), members)


def ends(self, evader):
    return None


@pytest.mark.parametrize(
    ("members", "match"),
    [
        ({"ends": ends}, "both or neither"),
        ({"outcomes": {"won": "evaders"}}, "both or neither"),
        ({"ends": ends, "outcomes": {"won": "nobody"}}, "side"),
        ({"ends": ends, "outcomes": {"captured": "pursuers"}}, "itself decides"),
        ({"ends": ends, "outcomes": {"escaped": "pursuers"}}, "itself decides"),
        ({"ends": ends, "outcomes": {"out_of_fuel": "pursuers"}}, "a few words"),
        ({"ends": ends, "outcomes": {"": "pursuers"}}, "a few words"),
        ({"ends": ends, "outcomes": {"x" * 41: "pursuers"}}, "a few words"),
        ({"ends": ends, "outcomes": dict.fromkeys(map(str, range(40)), EVADER)}, "at most"),
        ({"ends": ends, "outcomes": ["won"]}, "a dict"),
    ],
)
def test_wrong_outcomes(members, match):
    with pytest.raises((InvalidValue, InvalidType), match=match):
        made(**members)


def test_outcomes_have_numbers_and_names():
    config = make_game(game=Tunnel)
    assert [*config.outcomes.values()][:4] == [PURSUER, EVADER, EVADER, EVADER]
    assert config.outcome(0.0) == ""
    assert config.outcome(np.array([1, 7])).tolist() == ["captured", "shut in"]
    for wrong in (8, -1, 0.5, np.nan, "captured", None):
        with pytest.raises(InvalidValue, match="from 0 to 7"):
            config.outcome(wrong)
    assert game_facts(config)["or, as the scenario says"].endswith("shut in (the pursuers win)")


def test_what_does_not_fit_an_end():
    with pytest.raises(InvalidType, match=r"'evdaer'.*evader"):
        made(outcomes={"won": "evaders"}, ends=lambda self, evdaer: None)
    won = made(outcomes={"won": EVADER, "lost": "pursuer"}, ends=ends)
    assert won.outcomes == {"won": EVADER, "lost": PURSUER}
    with pytest.raises(InvalidValue, match="ask for evaders"):
        make_game(game=won, evaders=2)
    with pytest.raises(InvalidValue, match="needs payoff='capture'"):
        make_game(game=won, payoff="time")
    with pytest.raises(InvalidValue, match="no other ends"):
        check_credit("own", make_game(game=won))
