"""Levels, from easy to nearly hopeless: the opponent, its speed, and the capture radius.

The table has the share of 300 rounds on the default game, of at most 20 s, that simulated
persons win (`tests/play/persons.py`). One pushes straight toward or away from its opponent, the
next looks ahead, and the hasty one, which is most like people, looks ahead but reacts later and
errs. ``python tests/by_hand/play_levels.py`` measures them:

| as      | level  | opponent                    | speed   | radius | straight | ahead | hasty |
| ------- | ------ | --------------------------- | ------- | ------ | -------- | ----- | ----- |
| pursuer | easy   | wander                      | 2.3 m/s | 0.8 m  | 100%     | 100%  | 100%  |
| pursuer | normal | flee/full_force             | 3.1 m/s | 0.5 m  | 47%      | 100%  | 92%   |
| pursuer | hard   | evade/threatened/full_force | 3.6 m/s | 0.4 m  | 16%      | 74%   | 43%   |
| pursuer | expert | escape                      | 4.5 m/s | 0.4 m  | 4%       | 27%   | 23%   |
| evader  | easy   | wander                      | 3.6 m/s | 1 m    | 98%      | 100%  | 97%   |
| evader  | normal | seek                        | 4.0 m/s | 0.35 m | 51%      | 97%   | 90%   |
| evader  | hard   | navigation                  | 3.2 m/s | 0.5 m  | 14%      | 70%   | 49%   |
| evader  | expert | navigation                  | 4.0 m/s | 0.5 m  | 3%       | 12%   | 13%   |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steer_env.errors import InvalidValue, check_choice
from steer_env.game.config import GameConfig
from steer_env.players import Controller, Player, controller_of, name_of
from steer_env.sides import EVADER, PURSUER, Side


@dataclass(frozen=True)
class Level:
    """A level of difficulty.

    Attributes:
        name: name of the level.
        opponent: the opponent, most by name.
        speed: the opponent's maximum speed, as a share of the game's.
        reach: capture radius, as a share of the game's.
        text: description of the opponent, in a few words.
        best: the best known player in the person's place, in the default game: of all scripts
            and the networks of the page in the browser, the one with the best mean time over
            1,000 starts, as ``python tests/by_hand/play_levels.py`` finds it. "" if unknown.
    """

    name: str
    opponent: Player
    speed: float = 1.0
    reach: float = 1.0
    text: str = ""
    best: str = ""


LEVELS: Mapping[Side, tuple[Level, ...]] = {
    PURSUER: (
        Level(
            "easy",
            "wander",
            speed=0.65,
            reach=1.6,
            text="strolls, and does not see you",
            best="tuned/pack/pursuer",
        ),
        Level(
            "normal",
            "flee/full_force",
            speed=0.85,
            reach=1.0,
            text="runs straight away from you",
            best="tuned/walls/pursuer",
        ),
        Level(
            "hard",
            "evade/threatened/full_force",
            speed=1.0,
            reach=0.8,
            text="strolls until you come near, then runs from where you will be",
            best="tuned/walls/pursuer",
        ),
        Level(
            "expert",
            "escape",
            speed=1.25,
            reach=0.8,
            text="looks ahead, and is faster than you",
            best="tuned/agile_torus/pursuer",
        ),
    ),
    EVADER: (
        Level(
            "easy",
            "wander",
            speed=0.9,
            reach=2.0,
            text="strolls, and does not see you",
            best="escape",
        ),
        Level(
            "normal",
            "seek",
            speed=1.0,
            reach=0.7,
            text="fast, but steers for where you are now",
            best="tuned/walls/evader",
        ),
        Level(
            "hard",
            "navigation",
            speed=0.8,
            reach=1.0,
            text="slower than you, but turns with you",
            best="tuned/walls/evader",
        ),
        Level(
            "expert",
            "navigation",
            speed=1.0,
            reach=1.0,
            text="turns with you, and is faster",
            best="tuned/walls/evader",
        ),
    ),
}
"""The levels of a person of each side, the easiest first."""

LEVEL_NAMES = tuple(level.name for level in LEVELS[PURSUER])
"""Names of the levels, the easiest first; the same for both sides."""

DEFAULT_LEVEL = "normal"


def level_named(name: str, side: Side) -> Level:
    """Returns the level of a name.

    Raises:
        InvalidValue: for an unknown name; the message has the nearest match.
    """
    check_choice("level", name, LEVEL_NAMES)
    return LEVELS[side][LEVEL_NAMES.index(name)]


@dataclass(frozen=True, eq=False)
class Challenge:
    """What a person plays.

    Attributes:
        side: the person's side.
        level: the level.
        config: the game at that level.
        opponent_name: name of the opponent.
        opponent: the opponent.
    """

    side: Side
    level: Level
    config: GameConfig
    opponent_name: str
    opponent: Controller

    @property
    def names(self) -> tuple[str, str]:
        """Names of the pursuer and the evader."""
        return self.side.ordered("you", self.opponent_name)


def challenge(side: Side, level: Level, config: GameConfig, trust: bool = False) -> Challenge:
    """Returns what a person plays at a level.

    Args:
        side: the person's side.
        level: one of `LEVELS`, or another one.
        config: the game before the level changes it.
        trust: whether the opponent may be a .zip file; see `controller_of`.

    Raises:
        InvalidValue: if the person's side is a team.
        UsageError, OSError, DependencyNotInstalled: as `controller_of`.
    """
    count = (config.pursuers, config.evaders)[side]
    if count != 1:
        raise InvalidValue(
            f"a person steers one vehicle, so --{side.name}s must be 1 to play the "
            f"{side.name}, got {count}; play the {side.other.name}, or choose several opponents"
        )
    player = level.opponent
    name = str(player) if isinstance(player, str | Path) else name_of(player)
    opponent = controller_of(player, side.other, trust)
    return Challenge(side, level, game_at(level, side, config), name, opponent)


def game_at(level: Level, side: Side, config: GameConfig) -> GameConfig:
    """Returns a game with the limits that a level gives to the opponent of a side."""
    name = side.other.name
    vehicles = tuple(
        dataclasses.replace(vehicle, max_speed=level.speed * vehicle.max_speed)
        for vehicle in config.vehicles(name)
    )
    # Solid bodies keep a distance, within which a capture must stay possible.
    reach = max(level.reach, 1.0) if config.solid == "everyone" else level.reach
    changes: dict[str, Any] = {"capture_radius": reach * config.capture_radius, name: vehicles}
    return dataclasses.replace(config, **changes)
