"""Makes a file of chases for examples/fit_tracks.py, of known law, gain and delay.

    PYTHONPATH=.:examples python tests/examples/tracks.py tracks.csv pure_navigation 3.5 0.1

The evader weaves, the pursuer turns with an error of 2 m/s^2, and the places are measured
with an error of a millimeter. Both errors are new sixty times a second.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from fit_tracks import LAWS

from steer_env.steering import Vehicle, advance

DT = 1 / 480
EVERY = 8
COLUMNS = "chase,time,pursuer_x,pursuer_y,evader_x,evader_y"


def make(
    path: str | Path, law: str, gain: float, delay: float, chases: int = 20, seed: int = 0
) -> None:
    """Plays the chases, up to five seconds each, and writes the file."""
    generator, lines = np.random.default_rng(seed), [COLUMNS]
    for chase in range(chases):
        me = Vehicle(velocity=4, max_speed=4, max_force=99)
        course = np.exp(1j * generator.uniform(-np.pi, np.pi))
        start = complex(*generator.uniform((5, -4), (9, 4)))
        quarry = Vehicle(start, 3 * course, course, max_speed=3, max_force=99)
        rates, phases = generator.uniform((2, 0), (5, 7), (2, 2)).T
        turns = [0.0] * round(delay / DT)
        errors = generator.normal(0.0, 2.0, 300).repeat(EVERY)
        for step, error in enumerate(errors):
            if step % EVERY == 0:
                places = np.array([me.position, quarry.position]).view(float)
                row = (step * DT, *places + generator.normal(0.0, 0.001, 4))
                lines.append(",".join([str(chase), *(f"{number:.5f}" for number in row)]))
            if abs(quarry.position - me.position) < 0.5:
                break
            turns.append(gain * (LAWS[law](me, quarry) / me.heading).imag)
            me = advance(me, (turns[step] + error) * 1j * me.heading, DT)
            weave = 4.0 * np.sin(rates * step * DT + phases).sum()
            quarry = advance(quarry, weave * 1j * quarry.heading, DT)
    Path(path).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    make(*sys.argv[1:3], *map(float, sys.argv[3:]))
