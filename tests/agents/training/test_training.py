"""Training runs: what they leave, that they learn, that they repeat, and what they refuse."""

from __future__ import annotations

import json
import math
import re
import shlex
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pretrained_measuring import PRETRAINED
from short_trainings import (
    PARAMS,
    QUIET,
    SHORT_STARTS,
    assert_identical,
    brief_imitation,
    parameters,
    short_training,
    trained,
)

from steer_env.agents.export.export import largest_difference
from steer_env.agents.training.block_features import block_counts
from steer_env.agents.training.hyperparameters import ALGORITHMS
from steer_env.agents.training.progress import ProgressBar
from steer_env.agents.training.run_report import learning_curve_figure
from steer_env.agents.training.train import begin_run, finish_run, train
from steer_env.agents.training.training import VALIDATION_SEED, Training
from steer_env.agents.training.validation import (
    Validation,
    is_better,
    validate_references,
)
from steer_env.baselines import NetworkPolicy, gap, load
from steer_env.baselines.tasks import HELD_OUT_SEED, TASKS, Task
from steer_env.cli import main
from steer_env.envs.sb3 import StableBaselinesVecEnv
from steer_env.files import read_json
from steer_env.game.config import game_config
from steer_env.game.rules import observed_features
from steer_env.scenarios.registry import SUITE
from steer_env.sides import EVADER, PURSUER


@pytest.fixture(scope="module", params=ALGORITHMS)
def run(request, tmp_path_factory):
    """A short run of each algorithm, and its folder."""
    training = short_training(request.param)
    folder = begin_run(training, tmp_path_factory.mktemp(request.param) / "run", episodes=5)
    finish_run(folder, QUIET)
    return training, folder


# what a run leaves


def test_a_run_leaves_all_that_its_page_names(run):
    _, folder = run
    page = folder.readme.read_text()
    rows = [line.split(":")[0] for line in page.splitlines() if line.startswith("- `")]
    named = {name for row in rows for name in re.findall("`(.+?)`", row)}
    assert len(named) == 11
    for name in named:
        path = folder.path / name
        assert any(path.iterdir()) if name.endswith("/") else path.stat().st_size > 0
    left = {path.name + "/" * path.is_dir() for path in folder.path.iterdir()}
    assert left - named == {"README.md", ".lock"}


def test_results_have_intervals_and_validations(run):
    training, folder = run
    results = json.loads(folder.results.read_text())
    time = results["benchmark"]["mean_capture_time"]["trained"]
    assert 0.0 <= time["low"] <= time["estimate"] <= time["high"] <= 20.0
    assert set(results["benchmark"]["opponents"]) >= set(training.study.opponents)
    assert results["benchmark"]["first_seed"] == HELD_OUT_SEED
    steps = [one["steps"] for one in results["validations"]]
    assert steps[0] == 0
    assert 750 <= steps[1] < 1500 <= steps[2] == results["training"]["steps"]
    assert results["training"]["best_at_step"] in steps
    assert results["training"]["seconds"] > 0.0


def test_the_best_model_is_the_policy(run):
    training, folder = run
    name = f"{training.algo.upper()}:{folder.model}"
    model, policy = load(name, trust=True), load(folder.policy)
    observations = np.random.default_rng(0).uniform(-1.0, 1.0, (500, 21)).astype(np.float32)
    act = lambda rows: model.predict(rows, deterministic=True)[0]  # noqa: E731
    assert largest_difference(policy, act, observations) < 1e-5
    best = json.loads(folder.results.read_text())["training"]["best_at_step"]
    assert policy.metadata["steps"] == model.num_timesteps == best


def test_a_config_describes_its_training(run):
    training, folder = run
    config = json.loads(folder.config.read_text())
    assert Training.from_dict(config["training"]) == training
    assert config["hyperparameters"]["n_envs"] == 8
    assert config["command"].endswith(f"--out {folder.path} --episodes 5")
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


