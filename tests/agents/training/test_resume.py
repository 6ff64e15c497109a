"""Runs go on after a stop and damaged checkpoints, from the folders that are theirs."""

from __future__ import annotations

import json
import os
import shutil
import signal

import pytest
from short_trainings import (
    PARAMS,
    QUIET,
    CrashError,
    assert_same_run,
    brief_imitation,
    crash,
    short_training,
    trained,
)

from steer_env.agents.selfplay.generations import SelfPlayFolder
from steer_env.agents.training import imitation
from steer_env.agents.training.checkpoints import checkpoints
from steer_env.agents.training.imitation import _fit
from steer_env.agents.training.learning_model import TrainingCallback
from steer_env.agents.training.train import begin_run, train
from steer_env.agents.training.training import RunFolder
from steer_env.cli import main
from steer_env.errors import InvalidValue

EPISODES = ("--episodes", "5")


def arguments(folder):
    """Of the command line, for a short PPO run."""
    words = short_training(seed=4).command.split()
    return [*words[words.index("train") :], *EPISODES, "--out", str(folder.path)]


def resume(folder):
    main(["train", "--resume", str(folder.path)])


def resumed_at(folder):
    return json.loads(folder.results.read_text())["training"]["resumed_at"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "undisturbed")
    main(arguments(folder))
    return folder


@pytest.fixture(scope="module")
def stopped_run(tmp_path_factory):
    folder = begin_run(short_training(seed=4), tmp_path_factory.mktemp("runs") / "run", 5)
    with crash(at_step=1000):
        train(folder, QUIET)
    return folder


@pytest.fixture
def crashed(stopped_run, tmp_path):
    """A run that stopped somewhere in the middle."""
    shutil.copytree(stopped_run.path, tmp_path / "crashed")
    return RunFolder(tmp_path / "crashed")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_goes_on_from_where_it_stopped(
    number, undisturbed, tmp_path, capsys, monkeypatch
):
    folder = RunFolder(tmp_path / "stopped")

    def on_step(callback):
        if callback.num_timesteps == 1000:
            os.kill(os.getpid(), number)
        return True

    monkeypatch.setattr(TrainingCallback, "_on_step", on_step)
    seldom = ["1000" if word == "0.0" else word for word in arguments(folder)]
    with pytest.raises(SystemExit, match="130"):
        main(seldom)
    monkeypatch.undo()
    assert f"--resume {folder.path}" in capsys.readouterr().out.replace("\n", "")
    resume(folder)
    assert resumed_at(folder) == [1024]  # the end of the rollout in which it was stopped
    assert "It was interrupted" in folder.readme.read_text()
    assert_same_run(undisturbed, folder, "ppo")


LESSONS = {
    "search": {"method": "search", "params": (*PARAMS["ppo"], "search=2", "deepened=1")},
    "script": {"params": (*PARAMS["ppo"], "imitate=pursuit/full_force")},
}


@pytest.mark.parametrize("teacher", LESSONS)
def test_lessons_are_kept_and_go_on_after_a_crash(teacher, tmp_path, monkeypatch):
    training = short_training(**LESSONS[teacher], steps=256, validations=1)
    rounds = []

    def fit(*given):
        rounds.append(len(given[2].all()[0]))
        if len(rounds) == 3:
            raise CrashError
        return _fit(*given)

    monkeypatch.setattr("steer_env.agents.training.search_teacher.GUIDE_EPISODES", 4)
    with brief_imitation(ROUNDS=3):
        undisturbed = trained(training, tmp_path / "undisturbed")
        monkeypatch.setattr(imitation, "_fit", fit)
        folder = begin_run(training, tmp_path / "run", 5)
        with pytest.raises(CrashError):
            train(folder, QUIET)
        assert len(list(folder.lessons.iterdir())) == 2
        train(folder, QUIET)
    # The round of the crash was learned once more, and those before it were not.
    assert rounds[2] == rounds[3]
    assert len(rounds) == 4
    assert_same_run(undisturbed, folder, "ppo")
    assert not folder.lessons.exists()


