"""Frames of a game as arrays, or in a window."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.game.config import GameConfig
from steer_env.rendering.backend import import_pygame
from steer_env.rendering.scene import draw_scene

_TRAIL = 45
"""Steps that a trail goes back."""


class Renderer:
    """Draws a game, frame after frame; remembers the trails.

    Args:
        config: the game.
        render_mode: "rgb_array", which needs no display and opens no window, or "human".
        size: side of the frame, in pixels.
    """

    def __init__(self, config: GameConfig, render_mode: str, size: int = 600) -> None:
        self.config, self.render_mode, self.size = config, render_mode, size
        players = config.pursuers + config.evaders
        self._trails: list[deque[complex]] = [deque(maxlen=_TRAIL) for _ in range(players)]
        self._steps = -1
        self._window: Any = None
        self._clock: Any = None

    def reset(self) -> None:
        """Forgets the trails."""
        for trail in self._trails:
            trail.clear()
        self._steps = -1

    def render(self, record: np.void) -> NDArray[np.uint8] | None:
        """Draws one record of the state.

        Returns:
            (size, size, 3) in mode "rgb_array"; None in mode "human".

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame.
        """
        pygame = import_pygame()
        steps = int(record["game"]["steps"])
        if steps < self._steps:  # another episode has begun
            self.reset()
        if steps != self._steps:
            for trail, player in zip(self._trails, record["players"], strict=True):
                trail.append(complex(player["body"]["position"]))
            self._steps = steps
        frame = draw_scene(record, self.config, self.size, [list(t) for t in self._trails])
        if self.render_mode == "human":
            self._show(frame)
            return None
        pixels = pygame.surfarray.array3d(frame)
        return np.ascontiguousarray(np.transpose(pixels, (1, 0, 2)))

    def _show(self, frame: Any) -> None:
        pygame = import_pygame()
        if self._window is None:
            pygame.display.init()
            self._window = pygame.display.set_mode((self.size, self.size))
            pygame.display.set_caption("steer_env")
            self._clock = pygame.time.Clock()
        pygame.event.pump()  # or the system takes the program for dead
        self._window.blit(frame, (0, 0))
        pygame.display.flip()
        self._clock.tick(1.0 / self.config.dt)

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            import_pygame().display.quit()
            self._window = None
