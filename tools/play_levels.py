"""Measures the levels of the game for people, and the best known player of each.

    PYTHONPATH=. python tools/play_levels.py [--rounds 300] [--starts 1000]

It prints this table, and for each level the best of all candidates: the scripts of the roster
that play any game, and the trained networks that the page in the browser has. A first pass
plays a tenth of the starts, a second one all of them with those that did best.

The table has the share of 300 rounds on the default game, of at most 20 s, that simulated
persons win (`tools/persons.py`). One accelerates straight toward or away from its opponent, the
next looks ahead, and the hasty one, which is most like people, looks ahead but reacts later and
errs:

| as      | level  | opponent                    | speed   | radius | straight | ahead | hasty |
| ------- | ------ | --------------------------- | ------- | ------ | -------- | ----- | ----- |
| pursuer | easy   | wander                      | 2.3 m/s | 0.96 m | 100%     | 100%  | 100%  |
| pursuer | normal | flee/full_force             | 3.1 m/s | 0.6 m  | 56%      | 100%  | 96%   |
| pursuer | hard   | evade/threatened/full_force | 3.6 m/s | 0.48 m | 18%      | 81%   | 51%   |
| pursuer | expert | pretrained/evade/selfplay   | 3.6 m/s | 0.48 m | 5%       | 33%   | 30%   |
| evader  | easy   | seek                        | 3.2 m/s | 0.3 m  | 45%      | 97%   | 94%   |
| evader  | normal | seek                        | 4.0 m/s | 0.42 m | 48%      | 96%   | 88%   |
| evader  | hard   | navigation                  | 3.2 m/s | 0.6 m  | 13%      | 63%   | 43%   |
| evader  | expert | pretrained/pursuit/mixture  | 3.6 m/s | 0.6 m  | 22%      | 27%   | 9%    |
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from persons import PERSONS

from steer_env.baselines import evaluate
from steer_env.browser.games import POLICIES
from steer_env.browser.levels import LEVELS
from steer_env.game.config import make_game
from steer_env.players.pretrained import environments
from steer_env.scripts.roster import ROSTER
from steer_env.sides import PURSUER, Side

FINALISTS = 5


def shares_won(side, level, rounds):
    """The shares of rounds that the stand-ins win, in their order."""
    game = level.game(side, make_game())
    for kind in PERSONS[side].values():
        players = side.ordered(kind(game), level.opponent)
        caught = evaluate(*players, game, rounds)["captured"].mean()
        yield caught if side is PURSUER else 1.0 - caught


def candidates(side):
    """Names of the players that can play a side of any game of this size."""
    scripts = [
        name
        for name, script in ROSTER.items()
        if script.runs_away == (side is not PURSUER) and not name.startswith("optimal/")
    ]
    trainings = environments()
    return scripts + [name for name in POLICIES if trainings[name].side is side]


def best_known(side, level, starts):
    """The best candidates in order: (name, mean time, its standard error)."""
    sign, game = 1.0 if side is PURSUER else -1.0, level.game(side, make_game())

    def ranked(names, count):
        times = {
            name: evaluate(*side.ordered(name, level.opponent), game, count)["time"]
            for name in names
        }
        return sorted(times.items(), key=lambda item: sign * item[1].mean())

    names = [name for name, _ in ranked(candidates(side), max(starts // 10, 20))[:FINALISTS]]
    return [
        (name, times.mean(), times.std() / np.sqrt(len(times)))
        for name, times in ranked(names, starts)
    ]


def print_levels(rounds):
    """Prints the table of levels."""
    rows = [["as", "level", "opponent", "speed", "radius", *PERSONS[PURSUER]]]
    for side in Side:
        for level in LEVELS[side]:
            config = level.game(side, make_game())
            speed = config.vehicles(side.other.name)[0].max_speed
            limits = f"{speed:.1f} m/s", f"{config.capture_radius:.2g} m"
            shares = [f"{100 * share:.0f}%" for share in shares_won(side, level, rounds)]
            rows.append([side.name, level.name, level.opponent, *limits, *shares])
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, ["-" * width for width in widths])
    for row in rows:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")


def main(arguments=None):
    """Measures and prints everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300, help="for the table of levels")
    parser.add_argument("--starts", type=int, default=1000, help="for the best known players")
    given = parser.parse_args(arguments)
    print_levels(given.rounds)
    for side in Side:
        for level in LEVELS[side]:
            print(f"\n{side.name}, {level.name}:", flush=True)
            for name, mean, error in best_known(side, level, given.starts):
                print(f"    {name:36} {mean:5.2f} s +- {error:.2f}")


if __name__ == "__main__":
    main()
