"""One state has one observation in every game, and the bounds say how far features go."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config
from steer_env.game.dynamics import MODELS
from steer_env.game.engine import Engine
from steer_env.sides import PURSUER

STRONG = {"evader": {"mass": 3.0, "max_force": 36.0}}


def observations(steps=0, **keywords):
    engine = Engine(game_config(**keywords), [None], [None], 3)
    engine.seed(range(3))
    engine.start()
    push = np.full((3, 1, 2), 0.6, np.float32)
    for _ in range(steps):
        engine.step(push, push, PURSUER, False)
    return engine.observe(PURSUER)


def test_one_state_has_one_observation_in_every_game():
    """The own max_force is 12 N in both games: 1.0 with fixed scales, a third in the strong."""
    np.testing.assert_array_equal(observations(), observations(**STRONG))
    game = {"observation": {"scales": "game"}}
    differing = np.flatnonzero((observations(**game) != observations(**game, **STRONG))[0, 0])
    assert differing.tolist() == [7, 8]  # own max_force and mass


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("model", MODELS)
def test_fixed_scales_are_those_of_the_default_game(arena, model):
    both = {side: {"model": model} for side in ("pursuer", "evader")}
    both["evader"]["max_speed"] = 3.6
    fixed = observations(5, arena=arena, **both)
    of_game = observations(5, arena=arena, **both, observation={"scales": "game"})
    np.testing.assert_array_equal(fixed, of_game)


def test_scales_of_your_own():
    own = {"speed": 8.0, "length": 40.0}
    seen = observations(4, observation={"scales": own})
    fixed = observations(4)
    halved = [0, 1, 2, 6, 11, 12, 13, 14, 19]  # speeds and lengths; but the radius stays
    np.testing.assert_allclose(seen[..., halved], fixed[..., halved] / 2, rtol=1e-6)
    others = [k for k in range(21) if k not in halved]
    np.testing.assert_array_equal(seen[..., others], fixed[..., others])


LARGE = {
    "arena_size": 50,
    "pursuer": {"max_speed": 9.0, "max_force": 50.0, "radius": 0.7, "mass": 2.0},
    "randomize": {"evader": {"mass": (0.1, 3.0), "max_speed": (1.0, 7.0)}},
    "obstacles": 3,
}


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("scales", ["fixed", "game", {"speed": 2.0, "acceleration": 3.0}])
def test_the_space_has_the_bounds_of_the_game(arena, scales):
    env = gym.make("Pursuit-v0", arena=arena, **LARGE, observation={"scales": scales})
    check_env(env.unwrapped, skip_render_check=True)
    high = env.observation_space.high
    if scales == "game":
        np.testing.assert_array_equal(high, 1.0)
    elif scales == "fixed":
        own = [9 / 4, 9 / 4, 50 / 12, 3, 7 / 3]
        assert high[[0, 6, 7, 8, 9]].tolist() == pytest.approx(own)
        assert high[1] == (1 if arena == "open" else 2.5)
        assert high[17] == pytest.approx(12 / 0.1 / 12)
    else:
        assert high[[0, 13, 17]].tolist() == pytest.approx([4.5, 4.5, 40])
    envs = gym.make_vec(
        "Pursuit-v0", num_envs=2, arena=arena, **LARGE, observation={"scales": scales}
    )
    assert envs.single_observation_space == env.observation_space
