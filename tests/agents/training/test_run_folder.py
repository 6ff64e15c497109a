"""A config.json that somebody changed, or that an older version wrote."""

from __future__ import annotations

import json

import pytest

from agents.__main__ import main
from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from steer_env.errors import InvalidValue

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


def test_settings_of_older_versions(tmp_path):
    """They named the library that trains, which RLlib could do, too."""
    older = {"algo": "sac", "engine": "stable-baselines3", "env_runners": 0, "learners": 0}
    assert folder_with(tmp_path, RunFolder, older).settings == Training(algo="sac")
    older = {"method": "psro", "env_runners": 0}  # and no game
    assert folder_with(tmp_path, SelfPlayFolder, older).settings == SelfPlay(method="psro")
    with pytest.raises(InvalidValue, match="engine='rllib'"):
        _ = folder_with(tmp_path, RunFolder, {"engine": "rllib"}).settings
    with pytest.raises(InvalidValue, match="league"):
        _ = folder_with(tmp_path, SelfPlayFolder, {"method": "league"}).settings


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
    for command in (["train", "--resume"], ["evaluate"]):
        with pytest.raises(SystemExit, match="2"):
            main([*command, str(tmp_path)])
        assert message in capsys.readouterr().err


def test_a_training_run_is_not_self_play(tmp_path):
    folder_with(tmp_path, RunFolder, {})
    with pytest.raises(InvalidValue, match="does not hold self-play but something else"):
        _ = SelfPlayFolder(tmp_path).settings
