"""The arguments of a scenario's methods, by name, taken from the loop when a method asks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steer_env.game.look.visibility import hides, is_wall_between
from steer_env.game.run.block import Block, block_at
from steer_env.game.run.memory import BLOCK
from steer_env.game.state import Numbers
from steer_env.game.transition import TRANSITION, transition_of
from steer_env.machine_code.addresses import column, read_only, record_at, records_at
from steer_env.machine_code.marking import compiled_class, record_dtype
from steer_env.scenarios.arguments import MOVING
from steer_env.scenarios.own_numbers import MOST_OWN, Rider
from steer_env.scenarios.scenario import Scenario
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import FUNCTION_CALL, in_tuple
from steer_env.steering.vectors import dot
from steer_env.steering.vehicle import (
    OBSTACLE,
    VEHICLE,
    Vehicle,
    copy_vehicle,
    vehicle_of,
    with_motion,
)


@compiled_class
@dataclass(frozen=True)
class World:
    """The surroundings of a player, as a scenario's methods see them: ``world``.

    Attributes:
        half_size: half the arena's side, in meters.
        map: the number of the map that the episode is played on, 0 without maps.
        obstacles: the round ones, a sequence of Obstacles to read, on a torus at the images
            nearest to the player.
    """

    call_at: int
    game: int
    x: float  # the place of the player
    y: float

    @property
    def half_size(self) -> float:
        """Half the arena's side, in meters."""
        return block_at(self.call_at, self.game, self.game + 1).region.half_size

    @property
    def map(self) -> int:
        """The number of the map, among those of the game."""
        memory = block_at(self.call_at, self.game, self.game + 1).memory
        return column(memory.map, self.game, 1, np.int64)[0] if memory.num_maps > 0 else 0

    @property
    def obstacles(self) -> Any:
        """The obstacles, records of `OBSTACLE`."""
        block, found = block_at(self.call_at, self.game, self.game + 1), 0
        here, region = complex(self.x, self.y), block.region
        discs = records_at(block.scratch.own_discs, block.memory.obstacles, OBSTACLE)
        for place in range(block.memory.obstacles):
            obstacle = block.obstacle(place, self.game)
            if obstacle.radius > 0.0:
                discs[found].center = here + region.offset(here, obstacle.center)
                discs[found].radius = obstacle.radius
                found += 1
        return read_only(discs[:found])

    def is_free(self, start: complex, end: complex) -> bool:
        """Returns whether no wall or obstacle is on the line between two places."""
        block = block_at(self.call_at, self.game, self.game + 1)
        region = block.region
        offset = region.offset(start, end)
        if block.memory.num_maps > 0 and is_wall_between(block, self.game, start, offset):
            return False
        for place in range(block.memory.obstacles):
            if hides(region, start, offset, block.obstacle(place, self.game)):
                return False
        return True


@compiled
def begin_hook(block: Block, number: int, k: int, me: Vehicle, steps: int) -> np.record:
    """`begin_call` of a scenario's method, about a player of a game of the block."""
    call = record_at(block.scratch.calls, FUNCTION_CALL)
    copy_vehicle(me, call.me)
    call.vector, call.number, call.second = complex(math.nan, 0.0), math.nan, math.nan
    call.call_at, call.game, call.player = block.call_at, block.start + k, number
    call.row, call.time = k, steps * block.rules.dt
    return call


@compiled
def own_number(block: Block, number: int, place: int) -> Numbers:
    """The column of one of a player's own numbers in the games of a block."""
    row = number * block.memory.own_numbers + place
    return column(
        block.memory.own, row * block.memory.games + block.start, block.size, np.float64
    )


@compiled
def _block(call: np.record) -> Block:
    return block_at(call.call_at, call.game, call.game + 1)


@compiled
def _nearest(call: np.record, place_of: Callable[..., complex]) -> int:
    """The number of the nearest opponent in play, or of all where none is."""
    block, me = _block(call), call.me.position
    first, last = block.opponents(call.player)
    nearest, least, was_active = first, -1.0, False
    for other in range(first, last):
        offset = block.region.offset(me, place_of(call, block, other))
        is_active = block.player(other, call.game).active[0] != 0
        square = dot(offset, offset)
        is_nearer = square < least and is_active == was_active
        if least < 0.0 or is_nearer or (is_active and not was_active):
            nearest, least, was_active = other, square, is_active
    return nearest


@compiled
def _before(call: np.record, block: Block, number: int) -> np.record:
    bodies = records_at(block.scratch.before, block.memory.players * BLOCK, VEHICLE)
    return bodies[number * BLOCK + call.row]


_place_now = compiled(lambda call, block, number: block.player(number, call.game).position[0])
_place_before = compiled(lambda call, block, number: _before(call, block, number).position)


