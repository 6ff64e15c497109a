"""The returns of episodes, watched for reward terms that outweigh a capture."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import Game
from steer_env.game.run.runner import Outcome
from steer_env.sides import PURSUER, Side


class Returns:
    """Adds up the rewards of episodes, and warns once if a learner's terms outweigh a capture.

    They do where the mean return of 20 episodes is further than a capture from what the game's
    own can be.
    """

    def __init__(self, config: Game, side: Side, num_games: int) -> None:
        reward = config.reward
        self._capture = reward.capture
        ends = -reward.time - reward.closing, reward.capture + reward.closing
        self._low, self._high = ends if side is PURSUER else (-ends[1], -ends[0])
        self._sums = np.zeros(num_games)
        self._ended: list[float] = []
        is_known = config.target is None and not config.has_rule("reward")
        self.are_watched = bool(reward.terms) and is_known and reward.capture > 0.0

    def forget(self, mask: NDArray[np.bool_]) -> None:
        """Drops the episodes that run in the games of a mask (N,)."""
        self._sums[mask] = 0.0

    def add(self, step: Outcome) -> None:
        """Adds the rewards of a step of all games."""
        self._sums += step.rewards
        over = step.terminated | step.truncated
        if not over.any():
            return
        self._ended += self._sums[over].tolist()
        self._sums[over] = 0.0
        self.are_watched = len(self._ended) < 20
        mean = float(np.mean(self._ended))
        beyond = max(mean - self._high, self._low - mean)
        if not self.are_watched and beyond > self._capture:
            gym.logger.warn(
                f"the reward terms outweigh a capture, which counts {self._capture:g}: the "
                f"first {len(self._ended)} episodes return {mean:.2f} on average, and without "
                f"the terms a return is from {self._low:g} to {self._high:g}. The learner may "
                "care for the terms alone; lower their weights if that is not meant."
            )
