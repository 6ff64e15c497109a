"""Self-play that diverges says how it can go on."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from short_trainings import PARAMS, QUIET

from agents.selfplay.generations import SelfPlay
from agents.selfplay.runs import begin_selfplay, finish_selfplay
from agents.training.divergence import Diverged
from agents.training.learner import TrainingCallback


def poison_a_weight(model, value=np.nan):
    with torch.no_grad():
        next(one for one in model.policy.parameters() if one.dim() == 2)[0, 0] = value


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
    assert message.endswith(f"python -m agents selfplay --resume {folder.path}")
    assert [path.name for path in folder.path.glob("generation_*/*")] == ["pursuer"]
