"""A training whose numbers go wrong stops, and what it has saved stays sound."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
import torch
from agents.training.conclusion import watch_line
from short_trainings import (
    PARAMS,
    QUIET,
    last_snapshot,
    parameters,
    short_training,
    without_gif,
)

from agents.__main__ import main
from agents.training.checkpoints import checkpoints
from agents.selfplay.generations import SelfPlay
from agents.selfplay.runs import begin_selfplay, finish_selfplay
from agents.training.divergence import LARGEST_WEIGHT, Diverged, find_divergence
from agents.training.learner import TrainingCallback
from agents.training.runs import begin_run, train
from agents.training.start import make_training_env, new_model
from baselines import NetworkPolicy

# What a callback of a user could do, too: each takes the model of a running training.


def poison_a_weight(model, value=np.nan):
    with torch.no_grad():
        next(one for one in model.policy.parameters() if one.dim() == 2)[0, 0] = value


def poison_the_entropy(model, value=np.nan):
    with torch.no_grad():
        model.log_ent_coef[0] = value


def poison_the_optimizer(model):
    optimizer = getattr(model.policy, "optimizer", None) or model.critic.optimizer
    next(iter(optimizer.state.values()))["exp_avg_sq"].fill_(torch.inf)


def poison_the_returns(model):
    model.get_vec_normalize_env().ret_rms.var = np.float64(np.inf)


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_whatever_is_not_finite_is_found(algo):
    training = short_training(algo, params=(*PARAMS[algo], "normalize=True"))
    venv = make_training_env(training)
    model = new_model(training, venv)
    model.learn(264)
    assert find_divergence(model) is None
    poison_the_returns(model)
    assert "ret_rms of VecNormalize are not finite" in find_divergence(model)
    venv.obs_rms.var[3] = np.nan
    assert "obs_rms of VecNormalize are not finite" in find_divergence(model)
    poison_the_optimizer(model)
    assert "optimizer is not finite" in find_divergence(model)
    assert find_divergence(model, thorough=False) is None
    model.logger.record("train/critic_loss", np.inf)
    assert "train/critic_loss is inf" in find_divergence(model, thorough=False)
    if algo == "sac":
        poison_the_entropy(model)
        assert "weights are not finite" in find_divergence(model, thorough=False)
        poison_the_entropy(model, 0.0)
    for value in (np.nan, np.inf, -LARGEST_WEIGHT):
        poison_a_weight(model, value)
        assert "weights are not finite, or above 10,000" in find_divergence(model)
    venv.close()


@pytest.fixture(autouse=True)
def _no_gif():
    with without_gif():
        yield


@pytest.fixture
def poison(monkeypatch):
    """Makes a training go wrong in the rollout in which it reaches a step."""

    def begin(function, at_step=700):
        def on_step(callback):
            if callback.num_timesteps == at_step // 8 * 8:
                function(callback.model)
            return True

        monkeypatch.setattr(TrainingCallback, "_on_step", on_step)

    return begin


def assert_sound(folder, algo):
    """That everything in the folder of a run that has diverged can be used."""
    assert not folder.is_trained
    snapshot = last_snapshot(folder)
    for state in parameters(snapshot["model"], algo)["policy"].values():
        assert torch.isfinite(state).all()
    if snapshot["normalize"] is not None:
        for name in ("obs_rms", "ret_rms"):
            assert np.isfinite(snapshot["normalize"][name].var).all()
    policy = NetworkPolicy.load(folder.policy)
    assert all(np.isfinite(weights).all() for weights in policy.weights)
    for state in parameters(folder.model, algo)["policy"].values():
        assert torch.isfinite(state).all()


@pytest.mark.parametrize(
    ("algo", "at_step"),
    [("ppo", 700), ("sac", 700), ("dqn", 700), ("ppo", 1490)],  # the last in the last rollout
)
def test_weights_that_are_nan_stop_a_training(algo, at_step, tmp_path, poison):
    folder = begin_run(short_training(algo), tmp_path / "run")
    poison(poison_a_weight, at_step)
    with pytest.raises(Diverged, match=r"diverged after .* steps: its weights") as stopped:
        train(folder, QUIET)
    newest = checkpoints(folder.checkpoints)[0]
    assert f"to go on from {newest}" in str(stopped.value)
    assert_sound(folder, algo)
    # The same settings go wrong at the same step, and still nothing that was good is lost.
    before = {path: path.read_bytes() for path in (folder.policy, folder.model)}
    with pytest.raises(Diverged):
        train(folder, QUIET)
    assert {path: path.read_bytes() for path in before} == before
    assert checkpoints(folder.checkpoints)[0] == newest
    assert_sound(folder, algo)


def test_statistics_that_are_nan_are_not_saved(tmp_path, poison):
    params = (*PARAMS["ppo"], "normalize=True")
    folder = begin_run(short_training(params=params), tmp_path / "run")
    poison(poison_the_returns)
    with pytest.raises(Diverged):
        train(folder, QUIET)
    assert_sound(folder, "ppo")


@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_a_run_that_diverged_goes_on_as_its_message_says(
    algo, tmp_path, poison, capsys, monkeypatch
):
    folder = begin_run(short_training(algo), tmp_path / "run", episodes=5)
    poison(poison_a_weight)
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--resume", str(folder.path)])
    (line,) = capsys.readouterr().err.strip().splitlines()
    monkeypatch.undo()
    with without_gif():
        main(["train", *shlex.split(line.partition("python -m agents train")[2])])
    words, command = capsys.readouterr().out.rsplit("\n\n", 1)[1].split("\nSee it play: ")
    assert " ".join(words.split()).startswith(
        f"wrote {folder.path}: see {folder.readme} The learned pursuer catches evade in "
    )
    watch = watch_line([str(folder.policy), "pursuit"], ["evade"], "walls")
    assert command == f"{watch}\n"
    rate = line.rpartition("learning_rate=")[2]
    model = parameters(folder.last_model, algo)
    states = [state for name, state in model.items() if name.endswith("optimizer")]
    for state in states[:2]:
        assert state["param_groups"][0]["lr"] <= float(rate.removeprefix("lin_"))
    config = json.loads(folder.config.read_text())
    assert config["hyperparameters"]["learning_rate"] == rate
    assert f"It went on with learning_rate={rate} from step" in folder.readme.read_text()
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--resume", str(folder.path), "--params", "learning_rate=0.1"])
    assert "is trained: its learning_rate cannot change now" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("gamma=0.5", "--resume can change learning_rate only, got 'gamma'"),
        ("learning_rat=0.5", "--resume can change learning_rate only, got 'learning_rat'"),
        ("learning_rate=2", "learning_rate must be finite and above 0 and at most 1"),
    ],
)
def test_a_resumed_run_takes_another_learning_rate_only(params, message, tmp_path, capsys):
    folder = begin_run(short_training(), tmp_path / "run", episodes=5)
    config = folder.config.read_bytes()
    with pytest.raises(SystemExit, match="2"):
        main(["train", "--resume", str(folder.path), "--params", params])
    assert message in capsys.readouterr().err
    assert folder.config.read_bytes() == config


def test_self_play_that_diverges_says_how_to_go_on(tmp_path, poison, monkeypatch):
    training = SelfPlay.training

    def short(plan, side, opponents, **changes):
        quick = {"validations": 1, "validation_episodes": 4, "checkpoint_seconds": 0.0}
        return training(plan, side, opponents, **{**changes, **quick, "params": PARAMS["ppo"]})

    monkeypatch.setattr(SelfPlay, "training", short)
    plan = SelfPlay(generations=2, steps=512, exploiter_steps=0, num_envs=8)
    folder = begin_selfplay(plan, tmp_path / "run", 4)
    poison(poison_a_weight, 300)
    with pytest.raises(Diverged) as stopped:
        finish_selfplay(folder, QUIET)
    message = str(stopped.value)
    assert f"agents train --resume {folder.path}/generation_01/pursuer --params" in message
    assert message.endswith(f"then: python -m agents selfplay --resume {folder.path}")
    assert [path.name for path in folder.path.glob("generation_*/*")] == ["pursuer"]
