"""The arguments of a scenario's methods, by name, taken from the loop when a method asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steer_env.game.look.visibility import hides
from steer_env.game.run.block import Block, block_at
from steer_env.game.transition import TRANSITION, transition_of
from steer_env.machine_code.addresses import read_only, record_at, records_at
from steer_env.machine_code.marking import compiled_class
from steer_env.steering.compilation import compiled
from steer_env.steering.own_functions import begin_call
from steer_env.steering.vectors import dot
from steer_env.steering.vehicle import OBSTACLE, VEHICLE, Vehicle, vehicle_of


@compiled_class
@dataclass(frozen=True)
class World:
    """The surroundings of a player, as a scenario's methods see them: ``world``.

    Attributes:
        half_size: half the arena's side, in meters.
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
        """Returns whether one place sees another: nothing solid is on the line between them."""
        block = block_at(self.call_at, self.game, self.game + 1)
        region = block.region
        offset = region.offset(start, end)
        for place in range(block.memory.obstacles):
            if hides(region, start, offset, block.obstacle(place, self.game)):
                return False
        return True


@compiled
def begin_hook(block: Block, number: int, k: int, me: Vehicle, steps: int) -> np.record:
    """`begin_call` of a scenario's method, about a player of the k-th game after some steps."""
    call = begin_call(block.scratch.calls, me, me)
    call.call_at, call.game, call.player = block.call_at, k, number
    call.time = steps * block.rules.dt
    return call


@compiled
def _block(call: np.record) -> Block:
    return block_at(call.call_at, call.game, call.game + 1)


@compiled
def _me(call: np.record) -> Vehicle:
    return vehicle_of(call.me)


@compiled
def _is_pursuer(call: np.record) -> bool:
    return call.player < _block(call).rules.pursuers


@compiled
def _number(call: np.record) -> int:
    return call.player - _block(call).teammates(call.player)[0]


@compiled
def _time(call: np.record) -> float:
    return call.time


@compiled
def _time_left(call: np.record) -> float:
    rules = _block(call).rules
    return rules.max_episode_steps * rules.dt - call.time


@compiled
def _other(call: np.record) -> Vehicle:
    """The nearest opponent in play, or of all where none is, at its image nearest to me."""
    block, me = _block(call), vehicle_of(call.me)
    first, last = block.opponents(call.player)
    nearest, least, was_active = first, -1.0, False
    for other in range(first, last):
        theirs = block.player(other, call.game)
        offset = block.region.offset(me.position, theirs.position[0])
        is_active, square = theirs.active[0] != 0, dot(offset, offset)
        is_nearer = square < least and is_active == was_active
        if least < 0.0 or is_nearer or (is_active and not was_active):
            nearest, least, was_active = other, square, is_active
    return block.seen_from(me.position, nearest, call.game)


@compiled
def _world(call: np.record) -> World:
    place = call.me.position
    return World(call.call_at, call.game, place.real, place.imag)


@compiled
def _chance(call: np.record) -> tuple[float, float, float]:
    return call.chance[0], call.chance[1], call.chance[2]


@compiled
def _pursuers(call: np.record) -> Any:
    return read_only(records_at(call.pursuers, _block(call).rules.pursuers, VEHICLE))


@compiled
def _pursuer(call: np.record) -> Vehicle:
    return vehicle_of(_pursuers(call)[0])


@compiled
def _evaders(call: np.record) -> Any:
    return read_only(records_at(call.evaders, call.count, VEHICLE))


@compiled
def _captured(call: np.record) -> int:
    return call.captured


@compiled
def _reached(call: np.record) -> int:
    return call.reached


@compiled
def _distances(call: np.record) -> Any:
    return read_only(records_at(call.distances, _block(call).rules.pursuers, np.float64))


@compiled
def _step(call: np.record) -> Any:
    return transition_of(record_at(call.transition, TRANSITION))


@compiled
def _other_of_step(call: np.record) -> Vehicle:
    return vehicle_of(record_at(call.transition, TRANSITION).other)


_TAKES: dict[str, Callable[[Any], Any]] = {
    **{"me": _me, "is_pursuer": _is_pursuer, "number": _number, "time": _time},
    **{"time_left": _time_left, "other": _other, "world": _world, "chance": _chance},
    **{"evader": _me, "pursuers": _pursuers, "distances": _distances, "step": _step},
    **{"evaders": _evaders, "pursuer": _pursuer, "captured": _captured, "reached": _reached},
}


def take_of(method: str, asked: Sequence[str], parameters: Any) -> Callable[[Any], Any]:
    """The function that makes a method's arguments of a `FUNCTION_CALL` record."""
    of_step = {"other": _other_of_step} if method == "reward" else {}
    takes = {**_TAKES, **of_step}

    @compiled
    def take(call: np.record) -> tuple[Any, ...]:
        return (parameters,)

    for name in asked:
        take = _with_one_more(take, takes[name])
    return take


def _with_one_more(take: Any, one: Callable[[Any], Any]) -> Any:
    @compiled
    def both(call: np.record) -> tuple[Any, ...]:
        return take(call) + (one(call),)  # noqa: RUF005  (as the compiler reads it)

    return both
