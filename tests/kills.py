"""Kills training runs with `kill -9` at random moments, resumes them, and compares the results.

    python tests/kills.py --kills 20 --algo ppo --steps 3000000

Every run is killed several times, whatever it is doing then: importing, training, validating,
writing. At its end its model must be that of an undisturbed run, bit for bit, and its results
the same; else the exit status is 1. Prints a line for each run: how much training was lost at
each kill, by the age of the newest checkpoint. `tests/agents/test_resume.py` is a short form.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stable_baselines3.common.save_util import load_from_zip_file

from agents.durable import checkpoints
from agents.training.run_folder import RunFolder

INTERVAL = 0.5  # seconds between two checkpoints
KILLS_OF_A_RUN = 5


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "agents", "train", *map(str, arguments)]


def start(folder: RunFolder, new: list[str]) -> subprocess.Popen[bytes]:
    """Begins a run, or goes on with it."""
    arguments = (
        ["--resume", folder.path] if folder.config.exists() else [*new, "--out", folder.path]
    )
    return subprocess.Popen(command(*arguments), stdout=subprocess.DEVNULL)


def is_same(one: object, other: object) -> bool:
    """Whether two nested dictionaries of tensors are equal, bit for bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if hasattr(one, "shape"):
        return bool((one == other).all())
    return one == other


def training_lost(folder: RunFolder, seconds: float) -> str:
    """By a process that was so old when it was killed."""
    if folder.last_model.exists():
        return "nothing"
    newest = checkpoints(folder.checkpoints)
    if not newest:
        return "all so far"
    age = time.time() - newest[0].stat().st_mtime
    return f"{age:.1f} s" if age < seconds else "no checkpoint's worth"


def outcome(folder: RunFolder) -> tuple[object, object]:
    _, parameters, _ = load_from_zip_file(folder.last_model, device="cpu")
    return parameters, json.loads(folder.results.read_text())["benchmark"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--algo", default="ppo")
    parser.add_argument("--steps", type=int, default=3_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    new = [
        *("--algo", options.algo, "--steps", str(options.steps)),
        *("--validations", "4", "--validation-episodes", "50"),
        *("--checkpoint-seconds", str(INTERVAL), "--episodes", "50"),
    ]
    if options.algo == "dqn":
        new += ["--env", "PursuitDiscrete-v0"]
    with tempfile.TemporaryDirectory() as place:
        undisturbed = RunFolder(Path(place, "undisturbed"))
        began = time.perf_counter()
        start(undisturbed, new).wait()
        seconds = time.perf_counter() - began
        expected = outcome(undisturbed)
        print(f"undisturbed: {seconds:.0f} s", flush=True)
        kills = runs = failures = 0
        while kills < options.kills:
            runs += 1
            folder = RunFolder(Path(place, f"run_{runs}"))
            lost = []
            for _ in range(min(KILLS_OF_A_RUN, options.kills - kills)):
                process, born = start(folder, new), time.time()
                try:
                    process.wait(chance.uniform(0.0, seconds / 2))
                    break  # it came to its end before its killer
                except subprocess.TimeoutExpired:
                    os.kill(process.pid, signal.SIGKILL)
                    process.wait()
                kills += 1
                lost.append(training_lost(folder, time.time() - born))
            if process.returncode:
                process = start(folder, new)
                process.wait()
            found = outcome(folder) if process.returncode == 0 else (None, None)
            same = is_same(found[0], expected[0]) and found[1] == expected[1]
            failures += not same
            print(
                f"run {runs}: {len(lost)} kills, lost {', '.join(lost) or 'nothing'}; "
                + ("the same as undisturbed" if same else "DIFFERENT"),
                flush=True,
            )
    print(f"{kills} kills, {runs} runs, {failures} different")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
