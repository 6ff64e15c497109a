"""The choices on the title screen: the side and the level."""

from __future__ import annotations

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import UsageError
from steer_env.game.config import GameConfig
from steer_env.play.levels import (
    DEFAULT_LEVEL,
    LEVELS,
    Challenge,
    Level,
    challenge,
    level_named,
)
from steer_env.players import Player
from steer_env.sides import Side


class Menu:
    """The choices of a person, which always make a game that can be played.

    Args:
        side: the person's side at first.
        config: the game, before a level changes it.
        level: name of the first level; None for the default.
        opponent: name or path of an opponent, or the opponent; None for the level's. It is
            added as another level of that side, with the limits of the given level, if any.
        trust: whether the opponent may be a .zip file.

    Attributes:
        challenge: what is chosen.
        problem: why the last choice was not possible; "" if it was.

    Raises:
        UsageError, OSError, DependencyNotInstalled: as `levels.challenge`.
    """

    def __init__(
        self,
        side: Side,
        config: GameConfig,
        level: str | None = None,
        opponent: Player | None = None,
        trust: bool = False,
    ) -> None:
        self._config, self._trust = config, trust
        self._levels = {each: list(levels) for each, levels in LEVELS.items()}
        chosen = level_named(level or DEFAULT_LEVEL, side)
        if opponent is not None:
            name = f"your choice, {level} limits" if level else "your choice"
            speed, reach = (chosen.speed, chosen.reach) if level else (1.0, 1.0)
            chosen = Level(name, opponent, speed, reach, "chosen by you")
            self._levels[side].append(chosen)
        self.problem = ""
        self.challenge: Challenge = challenge(side, chosen, config, trust)

    @property
    def side(self) -> Side:
        """The person's side."""
        return self.challenge.side

    @property
    def levels(self) -> list[Level]:
        """All levels of the chosen side, the easiest first, an added one last."""
        return self._levels[self.side]

    @property
    def title(self) -> str:
        """Both players and the level."""
        names, level = self.challenge.names, self.challenge.level.name
        return f"{names[0]} v {names[1]}, {level}"

    def harder(self) -> None:
        """Chooses the next level, up to the last."""
        self._move(1)

    def easier(self) -> None:
        """Chooses the previous level, down to the first."""
        self._move(-1)

    def other_side(self) -> None:
        """Chooses the other side, at the level of the same name if there is one."""
        levels = {level.name: level for level in self._levels[self.side.other]}
        level = levels.get(self.challenge.level.name, levels[DEFAULT_LEVEL])
        self.choose(self.side.other, level)

    def _move(self, levels: int) -> None:
        place = self.levels.index(self.challenge.level) + levels
        self.choose(self.side, self.levels[min(max(place, 0), len(self.levels) - 1)])

    def choose(self, side: Side, level: Level) -> None:
        """Chooses a side and one of its levels, if that can be played."""
        if side == self.side and level is self.challenge.level:
            self.problem = ""
            return
        try:
            self.challenge = challenge(side, level, self._config, self._trust)
            self.problem = ""
        except (UsageError, OSError, DependencyNotInstalled) as error:  # such as a team
            self.problem = str(error)

    def challenge_at(self, level: Level) -> Challenge:
        """Returns what the person would play at another level of the chosen side."""
        if level is self.challenge.level:
            return self.challenge
        return challenge(self.side, level, self._config, self._trust)
