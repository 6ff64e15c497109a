"""Frames of a game as arrays, or in a window."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import check_choice
from steer_env.game.config import GameConfig
from steer_env.rendering.scene import draw_scene, load_pygame

RENDER_MODES = ("rgb_array", "human")

_TRAIL_SECONDS = 3.0


class Renderer:
    """Draws a game, frame after frame; remembers the trails.

    It holds nothing that the game depends on: drop it instead of pickling or copying it,
    and make a new one.

    Args:
        config: the game.
        render_mode: "rgb_array", which needs no display and opens no window, or "human".
        size: side of the frame, in pixels.

    Attributes:
        window_closed: True once somebody has closed the window; it is not opened again.

    Raises:
        ValueError: if the mode is unknown or the size is below 1.
    """

    def __init__(self, config: GameConfig, render_mode: str, size: int = 600) -> None:
        check_choice("render_mode", render_mode, RENDER_MODES)
        if size < 1:
            raise ValueError(f"size must be at least 1 pixel, got {size!r}")
        self.config, self.render_mode, self.size = config, render_mode, size
        self.window_closed = False
        self._trail: deque[NDArray[np.complex128]] = deque()
        self._trail_steps: deque[int] = deque()  # when each moment of the trail was
        self._episode: int | None = None
        self._window: Any = None
        self._clock: Any = None

    def reset(self) -> None:
        """Forgets the trails. A new episode does so by itself."""
        self._trail.clear()
        self._trail_steps.clear()

    def render(
        self, record: np.void, aims: Sequence[complex | None] = ()
    ) -> NDArray[np.uint8] | None:
        """Draws one record of the state.

        In mode "human" it waits until the step has lasted ``config.dt`` seconds.

        Args:
            record: of dtype `steer_env.game.state.state_dtype`; only read.
            aims: a point for each player, or None, to be marked with a cross.

        Returns:
            (size, size, 3), row by row, in mode "rgb_array"; None in mode "human".

        Raises:
            gymnasium.error.DependencyNotInstalled: without pygame.
        """
        pygame = load_pygame()
        self._remember(record)
        if self.render_mode == "human":
            self._show(pygame, record, aims)
            return None
        frame = pygame.Surface((self.size, self.size), 0, 32)
        draw_scene(frame, record, self.config, trail=self._trail, aims=aims)
        # Several times as fast as pygame.surfarray, whose arrays are column by column.
        flat = np.frombuffer(pygame.image.tobytes(frame, "RGB"), np.uint8)
        return np.array(flat.reshape(self.size, self.size, 3))  # a copy that can be written

    def _remember(self, record: np.void) -> None:
        steps, episode = int(record["game"]["steps"]), int(record["game"]["key"])
        if self._trail_steps:
            last = self._trail_steps[-1]
            if episode != self._episode or steps < last:
                self.reset()
            elif steps == last:  # the same moment drawn again
                return
        self._episode = episode
        self._trail.append(record["players"]["body"]["position"].copy())
        self._trail_steps.append(steps)
        while (steps - self._trail_steps[0]) * self.config.dt > _TRAIL_SECONDS:
            self._trail.popleft()
            self._trail_steps.popleft()

    def _show(self, pygame: Any, record: np.void, aims: Sequence[complex | None]) -> None:
        if self.window_closed:
            return
        if self._window is None or pygame.display.get_surface() is None:  # closed by another
            pygame.display.init()
            self._window = pygame.display.set_mode((self.size, self.size))
            pygame.display.set_caption("steer_env")
            self._clock = pygame.time.Clock()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self.window_closed = True
            return
        draw_scene(self._window, record, self.config, trail=self._trail, aims=aims)
        pygame.display.flip()
        self._clock.tick(1.0 / self.config.dt)

    def close(self) -> None:
        """Closes the window, if there is one. Closing twice is fine."""
        if self._window is not None:
            self._window = self._clock = None
            load_pygame().display.quit()
