"""Observations with limits of sight, and of the nearest only."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

from baselines import FunctionPolicy, evaluate
from steer_env.game.config import game_config
from steer_env.game.features import OBSTACLE_SIZE, OTHER_SIZE, OWN_SIZE
from steer_env.sides import PURSUER


def make(env_id="Pursuit-v0", **keywords):
    return gym.make(env_id, **keywords).unwrapped


def blocks(engine, side=PURSUER, player=0):
    """The blocks of a player's observation: of others, and of obstacles."""
    seen = engine.observe(side)[0, player]
    nearest = engine.config.observation.nearest
    others = engine.num_players - 1 if nearest is None else 2 * nearest
    end = OWN_SIZE + others * OTHER_SIZE
    return seen[OWN_SIZE:end].reshape(-1, OTHER_SIZE), seen[end:].reshape(-1, OBSTACLE_SIZE)


# ---- Without limits, and together with all else ---------------------------------------------


# ---- Configurations --------------------------------------------------------------------------


# ---- Evaluations -----------------------------------------------------------------------------


def test_a_policy_is_evaluated_with_the_sight_that_it_learns_with():
    """A policy that sees nothing coasts, and catches nobody."""

    def chase(observations):
        return np.where(observations[:, 10:11] > 0.5, observations[:, 11:13] * 10.0, 0.0)

    blind, seeing = game_config(observation={"range": 0.1}), game_config()
    policy = FunctionPolicy(chase)
    assert evaluate(policy, "rest", seeing, 20).capture_rate.estimate > 0.9
    found = evaluate(policy, "rest", blind, 20)
    assert found.config == blind
    assert found.capture_rate.estimate == 0.0
    assert evaluate(policy, "rest", blind, 20, learner="pursuer").capture_rate.estimate == 0.0
    # Of two policies, the learner alone is limited; a script never is by itself.
    still = FunctionPolicy(lambda observations: np.zeros((len(observations), 2)))
    assert evaluate(policy, still, blind, 20, learner="evader").capture_rate.estimate > 0.9
    assert evaluate("seek", "rest", blind, 20).capture_rate.estimate > 0.9
