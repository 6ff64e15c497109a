"""The known best answer is what it says, so that exploiters can be measured against it."""

from __future__ import annotations

import numpy as np
import pytest
from best_evasion import BestEvasion
from calibrate_exploiters import CHAUFFEUR, Calibration, calibrate
from short_trainings import PARAMS

from agents.selfplay.generations import SelfPlay
from baselines import Interval, evaluate
from baselines.rollouts import start_games
from baselines.scenarios import HELD_OUT_SEED
from steer_env.game.config import game_config
from steer_env.game.run.memory import make_measures
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER

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


def test_straight_away_is_best_against_a_car_that_turns_at_once():
    """Nothing can be dodged: (distance - capture radius) / (difference of speeds)."""
    car = game_config(**{**CHAUFFEUR, "pursuer": {**CHAUFFEUR["pursuer"], "max_force": 1000.0}})
    nimble = BestEvasion(car, spacing=0.25, directions=24, reach=10.0)
    for place in (4 + 0j, 3 + 3j, -5j, -6 + 0j):
        expected = (abs(place) - car.capture_radius) / (4.0 - 2.5)
        assert nimble.value(np.array(place)) == pytest.approx(expected, abs=0.2)


def test_values_are_mirrored_and_within_the_horizon(best):
    np.testing.assert_allclose(best.times, best.times[:, ::-1], atol=1e-6)
    assert best.times.min() >= CONFIG.dt - 1e-12
    assert best.times.max() <= CONFIG.horizon * CONFIG.dt + 1e-9


def test_the_best_evasion_achieves_what_it_promises(best):
    engine, _ = start_games(CONFIG, "seek", "flee", HELD_OUT_SEED, 600)
    promised = best.value(places_in(engine)).mean()
    engine.close()
    played = evaluate("seek", best, CONFIG, 600, HELD_OUT_SEED)["time"].mean()
    assert played == pytest.approx(promised, rel=0.04)
    for script in ("flee", "evade", "evade/herd", Script(behavior="flee", response_time=0.2)):
        other = evaluate("seek", script, CONFIG, 600, HELD_OUT_SEED)["time"].mean()
        assert played > other + 0.3


def test_the_share_is_of_the_gain_over_the_textbook():
    found = Calibration(
        4.0, "evade", 4.5, Interval(6.0, 5.9, 6.1), 6.05, (10, 20), ((5.0, 8.0),)
    )
    assert [found.share(time) for time in (4.0, 5.0, 6.0)] == [0.0, 0.5, 1.0]
    rows = found.table().rows
    assert rows == [("10 steps", "50%"), ("20 steps", "200%"), ("evade", "25%")]


def test_exploiters_are_calibrated_by_the_plan(monkeypatch):
    monkeypatch.setattr("baselines.known_players.CHOICE_EPISODES", 16)
    scripts = {name: name for name in ("flee", "wander")}
    monkeypatch.setattr("calibrate_exploiters.scripts_of", lambda side: scripts)
    training = SelfPlay.training

    def short(plan, side, opponents, **changes):
        return training(plan, side, opponents, **{**changes, "params": PARAMS["ppo"]})

    monkeypatch.setattr(SelfPlay, "training", short)
    plan = SelfPlay(exploiters=1, exploiter_steps=256, most_exploiter_steps=600, num_envs=8)
    lines = []
    found = calibrate(plan, 50, 0.5, lines.append)
    assert found.steps == (256, 512)
    assert np.shape(found.times) == (1, 2)
    assert found.script == "flee"
    assert found.share(found.script_time) == 0.0
    # Nobody does better than the best answer; the shortest of trainings do far worse.
    assert all(found.share(time) < 0.9 for times in found.times for time in times)
    assert len(lines) == 3
