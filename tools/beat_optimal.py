"""Tries to beat perfect play: every known player, in every solved game, on both sides.

    PYTHONPATH=. python tools/beat_optimal.py [--starts 2500] [--games NAME ...]
        [--players scripts|pretrained|NAME ...]

No player may do better against the perfect opponent than the value of the start, but for what
the perfect pair itself loses by acting in steps. The evader of the chauffeur game and the
defender on a rim lose more, see `FORESEEN`: they answer only at the next step. A car that
cannot force a capture may not catch anybody. `--starts` are the starts in each region of the
solution, none of them where a single step decides, see `gap`. A line for each player: the most
by which it beat V from any start, and where.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.episodes import Episodes
from steer_env.baselines.optimality import gap, side_of
from steer_env.players import pretrained
from steer_env.players.player import AnyPlayer
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

FORESEEN = {
    ("homicidal_chauffeur", "pursuer"): 0.052,  # s: of a car that knows each move in advance
    ("perimeter_defense", "evader"): 1.0 / 30.0,  # m: the defender answers a step late
}
"""The gains over the value that the steps of the engine allow, by game and side."""


def gains_of(found: Episodes, column: str) -> NDArray[np.float64]:
    """By how much V was beaten from each start; infinite for a capture against the theory."""
    value, is_pursuer = found["value"], side_of(found) is Side.PURSUER
    gains = value - found[column] if is_pursuer else found[column] - value
    beyond = np.where(found["captured"] & is_pursuer, np.inf, -np.inf)
    return np.where(np.isfinite(value), gains, beyond)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=2500)
    parser.add_argument("--games", nargs="+", default=list(SOLVED), choices=list(SOLVED))
    parser.add_argument("--players", nargs="+", default=["scripts", "pretrained"])
    given = parser.parse_args()
    for game in given.games:
        for side in Side:
            players = _players(given.players, game, side)
            options = {"starts": given.starts, "name": [*players]}
            measured = gap([*players.values()], game, side.name, **options)
            for name, found in measured.by(side.name).items():
                gains, floors = gains_of(found, found.payoff.column), gains_of(found, "floor")
                floor = np.abs(floors[np.isfinite(floors)]).max()
                most, place = gains.max(), gains.argmax()
                allowed = max(2.0 * floor + 1e-9, FORESEEN.get((game, side.name), 0.0))
                print(
                    f"{game:20} {side.name:8} {name:32} beats V by "
                    f"{most:9.2e}, perfect play is {floor:8.1e} off; V "
                    f"{found['value'][place]:.3f} in {found.regions[found['region'][place]]} "
                    f"{'BEATEN' if most > allowed else ''}",
                    flush=True,
                )


def _players(chosen: list[str], game: str, side: Side) -> dict[str, AnyPlayer]:
    own = SOLVED[game].opponents[Side.PURSUER]
    scripts = {
        name: script for name, script in ROSTER.items() if not script.is_optimal or name == own
    }
    groups = {"scripts": [*scripts], "pretrained": pretrained.runs_of(SOLVED[game], side)}
    names = [name for one in chosen for name in groups.get(one, [one])]
    return {name: scripts.get(name, name) for name in names}


if __name__ == "__main__":
    main()
