"""A person's game in the window: it goes on as time passes, round after round."""

from __future__ import annotations

from collections.abc import Callable

from steer_env.episodes.live_game import LiveGame
from steer_env.errors import check_integer
from steer_env.game.config import Game
from steer_env.game.engine import LARGEST_SEED
from steer_env.players.player import Player
from steer_env.sides import EVADER, Side

STILL_SECONDS = 2.0  # for which the end of a round is shown
_LONGEST = 0.25  # seconds: after a longer break the rest of it is skipped, not caught up


class Session:
    """A game that a person plays against one opponent, round after round.

    At every step ``push`` returns the direction in the arena in which the person accelerates,
    with a length of at most 1. With ``keeps_going`` rounds begin by themselves, one after the
    other; otherwise each waits, paused, until the person begins.
    """

    def __init__(
        self,
        config: Game,
        players: tuple[Player, Player],
        seed: int = 0,
        keeps_going: bool = False,
    ) -> None:
        self.config, self.keeps_going, self.round = config, keeps_going, 1
        self.game = LiveGame(config, *players)
        self.side = next(side for side in Side if players[side].is_person)
        self.vehicle = config.pursuers if self.side is EVADER else 0
        self.push: Callable[[], complex] = complex
        self._start(check_integer("seed", seed, 0, LARGEST_SEED))

    @property
    def title(self) -> str:
        """The window's title."""
        return f"{' vs '.join(self.game.names)} - seed {self.seed} - steer_env"

    @property
    def seconds(self) -> float:
        """The time of the round."""
        return self.game.last * self.config.dt

    @property
    def is_over(self) -> bool:
        """True at the end of a round."""
        return self.game.status.is_over

    @property
    def is_waiting(self) -> bool:
        """True while a round waits for the person to begin."""
        return self.game.last == 0 and self.is_paused

    def update(self, now: float) -> bool:
        """Goes on to a time of a steady clock, in seconds.

        Returns:
            Whether the end has been shown for long enough to go on to the next round.
        """
        passed = 0.0 if self._last is None else min(max(now - self._last, 0.0), _LONGEST)
        self._last = now
        if self.is_paused:
            return False
        self._rest += passed
        dt = self.config.dt
        while self._rest > dt * (1.0 - 1e-6) and not self.is_over:
            self._rest -= dt
            heading = complex(self.game.record["players"]["body"]["heading"][self.vehicle])
            own = self.push() * heading.conjugate()
            self.game.step(*self.side.ordered((own.real, own.imag), None))
        return self.keeps_going and self.is_over and self._rest > STILL_SECONDS

    def wait(self) -> None:
        """Skips the time until the next update."""
        self._last = None

    def take_result(self) -> str | None:
        """Returns a line about the end of the round, once."""
        if self._is_reported or not self.is_over:
            return None
        self._is_reported = True
        return f"seed {self.seed}: {self.game.recording().outcome}"

    def pause(self) -> None:
        """Pauses, or goes on."""
        self.is_paused = not self.is_paused

    def restart(self) -> None:
        """Plays the same start again."""
        self._start(self.seed)

    def next_round(self) -> None:
        """Goes on to the next seed, if there is one."""
        if self.seed < LARGEST_SEED:
            self.round += 1
            self._start(self.seed + 1)

    def close(self) -> None:
        """Releases the game's threads."""
        self.game.close()

    def _start(self, seed: int) -> None:
        self.seed = seed
        self.game.start(seed)
        self.is_paused, self._is_reported = not self.keeps_going, False
        self._last: float | None = None  # update
        self._rest = 0.0  # seconds since the last step
