"""The known value of a solved game's states: what each is worth under perfect play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.game.config import SIDES, GameConfig
from steer_env.game.run.optimal import OPTIMAL_GAMES, chauffeur_parameters, problem_with
from steer_env.solved import chauffeur, drag, simple, two_cars
from steer_env.steering.trigonometry import angle_of

Numbers = NDArray[np.float64]


class KnownValues(NamedTuple):
    """The values of N states under perfect play, as arrays (N,)."""

    value: Numbers
    """The payoff in seconds or meters, inf without a capture."""
    region: NDArray[np.str_]
    """The part of the solution that each state is in, one of `regions_of`."""
    margin: Numbers
    """The distance to places where the value jumps, in meters, or inf.

    It also jumps where it depends on the other's very next step: at the equivocal line, and at
    a tie between two courses."""


def behavior_of_game(config: GameConfig) -> str:
    """The optimal behavior that plays a game.

    Raises:
        InvalidValue: if it is not a solved game; the message says what the nearest one lacks.
    """
    models = config.model("pursuer"), config.model("evader")
    for behavior, game in OPTIMAL_GAMES.items():
        if game.models == models and game.payoff == config.payoff:
            problem = problem_with(config, behavior)
            if problem:
                raise InvalidValue(f"this game is not solved; {problem}")
            return behavior
    known = "; ".join(
        f"{' against '.join(game.models)}, payoff {game.payoff!r}"
        for game in OPTIMAL_GAMES.values()
    )
    raise InvalidValue(
        f"this game is not solved; solved are {known}; got {' against '.join(models)}, payoff "
        f"{config.payoff!r}"
    )


def regions_of(config: GameConfig) -> tuple[str, ...]:
    """The regions of a solved game's states.

    Of the homicidal chauffeur those of `steer_env.solved.chauffeur.regions_of_game`: T, D, S
    and W, say, or T, D and "free" if the car cannot force a capture from everywhere. Of two
    cars "inside" and "outside" the barrier. With drag "reach", where the pursuer can come to
    the evader, and "miss". Else "plane".
    """
    behavior = behavior_of_game(config)
    if behavior == "optimal_chauffeur":
        nu, l, _ = chauffeur_parameters(config)  # noqa: E741
        return chauffeur.regions_of_game(nu, l)
    if behavior == "optimal_two_cars":
        return ("inside", "outside")
    return ("reach", "miss") if behavior == "optimal_drag" else ("plane",)


def known_values(config: GameConfig, states: NDArray[np.void]) -> KnownValues:
    """The values of states under perfect play.

    Args:
        config: a solved game.
        states: (N,) records, as `Engine.get_state` returns them.
    """
    behavior, body = behavior_of_game(config), states["players"]["body"]
    offset = body["position"][:, 1] - body["position"][:, 0]
    if behavior == "optimal_chauffeur":
        return _of_chauffeur(config, offset * body["heading"][:, 0].conj())
    if behavior == "optimal_two_cars":
        return _of_two_cars(config, offset, body["heading"])
    if behavior == "optimal_drag":
        velocity = body["velocity"][:, 1] - body["velocity"][:, 0]
        return _of_drag(config, offset, velocity, states["game"]["steps"])
    pursuer, evader = (config.vehicles(side)[0].max_speed for side in SIDES)
    value = simple.value(np.abs(offset), pursuer, evader, config.capture_radius)
    return KnownValues(value, np.full(len(value), "plane"), np.full(len(value), np.inf))


def _of_chauffeur(config: GameConfig, seen: NDArray[np.complex128]) -> KnownValues:
    nu, l, radius = chauffeur_parameters(config)  # noqa: E741
    right, ahead = -seen.imag / radius, seen.real / radius
    seconds = radius / config.vehicles("pursuer")[0].max_speed
    value = chauffeur.value(right, ahead, nu, l) * seconds
    lines = chauffeur.barrier(nu, l, 400), chauffeur.equivocal_line(nu, l)
    place = np.abs(right) + 1j * ahead
    margin = np.full(len(place), np.inf)
    for x, y in np.concatenate(lines):  # a point at a time: no large arrays
        margin = np.minimum(margin, np.abs(place - complex(x, y)))
    return KnownValues(value, chauffeur.region(right, ahead, nu, l), margin * radius)


def _of_two_cars(
    config: GameConfig, offset: NDArray[np.complex128], heading: NDArray[np.complex128]
) -> KnownValues:
    frame = heading[:, 1].conj()
    place, apart = -offset * frame, heading[:, 0] * frame
    psi = np.array([angle_of(one) for one in apart.tolist()])
    car = config.vehicles("pursuer")[0]
    rate = car.max_force / (car.mass * car.max_speed)
    value = two_cars.value(place.real, place.imag, psi, car.max_speed, rate, 0.0)
    beyond = value - config.capture_radius
    tie = two_cars.tie_margin(place.real, place.imag, psi, car.max_speed, rate)
    margin = np.minimum(np.abs(beyond), tie)
    return KnownValues(value, np.where(beyond < 0.0, "inside", "outside"), margin)


def _of_drag(
    config: GameConfig,
    offset: NDArray[np.complex128],
    velocity: NDArray[np.complex128],
    steps: NDArray[np.int64],
) -> KnownValues:
    left = (config.horizon - steps) * config.dt
    pursuer, evader = (config.vehicles(side)[0] for side in SIDES)
    force, other_force = (vehicle.max_force / vehicle.mass for vehicle in (pursuer, evader))
    r, v = (np.stack([part.real, part.imag], axis=-1) for part in (offset, velocity))
    value = drag.miss(r, v, left, force, other_force, pursuer.drag)
    psi, integral = drag.coasting(left, pursuer.drag)
    margin = np.abs(np.abs(offset + velocity * psi) - (force - other_force) * integral)
    return KnownValues(value, np.where(value > 0.0, "miss", "reach"), margin)
