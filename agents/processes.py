"""Runs several programs of `python -m agents` at once, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor


def run_programs(commands: Iterable[tuple[str, ...]], jobs: int) -> None:
    """Runs commands, several `jobs` at once, each on one core, and prints the last words.

    Args:
        commands: the words after ``python -m agents``; the last is the folder that is trained.
        jobs: the number of processes at once.

    Raises:
        ChildProcessError: if one fails; with its error messages.
    """
    listed = list(commands)
    with ThreadPoolExecutor(jobs) as pool:
        for command, failure in zip(listed, pool.map(_failure_of, listed)):
            if failure is not None:
                raise ChildProcessError(f"{' '.join(command)} failed:\n{failure}")
            print("trained", command[-1], flush=True)


def _failure_of(command: tuple[str, ...]) -> str | None:
    done = subprocess.run(
        [sys.executable, "-m", "agents", *command],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stderr if done.returncode else None