@compiled
def _body_before(call: np.record, number: int) -> Vehicle:
    block = _block(call)
    body = vehicle_of(_before(call, block, number))
    place = block.region.image(call.me.position, body.position)
    return with_motion(body, place, body.velocity)


@compiled
def _seconds_left(call: np.record) -> float:
    rules = _block(call).rules
    return rules.max_episode_steps * rules.dt - call.time


_FORMULAS: dict[str, Callable[[Any], Any]] = {
    "is_pursuer": lambda call: call.player < _block(call).rules.pursuers,
    "number": lambda call: call.player - _block(call).teammates(call.player)[0],
    "time": lambda call: call.time,
    "time_left": _seconds_left,
    "dt": lambda call: _block(call).rules.dt,
    "push": lambda call: call.push,
    "world": lambda call: World(
        call.call_at, call.game, call.me.position.real, call.me.position.imag
    ),
    "chance": lambda call: (call.chance[0], call.chance[1], call.chance[2]),
    "pursuers": lambda call: read_only(
        records_at(call.pursuers, _block(call).rules.pursuers, VEHICLE)
    ),
    "distances": lambda call: read_only(
        records_at(call.distances, _block(call).rules.pursuers, np.float64)
    ),
    "captured": lambda call: call.captured,
    "reached": lambda call: call.reached,
    "step": lambda call: transition_of(record_at(call.transition, TRANSITION)),
}
_TAKES = {name: compiled(take) for name, take in _FORMULAS.items()}


def _vehicle(number_of: Any, body_of: Any) -> tuple[Any, Any]:
    """Takes the number of a vehicle of a call, and its body by the call and this number."""
    return compiled(number_of), compiled(body_of)


_ME = _vehicle(lambda call: call.player, lambda call, number: vehicle_of(call.me))
_FIRST = _vehicle(
    lambda call: 0, lambda call, number: vehicle_of(record_at(call.pursuers, VEHICLE))
)
_NEAREST = _vehicle(
    lambda call: _nearest(call, _place_now),
    lambda call, number: _block(call).seen_from(call.me.position, number, call.game),
)
_OTHERS = {
    "reward": _vehicle(
        lambda call: call.rival,
        lambda call, number: vehicle_of(record_at(call.transition, TRANSITION).other),
    ),
    **dict.fromkeys(MOVING, _vehicle(lambda call: _nearest(call, _place_before), _body_before)),
}


def take_of(method: str, asked: Sequence[str], scenario: Scenario) -> Callable[[Any], Any]:
    """The function that makes a method's arguments of a `FUNCTION_CALL` record."""
    bodies = {"me": _ME, "evader": _ME, "other": _OTHERS.get(method, _NEAREST)}
    riders: dict[str, Callable[[Any], Any]] = {}
    if method == "ends":
        bodies["pursuer"] = _FIRST
        riders = _riders(scenario)
    takes = {name: _taken(*how, scenario) for name, how in bodies.items()}
    takes = {**_TAKES, **takes, **riders}
    parameters = scenario.parameters

    @compiled
    def values(call: np.record) -> Any:
        return parameters

    return in_tuple([values, *(takes[name] for name in asked)])


def _riders(scenario: Scenario) -> dict[str, Callable[[Any], Any]]:
    """Takes the vehicles of both sides, with their own numbers if the scenario has such."""
    fields: list[Any] = [(name, VEHICLE[name]) for name in VEHICLE.names or ()]
    if scenario.own:
        fields.append(("own", record_dtype([(name, np.float64) for name in scenario.own])))
    # One number more than there can be, so that there always is one.
    kind = record_dtype([*fields, ("unused", np.float64, (MOST_OWN + 1 - len(scenario.own),))])

    @compiled
    def pursuers(call: np.record) -> Any:
        return read_only(records_at(call.pursuers, _block(call).rules.pursuers, kind))

    @compiled
    def evaders(call: np.record) -> Any:
        return read_only(records_at(call.evaders, call.count, kind))

    return {"pursuers": pursuers, "evaders": evaders}


def _taken(number_of: Any, body_of: Any, scenario: Scenario) -> Callable[[Any], Any]:
    """Takes a vehicle, with its own numbers if the scenario has such."""
    record = scenario.own_record
    own = in_tuple([_own_at(place) for place in range(len(scenario.own))])

    @compiled
    def vehicle(call: np.record) -> Vehicle:
        return body_of(call, number_of(call))

    @compiled
    def rider(call: np.record) -> Rider:
        number = number_of(call)
        body, numbers = body_of(call, number), record(*own(_block(call), number))
        place, velocity, heading, max_speed, max_force, mass, radius, acceleration = body
        limits = max_speed, max_force, mass
        return Rider(place, velocity, heading, *limits, radius, acceleration, numbers)

    return rider if scenario.own else vehicle


def _own_at(place: int) -> Callable[..., float]:
    return compiled(lambda block, number: own_number(block, number, place)[0])
