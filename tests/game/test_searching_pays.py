"""Scripts that see no more than the learner, and remember the opponent that they saw last."""

from __future__ import annotations

import dataclasses

import pytest

from steer_env.baselines import evaluate
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script

pytestmark = pytest.mark.weekly

# ---- Behavior -------------------------------------------------------------------------------


def test_a_searching_pursuer_finds_and_catches_what_it_cannot_see_at_first():
    game = {"observation": {"range": 4.0}, "horizon": 1800}
    found = evaluate("pursuit/searching", "idle", game, 60)
    assert found.capture_rate.estimate > 0.6
    blind = dataclasses.replace(ROSTER["pursuit/searching"], wander=0.0, walls=0.0)
    assert evaluate(blind, "idle", game, 60).capture_rate.estimate == 0.0


def test_memory_helps_to_catch_what_slips_out_of_view():
    game = {"observation": {"field_of_view": 0.6}, "horizon": 900}
    rates = []
    for seconds in (0.0, 5.0):
        script = dataclasses.replace(ROSTER["pursuit/searching"], memory_seconds=seconds)
        rates.append(evaluate(script, "evade", game, 150).capture_rate.estimate)
    assert rates[1] > rates[0] + 0.1


def test_an_evader_that_looks_ahead_only_is_caught_from_behind():
    game = {
        "arena": "open",
        "evader": {"max_speed": 4.4},
        "observation": {"field_of_view": 1.0},
    }
    all_seeing, surprised = (
        evaluate("pursuit", Script(behavior="flee", sees=sees), game, 100).capture_rate.estimate
        for sees in ("all", "observed")
    )
    assert all_seeing == 0.0
    assert surprised > 0.4


# ---- The state ------------------------------------------------------------------------------
