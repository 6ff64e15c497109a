"""Self-play: its pool grows, its methods choose opponents, and results have the right signs."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from short_trainings import QUIET, SHORT_STARTS, short_plan, short_selfplay

from steer_env.agents.selfplay import selfplay
from steer_env.agents.selfplay.generations import SelfPlay, SelfPlayRun
from steer_env.agents.selfplay.selfplay import (
    SCRIPTS,
    TEAM_SCRIPTS,
    Population,
    begin_selfplay,
    finish_selfplay,
    first_scripts,
    play_generations,
)
from steer_env.agents.training.model import validate
from steer_env.agents.training.run import VALIDATION_SEED, Training
from steer_env.agents.training.run_report import best_of
from steer_env.agents.training.train import LEAST, priorities
from steer_env.baselines import by_region, evaluate, gap, gap_metrics
from steer_env.baselines.cross_play import solve_matrix_game
from steer_env.baselines.measures import largest_payoff
from steer_env.baselines.tasks import TASKS
from steer_env.cli import main
from steer_env.files import read_json
from steer_env.game.config import make_game
from steer_env.players.pretrained import load_network
from steer_env.players.resolver import resolve
from steer_env.scenarios.registry import DEFAULT_GAME, GAMES
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

GAME = "simple_plane"
PLAN = short_plan(GAME)


@pytest.fixture(autouse=True, scope="module")
def _short():
    with short_selfplay():
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two generations in a solved game, which leave nothing in the temporary folder."""
    folder = tmp_path_factory.mktemp("selfplay")
    (folder / "temporary").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder / "temporary"))
        found = begin_selfplay(PLAN, folder / "run", episodes=4)
        finish_selfplay(found, QUIET)
    # torch has one folder of its own, which it makes when it is imported.
    left = [path.name for path in (folder / "temporary").iterdir()]
    assert [name for name in left if "torchinductor" not in name] == []
    return found


def test_the_pool_grows_by_every_generation_of_the_other_side(run):
    first, second = ([run.generation(n, side) for side in Side] for n in (1, 2))
    pursuers, evaders = (list(SCRIPTS[side]) for side in Side)
    learned = [str(generation.last_policy) for generation in first]
    given = [one.read_config()["training"] for one in (*first, *second)]
    assert [one["opponent"] for one in given] == [
        evaders,
        [*pursuers, learned[0]],
        [*evaders, learned[1]],
        [*pursuers, learned[0], str(second[0].last_policy)],
    ]
    assert [one["task"] for one in given] == ["SimplePlane-v0", "SimplePlaneEvade-v0"] * 2
    assert [one["seed"] for one in given] == [0, 0, 100, 100]


def test_self_play_leaves_its_files_and_results(run, monkeypatch):
    monkeypatch.setattr("steer_env.agents.selfplay.selfplay.train", None)
    play_generations(PLAN, run, QUIET)  # nothing is trained twice
    assert (run.path / "crossplay.png").stat().st_size > 0
    results, limit = read_json(run.results), largest_payoff(make_game(game=GAME))
    assert results["plan"] == {**vars(PLAN), "params": list(PLAN.params)}
    assert results["steps"] == {"of_each_side": 512}
    for side in Side:
        last = run.generation(2, side).last_policy
        assert run.policy(side).read_bytes() == last.read_bytes()
        assert results["population"][side.name][:2] == ["generation 1", "generation 2"]
        for interval in results["progress"][side.name]:
            assert 0 <= interval["low"] <= interval["estimate"] <= interval["high"] <= limit
    played = results["crossplay"]["mean_capture_time"]["seek"]["flee"]["estimate"]
    expected = evaluate("seek", "flee", GAME, 4, 1_000_000)["time"].mean()
    assert played == pytest.approx(expected)


def test_the_mixture_is_of_the_generations(run):
    for side in Side:
        mixture = resolve(run.mixture(side), side).policy
        chances = dict(zip(mixture.names, mixture.chances))
        assert read_json(run.results)["mixtures"][side.name] == pytest.approx(chances)
        assert sum(chances.values()) == pytest.approx(1.0)
        for name, member in zip(mixture.names, mixture.members):
            number = int(name.removeprefix("generation "))
            assert member.is_equal(load_network(run.generation(number, side).last_policy))


