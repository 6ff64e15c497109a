"""Checks that the parts of a game fit each other: bodies, obstacles, starts and the target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from steer_env.errors import InvalidValue
from steer_env.game.config.parts import OBSTACLE_GAP, PAYOFFS, SIDES, TARGET_PAYOFFS
from steer_env.game.config.starts import start_table
from steer_env.game.config.target import TargetConfig, check_target
from steer_env.game.dynamics import FORCED
from steer_env.game.region import ROUNDING
from steer_env.maps.map import has_room
from steer_env.maps.polygons import distances_to_walls
from steer_env.scenarios.arguments import ARGUMENTS, asked_for

if TYPE_CHECKING:
    from steer_env.game.config.game import Game

_LEAST_RADIUS = 1e-3  # meters, on maps
_CONTACT = 1e-6  # meters that a body may be inside an obstacle, or off a rim


def check_payoff_fits(config: Game) -> None:
    """Raises an InvalidValue for a payoff that is not one of such a game."""
    if config.payoff in TARGET_PAYOFFS and len(config.targets) != 1:
        raise InvalidValue(
            f"payoff={config.payoff!r} needs a target, such as target={{'radius': 1.0}}, and "
            f"one alone; got {len(config.targets)}"
        )
    is_on_rim = any(target.on_rim for target in config.targets)
    if config.payoff == "breach_distance" and not is_on_rim:
        raise InvalidValue(
            "payoff='breach_distance' needs pursuers on the rim: on_rim of the target"
        )
    is_free = config.model("pursuer") == "simple_motion"
    if is_on_rim and not is_free:
        raise InvalidValue(
            "pursuers on the rim of a target need the model 'simple_motion', got "
            f"{config.model('pursuer')!r}"
        )
    if config.payoff != PAYOFFS[0] and config.evaders > 1:
        raise InvalidValue(
            f"payoff={config.payoff!r} is that of one evader, got {config.evaders}; of several "
            "evaders, captures are counted: payoff='capture'"
        )
    if config.payoff != PAYOFFS[0] and config.captors_needed > 1:
        raise InvalidValue(
            f"payoff={config.payoff!r} is that of the first pursuer to come near, got "
            f"captors_needed={config.captors_needed}; leave it at 1"
        )
    if config.payoff != PAYOFFS[0] and config.has_rule("capture"):
        raise InvalidValue(
            f"payoff={config.payoff!r} is about distances; a scenario that decides captures "
            "needs payoff='capture'"
        )


def check_all_fits(config: Game) -> None:
    """Raises an InvalidValue for a game that cannot begin, or without possible captures."""
    for side in SIDES:
        _, radius = config.limit_range(side, "radius")
        if radius >= 0.25 * config.arena_size and not config.map:
            raise InvalidValue(
                f"a {side} of radius {radius:g} m has no room in an arena of side "
                f"{config.arena_size:g} m; the radius must be below a quarter of it"
            )
    if config.map:
        _check_maps_fit(config)
    _check_obstacles_fit(config)
    _check_solid_bodies_fit(config)
    contact = sum(config.limit_range(side, "radius")[1] for side in SIDES)
    by_contact = config.solid == "everyone" and not config.has_rule("capture")
    if by_contact and config.capture_radius <= contact:
        raise InvalidValue(
            "solid='everyone' needs a capture_radius above the sum of both sides' radii, "
            f"{contact:g} m, or no evader is ever caught; got {config.capture_radius:g} m"
        )
    _check_scenario_fits(config)
    if config.head_start and (config.model("pursuer") == "car" or config.has_rule("motion")):
        raise InvalidValue(
            f"in a head_start pursuers stand still, got {config.head_start:g} s; a car cannot, "
            "and a scenario's motion can ask for the time itself"
        )
    for target in config.targets:
        check_target(target, config)
        _check_target_is_free(config, target)
        if target.on_rim and config.solid != "nobody":
            raise InvalidValue(f"pursuers on a rim need solid='nobody', got {config.solid!r}")
        way = config.limit_range("pursuer", "max_speed")[1] * config.dt
        half = math.pi * target.radius
        if target.on_rim and way >= half:
            raise InvalidValue(
                f"pursuers on a rim must run less than half of it in a step, {half:g} m; got "
                f"max_speed * dt = {way:g} m"
            )
    _check_starts_fit(config)


def _check_scenario_fits(config: Game) -> None:
    if config.has_rule("drag") and not {config.model(side) for side in SIDES} <= {*FORCED}:
        raise InvalidValue(
            "the scenario's drag slows masses down; give both sides the model "
            f"{' or '.join(map(repr, FORCED))}"
        )
    if config.has_rule("motion"):
        if any(config.model(side) != "point_mass" or config.drag(side) for side in SIDES):
            raise InvalidValue(
                "the scenario's motion is that of all vehicles; leave out their model and drag"
            )
        if config.has_rule("drag"):
            raise InvalidValue("a scenario has either motion or drag, not both")
    if config.start and config.has_rule("start"):
        raise InvalidValue("pass either start or a scenario with the method start, not both")
    _check_ends_fit(config)


def _check_ends_fit(config: Game) -> None:
    if config.scenario is None or not config.has_rule("ends"):
        return
    if config.payoff != "capture":
        raise InvalidValue(
            f"a scenario that decides ends needs payoff='capture', got {config.payoff!r}"
        )
    asked = asked_for("ends", type(config.scenario).ends, ARGUMENTS["ends"])
    for side in SIDES:
        if side in asked and config.count(side) > 1:
            raise InvalidValue(
                f"the method ends of the scenario {config.scenario.name} asks for one {side}, "
                f"and the game has {config.count(side)}: ask for {side}s"
            )


def _check_maps_fit(config: Game) -> None:
    """Raises an InvalidValue for a map with parts that no vehicle can reach."""
    from steer_env.maps.fits import ground_of  # few games need it

    for side in SIDES:
        thinnest, _ = config.limit_range(side, "radius")
        if thinnest < _LEAST_RADIUS:
            raise InvalidValue(
                f"on a map vehicles need a radius of {_LEAST_RADIUS:g} m or more, or they slip "
                f"through walls; got {thinnest:g} m for the {side}"
            )
    for number, one in enumerate(config.map):
        try:
            ground_of(one, config.highest("radius"))
        except InvalidValue as error:
            raise InvalidValue(f"map {number} of {len(config.map)}: {error}") from None


def _check_target_is_free(config: Game, target: TargetConfig) -> None:
    """Raises an InvalidValue for a disc in which no evader has room on a map."""
    place, least = np.array([complex(*target.position)]), config.limit_range("evader", "radius")
    for number, world in enumerate(config.map if target.kind == "disc" else ()):
        # It is negative in what is solid, and changes by no more than places are apart.
        room = distances_to_walls(world.segments, place)[0]
        room = room if world.contains(place)[0] else -room
        if room + target.radius < least[0] - ROUNDING:
            raise InvalidValue(
                f"no evader has room in the target at {target.position} on map {number} of "
                f"{len(config.map)}: it is in a wall, or outside; move it, or make it larger"
            )


def _check_obstacles_fit(config: Game) -> None:
    size, obstacles, wide = config.arena_size, config.obstacles, config.highest("radius")
    if isinstance(obstacles, int):
        most = _most_obstacles(config, wide)
        if obstacles > most:
            low, high = config.obstacle_radius
            raise InvalidValue(
                f"{obstacles} random obstacles of {low:g} to {high:g} m, with room between "
                f"them for vehicles of {wide:g} m, do not fit into an arena of side "
                f"{size:g} m; at most {most} do"
            )
        return
    side = 2.0 * config.region.start_room(wide)
    covered = sum(math.pi * (radius + wide) ** 2 for _, _, radius in obstacles)
    if covered > 0.5 * side**2:
        raise InvalidValue(
            "obstacles must leave vehicles at least half of the arena; with "
            f"{wide:g} m for a vehicle around each they cover {covered:.1f} of the "
            f"{side**2:.1f} square meters where centers of vehicles can be"
        )


def _most_obstacles(config: Game, wide: float) -> int:
    """The most random obstacles that find room in a game, among vehicles of a radius.

    Discs placed at random jam at some 0.7 (L / D + 1)^2 in a square of side L, with centers at
    least D apart. Up to 0.5 (L / D + 1)^2 at least half of the attempts place all.
    """
    radius, passage = sum(config.obstacle_radius) / 2.0, OBSTACLE_GAP * wide
    side = config.arena_size - 2.0 * (radius + passage)
    return max(1, int(0.5 * (side / (2.0 * radius + passage) + 1.0) ** 2)) if side > 0.0 else 0


def _check_solid_bodies_fit(config: Game) -> None:
    """Raises an InvalidValue unless solid bodies find places at random, one after the other.

    They do while the squares around them, of side r + R for radii r and R, take half of the
    arena.
    """
    if config.solid == "nobody":
        return
    size, obstacles = config.arena_size, config.obstacles
    if isinstance(obstacles, int):
        discs = [config.obstacle_radius[1]] * obstacles
    else:
        discs = [radius for _, _, radius in obstacles]
    teams = [[high for _, high in config.limit_ranges(side, "radius")] for side in SIDES]
    for crowd in [teams[0] + teams[1]] if config.solid == "everyone" else teams:
        wide = max(crowd)
        taken = sum((other + wide) ** 2 for other in (*crowd, *discs))
        if len(crowd) > 1 and taken > 0.5 * size**2:
            raise InvalidValue(
                f"{len(crowd)} solid bodies of up to {wide:g} m have no room to start apart in "
                f"an arena of side {size:g} m: with the obstacles they take {taken:.1f} of its "
                f"{size**2:g} square meters; half is the most"
            )


def _check_starts_fit(config: Game) -> None:
    """Raises an InvalidValue for given starts that some vehicle, or some map, cannot have."""
    table = start_table(config.start, (config.pursuers, config.evaders))
    if len(table) == 0 and not config.has_rule("start"):
        return
    listed = config.obstacles or ()
    if isinstance(listed, int):
        what = "start needs an arena without random obstacles"
        raise InvalidValue(f"{what}: they would be in the way")
    if len(table) == 0:
        return
    if config.solid != "nobody":
        raise InvalidValue(f"start needs solid='nobody', got {config.solid!r}")
    for side, speeds in zip(SIDES, np.split(table[..., 4], [config.pursuers], axis=1)):
        if config.model(side) == "car" and not np.isnan(speeds).all():
            raise InvalidValue(
                f"start[{side!r}]['speed'] must be left out: a car always has its max_speed"
            )
    radii, speeds = (
        np.array([span for side in SIDES for span in config.limit_ranges(side, limit)])
        for limit in ("radius", "max_speed")
    )
    discs = np.array(listed, float).reshape(1, -1, 3)
    places, centers = (one[..., 0] + 1j * one[..., 1] for one in (table, discs))
    limits = radii[:, 1], speeds[:, 0]  # of the widest and the slowest
    check_starts(config, places, table[..., 4], limits, (centers, discs[..., 2]))


def check_starts(
    config: Game, places: Any, speeds: Any, limits: Any, discs: Any, maps: Any = None
) -> None:
    """Raises an InvalidValue for vehicles that cannot start where, or as fast, as given.

    Places, in meters, and speeds, in m/s, are those of M games, (M, players), with nan for what
    is drawn. Limits are the radii and the top speeds, of this shape or (players,); discs the
    centers and the radii of obstacles, (M or 1, obstacles). Maps are the numbers of the games'
    maps, (M,), or None: then the starts must fit all.
    """
    for fault, wrong in _faults(config, places, speeds, limits, discs, maps):
        for player in np.argwhere(wrong)[:1, -1]:
            raise InvalidValue(f"vehicles cannot start like this: {fault.format(player)}")


def _faults(
    config: Game, places: Any, speeds: Any, limits: Any, discs: Any, maps: Any
) -> Iterator[tuple[str, Any]]:
    """Yields what vehicles cannot do, and which of them would do it, (..., players)."""
    region, is_given = config.region, ~np.isnan(places)
    radii, (centers, reach) = np.broadcast_to(limits[0], places.shape), discs
    must = f"it must be within {region.half_size:g} m of the middle, along x and along y"
    what = "with its whole body" if region.is_walled_square else "with its center"
    is_outside = is_given & ~region.contains(places, radii)
    fault = f"the position of player {{}} is outside the arena: {must}, {what}"
    yield fault, is_outside
    for number, world in enumerate(config.map):
        chosen = np.full(len(places), True) if maps is None else maps == number
        is_in_wall = is_given & chosen[:, None]
        is_in_wall[chosen] &= ~has_room(world, places[chosen], radii[chosen])
        yield f"player {{}} is in a wall on map {number} of {len(config.map)}", is_in_wall
    offsets = region.offsets(places[:, :, None], centers[:, None])
    overlaps = lengths(offsets) < reach[:, None] + radii[:, :, None] - _CONTACT
    overlaps &= (reach > 0.0)[:, None]
    yield "the position of player {} is in one of the obstacles", overlaps.any(axis=2)
    yield "player {} is faster than its max_speed", speeds > limits[1] * (1.0 + ROUNDING)
    pursuers, evaders = np.split(places, [config.pursuers], axis=1)
    yield "an evader is in the target", config.distances_to_target(evaders.ravel()) == 0.0
    for target in config.targets:
        if target.on_rim:
            off = lengths(pursuers - complex(*target.position)) - target.radius
            yield "a pursuer is off the rim of the target", np.abs(off) > _CONTACT


def lengths(vectors: Any) -> Any:
    """The lengths of complex numbers, the same on every processor, unlike np.abs."""
    return np.sqrt(vectors.real * vectors.real + vectors.imag * vectors.imag)
