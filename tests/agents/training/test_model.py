"""Trainings begin with a model, run nothing that is in its file, and stop if they diverge."""

import base64
import json
import os
import pickle
import shlex
import zipfile

import numpy as np
import pytest
import torch
from players.networks import write_zip
from short_trainings import (
    PARAMS,
    arguments_of,
    last_snapshot,
    parameters,
    short_training,
    trained,
)

from steer_env.agents.training.model import (
    LARGEST_WEIGHT,
    find_divergence,
    make_training_env,
    new_model,
)
from steer_env.agents.training.run_report import comparison_tables, remeasure
from steer_env.agents.training.train import TrainingMonitor, begin_run
from steer_env.baselines import NetworkPolicy, evaluate, load
from steer_env.cli import main
from steer_env.players.stable_baselines import load_stable_baselines3


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
    write_zip(model, {**members, member: content})


def test_a_training_on_chosen_features_brings_them_to_all_who_play_it(tmp_path):
    seen = {"features": ["own.speed", "other.distance"], "noise": 0.01, "delay": 2}
    params = *PARAMS["ppo"], "env_kwargs=" + str({"observation": seen})
    training = short_training(params=params, steps=256, validations=1)
    folder = trained(training, tmp_path / "run")
    for policy in (folder.policy, load(f"PPO:{folder.model}", trust=True)):
        found = evaluate(policy, "evade", episodes=4)
        assert found.config.observation.features == tuple(seen["features"])
    assert "learned minus pursuit" in str(comparison_tables(remeasure(folder, 4))[1])


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
    with pytest.raises(ValueError, match="is not a model of PPO"):
        load_stable_baselines3(f"PPO:{model}", trust=True)
    assert trace.exists()  # as SECURITY.md warns


# What a callback of a user could do, too: each takes the model of a running training.


def poison_a_weight(model, value=np.nan):
    with torch.no_grad():
        next(one for one in model.policy.parameters() if one.dim() == 2)[0, 0] = value


def poison_the_entropy(model, value=np.nan):
    with torch.no_grad():
        model.log_ent_coef[0] = value


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_whatever_is_not_finite_is_found(algo):
    training = short_training(algo)
    venv = make_training_env(training)
    model = new_model(training, venv)
    model.learn(264)
    assert find_divergence(model) is None
    model.logger.record("train/critic_loss", np.inf)
    assert "critic_loss" in find_divergence(model)
    if algo == "sac":
        poison_the_entropy(model)
        assert "weights" in find_divergence(model)
        poison_the_entropy(model, 0.0)
    for value in (np.nan, np.inf, -LARGEST_WEIGHT):
        poison_a_weight(model, value)
        assert "weights" in find_divergence(model)
    venv.close()


@pytest.fixture
def poison(monkeypatch):
    """Makes a training go wrong in the rollout in which it reaches a step."""

    def begin(function, at_step=300):
        def on_step(callback):
            if callback.num_timesteps == at_step // 8 * 8:
                function(callback.model)
            return True

        monkeypatch.setattr(TrainingMonitor, "_on_step", on_step)

    return begin


def assert_sound(folder, algo):
    """That everything in the folder of a run that has diverged can be used."""
    assert not folder.is_trained
    snapshot = last_snapshot(folder)
    for model in (snapshot["model"], folder.model):
        for state in parameters(model, algo)["policy"].values():
            assert torch.isfinite(state).all()
    policy = NetworkPolicy.load(folder.policy)
    assert all(np.isfinite(weights).all() for weights in policy.weights)


@pytest.mark.parametrize(
    ("algo", "at_step"),
    [
        ("ppo", 300),
        pytest.param("ppo", 500, marks=pytest.mark.weekly),  # in the last rollout
        pytest.param("sac", 300, marks=pytest.mark.weekly),
    ],
)
def test_another_run_goes_on_from_one_that_diverged(
    algo, at_step, tmp_path, poison, capsys, monkeypatch
):
    folder, kept = begin_run(short_training(algo), tmp_path / "run", episodes=5), []
    poison(poison_a_weight, at_step)
    for _ in range(2):  # the same settings go wrong at the same step
        with pytest.raises(SystemExit, match="2"):
            main(["train", "--resume", str(folder.path)])
        assert_sound(folder, algo)
        kept.append([path.read_bytes() for path in (folder.policy, folder.model)])
    assert kept[0] == kept[1]
    monkeypatch.undo()
    *_, line = capsys.readouterr().err.strip().splitlines()
    start, model, params, rate = shlex.split(line.partition("best model: ")[2])
    assert (start, model, params) == ("--start-from", str(folder.model), "--params")
    given = {"start_from": folder.model, "params": (*PARAMS[algo], rate)}
    main(arguments_of(short_training(algo, **given), tmp_path / "again"))
    assert "See it play: steer-env watch --pursuer" in capsys.readouterr().out
