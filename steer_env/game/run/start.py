"""The start of an episode: its key, its scripts, and the place of everything."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from steer_env.game.config import LIMITS
from steer_env.game.config.parts import OBSTACLE_GAP
from steer_env.game.config.starts import PLACE_SIZE
from steer_env.game.dynamics import CAR
from steer_env.game.look.visibility import distance_to_opponent
from steer_env.game.random import draw_uniform, next_key
from steer_env.game.rules import EVADER, PURSUER, number_of_target, target_of
from steer_env.game.run.block import Block, Games
from steer_env.game.run.maps import ground_of_game
from steer_env.game.run.move import NOBODY, are_solid
from steer_env.game.state import RUNNING
from steer_env.machine_code.addresses import call_routine, column, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.steering.compilation import compiled
from steer_env.steering.ground import is_on_ground, place_of
from steer_env.steering.targets import offset_to_target, on_rim
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import norm, scale
from steer_env.steering.walls import MAP, contains, wall_distance

_START_TRIES = 100  # then a start nearer than wished for is taken
_PLACEMENTS = 1_000  # of all obstacles, or of all players, until they have room
_LAST_SOLID_TRY = 1_000  # then all players are placed again
_LAST_START_TRY = 10_000  # a start inside an obstacle never is: they leave half the arena free


@compiled_loop
def start_episode(block: Block, k: int) -> None:
    """Starts the k-th game's next episode: its key, limits, scripts, obstacles and places."""
    game, rules = block.game(k), block.rules
    game.key[0] = next_key(game.key[0])
    game.draws[0] = np.uint64(0)
    game.steps[0] = 0
    game.phase[0] = RUNNING
    game.captured[0] = 0
    game.outcome[0] = 0
    _forget(block, k)
    game.pursuers_script[0] = _draw_script(block, game, PURSUER)
    game.evaders_script[0] = _draw_script(block, game, EVADER)
    if block.memory.num_maps > 0:
        _draw_map(block, k, game)
    if rules.random_obstacles:
        _place_all(block, k, block.memory.obstacles, block.space_for_discs, _place_obstacle)
    _place_all(block, k, block.memory.players, block.discs(k), _place_player)
    if block.memory.num_starts > 0:
        _place_at_start(block, k, game)
    if block.memory.start_by_scenario != 0:
        call_routine(block.memory.start_by_scenario, (block.call_at, k, k + 1))
    game.distance[0] = mean_distance(block, k)


@compiled
def _forget(block: Block, k: int) -> None:
    """Clears what the k-th game remembers, and sets own numbers to those of the start."""
    memory = block.memory
    games, rows = memory.games, memory.past_action_rows
    past = column(memory.past_actions, 0, rows * games, np.float32)
    for row in range(rows):
        past[row * games + k] = 0.0
    sightings = column(memory.sightings, 0, memory.sighting_rows * games, np.float64)
    for row in range(memory.sighting_rows):
        sightings[row * games + k] = 0.0
    rows = memory.players * memory.own_numbers
    own = column(memory.own, 0, rows * games, np.float64)
    starts = column(memory.own_starts, 0, memory.own_numbers, np.float64)
    for row in range(rows):
        own[row * games + k] = starts[row % memory.own_numbers]


@compiled
def _draw_script(block: Block, game: Games, side: int) -> int:
    """The script of a side that plays the episode, drawn by `table.Mixtures`."""
    first, count = block.rules.first_script[side], block.rules.num_scripts[side]
    drawn = draw_uniform(game, 0.0, float(count))
    number = 0
    while number < count - 1 and drawn >= block.script(first + number).drawn_below:
        number += 1
    return number


