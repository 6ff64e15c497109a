"""The targets that evaders want to reach while pursuers guard them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue, check_array, check_flag, coerce, got
from steer_env.fields import Bounds, check_entries, configuration, entry
from steer_env.game.region import Region
from steer_env.steering.targets import Target, disc, half_plane, offset_to_target
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import norm

if TYPE_CHECKING:
    from steer_env.game.config.game import Game

TARGETS = ("disc", "half_plane", "gap")

MOST_TARGETS = 8
"""Targets of a game."""

_WEIGHT, _LENGTH = Bounds(0.0, 1e6), Bounds(0.0, 1e4)
_CONTACT = 1e-6  # meters within which a point, or a wall, is reached
_ROUNDING = 1e-9  # meters
_LEAST_ROOM = 0.25  # share of the places to start from that is outside the target
_LATTICE = 33  # places along a side of the arena that are looked at
_CORNERS = 64  # of a disc in pictures
_LEAST_DRAWN = 0.01  # radius of a disc in pictures, as a share of half the arena's side
_GAP_DEPTH = 0.04  # of a gap in pictures, as a share of half the arena's side


@configuration
class TargetConfig:
    """A place that evaders want to reach: an evader in it is safe, and out of the game.

    It is reached when the evader's center comes to its edge, at any moment of a step; a gap, a
    part of a wall, when the largest evader's body touches it.
    """

    kind: str = entry("its shape", one_of=TARGETS, called="kind of target", default="disc")
    position: tuple[float, float] = entry(
        "the center of the disc or of the gap (on a wall), or a point of the half-plane's edge",
        "m",
        default=(0.0, 0.0),
    )
    radius: float = entry(
        "radius of the disc; 0 for a point, which is reached within 1e-6 m",
        "m",
        _LENGTH,
        default=1.0,
    )
    width: float = entry("width of the gap", "m", Bounds(1e-3, 1e4), default=4.0)
    heading: float = entry(
        "direction from the half-plane's edge to where evaders start, counter-clockwise",
        "rad",
        Bounds(-1e3, 1e3),
        default=0.0,
    )
    on_rim: bool = entry(
        "whether pursuers are on the rim of the disc, and stay there", default=False
    )
    reach: float = entry(
        "reward of the evaders for reaching it; each one that does earns its share, once. With "
        'payoff="breach_distance", per meter of the breach distance',
        within=_WEIGHT,
        default=1.0,
    )
    approach: float = entry(
        "reward of the evaders for coming nearer to it by the arena's diagonal; the pursuers' "
        "rewards are the negative",
        within=_WEIGHT,
        default=1.0,
    )

    def __post_init__(self) -> None:
        check_entries(self)
        place = check_array("position of the target", self.position)
        if place.shape != (2,) or not (np.abs(place) <= _LENGTH.high).all():
            raise InvalidValue(
                f"position of the target must be (x, y) in meters, {got(self.position)}"
            )
        object.__setattr__(self, "position", tuple(place.tolist()))
        object.__setattr__(self, "on_rim", check_flag("on_rim of the target", self.on_rim))
        if self.on_rim and (self.kind != "disc" or self.radius <= 0.0):
            raise InvalidValue(
                f"on_rim needs a disc, got {self.kind!r} with the radius {self.radius:g} m"
            )

    def shape(self, region: Region, radius: float) -> Target:
        """The target in a region, for evaders of a radius (in meters)."""
        place = complex(*self.position)
        if self.kind == "half_plane":
            return half_plane(place, direction(self.heading))
        if self.kind == "disc":
            return disc(place, max(self.radius, _CONTACT))
        along = 1j if abs(place.real) == region.half_size else 1.0 + 0j
        return Target(place, along, 0.5 * self.width, radius + _CONTACT, False)

    def outline(self, region: Region) -> Sequence[complex]:
        """The corners of a polygon that pictures tint."""
        edge, half_size = complex(*self.position), region.half_size
        if self.kind == "disc":
            turns = 2.0 * math.pi * np.arange(_CORNERS) / _CORNERS
            radius = max(self.radius, _LEAST_DRAWN * half_size)
            return tuple((edge + radius * np.exp(1j * turns)).tolist())
        if self.kind == "half_plane":
            beyond, half_length = -direction(self.heading), 8.0 * half_size
            depth = half_length
        else:
            half_length, depth = 0.5 * self.width, _GAP_DEPTH * half_size
            is_vertical = abs(edge.real) == half_size
            beyond = complex(np.sign(edge.real)) if is_vertical else 1j * np.sign(edge.imag)
            edge -= beyond * depth  # inside the wall, where it is seen
        side, back = 1j * beyond * half_length, beyond * depth
        return edge - side, edge + side, edge + side + back, edge - side + back


def checked_targets(given: object) -> TargetConfig | tuple[TargetConfig, ...]:
    """One target, or a tuple of several, from a `TargetConfig`, a dict or a list of them."""
    if not isinstance(given, list | tuple):
        target: TargetConfig = coerce(TargetConfig, "target", given)
        return target
    if not 1 <= len(given) <= MOST_TARGETS:
        raise InvalidValue(
            f"target must be one, or a list of 1 to {MOST_TARGETS}, got {len(given)} of them"
        )
    found = tuple(coerce(TargetConfig, f"target[{n}]", one) for n, one in enumerate(given))
    if len(found) == 1:
        return found[0]
    if any(target.on_rim for target in found):
        raise InvalidValue("pursuers on the rim of a target (on_rim) need a game with that one")
    for weight in ("reach", "approach"):
        weights = [getattr(target, weight) for target in found]
        if len({*weights}) > 1:
            raise InvalidValue(
                f"{weight} must be the same number in all targets, since the nearest one "
                f"counts, got {weights}"
            )
    return found


def check_target(target: TargetConfig, config: Game) -> None:
    """Raises an InvalidValue for a target that does not fit into a game."""
    region, (x, y) = config.region, target.position
    half = region.half_size
    shape = target.shape(region, config.limit_range("evader", "radius")[1])
    farthest = max(abs(x), abs(y))
    if target.kind == "gap":
        on_wall = region.is_walled_square and farthest == half
        if not on_wall or min(abs(x), abs(y)) + 0.5 * target.width > half:
            raise InvalidValue(
                "a gap is a part of a wall: arena='walls', and position on a wall, with the "
                f"whole width within it, such as ({half:g}, 0); got {target.position} with the "
                f"width {target.width:g} m in arena={config.arena!r}"
            )
    elif target.kind == "disc" and region.is_bounded and farthest + target.radius > half:
        raise InvalidValue(
            f"the target must be inside the arena, within {half:g} m of its middle along x and "
            f"y; got a disc of {target.radius:g} m at {target.position}"
        )
    elif target.kind == "half_plane" and region.wraps:
        raise InvalidValue("a half-plane has no edge on a torus; choose a disc")
    if not isinstance(config.obstacles, int):
        for left, up, size in config.obstacles:
            if distances_to(shape, np.array([complex(left, up)]))[0] < size:
                raise InvalidValue(
                    f"the target must not be inside an obstacle, or touch one; the one at "
                    f"({left:g}, {up:g}) with the radius {size:g} m does"
                )
    side = half * ((2.0 * np.arange(_LATTICE) + 1.0) / _LATTICE - 1.0)
    places = (side + 1j * side[:, None]).ravel()
    room = np.mean(distances_to(shape, places) > 0.0)
    is_missed = target.kind == "half_plane" and room == 1.0
    if len(config.targets) > 1:  # which leave less together
        room = np.mean(np.all([distances_to(s, places) > 0.0 for s in config.shapes], axis=0))
    if room < _LEAST_ROOM or is_missed:
        raise InvalidValue(
            "targets must leave a quarter of the places where vehicles start, and a "
            f"half-plane must not leave all; of the square of {config.arena_size:g} m "
            f"{100 * room:.0f}% are outside it"
        )


def distances_to(target: Target, places: NDArray[np.complex128]) -> NDArray[np.float64]:
    """The distances of places, (N,), from a target, in meters: 0 within 1e-9 m."""
    far = [norm(offset_to_target(target, place)) for place in places.tolist()]
    found = np.array(far, np.float64)
    found[found < _ROUNDING] = 0.0
    return found
