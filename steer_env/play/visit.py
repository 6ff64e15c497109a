"""A person's visit to the game: title, best times, countdown, round, end, replay.

It needs neither a window nor a clock: calls give the time, in seconds of any steady clock, and
the person's push when a step is due.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from steer_env.episodes.history import History
from steer_env.errors import UsageError, check_integer
from steer_env.game.engine import LARGEST_SEED
from steer_env.interface.clock import StepClock
from steer_env.interface.lockstep import Lockstep
from steer_env.play.best_times import BestTime, BestTimes
from steer_env.play.conclusion import best_text, conclude
from steer_env.play.levels import Level
from steer_env.play.menu import Menu
from steer_env.play.rounds import Round, others, rivals
from steer_env.play.saved_rounds import save_round
from steer_env.sides import Side

COUNTS = 3
COUNT_SECONDS = 0.8
END_SECONDS = 3.0  # how long an end is shown before the next round begins by itself
LISTED = 5
"""How many best times are listed of each level."""

_SEEDS = 1_000_000  # random seeds are below this, so that they are easy to write down


class Phase(Enum):
    """What the person sees."""

    TITLE = "title"
    TIMES = "best times"
    COUNTDOWN = "countdown"
    ROUND = "round"
    END = "end"
    REPLAY = "replay"


class Visit:
    """A person's visit: round after round, until they leave.

    Args:
        menu: the choices.
        best_times: the best times so far.
        seed: seed of the first round; the next ones count up. None for random seeds.
        rounds: number of rounds, which begin at once and one after the other; None to begin at
            the title screen, and go on until the person leaves.
        report: called with a line about each round.
        folder: where every round is written; None for nowhere.

    Attributes:
        menu: as given.
        best_times: as given.
        phase: what the person sees.
        next_seed: seed of the next new start; None for a random one.
        is_done: whether the person has left, or all rounds are played.
        round: the current or last round; None before the first.
        others: the episodes of `rounds.others` from its start; empty until they are played,
            before the countdown begins.
        ended: when the last round has ended; None before that.
        is_best: whether the last round was the best ever.
        best_before: the best time before it, if any.
        start_before: the best time before it from the same start, if any.
        times: by level, the best times that are listed in the phase TIMES.
        replay: the last round beside others; None except in the phase REPLAY.
        is_paused: whether the countdown, the round or the series of rounds is paused; a replay
            has a clock of its own.

    Raises:
        UsageError: for an invalid seed or number of rounds.
    """

    def __init__(
        self,
        menu: Menu,
        best_times: BestTimes,
        seed: int | None = None,
        rounds: int | None = None,
        report: Callable[[str], object] = print,
        folder: Path | None = None,
    ) -> None:
        self.next_seed = None if seed is None else check_integer("seed", seed, 0, LARGEST_SEED)
        self._rounds_left = None if rounds is None else check_integer("rounds", rounds, 1)
        self.menu, self.best_times, self._report = menu, best_times, report
        self._folder = folder
        self._kept: Round | None = None  # the last round that has been written
        self.phase, self.is_done, self.is_paused = Phase.TITLE, False, False
        self.round: Round | None = None
        self.others: tuple[History, ...] = ()
        self.ended: float | None = None
        self.is_best = False
        self.best_before: BestTime | None = None
        self.start_before: BestTime | None = None
        self.times: tuple[tuple[Level, list[BestTime]], ...] = ()
        self.replay: Lockstep | None = None
        self._clock = StepClock(menu.challenge.config.dt)
        self._count_end: float | None = None  # None while the countdown stands still
        self._count_left = self._end_until = 0.0

    def begin(self, seed: int | None = None) -> None:
        """Begins the countdown to a round; None for the seed of a new start."""
        if self._rounds_left == 0 and seed is None:  # all rounds are played
            self.is_done = True
            return
        self.keep_round()
        self.round = Round(self.menu.challenge, self._new_seed() if seed is None else seed)
        self.phase, self.replay, self.is_paused = Phase.COUNTDOWN, None, False
        self.others = ()
        self._count_end, self._count_left = None, COUNTS * COUNT_SECONDS

    def again(self) -> None:
        """Begins the countdown to a round from the last one's start."""
        if self.round is not None:
            self.begin(self.round.seed)

    def write_seed(self, digit: str) -> None:
        """Adds a digit to the seed of the next start, or takes the last one away for ""."""
        digits = "" if self.next_seed is None else str(self.next_seed)
        digits = digits + digit if digit else digits[:-1]
        if not digits:
            self.next_seed = None
        elif int(digits) <= LARGEST_SEED:
            self.next_seed = int(digits)

    def draw_seed(self, is_fixed: bool) -> None:
        """Draws a seed for the next start now, for the person to see; or later, each time."""
        self.next_seed = _drawn_seed() if is_fixed else None

    def choose_side(self, side: Side) -> None:
        """Chooses the person's side."""
        if side is not self.menu.side:
            self.menu.other_side()
        if self.phase is Phase.TIMES:
            self.show_times()

    def show_times(self) -> None:
        """Lists the best times of each level of the chosen side."""
        self.times = tuple(
            (level, self.best_times.ranked(self.menu.challenge_at(level), LISTED))
            for level in self.menu.levels
        )
        self.phase = Phase.TIMES

    def play_start(self, level: Level, seed: int) -> None:
        """Begins a round of a level from a start."""
        self.menu.choose(self.menu.side, level)
        self.begin(seed)

    def advance(self, now: float, push: Callable[[], complex]) -> None:
        """Goes on as time passes.

        Args:
            now: the time.
            push: called at every step of a round; returns the direction in the arena in which
                the person pushes, with a length of at most 1.
        """
        if self.phase is Phase.REPLAY and self.replay is not None:
            self.replay.advance(now)
        if self.phase is Phase.REPLAY or self.is_paused:
            return
        if self._rounds_left is not None and (
            self.phase is Phase.TITLE or (self.phase is Phase.END and now >= self._end_until)
        ):
            self.begin()
        if self.phase is Phase.COUNTDOWN and self.round is not None:
            self._count_down(self.round, now)
        if self.phase is Phase.ROUND and self.round is not None:
            for _ in range(self._clock.due(now)):
                self.round.push(push())
                if self.round.duel.status.is_over:
                    self._end_round(self.round, now)
                    break

    def count(self, now: float) -> int:
        """Returns the number to show in the countdown, 3 to 1."""
        return min(max(int(self._left(now) / COUNT_SECONDS) + 1, 1), COUNTS)

    def pause(self, now: float) -> None:
        """Pauses the countdown or the round, or goes on with it."""
        if self.phase not in (Phase.COUNTDOWN, Phase.ROUND):
            return
        if not self.is_paused:
            self.hold(now)
            return
        self.is_paused = False
        self._count_end = now + self._count_left if self.others else None
        self._clock.restart()
        self._clock.due(now)

    def hold(self, now: float) -> None:
        """Pauses in any phase, until the person goes on.

        The next of a series of rounds then does not begin by itself.
        """
        if self.phase is Phase.REPLAY and self.replay is not None:
            self.replay.clock.is_paused = True
        elif self.phase in (Phase.COUNTDOWN, Phase.ROUND) or self._rounds_left is not None:
            self._count_left, self._count_end = self._left(now), None
            self.is_paused = True

    def show_replay(self) -> None:
        """Shows the last round beside the others."""
        if self.round is not None and self.phase is Phase.END:
            self.replay = Lockstep([self.round.history, *self.others])
            self.phase = Phase.REPLAY

    def keep_round(self) -> None:
        """Writes the round as far as it has been played, once, if there is a folder for it."""
        played = self.round
        if self._folder is None or played is None or played.history.last == 0:
            return
        if played is self._kept:
            return
        self._kept = played
        try:
            path = save_round(self._folder, played.history.recording())
        except (OSError, UsageError) as error:  # no reason to end the game
            self._report(f"the round could not be saved: {error}")
        else:
            self._report(f"wrote {path}")

    def back(self, now: float) -> None:
        """Goes from a replay to its round's end, from elsewhere to the title, and leaves it."""
        if self.phase is Phase.TITLE:
            self.is_done = True
        elif self.phase is Phase.REPLAY:
            self.phase, self.replay = Phase.END, None
            self._end_until = now + END_SECONDS
        else:
            self.phase, self.is_paused = Phase.TITLE, False
            self._rounds_left = None  # the person chooses when to leave

    def _count_down(self, coming: Round, now: float) -> None:
        """Goes on with the countdown, and begins the round at its end."""
        if not self.others:
            # This can take a while, so the countdown begins at the next call.
            self.others = others(coming.challenge, coming.seed)
        elif self._count_end is None:
            self._count_end = now + self._count_left
        elif now >= self._count_end:
            self.phase = Phase.ROUND
            self._clock.restart()
            self._clock.due(self._count_end)

    def _left(self, now: float) -> float:
        """Returns the rest of the countdown, in seconds."""
        return self._count_left if self._count_end is None else self._count_end - now

    def _new_seed(self) -> int:
        if self.next_seed is None:
            return _drawn_seed()
        seed = self.next_seed
        self.next_seed = (seed + 1) % (LARGEST_SEED + 1)
        return seed

    def _end_round(self, played: Round, now: float) -> None:
        self.phase, self.ended, self._end_until = Phase.END, now, now + END_SECONDS
        self.best_before = self.best_times.of(played.challenge)
        self.start_before = self.best_times.of(played.challenge, played.seed)
        self.is_best = self.best_times.offer(played)
        if self._rounds_left is not None:
            self._rounds_left = max(self._rounds_left - 1, 0)
        names = " v ".join(played.challenge.names)
        sentence = conclude(played, rivals(played.challenge), self.others)
        best = best_text(played, self.best_before, self.start_before)
        self._report(f"seed {played.seed}: {names}: {sentence} {best}".rstrip())
        self.keep_round()


def _drawn_seed() -> int:
    return random.SystemRandom().randrange(_SEEDS)
