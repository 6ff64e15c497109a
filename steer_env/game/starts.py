"""How an episode starts: its key, its scripts, and where everything is."""

from __future__ import annotations

import math

import numpy as np

from steer_env.game.arena import inside_obstacle, nearest_offset, room
from steer_env.game.arena_config import OBSTACLE_GAP
from steer_env.game.config import LIMITS
from steer_env.game.dynamics import CAR
from steer_env.game.memory import Games, games_of, player_at, rules_of, script_at
from steer_env.game.random import draw_uniform, next_key
from steer_env.game.rules import EVADER, PURSUER
from steer_env.game.sight import discs_of
from steer_env.game.solid import NOBODY, are_solid
from steer_env.game.start_states import PLACE_SIZE
from steer_env.game.state import RUNNING
from steer_env.machine_code.addresses import column
from steer_env.machine_code.marking import compiled_loop
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import norm, scale

_START_TRIES = 100  # then a start nearer than wished for is taken
_PLACEMENTS = 1_000  # of all obstacles, or of all players, until they have room
_LAST_SOLID_TRY = 1_000  # then all players are placed anew
_LAST_START_TRY = 10_000  # a start inside an obstacle never is: they leave half the arena free


@compiled_loop
def start_episode(memory: np.record, scratch: np.record, k: int) -> None:
    """Starts the k-th game's next episode: its key, limits, scripts, obstacles and places."""
    game, rules = games_of(memory, k, k + 1), rules_of(memory)
    game.key[0] = next_key(game.key[0])
    game.draws[0] = np.uint64(0)
    game.steps[0] = 0
    game.phase[0] = RUNNING
    game.captured[0] = 0
    if memory.past_action_rows > 0:
        _forget_actions(memory, k)
    if memory.sighting_rows > 0:
        _forget_sightings(memory, k)
    game.pursuers_script[0] = _draw_script(memory, game, rules, PURSUER)
    game.evaders_script[0] = _draw_script(memory, game, rules, EVADER)
    if rules.random_obstacles:
        _place_obstacles(memory, scratch, k, game, rules)
    discs = discs_of(memory, scratch, k)
    _place_players(memory, k, game, discs, rules)
    if memory.num_starts > 0:
        _place_at_start(memory, k, game, rules)
    game.distance[0] = mean_distance(memory, k, rules)


@compiled
def _forget_actions(memory: np.record, k: int) -> None:
    count = memory.past_action_rows * memory.games
    past = column(memory.past_actions, 0, count, np.float32)
    for row in range(memory.past_action_rows):
        past[row * memory.games + k] = 0.0


@compiled
def _forget_sightings(memory: np.record, k: int) -> None:
    sightings = column(memory.sightings, 0, memory.sighting_rows * memory.games, np.float64)
    for row in range(memory.sighting_rows):
        sightings[row * memory.games + k] = 0.0


@compiled
def _draw_script(memory: np.record, game: Games, rules: np.record, side: int) -> int:
    """Which of a side's scripts plays the episode, by `table.Mixtures`."""
    first, count = rules.first_script[side], rules.num_scripts[side]
    drawn = draw_uniform(game, 0.0, float(count))
    number = 0
    while number < count - 1 and drawn >= script_at(memory, first + number).drawn_below:
        number += 1
    return number


@compiled
def _draw_point(game: Games, limit: float) -> complex:
    x = draw_uniform(game, -limit, limit)
    return complex(x, draw_uniform(game, -limit, limit))


@compiled_loop  # compiled once, for both calls
def _draw_direction(game: Games) -> complex:
    return direction(draw_uniform(game, -math.pi, math.pi))


@compiled
def _place_obstacles(
    memory: np.record, scratch: np.record, k: int, game: Games, rules: np.record
) -> None:
    # `GameConfig` has made sure that at least half of the attempts succeed.
    for _ in range(_PLACEMENTS):
        placed = 0
        while placed < memory.obstacles and _is_placed(memory, scratch, k, game, placed, rules):
            placed += 1
        if placed == memory.obstacles:
            return


@compiled
def _is_placed(
    memory: np.record, scratch: np.record, k: int, game: Games, place: int, rules: np.record
) -> bool:
    """Whether the next obstacle has found room."""
    # A body of either side fits between any two obstacles, and beside the walls.
    widest = OBSTACLE_GAP * rules.widest_radius
    first = place * memory.games + k
    others = discs_of(memory, scratch, k)[:place]
    for _ in range(_START_TRIES):
        radius = draw_uniform(game, rules.obstacle_radius[0], rules.obstacle_radius[1])
        limit = rules.half_size - radius - widest
        if limit <= 0.0:
            continue
        center = _draw_point(game, limit)
        reach = radius + widest
        if not inside_obstacle(rules.arena, rules.half_size, others, reach, center):
            column(memory.center, first, 1, np.complex128)[0] = center
            column(memory.obstacle_radius, first, 1, np.float64)[0] = radius
            return True
    return False


