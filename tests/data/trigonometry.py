"""Writes trigonometry.json: sines, cosines and angles to 60 digits, by mpmath.

    python tests/data/trigonometry.py

Each is the nearest number of double precision, and what is missing in units of its last place.
mpmath is not among the packages that the tests need.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import mpmath

mpmath.mp.dps = 60
LARGEST = 2**20


def rounded(exact: mpmath.mpf) -> list[float]:
    nearest = float(exact)
    missing = (exact - mpmath.mpf(nearest)) / mpmath.mpf(math.ulp(nearest))
    return [nearest, round(float(missing), 4)]


def nearest_to_quarter_turns(count: int) -> list[float]:
    """The angles whose sine or cosine is the smallest for the size of the angle."""
    quarter = mpmath.pi / 2
    found = []
    for number in range(1, int(LARGEST / quarter)):
        angle = float(number * quarter)
        found.append((abs(float(angle - number * quarter)), angle))
    return [angle for _, angle in sorted(found)[:count]]


def angles(chance: random.Random) -> list[float]:
    eighths = [math.pi / 4 * number for number in range(1, 17)]
    around = [math.nextafter(angle, end) for angle in eighths for end in (0.0, math.inf)]
    return [
        *eighths,
        *around,
        *nearest_to_quarter_turns(100),
        *(2.0**-power for power in (1, 2, 12, 13, 14, 26, 27, 54, 300, 1022, 1074)),
        *(chance.uniform(0.0, math.pi) for _ in range(500)),
        *(chance.uniform(0.0, LARGEST) for _ in range(200)),
        float(LARGEST),
    ]


def vectors(chance: random.Random) -> list[tuple[float, float]]:
    slopes = [0.25, 0.5, 0.75, 1.0]
    edges = [math.nextafter(slope, end) for slope in slopes for end in (0.0, 2.0)] + slopes
    found = [pair for slope in edges for pair in ((3.0, 3.0 * slope), (3.0 * slope, 3.0))]
    found += [(1.0, 2.0**-power) for power in (10, 26, 27, 53, 54, 60, 300)]
    found += [(chance.uniform(0, 9), chance.uniform(0, 9)) for _ in range(500)]
    for _ in range(200):
        x, y = 10.0 ** chance.uniform(-300, 300), chance.uniform(0, 2)
        found.append((x, x * y))
    signs = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    return [(x * signs[k % 4][0], y * signs[k % 4][1]) for k, (x, y) in enumerate(found)]


def main() -> None:
    chance = random.Random(1)
    directions = [
        [angle, *rounded(mpmath.cos(angle)), *rounded(mpmath.sin(angle))]
        for angle in angles(chance)
    ]
    arctangents = [[x, y, *rounded(mpmath.atan2(y, x))] for x, y in vectors(chance)]
    parts = {"directions": directions, "angles": arctangents}
    rows = (
        f'"{name}": [\n' + ",\n".join(map(json.dumps, part)) + "\n]"
        for name, part in parts.items()
    )
    path = Path(__file__).with_suffix(".json")
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
