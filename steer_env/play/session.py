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
from steer_env.play.menu import Menu
from steer_env.play.replay import Replay
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
        others: what the analytic and the best known player do from its start.
        is_best: whether the last round was the best ever.
        best_before: the best time before it, if there was one.
        replay: of the last round; None except in the phase REPLAY.
        is_paused: whether the round stands still.

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
        self.replay: Replay | None = None
        self._clock = StepClock(menu.challenge.config.dt)
        self._count_end = self._end_until = self._left = 0.0

    def begin(self, now: float, seed: int | None = None) -> None:
        """Counts down to a round.

        Args:
            now: the time.
            seed: of the start; None for a new one.
        """
        if self._rounds_left == 0 and seed is None:  # all the rounds asked for are played
            self.is_done = True
            return
        self.round = Round(self.menu.challenge, self._new_seed() if seed is None else seed)
        # What others do does not depend on the person; the countdown hides the time it takes.
        self.others = others(self.round.challenge, self.round.seed)
        self.phase, self.replay, self.is_paused = Phase.COUNTDOWN, None, False
        self._count_end = now + COUNTS * COUNT_SECONDS
        self._left = self._count_end - now

    def again(self, now: float) -> None:
        """Counts down to a round from the last one's start."""
        if self.round is not None:
            self.begin(now, self.round.seed)

    def advance(self, now: float, push: Callable[[], complex]) -> None:
        """Does what is due.

        Args:
            now: the time.
            push: asked at every step of a round for the direction in the arena in which the
                person pushes, at most 1 long.
        """
        if self.phase is Phase.TITLE and self._rounds_left is not None:
            self.begin(now)
        if self.phase is Phase.COUNTDOWN and not self.is_paused and now >= self._count_end:
            self.phase = Phase.ROUND
            self._clock.restart()
            self._clock.due(self._count_end)
        if self.phase is Phase.ROUND and self.round is not None and not self.is_paused:
            for _ in range(self._clock.due(now)):
                self.round.push(push())
                if self.round.is_over:
                    self._end_round(self.round, now)
                    break
        elif (
            self.phase is Phase.END and self._rounds_left is not None and now >= self._end_until
        ):
            self.begin(now)
        elif self.phase is Phase.REPLAY and self.replay is not None:
            self.replay.advance(now)

    def count(self, now: float) -> int:
        """The number to be shown in the countdown, 3 to 1."""
        left = self._left if self.is_paused else self._count_end - now
        return min(max(int(left / COUNT_SECONDS) + 1, 1), COUNTS)

    def pause(self, now: float) -> None:
        """Stops the countdown or the round, or goes on with it."""
        if self.phase not in (Phase.COUNTDOWN, Phase.ROUND):
            return
        self.is_paused = not self.is_paused
        if self.is_paused:
            self._left = self._count_end - now
        else:
            self._count_end = now + self._left
            self._clock.restart()
            self._clock.due(now)

    def show_replay(self) -> None:
        """Shows the last round beside what others do from the same start."""
        if self.round is not None and self.phase is Phase.END:
            self.replay = Replay([self.round.recording(), *self.others])
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
