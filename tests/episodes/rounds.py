"""Episodes that people played, and what tests of their files share."""

from __future__ import annotations

import numpy as np
from envs.same import assert_same
from recorded import live_game


def played(config, pursuer=None, evader=None, *, seed=5, steps=80, actions=None):
    """The recording of an episode in which people, given as None, push at random.

    Actions are by side, (steps, players of the side, 2), if they are not random.
    """
    live = live_game(config, pursuer, evader, ("you", "another"))
    generator = np.random.default_rng(seed)
    live.start(seed)
    for step in range(steps):
        if live.status.is_over:
            break
        pushes = [None, None]
        for side, player in enumerate(live.players):
            if player.is_person and actions is not None:
                pushes[side] = actions[side][step]
            elif player.is_person:
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
