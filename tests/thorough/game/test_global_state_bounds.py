"""The global state shows everything, within its bounds."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.envs.parallel_vector import ParallelVectorEnv


def played(steps=200, **keywords):
    envs = ParallelVectorEnv(8, autoreset_mode="SameStep", **keywords)
    envs.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        yield envs
        envs.step(
            {
                side: rng.uniform(-1, 1, (8, envs.config.count(side), 2))
                for side in ("pursuer", "evader")
            }
        )


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_it_stays_within_its_bounds(arena):
    randomize = {"pursuer": {"max_speed": (2.0, 6.0), "mass": (0.5, 3.0)}}
    game = {"pursuers": 3, "evaders": 2, "arena": arena, "randomize": randomize}
    for envs in played(capture_radius=2.0, obstacles=2, **game):
        state = envs.state()
        assert state.dtype == np.float32
        for row in state:
            assert envs.state_space.contains(row)