def test_a_damaged_checkpoint_is_skipped_with_a_warning(undisturbed, crashed):
    newest, before = checkpoints(crashed.checkpoints)
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    with pytest.warns(UserWarning, match=f"{newest.name} is damaged"):
        progress = train(crashed, QUIET)
    assert progress.resumed_at == [int(before.stem.split("_")[1])]
    assert_same_run(undisturbed, crashed, "ppo")


def test_a_run_whose_checkpoints_are_all_damaged_is_not_resumed(crashed):
    for path in checkpoints(crashed.checkpoints):
        path.write_bytes(b"")
    with (
        pytest.warns(UserWarning, match="does not begin"),
        pytest.raises(ValueError, match="start a new run"),
    ):
        train(crashed, QUIET)


def test_a_finished_run_is_measured_again_and_not_trained(undisturbed, monkeypatch):
    results = json.loads(undisturbed.results.read_text())
    undisturbed.results.unlink()

    def train_a_step(*_):
        raise AssertionError

    monkeypatch.setattr("stable_baselines3.PPO.collect_rollouts", train_a_step)
    resume(undisturbed)
    again = json.loads(undisturbed.results.read_text())
    assert again["benchmark"] == results["benchmark"]
    assert again["validations"] == results["validations"]
    assert again["training"]["resumed_at"] == []


def test_a_run_has_settings_of_its_own(crashed, capsys):
    for option in (("--seed", "3"), ("--out", "elsewhere"), EPISODES):
        with pytest.raises(SystemExit, match="2"):
            main(["train", "--resume", str(crashed.path), *option])
        assert "settings of its own" in capsys.readouterr().err


def test_only_one_process_is_at_work_in_a_folder(crashed):
    with crashed.locked(), pytest.raises(ValueError, match="another process"):
        train(crashed, QUIET)
    train(crashed, QUIET)


def changed_config(folder, entry, name, value):
    config = json.loads(folder.config.read_text())
    config[entry][name] = value
    folder.config.write_text(json.dumps(config))


def test_a_run_whose_preset_has_changed_is_not_resumed(crashed):
    changed_config(crashed, "hyperparameters", "gamma", 0.5)
    with pytest.raises(ValueError, match=r"another preset \(gamma 0.5 -> "):
        train(crashed, QUIET)


REST = {"command": "", "hyperparameters": {}, "episodes": 3, "files": {}}


def folder_with(path, kind, settings):
    run = kind(path)
    content = {**REST, "versions": {}, "machine": "", kind.keys[0]: settings}
    run.config.write_text(json.dumps(content))
    return run


@pytest.mark.parametrize("kind", [RunFolder, SelfPlayFolder])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (3, "got 3"),
        ({"params": 3}, "params"),
        ({"params": [3]}, r"params\[0\]"),
        ({"steps": "many"}, "steps"),
        ({"stebs": 3}, "Did you mean 'steps'?"),
        ({"seed": -1}, "seed"),
    ],
)
def test_damaged_settings_are_refused_with_the_file_and_the_entry(
    tmp_path, kind, settings, message
):
    with pytest.raises(InvalidValue, match=f"config.json cannot be used: .*{message}"):
        _ = folder_with(tmp_path, kind, settings).settings


@pytest.mark.parametrize("entry", [{"opponent": "evade"}, {"preset": 3}, {"opponent": [{}]}])
def test_damaged_settings_of_a_training(tmp_path, entry):
    with pytest.raises(InvalidValue, match=f"cannot be used: {next(iter(entry))}"):
        _ = folder_with(tmp_path, RunFolder, entry).settings


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no config.json"),
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"training": {}}', "lacks"),
        ('{"plan": {}}', "does not hold a training run but something else"),
    ],
)
def test_a_folder_without_a_run_is_refused(tmp_path, content, message, capsys):
    folder = RunFolder(tmp_path)
    if content:
        folder.config.write_text(content)
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--resume", str(tmp_path)])
    assert message in capsys.readouterr().err


def test_a_training_run_is_not_self_play(tmp_path):
    folder_with(tmp_path, RunFolder, {})
    with pytest.raises(InvalidValue, match="does not hold self-play but something else"):
        _ = SelfPlayFolder(tmp_path).settings
