"""Solid bodies start apart, and push each other apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_motion import CROWDS, ROUNDING, crowd, overlaps

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.sides import PURSUER

pytestmark = pytest.mark.weekly


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
    engine = Engine(config, [ROSTER["idle"]], [ROSTER["idle"]], 1)
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
