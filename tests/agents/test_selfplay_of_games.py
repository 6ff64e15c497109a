"""Self-play in solved games and in games about a distance."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from short_trainings import QUIET, SHORT_STARTS, finished_selfplay, short_plan, short_selfplay

from steer_env.agents.selfplay.generations import SelfPlay, SelfPlayFolder
from steer_env.agents.selfplay.methods import SCRIPTS, Population
from steer_env.agents.selfplay.selfplay import (
    play_generations,
    write_policies,
)
from steer_env.agents.training.training import Training
from steer_env.baselines import evaluate, gap
from steer_env.files import read_json
from steer_env.policies.pretrained import load_network
from steer_env.scenarios.registry import SOLVED
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.weekly


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay():
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations in a solved game."""
    return finished_selfplay(short_plan("simple_plane"), tmp_path_factory)


def test_generations_train_with_the_starts_and_steps_of_solved_games():
    for game in SOLVED:
        for side in Side:
            training = SelfPlay(game=game).training(side, SCRIPTS[side.other])
            own = training.game_keywords
            usual = Training(task=training.task).game_keywords
            assert own.pop("opponent") == list(SCRIPTS[side.other])
            assert usual.pop("opponent") == [SOLVED[game].opponents[side]]
            assert {"start", "dt", "horizon"} <= own.keys()
            np.testing.assert_equal(own, usual)


def test_the_run_plays_its_own_game(run):
    for number in (1, 2):
        pursuer, evader = (run.generation(number, s).read_config()["training"] for s in Side)
        assert [pursuer["task"], evader["task"]] == ["SimplePlane-v0", "SimplePlaneEvade-v0"]
    results = read_json(run.results)
    played = results["crossplay"]["mean_capture_time"]["seek"]["flee"]["estimate"]
    expected = evaluate("seek", "flee", "simple_plane", 4, 1_000_000)["time"].mean()
    assert played == pytest.approx(expected)


def test_the_chauffeur_learns_discrete_actions_and_its_evader_continuous_ones(tmp_path):
    folder = SelfPlayFolder(tmp_path)
    plan = short_plan("homicidal_chauffeur", generations=1, method="independent", steps=256)
    population = play_generations(plan, folder, QUIET)
    pursuer, evader = (load_network(population.networks[side][0]) for side in Side)
    assert isinstance(pursuer.action_space, gymnasium.spaces.Discrete)
    assert isinstance(evader.action_space, gymnasium.spaces.Box)
    assert write_policies(plan, folder, population)[PURSUER] == {"generation 1": 1.0}
    mixture = load_network(folder.mixture(PURSUER), side=PURSUER)
    assert mixture.action_space == pursuer.action_space


def test_the_equilibrium_of_a_game_about_a_distance_is_of_distances(monkeypatch):
    monkeypatch.setattr("steer_env.agents.selfplay.methods._EPISODES", 20)
    population = Population("drag")
    population.networks[PURSUER] = ["optimal/drag", "idle"]
    assert population.equilibrium(PURSUER, population.networks[PURSUER]) == {
        "optimal/drag": 1.0
    }


def test_the_page_shows_the_gap_of_every_generation_to_perfect_play(run):
    names = ["generation 1", "generation 2", "mixture"]
    results, page = read_json(run.results), run.readme.read_text()
    for side in Side:
        found = results["optimality"][side.name]
        assert [one["policy"] for one in found] == names
        assert {one["side"] for one in found} == {side.name}
        title = f"Gap to perfect play [95% interval]: {side.name.capitalize()}s in "
        _, rest = page.split(title)
        lines = [line for line in rest.splitlines() if line.startswith("|")][: 2 + len(names)]
        for name, line, one in zip(names, lines[2:], found):
            assert f"`{name}`" in line
            share = one["overall"]["share"]["estimate"]
            assert f"{share:.1%} [" in line
    policy = run.generation(2, EVADER).last_policy
    again = gap(policy, "simple_plane", "evader", starts=SHORT_STARTS).overall.gap
    found = results["optimality"]["evader"][1]["overall"]["gap"]["estimate"]
    assert found == pytest.approx(again.estimate, rel=1e-3)


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
            assert plan.training(side, SCRIPTS[side.other]).task == plan.environment(side)
