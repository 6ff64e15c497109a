"""Self-play in other games than the default one: environments, answers, and perfect play."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from short_trainings import QUIET, SHORT_STARTS, crash, short_selfplay

from agents.selfplay.answers import best_answer, perfect_of, pretrained_of
from agents.selfplay.exploitability import (
    exploitability_table,
    exploiters_table,
    measure_exploitability,
    measure_exploiters,
)
from agents.selfplay.exploiters import Exploiter, Exploiters
from agents.selfplay.generations import TARGETS, SelfPlay, SelfPlayFolder
from agents.selfplay.methods import SCRIPTS, Population
from agents.selfplay.runs import (
    begin_selfplay,
    finish_selfplay,
    play_generations,
    write_policies,
)
from agents.training.start import game_keywords
from agents.training.training import Training
from agents.training.validation import is_better, validate
from baselines import evaluate, gap
from baselines.payoffs import DISTANCE
from steer_env.files import read_json, write_json
from steer_env.policies.loading import load_network
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import SOLVED


def make_plan(game, **changes):
    given = {"generations": 2, "steps": 512, "exploiter_steps": 0, "num_envs": 8}
    return SelfPlay(game=game, **{**given, **changes})


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay():
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations in a solved game, of which a crash interrupted the second."""
    path = tmp_path_factory.mktemp("selfplay") / "run"
    folder = begin_selfplay(make_plan("simple_plane"), path, episodes=4)
    play_generations(make_plan("simple_plane", generations=1), folder, QUIET)
    with crash(at_step=300):
        finish_selfplay(folder, QUIET)
    assert not folder.readme.exists()
    finish_selfplay(folder, QUIET)
    return folder


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "homicidal_chaufeur"}, "Did you mean 'homicidal_chauffeur'"),
        ({"game": "pak"}, "Did you mean 'pack'"),
        ({"game": "two_cars", "algo": "pppo"}, "Did you mean 'ppo'"),
    ],
)
def test_unknown_games_are_refused(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        begin_selfplay(SelfPlay(**changes), tmp_path / "run", 4)
    assert not (tmp_path / "run").exists()


def test_a_folder_without_a_game_is_of_the_default_one(tmp_path):
    folder = begin_selfplay(make_plan("walls"), tmp_path / "run", 4)
    config = read_json(folder.config)
    assert config["plan"].pop("game") == "walls"
    write_json(folder.config, config)
    assert folder.settings == make_plan("walls")


def test_every_game_has_a_folder_of_its_own():
    assert SelfPlay().folder_name == "selfplay"
    assert SelfPlay(game="two_cars").folder_name == "selfplay_two_cars"


def test_generations_train_with_the_starts_and_steps_of_solved_games():
    for game in SOLVED:
        for side in Side:
            training = SelfPlay(game=game).training(side, SCRIPTS[side.other])
            own = game_keywords(training)
            usual = game_keywords(Training(env=training.env))
            assert own.pop("opponent") == list(SCRIPTS[side.other])
            assert usual.pop("opponent") == [SOLVED[game].opponents[side]]
            assert {"start", "dt", "horizon"} <= own.keys()
            np.testing.assert_equal(own, usual)


# the run


def test_the_run_plays_its_own_game(run):
    for number in (1, 2):
        pursuer, evader = (run.generation(number, s).read_config()["training"] for s in Side)
        assert [pursuer["env"], evader["env"]] == ["SimplePlane-v0", "SimplePlaneEvade-v0"]
    results = read_json(run.results)
    played = results["crossplay"]["mean_capture_time"]["seek"]["flee"]["estimate"]
    expected = evaluate("seek", "flee", "simple_plane", 4, 1_000_000)["time"].mean()
    assert played == pytest.approx(expected)
    assert results["exploitability"]["generations"] == []  # there were no exploiters


def test_the_page_shows_the_gap_of_every_generation_to_perfect_play(run):
    names = ["generation 1", "generation 2", *(name for name in TARGETS if name != "last")]
    results, page = read_json(run.results), run.readme.read_text()
    for side in Side:
        found = results["optimality"][side.name]
        assert [one["policy"] for one in found] == names
        assert {one["side"] for one in found} == {side.name}
        title = f"Gap to perfect play [95 % interval]: {side.name.capitalize()}s in "
        _, rest = page.split(title)
        lines = [line for line in rest.splitlines() if line.startswith("|")][: 2 + len(names)]
        assert lines[0].startswith("| player | score |")
        assert "gap / V" in lines[0]
        assert "never caught" in lines[0]
        for name, line, one in zip(names, lines[2:], found):
            assert f"`{name}`" in line
            share = one["overall"]["share"]["estimate"]
            assert f"{share:.1%} [" in line
    policy = run.generation(2, EVADER).last_policy
    again = gap(policy, "simple_plane", "evader", starts=SHORT_STARTS).overall.gap
    found = results["optimality"]["evader"][1]["overall"]["gap"]["estimate"]
    assert found == pytest.approx(again.estimate, rel=1e-3)


def test_the_chauffeur_learns_discrete_actions_and_its_evader_continuous_ones(tmp_path):
    folder = SelfPlayFolder(tmp_path)
    plan = make_plan("homicidal_chauffeur", generations=1, method="independent", steps=256)
    population = play_generations(plan, folder, QUIET)
    pursuer, evader = (load_network(population.networks[side][0]) for side in Side)
    assert isinstance(pursuer.action_space, gymnasium.spaces.Discrete)
    assert isinstance(evader.action_space, gymnasium.spaces.Box)
    assert write_policies(plan, folder, population)[PURSUER] == {"generation 1": 1.0}
    mixture = load_network(folder.policy("mixture", PURSUER), side=PURSUER)
    assert mixture.action_space == pursuer.action_space


# answers


def test_the_perfect_player_is_an_answer_in_solved_games_only():
    for side in Side:
        assert perfect_of(side, "walls") == {}
        name = "optimal/chauffeur"
        assert perfect_of(side, "homicidal_chauffeur") == {name: name}
    trained = pretrained_of(PURSUER, "homicidal_chauffeur")
    assert "pretrained/homicidal_chauffeur/pursuit/ppo" in trained
    assert not trained.keys() & pretrained_of(PURSUER, "walls").keys()


def test_nothing_answers_perfect_play_better_than_perfect_play():
    perfect = perfect_of(EVADER, "simple_plane")
    candidates = {**perfect, **{name: name for name in ("wander", "flee/full_force", "rest")}}
    # Fleeing straight is perfect there, so it may be chosen as well.
    best = best_answer("optimal/simple", EVADER, candidates, "simple_plane")
    assert best.answer in ("optimal/simple", "flee/full_force")


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


def test_perfect_play_answers_in_a_run_about_a_distance(tmp_path, monkeypatch):
    monkeypatch.setattr("agents.selfplay.results.scripts_of", lambda side: {})
    exploiters = {"exploiters": 1, "exploiter_steps": 256, "most_exploiter_steps": 256}
    plan = make_plan("drag", generations=1, **exploiters)
    folder = begin_selfplay(plan, tmp_path / "run", episodes=4)
    tables = finish_selfplay(folder, QUIET)
    measured = read_json(folder.results)["exploitability"]
    for side in Side:
        answered = measured["targets"]["mixture"][side.name]
        assert answered["script"] == "optimal/drag"  # the other answers are networks
        search = measured["exploiters"][f"mixture {side.name}"]
        assert search["script_distance"] == answered["script_distance"]
        (exploiter,) = search["exploiters"]
        run = folder.exploiter("mixture", side, 0, 0)
        assert run.settings.env == plan.environment(side.other)
        pair = side.ordered(folder.policy("mixture", side), run.policy)
        found = evaluate(*pair, "drag", 4, 1_000_000)["distance"].mean()
        assert exploiter["distance"] == pytest.approx(found, rel=1e-3)
    shown = [text for table in tables for text in (table.title, *table.header)]
    assert any("[m]" in text for text in shown)
    assert not any("[s]" in text for text in shown)


def test_the_equilibrium_of_a_game_about_a_distance_is_of_distances(monkeypatch):
    monkeypatch.setattr("agents.selfplay.methods._EPISODES", 20)
    population = Population("drag")
    population.networks[PURSUER] = ["optimal/drag", "rest"]
    assert population.equilibrium_of_networks(PURSUER) == {"optimal/drag": 1.0}


def test_a_validation_of_a_distance_prefers_the_smaller_distance():
    study = Training(env="Drag-v0", opponent=("optimal/drag", "flee")).study
    good, bad = (validate(name, study, 20, 0, 0.0) for name in ("optimal/drag", "rest"))
    assert good.payoff == good.distance < bad.distance
    assert good.payoffs.keys() == {"optimal/drag", "flee"}
    assert is_better(good, bad, PURSUER)
    assert not is_better(good, bad, EVADER)
    # The time says nothing there: with the times exchanged, the order is the same.
    assert is_better(replace(good, capture_time=1e3), replace(bad, capture_time=0.0), PURSUER)