# learning


@pytest.mark.parametrize(("env", "steps"), [("Pursuit-v0", 130_000), ("Evade-v0", 60_000)])
def test_ppo_learns_to_beat_the_analytic_behavior(env, steps, tmp_path):
    training = Training(
        task=env,
        steps=steps,
        num_envs=32,
        params=("n_steps=64", "batch_size=512", "n_epochs=4", "learning_rate=lin_3e-3"),
        validations=1,
    )
    learned = train(begin_run(training, tmp_path / "run"), QUIET).best.capture_time
    study = training.study
    analytic = study.evaluate(study.references[0], study.opponents[0], 200, VALIDATION_SEED)
    time = analytic["time"].mean()
    assert learned < 0.85 * time if training.side is PURSUER else learned > 1.25 * time


def test_better_is_sooner_for_pursuers_and_later_for_evaders():
    soon, late = (Validation(0, 0.0, 1.0, time, {}) for time in (3.0, 9.0))
    assert is_better(soon, late, PURSUER)
    assert not is_better(late, soon, PURSUER)
    assert is_better(late, soon, EVADER)
    assert not is_better(soon, late, EVADER)
    assert is_better(late, None, PURSUER)
    assert is_better(soon, soon, EVADER)  # the later of two alike has learned longer


# repeating


def test_a_seed_makes_the_model_and_chances_choose_the_opponents(tmp_path):
    several = {"opponent": ("evade", "flee")}
    one, same, other, first, second = (
        trained(short_training(steps=500, **settings), tmp_path / name)
        for name, settings in {
            "one": {},
            "same": {},
            "other": {"seed": 1},
            "first": {**several, "opponent_weights": (1.0, 0.0)},
            "second": {**several, "opponent_weights": (0.0, 1.0)},
        }.items()
    )
    assert one.policy.read_bytes() == same.policy.read_bytes() != other.policy.read_bytes()
    assert_identical(*(parameters(folder.last_model, "ppo") for folder in (one, same)))
    weights = [NetworkPolicy.load(each.last_policy).weights for each in (one, first, second)]
    assert_identical(weights[0], weights[1])
    assert not np.array_equal(weights[0][0], weights[2][0])


