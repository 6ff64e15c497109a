"""How an episode starts: its key, its scripts, and where everything is."""

from __future__ import annotations

import cmath
import math

import numpy as np

from steer_env.game.arena import inside_obstacle, nearest_offset, room
from steer_env.game.dynamics import CAR
from steer_env.game.memory import Scratch, rules_at, scratch_at, scripts_at, state_at
from steer_env.game.motion import discs_of
from steer_env.game.random import draw_uniform, next_key
from steer_env.game.state import RUNNING, State
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import norm, scale

_START_TRIES = 100  # then a start nearer than wished for is taken
_LAST_START_TRY = 10_000  # a start inside an obstacle never is: they leave half the arena free


@compiled_loop
def start_episode(memory: np.record, scratch_memory: np.record, k: int) -> None:
    """Starts the k-th game's next episode: its key, limits, scripts, obstacles and places."""
    state, rules, scratch = state_at(memory), rules_at(memory), scratch_at(scratch_memory)
    scripts = scripts_at(memory, rules)
    state.key[k] = next_key(state.key[k])
    state.draws[k] = np.uint64(0)
    state.steps[k] = 0
    state.phase[k] = RUNNING
    state.captured[k] = 0
    state.script[PURSUER, k] = _draw_script(state, k, scripts, rules, PURSUER)
    state.script[EVADER, k] = _draw_script(state, k, scripts, rules, EVADER)
    if rules.random_obstacles:
        for place in range(len(state.center)):
            _place_obstacle(state, k, place, rules, scratch)
    discs = discs_of(state, k, scratch)
    for number in range(memory.players):
        _place_player(state, k, number, discs, rules)
    state.distance[k] = _mean_distance(state, k, rules)


@compiled
def _draw_script(state: State, k: int, scripts: np.ndarray, rules: np.record, side: int) -> int:
    """Which of a side's scripts plays the episode, by `table.Mixtures`."""
    first, count = rules.first_script[side], rules.num_scripts[side]
    drawn = draw_uniform(state, k, 0.0, float(count))
    number = 0
    while number < count - 1 and drawn >= scripts[first + number].drawn_below:
        number += 1
    return number


@compiled
def _place_obstacle(
    state: State, k: int, place: int, rules: np.record, scratch: Scratch
) -> None:
    # A body of either side fits between any two obstacles, and beside the walls.
    widest = 2.1 * max(rules.highest[PURSUER, 3], rules.highest[EVADER, 3])
    state.obstacle_radius[place, k] = 0.0
    others = discs_of(state, k, scratch)[:place]
    for _ in range(_START_TRIES):
        radius = draw_uniform(state, k, rules.obstacle_radius[0], rules.obstacle_radius[1])
        limit = rules.half_size - radius - widest
        if limit <= 0.0:
            continue
        center = _draw_point(state, k, limit)
        reach = radius + widest
        if not inside_obstacle(rules.arena, rules.half_size, others, reach, center):
            state.center[place, k] = center
            state.obstacle_radius[place, k] = radius
            return


@compiled
def _draw_point(state: State, k: int, limit: float) -> complex:
    x = draw_uniform(state, k, -limit, limit)
    return complex(x, draw_uniform(state, k, -limit, limit))


@compiled
def _place_player(
    state: State, k: int, number: int, discs: np.ndarray, rules: np.record
) -> None:
    side = PURSUER if number < rules.pursuers else EVADER
    lowest, highest = rules.lowest[side], rules.highest[side]
    state.max_speed[number, k] = draw_limit(state, k, lowest[0], highest[0])
    state.max_force[number, k] = draw_limit(state, k, lowest[1], highest[1])
    state.mass[number, k] = draw_limit(state, k, lowest[2], highest[2])
    radius = draw_limit(state, k, lowest[3], highest[3])
    state.radius[number, k] = radius
    limit = min(rules.half_size, room(rules.arena, rules.half_size, radius))
    position = 0j
    for attempt in range(_LAST_START_TRY):
        position = _draw_point(state, k, limit)
        is_free = not inside_obstacle(rules.arena, rules.half_size, discs, radius, position)
        is_far = side == PURSUER or _is_far_from_pursuers(state, k, position, rules)
        if is_free and (is_far or attempt >= _START_TRIES):
            break
    heading = cmath.exp(1j * draw_uniform(state, k, -math.pi, math.pi))
    is_car = rules.models[side] == CAR
    state.position[number, k] = position
    state.heading[number, k] = heading
    state.velocity[number, k] = scale(heading, state.max_speed[number, k]) if is_car else 0j
    state.acceleration[number, k] = 0j
    state.wander_point[number, k] = cmath.exp(1j * draw_uniform(state, k, -math.pi, math.pi))
    state.active[number, k] = True


@compiled
def draw_limit(state: State, k: int, low: float, high: float) -> float:
    """A limit from its range; a limit that is not randomized draws no random number."""
    return draw_uniform(state, k, low, high) if low < high else low


@compiled
def _is_far_from_pursuers(state: State, k: int, position: complex, rules: np.record) -> bool:
    for number in range(rules.pursuers):
        start = state.position[number, k]
        offset = nearest_offset(rules.arena, rules.half_size, start, position)
        if norm(offset) < max(rules.start_distance, rules.capture_radius):
            return False
    return True


@compiled
def _mean_distance(state: State, k: int, rules: np.record) -> float:
    """Mean over the evaders of the distance to the nearest pursuer, in meters."""
    total, evaders = 0.0, len(state.position) - rules.pursuers
    for evader in range(rules.pursuers, len(state.position)):
        nearest = math.inf
        for pursuer in range(rules.pursuers):
            start, end = state.position[pursuer, k], state.position[evader, k]
            nearest = min(
                nearest, norm(nearest_offset(rules.arena, rules.half_size, start, end))
            )
        total += nearest
    return total / evaders if evaders > 1 else total
