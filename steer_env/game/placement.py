"""Puts the vehicles of games that have just begun where a caller wants them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.arena import ROUNDING
from steer_env.game.engine import Engine
from steer_env.game.rules import game_rules
from steer_env.game.solid import are_solid
from steer_env.game.start_states import checked_places
from steer_env.sides import Side
from steer_env.steering.trigonometry import direction


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
            InvalidValue: if a vehicle would stand outside the arena, in an obstacle or in
                another that is solid and has its place from the caller too, or be faster than
                it can be; nothing has been moved then. Solid bodies that are placed on one with
                a random place part in the first step.
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
        engine.check_motion(state)
        self._check_apart(engine, bodies[mask])
        state["game"]["distance"][mask] = mean_distances(engine, bodies["position"])[mask]
        engine.set_state(state)

    def _check_apart(self, engine: Engine, bodies: NDArray[np.void]) -> None:
        """Raises an InvalidValue for solid bodies that a caller places on each other."""
        config = engine.config
        if config.solid == "nobody":
            return
        rules = game_rules(config, (1, 1))[0]
        placed = [
            number
            for number in range(config.pursuers + config.evaders)
            if "position" in self._places[number >= config.pursuers]
        ]
        for rank, one in enumerate(placed):
            others = [two for two in placed[rank + 1 :] if are_solid(one, two, rules)]
            offsets = bodies["position"][:, [one]] - bodies["position"][:, others]
            if config.arena.kind == "torus":
                size = config.arena.size
                offsets = _wrapped(offsets.real, size) + 1j * _wrapped(offsets.imag, size)
            reach = bodies["radius"][:, [one]] + bodies["radius"][:, others]
            overlap = (_lengths(offsets) < reach - ROUNDING).any(axis=0)
            if overlap.any():
                two = others[int(overlap.argmax())]
                raise InvalidValue(
                    f"vehicles cannot start like this: players {one} and {two} are solid, and "
                    "would overlap"
                )


def mean_distances(engine: Engine, positions: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Mean over the evaders of the distance to the nearest pursuer, in meters, (N,).

    Args:
        engine: of the games.
        positions: (N, players).
    """
    pursuers, size = engine.config.pursuers, engine.config.arena.size
    offsets = positions[:, None, pursuers:] - positions[:, :pursuers, None]
    if engine.config.arena.kind == "torus":
        offsets = _wrapped(offsets.real, size) + 1j * _wrapped(offsets.imag, size)
    means: NDArray[np.float64] = _lengths(offsets).min(axis=1).mean(axis=1)
    return means


def _wrapped(offset: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    wrapped: NDArray[np.float64] = offset - size * np.floor(offset / size + 0.5)
    return wrapped


def _lengths(vectors: NDArray[np.complex128]) -> NDArray[np.float64]:
    # np.abs rounds differently on other processors.
    return np.sqrt(vectors.real * vectors.real + vectors.imag * vectors.imag)
