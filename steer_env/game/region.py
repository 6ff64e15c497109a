"""The region of a game: where vehicles can be, what stops them, and how far apart they are.

- "walls": a square around the origin; a wall stops the velocity into it.
- "torus": the same square, but a vehicle that leaves on one side comes back on the other;
  offsets are to the nearest image.
- "open": the endless plane; the square is where games start.
- `MAP`, of games with a `Map`: walls of any shape, which `steer_env.steering.walls` knows; the
  square is the smallest around the origin that holds them.

Round obstacles are solid in all of them. A vehicle touches a wall or an obstacle with its
body's edge, and slides along it. All else asks the region, and never for its kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.machine_code.marking import compiled_class
from steer_env.steering.sliding import contact_with_point
from steer_env.steering.vectors import clamp_to_square, dot, norm, scale, wrap
from steer_env.steering.vehicle import Obstacles, stop_at_walls

ARENAS = ("walls", "torus", "open")
"""The kinds of regions, the values of the keyword ``arena``."""

_WALLS, _TORUS, _OPEN, MAP = range(len(ARENAS) + 1)

Places = NDArray[np.complex128]
Numbers = NDArray[np.float64]

ROUNDING = 1e-9
"""Bodies may overlap obstacles by this much, in meters."""


@compiled_class
@dataclass(frozen=True)
class Region:
    """The place of a game: it stops or wraps vehicles, and measures offsets between them.

    It is the same in compiled code and in Python.

    Places, offsets and velocities are complex numbers, x + iy, in meters (per second).

    Attributes:
        kind: the place of its name in `ARENAS`, or `MAP`.
        half_size: half the side of the square around the origin, in meters.
    """

    kind: int
    half_size: float

    @classmethod
    def named(cls, kind: str, half_size: float) -> Region:
        """The region of one of `ARENAS`."""
        return cls(ARENAS.index(kind), half_size)

    @property
    def has_walls(self) -> bool:
        """Returns whether walls stop vehicles."""
        return self.kind in (_WALLS, MAP)

    @property
    def is_walled_square(self) -> bool:
        """Returns whether the sides of the square are the walls."""
        return self.kind == _WALLS

    @property
    def wraps(self) -> bool:
        """Returns whether vehicles that leave on one side come back on the other."""
        return self.kind == _TORUS

    @property
    def is_bounded(self) -> bool:
        """Returns whether vehicles stay in the square."""
        return self.kind != _OPEN

    @property
    def period(self) -> float:
        """The distance between images of a place, in meters, or 0 for only one image."""
        return 2.0 * self.half_size if self.wraps else 0.0

    def outline(self, beyond: float = 0.0) -> tuple[complex, ...]:
        """The corners from the upper left one on and back to it, moved outward, in meters."""
        half = self.half_size + beyond
        upper, lower = complex(half, half), complex(half, -half)
        return -lower, upper, lower, -upper, -lower

    @property
    def corners(self) -> tuple[complex, complex]:
        """The lower left and the upper right corner of the square."""
        half = self.half_size
        return complex(-half, -half), complex(half, half)

    @property
    def largest_lengths(self) -> dict[str, float]:
        """The largest lengths by `Feature` quantities, in meters, or units in the open."""
        half, size = self.half_size, 2.0 * self.half_size
        if not self.is_bounded:
            return {"position": size, "offset": size, "obstacle": half}
        diagonal = math.sqrt(2.0) * half
        offset = diagonal if self.wraps else 2.0 * diagonal
        return {"position": half, "offset": offset, "obstacle": half}

    def room(self, radius: float) -> float:
        """The farthest from the middle that a walled square lets a body be, else inf."""
        return self.half_size - radius if self.is_walled_square else math.inf

    def start_room(self, radius: float) -> float:
        """The farthest from the middle that a body can start along x or y."""
        return self.half_size - radius if self.is_walled_square else self.half_size

    def wall_distance(self, radius: float, place: complex) -> float:
        """The distance between a body at a place and the nearest wall, in meters, else inf."""
        return max(self.room(radius) - max(abs(place.real), abs(place.imag)), 0.0)

    def clamp(self, radius: float, place: complex) -> complex:
        """The nearest place where walls let a body be."""
        return (
            clamp_to_square(place, self.half_size - radius) if self.is_walled_square else place
        )

    def offset(self, start: complex, end: complex) -> complex:
        """The vector from start to end, or on a torus to the nearest image of the end."""
        offset = end - start
        return wrap(offset, self.half_size) if self.wraps else offset

    def image(self, start: complex, end: complex) -> complex:
        """The place of the end, or on a torus of its image nearest to the start."""
        return start + wrap(end - start, self.half_size) if self.wraps else end

    def wrap(self, place: complex) -> complex:
        """The place itself, or on a torus its image in the square."""
        return wrap(place, self.half_size) if self.wraps else place

    def shift(self, step: complex) -> complex:
        """The shift by a torus of a player that crossed an edge, exactly 0 otherwise."""
        size = 2.0 * self.half_size
        across, up = math.floor(step.real / size + 0.5), math.floor(step.imag / size + 0.5)
        return complex(size * across, size * up)

    def path_to_contact(
        self, obstacles: Obstacles, radius: float, start: complex, step: complex
    ) -> tuple[float, complex]:
        """The share of a straight step that is free, and the normal of the obstacle at its end.

        They are 1 and 0 if there is none; the normal is the outward unit vector at the contact.
        """
        free, normal = 1.0, 0j
        for obstacle in obstacles:
            if obstacle.radius > 0.0:
                outward = -self.offset(start, obstacle.center)
                reach = obstacle.radius + radius
                share, away = contact_with_point(0j, reach, outward, step)
                if share < free:
                    free, normal = share, away
        return free, normal

    def is_blocked(self, obstacles: Obstacles, radius: float, place: complex) -> bool:
        """Returns whether a body at a place overlaps an obstacle by more than rounding."""
        for obstacle in obstacles:
            distance = norm(self.offset(place, obstacle.center))
            if obstacle.radius > 0.0 and distance < obstacle.radius + radius - ROUNDING:
                return True
        return False

    def glide(
        self, radius: float, start: complex, velocity: complex, dt: float
    ) -> tuple[complex, complex]:
        """Moves a body for dt seconds where there are no obstacles.

        Returns its position, not yet wrapped on a torus, and its velocity without the part into
        a wall.
        """
        end = start + scale(velocity, dt)
        if not self.is_walled_square:
            return end, velocity
        return stop_at_walls(end, velocity, self.half_size - radius)

    def move(
        self, obstacles: Obstacles, radius: float, start: complex, velocity: complex, dt: float
    ) -> tuple[complex, complex]:
        """`glide` among obstacles: up to the first contact, then along what is touched.

        It stops at a second contact.
        """
        step = scale(velocity, dt)
        free, normal = self.path_to_contact(obstacles, radius, start, step)
        if free < 1.0:
            velocity -= scale(normal, min(0.0, dot(velocity, normal)))
            contact = start + scale(step, free)
            contact = self.clamp(radius, contact)  # an obstacle may reach through a wall
            end, velocity = self.glide(radius, contact, velocity, (1.0 - free) * dt)
        else:
            contact = start
            end, velocity = self.glide(radius, start, velocity, dt)
        slide = end - contact
        free, normal = self.path_to_contact(obstacles, radius, contact, slide)
        if free < 1.0:
            end = contact + scale(slide, free)
            velocity -= scale(normal, min(0.0, dot(velocity, normal)))
        if self.is_blocked(obstacles, radius, end):
            return start, 0j  # wedged between an obstacle and something else
        return end, velocity

    def offsets(self, starts: Places, ends: Places) -> Places:
        """`offset` for arrays of complex numbers that are broadcast together."""
        found: Places = ends - starts
        if not self.wraps:
            return found
        size, parts = self.period, (found.real, found.imag)
        x, y = (part - size * np.floor(part / size + 0.5) for part in parts)
        return x + 1j * y

    def contains(self, places: Places, radius: float | Numbers = 0.0) -> NDArray[np.bool_]:
        """Returns which places are in the square, by rounding at most 1e-9 of it outside.

        Bodies of a radius, in meters, are between walls as a whole.
        """
        farther = np.maximum(np.abs(places.real), np.abs(places.imag))
        room = self.half_size * (1.0 + ROUNDING) - (radius if self.is_walled_square else 0.0)
        return np.asarray(farther <= room)  # nan is nowhere

    def on_page(self) -> dict[str, Any]:
        """The region as data for the pages that show games."""
        about = {"wraps": self.wraps, "hasWalls": self.has_walls, "isBounded": self.is_bounded}
        return {"size": 2.0 * self.half_size, **about}
