"""The module for browsers against the loop of this machine: longer, and script by script."""

import numpy as np
import pytest

from steer_env.game.run.loop import REST, RESTART
from steer_env.game.state import RUNNING
from steer_env.scripts.explanation import EXPLANATION
from steer_env.scripts.roster import named_script
from steer_env.scripts.table import PARTS
from steer_env.steering.vectors import truncate
from tests.browser.machine import Copy
from tests.browser.test_module_bits import ORDINARY, engine_of, explained_copy


def test_shares_add_up_to_the_force(machine):
    for name in ("evade", "evade/threatened", "evade/dithered", "pursuit/among_obstacles"):
        engine = engine_of([name], [name], 8, obstacles=3)
        copy, place = explained_copy(machine, engine)
        copy.play_alike(0, RESTART)
        for _ in range(60):
            copy.play_alike(1, REST)
            shape = engine.num_players, engine.num_games
            found = machine.view(place, EXPLANATION, shape[0] * shape[1]).reshape(shape)
            for k in range(engine.num_games):
                if engine.state.phase[k] != RUNNING:
                    continue
                forces = engine.forces(k)
                for number in range(engine.num_players):
                    one = found[number, k]
                    total = sum(one["shares"][: one["num_shares"]].tolist(), 0j)
                    limit = float(engine.state.max_force[number, k])
                    np.testing.assert_allclose(truncate(total, limit), forces[number], 1e-9)
                    assert {PARTS[part] for part in one["parts"][: one["num_shares"]]} <= {
                        *named_script(name).parts
                    }


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
