"""Payoffs of theory: the moment of capture, the least and the last distance, early ends."""

from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, strategies as st

from steer_env.baselines import evaluate
from steer_env.envs.check import check_vector_env
from steer_env.game.config import game_config
from steer_env.game.config.game import PAYOFFS
from steer_env.game.run.resolve import moment_of_contact

parts = st.floats(-3.0, 3.0)


def test_moments_by_hand():
    assert moment_of_contact(2 + 0j, -4 + 0j, 0j, 1.0) == 0.25
    assert moment_of_contact(2 + 0j, 0j, 0j, 1.0) in (0.0, 1.0)
    assert moment_of_contact(0.5 + 0j, 1 + 0j, 0j, 1.0) == 0.0  # within it from the start
    # Under the acceleration -2 from rest: 4 - s^2 = 3 after a whole step.
    assert moment_of_contact(4 + 0j, -1 + 0j, -1 + 0j, 3.0) == pytest.approx(1.0)
    assert moment_of_contact(4 + 0j, -1 + 0j, -1 + 0j, 3.75) == pytest.approx(0.5)


@given(parts, parts, parts, parts, parts, parts, st.floats(0.1, 2.0))
def test_the_moment_is_the_first_on_the_circle(x, y, dx, dy, bx, by, radius):
    offset, step, bend = complex(x, y), complex(dx, dy), 0.05 * complex(bx, by)
    shares = np.linspace(0.0, 1.0, 4001)
    distance = np.abs(offset + shares * step + shares * (shares - 1) * bend)
    share = moment_of_contact(offset, step, bend, radius)
    assert 0.0 <= share <= 1.0
    inside = np.flatnonzero(distance <= radius)
    # A glance along the circle may be missed by an arc that the chord does not reach.
    if len(inside) and distance.min() < 0.9 * radius and distance[0] > radius:
        assert share == pytest.approx(shares[inside[0]], abs=2e-3)


HOPELESS = {"pursuer": {"position": (-9.0, 0.0)}, "evader": {"position": (9.0, 0.0)}}
GAMES = {
    "capture": ("Pursuit-v0", {}),
    "time": ("SimplePlane-v0", {"horizon": 300, "arena_size": 20.0, "start": HOPELESS}),
    "closest_approach": ("TwoCars-v0", {"horizon": 60}),
    "final_distance": ("Drag-v0", {"horizon": 40}),
    "target_distance": ("ReachAvoid-v0", {}),
    "breach_distance": ("PerimeterDefense-v0", {}),
}
START = {
    "pursuer": {"position": (0.0, 0.0), "heading": 0.0},
    "evader": {"position": (3.0, 0.0)},
}


AHEAD = np.array([1.0, 0.0], np.float32)
REST = np.array([0.0, 0.0], np.float32)


@pytest.mark.parametrize("dt", [1 / 30, 0.1, 0.25])
def test_a_capture_counts_when_it_happens(dt):
    """A race along a line takes (3 - 0.1) / (1 - 0.6) s, however long a step is."""
    keywords = {"dt": dt, "horizon": round(30 / dt), "start": START, "arena_size": 20.0}
    for name, sign in (("SimplePlane-v0", -1.0), ("SimplePlaneEvade-v0", 1.0)):
        env = gym.make(name, **keywords)
        env.reset(seed=0)
        heading = env.unwrapped.get_state()["players"]["body"]["heading"][0, int(sign > 0)]
        action = np.array([heading.real, -heading.imag], np.float32)  # to the right
        total, terminated = 0.0, False
        while not terminated:
            _, reward, terminated, _, _ = env.step(action)
            total, action = total + reward, AHEAD
        assert total == pytest.approx(sign * 2.9 / 0.4, abs=1e-5 if sign > 0 else 1e-9)
    config = game_config(game="simple_plane", **keywords)
    found = evaluate("optimal/simple", "optimal/simple", config, episodes=4)
    np.testing.assert_allclose(found["time"], 2.9 / 0.4, rtol=1e-9)


def test_a_hopeless_chase_ends_early_and_pays_for_all_of_it():
    name, keywords = GAMES["time"]
    env = gym.make(name, **keywords, reward={"time": 10.0, "closing": 0.0})
    env.reset(seed=0)
    steps, total, terminated = 0, 0.0, False
    while not terminated:
        _, reward, terminated, truncated, _ = env.step(REST)
        assert not truncated
        steps, total = steps + 1, total + reward
    assert total == pytest.approx(-10.0)
    # 18 m away, 1.6 m/s closing at the most: 10 s are too few from the start on.
    assert steps == 1


def test_the_least_distance_is_kept():
    """Two cars that pass each other: the payoff is how near they were, not where they end."""
    start = {
        "pursuer": {"position": (-6.0, 1.0), "heading": 0.0},
        "evader": {"position": (6.0, -1.0), "heading": math.pi},
    }
    env = gym.make("TwoCars-v0", opponent="idle", start=start)
    _, info = env.reset(seed=0)
    first, total, terminated, truncated = info["distance"], 0.0, False, False
    nearest = first
    while not (terminated or truncated):
        _, reward, terminated, truncated, info = env.step(REST)
        total += reward
        assert info["distance"] <= nearest
        nearest = info["distance"]
    assert nearest == pytest.approx(2.0, abs=1e-9)
    assert first - total == pytest.approx(2.0, abs=1e-9)
    assert terminated  # they drive apart for good, long before the horizon
    assert env.unwrapped.get_state()["game"]["captured"][0] == 0


@pytest.mark.parametrize(
    ("payoff", "steps"),
    [("time", 1), ("final_distance", 25)]
    + [pytest.param(p, 25, marks=pytest.mark.weekly) for p in PAYOFFS if p != "final_distance"],
)
def test_a_limit_of_gymnasiums_decides_as_little_as_a_vectors_own(payoff, steps):
    keywords = {"max_episode_steps": steps, **GAMES[payoff][1]}
    check_vector_env(
        lambda: gym.make(GAMES[payoff][0], **keywords),
        lambda count, mode: gym.make_vec(
            GAMES[payoff][0], num_envs=count, autoreset_mode=mode, **keywords
        ),
        num_envs=2,
        steps=60,
    )


def test_the_last_distance_is_the_end_of_the_game():
    env = gym.make("Drag-v0", opponent="idle", horizon=30)
    _, info = env.reset(seed=0)
    first, total = info["distance"], 0.0
    for step in range(30):
        _, reward, terminated, truncated, info = env.step(AHEAD)
        total += reward
        assert terminated == (step == 29)
        assert not truncated
    assert first - total == pytest.approx(info["distance"], abs=1e-9)
