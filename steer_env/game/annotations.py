"""What can be drawn beside players: where they aim, what they feel and see, whom they reach.

Every number comes from the functions that decide, so that what is drawn is what is decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import ARENAS, nearest_image, nearest_offset, room
from steer_env.game.config import GameConfig
from steer_env.game.parts import paced_length
from steer_env.game.sight import nearest_active
from steer_env.scripts.script import Script
from steer_env.steering import prediction
from steer_env.steering.avoidance import detection_box, wall_feelers
from steer_env.steering.chase import (
    comes_at_me,
    nearest_hiding_place,
    offset_pursuit_aim,
    pursuit_aim,
)
from steer_env.steering.compilation import records
from steer_env.steering.guidance import apollonius_circle
from steer_env.steering.vectors import norm
from steer_env.steering.vehicle import OBSTACLE, Vehicle
from steer_env.steering.wander import wander_circle, wander_target

LARGEST_RADIUS = 1e4
"""In meters; an Apollonius circle that is larger is a straight line in any arena."""

_AT_THE_OPPONENT = ("seek", "flee", "arrive")
_FLOCKING = ("separation", "alignment", "cohesion")


class Marks(NamedTuple):
    """What can be drawn beside one player, in meters; None or () where there is nothing.

    On a torus, points are at the image that is nearest to the player.

    Attributes:
        aim: the point that it steers for or away from.
        lead: where a line to the aim starts: its opponent as it sees it.
        threat_range: around it; an opponent that is farther away is ignored.
        wander: the circle that its wandering aims at: center, radius, the target on it.
        feelers: the tips of its three wall feelers: ahead, left, right. They are as long as
            it is fast; who is slow also feels walls that are near, whatever its heading: see
            `steer_env.game.parts.keep_off_walls`.
        field_of_view: within which it looks at teammates: radius, and the angle to both sides
            of the heading, in radians.
        corridor: in which it looks for obstacles: how far ahead, and half its width.
        apollonius: of a pursuer, the points that it and its nearest quarry reach at once:
            center and radius.
        lookahead: how far ahead it predicts its opponent for the aim, in seconds.
    """

    aim: complex | None = None
    lead: complex | None = None
    threat_range: float | None = None
    wander: tuple[complex, float, complex] | None = None
    feelers: tuple[complex, ...] = ()
    field_of_view: tuple[float, float] | None = None
    corridor: tuple[float, float] | None = None
    apollonius: tuple[complex, float] | None = None
    lookahead: float | None = None


def marks_of(
    record: np.void,
    config: GameConfig,
    scripts: tuple[Sequence[Script | None], Sequence[Script | None]],
) -> list[Marks]:
    """What can be drawn beside each player, pursuers first.

    Args:
        record: one record of the state, of `state_dtype`.
        config: the game.
        scripts: the pursuers' and the evaders', of which the record says who plays. Of a side
            that is steered from outside, None, only ``apollonius`` can be told.

    Returns:
        Marks for each player; empty ones for those that are caught.
    """
    game, players = record["game"], records(record["players"])
    chosen = scripts[0][game["pursuer_script"]], scripts[1][game["evader_script"]]
    active, points = players["active"].tolist(), players["wander_point"].tolist()
    bodies = [Vehicle(*body) for body in players["body"].tolist()]
    found = []
    for number, me in enumerate(bodies):
        if not active[number]:
            found.append(Marks())
            continue
        pursuers, evaders = (0, config.pursuers), (config.pursuers, len(bodies))
        is_pursuer = number < config.pursuers
        mates, opponents = (pursuers, evaders) if is_pursuer else (evaders, pursuers)
        other = _seen_opponent(me, players, bodies, opponents, config)
        script = chosen[0 if is_pursuer else 1]
        marks = Marks()
        if script is not None:
            has_mates = sum(active[slice(*mates)]) > 1
            marks = _marks_of_script(
                script, me, other, points[number], has_mates, record["obstacles"], config
            )
        if is_pursuer and other is not None:
            marks = marks._replace(apollonius=_apollonius(me, other))
        found.append(marks)
    return found


def _seen_opponent(
    me: Vehicle,
    players: NDArray[np.void],
    bodies: Sequence[Vehicle],
    opponents: tuple[int, int],
    config: GameConfig,
) -> Vehicle | None:
    arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
    nearest = nearest_active(players, *opponents, me.position, arena, half_size)
    if nearest < 0:
        return None
    other = bodies[nearest]
    place = nearest_image(arena, half_size, me.position, other.position)
    return other if place == other.position else other._replace(position=place)


def _marks_of_script(
    script: Script,
    me: Vehicle,
    other: Vehicle | None,
    wander_point: complex,
    has_mates: bool,
    obstacles: NDArray[np.void],
    config: GameConfig,
) -> Marks:
    marks: dict[str, Any] = {}
    parts = script.parts
    is_wanderer = script.behavior == "wander"
    if "behavior" in parts and not is_wanderer:
        if script.threat_range < math.inf:
            marks["threat_range"] = script.threat_range
        if other is not None and norm(other.position - me.position) <= script.threat_range:
            marks["aim"] = aim = _aim(script, me, other, obstacles, config)
            marks["lead"] = None if aim is None else other.position
            if _predicts(script, me, other):
                marks["lookahead"] = _look_ahead(script, me, other)
    if "wander" in parts or ("behavior" in parts and is_wanderer):
        marks["wander"] = (*wander_circle(me), wander_target(me, wander_point))
    if "walls" in parts and config.arena.kind == "walls":
        marks["feelers"] = wall_feelers(me, paced_length(me, script.feeler_length))
    if has_mates and not parts.keys().isdisjoint(_FLOCKING):
        marks["field_of_view"] = script.neighbor_distance, script.field_of_view
    if "obstacles" in parts and (obstacles["radius"] > 0.0).any():
        marks["corridor"] = detection_box(me, script.obstacle_seconds, script.obstacle_margin)
    return Marks(**marks)


def _aim(
    script: Script,
    me: Vehicle,
    other: Vehicle,
    obstacles: NDArray[np.void],
    config: GameConfig,
) -> complex | None:
    if script.behavior in _AT_THE_OPPONENT:
        return other.position
    if script.behavior == "offset_pursuit":
        return offset_pursuit_aim(me, other, script.offset)
    if script.behavior == "hide":
        discs = _seen_discs(me, obstacles, config)
        place, distance = nearest_hiding_place(me, other, discs, script.hiding_margin)
        return place if distance < math.inf else pursuit_aim(me, other, facing_test=False)
    if _predicts(script, me, other):
        return _predicted(script, me, other, config)
    if script.behavior == "pursuit":
        return other.position
    # Guidance laws follow the line of sight: deviated pursuit a direction beside it, navigation
    # and constant bearing its rotation. None has a point. What a function of the user's own
    # steers for, nobody knows.
    return None


def _predicts(script: Script, me: Vehicle, other: Vehicle) -> bool:
    """Whether it steers by where its opponent will be."""
    if script.behavior == "pursuit":
        return not (script.facing_test and comes_at_me(me, other))
    return script.behavior == "evade"


def _predicted(script: Script, me: Vehicle, other: Vehicle, config: GameConfig) -> complex:
    # The functions of `pursuit_aim`, called one by one: the laws want the script's own cap, and
    # a function made for that, here, could not be compiled.
    time = _look_ahead(script, me, other)
    if script.predictor == "contained":
        arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
        return prediction.contained(other, time, room(arena, half_size, me.radius))
    return getattr(prediction, script.predictor)(other, time)


def _look_ahead(script: Script, me: Vehicle, other: Vehicle) -> float:
    if script.lookahead == "none":
        return 0.0
    if script.lookahead == "constant":
        return min(script.lookahead_seconds, script.lookahead_cap)
    return getattr(prediction, script.lookahead)(me, other, script.lookahead_cap)


def _seen_discs(
    me: Vehicle, obstacles: NDArray[np.void], config: GameConfig
) -> NDArray[np.void]:
    arena, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
    discs = [
        (me.position + nearest_offset(arena, half_size, me.position, center), radius)
        for center, radius in obstacles.tolist()
        if radius > 0.0
    ]
    return records(np.array(discs, OBSTACLE))


def _apollonius(me: Vehicle, quarry: Vehicle) -> tuple[complex, float] | None:
    circle = apollonius_circle(me, quarry)
    return circle if circle[1] <= LARGEST_RADIUS else None
