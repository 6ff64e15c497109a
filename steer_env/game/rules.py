"""The rules as numbers: starts, capture, reward, and when a game is over."""

from __future__ import annotations

import cmath
import math

import numpy as np
from numpy.typing import NDArray

from steer_env.game.arena import (
    ARENAS,
    inside_obstacle,
    nearest_offset,
    room,
)
from steer_env.game.config import LIMITS, SOLID, GameConfig
from steer_env.game.dynamics import CAR, MODELS
from steer_env.game.random import draw_uniform, next_key
from steer_env.game.state import EVADER, OVER, PURSUER, RUNNING
from steer_env.game.workspace import Bodies, Outcome, Tally, Workspace, marks_in, tally_in
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.vectors import TINY, dot, norm, scale

RULES = np.dtype(
    [
        ("arena", np.int64),
        ("half_size", np.float64),
        ("dt", np.float64),
        ("capture_radius", np.float64),
        ("max_episode_steps", np.int64),  # 0: no limit
        ("pursuers", np.int64),
        ("steps_per_second", np.float64),
        ("capture_reward", np.float64),  # for one evader
        ("time_reward", np.float64),  # for one step
        ("closing_reward", np.float64),  # for one meter
        ("discount", np.float64),
        ("start_distance", np.float64),
        ("solid", np.int64),  # index of config.SOLID
        ("random_obstacles", np.bool_),
        ("obstacle_radius", np.float64, (2,)),  # smallest, largest
        ("models", np.int64, (2,)),  # of pursuers, of evaders
        ("lowest", np.float64, (2, len(LIMITS))),
        ("highest", np.float64, (2, len(LIMITS))),
        ("first_script", np.int64, (2,)),  # each side's rows in the table of scripts
        ("num_scripts", np.int64, (2,)),
    ],
    align=True,
)
"""All that the compiled loop must know of a `GameConfig`."""

_START_TRIES = 100  # then a start nearer than wished for is taken
_LAST_START_TRY = 10_000  # a start inside an obstacle never is: they leave half the arena free


def game_rules(
    config: GameConfig, num_scripts: tuple[int, int], max_episode_steps: int
) -> NDArray[np.void]:
    """The rules of a game, as an array of one `RULES` record.

    Args:
        config: the game.
        num_scripts: scripts of the pursuers and of the evaders, in the table in that order.
        max_episode_steps: when an episode is truncated; 0 for never.
    """
    rules = np.zeros(1, RULES)
    rules["arena"] = ARENAS.index(config.arena.kind)
    rules["half_size"] = config.arena.half_size
    rules["dt"] = config.dt
    rules["capture_radius"] = config.capture_radius
    rules["max_episode_steps"] = max_episode_steps
    rules["pursuers"] = config.pursuers
    rules["steps_per_second"] = 1.0 / config.dt
    rules["capture_reward"] = config.reward.capture / config.evaders
    rules["time_reward"] = config.reward.time / config.horizon
    rules["closing_reward"] = config.reward.closing / (math.sqrt(2.0) * config.arena.size)
    rules["discount"] = config.reward.discount
    rules["start_distance"] = config.start_distance * config.arena.size
    rules["solid"] = SOLID.index(config.solid)
    rules["random_obstacles"] = isinstance(config.arena.obstacles, int)
    rules["obstacle_radius"] = config.arena.obstacle_radius
    for side, name in ((PURSUER, "pursuer"), (EVADER, "evader")):
        rules["models"][0, side] = MODELS.index(getattr(config, name).model)
        for place, limit in enumerate(LIMITS):
            low, high = config.limit_range(name, limit)
            rules["lowest"][0, side, place] = low
            rules["highest"][0, side, place] = high
    rules["first_script"] = (0, num_scripts[0])
    rules["num_scripts"] = num_scripts
    return rules


