"""Pages say how episodes end, how offsets are scaled, and what Minari needs."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

GAME = (Path(__file__).parent.parent / "docs" / "game" / "index.md").read_text("utf-8")
OFFSET = np.array([0.4, 0.8])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Pursuit-v0", (False, True, 0, True)),
        ("Evade-v0", (True, False, 1, False)),
        ("SimplePlane-v0", (True, False, 0, False)),  # out of reach
        ("SimplePlaneEvade-v0", (True, False, 1, False)),
        ("TwoCars-v0", (True, False, 0, False)),
        ("Drag-v0", (True, False, 0, True)),
        ("DragEvade-v0", (True, False, 0, True)),
    ],
)
def test_terminated_is_a_capture_or_a_payoff_that_is_decided(name, expected):
    env = gym.make(name)
    env.reset(seed=0)
    steps, over = 0, False
    while not over:
        _, _, terminated, truncated, info = env.step(np.zeros(2))
        steps, over = steps + 1, terminated or truncated
    is_horizon = steps == env.unwrapped.config.horizon
    assert (terminated, truncated, info["captured"], is_horizon) == expected


def observed_offset(**keywords):
    """The features of an evader 0.4 m ahead and 0.8 m to the left."""
    places = {"pursuer": (0.0, 0.0), "evader": tuple(OFFSET)}
    start = {side: {"position": place, "heading": 0.0} for side, place in places.items()}
    observation, _ = gym.make("Pursuit-v0", start=start, **keywords).reset(seed=0)
    return observation[11:13]


def test_offsets_are_linear_between_walls_and_on_a_torus_as_the_page_says():
    (found,) = re.findall(r"([\d.]+) m between walls and ([\d.]+) m on a torus", GAME)
    for arena, scale in zip(("walls", "torus"), map(float, found)):
        np.testing.assert_allclose(observed_offset(arena=arena), OFFSET / scale, rtol=1e-3)


def test_offsets_are_squashed_in_the_open_plane_as_the_page_says():
    (text,) = re.findall(r"There \$s\$ is (.*?)\. The page", GAME, re.DOTALL)
    scales = re.findall(r"([\d.]+) m\s+(?:by|in) (\w+)(?: and (\w+),)?", text)
    found = {game: float(scale) for scale, *games in scales for game in games if game}
    games = {"simple_plane", "homicidal_chauffeur", "two_cars", "drag"}
    assert found.keys() == {"default", *games}
    for game, scale in found.items():
        chosen = {"game": game} if game in games else {"arena": "open"}
        expected = OFFSET / (np.hypot(*OFFSET) + scale)
        np.testing.assert_allclose(observed_offset(**chosen), expected, rtol=1e-5)
    own = observed_offset(arena="open", observation={"scales": {"length": 4.0}})
    np.testing.assert_allclose(own, OFFSET / (np.hypot(*OFFSET) + 4.0), rtol=1e-5)


@pytest.mark.filterwarnings("default")
def test_the_data_collector_of_minari_needs_jax(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    minari = pytest.importorskip("minari")
    env = minari.DataCollector(gym.make("Pursuit-v0"))
    env.reset(seed=0)
    if find_spec("jax"):
        env.step(env.action_space.sample())
    else:
        with pytest.raises(ImportError, match=r"minari\[create\]"):
            env.step(env.action_space.sample())
