"""The programs that chaos disturbs: what they run, and what a complete run leaves behind."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
INTERVAL = 0.2  # seconds between two checkpoints
PATIENCE = 600.0  # seconds that a program may take


@dataclass(frozen=True)
class Program:
    """A command that writes into a folder.

    Attributes:
        name: of its row in the table.
        start: returns the command line for a folder, to begin or to go on.
        result: returns a digest of what a complete run has left in a folder.
        outputs: the names of files in the folder that it replaces as a whole.
        size: of the disk that it needs, in bytes.
    """

    name: str
    start: Callable[[Path], list[str]]
    result: Callable[[Path], str]
    outputs: tuple[str, ...] = ()
    size: int = 2**22

    def popen(self, folder: Path, largest: int | None = None) -> subprocess.Popen[str]:
        """Starts it; no file that it writes may be larger than `largest`."""
        command = self.start(folder)
        if largest is not None:
            limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({largest},) * 2)"
            code = f"import os, resource; {limit}; os.execv({command[0]!r}, {command!r})"
            command = [sys.executable, "-c", code]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=-1,
            stderr=-1,
            text=True,
            errors="replace",
        )

    def run(self, folder: Path, largest: int | None = None) -> tuple[int, str, str]:
        """Runs it to its end; returns its status, its output and its errors."""
        process = self.popen(folder, largest)
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors


def module(*words: object) -> list[str]:
    return [sys.executable, "-m", *map(str, words)]


def digest_of(folder: Path, names: tuple[str, ...]) -> str:
    found = hashlib.sha256()
    for name in names:
        path = folder / name
        found.update(path.read_bytes() if path.is_file() else b"missing")
    return found.hexdigest()


def options_of(names: tuple[str, ...], folder: Path) -> Iterator[str]:
    for name in names:
        yield from (f"--{name.rpartition('.')[2]}", str(folder / name))


def resumable(command: str, *new: object) -> Callable[[Path], list[str]]:
    """Begins training in a folder, or goes on with what is there."""

    def start(folder: Path) -> list[str]:
        run = folder / "run"
        if (run / "config.json").exists():
            return module("steer_env", command, "--resume", run)
        return module("steer_env", command, *new, "--out", run)

    return start


EPISODES = tuple(f"found.{kind}" for kind in ("npz", "csv", "json", "md", "png", "svg", "pdf"))
FILMS = tuple(f"chase.{kind}" for kind in ("gif", "mp4", "png", "svg", "html"))
POLICY = "pretrained/pursuit/ppo"
TRAINED = ("run/policy.npz", "run/last_policy.npz", "run/model.zip", "run/last_model.zip")
SIDES = ("run/pursuer.npz", "run/evader.npz", "run/crossplay.png")

EVALUATE = Program(
    "evaluate",
    lambda folder: module(
        *("steer_env", "evaluate", "--episodes", 5000, "--out"),
        *(folder / name for name in EPISODES),
    ),
    lambda folder: digest_of(folder, EPISODES),
    EPISODES,
)
RECORD = Program(
    "record",
    lambda folder: module(
        *("steer_env", "record", "--horizon", 60, "--size", 120, *options_of(FILMS, folder))
    ),
    lambda folder: digest_of(folder, FILMS),
    FILMS,
    2**19,
)
TRAIN = Program(
    "train",
    resumable(
        *("train", "--steps", 100_000, "--validations", 3, "--validation-episodes", 20),
        *("--checkpoint-seconds", INTERVAL, "--episodes", 20),
    ),
    lambda folder: digest_of(folder, TRAINED[:2]),
)
SELFPLAY = Program(
    "selfplay",
    resumable(
        *("selfplay", "--generations", 1, "--steps", 20_000, "--search-starts", 0),
        *("--num-envs", 16, "--episodes", 4),
    ),
    lambda folder: digest_of(folder, SIDES),
)
EXPORT = Program(
    "export",
    lambda folder: module(
        "steer_env", "export", POLICY, "--to", "onnx", "--out", folder / "p.onnx"
    ),
    lambda folder: digest_of(folder, ("p.onnx",)),
    ("p.onnx",),
    2**17,
)
