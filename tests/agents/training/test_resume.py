"""Runs survive `kill -9`, damaged checkpoints, and being asked to go on when all is done."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from disks import files_of_at_most
from short_trainings import assert_same_run, crash, short_training, without_gif

from agents.__main__ import main
from agents.training.checkpoints import checkpoints
from agents.training.learner import TrainingCallback
from agents.training.run_folder import RunFolder

ROOT = Path(__file__).parents[3]
EPISODES = ("--episodes", "5")


@pytest.fixture(autouse=True, scope="module")
def _no_gif():
    with without_gif():
        yield


def arguments(folder):
    """Of the command line, for a short PPO run."""
    words = short_training(seed=4).command.split()
    return [*words[words.index("train") :], *EPISODES, "--out", str(folder.path)]


def resume(folder):
    main(["train", "--resume", str(folder.path)])


def interrupt(*_):
    raise KeyboardInterrupt


def resumed_at(folder):
    return json.loads(folder.results.read_text())["training"]["resumed_at"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "undisturbed")
    main(arguments(folder))
    return folder


@pytest.fixture
def crashed(tmp_path):
    """A run that stopped somewhere in the middle."""
    folder = RunFolder(tmp_path / "crashed")
    with crash(at_step=1000):
        main(arguments(folder))
    return folder


def test_a_killed_process_is_resumed_bit_for_bit(undisturbed, tmp_path):
    folder = RunFolder(tmp_path / "killed")
    process = subprocess.Popen(
        [sys.executable, "-m", "agents", *arguments(folder)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not checkpoints(folder.checkpoints) and process.poll() is None:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors
    assert not folder.results.exists()
    resume(folder)
    assert_same_run(undisturbed, folder, "ppo")
    assert len(resumed_at(folder)) == 1
    assert "It was interrupted" in folder.readme.read_text()


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
    assert "continue with" in capsys.readouterr().out
    resume(folder)
    assert resumed_at(folder) == [1024]  # the end of the rollout in which it was stopped
    assert_same_run(undisturbed, folder, "ppo")


def test_a_run_goes_on_after_a_full_disk(undisturbed, tmp_path, capsys):
    folder = RunFolder(tmp_path / "full")
    size = min(path.stat().st_size for path in checkpoints(undisturbed.checkpoints))
    with files_of_at_most(size - 1), pytest.raises(SystemExit, match="2"):
        main(arguments(folder))
    error = capsys.readouterr().err.strip()
    assert "\n" not in error
    assert re.search(rf"checkpoint_\d+\.bin'; .*agents train --resume {folder.path}$", error)
    assert not list(folder.path.rglob("*.part"))
    resume(folder)
    assert_same_run(undisturbed, folder, "ppo")


def test_folders_of_other_kinds_are_refused(undisturbed, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["selfplay", "--resume", str(undisturbed.path)])
    assert "does not hold self-play but something else" in capsys.readouterr().err
    (tmp_path / "config.json").write_text('{"plan": {}}')
    for command in (["train", "--resume"], ["evaluate"]):
        with pytest.raises(SystemExit, match="2"):
            main([*command, str(tmp_path)])
        assert "does not hold a training run but something else" in capsys.readouterr().err


def test_a_damaged_checkpoint_is_skipped_with_a_warning(undisturbed, crashed):
    newest, before = checkpoints(crashed.checkpoints)
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    with pytest.warns(UserWarning, match=f"{newest.name} is damaged"):
        resume(crashed)
    assert resumed_at(crashed) == [int(before.stem.split("_")[1])]
    assert_same_run(undisturbed, crashed, "ppo")


def test_a_run_whose_checkpoints_are_all_damaged_is_not_resumed(crashed, capsys):
    for path in checkpoints(crashed.checkpoints):
        path.write_bytes(b"")
    with (
        pytest.warns(UserWarning, match="does not begin"),
        pytest.raises(SystemExit, match="2"),
    ):
        resume(crashed)
    assert "are damaged; start a new run" in capsys.readouterr().err


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_again(undisturbed, crashed):
    for path in checkpoints(crashed.checkpoints):
        path.unlink()
    resume(crashed)
    assert resumed_at(crashed) == []
    assert_same_run(undisturbed, crashed, "ppo")


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


def test_only_one_process_is_at_work_in_a_folder(crashed, capsys):
    with crashed.locked(), pytest.raises(SystemExit, match="2"):
        resume(crashed)
    assert "another process is at work" in capsys.readouterr().err
    resume(crashed)


def test_other_versions_cause_a_warning(crashed, monkeypatch):
    monkeypatch.setattr("agents.training.learner.make_training_env", interrupt)
    config = json.loads(crashed.config.read_text())
    config["versions"]["torch"] = "0.1"
    crashed.config.write_text(json.dumps(config))
    warned = pytest.warns(UserWarning, match=r"other versions \(torch 0\.1 -> ")
    with warned, pytest.raises(SystemExit, match="130"):
        resume(crashed)


def test_a_run_whose_preset_has_changed_is_not_resumed(crashed, capsys):
    config = json.loads(crashed.config.read_text())
    config["hyperparameters"]["gamma"] = 0.5
    crashed.config.write_text(json.dumps(config))
    with pytest.raises(SystemExit, match="2"):
        resume(crashed)
    assert "another preset (gamma 0.5 -> " in capsys.readouterr().err


def test_a_folder_without_a_run_is_refused(tmp_path, capsys):
    folder = RunFolder(tmp_path)
    for content, message in (
        (None, "does not hold a training run"),
        ("{", "config.json is damaged"),
        ("[]", "it is not a JSON object"),
        ('{"training": {}}', "it lacks ['command'"),
    ):
        if content:
            folder.config.write_text(content)
        with pytest.raises(SystemExit, match="2"):
            resume(folder)
        assert message in capsys.readouterr().err


def test_an_interrupted_command_prints_how_to_resume(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("agents.training.learner.make_training_env", interrupt)
    with pytest.raises(SystemExit, match="130"):
        main(arguments(RunFolder(tmp_path)))
    assert f"--resume {tmp_path}" in capsys.readouterr().out.replace("\n", "")
