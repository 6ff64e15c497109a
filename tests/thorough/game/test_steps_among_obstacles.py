"""Solid bodies start apart, and push each other apart."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.arena import ARENAS, glide, move
from steer_env.game.arena import ROUNDING as CONTACT
from steer_env.game.config import game_config
from steer_env.game.dynamics import MODELS, accelerate, force_of_action
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vectors import wrap
from steer_env.steering.vehicle import Obstacle, Vehicle

GAMES = 60
ROUNDING = CONTACT + 1e-13  # of the distances that are measured here
NOBODY = np.zeros((0, 3, 2), np.float32)


def overlaps(engine, pairs):
    """How deep each pair of active players overlaps, in meters."""
    players, arena = engine.get_state()["players"], engine.config.arena
    place, radius = players["body"]["position"], players["body"]["radius"]
    found = []
    for one, two in pairs:
        offset = place[:, one] - place[:, two]
        if arena.kind == "torus":
            size = arena.size
            offset = offset - size * (
                np.rint(offset.real / size) + 1j * np.rint(offset.imag / size)
            )
        depth = radius[:, one] + radius[:, two] - abs(offset)
        found.append(depth[players["active"][:, one] & players["active"][:, two]])
    return np.concatenate(found)


def two(place, other, **keywords):
    """Two pursuers at rest, far from the evader."""
    config = game_config(pursuers=2, evaders=1, solid="teammates", **keywords)
    engine = Engine(config, [ROSTER["rest"]], [ROSTER["rest"]], 1)
    engine.seed([0])
    engine.start()
    state = engine.get_state()
    state["players"]["body"]["position"] = [place, other, -8 - 8j]
    engine.set_state(state)
    engine.step(NOBODY[:, :2], NOBODY[:, :1], PURSUER, False)
    return engine.get_state()["players"]["body"]["position"][0, :2]


CROWDS = {
    "against a wall": {"pursuers": 1, "evaders": 12, "evader": {"radius": 0.5}},
    "around a quarry": {"pursuers": 12, "evaders": 1, "pursuer": {"radius": 0.5}},
    "in a corner of a full arena": {"evaders": 30, "arena_size": 8.0, "capture_radius": 1e-3},
    "of all sizes": {"pursuers": 6, "randomize": {"pursuer": {"radius": (0.05, 1.0)}}},
    "among obstacles": {"pursuers": 8, "evaders": 8, "obstacles": 6, "arena_size": 14.0},
    "of both sides": {
        "pursuers": 8,
        "evaders": 8,
        "solid": "everyone",
        "capture_radius": 0.65,
        "arena_size": 12.0,
    },
    "on a torus": {"pursuers": 12, "arena": "torus", "arena_size": 8.0},
    "in the open": {"pursuers": 12, "arena": "open", "arena_size": 8.0},
}


def crowd(steps, name):
    """The engine of a crowd after each step."""
    config = game_config(**{"capture_radius": 0.05, "solid": "teammates", **CROWDS[name]})
    engine = Engine(config, [ROSTER["seek"]], [ROSTER["evade"]], 12)
    engine.seed(range(12))
    engine.start()
    nobody = [np.zeros((0, engine.side_size(s), 2), np.float32) for s in (PURSUER, EVADER)]
    yield engine
    for _ in range(steps):
        engine.step(*nobody, PURSUER, True)
        yield engine


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
