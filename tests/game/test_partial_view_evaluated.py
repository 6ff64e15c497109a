"""Observations with limits of sight, and of the nearest only."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines import FunctionPolicy, evaluate
from steer_env.game.config import game_config

pytestmark = pytest.mark.weekly

# ---- Without limits, and together with all else ---------------------------------------------


# ---- Configurations --------------------------------------------------------------------------


# ---- Evaluations -----------------------------------------------------------------------------


def test_a_policy_is_evaluated_with_the_sight_that_it_learns_with():
    """A policy that sees nothing coasts, and catches nobody."""

    def chase(observations):
        return np.where(observations[:, 10:11] > 0.5, observations[:, 11:13] * 10.0, 0.0)

    blind, seeing = game_config(observation={"range": 0.1}), game_config()
    policy = FunctionPolicy(chase)
    assert evaluate(policy, "idle", seeing, 20).capture_rate.estimate > 0.9
    found = evaluate(policy, "idle", blind, 20)
    assert found.config == blind
    assert found.capture_rate.estimate == 0.0
    assert evaluate(policy, "idle", blind, 20, learner="pursuer").capture_rate.estimate == 0.0
    # Of two policies, the learner alone is limited; a script never is by itself.
    still = FunctionPolicy(lambda observations: np.zeros((len(observations), 2)))
    assert evaluate(policy, still, blind, 20, learner="evader").capture_rate.estimate > 0.9
    assert evaluate("seek", "idle", blind, 20).capture_rate.estimate > 0.9
