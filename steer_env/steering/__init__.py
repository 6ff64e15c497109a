"""Craig Reynolds' steering behaviors as compiled functions on single vehicles.

These mean the same in all functions:

- ``me`` is the vehicle that steers. Others, such as ``neighbors``, ``mates`` or ``menaces``,
  are a list of `Vehicle` without it, or a record array of `VEHICLE`.
- ``obstacles`` are a list of `Obstacle`, or a record array of `OBSTACLE`.
- ``half_size`` is how far from the middle of a square arena its walls are or, where a body
  moves, its center can be, along x and y, in meters; inf without walls.
- ``period`` is the side of a torus, in meters, and 0 elsewhere.
- ``deceleration_time`` is that of `arrive`; ``lookahead``, ``predict`` and ``facing_test`` are
  those of `pursuit`.
- A steering force is the desired velocity minus the velocity, in newtons, and not truncated.
- ``X_aim`` is the point that ``X`` seeks or arrives at, with the same arguments.

Example:
    >>> from steer_env.steering import Vehicle, advance, pursuit
    >>> hunter = Vehicle(max_speed=3.0, max_force=8.0)
    >>> quarry = Vehicle(position=10 + 0j, velocity=2j, heading=1j, max_speed=2.0)
    >>> for _ in range(160):
    ...     hunter = advance(hunter, pursuit(hunter, quarry), dt=0.05)
    ...     quarry = advance(quarry, 0j, dt=0.05)
    >>> abs(hunter.position - quarry.position) < 1.0
    True
"""

import sys as _sys

# isort: off
# fmt: off
from steer_env.steering.assignment import assignment
from steer_env.steering.avoidance import (
    avoid_collisions, avoid_obstacle, avoid_obstacles, avoid_walls, containment, detection_box,
    distance_to_collision, nearest_approach_time, wall_feelers,
)
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.blending import METHODS, Blend, add_force, finish, next_behavior
from steer_env.steering.chase import (
    blind_side_place, comes_at_me, evade, hide, hiding_place, interpose, interpose_aim,
    nearest_hiding_place, offset_pursuit, offset_pursuit_aim, pursuit, pursuit_aim,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.escape import escape, escape_aim, glide_on, seconds_free
from steer_env.steering.flocking import alignment, cohesion, in_neighborhood, separation
from steer_env.steering.guidance import (
    apollonius_circle, augmented_navigation, closing_speed, constant_bearing, deviated_pursuit,
    line_of_sight_rate, pure_navigation, true_navigation,
)
from steer_env.steering.overlap import (
    overlap_by_diameters, overlap_by_radii, part, part_all, push_out,
)
from steer_env.steering.path import (
    follow_path, follow_waypoints, nearest_on_path, next_waypoint, path_length, point_on_path,
)
from steer_env.steering.prediction import (
    accelerating, braking, closing, constant, contained, intercept, linear, none, own_speed,
    reynolds, target_speed, turn_rate, turning,
)
from steer_env.steering.teams import (
    encirclement, encirclement_aim, encirclement_bearing, encirclement_point, flank_offset,
    flanking, flanking_aim, guard, guard_aim, nearest_of, ward_and_menace,
)
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import (
    clamp_to_square, cross, dot, left, norm, scale, shortest_offset, truncate, unit,
)
from steer_env.steering.vehicle import (
    OBSTACLE, VEHICLE, Obstacle, Vehicle, advance, apply_force, as_vehicle, stop_at_walls,
)
from steer_env.steering.voronoi import voronoi_aim, voronoi_border, voronoi_pursuit
from steer_env.steering.wander import (
    jitter_wander_point, turn_wander_point, walk_sideways, wander, wander_circle,
    wander_sideways, wander_target,
)
# isort: on

__all__ = [
    "METHODS", "OBSTACLE", "VEHICLE", "Blend", "Obstacle", "Vehicle", "accelerating",
    "add_force", "advance", "alignment", "angle_of", "apollonius_circle", "apply_force",
    "arrive", "as_vehicle", "assignment", "augmented_navigation", "avoid_collisions",
    "avoid_obstacle", "avoid_obstacles", "avoid_walls", "blind_side_place", "braking",
    "clamp_to_square", "closing", "closing_speed", "cohesion", "comes_at_me", "compiled",
    "constant", "constant_bearing", "contained", "containment", "cross", "detection_box",
    "deviated_pursuit", "direction", "distance_to_collision", "dot", "encirclement",
    "encirclement_aim", "encirclement_bearing", "encirclement_point", "escape", "escape_aim",
    "evade", "finish", "flank_offset", "flanking", "flanking_aim", "flee", "follow_path",
    "follow_waypoints", "glide_on", "guard", "guard_aim", "hide", "hiding_place",
    "in_neighborhood", "intercept", "interpose", "interpose_aim", "jitter_wander_point", "left",
    "line_of_sight_rate", "linear", "nearest_approach_time", "nearest_hiding_place",
    "nearest_of", "nearest_on_path", "next_behavior", "next_waypoint", "none", "norm",
    "offset_pursuit", "offset_pursuit_aim", "overlap_by_diameters", "overlap_by_radii",
    "own_speed", "part", "part_all", "path_length", "point_on_path", "pure_navigation",
    "pursuit", "pursuit_aim", "push_out", "reynolds", "scale", "seconds_free", "seek",
    "separation", "shortest_offset", "stop_at_walls", "target_speed", "true_navigation",
    "truncate", "turn_rate", "turn_wander_point", "turning", "unit", "voronoi_aim",
    "voronoi_border", "voronoi_pursuit", "walk_sideways", "wall_feelers", "wander",
    "wander_circle", "wander_sideways", "wander_target", "ward_and_menace",
]
# fmt: on

if _sys.modules.get("numba") is not None:  # it may have asked its extensions
    from steer_env.machine_code.jit import know_functions as _know_functions

    _know_functions()
