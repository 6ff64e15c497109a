"""What can be chosen on the title screen: the side and the level."""

from __future__ import annotations

from steer_env.game.config import GameConfig
from steer_env.play.levels import LEVELS, USUAL_LEVEL, Challenge, Level, challenge, level_named


class Menu:
    """The choices of a person, which always make a game that can be played.

    Args:
        side: PURSUER or EVADER, whom the person steers at first.
        config: the game, before a level changes it.
        level: name of the level to begin with; None for the usual one.
        opponent: a name or the path of a file; None for the level's. It becomes one more level
            of that side, with the limits of the level if one was named.
        trust: whether the opponent may be a .zip file.

    Attributes:
        challenge: what is chosen.
        problem: why the last choice was not possible; "" if it was.

    Raises:
        TypeError, ValueError, OSError, DependencyNotInstalled: as `levels.challenge`.
    """

    def __init__(
        self,
        side: int,
        config: GameConfig,
        level: str | None = None,
        opponent: str | None = None,
        trust: bool = False,
    ) -> None:
        self._config, self._trust = config, trust
        self._levels = {each: list(levels) for each, levels in LEVELS.items()}
        chosen = level_named(level or USUAL_LEVEL, side)
        if opponent is not None:
            chosen = _with_opponent(opponent, chosen if level else None)
            self._levels[side].append(chosen)
        self.problem = ""
        self.challenge: Challenge = challenge(side, chosen, config, trust)

    @property
    def side(self) -> int:
        """PURSUER or EVADER."""
        return self.challenge.side

    @property
    def levels(self) -> list[Level]:
        """All levels of the chosen side, the easiest first, the person's own last."""
        return self._levels[self.side]

    def harder(self) -> None:
        """The next level, up to the last."""
        self._move(1)

    def easier(self) -> None:
        """The level before, down to the first."""
        self._move(-1)

    def other_side(self) -> None:
        """The other side, at the level of the same name if there is one."""
        names = [level.name for level in self._levels[1 - self.side]]
        name = self.challenge.level.name
        place = names.index(name if name in names else USUAL_LEVEL)
        self._choose(1 - self.side, self._levels[1 - self.side][place])

    def _move(self, levels: int) -> None:
        place = self.levels.index(self.challenge.level) + levels
        self._choose(self.side, self.levels[min(max(place, 0), len(self.levels) - 1)])

    def _choose(self, side: int, level: Level) -> None:
        if side == self.side and level is self.challenge.level:
            self.problem = ""
            return
        try:
            self.challenge = challenge(side, level, self._config, self._trust)
            self.problem = ""
        except (ValueError, TypeError, OSError) as error:  # such as a team for one person
            self.problem = str(error)


def _with_opponent(opponent: str, level: Level | None) -> Level:
    """A level of an opponent of the person's choice."""
    speed, reach = (level.speed, level.reach) if level else (1.0, 1.0)
    name = f"your choice, {level.name} limits" if level else "your choice"
    return Level(name, (opponent,), speed, reach, "chosen by you")
