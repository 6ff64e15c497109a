"""Players that play as theory says, in the games that `steer_env.solved` solves.

What such a script needs to know of its game besides the state, its solution, is worked out once
for an engine, as a row of numbers that the compiled loop reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import LIMITS, SIDES, GameConfig
from steer_env.game.dynamics import drag_of_step
from steer_env.game.memory import (
    MEMORY,
    SCRATCH,
    body_at,
    force_of,
    games_of,
    integers,
    player_at,
    rules_of,
    script_at,
)
from steer_env.machine_code.addresses import column, record_at
from steer_env.machine_code.routines import routine
from steer_env.scripts.script import BEHAVIORS, Script
from steer_env.solved import chauffeur_play, drag, simple, two_cars_courses
from steer_env.solved.chauffeur_game import TABLE_SIZE, game_with
from steer_env.solved.chauffeur_plan import game_of
from steer_env.steering.compilation import compiled
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import scale
from steer_env.steering.vehicle import Vehicle

_MOST_STEPS = 100_000  # of a game with drag, whose every step has an entry
_CHAUFFEUR_HEADER = 3  # nu, l, the turning radius


@compiled
def _duel(memory: np.record, k: int) -> tuple[Vehicle, Vehicle]:
    """The bodies of the pursuer and the evader in the k-th game, one against one."""
    return body_at(player_at(memory, 0, k), 0), body_at(player_at(memory, 1, k), 0)


@routine
def fill_simple_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The forces of a player of `simple`; arguments as of `plain_scripts.fill_plain_forces`."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    force, members = force_of(scratch, number), integers(scratch.members)
    for entry in range(found):
        k = members[entry]
        pursuer, evader = _duel(memory, k)
        me = pursuer if number == 0 else evader
        along = evader.position - pursuer.position
        force[k - start] = simple.velocity(along, me.heading, me.max_speed) - me.velocity


@routine
def fill_chauffeur_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The same of `chauffeur`: the car's turn, or the evader's course."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    force, members = force_of(scratch, number), integers(scratch.members)
    dt = rules_of(memory).dt
    size = _CHAUFFEUR_HEADER + TABLE_SIZE
    solution = column(script_at(memory, row).solution, 0, size, np.float64)
    table = column(script_at(memory, row).solution, _CHAUFFEUR_HEADER, TABLE_SIZE, np.float64)
    game = game_with(solution[0], solution[1], table)
    radius = solution[2]
    for entry in range(found):
        k = members[entry]
        car, evader = _duel(memory, k)
        seen = scale((evader.position - car.position) * car.heading.conjugate(), 1.0 / radius)
        right, ahead = -seen.imag, seen.real
        seconds = car.max_speed * dt / radius
        if number == 0:
            before = evader.velocity * car.heading.conjugate()
            before = scale(complex(-before.imag, before.real), 1.0 / evader.max_speed)
            turn = chauffeur_play.pursuer_turn(right, ahead, game, seconds, before)
            force[k - start] = _force_of_turn(car, -turn)
        else:
            earlier = car.velocity - scale(car.acceleration, dt)
            turned = angle_of(earlier * car.heading.conjugate())
            run = chauffeur_play.evader_velocity(right, ahead, game, seconds, turned)
            world = car.heading * complex(run.imag, -run.real)
            force[k - start] = scale(world, evader.max_speed) - evader.velocity


@compiled
def _force_of_turn(car: Vehicle, angle: float) -> complex:
    """The force with which a car turns to the left by an angle that it can turn in a step."""
    return scale(car.heading * direction(angle), car.max_speed) - car.velocity


@routine
def fill_two_cars_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The same of `two_cars`: a turn to the best course."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    force, members = force_of(scratch, number), integers(scratch.members)
    dt = rules_of(memory).dt
    for entry in range(found):
        k = members[entry]
        pursuer, evader = _duel(memory, k)
        frame = evader.heading.conjugate()
        place = (pursuer.position - evader.position) * frame
        psi = angle_of(pursuer.heading * frame)
        rate = evader.max_force / (evader.mass * evader.max_speed)
        turn, other_turn = two_cars_courses.turns(
            place.real, place.imag, psi, evader.max_speed, rate, dt
        )
        me = pursuer if number == 0 else evader
        force[k - start] = _force_of_turn(me, other_turn if number == 0 else turn)


@routine
def fill_drag_forces(
    memory_at: int, scratch_at: int, number: int, row: int, start: int, stop: int, found: int
) -> None:
    """The same of `drag`: a push along the zero-effort miss."""
    memory, scratch = record_at(memory_at, MEMORY), record_at(scratch_at, SCRATCH)
    rules, force = rules_of(memory), force_of(scratch, number)
    members, steps = integers(scratch.members), games_of(memory, start, stop).steps
    carried = column(script_at(memory, row).solution, 0, 2 * (rules.horizon + 1), np.float64)
    for entry in range(found):
        k = members[entry]
        pursuer, evader = _duel(memory, k)
        me = pursuer if number == 0 else evader
        left = max(rules.horizon - steps[k - start], 1)
        velocity = evader.velocity - pursuer.velocity
        off = evader.position - pursuer.position + scale(velocity, carried[2 * left])
        moved = carried[2 * left + 1] - carried[2 * left - 1]
        cancels = moved / me.mass if number == 0 else 0.0
        force[k - start] = drag.push(off, me.heading, me.max_force, cancels)


_ROUTINES = {
    "optimal_simple": fill_simple_forces,
    "optimal_chauffeur": fill_chauffeur_forces,
    "optimal_two_cars": fill_two_cars_forces,
    "optimal_drag": fill_drag_forces,
}

FILLS = {BEHAVIORS.index(behavior): fill for behavior, fill in _ROUTINES.items()}
"""The routine of each behavior in `script.OPTIMAL_BEHAVIORS`, by its number."""


def solutions_of(
    scripts: Sequence[Script | None], config: GameConfig
) -> list[NDArray[np.float64]]:
    """What each script needs to know of its game; one 0 for scripts that are not optimal.

    Raises:
        InvalidValue: if the game is not the one that an optimal script plays; the message says
            what differs.
    """
    return [
        _solution_of(script.behavior_name, config)
        if script is not None and script.is_optimal
        else np.zeros(1)
        for script in scripts
    ]


def _solution_of(behavior: str, config: GameConfig) -> NDArray[np.float64]:
    problem = problem_with(config, behavior)
    if problem:
        name = OPTIMAL_GAMES[behavior].name
        raise InvalidValue(
            f"the behavior {behavior!r} plays the solved game {name!r} only; {problem}"
        )
    if behavior == "optimal_chauffeur":
        return _chauffeur_solution(config)
    if behavior == "optimal_drag":
        last = config.horizon
        # numpy's exponential is not the same on every machine.
        steps = (
            drag_of_step(config.drag("pursuer"), n * config.dt) for n in range(1, last + 1)
        )
        return np.array([0.0, 0.0, *(x for step in steps for x in (step.seconds, step.meters))])
    return np.zeros(1)


class OptimalGame(NamedTuple):
    """What makes a game the one that an optimal behavior plays."""

    name: str  # in `steer_env.suite.SOLVED`
    models: tuple[str, str]  # of the pursuer and the evader
    payoff: str


OPTIMAL_GAMES = {
    "optimal_simple": OptimalGame("simple_plane", ("simple_motion", "simple_motion"), "time"),
    "optimal_chauffeur": OptimalGame("homicidal_chauffeur", ("car", "simple_motion"), "time"),
    "optimal_two_cars": OptimalGame("two_cars", ("car", "car"), "closest_approach"),
    "optimal_drag": OptimalGame(
        "drag", ("double_integrator", "double_integrator"), "final_distance"
    ),
}
"""The game of each behavior in `script.OPTIMAL_BEHAVIORS`."""


def problem_with(config: GameConfig, behavior: str) -> str:
    """What makes a game another one than a behavior's; "" if nothing does."""
    teams = config.pursuers, config.evaders
    if teams != (1, 1):
        return f"it has one pursuer and one evader, got {teams[0]} and {teams[1]}"
    if config.arena.kind != "open" or config.arena.num_obstacles:
        return (
            "its arena is open, without obstacles, got "
            f"{config.arena.kind!r} with {config.arena.num_obstacles}"
        )
    game, models = OPTIMAL_GAMES[behavior], (config.model("pursuer"), config.model("evader"))
    if models != game.models:
        return f"its models are {game.models}, got {models}"
    if config.payoff != game.payoff:
        return f"its payoff is {game.payoff!r}, got {config.payoff!r}"
    for side in SIDES:
        for limit in LIMITS:
            low, high = config.limit_range(side, limit)
            if low != high:
                return (
                    f"its limits are fixed, got {limit} of the {side} from {low:g} to {high:g}"
                )
    if behavior == "optimal_two_cars":
        return _difference_of_cars(config)
    if behavior == "optimal_drag":
        return _difference_of_drag(config)
    if behavior == "optimal_chauffeur":
        nu, l, _ = chauffeur_parameters(config)  # noqa: E741
        if not (nu < 1.0 and l < math.sqrt(1.0 - nu * nu)):
            return (
                f"it is solved for nu < 1 and l < sqrt(1 - nu**2), got nu = {nu:g}, l = {l:g}"
            )
    return ""


