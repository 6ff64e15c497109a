"""The games that are watched: side by side, forward and back, round after round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeAlias

from steer_env.episodes.live_game import LiveGame
from steer_env.errors import check_integer
from steer_env.game.config import Game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.player import Player
from steer_env.rendering.mosaic import columns_in_window
from steer_env.sides import Side

SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # multiples of real time
STILL_SECONDS = 2.0  # for which the end of a round is shown
_LONGEST = 0.25  # seconds: after a longer break the rest of it is skipped, not caught up

Sides: TypeAlias = tuple[Sequence[Player], Sequence[Player]]


class StepClock:
    """Counts the steps that are due at times, in seconds of any steady clock."""

    def __init__(self, step_seconds: float) -> None:
        self.speed, self.is_paused = 1.0, False
        self._step_seconds = step_seconds
        self._last: float | None = None
        self._owed = 0.0  # steps

    def due(self, now: float) -> int:
        """Returns the number of steps to take now, from the first call on."""
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

    def change_speed(self, factor: float) -> None:
        """Multiplies the speed, from the lowest to the highest of `SPEEDS`."""
        self.speed = min(max(factor * self.speed, SPEEDS[0]), SPEEDS[-1])


class Screening:
    """Every pursuer against every evader from the same starts, at the same moment.

    Games are played as far as needed; those that end sooner stay at their end. A person's game
    only goes forward. At every step of it ``push`` returns the direction in the arena in which
    the person accelerates, with a length of at most 1. With ``keeps_going`` the next round
    begins by itself. The ``moment`` that is shown is in steps.
    """

    def __init__(self, config: Game, sides: Sides, seed: int = 0) -> None:
        pursuers, evaders = sides
        self.games = [LiveGame(config, *pair) for pair in product(pursuers, evaders)]
        players = self.games[0].players
        self.steered = next((side for side in Side if players[side].is_person), None)
        self.steered_player = config.pursuers if self.steered is Side.EVADER else 0
        self.push: Callable[[], complex] = complex
        self.clock, self.moment = StepClock(config.dt), 0
        self.config = config
        self.columns = columns_in_window(len(pursuers), len(evaders))
        self.keeps_going, self.round = self.steered is None, 1
        self._end_seen: float | None = None  # when the end of the round was first shown
        self._reported: set[tuple[int, int]] = set()  # games and seeds
        self._start(check_integer("seed", seed, 0, LARGEST_SEED))

    @property
    def title(self) -> str:
        """The window's title: the players and, for one game, its seed."""
        names = [{game.names[side]: None for game in self.games} for side in Side]
        count = len(self.games)
        what = f"seed {self.seed}" if count == 1 else f"{count} games"
        return f"{' vs '.join(map(', '.join, names))} - {what} - steer_env"

    @property
    def last_moment(self) -> int:
        """The last moment that has been played."""
        return max(game.last for game in self.games)

    @property
    def is_over(self) -> bool:
        """True if all episodes have ended by the moment that is shown."""
        return all(game.status_at(self.moment).is_over for game in self.games)

    @property
    def is_waiting(self) -> bool:
        """True while a round waits for the person to begin."""
        return self.steered is not None and self.last_moment == 0 and self.clock.is_paused

    def update(self, now: float) -> bool:
        """Goes on as time passes, and returns whether it is time for the next round."""
        steps = self.clock.due(now)
        if steps and not self.is_over:
            self._go_to(self.moment + steps)
        if not self.is_over or self.clock.is_paused:
            self._end_seen = None
            return False
        if self._end_seen is None:
            self._end_seen = now
        return self.keeps_going and now - self._end_seen >= STILL_SECONDS

    def results(self) -> list[str]:
        """Returns a line for each game whose end has been shown since the last call."""
        lines = []
        for number, game in enumerate(self.games):
            key, status = (number, self.seed), game.status_at(self.moment)
            if key not in self._reported and status.is_over:
                self._reported.add(key)
                lines.append(f"seed {self.seed}: {game.recording().outcome}")
        return lines

    def move(self, steps: int) -> None:
        """Pauses, and goes some steps forward, or back if it is negative."""
        self._stop_at(self.moment + steps)

    def go_to(self, moment: int) -> None:
        """Pauses at a moment, or at the last one that a person has played."""
        self._stop_at(moment if self.steered is None else min(moment, self.last_moment))

    def restart(self) -> None:
        """Plays the same starts again."""
        self._start(self.seed)

    def next_round(self) -> None:
        """Goes on to the next seed, up to the last one."""
        if self.seed < LARGEST_SEED:
            self.round += 1
            self._start(self.seed + 1)

    def close(self) -> None:
        """Releases the games' threads."""
        for game in self.games:
            game.close()

    def _start(self, seed: int) -> None:
        self.seed, self.moment = seed, 0
        for game in self.games:
            game.start(seed)
        self.clock.restart()
        self._end_seen = None
        if self.steered is not None:
            self.clock.is_paused = not self.keeps_going
            self._reported.clear()  # a person plays the same start again

    def _stop_at(self, moment: int) -> None:
        self._end_seen = None
        self.clock.is_paused = True
        self._go_to(moment)

    def _go_to(self, moment: int) -> None:
        for game in self.games:
            while game.last < moment and not game.status.is_over:
                self._step(game)
        self.moment = min(max(moment, 0), self.last_moment)

    def _step(self, game: LiveGame) -> None:
        if self.steered is None:
            game.step()
            return
        bodies = game.record_at(game.last)["players"]["body"]
        own = self.push() * complex(bodies["heading"][self.steered_player]).conjugate()
        game.step(*self.steered.ordered((own.real, own.imag), None))
