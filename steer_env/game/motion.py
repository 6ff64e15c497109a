"""The second half of a step: how the forces move a block of players."""

from __future__ import annotations

import numpy as np

from steer_env.game.arena import TORUS, glide, move, nearest_offset, wrap
from steer_env.game.config import SOLID
from steer_env.game.dynamics import CAR, POINT_MASS, SIMPLE_MOTION, accelerate, next_heading
from steer_env.game.state import EVADER, PURSUER
from steer_env.game.workspace import Bodies, body_at, load_body, store_body
from steer_env.steering.compilation import compiled, compiled_loop
from steer_env.steering.overlap import push_out
from steer_env.steering.vectors import scale

NOBODY, TEAMMATES = SOLID.index("nobody"), SOLID.index("teammates")


@compiled
def accelerate_all(bodies: Bodies, number: int, count: int, model: int, dt: float) -> None:
    """New velocities and headings of one player in a block's games; keeps the old velocity.

    The old one is left in the acceleration, for `move_all`.
    """
    for k in range(count):
        me = body_at(bodies, number, k)
        velocity, heading = accelerate(model, me, bodies.force[number, k], dt)
        bodies.acceleration[number, k] = me.velocity
        bodies.velocity[number, k] = velocity
        bodies.heading[number, k] = heading


@compiled
def move_all(
    bodies: Bodies, number: int, obstacles: np.ndarray, rules: np.record, start: int, count: int
) -> None:
    """Moves one player in a block's games for one step, as the arena allows."""
    arena, half_size, dt = rules.arena, rules.half_size, rules.dt
    position, step = bodies.position[number], bodies.step[number]
    before, velocity = bodies.acceleration[number], bodies.velocity[number]
    heading, radius = bodies.heading[number], bodies.radius[number]
    if obstacles.shape[1] == 0:
        for k in range(count):
            end, after = glide(arena, half_size, radius[k], position[k], velocity[k], dt)
            step[k] = end - position[k]
            turned = next_heading(heading[k], after)
            heading[k] = heading[k] if after == velocity[k] else turned
            velocity[k] = after
    else:
        for k in range(count):
            end, after = move(
                arena,
                half_size,
                obstacles[start + k],
                radius[k],
                position[k],
                velocity[k],
                dt,
            )
            step[k] = end - position[k]
            turned = next_heading(heading[k], after)
            heading[k] = heading[k] if after == velocity[k] else turned
            velocity[k] = after
    acceleration, steps_per_second = bodies.acceleration[number], rules.steps_per_second
    for k in range(count):
        end = position[k] + step[k]
        position[k] = wrap(end, half_size) if arena == TORUS else end
        acceleration[k] = scale(velocity[k] - before[k], steps_per_second)


@compiled
def shift_body(
    bodies: Bodies, number: int, k: int, shift: complex, obstacles: np.ndarray, rules: np.record
) -> None:
    """Shifts a body, as far as walls and obstacles let it; its velocity stays."""
    start, radius = bodies.position[number, k], bodies.radius[number, k]
    velocity = scale(shift, rules.steps_per_second)
    end, _ = move(rules.arena, rules.half_size, obstacles, radius, start, velocity, rules.dt)
    bodies.step[number, k] += end - start
    bodies.position[number, k] = wrap(end, rules.half_size) if rules.arena == TORUS else end


@compiled_loop
def part_overlapping(
    players: np.ndarray,
    obstacles: np.ndarray,
    rules: np.record,
    start: int,
    stop: int,
    bodies: Bodies,
    fresh: np.ndarray,
) -> None:
    """Pushes overlapping solid bodies of a block's games apart, each by half."""
    teammates_only = rules.solid == TEAMMATES
    for k in range(stop - start):
        if fresh[k]:
            continue
        for one in range(players.shape[1]):
            for two in range(one + 1, players.shape[1]):
                are_teammates = (one < rules.pursuers) == (two < rules.pursuers)
                play = players[start + k, one].active and players[start + k, two].active
                if not play or (teammates_only and not are_teammates):
                    continue
                offset = nearest_offset(
                    rules.arena,
                    rules.half_size,
                    bodies.position[two, k],
                    bodies.position[one, k],
                )
                shift = push_out(offset, bodies.radius[one, k], 0j, bodies.radius[two, k])
                if shift != 0j:
                    discs = obstacles[start + k]
                    shift_body(bodies, one, k, scale(shift, 0.5), discs, rules)
                    shift_body(bodies, two, k, scale(shift, -0.5), discs, rules)


@compiled
def move_players(
    players: np.ndarray,
    obstacles: np.ndarray,
    rules: np.record,
    start: int,
    stop: int,
    bodies: Bodies,
    fresh: np.ndarray,
) -> None:
    """Moves a block's players for one step, all but those of games begun just now."""
    for number in range(players.shape[1]):
        model = rules.models[PURSUER if number < rules.pursuers else EVADER]
        if model == POINT_MASS:
            accelerate_all(bodies, number, stop - start, POINT_MASS, rules.dt)
        elif model == SIMPLE_MOTION:
            accelerate_all(bodies, number, stop - start, SIMPLE_MOTION, rules.dt)
        else:
            accelerate_all(bodies, number, stop - start, CAR, rules.dt)
        move_all(bodies, number, obstacles, rules, start, stop - start)
    if rules.solid != NOBODY:
        part_overlapping(players, obstacles, rules, start, stop, bodies, fresh)
    for number in range(players.shape[1]):
        for k in range(stop - start):
            player = players[start + k, number]
            if player.active and not fresh[k]:
                store_body(player.body, bodies, number, k)
            else:
                load_body(player.body, bodies, number, k)
