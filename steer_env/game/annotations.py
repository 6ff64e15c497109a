"""What can be drawn beside players: their aims, feelers and fields of view, and their reach.

Every number comes from the functions that decide, so that what is drawn is what is decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.game.annotated_sight import Sight, remembered
from steer_env.game.arena import ARENAS, nearest_image, room
from steer_env.game.config import GameConfig
from steer_env.game.sight import as_observed
from steer_env.scripts.force import Surroundings, aim_of, minds, pace, predicts, time_ahead
from steer_env.scripts.script import Script
from steer_env.scripts.table import SCRIPT, script_row
from steer_env.scripts.team_force import (
    TeamSurroundings,
    fill_targets,
    team_aim_of,
    team_predicts,
)
from steer_env.steering.addresses import address_of
from steer_env.steering.assignment import workspace
from steer_env.steering.avoidance import detection_box, wall_feelers
from steer_env.steering.guidance import apollonius_circle
from steer_env.steering.own_functions import ASKED
from steer_env.steering.teams import nearest_of
from steer_env.steering.vehicle import OBSTACLE, Vehicle
from steer_env.steering.wander import wander_circle, wander_target

LARGEST_RADIUS = 1e4
"""In meters; an Apollonius circle that is larger is a straight line in any arena."""

_FLOCKING = ("separation", "alignment", "cohesion")


class Annotations(NamedTuple):
    """What can be drawn beside one player, in meters; None or () where there is nothing.

    On a torus, points are at the image that is nearest to the player.

    Attributes:
        aim: the point that it steers for or away from.
        lead: where a line to the aim starts: the opponent that it is after, as it sees it.
        threat_range: around it; an opponent that is farther away is ignored.
        wander: the circle that its wandering aims at: center, radius, the target on it.
        feelers: the tips of its three wall feelers: ahead, left, right. They are as long as
            it is fast; a slow vehicle also feels near walls, whatever its heading: see
            `steer_env.scripts.force.keep_off_walls`.
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


def annotations_of(
    record: np.void,
    config: GameConfig,
    scripts: tuple[Sequence[Script | None], Sequence[Script | None]],
) -> list[Annotations]:
    """What can be drawn beside each player, pursuers first.

    Args:
        record: one record of the state, of `state_dtype`.
        config: the game.
        scripts: the pursuers' and the evaders'; the record says which of them play. For a side
            that is steered from outside, None, only ``apollonius`` is known.

    Returns:
        The annotations of each player; none for a player that is caught.
    """
    game, players = record["game"], record["players"]
    chosen = scripts[0][game["pursuer_script"]], scripts[1][game["evader_script"]]
    active, points = players["active"].tolist(), players["wander_point"].tolist()
    bodies = [Vehicle(*body) for body in players["body"].tolist()]
    teams = range(config.pursuers), range(config.pursuers, len(bodies))
    playing = [[bodies[number] for number in team if active[number]] for team in teams]
    places = [np.array([body.position for body in team], np.complex128) for team in playing]
    found = []
    for number, me in enumerate(bodies):
        if not active[number]:
            found.append(Annotations())
            continue
        is_pursuer = number < config.pursuers
        mine, theirs = (0, 1) if is_pursuer else (1, 0)
        nearest = _nearest(me, playing[theirs], places[theirs], config)
        script = chosen[mine]
        annotations = Annotations()
        if script is not None:
            mates: Sequence[Vehicle] = ()
            opponents = [] if nearest is None else [nearest]
            discs = _seen_discs(me, record["obstacles"], config)
            if script.looks_at_team:
                mates = [_as_seen_by(me, o, config) for o in playing[mine] if o is not me]
                opponents = [_as_seen_by(me, other, config) for other in playing[theirs]]
            elif script.sees != "all":
                sight = Sight(me, discs, config)
                seen = [body for body in playing[theirs] if sight.sees(body)]
                seen_at = np.array([body.position for body in seen], np.complex128)
                other = _nearest(me, seen, seen_at, config)
                opponents = [other] if other is not None else []
                opponents = opponents or remembered(record, number, script, config)
                discs = sight.discs
            annotations = _annotations_of_script(
                script, me, mates, opponents, points[number], discs, config
            )
        if len(playing[mine]) == 1:  # there is nobody to flock with
            annotations = annotations._replace(field_of_view=None)
        if is_pursuer and nearest is not None:
            annotations = annotations._replace(apollonius=_apollonius(me, nearest))
        found.append(annotations)
    return found


def _seen_at(me: Vehicle, place: complex, config: GameConfig) -> complex:
    """The image of a place that is nearest to a vehicle."""
    arena = ARENAS.index(config.arena.kind)
    return nearest_image(arena, config.arena.half_size, me.position, place)


