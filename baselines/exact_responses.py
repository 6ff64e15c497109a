"""The exact best response to one player of a solved game, by dynamic programming."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.response_grids import AT_ONCE, OneDecision, Solution
from steer_env.game.engine import Engine
from steer_env.players.player import Player
from steer_env.sides import Side


class ResponsePlayer(Player):
    """Plays the best response: it knows the fixed player, and sees the state of the game."""

    def __init__(self, name: str, solution: Solution, fixed: Player) -> None:
        super().__init__(name)
        self._solution, self._fixed = solution, fixed

    def changed(self, **attributes: Any) -> Player:
        """A copy with another name."""
        return ResponsePlayer(attributes.get("name", self.name), self._solution, self._fixed)

    def join(self, engine: Engine, side: int) -> Player:
        """A copy that plays its side of an engine's games."""
        joined = self.changed()
        joined._engine, joined._side = engine, side
        size = min(AT_ONCE, self._solution.num_controls * engine.num_games)
        joined._one = OneDecision(engine.config, self._fixed, Side(side).other, size)
        return joined

    def act(
        self, running: NDArray[np.bool_], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """Returns actions, (N, 1, 2) or of the games it is asked about."""
        chosen = running if asked is None else asked
        states = self._engine.get_state()
        actions = np.zeros((len(states), 1, 2), np.float32)
        wanted = chosen & running
        if wanted.any():
            actions[wanted] = self._solution.actions(states[wanted], self._one)
        return actions if asked is None else actions[asked]
