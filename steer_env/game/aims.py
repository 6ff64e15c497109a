"""Where scripted players aim, for drawing: the predicted point of their opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from steer_env.game.arena import ARENAS, nearest_offset, room
from steer_env.game.config import GameConfig
from steer_env.game.script import Script
from steer_env.steering import prediction
from steer_env.steering.chase import Lookahead, Predictor, pursuit_aim
from steer_env.steering.vehicle import Vehicle

_PREDICTS = ("pursuit", "evade")
_LOOKS_AT = ("seek", "flee", "arrive")


def lookahead_of(script: Script) -> Lookahead:
    """The script's lookahead law with its own settings, as a function of (me, other)."""
    law: Callable[..., float] = getattr(prediction, script.lookahead)

    def look_ahead(me: Vehicle, other: Vehicle) -> float:
        if script.lookahead == "none":
            return 0.0
        if script.lookahead == "constant":
            return min(script.lookahead_seconds, script.lookahead_cap)
        return law(me, other, script.lookahead_cap)

    return look_ahead


def predictor_of(script: Script, half_size: float) -> Predictor:
    """The script's predictor as a function of (other, time).

    Args:
        script: whose.
        half_size: how far from the arena's middle a vehicle can be; see `arena.room`.
    """
    predict: Callable[..., complex] = getattr(prediction, script.predictor)
    if script.predictor != "contained":
        return predict
    return lambda other, time: predict(other, time, half_size)


def aim_points(
    record: np.void, config: GameConfig, scripts: tuple[Sequence[Script], Sequence[Script]]
) -> list[complex | None]:
    """The point that each player steers for or away from, in meters.

    Args:
        record: one record of the state.
        config: the game.
        scripts: the pursuers' and the evaders', of which the record says who plays.

    Returns:
        A point for each player; None where it has none: caught, alone, without threat, or
        with a behavior that does not aim at one.
    """
    players = record["players"]
    chosen = (
        scripts[0][record["game"]["pursuer_script"]],
        scripts[1][record["game"]["evader_script"]],
    )
    arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
    bodies = [Vehicle(*(body[name] for name in Vehicle._fields)) for body in players["body"]]
    points: list[complex | None] = []
    for number, me in enumerate(bodies):
        is_pursuer = number < config.pursuers
        first, last = (config.pursuers, len(bodies)) if is_pursuer else (0, config.pursuers)
        offsets = {
            index: nearest_offset(arena, half_size, me.position, bodies[index].position)
            for index in range(first, last)
            if players["active"][index]
        }
        if not players["active"][number] or not offsets:
            points.append(None)
            continue
        nearest = min(offsets, key=lambda index: abs(offsets[index]))
        other = bodies[nearest]._replace(position=me.position + offsets[nearest])
        script = chosen[0 if is_pursuer else 1]
        points.append(_aim_point(script, me, other, room(arena, half_size, me.radius)))
    return points


def _aim_point(script: Script, me: Vehicle, other: Vehicle, reach: float) -> complex | None:
    if abs(other.position - me.position) > script.threat_range:
        return None
    if script.behavior in _LOOKS_AT:
        return other.position
    if script.behavior not in _PREDICTS:
        return None
    is_tested = script.behavior == "pursuit" and script.facing_test
    return pursuit_aim(me, other, lookahead_of(script), predictor_of(script, reach), is_tested)