@compiled_loop
def start_episode(
    game: np.record,
    players: np.ndarray,
    obstacles: np.ndarray,
    scripts: np.ndarray,
    rules: np.record,
) -> None:
    """Starts the game's next episode: its key, limits, scripts, obstacles and places."""
    game.key = next_key(game.key)
    game.draws = np.uint64(0)
    game.steps = 0
    game.phase = RUNNING
    game.captured = 0
    game.pursuer_script = _draw_script(game, scripts, rules, PURSUER)
    game.evader_script = _draw_script(game, scripts, rules, EVADER)
    if rules.random_obstacles:
        for number in range(len(obstacles)):
            _place_obstacle(game, obstacles, number, rules)
    for number in range(len(players)):
        _place_player(game, players, number, obstacles, rules)
    game.distance = mean_distance(players, rules)


@compiled_loop
def _draw_script(game: np.record, scripts: np.ndarray, rules: np.record, side: int) -> int:
    """Which of a side's scripts plays the episode, by `scripts.Mixtures`."""
    first, count = rules.first_script[side], rules.num_scripts[side]
    drawn = draw_uniform(game, 0.0, float(count))
    number = 0
    while number < count - 1 and drawn >= scripts[first + number].drawn_below:
        number += 1
    return number


@compiled_loop
def _place_obstacle(
    game: np.record, obstacles: np.ndarray, number: int, rules: np.record
) -> None:
    # A body of either side fits between any two obstacles, and beside the walls.
    widest = 2.1 * max(rules.highest[PURSUER, 3], rules.highest[EVADER, 3])
    obstacle = obstacles[number]
    obstacle.radius = 0.0
    for _ in range(_START_TRIES):
        radius = draw_uniform(game, rules.obstacle_radius[0], rules.obstacle_radius[1])
        limit = rules.half_size - radius - widest
        if limit <= 0.0:
            continue
        center = complex(draw_uniform(game, -limit, limit), draw_uniform(game, -limit, limit))
        if not inside_obstacle(
            rules.arena, rules.half_size, obstacles[:number], radius + widest, center
        ):
            obstacle.center = center
            obstacle.radius = radius
            return


@compiled_loop
def _place_player(
    game: np.record, players: np.ndarray, number: int, obstacles: np.ndarray, rules: np.record
) -> None:
    side = PURSUER if number < rules.pursuers else EVADER
    player = players[number]
    body = player.body
    lowest, highest = rules.lowest[side], rules.highest[side]
    body.max_speed = draw_limit(game, lowest[0], highest[0])
    body.max_force = draw_limit(game, lowest[1], highest[1])
    body.mass = draw_limit(game, lowest[2], highest[2])
    body.radius = draw_limit(game, lowest[3], highest[3])
    limit = min(rules.half_size, room(rules.arena, rules.half_size, body.radius))
    for attempt in range(_LAST_START_TRY):
        position = complex(draw_uniform(game, -limit, limit), draw_uniform(game, -limit, limit))
        free = not inside_obstacle(
            rules.arena, rules.half_size, obstacles, body.radius, position
        )
        far = side == PURSUER or _far_from_pursuers(players, position, rules)
        if free and (far or attempt >= _START_TRIES):
            break
    body.position = position
    body.heading = cmath.exp(1j * draw_uniform(game, -math.pi, math.pi))
    body.velocity = 0j
    if rules.models[side] == CAR:
        body.velocity = scale(body.heading, body.max_speed)
    body.acceleration = 0j
    player.wander_point = cmath.exp(1j * draw_uniform(game, -math.pi, math.pi))
    player.model = rules.models[side]
    chosen = game.pursuer_script if side == PURSUER else game.evader_script
    player.script = rules.first_script[side] + chosen
    player.active = True


@compiled
def draw_limit(game: np.record, low: float, high: float) -> float:
    """A limit from its range; what is not randomized draws no random number."""
    return draw_uniform(game, low, high) if low < high else low


@compiled
def _far_from_pursuers(players: np.ndarray, position: complex, rules: np.record) -> bool:
    for number in range(rules.pursuers):
        start = players[number].body.position
        offset = nearest_offset(rules.arena, rules.half_size, start, position)
        if norm(offset) < max(rules.start_distance, rules.capture_radius):
            return False
    return True


