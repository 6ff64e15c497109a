"""Craig Reynolds' steering behaviors as compiled functions on single vehicles.

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

from steer_env.steering.avoidance import (
    avoid_collisions,
    avoid_obstacle,
    avoid_obstacles,
    avoid_walls,
    containment,
    distance_to_collision,
    nearest_approach_time,
)
from steer_env.steering.basic import arrive, flee, seek
from steer_env.steering.blending import (
    METHODS,
    Blend,
    add_force,
    conditional_chances,
    finish,
    wants,
)
from steer_env.steering.chase import (
    comes_at_me,
    evade,
    hide,
    hiding_place,
    interpose,
    offset_pursuit,
    pursuit,
    pursuit_aim,
)
from steer_env.steering.compilation import compiled
from steer_env.steering.flocking import alignment, cohesion, in_neighborhood, separation
from steer_env.steering.guidance import (
    apollonius_circle,
    augmented_navigation,
    closing_speed,
    constant_bearing,
    deviated_pursuit,
    line_of_sight_rate,
    pure_navigation,
    true_navigation,
)
from steer_env.steering.overlap import (
    overlap_by_diameters,
    overlap_by_radii,
    part,
    part_all,
    push_out,
)
from steer_env.steering.path import (
    follow_path,
    follow_waypoints,
    nearest_on_path,
    next_waypoint,
    path_length,
    point_on_path,
)
from steer_env.steering.prediction import (
    accelerating,
    braking,
    closing,
    constant,
    contained,
    intercept,
    linear,
    none,
    own_speed,
    reynolds,
    target_speed,
    turn_rate,
    turning,
)
from steer_env.steering.vectors import (
    clamp_to_square,
    cross,
    dot,
    left,
    norm,
    scale,
    truncate,
    unit,
)
from steer_env.steering.vehicle import (
    OBSTACLE,
    VEHICLE,
    Obstacle,
    Vehicle,
    advance,
    apply_force,
    as_vehicle,
)
from steer_env.steering.wander import (
    jitter_wander_point,
    turn_wander_point,
    walk_sideways,
    wander,
    wander_sideways,
)

__all__ = [
    "METHODS",
    "OBSTACLE",
    "VEHICLE",
    "Blend",
    "Obstacle",
    "Vehicle",
    "accelerating",
    "add_force",
    "advance",
    "alignment",
    "apollonius_circle",
    "apply_force",
    "arrive",
    "as_vehicle",
    "augmented_navigation",
    "avoid_collisions",
    "avoid_obstacle",
    "avoid_obstacles",
    "avoid_walls",
    "braking",
    "clamp_to_square",
    "closing",
    "closing_speed",
    "cohesion",
    "comes_at_me",
    "compiled",
    "conditional_chances",
    "constant",
    "constant_bearing",
    "contained",
    "containment",
    "cross",
    "deviated_pursuit",
    "distance_to_collision",
    "dot",
    "evade",
    "finish",
    "flee",
    "follow_path",
    "follow_waypoints",
    "hide",
    "hiding_place",
    "in_neighborhood",
    "intercept",
    "interpose",
    "jitter_wander_point",
    "left",
    "line_of_sight_rate",
    "linear",
    "nearest_approach_time",
    "nearest_on_path",
    "next_waypoint",
    "none",
    "norm",
    "offset_pursuit",
    "overlap_by_diameters",
    "overlap_by_radii",
    "own_speed",
    "part",
    "part_all",
    "path_length",
    "point_on_path",
    "pure_navigation",
    "pursuit",
    "pursuit_aim",
    "push_out",
    "reynolds",
    "scale",
    "seek",
    "separation",
    "target_speed",
    "true_navigation",
    "truncate",
    "turn_rate",
    "turn_wander_point",
    "turning",
    "unit",
    "walk_sideways",
    "wander",
    "wander_sideways",
    "wants",
]