@compiled
def _place_players(
    memory: np.record, k: int, game: Games, discs: np.ndarray, rules: np.record
) -> None:
    # `GameConfig` has made sure that solid bodies find room apart from each other.
    for _ in range(_PLACEMENTS):
        placed = 0
        while placed < memory.players and _is_settled(memory, k, game, placed, discs, rules):
            placed += 1
        if placed == memory.players:
            return


@compiled
def _place_at_start(memory: np.record, k: int, game: Games, rules: np.record) -> None:
    """Moves the players to one of the starts that the game's configuration has."""
    count, size = memory.num_starts, memory.players * PLACE_SIZE
    starts = column(memory.starts, 0, count * size, np.float64)
    # The product with a random number below 1 may round up to the number of starts.
    chosen = min(int(draw_limit(game, 0.0, count if count > 1 else 0.0)), count - 1)
    for number in range(memory.players):
        player = player_at(memory, number, k)
        first = chosen * size + number * PLACE_SIZE
        if starts[first] == starts[first]:  # not nan
            player.position[0] = complex(starts[first], starts[first + 1])
        speed = norm(player.velocity[0])
        if starts[first + 2] == starts[first + 2]:
            player.heading[0] = complex(starts[first + 2], starts[first + 3])
        if starts[first + 4] == starts[first + 4]:
            speed = starts[first + 4]
        player.velocity[0] = scale(player.heading[0], speed)


@compiled
def _is_settled(
    memory: np.record, k: int, game: Games, number: int, discs: np.ndarray, rules: np.record
) -> bool:
    """Places the next player; returns whether it overlaps no other that is solid for it."""
    side = PURSUER if number < rules.pursuers else EVADER
    limits = memory.players * len(LIMITS)
    lowest = column(memory.lowest, number * len(LIMITS), limits, np.float64)
    highest = column(memory.highest, number * len(LIMITS), limits, np.float64)
    player = player_at(memory, number, k)
    player.max_speed[0] = draw_limit(game, lowest[0], highest[0])
    player.max_force[0] = draw_limit(game, lowest[1], highest[1])
    player.mass[0] = draw_limit(game, lowest[2], highest[2])
    radius = draw_limit(game, lowest[3], highest[3])
    player.radius[0] = radius
    limit = min(rules.half_size, room(rules.arena, rules.half_size, radius))
    position, is_apart = 0j, True
    for attempt in range(_LAST_START_TRY):
        position = _draw_point(game, limit)
        is_free = not inside_obstacle(rules.arena, rules.half_size, discs, radius, position)
        is_far = side == PURSUER or _is_far_from_pursuers(memory, k, position, rules)
        if not is_far and attempt < _START_TRIES:
            continue  # whatever else is there: to look takes long among many
        is_apart = rules.solid == NOBODY or _is_apart(memory, k, number, position, rules)
        if is_free and is_apart and (is_far or attempt >= _START_TRIES):
            break
        if not is_apart and attempt >= _LAST_SOLID_TRY:
            break
    heading = _draw_direction(game)
    player.position[0] = position
    player.heading[0] = heading
    share = 1.0 if rules.models[side] == CAR else draw_limit(game, 0.0, rules.start_speed)
    player.velocity[0] = scale(heading, share * player.max_speed[0]) if share > 0.0 else 0j
    player.acceleration[0] = 0j
    player.wander_point[0] = _draw_direction(game)
    player.active[0] = True
    return is_apart


@compiled
def _is_apart(
    memory: np.record, k: int, number: int, position: complex, rules: np.record
) -> bool:
    """Whether a body at a place overlaps none of those placed before that are solid for it."""
    radius = player_at(memory, number, k).radius[0]
    for other in range(number):
        if not are_solid(other, number, rules):
            continue
        reach = radius + player_at(memory, other, k).radius[0]
        if _distance_to(memory, other, k, position, rules) < reach:
            return False
    return True


@compiled
def draw_limit(game: Games, low: float, high: float) -> float:
    """A limit from its range; a limit that is not randomized draws no random number."""
    return draw_uniform(game, low, high) if low < high else low


@compiled
def _distance_to(
    memory: np.record, number: int, k: int, position: complex, rules: np.record
) -> float:
    start = player_at(memory, number, k).position[0]
    return norm(nearest_offset(rules.arena, rules.half_size, start, position))


@compiled
def _is_far_from_pursuers(
    memory: np.record, k: int, position: complex, rules: np.record
) -> bool:
    least = max(rules.start_distance, rules.capture_radius)
    for number in range(rules.pursuers):
        if _distance_to(memory, number, k, position, rules) < least:
            return False
    return True


@compiled
def mean_distance(memory: np.record, k: int, rules: np.record) -> float:
    """Mean over the free evaders of the distance to the nearest pursuer, in meters."""
    total, evaders = 0.0, 0
    for evader in range(rules.pursuers, memory.players):
        player = player_at(memory, evader, k)
        if player.active[0] == 0:
            continue
        nearest = math.inf
        for number in range(rules.pursuers):
            distance = _distance_to(memory, number, k, player.position[0], rules)
            nearest = min(nearest, distance)
        total += nearest
        evaders += 1
    return total / evaders if evaders > 1 else total
