"""What a script with limits of sight attends to, for drawing; from the record of a state."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import ARENAS, nearest_image, nearest_offset, room
from steer_env.game.config import GameConfig
from steer_env.game.in_sight import hides, is_in_view
from steer_env.game.rules import sight_limits
from steer_env.game.searching import SIGHTING_SIZE, coasted
from steer_env.game.sight import as_observed
from steer_env.scripts.script import Script
from steer_env.steering.vectors import dot
from steer_env.steering.vehicle import Vehicle


class Sight:
    """What one player has in sight.

    Args:
        me: the player.
        discs: all obstacles, at their images nearest to it.
        config: the game.
    """

    def __init__(self, me: Vehicle, discs: NDArray[np.void], config: GameConfig) -> None:
        self._me, self._discs = me, discs.tolist()
        self._limits: Any = SimpleNamespace(**sight_limits(config.observation))
        self._arena = ARENAS.index(config.arena.kind), config.arena.half_size
        seen = [
            place
            for place, (center, radius) in enumerate(self._discs)
            if self._is_seen(center - me.position, radius, place)
        ]
        offsets = [self._discs[place][0] - me.position for place in seen]
        squares = [dot(offset, offset) for offset in offsets]
        nearest = sorted(range(len(seen)), key=squares.__getitem__)
        self.discs = discs[[seen[rank] for rank in nearest[: self._limits.nearest or None]]]

    def sees(self, other: Vehicle) -> bool:
        """Whether the player sees another vehicle."""
        offset = nearest_offset(*self._arena, self._me.position, other.position)
        return self._is_seen(offset, 0.0, -1)

    def _is_seen(self, offset: complex, radius: float, itself: int) -> bool:
        return is_in_view(self._limits, self._me.heading, offset, radius) and not (
            self._limits.occlusion
            and any(
                hides(*self._arena, self._me.position, offset, *disc)
                for place, disc in enumerate(self._discs)
                if place != itself
            )
        )


def remembered(
    record: np.void, number: int, script: Script, config: GameConfig
) -> list[Vehicle]:
    """The opponent that a player remembers, where it would be by now, if it remembers one.

    Args:
        record: of the state, of `state_dtype`.
        number: the player's.
        script: the one it plays by.
        config: the game.
    """
    if "sightings" not in (record.dtype.names or ()):
        return []
    kept = record["sightings"].reshape(-1, SIGHTING_SIZE)[number].tolist()
    age = (record["game"]["steps"] - kept[1]) * config.dt
    players, other = record["players"], int(kept[0]) - 1
    if other < 0 or not players["active"][other] or age > script.memory_seconds:
        return []
    position, velocity, heading, acceleration = map(complex, kept[2::2], kept[3::2])
    body = Vehicle(*players["body"][other].item())
    arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
    place = coasted(position, velocity, age, room(arena, half_size, body.radius))
    me = complex(players["body"]["position"][number])
    seen = body._replace(
        position=nearest_image(arena, half_size, me, place),
        velocity=velocity,
        heading=heading,
        acceleration=acceleration,
    )
    return [as_observed(seen, False)]
