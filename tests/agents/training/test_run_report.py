"""Files of a run: page, results, and the curves of times and distances."""

import re
import shlex
from functools import partial

import numpy as np
import pytest
from short_trainings import QUIET, SHORT_STARTS, short_training

from steer_env.agents.export.export import largest_difference
from steer_env.agents.training.model import validate_references
from steer_env.agents.training.run import VALIDATION_SEED, Training
from steer_env.agents.training.run_report import (
    comparison_tables,
    learning_curve_figure,
    remeasure,
    save_episode_gif,
)
from steer_env.agents.training.train import begin_run, finish_run
from steer_env.baselines import by_region, gap, gap_metrics, load
from steer_env.baselines.tasks import held_out_seed
from steer_env.cli import main
from steer_env.files import read_json

EPISODES = 5


@pytest.fixture(scope="module", autouse=True)
def _few_starts():
    with pytest.MonkeyPatch.context() as patch:
        few = partial(gap, starts=SHORT_STARTS)
        patch.setattr("steer_env.agents.training.run_report.gap", few)
        yield


def short_run(training, path):
    folder = begin_run(training, path / "run", EPISODES)
    finish_run(folder, QUIET)
    return folder


OTHERS = [pytest.param(algo, marks=pytest.mark.weekly) for algo in ("a2c", "sac", "td3")]


@pytest.fixture(scope="module", params=["ppo", "dqn", *OTHERS])
def run(request, tmp_path_factory):
    """The folder of a short run of each algorithm."""
    if request.param == "ppo":
        return request.getfixturevalue("finished_run")
    return short_run(short_training(request.param), tmp_path_factory.mktemp(request.param))


def test_a_run_leaves_all_that_its_page_names(run):
    page = run.readme.read_text()
    rows = [line.split(":")[0] for line in page.splitlines() if line.startswith("- `")]
    named = {name for row in rows for name in re.findall("`(.+?)`", row)}
    assert len(named) == 11
    for name in named:
        path = run.path / name
        assert any(path.iterdir()) if name.endswith("/") else path.stat().st_size > 0
    left = {path.name + "/" * path.is_dir() for path in run.path.iterdir()}
    assert left - named == {"README.md", ".lock"}


def test_results_have_intervals_and_validations(run):
    results, training = read_json(run.results), run.settings
    time = results["benchmark"]["mean_capture_time"]["trained"]
    assert 0.0 <= time["low"] <= time["estimate"] <= time["high"] <= 20.0
    assert set(results["benchmark"]["opponents"]) >= set(training.study.opponents)
    assert results["benchmark"]["first_seed"] == held_out_seed()
    steps = [one["steps"] for one in results["validations"]]
    assert steps == [0, 256, 512]
    assert results["training"]["steps"] == 512
    assert results["training"]["best_at_step"] in steps
    assert results["training"]["seconds"] > 0.0


def test_the_best_model_is_the_policy(run):
    name = f"{run.settings.algo.upper()}:{run.model}"
    model, policy = load(name, trust=True), load(run.policy)
    observations = np.random.default_rng(0).uniform(-1.0, 1.0, (500, 21)).astype(np.float32)
    act = lambda rows: model.predict(rows, deterministic=True)[0]  # noqa: E731
    assert largest_difference(policy, act, observations) < 1e-5
    best = read_json(run.results)["training"]["best_at_step"]
    assert policy.metadata["steps"] == model.num_timesteps == best


def test_a_config_describes_its_training(run):
    config = read_json(run.config)
    assert Training(**config["training"]) == short_training(run.settings.algo)
    assert config["hyperparameters"]["n_envs"] == 8
    assert config["command"].endswith(f"--out {run.path} --episodes 5")
    assert set(config["versions"]) >= {"steer_env", "python", "torch", "stable-baselines3"}


def test_the_command_of_a_config_repeats_the_training(tmp_path, monkeypatch):
    training = short_training(opponent=("flee", "evade"), opponent_weights=(1.0, 3.0), seed=7)
    out = tmp_path / "a folder"
    command = begin_run(training, out, episodes=9).read_config()["command"]
    begun = []
    monkeypatch.setattr(
        "steer_env.agents.training.train.begin_run", lambda *given: begun.append(given)
    )
    with pytest.raises(AttributeError):  # for lack of a folder to finish
        main(shlex.split(command)[1:])
    assert begun == [(training, out, 9)]


@pytest.mark.weekly
def test_an_episode_is_a_gif(tmp_path):
    save_episode_gif(tmp_path / "episode.gif", Training().study, load("pursuit/full_force"))
    assert (tmp_path / "episode.gif").read_bytes()[:3] == b"GIF"


