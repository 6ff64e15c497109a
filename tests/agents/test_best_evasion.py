"""The known best answer is what it says, so that a search can be measured against it."""

from __future__ import annotations

import numpy as np
import pytest
from best_evasion import CHAUFFEUR, BestEvasion

from steer_env.baselines import best_response, evaluate
from steer_env.baselines.rollouts import start_games
from steer_env.baselines.tasks import HELD_OUT_SEED
from steer_env.game.config import game_config
from steer_env.game.run.memory import make_measures
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.weekly

CONFIG = game_config(**CHAUFFEUR)


@pytest.fixture(scope="module")
def best():
    return BestEvasion(CONFIG, spacing=0.125, directions=24, reach=10.0)


def places_in(engine):
    car, evader = engine.state.position
    return (evader - car) * engine.state.heading[PURSUER].conj()


def test_a_step_of_the_solution_is_one_of_the_game(best):
    """The car steers by the engine, the evader by the engine's flee; both lead to one place."""
    engine, _ = start_games(CONFIG, "seek", "flee", 7, 500)
    measures, checked = make_measures(500), 0
    for _ in range(60):
        running = engine.state.captured == 0
        before, frame = places_in(engine), engine.state.heading[PURSUER].copy()
        start = engine.state.position[EVADER].copy()
        engine.play(measures, 1, engine.no_actions(PURSUER), engine.no_actions(EVADER))
        velocity = (engine.state.position[EVADER] - start) / CONFIG.dt * frame.conj()
        after, caught = best.step(before, velocity)
        now = engine.state.captured == 1
        both = running & ~now
        np.testing.assert_allclose(after[both], places_in(engine)[both], atol=1e-9)
        np.testing.assert_array_equal(caught[running], now[running])
        checked += int(both.sum())
    engine.close()
    assert checked > 5000


def test_the_best_evasion_achieves_what_it_promises(best):
    engine, _ = start_games(CONFIG, "seek", "flee", HELD_OUT_SEED, 600)
    promised = best.value(places_in(engine)).mean()
    engine.close()
    played = evaluate("seek", best, CONFIG, 600, HELD_OUT_SEED)["time"].mean()
    assert played == pytest.approx(promised, rel=0.04)
    for script in ("flee", "evade", "evade/herd", Script(behavior="flee", response_time=0.2)):
        other = evaluate("seek", script, CONFIG, 600, HELD_OUT_SEED)["time"].mean()
        assert played > other + 0.3


def test_a_search_finds_a_part_of_its_gain(best):
    starts = 24
    found = best_response("seek", CONFIG, "evader", starts=starts, budget=1024)
    flee, most = (
        evaluate("seek", evader, CONFIG, starts, HELD_OUT_SEED).payoffs.mean()
        for evader in ("flee", best)
    )
    assert flee + 0.2 * (most - flee) < found.payoffs.mean() < most
