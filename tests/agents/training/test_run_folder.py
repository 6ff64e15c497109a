"""A config.json that somebody changed."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("stable_baselines3")

from agents.selfplay.generations import SelfPlay, SelfPlayFolder
from agents.training.run_folder import RunFolder
from agents.training.training import Training
from steer_env.errors import InvalidValue

REST = {"command": "", "hyperparameters": {}, "episodes": 3, "files": {}}


@pytest.mark.parametrize("folder", [RunFolder, SelfPlayFolder])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (3, "must be a JSON object, got 3"),
        ({"params": 3}, "params must be a list, got 3"),
        ({"params": [3]}, r"params\[0\] must be a string, got 3"),
        ({"steps": "many"}, "steps must be an integer, got 'many'"),
        ({"stebs": 3}, "'stebs'. Did you mean 'steps'?"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_damaged_settings_are_refused_with_the_file_and_the_entry(
    tmp_path, folder, settings, message
):
    run = folder(tmp_path)
    content = {**REST, "versions": {}, "machine": "", folder.keys[0]: settings}
    run.config.write_text(json.dumps(content))
    with pytest.raises(InvalidValue, match=f"config.json cannot be used: .*{message}"):
        _ = run.settings


@pytest.mark.parametrize("entry", [{"opponent": "evade"}, {"preset": 3}, {"opponent": [{}]}])
def test_damaged_settings_of_a_training(tmp_path, entry):
    run = RunFolder(tmp_path)
    content = {**REST, "versions": {}, "machine": "", "training": entry}
    run.config.write_text(json.dumps(content))
    with pytest.raises(InvalidValue, match=f"cannot be used: {next(iter(entry))}"):
        _ = run.settings


def test_settings_of_older_versions(tmp_path):
    """They named the library that trains, which RLlib could do, too."""

    def run_with(folder, settings):
        content = {**REST, "versions": {}, "machine": "", folder.keys[0]: settings}
        run = folder(tmp_path)
        run.config.write_text(json.dumps(content))
        return run

    older = {"algo": "sac", "engine": "stable-baselines3", "env_runners": 0, "learners": 0}
    assert run_with(RunFolder, older).settings == Training(algo="sac")
    older = {"method": "psro", "env_runners": 0}
    assert run_with(SelfPlayFolder, older).settings == SelfPlay(method="psro")
    with pytest.raises(InvalidValue, match="engine='rllib'"):
        _ = run_with(RunFolder, {"engine": "rllib"}).settings
    with pytest.raises(InvalidValue, match="league"):
        _ = run_with(SelfPlayFolder, {"method": "league"}).settings