def _difference_of_cars(config: GameConfig) -> str:
    pursuer, evader = config.vehicles("pursuer")[0], config.vehicles("evader")[0]
    rates = [car.max_force / (car.mass * car.max_speed) for car in (pursuer, evader)]
    if pursuer.max_speed != evader.max_speed or rates[0] != rates[1]:
        return "the two cars are identical: of one speed, and of one turning radius"
    return ""


def _difference_of_drag(config: GameConfig) -> str:
    if config.drag("pursuer") != config.drag("evader"):
        return "both have the same drag"
    if config.horizon > _MOST_STEPS:
        return f"its horizon is at most {_MOST_STEPS:,} steps, got {config.horizon:,}"
    whole = drag_of_step(config.drag("pursuer"), config.horizon * config.dt)
    for side in SIDES:
        vehicle = config.vehicles(side)[0]
        first = _highest_start_speed(config, side)
        last = first * whole.kept + vehicle.max_force / vehicle.mass * whole.seconds
        # Speeds go from the first toward the terminal one, and never beyond either.
        highest = max(first, last)
        if highest > vehicle.max_speed:
            return (
                f"no vehicle reaches its max_speed, and the {side} reaches {highest:.4g} m/s "
                f"of {vehicle.max_speed:g} m/s: theory knows no such limit"
            )
    return ""


def _highest_start_speed(config: GameConfig, side: str) -> float:
    given = config.start.get(side, {}).get("speed")
    if given is not None:
        return float(np.max(given))
    return config.start_speed * config.vehicles(side)[0].max_speed


def chauffeur_parameters(config: GameConfig) -> tuple[float, float, float]:
    """The speed ratio nu, the capture radius l in turning radii, and the turning radius."""
    car, evader = config.vehicles("pursuer")[0], config.vehicles("evader")[0]
    radius = car.mass * car.max_speed**2 / car.max_force
    return evader.max_speed / car.max_speed, config.capture_radius / radius, radius


def _chauffeur_solution(config: GameConfig) -> NDArray[np.float64]:
    numbers = np.zeros(_CHAUFFEUR_HEADER + TABLE_SIZE)
    numbers[:_CHAUFFEUR_HEADER] = chauffeur_parameters(config)
    game_of(numbers[0], numbers[1], numbers[_CHAUFFEUR_HEADER:])
    return numbers
