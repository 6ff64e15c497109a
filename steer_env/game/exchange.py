"""What goes into a step of an engine, and what comes out of it: arrays, and their checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue


class Outcome(NamedTuple):
    """What one side gets of a step of N games; every array is C-contiguous."""

    observations: NDArray[np.float32]  # (N, players of the side, features)
    rewards: NDArray[np.float64]  # (N,)
    terminated: NDArray[np.bool_]  # (N,)
    truncated: NDArray[np.bool_]  # (N,)


class Actions:
    """The shapes that both sides' actions have.

    Args:
        num_games: N.
        team_sizes: of both sides.
        is_steered: for each side whether some of its players are steered from outside.

    Attributes:
        none: for each side the actions of one that scripts steer, (0, players of the side, 2).
    """

    def __init__(
        self, num_games: int, team_sizes: Sequence[int], is_steered: Sequence[bool]
    ) -> None:
        self.none = [np.zeros((0, size, 2), np.float32) for size in team_sizes]
        # A side that only scripts steer needs no actions.
        self._shapes = [
            [(rows, size, 2) for rows in ((num_games,) if steered else (num_games, 0))]
            for size, steered in zip(team_sizes, is_steered, strict=True)
        ]

    def check(self, *actions: NDArray[np.float32]) -> None:
        """Raises an InvalidValue for actions not laid out as a step takes them."""
        for side, given in enumerate(actions):
            # Compiled code trusts them: a wrong shape would read other memory.
            if given is self.none[side]:
                continue
            shapes = self._shapes[side]
            if given.shape not in shapes or given.dtype != np.float32:
                raise InvalidValue(
                    f"actions of this side must be float32 with shape {shapes[0]}, "
                    f"got {given.dtype} {given.shape}"
                )
            if not given.flags.carray:
                raise InvalidValue("actions must be C-contiguous and writable: see np.require")


def check_finite(game: int, actions: Sequence[NDArray[np.float32]]) -> None:
    """Raises an InvalidValue if an action in a game is nan or infinite."""
    for given in actions:
        if game < len(given) and not np.isfinite(given[game]).all():
            raise InvalidValue(
                f"the action of game {game} is not finite: {given[game].tolist()}; "
                "actions are numbers from -1 to 1"
            )
