"""The three models of motion do what their formulas say."""

from __future__ import annotations

import cmath
import math

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import strategies as st

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.sides import PURSUER, Side

pytestmark = pytest.mark.weekly

angles = st.floats(-math.pi, math.pi)
actions = st.builds(cmath.rect, st.floats(0.0, 1.0), angles)


@pytest.mark.compiled
def test_vehicles_with_drag_miss_by_what_the_theory_says():
    """Both push one way for 5 s: |r + v psi| - (FP - FE) Psi, by the exact solution."""
    drag, time, forces = 0.2, 5.0, (1.0, 0.5)
    both = {
        side.name: {"drag": drag, "max_force": force, "max_speed": 1e3}
        for side, force in zip(Side, forces)
    }
    config = game_config(arena="open", dt=1e-3, horizon=10**6, capture_radius=1e-9, **both)
    engine = Engine(config, [None], [None], 1)
    engine.seed([0])
    engine.start()
    offset, velocity = 9.0 + 0j, -1 + 0.5j
    engine.state.position[:, 0] = 0, offset
    engine.state.velocity[:, 0] = -velocity / 2, velocity / 2
    engine.state.heading[:, 0] = 1 + 0j
    psi = -math.expm1(-drag * time) / drag
    free = offset + velocity * psi  # where the evader would be, seen from the pursuer
    along = free / abs(free)
    for _ in range(round(time / config.dt)):
        actions = [along * heading.conjugate() for heading in engine.state.heading[:, 0]]
        pairs = np.array([[[[a.real, a.imag]]] for a in actions], np.float32)
        engine.step(*pairs, PURSUER, False)
    missed = abs(engine.state.position[1, 0] - engine.state.position[0, 0])
    expected = abs(free) - (forces[0] - forces[1]) * (time - psi) / drag
    assert missed == pytest.approx(expected, abs=2e-3)  # a step moves by its last velocity


@pytest.mark.compiled
def test_drag_limits_the_speed_and_fits_into_the_observation():
    keywords = {"evader": {"drag": 4.0}, "arena": "open", "horizon": 10**4}
    envs = gym.make_vec("Evade-v0", num_envs=3, opponent="idle", **keywords)
    envs.reset(seed=0)
    ahead = np.tile(np.float32([1.0, 0.0]), (3, 1))
    for _ in range(300):
        observation = envs.step(ahead)[0]
        assert envs.observation_space.contains(observation)
    speeds = abs(envs.unwrapped.get_state()["players"]["body"]["velocity"][:, 1])
    np.testing.assert_allclose(speeds, 12.0 / 4.0, rtol=1e-9)  # its max_speed is 3.6
