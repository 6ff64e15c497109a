"""Levels, from easy to nearly hopeless: the opponent, its speed, and the capture radius.

The table has the share of 300 rounds on the default game, of at most 20 s, that simulated
persons win (`tests/by_hand/persons.py`). One pushes straight toward or away from its opponent,
the next looks ahead, and the hasty one, which is most like people, looks ahead but reacts later
and errs. ``python tests/by_hand/play_levels.py`` measures them:

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
from typing import Any, NamedTuple

from steer_env.errors import InvalidValue, check_choice
from steer_env.game.config import GameConfig
from steer_env.players import Controller, controller_of
from steer_env.sides import EVADER, PURSUER, Side


@dataclass(frozen=True)
class Level:
    """A level of difficulty.

    Attributes:
        name: name of the level.
        opponent: name of the opponent.
        speed: the opponent's maximum speed, as a share of the game's.
        reach: capture radius, as a share of the game's.
        text: description of the opponent, in a few words.
        best: the best known player in the person's place, in the default game: of all scripts
            and the networks of the page in the browser, the one with the best mean time over
            1,000 starts, as ``python tests/by_hand/play_levels.py`` finds it. "" if unknown.
    """

    name: str
    opponent: str
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

COUNTS = 3
"""The number at which the countdown to a round begins."""

COUNT_SECONDS = 0.8
"""Seconds for which each number of the countdown is shown."""

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
        opponent: the opponent.
    """

    side: Side
    level: Level
    config: GameConfig
    opponent: Controller


def challenge(side: Side, level: Level, config: GameConfig) -> Challenge:
    """Returns what a person plays at a level.

    Args:
        side: the person's side.
        level: one of `LEVELS`, or another one.
        config: the game before the level changes it.

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
    opponent = controller_of(level.opponent, side.other)
    return Challenge(side, level, game_at(level, side, config), opponent)


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


def rival(challenge: Challenge) -> Rival:
    """The player that a person is compared with.

    That is the best known one in the default game, where it was measured; elsewhere it is a
    strong one.
    """
    side, level = challenge.side, challenge.level
    if level.best and challenge.config == game_at(level, side, GameConfig()):
        title = f"the best known player ({level.best})"
        return Rival(level.best, title, f"{level.best} (best known)")
    return strong(side)


def strong(side: Side) -> Rival:
    """A strong player of a side, for games whose best one is not known."""
    name = STRONG[side]
    return Rival(name, f"a strong player ({name})", name)
