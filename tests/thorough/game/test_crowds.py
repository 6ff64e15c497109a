"""Solid bodies start apart, and push each other apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steer_env.game.arena import ROUNDING as CONTACT
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

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


def solid_pairs(config):
    count, first = config.pursuers + config.evaders, config.pursuers
    is_mate = [number < first for number in range(count)]
    pairs = itertools.combinations(range(count), 2)
    return [(a, b) for a, b in pairs if config.solid == "everyone" or is_mate[a] == is_mate[b]]


@pytest.mark.compiled
@pytest.mark.parametrize("name", CROWDS)
def test_crowds_start_apart_and_never_overlap(name):
    for engine in crowd(150, name):
        assert overlaps(engine, solid_pairs(engine.config)).max() <= ROUNDING
    engine.check_state(engine.get_state())


@pytest.mark.compiled
def test_a_heap_that_a_caller_makes_is_parted_within_steps():
    config = game_config(pursuers=16, evaders=1, solid="teammates", arena_size=20.0)
    engine = Engine(config, [ROSTER["rest"]], [ROSTER["rest"]], 1)
    engine.seed([0])
    engine.start()
    state = engine.get_state()
    body = state["players"]["body"]
    heap = np.random.default_rng(0).uniform(-0.1, 0.1, (2, 16))
    body["position"][:, :16] = 9 + 9j + heap[0] + 1j * heap[1]  # in a corner
    engine.set_state(state)
    nobody = np.zeros((0, 16, 2), np.float32), np.zeros((0, 1, 2), np.float32)
    pairs = list(itertools.combinations(range(16), 2))
    depths = [overlaps(engine, pairs).max()]
    for _ in range(10):
        engine.step(*nobody, PURSUER, True)
        engine.check_state(engine.get_state())
        depths.append(overlaps(engine, pairs).max())
    assert depths[0] > 0.5
    assert depths[1] > ROUNDING  # the passes of one step are not enough
    assert depths[-1] <= ROUNDING
