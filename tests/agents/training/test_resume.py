"""Runs go on after a stop or a crash, from the folders that are theirs."""

import json
import os
import re
import shutil
import signal

import numpy as np
import pytest
from disks import files_of_at_most
from short_trainings import (
    PARAMS,
    QUIET,
    arguments_of,
    assert_identical,
    crash,
    last_snapshot,
    parameters,
    short_training,
)

from steer_env.agents.selfplay.generations import SelfPlayRun
from steer_env.agents.training.model import make_training_env, new_model, restored_model
from steer_env.agents.training.run import TrainingRun
from steer_env.agents.training.train import TrainingMonitor, begin_run, train
from steer_env.cli import main
from steer_env.errors import InvalidValue


@pytest.fixture(scope="module")
def stopped_run(tmp_path_factory):
    folder = begin_run(short_training(), tmp_path_factory.mktemp("runs") / "run", 5)
    with crash(at_step=300):
        train(folder, QUIET)
    return folder


@pytest.fixture
def crashed(stopped_run, tmp_path):
    """A run that stopped somewhere in the middle."""
    shutil.copytree(stopped_run.path, tmp_path / "crashed")
    return TrainingRun(tmp_path / "crashed")


def test_a_stopped_run_goes_on_from_its_last_checkpoint(tmp_path, capsys, monkeypatch):
    folder = TrainingRun(tmp_path / "stopped")

    def on_step(callback):
        if callback.num_timesteps == 304:
            os.kill(os.getpid(), signal.SIGINT)
        return True

    monkeypatch.setattr(TrainingMonitor, "_on_step", on_step)
    with pytest.raises(SystemExit, match="130"):
        main(arguments_of(short_training(), folder.path))
    monkeypatch.undo()
    assert f"--resume {folder.path}" in capsys.readouterr().out.replace("\n", "")
    main(["train", "--resume", str(folder.path)])
    resumed_at = json.loads(folder.results.read_text())["training"]["resumed_at"]
    assert resumed_at == [256]  # the end of the rollout before
    assert "It was interrupted" in folder.readme.read_text()


MIXTURE = "ppo", {"task": "pursuer/agile_torus", "hardness": 2.0}
TEAM = "ppo", {"task": "evader/team", "num_envs": 4, "params": (*PARAMS["ppo"], "imitate=")}


@pytest.mark.parametrize(
    ("algo", "changes"),
    [
        pytest.param(*MIXTURE, id="ppo against a changing mixture"),
        ("sac", {}),
        pytest.param(*TEAM, id="a team", marks=pytest.mark.weekly),
        *(pytest.param(algo, {}, marks=pytest.mark.weekly) for algo in ("a2c", "td3", "dqn")),
    ],
)
def test_a_run_goes_on_after_every_crash_with_what_it_has_learned(algo, changes, tmp_path):
    folder = begin_run(short_training(algo, **{"steps": 1024, **changes}), tmp_path / "run")
    for step in (300, 700):
        with crash(at_step=step):
            train(folder, QUIET)
    before = last_snapshot(folder)
    progress = train(folder, QUIET)
    assert 0 < progress.resumed_at[0] < 300 < progress.resumed_at[1] < 700
    assert progress.resumed_at[1] == before["steps"]
    steps = [one["steps"] for one in progress.validations]
    assert steps == sorted(set(steps))
    if (buffer := before["replay_buffer"]) is not None:
        assert last_snapshot(folder)["replay_buffer"].pos > buffer.pos > 0
    assert folder.is_trained


def test_a_run_goes_on_with_its_networks_and_optimizers_and_other_starts(crashed):
    venv, saved = make_training_env(crashed.settings), last_snapshot(crashed)
    model = restored_model(crashed.settings, venv, saved)
    assert_identical(model.get_parameters(), parameters(saved["model"], "ppo"))
    assert model.num_timesteps == saved["steps"] > 0
    again = venv.reset()
    new_model(crashed.settings, venv)
    assert not np.isclose(again, venv.reset()).all(axis=1).any()
    venv.close()


def test_a_damaged_checkpoint_is_refused_and_without_one_a_run_begins_again(crashed):
    content = crashed.checkpoint.read_bytes()
    for damaged in (b"", content[: len(content) // 2]):
        crashed.checkpoint.write_bytes(damaged)
        with pytest.raises(InvalidValue, match=r"checkpoint.pkl is damaged.*start a new run"):
            train(crashed, QUIET)
    crashed.checkpoint.unlink()
    with crashed.locked(), pytest.raises(ValueError, match="another process"):
        train(crashed, QUIET)
    assert train(crashed, QUIET).resumed_at == []


def test_a_full_disk_stops_a_run_which_goes_on_later(tmp_path, capsys):
    folder = TrainingRun(tmp_path / "full")
    with files_of_at_most(50_000), pytest.raises(SystemExit, match="2"):
        main(arguments_of(short_training(), folder.path))
    error = capsys.readouterr().err.strip()
    assert re.search(rf"steer-env train --resume {folder.path}$", error)
    assert not list(folder.path.rglob("*.part"))
    train(folder, QUIET)


def test_a_finished_run_is_measured_again_and_not_trained(finished_run, tmp_path, monkeypatch):
    shutil.copytree(finished_run.path, tmp_path / "again")
    again = TrainingRun(tmp_path / "again")
    again.results.unlink()
    # Neither a rollout nor an update.
    monkeypatch.setattr("stable_baselines3.PPO.collect_rollouts", None)
    main(["train", "--resume", str(again.path)])
    before, after = (json.loads(one.results.read_text()) for one in (finished_run, again))
    assert after["benchmark"] == before["benchmark"]
    assert after["validations"] == before["validations"]
    assert after["training"]["resumed_at"] == []


def test_a_run_has_settings_of_its_own(finished_run, capsys):
    for option in (("--seed", "3"), ("--out", "elsewhere"), ("--episodes", "5")):
        with pytest.raises(SystemExit, match="2"):
            main(["train", "--resume", str(finished_run.path), *option])
        assert "settings of its own" in capsys.readouterr().err


def test_a_run_whose_preset_has_changed_is_not_resumed(crashed):
    config = json.loads(crashed.config.read_text())
    config["hyperparameters"]["gamma"] = 0.5
    crashed.config.write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"another preset \(gamma 0.5 -> "):
        train(crashed, QUIET)


OTHERS = 5, 1.5, True, "x", {"a": 1}, [None], [[1]], -1
"""Values as in a config.json that somebody has edited; some of them are valid settings."""


@pytest.mark.parametrize("kind", [TrainingRun, SelfPlayRun])
def test_damaged_settings_are_refused_by_name(kind, tmp_path):
    run, names = kind(tmp_path), kind.made_of().to_dict()
    rest = {**dict.fromkeys(kind.keys, ""), "versions": {}, "machine": ""}
    cases = [(3, "got 3"), ({"stebs": 3}, "Did you mean 'steps'")]
    cases += [({name: value}, name) for name in names for value in OTHERS]
    refused = set()
    for settings, word in cases:
        run.config.write_text(json.dumps({**rest, kind.keys[0]: settings}))
        said = ""
        try:
            _ = run.settings
        except InvalidValue as error:
            said = str(error)
        if said:
            assert said.startswith(f"{run.config} cannot be used: ")
            assert word in said
            refused.add(word)
    assert refused >= {word for _, word in cases} - {"opponent_weights"}


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
    folder = TrainingRun(tmp_path)
    if content:
        folder.config.write_text(content)
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--resume", str(tmp_path)])
    assert message in capsys.readouterr().err
