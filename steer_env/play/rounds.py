"""One round: a game that a person plays, and how others do from the same start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import History
from steer_env.game.config import GameConfig
from steer_env.play.levels import Challenge, game_at
from steer_env.players import controller_of
from steer_env.sides import EVADER, PURSUER, Side

STRONG = {PURSUER: "tuned/walls/pursuer", EVADER: "tuned/walls/evader"}
"""A strong player of each side for games whose best player is not known: a script that was
found for the default game, and does well in the others, too."""


class Rival(NamedTuple):
    """Another player in the person's place.

    Attributes:
        name: its name.
        title: what it is called in a sentence.
        caption: what it is called on the board.
    """

    name: str
    title: str
    caption: str


class Round:
    """An episode that a person plays.

    Args:
        challenge: what the person plays against.
        seed: seed of the episode.

    Attributes:
        challenge: as given.
        seed: as given.
        duel: the live episode.
        history: every moment so far.

    Raises:
        UsageError: if the opponent cannot play; see `Duel`.
    """

    def __init__(self, challenge: Challenge, seed: int) -> None:
        self.challenge, self.seed = challenge, seed
        players = challenge.side.ordered(None, challenge.opponent)
        self.duel = Duel(challenge.config, *players, challenge.names)
        self.history = History(self.duel)
        self.history.start(seed)

    def push(self, push: complex) -> None:
        """Plays one step in which the person pushes in a direction of the arena."""
        self.act(action_of_push(push, complex(self.body["heading"])))

    def act(self, action: ArrayLike) -> None:
        """Plays one step with an action, forward and left in the vehicle's own frame."""
        self.history.step(*self.challenge.side.ordered(action, None))

    @property
    def body(self) -> np.void:
        """The record of the person's vehicle; a copy."""
        first = 0 if self.challenge.side is Side.PURSUER else self.challenge.config.pursuers
        return self.duel.record["players"][first]["body"]

    @property
    def seconds_left(self) -> float:
        """The longest time that the round can still last, in seconds."""
        config = self.challenge.config
        return config.horizon * config.dt - self.duel.status.seconds

    @property
    def is_won(self) -> bool:
        """Whether the person has won: captured all as pursuer, got away as evader."""
        status, is_pursuer = self.duel.status, self.challenge.side is Side.PURSUER
        return status.is_over and status.is_captured == is_pursuer


def action_of_push(push: complex, heading: complex) -> NDArray[np.float32]:
    """Returns the action that pushes a vehicle in a direction of the arena.

    Args:
        push: share of the maximum force, in the arena; cut to length 1.
        heading: heading of the vehicle, a unit vector.

    Returns:
        (2,), forward and left in the vehicle's own frame.
    """
    own = push / max(abs(push), 1.0) * heading.conjugate()
    return np.array([own.real, own.imag], np.float32)


def rivals(challenge: Challenge) -> tuple[Rival, ...]:
    """The players that a person is compared with: the textbook script, and a better one.

    That is the best known one where it was measured: against the opponent of a level of the
    default game.
    """
    side, level = challenge.side, challenge.level
    is_levels = challenge.opponent_name == level.opponent and challenge.config == game_at(
        level, side, GameConfig()
    )
    script = side.default_script
    textbook = Rival(script, script, script)
    if level.best and is_levels:
        title = f"the best known player ({level.best})"
        return textbook, Rival(level.best, title, f"{level.best} (best known)")
    return textbook, strong(side)


def strong(side: Side) -> Rival:
    """Returns a strong player of a side, for games whose best one is not known."""
    name = STRONG[side]
    return Rival(name, f"a strong player ({name})", name)


def others(challenge: Challenge, seed: int) -> tuple[History, ...]:
    """Plays the `rivals` in the person's place."""
    side, config, histories = challenge.side, challenge.config, []
    for name, *_ in rivals(challenge):
        players = side.ordered(controller_of(name, side), challenge.opponent)
        names = side.ordered(name, challenge.opponent_name)
        history = History(Duel(config, *players, names))
        history.start(seed)
        history.reach(config.horizon)
        history.duel.close()
        histories.append(history)
    return tuple(histories)
