"""What a car gains that knows each move of the perfect evader's in advance.

    PYTHONPATH=. python tools/foresee_evader.py [--starts 200] [--nu 0.3] [--l 0.3]

On the equivocal line of the homicidal chauffeur the evader's best course depends on where the
car turns at that moment. In a game of steps it cannot see that: it expects the car to go on as
in the step before, and loses a little each time it is wrong. No car can use that better than
one that knows where the evader will run, and turns so that the value after the step is least.
What this car takes less than V is the most that any should; it falls with the step's length.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numba
import numpy as np

from steer_env.baselines.solved_games import starts_by_region
from steer_env.game.config import game_config
from steer_env.solved.chauffeur_game import TABLE_SIZE, game_with
from steer_env.solved.chauffeur_plan import game_of, plan_of
from steer_env.solved.chauffeur_play import evader_velocity, step_of
from steer_env.steering.trigonometry import direction
from steer_env.steering.vectors import scale

STEPS_PER_SECOND = (15, 30, 60, 120)

_TURNS = 21  # of the car, from left to right, that are compared
_LONGEST = 100.0  # of a game, in units of R / vp


@numba.njit
def _seen_after(seen: complex, run: complex, turn: float, seconds: float) -> complex:
    """Where E is, right + i ahead of the car, after a step with an arc of the car's."""
    half = direction(-0.5 * turn)
    chord = 2.0 * abs(half.imag) * (seconds / abs(turn)) if turn != 0.0 else seconds
    offset = (seen + run - scale(1j * half, chord)) * (1j * half * half).conjugate()
    return complex(-offset.imag, offset.real)


@numba.njit
def foreseen_time(seen: complex, nu: float, l: float, table: Any, seconds: float) -> float:  # noqa: E741
    """The time to capture for the car that knows the evader's moves, in units of R / vp."""
    game, time, turn = game_with(nu, l, table), 0.0, 0.0
    while time < _LONGEST:
        value = plan_of(seen.real, seen.imag, game).value
        if value < 2.0 * seconds or abs(seen) <= l:
            return time + value
        run = evader_velocity(seen.real, seen.imag, game, seconds, turn) * (nu * seconds)
        turn = step_of(seen.real, seen.imag, game, seconds).turn
        best, least = seen, math.inf
        for place in range(_TURNS + 1):  # perfect play first
            other = turn if place == 0 else (2.0 * (place - 1) / (_TURNS - 1) - 1.0) * seconds
            after = _seen_after(seen, run, other, seconds)
            value = plan_of(after.real, after.imag, game).value
            if value < least:
                best, least, turn = after, value, other
        seen, time = best, time + seconds
    return math.inf


def main() -> None:
    """Prints the mean and the largest gain by region and step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=200, help="in each region")
    parser.add_argument("--nu", type=float, default=0.3)
    parser.add_argument("--l", type=float, default=0.3)
    given = parser.parse_args()
    config = game_config(game="homicidal_chauffeur", nu=given.nu, l=given.l)
    radius, table = config.capture_radius / given.l, np.zeros(TABLE_SIZE)
    seconds = radius / config.vehicles("pursuer")[0].max_speed
    game_of(given.nu, given.l, table)
    for region, (states, values) in starts_by_region(config, given.starts, 0.0, 0).items():
        body = states["players"]["body"]
        offset = body["position"][:, 1] - body["position"][:, 0]
        ahead = offset * body["heading"][:, 0].conj() / radius
        for rate in STEPS_PER_SECOND:
            step = 1.0 / (rate * seconds)
            times = [
                foreseen_time(complex(-one.imag, one.real), given.nu, given.l, table, step)
                for one in ahead
            ]
            gains = values - seconds * np.array(times)
            print(
                f"{region}, steps of 1/{rate} s: gains {gains.mean():8.1e} s on average, "
                f"{gains.max():8.1e} s at most, of {values.mean():.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
