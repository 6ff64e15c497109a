"""Plays the same games on what looks like other machines, and compares the bits.

    python tests/by_hand/same_bits.py --steps 1e7

The whole roster plays against itself in all arenas, with all models of motion, among obstacles
and in packs. Each run is a process of its own, in which the C library, numpy or the compiler
takes the processor for another one, or the games are played in other portions. Prints how many
games have the trajectories of the first run, to the bit, and whether the C library's and
numpy's own functions gave the same bits there: if they did, the run proves little. The exit
status is 1 if a game differs. `tests/game/test_reproducibility.py` is a short form.
"""

from __future__ import annotations

import argparse
import cmath
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from trajectories import CHASERS, OTHERS, PLACES, scripts_hash

from steer_env.game.dynamics import MODELS

STEPS = 200  # of each game
LEAST_GAMES = 3  # of each kind

LIBRARIES = "the C library", "numpy"

# The C library and numpy compute as on an old processor, with other last bits.
OLD_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"}
OLD_NUMPY = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F "
    "AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
}
GENERIC = {"STEER_ENV_CODE": "jit", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}

RUNS: dict[str, tuple[dict[str, str], str]] = {
    "this machine": ({}, ""),
    "C library without AVX2 and FMA": (OLD_LIBRARY, ""),
    "numpy without AVX2 and FMA": (OLD_NUMPY, ""),
    "library, level v2": ({"STEER_ENV_CODE": "v2"}, ""),
    "library, level v3": ({"STEER_ENV_CODE": "v3"}, ""),
    "compiled here": ({"STEER_ENV_CODE": "jit"}, ""),
    "compiled here for any x86-64 or ARM": (GENERIC, ""),
    "the same with old libraries": ({**OLD_LIBRARY, **OLD_NUMPY, **GENERIC}, ""),
    "one game at a time": ({}, "--every 20 --at-once 1"),
    "600 games at once, 2 threads": ({}, "--every 20 --at-once 600 --threads 2"),
    "plain Python": ({"NUMBA_DISABLE_JIT": "1", **OLD_LIBRARY, **OLD_NUMPY}, "--every 401"),
}


def kinds_of_games() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Names, both sides' scripts, and keywords of `game_config`."""
    for model, place, chaser, other in product(MODELS, PLACES, CHASERS, OTHERS):
        both = {"pursuer": {"model": model}, "evader": {"model": model}}
        yield f"{chaser}/{other}/{place}/{model}", chaser, other, {**both, **PLACES[place]}


def play(options: argparse.Namespace) -> dict[str, str]:
    """The hashes of the games, by their kinds."""
    portions = {"num_games": options.at_once, "num_threads": options.threads}
    found = {}
    for number, (name, *players) in enumerate(kinds_of_games()):
        if number % options.every == 0:
            found[name] = scripts_hash(*players, STEPS, options.count, **portions)
    return found


def library_bits() -> dict[str, str]:
    """Hashes of what the libraries make of some numbers."""
    numbers = np.random.default_rng(0).uniform(-3.0, 3.0, 50_000)
    vectors = numbers + 1j * numbers[::-1]
    turned = np.array([cmath.exp(1j * angle) for angle in numbers.tolist()])
    results = turned, vectors * vectors[::-1]
    hashes = (hashlib.sha256(bits.tobytes()).hexdigest() for bits in results)
    return dict(zip(LIBRARIES, hashes))


def run(settings: dict[str, str], arguments: str, count: int) -> dict[str, Any]:
    """What a process of its own finds."""
    here = Path(__file__)
    variables = {**os.environ, "PYTHONPATH": str(here.parents[2]), **settings}
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found.json")
        command = [sys.executable, str(here), "--count", str(count), "--found", str(found)]
        subprocess.run([*command, *arguments.split()], env=variables, check=True)
        return json.loads(found.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=float, default=1e7, help="game steps of each run")
    of_a_process = parser.add_argument_group("of one process")
    of_a_process.add_argument("--found", type=Path, help="write the hashes of this process")
    of_a_process.add_argument("--count", type=int, help="games of each kind")
    of_a_process.add_argument("--every", type=int, default=1, help="kinds of games to play")
    of_a_process.add_argument("--at-once", type=int, help="games; all of them by default")
    of_a_process.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if options.found:
        found = {"games": play(options), **library_bits()}
        options.found.write_text(json.dumps(found))
        return 0
    kinds = len(list(kinds_of_games()))
    count = max(LEAST_GAMES, round(options.steps / (STEPS * kinds)))
    print(f"{kinds} kinds of games, {count} of each, {STEPS} steps of each game")
    first, differing = None, 0
    for name, (settings, arguments) in RUNS.items():
        began = time.perf_counter()
        found = run(settings, arguments, count)
        first = first or found
        games, expected = found["games"], first["games"]
        differ = [game for game in games if expected[game] != games[game]]
        differing += len(differ)
        others = [library for library in LIBRARIES if found[library] != first[library]]
        print(
            f"{name}: {len(games) - len(differ)} of {len(games)} kinds the same"
            + (f", not {differ[0]}" if differ else "")
            + f"; other bits in {' and '.join(others) or 'no library'}"
            + f"; {time.perf_counter() - began:.0f} s",
            flush=True,
        )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
