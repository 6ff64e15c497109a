"""The games that are watched: in lockstep, forward and back, round after round."""

from __future__ import annotations

import time
from collections.abc import Sequence

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History
from steer_env.episodes.players import NamedPlayer
from steer_env.errors import check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.interface.clock import StepClock
from steer_env.rendering.mosaic import check_panels

STILL_SECONDS = 2.0
"""That the end of a round is shown before the next one begins."""

_PLAYING_SECONDS = 0.01  # of a frame, on the way to a moment: the window goes on to answer


class Session:
    """Every pursuer against every evader from the same starts, all at the same moment.

    Args:
        config: the game.
        pursuers: at least one.
        evaders: at least one.
        games: how many games each pair plays at once, of seeds one after the other.
        seed: of the first one.

    Attributes:
        config: as given.
        games: of each pair, and of all pairs in the order of the pursuers.
        columns: in which they stand best: the starts, or the evaders.
        seed: of the first game of each pair.
        moment: that is looked at, in steps since the start.
        clock: the speed, and whether it is paused.
        keeps_going: whether a round follows on the end of the one before.
        round: counts the rounds, from 1.

    Raises:
        TypeError, ValueError: for a number out of range, more than `MOST_PANELS` games, or a
            policy that was made for another game.
    """

    def __init__(
        self,
        config: GameConfig,
        pursuers: Sequence[NamedPlayer],
        evaders: Sequence[NamedPlayer],
        games: int = 1,
        seed: int = 0,
    ) -> None:
        check_panels(len(pursuers), len(evaders), games)
        self._starts = games
        self._last_seed = LARGEST_SEED - games + 1
        self.config = config
        self.games = [
            History(Duel(config, pursuer.controller, evader.controller, names))
            for pursuer in pursuers
            for evader in evaders
            for names in [(pursuer.name, evader.name)] * games
        ]
        self.columns = games if games > 1 else len(evaders)
        self.clock = StepClock(config.dt)
        self.keeps_going, self.round, self.moment = True, 1, 0
        self._goal: int | None = None  # the moment that is shown as soon as it is played
        self._end_seen: float | None = None  # when the end of the round was first seen
        self._told: set[tuple[int, int]] = set()  # games and seeds whose result was told
        self._start(check_integer("seed", seed, 0, self._last_seed))

    @property
    def is_over(self) -> bool:
        """Whether all games have ended by the moment that is looked at."""
        return all(game.is_over(self.moment) for game in self.games)

    @property
    def seconds(self) -> float:
        """The moment that is looked at, in seconds since the start."""
        return self.moment * self.config.dt

    @property
    def has_many_starts(self) -> bool:
        """Whether each pair plays from several starts."""
        return self._starts > 1

    @property
    def has_many_pairs(self) -> bool:
        """Whether there is more than one pursuer, or evader."""
        return len(self.games) > self._starts

    @property
    def last_moment(self) -> int:
        """The last one that has been played."""
        return max(game.last for game in self.games)

    @property
    def percent_to_goal(self) -> int | None:
        """How much is played of what leads to a moment that is to be shown; else None."""
        goal = self._goal
        if goal is None:
            return None
        steps = sum(goal if game.duel.is_over else min(game.last, goal) for game in self.games)
        return 100 * steps // max(goal * len(self.games), 1)

    def seed_of(self, number: int) -> int:
        """The seed of a game."""
        return self.seed + number % self._starts

    def update(self, now: float) -> bool:
        """Goes on as time passes.

        Args:
            now: seconds of any steady clock.

        Returns:
            Whether the round has been over for long enough that the next one may begin.
        """
        if self._goal is not None:
            self._approach(self._goal)
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
        """A line for each game whose end has been reached since the last call."""
        lines = []
        for number, game in enumerate(self.games):
            key = number, self.seed_of(number)
            if key not in self._told and game.is_over(self.moment):
                self._told.add(key)
                versus = " v ".join(game.duel.names)
                lines.append(f"seed {key[1]}: {versus}: {game.result(self.moment)}")
        return lines

    def step_forward(self) -> None:
        """Pauses, and goes a step on."""
        self._stop_at(self.moment + 1)

    def step_back(self) -> None:
        """Pauses, and goes a step back."""
        self._stop_at(max(self.moment - 1, 0))

    def go_to_start(self) -> None:
        """Pauses at the start."""
        self._stop_at(0)

    def go_to_end(self) -> None:
        """Pauses, and shows the end as soon as `update` has played what leads to it."""
        self.go_to(self.config.horizon)

    def go_to(self, moment: int) -> None:
        """Pauses, and shows a moment as soon as `update` has played what leads to it."""
        self._stop_at(self.moment)
        self._goal = min(max(moment, 0), self.config.horizon)

    def restart(self) -> None:
        """Plays the same starts again."""
        self._start(self.seed)

    def next_round(self) -> None:
        """Goes on to new starts: the seeds that follow, if there are so many."""
        following = self.seed + self._starts
        if following <= self._last_seed:
            self.round += 1
            self._start(following)

    def previous_round(self) -> None:
        """Goes back to the seeds before."""
        self._start(max(self.seed - self._starts, 0))

    def toggle_keeps_going(self) -> None:
        """Lets a round follow on the end of the one before, or not."""
        self.keeps_going = not self.keeps_going

    def close(self) -> None:
        """Ends the games."""
        for game in self.games:
            game.duel.close()

    def _start(self, seed: int) -> None:
        self.seed, self.moment, self._goal = seed, 0, None
        for number, game in enumerate(self.games):
            game.start(self.seed_of(number))
        self.clock.restart()
        self._end_seen = None

    def _stop_at(self, moment: int) -> None:
        self.clock.is_paused, self._end_seen, self._goal = True, None, None
        self._go_to(moment)

    def _approach(self, goal: int) -> None:
        """Plays on for a little while."""
        if not self.clock.is_paused:  # it goes on from where it stands instead
            self._goal = None
            return
        until = time.perf_counter() + _PLAYING_SECONDS
        for game in self.games:
            while game.last < goal and not game.duel.is_over:
                game.step()
                if time.perf_counter() >= until:
                    return
        self._stop_at(min(goal, self.last_moment))

    def _go_to(self, moment: int) -> None:
        for game in self.games:
            game.reach(moment)
        self.moment = min(moment, self.last_moment)
