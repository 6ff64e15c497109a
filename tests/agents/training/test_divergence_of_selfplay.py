"""Self-play that diverges says how it can go on."""

from __future__ import annotations

import pytest
from short_trainings import PARAMS, QUIET, short_plan
from test_learning_model import poison, poison_a_weight  # noqa: F401

from steer_env.agents.selfplay.generations import SelfPlay
from steer_env.agents.selfplay.selfplay import begin_selfplay, finish_selfplay
from steer_env.agents.training.learning_model import Diverged

pytestmark = pytest.mark.weekly


def test_self_play_that_diverges_says_how_to_go_on(tmp_path, poison, monkeypatch):
    training = SelfPlay.training

    def short(plan, side, opponents, **changes):
        quick = {"validations": 1, "validation_episodes": 4, "checkpoint_seconds": 0.0}
        return training(plan, side, opponents, **{**changes, **quick, "params": PARAMS["ppo"]})

    monkeypatch.setattr(SelfPlay, "training", short)
    folder = begin_selfplay(short_plan(), tmp_path / "run", 4)
    poison(poison_a_weight, 300)
    with pytest.raises(Diverged) as stopped:
        finish_selfplay(folder, QUIET)
    message = str(stopped.value)
    assert f"steer-env train --resume {folder.path}/generation_01/pursuer --params" in message
    assert message.endswith(f"steer-env selfplay --resume {folder.path}")
    assert [path.name for path in folder.path.glob("generation_*/*")] == ["pursuer"]
