"""The module for browsers against the loop of this machine: longer, and script by script."""

import pytest

from steer_env.game.run.loop import RESTART
from tests.browser.machine import Copy
from tests.browser.test_module_bits import ORDINARY, engine_of

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("name", ORDINARY)
def test_every_script_plays_to_the_bit(machine, name):
    game = {"pursuers": 2, "evaders": 2, "obstacles": 3}
    for pursuer, evader in ((name, "evade"), ("pursuit", name)):
        copy = Copy(machine, engine_of([pursuer], [evader], 10, **game))
        for steps in (0, 250):
            copy.play_alike(steps, RESTART)


def test_more_games_than_a_block_play_to_the_bit(machine):
    copy = Copy(machine, engine_of(["pursuit", "seek"], ["evade"], 1024))
    for steps in (0, 1000):
        copy.play_alike(steps, RESTART)
