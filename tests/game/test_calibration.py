"""The defaults leave something to learn, and something to beat."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import named_script
from steer_env.sides import PURSUER

EPISODES = 2000
STEPS = 600

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]


def capture_rate(pursuer, evader, **keywords):
    """Share of the episodes with seeds 0 to 1999 in which the evader is caught.

    A side is the name of a script; None for actions at random, uniform in the square.
    """
    sides = [[name and named_script(name)] for name in (pursuer, evader)]
    engine = Engine(game_config(**keywords), *sides, EPISODES, STEPS)
    engine.seed(range(EPISODES))
    engine.start()
    generator = np.random.default_rng(0)
    nobody = np.zeros((0, 1, 2), np.float32)
    caught, over = np.zeros(EPISODES, bool), np.zeros(EPISODES, bool)
    while not over.all():
        actions = [
            nobody if side[0] else generator.uniform(-1, 1, (EPISODES, 1, 2)).astype(np.float32)
            for side in sides
        ]
        outcome = engine.step(*actions, PURSUER, True)
        caught |= outcome.terminated & ~over  # the first end of each game
        over |= outcome.terminated | outcome.truncated
    return caught.mean()


def test_chance_catches_hardly_anybody():
    assert capture_rate(None, "evade") < 0.05


def test_chance_hardly_escapes():
    assert capture_rate("pursuit", None) > 0.9


def test_pursuit_catches_evaders_often_but_not_always():
    assert 0.5 <= capture_rate("pursuit", "evade") <= 0.9


@pytest.mark.parametrize("evader", ["evade", "flee", "evade/intercept"])
def test_evaders_escape_pursuit_sometimes(evader):
    assert 0.1 <= 1 - capture_rate("pursuit", evader) <= 0.5


@pytest.mark.parametrize("evader", ["idle", "wander"])
def test_pursuit_catches_whoever_does_not_look(evader):
    assert capture_rate("pursuit", evader) > 0.95
