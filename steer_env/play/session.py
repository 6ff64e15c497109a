"""What happens between a person and the game: title, countdown, round, end, replay.

It knows no window and reads no clock: it is told the time, in seconds of any steady clock, and
asks for the person's push whenever a step is due.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import Enum

from steer_env.episodes.recording import Recording
from steer_env.errors import check_integer
from steer_env.game.engine import LARGEST_SEED
from steer_env.interface.clock import StepClock
from steer_env.play.best_times import BestTime, BestTimes
from steer_env.play.comparison import others
from steer_env.play.lockstep import Lockstep
from steer_env.play.menu import Menu
from steer_env.play.rounds import Round

COUNTS = 3
COUNT_SECONDS = 0.8
END_SECONDS = 3.0  # that an end is shown before the next round begins by itself

_SEEDS = 1_000_000  # drawn seeds are below, so that they are easily noted down


class Phase(Enum):
    """What a person sees."""

    TITLE = "title"
    COUNTDOWN = "countdown"
    ROUND = "round"
    END = "end"
    REPLAY = "replay"


class Session:
    """A person's visit: round after round, until they leave.

    Args:
        menu: what is chosen.
        best_times: that rounds are held against.
        seed: of the first round; the next ones have those after it. None to draw each.
        rounds: so many rounds are played, one after the other, beginning at once; None for as
            many as the person likes, from the title screen on.
        tell: called with a line about each round.

    Attributes:
        menu: as given.
        best_times: as given.
        phase: what is on.
        is_done: whether the person has left, or all rounds are played.
        round: that is played, or was last; None before the first.
        others: what the analytic and the best known player do from its start; empty until
            that is known, which is before the countdown begins.
        is_best: whether the last round was the best ever.
        best_before: the best time before it, if there was one.
        replay: of the last round; None except in the phase REPLAY.
        is_paused: whether what would go on by itself stands still; a replay has a clock of its
            own.

    Raises:
        TypeError, ValueError: for a seed or a number of rounds that is none.
    """

    def __init__(
        self,
        menu: Menu,
        best_times: BestTimes,
        seed: int | None = None,
        rounds: int | None = None,
        tell: Callable[[str], object] = print,
    ) -> None:
        self._next_seed = None if seed is None else check_integer("seed", seed, 0, LARGEST_SEED)
        self._rounds_left = None if rounds is None else check_integer("rounds", rounds, 1)
        self.menu, self.best_times, self._tell = menu, best_times, tell
        self.phase, self.is_done, self.is_paused = Phase.TITLE, False, False
        self.round: Round | None = None
        self.others: tuple[Recording, ...] = ()
        self.is_best = False
        self.best_before: BestTime | None = None
        self.replay: Lockstep | None = None
        self._clock = StepClock(menu.challenge.config.dt)
        self._count_end: float | None = None  # None while nothing is counted
        self._count_left = self._end_until = 0.0

    def begin(self, seed: int | None = None) -> None:
        """Counts down to a round.

        Args:
            seed: of the start; None for a new one.
        """
        if self._rounds_left == 0 and seed is None:  # all the rounds asked for are played
            self.is_done = True
            return
        self.round = Round(self.menu.challenge, self._new_seed() if seed is None else seed)
        self.phase, self.replay, self.is_paused = Phase.COUNTDOWN, None, False
        self.others = ()
        self._count_end, self._count_left = None, COUNTS * COUNT_SECONDS

    def again(self) -> None:
        """Counts down to a round from the last one's start."""
        if self.round is not None:
            self.begin(self.round.seed)

    def advance(self, now: float, push: Callable[[], complex]) -> None:
        """Does what is due.

        Args:
            now: the time.
            push: asked at every step of a round for the direction in the arena in which the
                person pushes, at most 1 long.
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
                if self.round.is_over:
                    self._end_round(self.round, now)
                    break

    def count(self, now: float) -> int:
        """The number to be shown in the countdown, 3 to 1."""
        return min(max(int(self._left(now) / COUNT_SECONDS) + 1, 1), COUNTS)

    def pause(self, now: float) -> None:
        """Stops the countdown or the round, or goes on with it."""
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
        """Lets nothing go on without the person, in any phase.

        A countdown, a round and a replay go on when they are told to; the next of a number of
        rounds no longer begins by itself.
        """
        if self.phase is Phase.REPLAY and self.replay is not None:
            self.replay.hold()
        elif self.phase in (Phase.COUNTDOWN, Phase.ROUND) or self._rounds_left is not None:
            self._count_left, self._count_end = self._left(now), None
            self.is_paused = True

    def show_replay(self) -> None:
        """Shows the last round beside what others do from the same start."""
        if self.round is not None and self.phase is Phase.END:
            self.replay = Lockstep([self.round.history.recording(), *self.others])
            self.phase = Phase.REPLAY

    def back(self, now: float) -> None:
        """From a replay to the end of its round, from there to the title, from there out."""
        if self.phase is Phase.TITLE:
            self.is_done = True
        elif self.phase is Phase.REPLAY:
            self.phase, self.replay = Phase.END, None
            self._end_until = now + END_SECONDS
        else:
            self.phase, self.is_paused = Phase.TITLE, False
            self._rounds_left = None  # who goes to the title chooses when to leave

    def _count_down(self, coming: Round, now: float) -> None:
        """Goes on with the countdown, and begins the round at its end."""
        if not self.others:
            # This can take a while, which is not to be counted: counting begins at the next
            # call, which is told the time anew.
            self.others = others(coming.challenge, coming.seed)
        elif self._count_end is None:
            self._count_end = now + self._count_left
        elif now >= self._count_end:
            self.phase = Phase.ROUND
            self._clock.restart()
            self._clock.due(self._count_end)

    def _left(self, now: float) -> float:
        """How much of the countdown is left, in seconds."""
        return self._count_left if self._count_end is None else self._count_end - now

    def _new_seed(self) -> int:
        if self._next_seed is None:
            return random.SystemRandom().randrange(_SEEDS)
        seed = self._next_seed
        self._next_seed = (seed + 1) % (LARGEST_SEED + 1)
        return seed

    def _end_round(self, played: Round, now: float) -> None:
        self.phase, self._end_until = Phase.END, now + END_SECONDS
        self.best_before = self.best_times.of(played.challenge)
        self.is_best = self.best_times.offer(played)
        if self._rounds_left is not None:
            self._rounds_left = max(self._rounds_left - 1, 0)
        self._tell(self.line_about(played))

    def line_about(self, played: Round) -> str:
        """How a round ended, and how it would have ended for others, in a line."""
        pursuer, evader = played.challenge.names
        best = " (new best)" if self.is_best else ""
        side = played.challenge.side
        rest = "; ".join(f"{other.names[side]}: {other.result}" for other in self.others)
        return f"seed {played.seed}: {pursuer} v {evader}: {played.result}{best}; {rest}"
