"""Levels for people, from easy to nearly hopeless, and the opponents that a page offers first.

`tools/play_levels.py` has the share of rounds that simulated persons win.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from steer_env.game.config import Game
from steer_env.scripts.roster import AT_FULL_FORCE
from steer_env.sides import EVADER, PURSUER, Side

# A strong player of each side, for games whose best player is unknown.
STRONG = {side: f"tuned/walls/{side.name}" for side in Side}
_GUARD = "Guard", "runs for the place where you would get through"
_RAIDER = "Raider", "runs for the target where you cannot be in time"

RACERS = {  # titles and characters of the scripts that play for a target
    **dict.fromkeys(("block", f"block{AT_FULL_FORCE}"), _GUARD),
    **dict.fromkeys(("reach", f"reach{AT_FULL_FORCE}"), _RAIDER),
}


def racer(side: Side, config: Game) -> str:
    """The script of a side that plays for a target, against a person and in the laboratory."""
    name = "block" if side is PURSUER else "reach"
    return name if config.model(side.name) == "simple_motion" else f"{name}{AT_FULL_FORCE}"


ON_MAPS = {  # opponents by level that know the ways, in place of some that run into walls
    PURSUER: {"hard": "evade/paths", "expert": f"evade/paths{AT_FULL_FORCE}"},
    EVADER: {
        "normal": "seek/paths",
        "hard": "pursuit/paths",
        "expert": f"pursuit/paths{AT_FULL_FORCE}",
    },
}


class Level(NamedTuple):
    """A level of difficulty. An empty ``best`` stands for the player of `STRONG`."""

    name: str
    opponent: str
    speed: float  # the opponent's maximum speed, as a share of the game's
    reach: float  # capture radius, as a share of the game's
    best: str = ""  # by its mean time over 1,000 starts, as `tools/play_levels.py` finds it

    def game(self, side: Side, config: Game) -> Game:
        """A game with the limits that the level gives to the opponent of a person's side."""
        opponent = side.other.name
        vehicles = tuple(
            dataclasses.replace(vehicle, max_speed=self.speed * vehicle.max_speed)
            for vehicle in config.vehicles(opponent)
        )
        # Solid bodies keep a distance, within which a capture must stay possible.
        reach = max(self.reach, 1.0) if config.solid == "everyone" else self.reach
        radius = reach * config.capture_radius
        changes: dict[str, Any] = {"capture_radius": radius, opponent: vehicles}
        return dataclasses.replace(config, **changes)

    def describe(self, side: Side, config: Game) -> dict[str, Any]:
        """The level as data for a page, with the best player of the game that was measured."""
        game, opponent = self.game(side, config), side.other.name
        on_maps = ON_MAPS[side].get(self.name, self.opponent)
        name = on_maps if config.map else self.opponent
        return {
            "name": self.name,
            "opponent": racer(side.other, config) if config.target else name,
            "changes": {  # by the page's names of sliders
                "radius": game.capture_radius,
                f"{opponent}Speed": game.vehicles(opponent)[0].max_speed,
            },
            "best": (self.best or STRONG[side]) if config == Game() else None,
        }


LEVELS: Mapping[Side, tuple[Level, ...]] = {  # of a person's side, the easiest first
    PURSUER: (
        Level("easy", "wander", 0.65, 1.6, "tuned/pack/pursuer"),
        Level("normal", "flee/full_force", 0.85, 1.0, "tuned/walls/pursuer/evade"),
        Level("hard", "evade/threatened/full_force", 1.0, 0.8),
        Level("expert", "pretrained/evade/selfplay", 1.0, 0.8, "tuned/walls/pursuer/evade"),
    ),
    EVADER: (
        Level("easy", "seek", 0.8, 0.5),
        Level("normal", "seek", 1.0, 0.7),
        Level("hard", "navigation", 0.8, 1.0, "tuned/walls/evader/tuned"),
        Level(
            "expert", "pretrained/pursuit/mixture", 0.9, 1.0, "evade/target_speed/full_force"
        ),
    ),
}

SCRIPTED_EXPERTS = {  # the last levels of games that are not the default one
    PURSUER: Level("expert", "escape", 1.25, 0.8),
    EVADER: Level("expert", "navigation", 1.0, 1.0),
}


def levels_of(side: Side, config: Game) -> tuple[Level, ...]:
    """The levels of a person's side in a game, the easiest first."""
    levels = LEVELS[side]
    return levels if config == Game() else (*levels[:-1], SCRIPTED_EXPERTS[side])


LEVEL_NAMES = tuple(level.name for level in LEVELS[PURSUER])  # also those of evaders

OPPONENTS: Mapping[Side, Mapping[str, tuple[str, str]]] = {  # that a page offers first
    PURSUER: {
        "seek": ("Bull", "charges at where you are now"),
        "pursuit": ("Hunter", "steers for where you will be"),
        "navigation": ("Falcon", "turns with you, as falcons and missiles do"),
        "offset_pursuit": ("Ambusher", "gets ahead of you to cut you off"),
        "voronoi": ("Herder", "shrinks the area that you can reach first"),
        "pursuit/searching": ("Tracker", "loses you out of sight and searches"),
        "tuned/walls/pursuer": ("Champion", "knows where walls will stop you"),
        "pretrained/pursuit/search": ("Learner", "a network that learned from a search"),
        "pretrained/pursuit/mixture": ("All-rounder", "a network that learned from 21 evaders"),
    },
    EVADER: {
        "wander": ("Stroller", "wanders and ignores you"),
        "flee/full_force": ("Runner", "runs straight away from you"),
        "evade/threatened/full_force": ("Dreamer", "wanders until you are near"),
        "evade/chaotic": ("Zigzag", "runs, wanders and turns at random"),
        "escape": ("Escape artist", "looks ahead for the way out"),
        "escape/sidestep/full_force": ("Matador", "lets you come and sidesteps late"),
        "tuned/walls/evader": ("Champion", "saves its strength and escapes late"),
        "pretrained/evade/selfplay": ("Learner", "a network that learned against networks"),
    },
}
