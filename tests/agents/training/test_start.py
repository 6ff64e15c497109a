"""Trainings begin with a model of the user's, and run nothing that is in its file."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zipfile

import pytest
from short_trainings import short_training

from agents.training.runs import begin_run
from agents.training.start import make_training_env, new_model
from steer_env.policies.stable_baselines import load_stable_baselines3


class Trace:
    """Unpickled, it makes a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def forged(model, member, content):
    """Replaces a member of a model's file."""
    with zipfile.ZipFile(model) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert member in members
    with zipfile.ZipFile(model, "w") as archive:
        for name, old in members.items():
            archive.writestr(name, content if name == member else old)


def test_a_model_to_start_from_runs_no_code(tmp_path):
    model, trace = tmp_path / "model.zip", tmp_path / "it_ran"
    training = short_training()
    new_model(training, make_training_env(training)).save(model)
    code = pickle.dumps(Trace(trace))
    hidden = {":type:": "x", ":serialized:": base64.b64encode(code).decode()}
    forged(model, "data", json.dumps({"policy_class": hidden}))
    begin_run(short_training(start_from=model), tmp_path / "run")
    forged(model, "policy.pth", code)
    with pytest.raises(ValueError, match="is not a model of ppo"):
        begin_run(short_training(start_from=model), tmp_path / "other")
    assert not trace.exists()
    with pytest.raises(ValueError, match="cannot be loaded"):
        load_stable_baselines3(model, trust=True, algorithm="PPO")
    assert trace.exists()  # as SECURITY.md warns
