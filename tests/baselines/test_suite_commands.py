"""The commands about the games of the suite do what their help says."""

from __future__ import annotations

import json

import pytest

from baselines import SCENARIOS, evaluate
from baselines.scenarios import HELD_OUT_SEED
from steer_env.scripts.script import Script

SHORT = "tune --trials 20 --generations 1 --children 8 --episodes 30"


@pytest.mark.compiled
def test_tune_measures_what_it_found_beside_the_best_known_script(say):
    printed = say(f"{SHORT} --opponents evade --known pursuit/full_force")
    source, table = printed.split("\n\n", 1)
    script = eval(source, {"Script": Script})  # what a user would paste
    assert script.chases
    assert "found in pursuer/walls (v1), 30 episodes" in table
    assert "minus tuned/walls/pursuer's" in " ".join(table.split())
    found = evaluate(script, "evade", None, 30, HELD_OUT_SEED)
    assert f" {found['time'].mean():.2f} " in table


@pytest.mark.compiled
def test_tune_as_json_plays_the_game_that_is_asked_for(say):
    printed = json.loads(say(f"{SHORT} --side evader --game agile_torus --json"))
    assert printed["scenario"] == "evader/agile_torus"
    scenario = SCENARIOS["evader/agile_torus"]
    assert list(printed["opponents"]) == [*scenario.opponents, *scenario.held_out]
    assert not eval(printed["script"], {"Script": Script}).chases


def test_tune_refuses_unknown_names(fail):
    assert "Did you mean 'agile_torus'" in fail("tune --game agile_tours")
    assert "Did you mean 'pursuit'" in fail("tune --known pursiut")
