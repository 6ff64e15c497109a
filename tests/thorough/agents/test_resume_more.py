"""Runs that were stopped elsewhere, or by somebody else."""

from __future__ import annotations

import re

import numpy as np
import pytest
from disks import files_of_at_most
from short_trainings import PARAMS, QUIET, assert_identical, assert_same_run, short_training
from test_resume import EPISODES, arguments, changed_config, crashed, stopped_run, undisturbed  # noqa: F401

from steer_env.agents.training.checkpoints import checkpoints, restore_snapshot, take_snapshot
from steer_env.agents.training.hyperparameters import algorithm_class
from steer_env.agents.training.learning_model import make_training_env
from steer_env.agents.training.train import train
from steer_env.agents.training.training import RunFolder
from steer_env.cli import main


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_again(undisturbed, crashed):
    for path in checkpoints(crashed.checkpoints):
        path.unlink()
    assert train(crashed, QUIET).resumed_at == []
    assert_same_run(undisturbed, crashed, "ppo")


def test_other_versions_cause_a_warning(crashed):
    changed_config(crashed, "versions", "torch", "0.1")
    with pytest.warns(UserWarning, match=r"other versions \(torch 0\.1 -> "):
        train(crashed, QUIET)


def test_a_run_goes_on_after_a_full_disk(undisturbed, tmp_path, capsys):
    folder = RunFolder(tmp_path / "full")
    size = min(path.stat().st_size for path in checkpoints(undisturbed.checkpoints))
    with files_of_at_most(size - 1), pytest.raises(SystemExit, match="2"):
        main(arguments(folder))
    error = capsys.readouterr().err.strip()
    assert re.search(rf"checkpoint_\d+\.bin'; .*steer-env train --resume {folder.path}$", error)
    assert not list(folder.path.rglob("*.part"))
    train(folder, QUIET)
    assert_same_run(undisturbed, folder, "ppo")


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_a_restored_run_has_the_same_state(algo):
    training = short_training(algo, params=(*PARAMS[algo], "normalize=True"))
    preset = training.read_preset()
    venv = make_training_env(training)
    algorithm = algorithm_class(algo)
    model = algorithm(preset.policy, venv, device="cpu", seed=3, **preset.arguments)
    model.learn(600)
    content = take_snapshot(model, ["so far"])
    new_venv = make_training_env(training)
    restored, progress = restore_snapshot(content, algorithm, new_venv)
    assert progress == ["so far"]
    assert restored.num_timesteps == model.num_timesteps
    assert_identical(restored.get_parameters(), model.get_parameters())
    actions = np.zeros((8, 2), np.float32)
    for _ in range(700):  # beyond the end of every episode
        assert_identical(new_venv.step(actions)[:3], venv.step(actions)[:3])
    venv.close()
    new_venv.close()