@compiled
def _draw_map(block: Block, k: int, game: Games) -> None:
    """Draws the map of the k-th game where none has been chosen."""
    memory, count, number = block.memory, block.memory.num_maps, 0
    if count > 1:
        # The product with a random number below 1 may round up to the number of maps.
        number = min(int(draw_uniform(game, 0.0, float(count))), count - 1)
    if memory.chosen_maps != 0:
        chosen = column(memory.chosen_maps, k, 1, np.int64)[0]
        number = chosen if chosen >= 0 else number
    column(memory.map, k, 1, np.int64)[0] = number
    digest = records_at(memory.maps, count, MAP)[number].digest
    column(memory.map, memory.games + k, 1, np.int64)[0] = digest


@compiled_loop
def is_room_on_map(block: Block, k: int, radius: float, place: complex) -> bool:
    """Returns whether a body has room on the map of the k-th game (yes without one)."""
    if block.memory.num_maps == 0:
        return True
    walls = block.walls(k)
    return contains(walls, place) and wall_distance(walls, place) >= radius


@compiled_loop
def is_reached_on_map(block: Block, k: int, place: complex) -> bool:
    """Returns whether the widest body can go to a place from everywhere (yes without a map)."""
    if block.memory.num_maps == 0:
        return True
    ground, walls = ground_of_game(block.memory, k), block.walls(k)
    return is_on_ground(ground, walls, block.rules.widest_radius, place)


