"""Solid bodies start apart, and push each other apart."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.arena import ARENAS, glide, move
from steer_env.game.config import game_config
from steer_env.game.dynamics import MODELS, accelerate, force_of_action
from steer_env.game.engine import Engine
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vectors import wrap
from steer_env.steering.vehicle import Obstacle, Vehicle

pytestmark = pytest.mark.weekly

GAMES = 60


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("model", ["point_mass", "simple_motion"])
def test_a_step_among_obstacles_is_that_of_the_textbook_to_the_bit(arena, model):
    """The loop asks `move` only where an obstacle may be in reach."""
    limits = {"max_speed": (1.0, 40.0), "max_force": (5.0, 500.0), "radius": (0.0, 0.4)}
    config = game_config(
        arena=arena,
        pursuers=3,
        obstacles=4,
        arena_size=12.0,
        pursuer={"model": model},
        evader={"model": model},
        randomize={"pursuer": limits, "evader": limits},
    )
    engine = Engine(config, [None], [None], GAMES)
    engine.seed(range(GAMES))
    engine.start()
    rules, state, generator = engine.rules[0], engine.state, np.random.default_rng(0)
    touched = 0
    for _ in range(15):
        before = engine.get_state()
        actions = [
            generator.uniform(-1, 1, (GAMES, engine.side_size(side), 2)).astype(np.float32)
            for side in (PURSUER, EVADER)
        ]
        engine.step(*actions, PURSUER, True)
        for game, number in zip(*np.nonzero(state.active.T & (state.steps > 0)[:, None])):
            me = Vehicle(*before["players"]["body"][game, number].item())
            discs = [Obstacle(*disc.item()) for disc in before["obstacles"][game]]
            x, y = np.concatenate(actions, axis=1)[game, number].tolist()
            force = force_of_action(MODELS.index(model), me, complex(x, y), config.dt)
            free, _ = accelerate(MODELS.index(model), me, force, config.dt)
            where = rules.arena, rules.half_size
            end, velocity = move(*where, discs, me.radius, me.position, free, config.dt)
            end = me.position + (end - me.position)
            expected = wrap(end, rules.half_size) if arena == "torus" else end
            found = state.position[number, game], state.velocity[number, game]
            assert found == (expected, velocity)
            touched += velocity != glide(*where, me.radius, me.position, free, config.dt)[1]
    assert touched > 20
