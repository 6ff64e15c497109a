"""The search for the strongest script: what it draws, how it plays, what it finds."""

from __future__ import annotations

import numpy as np
import pytest
import tune_script
from tune_script import Draw, Search, simplified, tune

from steer_env.baselines import evaluate
from steer_env.baselines.paired import paired_difference
from steer_env.game.config import game_config
from steer_env.policies.players import controller_of
from steer_env.scenarios.registry import SUITE
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.steering import METHODS

EVADERS = "evade", "wander"
SEEDS = np.arange(900, 1028, dtype=np.uint64)


def search(side=PURSUER, opponents=EVADERS, **keywords):
    players = {name: controller_of(name, side.other) for name in opponents}
    return Search(side, players, game_config(**keywords))


@pytest.mark.compiled
@pytest.mark.parametrize("keywords", [{}, {"obstacles": 3}, {"pursuers": 2, "evaders": 2}])
@pytest.mark.parametrize("side", Side)
def test_many_scripts_at_once_play_what_each_plays_alone(side, keywords, monkeypatch):
    monkeypatch.setattr(tune_script, "_SCRIPTS_AT_ONCE", 8)  # the ninth plays apart
    draw = Draw(side, game_config(**keywords), seed=3)
    scripts = [draw.script() for _ in range(9)]
    found = search(side, (side.default_opponent, "random"), **keywords)
    times = found.times(scripts, SEEDS[:40])
    assert times.shape == (9, 2, 40)
    for script, row in zip(scripts, times):
        alone = search(side, (side.default_opponent,), **keywords).times([script], SEEDS[:40])
        np.testing.assert_array_equal(row[0], alone[0, 0])


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("game", SUITE)
def test_only_fields_that_have_an_effect_are_drawn(side, game):
    config = game_config(game=game)
    draw = Draw(side, config, seed=1)
    scripts = [draw.script() for _ in range(200)]
    scripts += [draw.mutant(script) for script in scripts]
    assert {script.chases for script in scripts} == {side is PURSUER}
    assert {script.combination for script in scripts} == {*METHODS}
    names = {name for script in scripts for name in script.changes}
    assert ("walls" in names) == (config.arena.kind == "walls")
    assert ("obstacles" in names) == (config.arena.num_obstacles > 0)
    behaviors, is_team = {script.behavior for script in scripts}, config.count(side.name) > 1
    assert ("separation" in names) == is_team
    assert ("target" in names) == ("flank" in behaviors) == (is_team and side is PURSUER)
    assert ("guard" in behaviors) == (is_team and side is EVADER)
    assert ("voronoi" in behaviors) == (side is PURSUER)
    assert draw.script() != Draw(side, config, seed=2).script()


@pytest.mark.compiled
def test_what_makes_no_difference_is_left_out():
    cluttered = Script(
        behavior="pursuit", response_time=0.1003, deceleration_time=0.2, navigation_gain=9.0
    )
    found = simplified(search(), cluttered, SEEDS)
    assert found == Script(behavior="pursuit", response_time=0.1)


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
    found = evaluate(script, "evade", None, 2500, 1_000_000)
    assert f" {found['time'].mean():.2f} " in table


AGILE = "tuned/agile_torus/pursuer", "tuned/agile_torus/evader"
SIDESTEP = "escape/sidestep/full_force"
SPECIALISTS = {
    "walls/pursuer/evade": ("evade", "tuned/walls/pursuer", 1000),
    "walls/pursuer/tuned": ("tuned/walls/evader", "tuned/walls/pursuer", 500),
    "walls/evader/tuned": ("tuned/walls/pursuer", "tuned/walls/evader", 2500),
    "agile_torus/pursuer/tuned": (AGILE[1], AGILE[0], 4000),
    "agile_torus/evader/tuned": (*AGILE, 100),
    "obstacles/pursuer/tuned": ("tuned/obstacles/evader", "tuned/obstacles/pursuer", 1000),
    "obstacles/evader/tuned": ("tuned/obstacles/pursuer", "tuned/obstacles/evader", 200),
    "pack/pursuer/tuned": ("tuned/pack/evader", "voronoi/full_force", 1000),
    "pack/evader/tuned": ("tuned/pack/pursuer", "tuned/pack/evader", 2500),
    "pack_obstacles/pursuer/strongest": (SIDESTEP, "tuned/pack/pursuer", 4000),
    "tag/pursuer/strongest": (AGILE[1], "tuned/walls/pursuer", 4000),
    "tag/evader/strongest": ("tuned/walls/pursuer", AGILE[1], 1000),
    "team/pursuer/strongest": ("tuned/walls/evader", "voronoi/full_force", 1000),
    "team/evader/strongest": ("voronoi/full_force", "escape/herd/full_force", 200),
    "herd/pursuer/strongest": ("tuned/walls/evader", "pursuit/pack/full_force", 2000),
    "herd/evader/strongest": ("flank/full_force", "escape/herd/full_force", 200),
}
"""The opponent of each specialist, the best script known before it, and starts that tell."""


def test_no_specialist_is_forgotten():
    assert {f"tuned/{name}" for name in SPECIALISTS} == {
        name for name in ROSTER if name.startswith("tuned/") and name.count("/") == 3
    }


@pytest.mark.weekly
@pytest.mark.parametrize("name", SPECIALISTS)
def test_a_specialist_passes_the_best_that_was_known_against_its_opponent(name):
    opponent, known, starts = SPECIALISTS[name]
    game, side_name, _ = name.split("/")
    side = Side.named(side_name)
    new, old = (
        evaluate(*side.ordered(one, opponent), game, starts, 3_000_000).payoffs
        for one in (f"tuned/{name}", known)
    )
    gain = paired_difference(new, old, limit=20.0)
    assert gain.low > 0.0 if side is EVADER else gain.high < 0.0