@compiled_loop
def draw_ground(block: Block, k: int) -> complex:
    """Draws one of the places of a lattice that the widest body can reach on a map."""
    ground = ground_of_game(block.memory, k)
    places = ground.columns * ground.rows
    first = min(int(draw_uniform(block.game(k), 0.0, float(places))), places - 1)
    for further in range(places):
        place = (first + further) % places
        if ground.is_reached[place] != 0:
            return place_of(ground, place % ground.columns, place // ground.columns)
    return 0j  # never: see `fits.ground_of`


@compiled
def _draw_point(game: Games, limit: float) -> complex:
    x = draw_uniform(game, -limit, limit)
    return complex(x, draw_uniform(game, -limit, limit))


@compiled_loop  # compiled once, for both calls
def _draw_direction(game: Games) -> complex:
    return direction(draw_uniform(game, -math.pi, math.pi))


@compiled
def _place_all(
    block: Block,
    k: int,
    count: int,
    discs: np.ndarray,
    place: Callable[[Block, int, int, np.ndarray], bool],
) -> None:
    """Places all obstacles or players in turn, and starts over where one finds no room."""
    for _ in range(_PLACEMENTS):
        placed = 0
        while placed < count and place(block, k, placed, discs):
            placed += 1
        if placed == count:
            return


@compiled
def _place_obstacle(block: Block, k: int, place: int, discs: np.ndarray) -> bool:
    """Places the next obstacle, and returns False if it finds no room."""
    rules, memory, game = block.rules, block.memory, block.game(k)
    # A body of either side fits between any two obstacles, and beside the walls.
    widest = OBSTACLE_GAP * rules.widest_radius
    first = place * memory.games + k
    others = block.discs(k)[:place]
    for _ in range(_START_TRIES):
        radius = draw_uniform(game, rules.obstacle_radius[0], rules.obstacle_radius[1])
        reach = radius + widest
        limit = rules.half_size - radius - widest
        if limit <= 0.0:
            continue
        center = _draw_point(game, limit)
        if rules.num_targets > 0 and _gap_to_target(rules, center) < reach:
            continue
        is_free = is_room_on_map(block, k, reach, center)
        if is_free and not block.region.is_blocked(others, reach, center):
            column(memory.center, first, 1, np.complex128)[0] = center
            column(memory.obstacle_radius, first, 1, np.float64)[0] = radius
            return True
    return False


@compiled
def _gap_to_target(rules: np.record, place: complex) -> float:
    """From a place to the nearest target, in meters."""
    return norm(offset_to_target(target_of(rules, number_of_target(rules, place)), place))


@compiled
def _place_at_start(block: Block, k: int, game: Games) -> None:
    """Moves the players to one of the starts that the game's configuration has."""
    count, size = block.memory.num_starts, block.memory.players * PLACE_SIZE
    starts = column(block.memory.starts, 0, count * size, np.float64)
    # The product with a random number below 1 may round up to the number of starts.
    chosen = min(int(draw_limit(game, 0.0, count if count > 1 else 0.0)), count - 1)
    for number in range(block.memory.players):
        player = block.player(number, k)
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
def _place_player(block: Block, k: int, number: int, discs: np.ndarray) -> bool:
    """Places the next player, and returns False if it overlaps a solid one."""
    rules, side, game = block.rules, block.side(number), block.game(k)
    limits = block.memory.players * len(LIMITS)
    lowest = column(block.memory.lowest, number * len(LIMITS), limits, np.float64)
    highest = column(block.memory.highest, number * len(LIMITS), limits, np.float64)
    player = block.player(number, k)
    player.max_speed[0] = draw_limit(game, lowest[0], highest[0])
    player.max_force[0] = draw_limit(game, lowest[1], highest[1])
    player.mass[0] = draw_limit(game, lowest[2], highest[2])
    player.radius[0] = radius = draw_limit(game, lowest[3], highest[3])
    region = block.region
    limit = region.start_room(radius)
    position, has_room = 0j, True
    for attempt in range(_LAST_START_TRY):
        position = _draw_point(game, limit)
        if attempt >= _LAST_SOLID_TRY and block.memory.num_maps > 0:
            position = draw_ground(block, k)  # little of the square is free
        is_free = not region.is_blocked(discs, radius, position)
        is_free = is_free and is_reached_on_map(block, k, position)
        if rules.num_targets > 0 and side == EVADER and is_free:
            is_free = _gap_to_target(rules, position) > 0.0
        is_far = side == PURSUER or _is_far_from_pursuers(block, k, position)
        if not is_far and attempt < _START_TRIES:
            continue  # whatever else is there: to look takes long among many
        has_room = rules.solid == NOBODY or is_apart(block, k, number, position)
        if is_free and has_room and (is_far or attempt >= _START_TRIES):
            break
        if not has_room and attempt >= _LAST_SOLID_TRY:
            break
    if rules.target_on_rim and side == PURSUER:
        position = on_rim(target_of(rules, 0), position)
    heading = _draw_direction(game)
    player.position[0] = position
    player.heading[0] = heading
    is_car = rules.models[side] == CAR
    share = 1.0 if is_car else draw_limit(game, 0.0, rules.start_speed)
    player.velocity[0] = scale(heading, share * player.max_speed[0]) if share > 0.0 else 0j
    player.acceleration[0] = 0j
    player.wander_point[0] = _draw_direction(game)
    player.active[0] = True
    return has_room


@compiled
def is_apart(block: Block, k: int, number: int, position: complex) -> bool:
    """Returns whether a body at a place overlaps no earlier one that is solid for it."""
    radius = block.player(number, k).radius[0]
    for other in range(number):
        if not are_solid(other, number, block.rules):
            continue
        reach = radius + block.player(other, k).radius[0]
        if _distance_to(block, other, k, position) < reach:
            return False
    return True


@compiled
def draw_limit(game: Games, low: float, high: float) -> float:
    """Draws a limit from its range, without a random number if it is fixed."""
    return draw_uniform(game, low, high) if low < high else low


@compiled
def _distance_to(block: Block, number: int, k: int, position: complex) -> float:
    start = block.player(number, k).position[0]
    return norm(block.region.offset(start, position))


@compiled
def _is_far_from_pursuers(block: Block, k: int, position: complex) -> bool:
    start_distance = max(block.rules.start_distance, block.rules.capture_radius)
    for number in range(block.rules.pursuers):
        if _distance_to(block, number, k, position) < start_distance:
            return False
    return True


@compiled
def mean_distance(block: Block, k: int) -> float:
    """Mean over the free evaders of the distance to the nearest pursuer, in meters."""
    total, evaders = 0.0, 0
    for evader in range(block.rules.pursuers, block.memory.players):
        if block.player(evader, k).active[0] != 0:
            total += distance_to_opponent(block, evader, k)
            evaders += 1
    return total / evaders if evaders > 1 else total
