"""Engines with games that have begun, for tests of games and scenarios."""

import numpy as np

from steer_env.game.config import make_game
from steer_env.game.engine import Engine
from steer_env.scripts.roster import named_script
from steer_env.sides import EVADER, PURSUER

OPTIONS = ("num_threads", "learner", "credit_method")


def started(chasers=None, others=None, games=1, limit=None, /, *, seed=0, **keywords):
    """An engine; each side is None, a script, its name, or a list of those."""
    options = {name: keywords.pop(name) for name in OPTIONS if name in keywords}
    sides = [side if isinstance(side, list) else [side] for side in (chasers, others)]
    sides = [[named_script(one) if isinstance(one, str) else one for one in s] for s in sides]
    engine = Engine(make_game(**keywords), *sides, games, limit, **options)
    engine.seed(range(seed, seed + games))
    engine.start()
    return engine


def coast(engine, side=PURSUER, restart=True):
    """A step in which nobody steers but scripts; returns its outcome for a side."""
    return engine.step(*random_actions(engine, None), side, restart)


def random_actions(engine, generator):
    """Actions for both sides, uniform between -1 and 1; 0 without a generator."""
    shapes = [(engine.num_games, engine.side_size(side), 2) for side in (PURSUER, EVADER)]
    if generator is None:
        return [np.zeros(shape, np.float32) for shape in shapes]
    return [generator.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
