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
from steer_env.game.scales import largest_quantities, observed_features
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


def test_a_larger_arena_does_not_shrink_offsets():
    discs = [(3.0, 4.0, 1.0)]
    for size in (20, 60):
        config = game_config(arena_size=size, obstacles=discs)
        engine = Engine(config, [None], [None])
        engine.seed([1])
        engine.start()
        state = engine.get_state()
        bodies = state["players"]["body"]
        bodies["position"][0], bodies["heading"][0] = (2 + 1j, 5 - 3j), (1j, 1)
        engine.set_state(state)
        seen = engine.observe(PURSUER)[0, 0]
        np.testing.assert_allclose(seen[1:3], [0.2, 0.1], rtol=1e-6)
        np.testing.assert_allclose(seen[11:13], np.array([-4, -3]) / 800**0.5, rtol=1e-6)
        np.testing.assert_allclose(seen[-4:], [1, 3 / 800**0.5, -1 / 800**0.5, 0.1], rtol=1e-6)


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


def test_the_meaning_of_a_feature_says_what_1_is():
    meanings = {f.name: f.meaning for f in observed_features(game_config(arena_size=30))}
    assert meanings["speed"] == "own speed; 1 is 4 m/s"
    assert meanings["position_x"] == "place in the arena; 1 is 10 m"
    own = game_config(observation={"scales": {"speed": 6.0}}, arena="open")
    meanings = {f.name: f.meaning for f in observed_features(own)}
    assert meanings["velocity_left"] == "velocity less mine; 1 is 12 m/s"
    assert meanings["offset_left"] == "position less mine: z / (|z| + 20 m)"
    assert largest_quantities(own)["speed"] == 4.0