def _nearest(
    me: Vehicle,
    others: Sequence[Vehicle],
    places: NDArray[np.complex128],
    config: GameConfig,
) -> Vehicle | None:
    """The nearest of some vehicles, at its image nearest to me; None if there is none.

    Args:
        me: the vehicle that looks.
        others: those looked at, in the order of their numbers.
        places: theirs, in meters.
        config: the game.
    """
    if not others:
        return None
    offsets, size = places - me.position, config.arena.size
    x, y = offsets.real, offsets.imag
    if config.arena.kind == "torus":
        x, y = (along - size * np.floor(along / size + 0.5) for along in (x, y))
    nearest = others[int(np.argmin(x * x + y * y))]
    return _as_seen_by(me, nearest, config)


def _as_seen_by(me: Vehicle, other: Vehicle, config: GameConfig) -> Vehicle:
    """Another vehicle at its image nearest to me, as an observation shows it."""
    return as_observed(other._replace(position=_seen_at(me, other.position, config)), False)


def _look_around(
    script: Script,
    row: Any,
    me: Vehicle,
    mates: Sequence[Vehicle],
    opponents: Sequence[Vehicle],
    discs: NDArray[np.void],
    config: GameConfig,
) -> tuple[Vehicle, Surroundings | TeamSurroundings]:
    """The opponent that a script is after, of at least one, and what is around its vehicle."""
    kind, half_size = ARENAS.index(config.arena.kind), config.arena.half_size
    period = config.arena.size if config.arena.kind == "torus" else 0.0
    space = room(kind, half_size, me.radius)
    place = Surroundings(space, discs, period, config.capture_radius)
    if not script.looks_at_team:
        return opponents[nearest_of(me, opponents)], place
    work = workspace(1 + len(mates) + len(opponents))
    fill_targets(row, work, me, mates, opponents, period)
    target = work.target
    partners = [mate for mate, its in zip(mates, target[1:]) if its == target[0]]
    return opponents[target[0]], TeamSurroundings(place, mates, partners, opponents)


def _annotations_of_script(
    script: Script,
    me: Vehicle,
    mates: Sequence[Vehicle],
    opponents: Sequence[Vehicle],
    wander_point: complex,
    discs: NDArray[np.void],
    config: GameConfig,
) -> Annotations:
    found: dict[str, Any] = {}
    parts, row = script.parts, _fields_of(script, config.dt)
    is_wanderer = script.behavior == "wander"
    if "behavior" in parts and not is_wanderer:
        if script.threat_range < math.inf:
            found["threat_range"] = script.threat_range
        if opponents:
            found.update(_thoughts(script, row, me, mates, opponents, discs, config))
    if "wander" in parts or ("behavior" in parts and is_wanderer):
        found["wander"] = (*wander_circle(me), wander_target(me, wander_point))
    if "walls" in parts and config.arena.kind == "walls":
        found["feelers"] = wall_feelers(me, pace(me) * script.feeler_length)
    if not parts.keys().isdisjoint(_FLOCKING):
        found["field_of_view"] = script.neighbor_distance, script.field_of_view
    if "obstacles" in parts and len(discs) > 0:
        found["corridor"] = detection_box(me, script.obstacle_seconds, script.obstacle_margin)
    return Annotations(**found)


def _thoughts(
    script: Script,
    row: Any,
    me: Vehicle,
    mates: Sequence[Vehicle],
    opponents: Sequence[Vehicle],
    discs: NDArray[np.void],
    config: GameConfig,
) -> dict[str, Any]:
    """The annotations of a script's main behavior that there are; see `_look_around`."""
    me, asked = as_observed(me, True), np.zeros(2, ASKED)
    other, around = _look_around(script, row, me, mates, opponents, discs, config)
    if not minds(row, me, other):
        return {}
    found: dict[str, Any] = {}
    address = address_of(asked)
    if isinstance(around, TeamSurroundings):
        has_aim, aim = team_aim_of(row, me, other, around, address)
        looks_ahead = team_predicts(row, me, other)
    else:
        has_aim, aim = aim_of(row, me, other, around, address)
        looks_ahead = predicts(row, me, other)
    if has_aim:
        found["aim"], found["lead"] = aim, other.position
    if looks_ahead:
        found["lookahead"] = time_ahead(row, me, other, address)
    return found


@lru_cache(maxsize=1024)
def _fields_of(script: Script, dt: float) -> Any:
    """A script's row of the table as a plain object: its fields are faster to read."""
    row = script_row(script, dt)
    return SimpleNamespace(**dict(zip(SCRIPT.names or (), row.item())))


def _seen_discs(
    me: Vehicle, obstacles: NDArray[np.void], config: GameConfig
) -> NDArray[np.void]:
    """The obstacles of a game at their images nearest to a vehicle."""
    discs = [
        (_seen_at(me, center, config), radius)
        for center, radius in obstacles.tolist()
        if radius > 0.0
    ]
    return np.array(discs, OBSTACLE)


def _apollonius(me: Vehicle, quarry: Vehicle) -> tuple[complex, float] | None:
    circle = apollonius_circle(me, quarry)
    return circle if circle[1] <= LARGEST_RADIUS else None