# Games about a distance.


def brief(env):
    return short_training(task=env, steps=256, validations=1)


@pytest.fixture(
    scope="module",
    params=["DragEvade-v0", pytest.param("TwoCarsDiscrete-v0", marks=pytest.mark.weekly)],
)
def distance_run(request, tmp_path_factory):
    """A run in a game about a distance."""
    return short_run(brief(request.param), tmp_path_factory.mktemp("run"))


def test_the_page_and_the_results_of_a_distance_are_about_distances(distance_run):
    page = distance_run.readme.read_text()
    assert "| policy | distance [m] |" in page
    for word in ("captur", "caught", "[s]", "survival", "time limit"):
        assert word not in page
    assert not (distance_run.path / "survival.png").exists()
    results = read_json(distance_run.results)
    assert "captur" not in distance_run.results.read_text()
    assert results["benchmark"]["mean_distance"]["trained"]["estimate"] > 0.0
    for one in results["validations"]:
        assert one.keys() == {"steps", "seconds", "distances", "distance"}


def test_the_tables_compare_distances_from_the_same_starts(distance_run):
    result = remeasure(distance_run, EPISODES)
    (opponent,) = result.task.opponents
    rows = dict(row for table in comparison_tables(result) for row in table.rows)
    ours = result.against(opponent)
    theirs = result.reference(result.task.references[0], opponent)
    assert rows["learned"].startswith(f"{ours['distance'].mean():.2f} [")
    difference = np.mean(ours["distance"] - theirs["distance"])
    theirs = "pursuit" if "pursuit" in rows else "evade"
    assert rows[f"learned minus {theirs}"].startswith(f"{difference:+.2f} [")


def test_the_learning_curve_of_a_distance_has_one_panel(distance_run):
    study, validations = (
        distance_run.settings.study,
        read_json(distance_run.results)["validations"],
    )
    (opponent,) = study.opponents
    scripts = validate_references(study, EPISODES)
    figure = learning_curve_figure(study, {"learned": validations}, scripts)
    (axes,) = figure.axes
    assert axes.get_ylabel() == "mean distance [m]"
    learned, *references = axes.lines
    np.testing.assert_array_equal(learned.get_xdata(), [one["steps"] for one in validations])
    np.testing.assert_array_equal(learned.get_ydata(), [one["distance"] for one in validations])
    assert axes.get_xlabel() == "steps of training, all games together"
    assert validations[0]["seconds"] == 0.0  # nothing before the first rollout counts
    assert learned.get_label() == "learned"
    figure.draw_without_rendering()
    (time,) = axes.child_axes
    share = time.get_xlim()[1] / validations[-1]["seconds"]
    assert share == pytest.approx(axes.get_xlim()[1] / validations[-1]["steps"])
    assert time.get_xlabel() == "time of training [s]"
    assert figure.get_suptitle() == f"Validation in {study.environment} vs {opponent}"
    low, high = axes.get_ylim()
    for line in references:
        kind, _, name = line.get_label().partition(" script: ")
        assert kind in ("textbook", "best")
        played = study.evaluate(name, opponent, EPISODES, VALIDATION_SEED)  # the same starts
        np.testing.assert_allclose(line.get_ydata(), played["distance"].mean())
        assert low + 0.04 * (high - low) < line.get_ydata()[0] < high - 0.04 * (high - low)
    assert high >= max(learned.get_ydata())


def test_a_run_about_capture_times_shows_them(finished_run):
    page = finished_run.readme.read_text()
    validations = read_json(finished_run.results)["validations"]
    assert "| policy | captured | capture time [s] |" in page
    assert (finished_run.path / "survival.png").stat().st_size > 0
    study = finished_run.settings.study
    scripts = validate_references(study, EPISODES)
    times, captures = learning_curve_figure(study, {"learned": validations}, scripts).axes
    labels = [axes.get_ylabel() for axes in (times, captures)]
    assert labels == ["mean capture time [s]", "captured [%]"]
    assert list(times.lines[0].get_ydata()) == [one["capture_time"] for one in validations]
    assert list(captures.lines[0].get_ydata()) == [
        100.0 * one["captured"] for one in validations
    ]


@pytest.mark.weekly
def test_results_have_the_gap_to_perfect_play(tmp_path):
    folder = short_run(brief("SimplePlane-v0"), tmp_path)
    found = read_json(folder.results)["optimality"]["overall"]["gap"]["estimate"]
    again = gap(folder.policy, "simple_plane", "pursuer", starts=SHORT_STARTS)
    overall = gap_metrics(by_region(again)["all"])
    assert found == pytest.approx(overall["gap"].estimate)
