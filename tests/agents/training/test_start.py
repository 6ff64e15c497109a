"""Trainings begin with a model of the user's, and run nothing that is in its file."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zipfile

import pytest
from short_trainings import QUIET, short_training

from agents.training.results import remeasure
from agents.training.runs import begin_run, train
from agents.training.start import make_training_env, new_model
from baselines import evaluate, load
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


def test_a_training_on_chosen_features_brings_them_to_all_who_play_it(tmp_path):
    features = ["other.offset_forward", "other.offset_left"]
    params = f"env_kwargs=dict(observation=dict(features={features}))"
    training = short_training(params=(*short_training().params, params))
    folder = begin_run(training, tmp_path / "run")
    train(folder, QUIET)
    for policy in (folder.policy, load(folder.model, trust=True)):
        found = evaluate(policy, "evade", episodes=4)
        assert found.config.observation.features == tuple(features)
    assert remeasure(folder, 8).to_dict()["opponents"]


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
