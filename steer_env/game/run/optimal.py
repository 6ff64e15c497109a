"""Optimal players of the games of `steer_env.solved`, by numbers made once for an engine."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import LIMITS, SIDES, TARGET_PAYOFFS, Game
from steer_env.game.dynamics import drag_of_step
from steer_env.game.rules import target_of
from steer_env.game.run.block import Block, block_at, fill_forces
from steer_env.machine_code.addresses import column
from steer_env.machine_code.routines import routine
from steer_env.scenarios.registry import SOLVED
from steer_env.scenarios.scenario import Scenario
from steer_env.scripts.table import OPTIMAL
from steer_env.sides import PURSUER
from steer_env.solved import chauffeur, chauffeur_play, drag, simple, two_cars
from steer_env.solved.chauffeur_game import TABLE_SIZE, game_with
from steer_env.solved.perimeter import arc_to, breach_point
from steer_env.solved.two_on_one import capture_point, steady_aim
from steer_env.steering.basic import seek
from steer_env.steering.compilation import compiled
from steer_env.steering.targets import contested_point
from steer_env.steering.trigonometry import angle_of, direction
from steer_env.steering.vectors import left, scale, unit
from steer_env.steering.vehicle import Vehicle

_SIMPLE, _CHAUFFEUR, _TWO_CARS, _DRAG, _REACH_AVOID, _TWO_ON_ONE, _PERIMETER = OPTIMAL
_MOST_STEPS = 100_000  # of a game with drag, whose every step has an entry
_CHAUFFEUR_HEADER = 3  # nu, l, the turning radius


@compiled
def _duel(block: Block, k: int) -> tuple[Vehicle, Vehicle]:
    """The bodies of the pursuer and the evader in the k-th game, one against one."""
    return block.body(0, k), block.body(1, k)


@compiled
def _simple_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `simple`."""
    pursuer, evader = _duel(block, k)
    me, along = pursuer if number == 0 else evader, evader.position - pursuer.position
    return simple.velocity(along, me.heading, me.max_speed) - me.velocity


@compiled
def _chauffeur_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `chauffeur`: the car's turn, or the evader's course."""
    dt = block.rules.dt
    solution = column(script.solution, 0, _CHAUFFEUR_HEADER, np.float64)
    table = column(script.solution, _CHAUFFEUR_HEADER, TABLE_SIZE, np.float64)
    game, radius = game_with(solution[0], solution[1], table), solution[2]
    car, evader = _duel(block, k)
    own_frame = car.heading.conjugate()
    seen = scale((evader.position - car.position) * own_frame, 1.0 / radius)
    right, ahead = -seen.imag, seen.real
    seconds = car.max_speed * dt / radius
    if number == 0:
        before = evader.velocity * own_frame
        before = scale(complex(-before.imag, before.real), 1.0 / evader.max_speed)
        turn = chauffeur_play.pursuer_turn(right, ahead, game, seconds, before)
        return _force_of_turn(car, -turn)
    earlier = car.velocity - scale(car.acceleration, dt)
    turned = angle_of(earlier * own_frame)
    run = chauffeur_play.evader_velocity(right, ahead, game, seconds, turned)
    world = car.heading * complex(run.imag, -run.real)
    return scale(world, evader.max_speed) - evader.velocity


@compiled
def _force_of_turn(car: Vehicle, angle: float) -> complex:
    """The force with which a car turns to the left by an angle that it can turn in a step."""
    return scale(car.heading * direction(angle), car.max_speed) - car.velocity


@compiled
def _two_cars_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `two_cars`: a turn to the best course."""
    pursuer, evader = _duel(block, k)
    frame, speed = evader.heading.conjugate(), evader.max_speed
    place = (pursuer.position - evader.position) * frame
    psi = angle_of(pursuer.heading * frame)
    rate = evader.max_force / (evader.mass * speed)
    turn, other_turn = two_cars.turns(place.real, place.imag, psi, speed, rate, block.rules.dt)
    if number == 0:
        return _force_of_turn(pursuer, other_turn)
    return _force_of_turn(evader, turn)


@compiled
def _drag_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `drag`: a push along the zero-effort miss."""
    horizon = block.rules.horizon
    carried = column(script.solution, 0, 2 * (horizon + 1), np.float64)
    pursuer, evader = _duel(block, k)
    me = pursuer if number == 0 else evader
    left = max(horizon - block.game(k).steps[0], 1)
    velocity = evader.velocity - pursuer.velocity
    off = evader.position - pursuer.position + scale(velocity, carried[2 * left])
    moved = carried[2 * left + 1] - carried[2 * left - 1]
    cancels = moved / me.mass if number == 0 else 0.0
    return drag.push(off, me.heading, me.max_force, cancels)


@compiled
def _reach_avoid_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `reach_avoid`: at its top speed for the contested point."""
    pursuer, evader = _duel(block, k)
    me, nu = pursuer if number == 0 else evader, evader.max_speed / pursuer.max_speed
    places, radius = (evader.position, pursuer.position), block.rules.capture_radius
    aim = contested_point(*places, nu, radius, target_of(block.rules, 0))
    return seek(me, aim)