@compiled
def mean_distance(players: np.ndarray, rules: np.record) -> float:
    """Mean over the free evaders of the distance to the nearest pursuer; 0 if none is free."""
    total, free = 0.0, 0
    for evader in range(rules.pursuers, len(players)):
        if players[evader].active:
            nearest = math.inf
            for pursuer in range(rules.pursuers):
                offset = nearest_offset(
                    rules.arena,
                    rules.half_size,
                    players[pursuer].body.position,
                    players[evader].body.position,
                )
                nearest = min(nearest, norm(offset))
            total += nearest
            free += 1
    return total / free if free > 1 else total


@compiled
def closest_approach(offset_after: complex, relative_step: complex) -> float:
    """The least distance during a step of two bodies in straight, even motion.

    Args:
        offset_after: from one body to the other at the end of the step, in meters.
        relative_step: displacement of the other less that of the one, in meters.
    """
    length_squared = max(dot(relative_step, relative_step), TINY)
    share_before_end = min(max(dot(offset_after, relative_step) / length_squared, 0.0), 1.0)
    return norm(offset_after - scale(relative_step, share_before_end))


@compiled
def pursuers_reward(rules: np.record, caught: int, before: float, after: float) -> float:
    """The reward of one step for the pursuers; the evaders get its negative.

    Args:
        rules: weights of the terms.
        caught: evaders caught in this step.
        before: `mean_distance` before the step, in meters.
        after: the same after it; 0 when all are caught (the end has no potential).
    """
    closing = rules.closing_reward * (before - rules.discount * after)
    return rules.capture_reward * caught - rules.time_reward + closing


@compiled_loop
def judge_evader(
    bodies: Bodies, evader: int, rules: np.record, count: int, tally: Tally
) -> None:
    """Adds an evader's distance to its nearest pursuer, and how near one came in the step.

    Args:
        bodies: of the block, after the step.
        evader: number of the player.
        rules: of the game.
        count: games in the block.
        tally: its ``nearest`` and ``least`` are written.
    """
    arena, half_size = rules.arena, rules.half_size
    nearest, least = tally.nearest, tally.least
    for k in range(count):
        nearest[k], least[k] = math.inf, math.inf
    for pursuer in range(rules.pursuers):
        for k in range(count):
            offset = nearest_offset(
                arena, half_size, bodies.position[pursuer, k], bodies.position[evader, k]
            )
            relative_step = bodies.step[evader, k] - bodies.step[pursuer, k]
            nearest[k] = min(nearest[k], norm(offset))
            least[k] = min(least[k], closest_approach(offset, relative_step))


@compiled_loop
def judge(
    games: np.ndarray,
    players: np.ndarray,
    rules: np.record,
    start: int,
    stop: int,
    sign: float,
    bodies: Bodies,
    space: Workspace,
    outcome: Outcome,
) -> None:
    """After a block has moved: captures, rewards, and which games are over.

    The sign is 1 for the pursuers' rewards, -1 for the evaders'. Games begun just now get 0.
    """
    fresh, count, tally = marks_in(space).fresh, stop - start, tally_in(space)
    total, free, caught = tally.total, tally.free, tally.caught
    rewards, terminated, truncated = outcome.rewards, outcome.terminated, outcome.truncated
    distances, captured = outcome.distance, outcome.captured
    for k in range(count):
        total[k], free[k], caught[k] = 0.0, 0, 0
    for evader in range(rules.pursuers, players.shape[1]):
        judge_evader(bodies, evader, rules, count, tally)
        for k in range(count):
            player = players[start + k, evader]
            if player.active:
                if tally.least[k] < rules.capture_radius and not fresh[k]:
                    player.active = False
                    caught[k] += 1
                else:
                    total[k] += tally.nearest[k]
                    free[k] += 1
    for k in range(count):
        game = games[start + k]
        index, ended, cut, reward = start + k, False, False, 0.0
        if not fresh[k]:
            distance = total[k] / max(free[k], 1)
            reward = sign * pursuers_reward(rules, caught[k], game.distance, distance)
            game.distance = distance
            game.captured += caught[k]
            game.steps += 1
            ended = free[k] == 0
            cut = 0 < rules.max_episode_steps <= game.steps
            if ended or cut:
                game.phase = OVER
        rewards[index], terminated[index], truncated[index] = reward, ended, cut
        distances[index], captured[index] = game.distance, game.captured
