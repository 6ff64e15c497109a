"""The module for browsers against the loop of this machine: longer, and script by script."""

import numpy as np
import pytest

from steer_env.game.explanation import EXPLANATION
from steer_env.game.loop import REST, RESTART
from steer_env.game.state import RUNNING
from steer_env.machine_code.library import FOLDER
from steer_env.scripts.roster import named_script
from steer_env.scripts.table import PARTS
from steer_env.sides import PURSUER
from steer_env.steering.vectors import truncate
from tests.browser.machine import Machine
from tests.browser.test_module_bits import (
    ORDINARY,
    assert_plays_alike,
    assert_same_bits,
    engine_of,
    explained_copy,
)


@pytest.fixture(scope="module")
def machine():
    return Machine(FOLDER / "engine.wasm")


def test_shares_add_up_to_the_force(machine):
    for name in ("evade", "evade/threatened", "evade/dithered", "pursuit/among_obstacles"):
        engine = engine_of([name], [name], 8, obstacles=3)
        copy, place = explained_copy(machine, engine)
        copy.play(0, RESTART)
        engine.start()
        for _ in range(60):
            engine._call(PURSUER, engine.new_outcome(PURSUER, False), 1, REST)
            copy.play(1, REST)
            assert_same_bits(engine.state, copy.state())
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
        engine = engine_of([pursuer], [evader], 10, **game)
        assert assert_plays_alike(machine, engine, [250]) == 2500


def test_more_games_than_a_block_play_to_the_bit(machine):
    engine = engine_of(["pursuit", "seek"], ["evade"], 1024)
    assert assert_plays_alike(machine, engine, [1000]) >= 10**6
