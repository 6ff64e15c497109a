"""Plays the files of a class against a quarry, and prints a table of those that can play.

    python examples/classroom/tournament.py examples/classroom/students \
        --evader examples/classroom/quarry.py:quarry

Each file first plays in a process of its own, for at most `--limit` seconds; those that have a
fault are listed below the table. Further options go to `steer-env crossplay`, such as
`--episodes 500` or `--out table.csv`; `--side evader` is for a class that evades.
"""

import argparse
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Plays what the command line asks for, and prints the table and the faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--side", choices=("pursuer", "evader"), default="pursuer")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of each file")
    chosen, options = parser.parse_known_args()
    steer_env, sound, faults = [sys.executable, "-m", "steer_env"], [], []
    files = [*sorted(chosen.folder.glob("[!_]*.py")), *sorted(chosen.folder.glob("*.npz"))]
    for file in files:
        line = [*steer_env, "crossplay", *options, f"--{chosen.side}", str(file)]
        try:
            subprocess.run(
                line, capture_output=True, text=True, check=True, timeout=chosen.limit
            )
            sound.append(str(file))
        except subprocess.TimeoutExpired:
            faults.append(f"{file.stem}: takes longer than {chosen.limit:g} s")
        except subprocess.CalledProcessError as error:
            last = (error.stderr.strip() or f"ends with {error.returncode}").splitlines()[-1]
            faults.append(f"{file.stem}: {last.removeprefix('steer-env: ')}")
    if sound:
        subprocess.run([*steer_env, "crossplay", *options, f"--{chosen.side}", *sound])
    print(*["", "left out", *faults] if faults else [], sep="\n")


if __name__ == "__main__":
    main()
