"""Methods of self-play, and answers to policies, in games about times and distances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steer_env.agents.selfplay import selfplay
from steer_env.agents.selfplay.selfplay import SCRIPTS, TEAM_SCRIPTS, Population, first_scripts
from steer_env.agents.training.model import validate
from steer_env.agents.training.run_report import best_of
from steer_env.agents.training.training import VALIDATION_SEED, Training
from steer_env.baselines import evaluate
from steer_env.baselines.cross_play import solve_matrix_game
from steer_env.baselines.tasks import TASKS
from steer_env.scenarios.registry import DEFAULT_GAME, GAMES
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

NETWORKS = {
    PURSUER: ["pretrained/pursuit/ppo/1", "pretrained/pursuit/ppo/2"],
    EVADER: ["pretrained/evade/ppo/1", "pretrained/evade/ppo/2"],
}


@pytest.fixture
def population(monkeypatch):
    """Scripts, and two networks of each side; few episodes of each pair."""
    monkeypatch.setattr(selfplay, "_EPISODES", 4)
    found = Population(DEFAULT_GAME)
    found.networks = {side: list(NETWORKS[side]) for side in Side}
    return found


def test_each_method_meets_its_own_opponents(population):
    for side in Side:
        everybody = (*SCRIPTS[side], *NETWORKS[side])
        expected = {
            "independent": {"opponent": (NETWORKS[side][-1],)},
            "fictitious": {"opponent": everybody},
            "prioritized": {"opponent": everybody, "hardness": 1.5},
        }
        for name, settings in expected.items():
            assert population.opponents(name, side, 1.5) == settings
        first = Population(DEFAULT_GAME).opponents("independent", side, 1.5)
        assert first == {"opponent": SCRIPTS[side]}


def test_psro_meets_the_equilibrium_of_all_pairs(population):
    names = [[*SCRIPTS[side], *NETWORKS[side]] for side in Side]
    costs = np.array(
        [
            [evaluate(p, e, None, 4, VALIDATION_SEED)["time"].mean() for e in names[1]]
            for p in names[0]
        ]
    )
    for side in Side:
        found = population.opponents("psro", side, 1.0)
        assert sum(found["opponent_weights"]) == pytest.approx(1.0)
        mixture = np.zeros(len(names[side]))
        for name, chance in zip(found["opponent"], found["opponent_weights"]):
            mixture[names[side].index(name)] = chance
        answers = costs.T @ mixture if side is PURSUER else costs @ mixture
        best = answers.max() if side is PURSUER else answers.min()
        assert best == pytest.approx(solve_matrix_game(costs)[2], abs=0.05)


@pytest.mark.parametrize(
    ("game", "names", "episodes"),
    [
        ("drag", ["optimal/drag", "idle"], 20),  # of distances
        pytest.param("herd", ["encircle/full_force", "idle"], 500, marks=pytest.mark.weekly),
    ],
)
def test_the_equilibrium_is_of_the_payoffs_of_the_game(game, names, episodes, monkeypatch):
    monkeypatch.setattr(selfplay, "_EPISODES", episodes)
    population = Population(game)
    population.networks[PURSUER] = names
    assert population.equilibrium(PURSUER, names) == {names[0]: 1.0}


@pytest.mark.parametrize("game", GAMES)
def test_the_first_scripts_challenge_teams(game):
    is_team = any(map(GAMES[game].is_team, Side))
    for side in Side:
        found = first_scripts(game, side)
        assert set(found) <= set((TEAM_SCRIPTS if is_team else SCRIPTS)[side])
        one_evader = is_team and side is EVADER and not GAMES[game].is_team(side)
        assert len({repr(ROSTER[name]) for name in found}) == len(found) == 5 - one_evader


def test_a_validation_weights_opponents_as_the_training_draws_them():
    study = replace(TASKS["pursuer/walls"], opponents=("flee", "evade"))
    equal = validate("seek", study, 8)
    times = [equal["capture_times"][name] for name in study.opponents]
    assert equal["capture_time"] == pytest.approx(np.mean(times))
    weighted = validate("seek", study, 8, weights=(0.25, 0.75))
    assert weighted["capture_time"] == pytest.approx(0.25 * times[0] + 0.75 * times[1])


def test_a_smaller_distance_or_time_is_better_for_pursuers_and_worse_for_evaders():
    study = Training(task="Drag-v0", opponent=("optimal/drag", "flee")).study
    distances = [validate(name, study, 20) for name in ("optimal/drag", "idle")]
    assert distances[0]["distance"] < distances[1]["distance"]
    assert distances[0]["distances"].keys() == {"optimal/drag", "flee"}
    times = [{"capture_time": time} for time in (3.0, 9.0)]
    for (good, bad), game in ((distances, study), (times, TASKS["pursuer/walls"])):
        for side, best in ((PURSUER, good), (EVADER, bad)):
            task = replace(game, side=side.name)
            assert best_of([good, bad], task) is best_of([bad, good], task) is best
            again = dict(best)  # the later of two alike has learned longer
            assert best_of([best, again], task) is again
