"""The opponents of learners, and how often each plays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidType, InvalidValue, check_number, got
from steer_env.policies.mixture import MixturePolicy
from steer_env.policies.network import NetworkPolicy
from steer_env.policies.players import Player
from steer_env.policies.policy_player import Controller, PolicyPlayer
from steer_env.scripts.script import Script

Weights: TypeAlias = Sequence[float] | NDArray[Any] | None


class Opponent(NamedTuple):
    """One opponent: a script, or a policy that is asked."""

    player: Player  # as the caller passed it
    name: str  # in pictures
    plays: Script | PolicyPlayer

    @property
    def script(self) -> Script | None:
        """The script, or None for a policy."""
        return self.plays if isinstance(self.plays, Script) else None

    @property
    def controller(self) -> Controller:
        """The script or policy."""
        return self.plays if isinstance(self.plays, Script) else self.plays.policy

    def is_like(self, other: Opponent) -> bool:
        """True if the other plays in the same way: an equal script, or the same policy."""
        ours, theirs = self.controller, other.controller
        if ours is theirs:
            return True
        if isinstance(ours, Script):
            return ours == theirs
        if not isinstance(self.player, str | Path):
            return self.player is other.player
        if isinstance(ours, NetworkPolicy | MixturePolicy) and self.player == other.player:
            return ours.is_equal(theirs)  # its file may be another now
        return self.player == other.player


def normalized_weights(weights: Weights, opponents: int) -> NDArray[np.float64]:
    """Returns the probability of each opponent in a mixture, (opponents,).

    Args:
        weights: the `opponent_weights` keyword: a number for each opponent, 0 for never; None
            for equal chances.
        opponents: their number.

    Raises:
        InvalidType: if it is not a sequence of numbers.
        InvalidValue: for another length, a negative, nan or infinite weight, or only zeros.
    """
    if weights is None:
        weights = [1.0] * opponents
    is_array = isinstance(weights, np.ndarray) and weights.ndim == 1
    if isinstance(weights, str) or not (is_array or isinstance(weights, Sequence)):
        raise InvalidType(f"opponent_weights must be a sequence of numbers, {got(weights)}")
    if len(weights) != opponents:
        raise InvalidValue(
            f"opponent_weights must have one weight for each of {opponents}, got {len(weights)}"
        )
    checked = [
        check_number(f"opponent_weights[{place}]", weight, 0.0)
        for place, weight in enumerate(weights)
    ]
    if max(checked) == 0.0:
        raise InvalidValue("opponent_weights must not all be 0")
    # By the largest first, since the sum of large weights may be infinite.
    shares = np.array(checked) / max(checked)
    return shares / shares.sum()
