"""Recordings side by side, in lockstep."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.episodes.recording import Recording
from steer_env.interface.clock import StepClock


class Lockstep:
    """Goes through some recordings moment by moment; those that end sooner stay at their end.

    Args:
        recordings: of the same start, at least one.

    Attributes:
        recordings: as given.
        clock: its speed and whether it is paused.
        moment: that is shown, from 0 to `last`.
    """

    def __init__(self, recordings: Sequence[Recording]) -> None:
        self.recordings = tuple(recordings)
        self.clock = StepClock(recordings[0].config.dt)
        self.moment = 0

    @property
    def last(self) -> int:
        """The last moment of the longest recording."""
        return max(len(recording.states) for recording in self.recordings) - 1

    @property
    def seconds(self) -> float:
        """Since the start."""
        return self.moment * self.recordings[0].config.dt

    def moment_of(self, recording: Recording) -> int:
        """Which of its moments is shown."""
        return min(self.moment, len(recording.states) - 1)

    def is_over(self, recording: Recording) -> bool:
        """Whether its end is shown."""
        return self.moment >= len(recording.states) - 1

    def advance(self, now: float) -> None:
        """Goes on with time, in seconds of a steady clock."""
        self.moment = min(self.moment + self.clock.due(now), self.last)

    def pause(self) -> None:
        """Pauses or goes on; at the end, begins anew."""
        if self.moment == self.last:
            self.moment, self.clock.is_paused = 0, False
            self.clock.restart()
        else:
            self.clock.pause()

    def hold(self) -> None:
        """Pauses."""
        self.clock.is_paused = True

    def forward(self) -> None:
        """Pauses, and goes one moment forward."""
        self.hold()
        self.moment = min(self.moment + 1, self.last)

    def backward(self) -> None:
        """Pauses, and goes one moment back."""
        self.hold()
        self.moment = max(self.moment - 1, 0)

    def to_start(self) -> None:
        """Pauses, and goes back to the start."""
        self.hold()
        self.moment = 0

    def to_end(self) -> None:
        """Pauses, and goes to where the longest one ends."""
        self.hold()
        self.moment = self.last

    def faster(self) -> None:
        """Doubles the speed."""
        self.clock.faster()

    def slower(self) -> None:
        """Halves the speed."""
        self.clock.slower()
