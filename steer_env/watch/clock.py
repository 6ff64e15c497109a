"""Real time: how many steps of a game are due, at any speed."""

from __future__ import annotations

SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Speeds at which a game can be shown, as multiples of real time."""

FRAMES_PER_SECOND = 60
"""How often windows look for events, and draw changes."""

_LONGEST = 0.25  # seconds: after a longer break the rest of it is skipped, not caught up


class StepClock:
    """Counts the steps that are due since the last call.

    It reads no clock: every call is given the time, in seconds of any steady clock.

    Args:
        step_seconds: length of a step, in seconds of the game.

    Attributes:
        speed: multiple of real time, one of `SPEEDS`.
        is_paused: whether time stands still.
    """

    def __init__(self, step_seconds: float) -> None:
        self.speed, self.is_paused = 1.0, False
        self._step_seconds = step_seconds
        self._last: float | None = None
        self._owed = 0.0  # steps

    def due(self, now: float) -> int:
        """Returns the number of steps to take now; the first call starts the clock."""
        passed = 0.0 if self._last is None else min(max(now - self._last, 0.0), _LONGEST)
        self._last = now
        if self.is_paused:
            self._owed = 0.0
            return 0
        self._owed += passed * self.speed / self._step_seconds
        whole = int(self._owed + 1e-6)  # a step short only by rounding counts
        self._owed -= whole
        return whole

    def restart(self) -> None:
        """Forgets the time that has passed, as at the start of an episode."""
        self._last, self._owed = None, 0.0

    def pause(self) -> None:
        """Pauses, or goes on."""
        self.is_paused = not self.is_paused

    def faster(self) -> None:
        """Doubles the speed, up to the highest."""
        self.speed = SPEEDS[min(SPEEDS.index(self.speed) + 1, len(SPEEDS) - 1)]

    def slower(self) -> None:
        """Halves the speed, down to the lowest."""
        self.speed = SPEEDS[max(SPEEDS.index(self.speed) - 1, 0)]


def speed_text(speed: float) -> str:
    """Formats a speed: "4x", "1/8x"."""
    return f"{speed:g}x" if speed >= 1.0 else f"1/{1.0 / speed:g}x"
