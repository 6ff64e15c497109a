"""Self-play in other games than the default one: environments, answers, and perfect play."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.selfplay.answers import perfect_of, pretrained_of
from agents.selfplay.exploitability import (
    exploitability_table,
    exploiters_table,
    measure_exploitability,
    measure_exploiters,
)
from agents.selfplay.exploiters import Exploiter, Exploiters
from agents.selfplay.generations import SelfPlay
from agents.selfplay.methods import SCRIPTS
from agents.training.training import Training
from agents.training.validation import is_better, validate
from baselines import evaluate
from baselines.payoffs import DISTANCE
from steer_env.sides import EVADER, PURSUER, Side

# the plan


def test_a_side_trains_where_its_algorithm_has_a_preset():
    for plan, pursuer, evader in (
        (SelfPlay(), "Pursuit-v0", "Evade-v0"),
        (SelfPlay(algo="dqn"), "PursuitDiscrete-v0", "EvadeDiscrete-v0"),
        (SelfPlay(game="agile_torus"), "AgileTorusPursuit-v0", "AgileTorusEvade-v0"),
        (
            SelfPlay(game="homicidal_chauffeur"),
            "HomicidalChauffeurDiscrete-v0",
            "HomicidalChauffeurEvade-v0",
        ),
        (
            SelfPlay(game="homicidal_chauffeur", algo="sac"),
            "HomicidalChauffeur-v0",
            "HomicidalChauffeurEvade-v0",
        ),
        (SelfPlay(game="two_cars"), "TwoCarsDiscrete-v0", "TwoCarsEvadeDiscrete-v0"),
        (SelfPlay(game="two_cars", algo="sac"), "TwoCars-v0", "TwoCarsEvade-v0"),
    ):
        assert [plan.environment(side) for side in Side] == [pursuer, evader]
        for side in Side:
            assert plan.training(side, SCRIPTS[side.other]).env == plan.environment(side)


# the run


# answers


def test_the_perfect_player_is_an_answer_in_solved_games_only():
    for side in Side:
        assert perfect_of(side, "walls") == {}
        name = "optimal/chauffeur"
        assert perfect_of(side, "homicidal_chauffeur") == {name: name}
    trained = pretrained_of(PURSUER, "homicidal_chauffeur")
    assert "pretrained/homicidal_chauffeur/pursuit/ppo" in trained
    assert not trained.keys() & pretrained_of(PURSUER, "walls").keys()


def test_a_distance_is_judged_by_the_distance_and_shown_in_meters():
    pair = {PURSUER: "rest", EVADER: "optimal/drag"}
    answers = {EVADER: {"seek": "seek", "optimal/drag": "optimal/drag"}}
    answers[PURSUER] = {"rest": "rest", "optimal/drag": "optimal/drag"}
    found = measure_exploitability("one", pair, answers, 50, "drag")
    assert found.payoff is DISTANCE
    played = evaluate("rest", "optimal/drag", "drag", 50, 1_000_000)
    assert found.played.estimate == pytest.approx(played["distance"].mean())
    assert found.pursuer.answer == found.evader.answer == "optimal/drag"
    assert found.nash_conv.estimate > 1.0
    table = exploitability_table([found])
    assert "mean distances [m]" in table.title
    numbers = found.to_dict()
    assert numbers["pursuer"]["distance"] == found.pursuer.payoff._asdict()
    assert "script_distance" in numbers["evader"]
    search = Exploiters((Exploiter(1, "a new network", (256,), (3.0,), "seek"),) * 2, True)
    measured = measure_exploiters("flee", EVADER, search, 20, "drag")
    measured |= {"script": "seek", "script_distance": numbers["evader"]["distance"]}
    table = exploiters_table({"last evader": measured}, DISTANCE)
    assert "mean [m]" in table.header
    seek = evaluate("seek", "flee", "drag", 20, 1_000_000)["distance"].mean()
    assert measured["exploiters"][0]["distance"] == pytest.approx(seek)


def test_a_validation_of_a_distance_prefers_the_smaller_distance():
    study = Training(env="Drag-v0", opponent=("optimal/drag", "flee")).study
    good, bad = (validate(name, study, 20, 0, 0.0) for name in ("optimal/drag", "rest"))
    assert good.payoff == good.distance < bad.distance
    assert good.payoffs.keys() == {"optimal/drag", "flee"}
    assert is_better(good, bad, PURSUER)
    assert not is_better(good, bad, EVADER)
    # The time says nothing there: with the times exchanged, the order is the same.
    assert is_better(replace(good, capture_time=1e3), replace(bad, capture_time=0.0), PURSUER)