@compiled
def _two_on_one_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `two_on_one`: at its top speed for the place of the capture."""
    count, pursuers = block.rules.pursuers, block.columns.aim
    me, evader = block.body(number, k), block.body(count, k)
    for other in range(count):
        pursuers[other] = block.player(other, k).position[0]
    nu, radius = evader.max_speed / block.body(0, k).max_speed, block.rules.capture_radius
    aim = capture_point(evader.position, pursuers, count, nu, radius)
    if number < count:
        aim = steady_aim(aim, evader.position, pursuers, number, me.max_speed * block.rules.dt)
    return seek(me, aim)


@compiled
def _perimeter_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player of `perimeter`: along the rim, or for where it comes through."""
    pursuer, evader = _duel(block, k)
    target, dt = target_of(block.rules, 0), block.rules.dt
    nu, radius = evader.max_speed / pursuer.max_speed, target.radius
    attacker, defender = evader.position - target.center, pursuer.position - target.center
    if number != 0:
        return seek(evader, target.center + breach_point(attacker, defender, nu, radius))
    arc = arc_to(attacker, defender, nu, radius, pursuer.max_speed * dt)
    return scale(left(unit(defender)), arc / dt) - pursuer.velocity


@compiled
def _optimal_force(block: Block, number: int, script: np.record, k: int) -> complex:
    """The force of a player by its script's behavior, in the game that it solves."""
    if script.behavior == _SIMPLE:
        return _simple_force(block, number, script, k)
    if script.behavior == _CHAUFFEUR:
        return _chauffeur_force(block, number, script, k)
    if script.behavior == _TWO_CARS:
        return _two_cars_force(block, number, script, k)
    if script.behavior == _TWO_ON_ONE:
        return _two_on_one_force(block, number, script, k)
    if script.behavior == _PERIMETER:
        return _perimeter_force(block, number, script, k)
    if script.behavior == _REACH_AVOID:
        return _reach_avoid_force(block, number, script, k)
    return _drag_force(block, number, script, k)


@routine
def fill_optimal_forces(
    call_at: int, start: int, stop: int, number: int, row: int, followers: int
) -> None:
    """The forces of one player by an optimal script, as `fill_general_forces`."""
    fill_forces(block_at(call_at, start, stop), number, row, followers, _optimal_force)


def solution_of(behavior: str, config: Game) -> NDArray[np.float64]:
    """The numbers that an optimal script reads, or an InvalidValue in another game."""
    problem = problem_with(config, behavior)
    if problem:
        name = OPTIMAL_GAMES[behavior].name
        raise InvalidValue(
            f"the behavior {behavior!r} plays the solved game {name!r} only; {problem}"
        )
    if behavior == "optimal_chauffeur":
        nu, l, radius = chauffeur_parameters(config)  # noqa: E741
        return np.array([nu, l, radius, *chauffeur.table_of(nu, l)])
    if behavior == "optimal_drag":
        last = config.horizon
        # numpy's exponential is not the same on every machine.
        steps = (
            drag_of_step(config.drag("pursuer"), n * config.dt) for n in range(1, last + 1)
        )
        return np.array([0.0, 0.0, *(x for step in steps for x in (step.seconds, step.meters))])
    return np.zeros(1)


def problem_with(config: Game, behavior: str) -> str:
    """The first difference between a game and a behavior's game, "" if there is none."""
    game, models = OPTIMAL_GAMES[behavior], (config.model("pursuer"), config.model("evader"))
    teams, (*its_models, payoff) = (config.pursuers, config.evaders), models_and_payoff(game)
    if config.scenario is not None:
        return f"it has no rules of a scenario, got those of {config.scenario.name}"
    pursuers = game.keywords.get("pursuers", 1)
    if teams != (pursuers, 1):
        return f"it is {pursuers} against 1, got {teams[0]} against {teams[1]}"
    if config.region.is_bounded or config.has_obstacles:
        found = f"{config.arena!r} with {config.num_obstacles}"
        return f"its arena is open, without obstacles, got {found}"
    if models != tuple(its_models):
        return f"its models are {tuple(its_models)}, got {models}"
    if len(config.targets) != int(payoff in TARGET_PAYOFFS):
        wanted = "one target" if payoff in TARGET_PAYOFFS else "no target"
        return f"it has {wanted}, got {len(config.targets)}"
    if any(target.kind == "gap" for target in config.targets):
        return "its target is a disc or a half-plane, got a gap"
    if len({*config.vehicles("pursuer")}) > 1:
        return "its pursuers are all alike"
    if config.payoff != payoff:
        return f"its payoff is {payoff!r}, got {config.payoff!r}"
    for side in SIDES:
        for limit in LIMITS:
            low, high = config.limit_range(side, limit)
            if low != high:
                span = f"from {low:g} to {high:g}"
                return f"its limits are fixed, got {limit} of the {side} {span}"
    difference = _DIFFERENCES.get(game.name)
    return "" if difference is None else difference(config)


