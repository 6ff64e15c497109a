"""Observations hold what the table of features says, in its bounds, and can be read back."""

from __future__ import annotations

import numpy as np
import pytest
from test_observation import bounds, decoded, start

from steer_env.game.config import game_config
from steer_env.game.config.observation import (
    OBSTACLE_SIZE,
    OTHER_SIZE,
    OWN_SIZE,
)
from steer_env.game.engine import Engine
from steer_env.game.rules import game_rules
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("count", [128, 129, 513])
def test_more_obstacles_than_games_in_a_block_appear(count):
    places = np.linspace(-9.7, 9.7, 23).tolist()
    discs = tuple((x, y, 0.02) for x in places for y in places)[:count]
    engine = start(game_config(obstacles=discs), 2)
    mine = engine.state.position[0]
    for blocks, me in zip(engine.observe(PURSUER)[:, 0, OWN_SIZE + OTHER_SIZE :], mine):
        blocks = blocks.reshape(count, OBSTACLE_SIZE)
        expected = np.sort([abs(complex(x, y) - me) for x, y, _ in discs])
        found = np.hypot(blocks[:, 1], blocks[:, 2]) * 20 * np.sqrt(2)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        assert (blocks[:, 0] == 1).all()
        np.testing.assert_allclose(blocks[:, 3], 0.002, rtol=1e-6)


@pytest.mark.parametrize("times", [1, 5])
def test_obstacles_at_equal_distance_appear_in_the_order_of_their_places(times):
    discs = ((3, 0, 1), (-3, 0, 0.5), (0, 3, 0.75), (0, -3, 0.25)) * times
    engine = start(game_config(obstacles=discs), 1)
    state = engine.get_state()
    state["players"]["body"]["position"][:, 0] = 0j
    engine.set_state(state)
    blocks = engine.observe(PURSUER)[0, 0, OWN_SIZE + OTHER_SIZE :].reshape(4 * times, -1)
    assert blocks[:, 3].tolist() == pytest.approx([0.1, 0.05, 0.075, 0.025] * times)


@pytest.mark.compiled
def test_the_endless_plane_stays_in_bounds_however_far():
    fast = {"max_speed": 1e6}
    game = {"arena": "open", "dt": 1.0, "horizon": 10**9, "pursuer": fast, "evader": fast}
    engine = start(game_config(**game), 16)
    ahead = np.tile(np.array([1, 0], np.float32), (16, 1, 1))
    low, high = bounds(engine)
    state = engine.get_state()
    state["players"]["body"]["position"] *= 1e12
    state["game"]["steps"] = 10**8
    engine.set_state(state)
    for _ in range(10):
        observations = engine.step(ahead, ahead, PURSUER, False).observations
        assert ((observations >= low) & (observations <= high)).all()


def test_decoding_rounds_the_same_on_every_processor():
    """The product of complex arrays in numpy itself is fused where the processor can."""
    config = game_config(pursuer={"max_speed": 4.3})
    observations = start(config, 500).observe(PURSUER)
    drifts = np.random.default_rng(0).uniform(-1, 1, (500, 2)).astype(np.float32)
    observations[:, 0, 0], observations[:, 0, 13:15] = 0.0, drifts
    seen = decoded(Engine(config, [None], [None], 500), PURSUER, observations)
    scale = 2.0 / game_rules(config, (1, 1))[0].speed_scale
    for velocity, row in zip(seen.velocity[1].tolist(), observations[:, 0].tolist()):
        x, y = row[13] * scale, row[14] * scale
        assert velocity.real == x * row[3] - y * row[4]
        assert velocity.imag == x * row[4] + y * row[3]
