"""Episodes that people played, and what tests of their files share."""

from __future__ import annotations

import numpy as np
from envs.same import assert_same

from steer_env.episodes.live_game import LiveGame


def played(config, pursuer=None, evader=None, *, seed=5, steps=80, actions=None):
    """What people made of an episode, who push at random; None for a person.

    Actions are by side, (steps, players of the side, 2), if they are not random.
    """
    live = LiveGame(config, pursuer, evader, ("you", "another"))
    generator = np.random.default_rng(seed)
    live.start(seed)
    for step in range(steps):
        if live.status.is_over:
            break
        pushes = [None, None]
        for side, controller in enumerate(live.controllers):
            if controller is None and actions is not None:
                pushes[side] = actions[side][step]
            elif controller is None:
                players = (config.pursuers, config.evaders)[side]
                pushes[side] = generator.uniform(-1, 1, (players, 2))
        live.step(*pushes)
    live.close()
    return live.recording()


def assert_same_round(one, other):
    """Two recordings are the same, bit for bit."""
    for name in ("names", "seed", "states", "forces", "actions"):
        assert_same(getattr(one, name), getattr(other, name), name)
    assert one.config == other.config
    assert repr(one.scripts) == repr(other.scripts)  # equal scripts may differ in descriptions
