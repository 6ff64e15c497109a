"""The games that are watched: side by side, forward and back, round after round."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History
from steer_env.errors import check_integer
from steer_env.game.config import GameConfig
from steer_env.game.engine import LARGEST_SEED
from steer_env.interface.lockstep import Lockstep
from steer_env.players import NamedPlayer
from steer_env.rendering.mosaic import check_panels
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

STILL_SECONDS = 2.0
"""How long the end of a round is shown before the next one begins."""

_PLAYING_SECONDS = 0.01  # of each frame on the way to a later moment, so that keys still work


def short_names(names: Iterable[str]) -> list[str]:
    """Names without the folders before them, such as "ppo" for "pretrained/pursuit/ppo".

    Scripts keep their whole names, and so do all that would be alike.
    """
    names = list(names)
    short = [name if name in ROSTER else name.rsplit("/", 1)[-1] for name in names]
    return [last if short.count(last) == 1 else name for name, last in zip(names, short)]


class Screening(Lockstep):
    """Every pursuer against every evader from the same starts, played as far as needed.

    Args:
        config: the game.
        pursuers: at least one player.
        evaders: at least one player.
        games: number of games that each pair plays at once, with consecutive seeds.
        seed: seed of the first one.

    Attributes:
        config: as given.
        games: the games of each pair, pair by pair in the order of the pursuers.
        columns: number of columns in which the games are best shown.
        seed: seed of the first game of each pair.
        keeps_going: whether the next round begins at the end of a round.
        round: number of the round, from 1.

    Raises:
        UsageError: for a number out of range, more than `MOST_PANELS` games, or a policy that
            was made for another game.
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
        super().__init__(
            [
                History(Duel(config, pursuer.controller, evader.controller, names))
                for pursuer in pursuers
                for evader in evaders
                for names in [(pursuer.name, evader.name)] * games
            ]
        )
        self._starts = games
        self._last_seed = LARGEST_SEED - games + 1
        self.config = config
        self.columns = games if games > 1 else len(evaders)
        self.keeps_going, self.round = True, 1
        self._goal: int | None = None  # a moment to show as soon as it is played
        self._end_seen: float | None = None  # when the end of the round was first shown
        self._reported: set[tuple[int, int]] = set()  # games and seeds
        self._start(check_integer("seed", seed, 0, self._last_seed))

    @property
    def has_many_starts(self) -> bool:
        """Whether each pair plays from several starts."""
        return self._starts > 1

    @property
    def has_many_pairs(self) -> bool:
        """Whether there are several pursuers or evaders to tell apart."""
        return len(self.games) > self._starts

    @property
    def title(self) -> str:
        """The players and, for one game, its seed: the window's title."""
        first, second = (
            ", ".join(short_names(dict.fromkeys(game.names[side] for game in self.games)))
            for side in Side
        )
        count = len(self.games)
        what = f"seed {self.seed}" if count == 1 else f"{count} games"
        return f"{first} v {second} - {what} - steer_env"

    @property
    def table(self) -> tuple[int, int] | None:
        """Numbers of rows and columns if the games are a table, row by row.

        Rows are pairs and columns seeds; with one seed, rows are pursuers and columns evaders.
        None if there is one row or one column only.
        """
        pairs = len(self.games) // self._starts
        if self.has_many_starts:
            return (pairs, self._starts) if pairs > 1 else None
        evaders = self.columns
        return (pairs // evaders, evaders) if 1 < evaders < pairs else None

    @property
    def percent_to_goal(self) -> int | None:
        """Progress on the way to a later moment; None if there is no such goal."""
        goal = self._goal
        if goal is None:
            return None
        steps = sum(
            goal if game.duel.status.is_over else min(game.last, goal) for game in self.games
        )
        return 100 * steps // max(goal * len(self.games), 1)

    def seed_of(self, number: int) -> int:
        """Returns the seed of a game."""
        return self.seed + number % self._starts

    def update(self, now: float) -> bool:
        """Goes on as time passes.

        Args:
            now: seconds of any steady clock.

        Returns:
            Whether it is time for the next round.
        """
        if self._goal is not None:
            self._approach(self._goal)
        self.advance(now)
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
            key, status = (number, self.seed_of(number)), game.status(self.moment)
            if key not in self._reported and status.is_over:
                self._reported.add(key)
                versus = " v ".join(game.names)
                lines.append(f"seed {key[1]}: {versus}: {status.result}")
        return lines

    def go_to_end(self) -> None:
        """Pauses, and shows the end as soon as `update` has played that far."""
        self.go_to(self.config.horizon)

    def go_to(self, moment: int) -> None:
        """Pauses, and shows a moment as soon as `update` has played that far."""
        self._stop_at(self.moment)
        self._goal = min(max(moment, 0), self.config.horizon)

    def restart(self) -> None:
        """Plays the same starts again."""
        self._start(self.seed)

    def next_round(self) -> None:
        """Goes on to the next seeds, if there are any."""
        following = self.seed + self._starts
        if following <= self._last_seed:
            self.round += 1
            self._start(following)

    def previous_round(self) -> None:
        """Goes back to the previous seeds."""
        self._start(max(self.seed - self._starts, 0))

    def close(self) -> None:
        """Releases the games' threads."""
        for game in self.games:
            game.duel.close()

    def _start(self, seed: int) -> None:
        self.seed, self.moment, self._goal = seed, 0, None
        for number, game in enumerate(self.games):
            game.start(self.seed_of(number))
        self.clock.restart()
        self._end_seen = None

    def _stop_at(self, moment: int) -> None:
        self._end_seen, self._goal = None, None
        super()._stop_at(moment)

    def _approach(self, goal: int) -> None:
        """Plays for a short while toward the goal."""
        if not self.clock.is_paused:  # the user has chosen to go on from here instead
            self._goal = None
            return
        until = time.perf_counter() + _PLAYING_SECONDS
        for game in self.games:
            while game.last < goal and not game.duel.status.is_over:
                game.step()
                if time.perf_counter() >= until:
                    return
        self._stop_at(goal)
