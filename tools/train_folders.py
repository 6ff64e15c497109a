"""Trains several runs at once, each in a folder and a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from steer_env.agents.selfplay.generations import SelfPlay, SelfPlayRun
from steer_env.agents.selfplay.selfplay import begin_selfplay
from steer_env.agents.training.run import Training, TrainingRun
from steer_env.agents.training.train import begin_run
from steer_env.errors import InvalidValue


def train_folders(
    wanted: Mapping[Path, Training | SelfPlay], jobs: int, episodes: int | None = None
) -> None:
    """Trains and measures what is not complete yet, from where a crash left it.

    Each folder is to hold what is `wanted` of it, or a ValueError says that it holds something
    else; a ChildProcessError has the messages of a process that fails. `jobs` of them run at
    once, each on one core; None stands for the default `episodes` of the measurements.
    """
    commands = []
    for path, settings in wanted.items():
        is_run = isinstance(settings, Training)
        folder: Any = TrainingRun(path) if is_run else SelfPlayRun(path)
        if not folder.config.exists():
            begin: Callable[..., Any] = begin_run if is_run else begin_selfplay
            begin(settings, path, *(() if episodes is None else (episodes,)))
        if folder.settings != settings or (
            episodes is not None and folder.read_config()["episodes"] != episodes
        ):
            raise InvalidValue(
                f"{path} holds another run: {folder.settings}; remove it to train again"
            )
        if not folder.readme.exists():
            commands.append(("train" if is_run else "selfplay", "--resume", str(path)))
    with ThreadPoolExecutor(jobs) as pool:
        for command, failure in zip(commands, pool.map(_failure_of, commands)):
            if failure is not None:
                raise ChildProcessError(f"{' '.join(command)} failed:\n{failure}")
            print("trained", command[-1], flush=True)


def _failure_of(command: tuple[str, ...]) -> str | None:
    done = subprocess.run(
        [sys.executable, "-m", "steer_env", *command],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stderr if done.returncode else None