def _difference_of_chauffeur(config: Game) -> str:
    nu, l, _ = chauffeur_parameters(config)  # noqa: E741
    if nu < 1.0 and l < math.sqrt(1.0 - nu * nu):
        return ""
    return f"it is solved for nu < 1 and l < sqrt(1 - nu**2), got nu = {nu:g}, l = {l:g}"


def _difference_of_cars(config: Game) -> str:
    pursuer, evader = config.vehicles("pursuer")[0], config.vehicles("evader")[0]
    rates = [car.max_force / (car.mass * car.max_speed) for car in (pursuer, evader)]
    if pursuer.max_speed != evader.max_speed or rates[0] != rates[1]:
        return "the two cars are identical: of one speed, and of one turning radius"
    return ""


def _difference_of_drag(config: Game) -> str:
    if config.drag("pursuer") != config.drag("evader"):
        return "both have the same drag"
    if config.horizon > _MOST_STEPS:
        return f"its horizon is at most {_MOST_STEPS:,} steps, got {config.horizon:,}"
    whole = drag_of_step(config.drag("pursuer"), config.horizon * config.dt)
    for side in SIDES:
        vehicle = config.vehicles(side)[0]
        drawn = config.start_speed * vehicle.max_speed
        first = float(np.max(config.start.get(side, {}).get("speed", drawn)))
        last = first * whole.kept + vehicle.max_force / vehicle.mass * whole.seconds
        # Speeds go from the first toward the terminal one, and never beyond either.
        highest = max(first, last)
        if highest > vehicle.max_speed:
            return (
                f"no vehicle reaches its max_speed, and the {side} reaches {highest:.4g} m/s "
                f"of {vehicle.max_speed:g} m/s: theory knows no such limit"
            )
    return ""


def _difference_of_reach_avoid(config: Game) -> str:
    nu = speed_ratio(config)
    return f"its evader is no faster than its pursuer, got nu = {nu:g}" if nu > 1.0 else ""


def _difference_of_two_on_one(config: Game) -> str:
    nu = speed_ratio(config)
    return f"its evader is slower than its pursuers, got nu = {nu:g}" if nu >= 1.0 else ""


def _difference_of_perimeter(config: Game) -> str:
    if config.targets[0].position != (0.0, 0.0):
        return "its target is around (0, 0)"
    return _difference_of_reach_avoid(config)


def speed_ratio(config: Game) -> float:
    """The evader's top speed over the pursuer's."""
    pursuer, evader = (config.vehicles(side)[0].max_speed for side in SIDES)
    return evader / pursuer


OPTIMAL_GAMES = {game.opponents[PURSUER].replace("/", "_"): game for game in SOLVED.values()}
"""The game of `steer_env.scenarios.registry.SOLVED` of each of `script.OPTIMAL_BEHAVIORS`."""

_DIFFERENCES: dict[str, Callable[[Game], str]] = {
    "homicidal_chauffeur": _difference_of_chauffeur,
    "two_cars": _difference_of_cars,
    "drag": _difference_of_drag,
    "reach_avoid": _difference_of_reach_avoid,
    "two_on_one": _difference_of_two_on_one,
    "perimeter_defense": _difference_of_perimeter,
}


def models_and_payoff(game: Scenario) -> tuple[str, str, str]:
    """The models of the pursuer and the evader of a solved game, and its payoff."""
    given = game.keywords
    return given["pursuer"]["model"], given["evader"]["model"], given["payoff"]


def chauffeur_parameters(config: Game) -> tuple[float, float, float]:
    """The speed ratio nu, the capture radius l in turning radii, and the turning radius."""
    car, evader = config.vehicles("pursuer")[0], config.vehicles("evader")[0]
    radius = car.mass * car.max_speed**2 / car.max_force
    return evader.max_speed / car.max_speed, config.capture_radius / radius, radius
