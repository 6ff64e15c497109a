"""Levels, from easy to nearly hopeless: who the opponent is, how fast, and how near is caught.

How many of 300 rounds of 20 s on the default game end with a capture, and the mean time, with
two stand-ins for a person each: one that pushes straight at its quarry or away from its menace,
and one that looks ahead (`tests/play/persons.py`):

| as      | level  | opponent                  | speed   | radius | straight    | ahead       |
| ------- | ------ | ------------------------- | ------- | ------ | ----------- | ----------- |
| pursuer | easy   | wander                    | 2.3 m/s | 0.8 m  | 100%  3.8 s | 100%  3.4 s |
| pursuer | normal | evade/threatened          | 3.6 m/s | 0.5 m  |  93%  9.4 s | 100%  5.3 s |
| pursuer | hard   | pretrained/evade/mixture  | 3.1 m/s | 0.5 m  |  19% 17.8 s |  97%  7.6 s |
| pursuer | expert | pretrained/evade/selfplay | 4.3 m/s | 0.4 m  |   3% 19.5 s |  14% 18.1 s |
| evader  | easy   | seek                      | 2.4 m/s | 0.4 m  |  77% 11.5 s |   3% 19.7 s |
| evader  | normal | navigation                | 3.2 m/s | 0.5 m  |  88%  9.3 s |  35% 15.3 s |
| evader  | hard   | pursuit/full_force        | 3.6 m/s | 0.5 m  | 100%  5.4 s |  51% 12.4 s |
| evader  | expert | pursuit/full_force        | 4.0 m/s | 0.5 m  | 100%  4.7 s | 100%  5.1 s |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steer_env.envs.keywords import Controller
from steer_env.episodes.players import SIDES, load_player
from steer_env.errors import InvalidValue, check_choice
from steer_env.game.config import GameConfig
from steer_env.game.observation import observation_layout
from steer_env.game.state import EVADER, PURSUER
from steer_env.policies import pretrained
from steer_env.policies.loading import is_file, is_pretrained


@dataclass(frozen=True)
class Level:
    """How hard it is for a person.

    Attributes:
        name: of the level.
        opponents: names of players, the first of which that fits the game is the opponent.
        speed: of the opponent, as a share of the speed that the game gives it.
        reach: the capture radius, as a share of the game's.
        text: about the opponent, in a few words.
    """

    name: str
    opponents: tuple[str, ...]
    speed: float = 1.0
    reach: float = 1.0
    text: str = ""


_SLIPPERY = ("pretrained/evade/mixture", "evade/among_obstacles")
_SLIPPERIEST = ("pretrained/evade/selfplay", "evade/among_obstacles")

LEVELS: Mapping[int, tuple[Level, ...]] = {
    PURSUER: (
        Level("easy", ("wander",), 0.65, 1.6, "strolls, and does not see you"),
        Level("normal", ("evade/threatened",), text="strolls until you come near"),
        Level("hard", _SLIPPERY, 0.85, text="has learned to dodge, but is slow"),
        Level("expert", _SLIPPERIEST, 1.2, 0.8, "has learned to dodge, and is faster than you"),
    ),
    EVADER: (
        Level("easy", ("seek",), 0.6, 0.8, "slow, and always where you were"),
        Level("normal", ("navigation",), 0.8, text="slow, but turns with you"),
        Level("hard", ("pursuit/full_force",), 0.9, text="leads you with all its force"),
        Level(
            "expert",
            ("pursuit/full_force",),
            text="leads you with all its force, and is faster",
        ),
    ),
}
"""The levels of either side, the easiest first."""

LEVEL_NAMES = tuple(level.name for level in LEVELS[PURSUER])
"""What the levels are called, the easiest first; the same for both sides."""

USUAL_LEVEL = "normal"


def level_named(name: str, side: int) -> Level:
    """The level of a name.

    Raises:
        ValueError: if there is none; it tells the nearest.
    """
    check_choice("level", name, LEVEL_NAMES)
    return LEVELS[side][LEVEL_NAMES.index(name)]


@dataclass(frozen=True, eq=False)
class Challenge:
    """What a person faces.

    Attributes:
        side: PURSUER or EVADER, whom the person steers.
        level: the level.
        config: the game at that level.
        opponent_name: who plays the other side.
        opponent: the same, who plays.
    """

    side: int
    level: Level
    config: GameConfig
    opponent_name: str
    opponent: Controller

    @property
    def names(self) -> tuple[str, str]:
        """What the pursuer and the evader are called."""
        pair = ("you", self.opponent_name)
        return pair if self.side == PURSUER else pair[::-1]

    def sides_with(
        self, player: Controller | None
    ) -> tuple[Controller | None, Controller | None]:
        """Who plays the pursuers and the evaders with somebody in the person's place."""
        pair = (player, self.opponent)
        return pair if self.side == PURSUER else pair[::-1]


def challenge(side: int, level: Level, config: GameConfig, trust: bool = False) -> Challenge:
    """What a person faces at a level.

    Args:
        side: PURSUER or EVADER, whom the person steers.
        level: one of `LEVELS`, or one of your own.
        config: the game before the level changes it.
        trust: whether the opponent may be a .zip file; see `load_player`.

    Raises:
        ValueError: if the person's side is a team.
        TypeError, ValueError, OSError, DependencyNotInstalled: as `load_player`.
    """
    check_single(side, config)
    name, opponent = first_that_fits(level.opponents, 1 - side, config, trust)
    return Challenge(side, level, game_at(level, side, config), name, opponent)


def check_single(side: int, config: GameConfig) -> None:
    """Raises a ValueError if the person's side is a team: a person has one pair of hands."""
    count = (config.pursuers, config.evaders)[side]
    if count != 1:
        name = SIDES[side]
        raise InvalidValue(
            f"a person steers one vehicle, so --{name}s must be 1 to play the {name}, got "
            f"{count}; play the {SIDES[1 - side]}, or have several opponents instead"
        )


def game_at(level: Level, side: int, config: GameConfig) -> GameConfig:
    """A game with the limits that a level gives to the opponent of a side."""
    name = SIDES[1 - side]
    vehicle = getattr(config, name)
    vehicle = dataclasses.replace(vehicle, max_speed=level.speed * vehicle.max_speed)
    # Bodies that push each other apart must stay able to come near enough.
    reach = max(level.reach, 1.0) if config.solid == "everyone" else level.reach
    game: GameConfig = dataclasses.replace(
        config, capture_radius=reach * config.capture_radius, **{name: vehicle}
    )
    return game


def first_that_fits(
    names: Sequence[str | Path], side: int, config: GameConfig, trust: bool = False
) -> tuple[str, Controller]:
    """The first of some players who can play a side of a game, by name and in person.

    Pretrained policies are left out where they are not installed, or where players or obstacles
    are more than those that they were made for. The last one is taken as it is.

    Raises:
        TypeError, ValueError, OSError, DependencyNotInstalled: as `load_player`.
    """
    features = len(
        observation_layout(config.pursuers + config.evaders, config.arena.num_obstacles)
    )
    for name in names[:-1]:
        if is_pretrained(name) and not is_file(name) and str(name) not in pretrained.names():
            continue
        controller = load_player(name, side, trust)
        space = getattr(controller, "observation_space", None)
        if space is None or space.shape == (features,):
            return str(name), controller
    return str(names[-1]), load_player(names[-1], side, trust)