def test_training_and_validation_begin_from_starts_of_their_own(tmp_path, monkeypatch):
    seeds = {"training": [], "measuring": []}
    reset, evaluate = StableBaselinesVecEnv.reset, Task.evaluate

    def noted_reset(venv):
        seeds["training"] += [seed for seed in venv._seeds if seed is not None]
        return reset(venv)

    def noted_evaluate(*given):
        found = evaluate(*given)
        seeds["measuring"] += list(found["seed"])
        return found

    monkeypatch.setattr(StableBaselinesVecEnv, "reset", noted_reset)
    monkeypatch.setattr(Task, "evaluate", noted_evaluate)
    for seed in (0, 1, VALIDATION_SEED // 8 - 1):
        trained(short_training(seed=seed, steps=256, validations=1), tmp_path / str(seed))
    assert len(set(seeds["training"])) == 3 * 8  # runs of neighboring seeds share none
    assert max(seeds["training"]) < min(seeds["measuring"]) == VALIDATION_SEED
    assert max(seeds["measuring"]) < HELD_OUT_SEED


# settings


@pytest.mark.parametrize(
    ("name", "width", "allots"),
    [("pursuer/pack_obstacles", 8, True), ("evader/herd", 0, False), ("evader/pack", 8, False)],
)
def test_a_team_trains(name, width, allots, tmp_path):
    params = (*PARAMS["ppo"], f"block_width={width}", f"allotment={allots}")
    training = short_training(task=name, steps=256, validations=1, params=params)
    with brief_imitation():
        network = NetworkPolicy.load(trained(training, tmp_path).policy)
    config = training.study.config
    assert network.metadata["environment"] == training.environment
    assert (network.encoder is not None) == (width > 0)
    assert network.takes(len(observed_features(config)))
    if width:
        assert network.encoder.counts == block_counts(config, training.side)
        assert network.encoder.allots == allots


def test_a_training_is_measured_in_its_own_game():
    training = Training(task="AgileTorusEvadeDiscrete-v0", opponent=("seek",))
    assert training.study.config == game_config(game="agile_torus")
    assert training.study.opponents == ("seek",)
    assert "pretrained/agile_torus/pursuit/frozen" in training.study.held_out
    assert training.study.references == TASKS["evader/agile_torus"].references
    usual = Training(task="ObstaclesPursuit-v0").study
    assert usual.opponents == (SUITE["obstacles"].opponents[PURSUER],)


def test_training_starts_from_a_model(tmp_path):
    before = trained(short_training(steps=256), tmp_path / "before")
    still = (*PARAMS["ppo"], "learning_rate=1e-60")
    training = short_training(steps=256, seed=1, params=still, start_from=before.last_model)
    after = trained(training, tmp_path / "after")
    assert_identical(*(parameters(one.last_model, "ppo")["policy"] for one in (before, after)))
    with pytest.raises(ValueError, match="is not a model of td3"):
        begin_run(short_training("td3", start_from=before.last_model), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sed": 1}, "Did you mean 'seed'"),
        ({"task": "Persuit-v0"}, "Did you mean 'Pursuit-v0'"),
        ({"algo": "pppo"}, "Did you mean 'ppo'"),
        ({"task": "pursuer/wals"}, "Did you mean 'pursuer/walls'"),
        ({"task": "pursuer/walls", "opponent": ("flee",)}, "opponents"),
        ({"task": "pursuer/walls", "opponent_weights": (1.0, 2.0)}, "opponents"),
        ({"task": "river.py:slow"}, "evader/river.py:slow"),
        ({"opponent": ("flee", "flee")}, "twice"),
        ({"steps": 0}, "steps"),
        ({"seed": -1}, "seed"),
        ({"validation_episodes": 100_001}, "validation_episodes"),
        ({"checkpoint_seconds": math.nan}, "checkpoint_seconds"),
        ({"hardness": 1.0}, "hardness"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Training.from_dict(settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": VALIDATION_SEED // 8}, "largest possible seed is 112499"),
        ({"opponent": ("evad",)}, "Did you mean 'evade'"),
        ({"opponent": ("missing.npz",)}, "missing.npz"),
        ({"opponent": ("pursuit",)}, "pursuer"),
        ({"opponent_weights": (1.0, 2.0)}, "weights"),
        ({"params": ("batch_sise=3",)}, "Did you mean 'batch_size'"),
        ({"algo": "dqn", "task": "Pursuit-v0"}, "PursuitDiscrete-v0"),
        ({"start_from": "missing.zip"}, "missing.zip"),
        ({"params": ("batch_size=0", "n_steps=32")}, "ppo cannot begin"),
        ({"params": ("policy_kwargs={'net_arch': [-3]}",)}, "ppo cannot begin"),
        ({"algo": "sac", "params": ("buffer_size=1e15",)}, "sac cannot begin"),
        ({"algo": "sac", "params": ("use_sde=True",)}, "gSDE"),
        (
            {"params": ("policy_kwargs={'activation_fn': 'ELU'}", "batch_size=64")},
            "Tanh or ReLU",
        ),
    ],
)
def test_a_run_that_cannot_begin_leaves_no_folder(settings, message, tmp_path):
    given = Training.from_dict({**short_training().to_dict(), **settings})
    with pytest.raises((ValueError, OSError), match=message):
        begin_run(given, tmp_path / "run")
    with pytest.raises(ValueError, match="episodes"):
        begin_run(short_training(), tmp_path / "run", episodes=3)
    assert not (tmp_path / "run").exists()


def test_a_folder_holds_one_run(tmp_path, capsys):
    begin_run(short_training(), tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--steps", "5", "--out", str(tmp_path)])
    assert "already holds a training run" in capsys.readouterr().err


EPISODES = 5


@pytest.fixture(scope="module", autouse=True)
def notes():
    """Texts of the progress bars of this module's runs."""
    shown = []

    def update(*_, note=None, **__):
        if note is not None:  # the bar of imitation has none
            shown.append(note)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "steer_env.agents.training.run_report.gap", partial(gap, starts=SHORT_STARTS)
        )
        patch.setattr(ProgressBar, "update", update)
        yield shown


def short_run(env, path):
    training = short_training(task=env, steps=256, validations=1)
    folder = begin_run(training, path / "run", EPISODES)
    finish_run(folder, QUIET)
    return folder


@pytest.fixture(scope="module", params=["TwoCarsDiscrete-v0", "DragEvade-v0"])
def distance_run(request, tmp_path_factory):
    """A run in a game about a distance."""
    return short_run(request.param, tmp_path_factory.mktemp("run"))


def read_validations(folder):
    return [Validation(**one) for one in read_json(folder.results)["validations"]]


def test_the_page_and_the_results_of_a_distance_are_about_distances(distance_run):
    page = distance_run.readme.read_text()
    assert "| policy | distance [m] |" in page
    for word in ("captur", "caught", "[s]", "survival", "time limit"):
        assert word not in page
    for name in re.findall("`(.+?)`", "".join(re.findall("^- (`.+?): ", page, re.M))):
        assert (distance_run.path / name).exists()
    assert not (distance_run.path / "survival.png").exists()
    results = read_json(distance_run.results)
    assert "captur" not in distance_run.results.read_text()
    assert results["benchmark"]["mean_distance"]["trained"]["estimate"] > 0.0
    for one in results["validations"]:
        assert one.keys() == {"steps", "seconds", "distances", "distance"}


def test_the_learning_curve_of_a_distance_has_one_panel(distance_run):
    study, validations = distance_run.settings.study, read_validations(distance_run)
    (opponent,) = study.opponents
    scripts = validate_references(study, EPISODES)
    figure = learning_curve_figure(study, {"learned": validations}, scripts)
    (axes,) = figure.axes
    assert axes.get_ylabel() == "mean distance [m]"
    learned, *references = axes.lines
    np.testing.assert_array_equal(learned.get_xdata(), [one.steps for one in validations])
    assert axes.get_xlabel() == "steps of training, all games together"
    assert validations[0].seconds == 0.0  # nothing before the first rollout counts
    assert learned.get_label() == "learned"
    figure.draw_without_rendering()
    (time,) = axes.child_axes
    share = time.get_xlim()[1] / validations[-1].seconds
    assert share == pytest.approx(axes.get_xlim()[1] / validations[-1].steps)
    assert time.get_xlabel() == "time of training [s]"
    title = f"Validation in {study.environment} vs {opponent}"
    assert figure.get_suptitle() == title
    np.testing.assert_array_equal(learned.get_ydata(), [one.distance for one in validations])
    low, high = axes.get_ylim()
    for line in references:
        kind, _, name = line.get_label().partition(" script: ")
        assert kind in ("textbook", "best")
        played = study.evaluate(name, opponent, EPISODES, VALIDATION_SEED)  # the same starts
        np.testing.assert_allclose(line.get_ydata(), played["distance"].mean())
        assert low + 0.04 * (high - low) < line.get_ydata()[0] < high - 0.04 * (high - low)
    assert high >= max(learned.get_ydata())


def test_published_validations_are_read_and_written_alike():
    path = Path(PRETRAINED, "HomicidalChauffeur-v0", "ppo", "results.json")
    for run in read_json(path)["runs"].values():
        for one in run["validations"]:
            assert Validation(**one).to_dict() == one
