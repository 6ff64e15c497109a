"""Puts the vehicles of games that have just begun where a caller wants them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import ArenaConfig
from steer_env.game.engine import Engine
from steer_env.game.start_states import checked_places
from steer_env.sides import Side
from steer_env.steering.trigonometry import direction

_ROUNDING = 1e-9  # share
_CONTACT = 1e-6  # meters that a body may be inside an obstacle


class Placement:
    """Where the vehicles of N games start, instead of at random.

    Args:
        given: see `checked_places`; what is not given is as drawn.
        num_games: N.
        players: of each side.

    Raises:
        InvalidType, InvalidValue: for anything else.
    """

    def __init__(self, given: object, num_games: int, players: tuple[int, int]) -> None:
        self._places = checked_places(given, num_games, players)

    def apply(self, engine: Engine, mask: NDArray[np.bool_]) -> None:
        """Moves the vehicles of the games whose mask (N,) is True.

        Raises:
            InvalidValue: if a vehicle would stand outside the arena or in an obstacle, or be
                faster than it can be; nothing has been moved then. Solid bodies that are placed
                on each other part in the first step.
        """
        state = engine.get_state()
        bodies = state["players"]["body"]
        first = 0
        for side, place in zip(Side, self._places):
            last = first + engine.side_size(side)
            body = bodies[mask, first:last]
            speed = _lengths(body["velocity"])
            if "position" in place:
                x, y = np.moveaxis(place["position"][mask], -1, 0)
                body["position"] = x + 1j * y
            if "heading" in place:
                angles = place["heading"][mask]
                headings = [direction(angle) for angle in angles.ravel().tolist()]
                body["heading"] = np.array(headings).reshape(angles.shape)
            if "speed" in place:
                speed = place["speed"][mask]
                is_car = engine.config.model(side.name) == "car"
                if is_car and (speed != body["max_speed"]).any():
                    raise InvalidValue(
                        f"start[{side.name!r}]['speed'] must be max_speed, since a car always "
                        "has this speed; leave it out"
                    )
            heading = body["heading"]
            body["velocity"] = heading.real * speed + 1j * (heading.imag * speed)
            bodies[mask, first:last] = body
            first = last
        with np.errstate(over="ignore"):  # what is too large is refused
            _check_possible(engine.config.arena, bodies[mask], state["obstacles"][mask])
        state["game"]["distance"][mask] = mean_distances(engine, bodies["position"])[mask]
        engine.set_state(state)


def _check_possible(
    arena: ArenaConfig, bodies: NDArray[np.void], discs: NDArray[np.void]
) -> None:
    """Raises an InvalidValue for vehicles outside the arena, in an obstacle, or too fast."""
    place, radius = bodies["position"], bodies["radius"]
    room = arena.half_size * (1.0 + _ROUNDING) - (radius if arena.kind == "walls" else 0.0)
    offsets = _offsets(discs["center"][:, None] - place[:, :, None], arena)
    reach = discs["radius"][:, None] + radius[:, :, None] - _CONTACT
    overlap = (_lengths(offsets) < reach) & (discs["radius"] > 0.0)[:, None]
    farthest = np.maximum(abs(place.real), abs(place.imag))
    speed, fastest = _lengths(bodies["velocity"]), bodies["max_speed"] * (1.0 + _ROUNDING)
    faults = {
        "position of player {} is outside the arena": farthest > room,
        "position of player {} is in an obstacle": overlap.any(axis=2),
        "velocity of player {} is above max_speed": speed > fastest,
    }
    for fault, places in faults.items():
        if places.any():
            player = int(np.argwhere(places)[0, 1])
            raise InvalidValue(f"vehicles cannot start like this: the {fault.format(player)}")


def mean_distances(engine: Engine, positions: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Mean over the evaders of the distance to the nearest pursuer, in meters, (N,)."""
    pursuers = engine.config.pursuers
    offsets = positions[:, None, pursuers:] - positions[:, :pursuers, None]
    offsets = _offsets(offsets, engine.config.arena)
    means: NDArray[np.float64] = _lengths(offsets).min(axis=1).mean(axis=1)
    return means


def _offsets(offsets: NDArray[np.complex128], arena: ArenaConfig) -> NDArray[np.complex128]:
    """Offsets between places; on a torus, to the nearest image."""
    if arena.kind != "torus":
        return offsets
    size = arena.size
    x, y = (part - size * np.floor(part / size + 0.5) for part in (offsets.real, offsets.imag))
    return x + 1j * y


def _lengths(vectors: NDArray[np.complex128]) -> NDArray[np.float64]:
    # np.abs rounds differently on other processors.
    return np.sqrt(vectors.real * vectors.real + vectors.imag * vectors.imag)
