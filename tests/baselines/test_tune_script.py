"""The search for the strongest script: what it draws, how it plays, what it finds."""

from __future__ import annotations

import numpy as np
import pytest
import tune_script
from tune_script import Draw, Search, tune

from steer_env.baselines import evaluate
from steer_env.baselines.tasks import held_out_seed
from steer_env.game.config import make_game
from steer_env.players.resolver import resolve
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER, Side

EVADERS = "evade", "wander"
SEEDS = np.arange(900, 1028, dtype=np.uint64)


def search(side=PURSUER, opponents=EVADERS, **keywords):
    players = {name: resolve(name, side.other) for name in opponents}
    return Search(side, players, make_game(**keywords))


@pytest.mark.compiled
@pytest.mark.parametrize("keywords", [{}, {"obstacles": 3}, {"pursuers": 2, "evaders": 2}])
@pytest.mark.parametrize("side", Side)
def test_many_scripts_at_once_play_what_each_plays_alone(side, keywords, monkeypatch):
    monkeypatch.setattr(tune_script, "_SCRIPTS_AT_ONCE", 8)  # the ninth plays apart
    draw = Draw(side, make_game(**keywords), seed=3)
    scripts = [draw.script() for _ in range(9)]
    found = search(side, (side.default_opponent, "random"), **keywords)
    times = found.times(scripts, SEEDS[:40])
    assert times.shape == (9, 2, 40)
    for script, row in zip(scripts, times):
        alone = search(side, (side.default_opponent,), **keywords).times([script], SEEDS[:40])
        np.testing.assert_array_equal(row[0], alone[0, 0])


@pytest.mark.compiled
def test_a_short_search_beats_what_it_began_with():
    opponents, lines = ["evade", "flee"], []
    one = tune("pursuer", opponents, None, 40, 2, 20, 1, 200, lines.append)
    assert one == tune("pursuer", opponents, None, 40, 2, 20, 1, 200)
    tuned, textbook = (
        np.mean([evaluate(player, e, None, 200)["time"].mean() for e in opponents])
        for player in (one, "pursuit")
    )
    assert tuned < 0.6 * textbook
    assert "scripts left" in lines[0]
    assert "generation 2" in lines[-1]


@pytest.mark.weekly
@pytest.mark.compiled
def test_it_is_measured_beside_the_best_known_script(capsys):
    tune_script.main("walls", "pursuer", ("evade",), 20, 1, 8)
    printed = capsys.readouterr()
    assert "generation 1: " in printed.err
    source, table = printed.out.split("\n\n", 1)
    script = eval(source, {"Script": Script})  # what goes into the roster
    assert "other opponents, references" in " ".join(table.split())
    assert "minus tuned/walls/pursuer's" in " ".join(table.split())
    found = evaluate(script, "evade", None, 2500, held_out_seed())
    assert f" {found['time'].mean():.2f} " in table
