"""Tries to beat perfect play: every known player, in every solved game, on both sides.

    PYTHONPATH=. python tests/by_hand/beat_optimal.py [--starts 2500] [--games NAME ...]
        [--players scripts|pretrained|NAME ...]

No player may do better against the perfect opponent than the value of the start, but for what
the steps of the engine cost the perfect pair. Starts are so many in each region of the
solution, and none where a single step decides, see `gap`: an evader that starts at the
equivocal line cannot know yet whether the car plays along, and may lose 0.06 s. A line for
each player: the most by which it beat V from any start, and where.
"""

from __future__ import annotations

import argparse

import numpy as np

from baselines.optimality import OptimalityGap, gaps
from steer_env.players import Player
from steer_env.policies import pretrained
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side
from steer_env.suite import SOLVED


def most_beaten(found: OptimalityGap) -> tuple[float, float, int]:
    """The most by which V was beaten, that of perfect play, and the start of the first."""
    sign = 1.0 if found.side.name == "pursuer" else -1.0
    finite = np.isfinite(found.starts["value"])
    starts = found.starts[finite]
    ours = sign * (starts["value"] - starts["payoff"])
    floor = sign * (starts["value"] - starts["floor_payoff"])
    return float(ours.max()), float(np.abs(floor).max()), int(ours.argmax())


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
            for found in gaps(players, game, side.name, starts=given.starts):
                most, floor, place = most_beaten(found)
                start = found.starts[np.isfinite(found.starts["value"])][place]
                mark = "BEATEN" if most > 2.0 * floor + 1e-9 else ""
                print(
                    f"{game:20} {side.name:8} {found.policy:32} beats V by {most:9.2e}, "
                    f"perfect play is {floor:8.1e} off; "
                    f"V {start['value']:.3f} in {start['region']} {mark}",
                    flush=True,
                )


def _players(chosen: list[str], game: str, side: Side) -> dict[str, Player]:
    own = SOLVED[game].opponents[Side.PURSUER]
    scripts = {
        name: script for name, script in ROSTER.items() if not script.is_optimal or name == own
    }
    groups = {"scripts": [*scripts], "pretrained": pretrained.runs_of(SOLVED[game], side)}
    names = [name for one in chosen for name in groups.get(one, [one])]
    return {name: scripts.get(name, name) for name in names}


if __name__ == "__main__":
    main()
