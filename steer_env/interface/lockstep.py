"""Episodes side by side at the same moment, forward and back in time."""

from __future__ import annotations

from collections.abc import Sequence

from steer_env.episodes.history import History
from steer_env.interface.clock import StepClock


class Lockstep:
    """Shows several episodes at the same moment; those that end sooner stay at their end.

    Args:
        games: episodes of the same game, at least one; they are played as far as needed.

    Attributes:
        games: as given.
        moment: the moment that is shown, in steps since the start.
        clock: the speed, and whether time stands still.
    """

    def __init__(self, games: Sequence[History]) -> None:
        self.games = list(games)
        self.clock = StepClock(games[0].config.dt)
        self.moment = 0

    @property
    def last_moment(self) -> int:
        """The last moment that has been played."""
        return max(game.last for game in self.games)

    @property
    def seconds(self) -> float:
        """Time of the moment that is shown, in seconds since the start."""
        return self.moment * self.games[0].config.dt

    @property
    def is_over(self) -> bool:
        """Whether all episodes have ended by the moment that is shown."""
        return all(game.status(self.moment).is_over for game in self.games)

    def advance(self, now: float) -> None:
        """Goes on as time passes; now is in seconds of any steady clock."""
        steps = self.clock.due(now)
        if steps and not self.is_over:
            self._go_to(self.moment + steps)

    def pause(self) -> None:
        """Pauses or goes on; starts again at the end."""
        if self.is_over:
            self._go_to(0)
            self.clock.restart()
            self.clock.is_paused = False
        else:
            self.clock.pause()

    def step_forward(self) -> None:
        """Pauses, and goes one step forward."""
        self._stop_at(self.moment + 1)

    def step_back(self) -> None:
        """Pauses, and goes one step back."""
        self._stop_at(self.moment - 1)

    def go_to_start(self) -> None:
        """Pauses at the start."""
        self._stop_at(0)

    def go_to_end(self) -> None:
        """Pauses at the end of the longest episode."""
        self._stop_at(self.games[0].config.horizon)

    def _stop_at(self, moment: int) -> None:
        self.clock.is_paused = True
        self._go_to(moment)

    def _go_to(self, moment: int) -> None:
        for game in self.games:
            game.reach(moment)
        self.moment = min(max(moment, 0), self.last_moment)
