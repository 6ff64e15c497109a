"""The parts of a step that depend on the walls of a map."""

from __future__ import annotations

import math

from steer_env.game.run.block import Block, block_at, body_at
from steer_env.game.run.move import glide_player, list_marked, mark_near_obstacles
from steer_env.game.run.resolve import approach_evader, approach_of
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine
from steer_env.scripts.force import force_off_walls, reach_to_walls
from steer_env.steering.sliding import may_touch, slide
from steer_env.steering.vectors import norm, scale
from steer_env.steering.walls import is_near_walls


@compiled_loop
def _mark_near_walls(block: Block, number: int) -> None:
    """Marks in ``moves`` the games in which a step may reach a wall."""
    players, dt = block.players(number), block.rules.dt
    velocities, near = block.columns.free_velocity, block.columns.moves
    for k in range(block.size):
        walls, step = block.walls(block.start + k), scale(velocities[k], dt)
        place, radius = players.position[k], players.radius[k]
        if is_near_walls(walls, place, radius + norm(step)):
            near[k] |= may_touch(walls, radius, place, step)


@routine
def move_among_walls(call_at: int, start: int, stop: int, number: int) -> None:
    """`move.glide_player` on a map, also among obstacles."""
    block = block_at(call_at, start, stop)
    glide_player(block, number)
    mark_near_obstacles(block, number)
    _mark_near_walls(block, number)
    found = list_marked(block)
    players, dt = block.players(number), block.rules.dt
    velocities, afters = block.columns.free_velocity, block.columns.after
    step, members = block.step(number), block.columns.members
    for place in range(found):
        k = members[place]
        walls, discs = block.walls(block.start + k), block.discs(block.start + k)
        position, radius = players.position[k], players.radius[k]
        end, after = slide(walls, discs, radius, position, velocities[k], dt)
        step[k] = end - position
        afters[k] = after


@routine
def approach_in_line(call_at: int, start: int, stop: int, evader: int) -> None:
    """`resolve.approach_evader` with walls between pursuers and evaders."""
    block = block_at(call_at, start, stop)
    rules, minimum = block.rules, block.columns.minimum_distance
    approach_evader(block, evader)
    for k in range(block.size):
        if minimum[k] < rules.capture_radius:
            minimum[k] = math.inf
            for pursuer in range(rules.pursuers):
                minimum[k] = min(minimum[k], approach_of(block, pursuer, evader, k))


@routine
def push_off_walls(
    call_at: int, start: int, stop: int, number: int, row: int, rank: int
) -> None:
    """Adds a part of a script that looks at walls to the column ``script_force``."""
    block = block_at(call_at, start, stop)
    script, players = block.script(row), block.players(number)
    force, moves = block.columns.script_force, block.columns.moves
    part, weight = script.parts[rank], script.weights[rank]
    for k in range(block.size):
        walls, me = block.walls_for_feelers(block.start + k), body_at(players, k)
        reach = reach_to_walls(part, script, me)
        if (moves[k] != 0) & is_near_walls(walls, me.position, reach):
            force[k] += scale(force_off_walls(part, script, me, walls), weight)
