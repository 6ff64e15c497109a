"""Where a game is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steer_env import bounds
from steer_env.bounds import Bounds, check_count, check_within
from steer_env.errors import InvalidValue, check_choice, shown
from steer_env.game.arena import ARENAS

Range = tuple[float, float]

OBSTACLE_GAP = 2.1
"""Between random obstacles, and to the walls, in largest radii of vehicles: all pass."""


@dataclass(frozen=True, kw_only=True)
class ArenaConfig:
    """Where the game is played.

    Attributes:
        kind: "walls", "torus" or "open"; see `arena`.
        size: side of the square in meters, from 1 to 1e4; in the open, of the square of start
            positions.
        obstacles: how many round obstacles to place at random in each episode, 64 at most, or
            a tuple of (x, y, radius), in meters, to place the same in all.
        obstacle_radius: smallest and largest radius of random obstacles, in meters, from
            0.01 to the arena's side.
    """

    kind: str = "walls"
    size: float = 20.0
    obstacles: int | tuple[tuple[float, float, float], ...] = 0
    obstacle_radius: Range = (0.5, 1.5)

    def __post_init__(self) -> None:
        check_choice("arena", self.kind, ARENAS)
        size = check_within(bounds.ARENA["size"], "arena_size", self.size)
        object.__setattr__(self, "size", size)
        smallest = bounds.ARENA["obstacle_radius"].low
        span = Bounds(smallest, max(size, 1.5))  # so that the default fits any arena
        radius = check_range("obstacle_radius", self.obstacle_radius, span)
        object.__setattr__(self, "obstacle_radius", radius)
        obstacles = _plain(self.obstacles)
        if isinstance(obstacles, Sequence) and not isinstance(obstacles, str):
            most = Bounds(0, bounds.MOST_LISTED_OBSTACLES)
            check_count(most, "the number of listed obstacles", len(obstacles))
            discs = tuple(self._check_disc(disc) for disc in obstacles)
            object.__setattr__(self, "obstacles", discs)
        else:
            count = check_count(bounds.ARENA["obstacles"], "obstacles", obstacles)
            object.__setattr__(self, "obstacles", count)

    def _check_disc(self, given: object) -> tuple[float, float, float]:
        disc = _plain(given)
        if not isinstance(disc, Sequence) or len(disc) != 3:
            raise InvalidValue(f"an obstacle is (x, y, radius), got {shown(disc)}")
        inside = Bounds(-self.size / 2, self.size / 2)
        x = check_within(inside, "obstacle x", disc[0])
        y = check_within(inside, "obstacle y", disc[1])
        span = Bounds(bounds.ARENA["obstacle_radius"].low, self.size / 2)
        return x, y, check_within(span, "obstacle radius", disc[2])

    @property
    def half_size(self) -> float:
        """Half the side of the square, in meters."""
        return self.size / 2

    @property
    def num_obstacles(self) -> int:
        """How many obstacles a game holds."""
        return self.obstacles if isinstance(self.obstacles, int) else len(self.obstacles)


def check_range(what: str, given: object, span: Bounds) -> Range:
    """Returns (smallest, largest), both within bounds.

    Raises:
        InvalidValue: if it is not a pair of numbers in that order.
    """
    pair = _plain(given)
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise InvalidValue(f"{what} must be a pair (smallest, largest), got {shown(given)}")
    smallest = check_within(span, f"{what} (smallest)", pair[0])
    largest = check_within(span, f"{what} (largest)", pair[1])
    if smallest > largest:
        raise InvalidValue(f"{what} must be (smallest, largest), got {shown(given)}")
    return smallest, largest


def most_obstacles(arena: ArenaConfig, wide: float) -> int:
    """How many random obstacles find room in an arena, among vehicles of a radius.

    Discs that are placed at random, one after the other, jam at some 0.7 (L / D + 1)^2 of them
    in a square of side L, with centers at least D apart. Up to 0.5 (L / D + 1)^2 at least half
    of the attempts place all of them, and `starts` repeats the others.
    """
    radius, passage = sum(arena.obstacle_radius) / 2.0, OBSTACLE_GAP * wide
    side = arena.size - 2.0 * (radius + passage)
    if side <= 0.0:
        return 0
    return max(1, int(0.5 * (side / (2.0 * radius + passage) + 1.0) ** 2))


def solid_bodies_fit(arena: ArenaConfig, radii: Sequence[float]) -> tuple[bool, float]:
    """Whether bodies that must not overlap find places at random, one after the other.

    As with random obstacles (see `most_obstacles`), they do while the squares around them take
    half of the arena. To a body of radius r, another of radius R is a square of side r + R.

    Returns:
        Whether they fit, and the square meters that are taken, seen from the largest.
    """
    if isinstance(arena.obstacles, int):
        obstacles = [arena.obstacle_radius[1]] * arena.obstacles
    else:
        obstacles = [radius for _, _, radius in arena.obstacles]
    if len(radii) < 2:
        return True, 0.0
    wide = max(radii)
    taken = sum((other + wide) ** 2 for other in (*radii, *obstacles))
    return taken <= 0.5 * arena.size**2, taken


def _plain(given: Any) -> Any:
    """An array as the list or the number that it holds; anything else as it is."""
    return given.tolist() if isinstance(given, np.ndarray) else given