def test_the_page_shows_the_gap_of_every_generation_to_perfect_play(run):
    names = ["generation 1", "generation 2", "mixture"]
    optimality, page = read_json(run.results)["optimality"], run.readme.read_text()
    assert "a pursuer and an evader learned for 256" in " ".join(page.split())
    for side in Side:
        found = optimality[side.name]
        assert [one["policy"] for one in found] == names
        assert {one["side"] for one in found} == {side.name}
        _, rest = page.split(f"Gap of the {side.name} to perfect play, 95% intervals")
        lines = [line for line in rest.splitlines() if line.startswith("|")][2:]
        for name, line, one in zip(names, lines, found):
            assert f"{name}" in line
            assert f"{one['overall']['share']['estimate']:.1%} [" in line
    again = gap(run.policy(EVADER), GAME, "evader", starts=SHORT_STARTS)
    found = optimality["evader"][1]["overall"]["gap"]["estimate"]
    overall = gap_metrics(by_region(again)["all"])
    assert found == pytest.approx(overall["gap"].estimate, rel=1e-3)


def test_self_play_from_the_command_line(tmp_path, capsys, monkeypatch):
    out, finished = tmp_path / "out", []
    monkeypatch.setattr(
        "steer_env.agents.selfplay.selfplay.finish_selfplay",
        lambda folder, *_: finished.append(folder.path) or [],
    )
    few = ["--generations", "1", "--num-envs", "8"]
    main(["selfplay", *few, "--out", str(out)])
    main(["selfplay", "--resume", str(out)])
    assert finished == [out, out]
    line = capsys.readouterr().out.splitlines()[-1]
    words = f"--pursuer {out}/pursuer.npz --evader {out}/evader.npz --game walls"
    assert line == f"See them play: steer-env watch {words}"
    monkeypatch.chdir(tmp_path)
    main(["selfplay", "--game", "drag", *few])
    assert finished[2] == Path("runs/selfplay_drag")
    assert SelfPlayRun(finished[2]).settings.game == "drag"
    for arguments, message in (
        (["--resume", str(out), "--seed", "1"], "settings of its own"),
        (["--out", str(out)], "already holds self-play"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["selfplay", *arguments])
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 200_000}, "largest possible seed"),
        ({"generations": 2000}, "largest possible seed"),
        ({"method": "fictitous"}, "Did you mean 'fictitious'"),
        ({"params": ("imitate=pursuit",)}, "leave imitate out"),
    ],
)
def test_self_play_that_cannot_finish_does_not_begin(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        begin_selfplay(short_plan(**changes), tmp_path / "run", 4)
    assert not (tmp_path / "run").exists()


CHAUFFEUR = {"game": "homicidal_chauffeur"}


@pytest.mark.parametrize(
    ("plan", "environments"),
    [
        ({}, ["Pursuit-v0", "Evade-v0"]),
        ({"algo": "dqn"}, ["PursuitDiscrete-v0", "EvadeDiscrete-v0"]),
        ({"game": "agile_torus"}, ["AgileTorusPursuit-v0", "AgileTorusEvade-v0"]),
        (CHAUFFEUR, ["HomicidalChauffeurDiscrete-v0", "HomicidalChauffeurEvade-v0"]),
        ({**CHAUFFEUR, "algo": "sac"}, ["HomicidalChauffeur-v0", "HomicidalChauffeurEvade-v0"]),
        ({"game": "two_cars"}, ["TwoCarsDiscrete-v0", "TwoCarsEvadeDiscrete-v0"]),
        ({"game": "tag"}, ["Tag-v0", "TagEvade-v0"]),
    ],
)
def test_a_side_trains_where_its_algorithm_has_a_preset(plan, environments):
    plan = SelfPlay(**plan)
    tasks = [plan.training(side, SCRIPTS[side.other]).task for side in Side]
    assert tasks == environments


TIMES = st.lists(st.floats(0.0, 20.0), min_size=1, max_size=12)


@given(TIMES, st.floats(0.0, 8.0), st.sampled_from(Side))
def test_priorities_are_chances_and_harder_opponents_come_more_often(times, hardness, side):
    weights = priorities(times, make_game(), side, hardness)
    assert sum(weights) == pytest.approx(1.0)
    assert min(weights) >= LEAST * max(weights) * (1.0 - 1e-9)
    by_time = [weights[index] for index in np.argsort(times)]
    assert (sorted(by_time) if side is PURSUER else sorted(by_time)[::-1]) == by_time


@pytest.mark.parametrize(
    ("game", "payoffs", "shares"),
    [
        ("walls", [1.0, 5.0, 20.0], [0.05, 0.25, 1.0]),
        ("two_cars", [1.25, 5.0, 15.0], [0.2, 0.5, 0.75]),  # a capture radius of 5 m
    ],
)
def test_losses_are_shares_of_the_worst_time_or_distance(game, payoffs, shares):
    config = make_game(game=game)
    for side, losses in ((PURSUER, np.array(shares)), (EVADER, 1.0 - np.array(shares))):
        expected = np.maximum(losses / losses.max(), LEAST)
        found = priorities(payoffs, config, side, 1.0)
        np.testing.assert_allclose(found, expected / expected.sum())


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
