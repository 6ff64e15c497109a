"""Kills programs, fills disks and damages files at random, and looks at what is left.

    python tests/by_hand/chaos.py --kills 60 --disks 20 --seed 0

After each event, each file is the old one or a complete new one, nothing is lost beyond a
checkpoint's interval, and the next run ends with the same bits as an undisturbed one. Prints a
table; the exit status is 1 if anything was lost, half-written, or left behind, or if a next run
failed. Disks are small tmpfs that are mounted, which only root can; for others, a limit on the
size of files stands for them. `tests/agents/training/test_resume.py` is a short form.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from chaos_files import CHECKSUMMED, DAMAGES, LOADERS, damage, is_whole
from chaos_programs import (
    EVALUATE,
    EXPORT,
    INTERVAL,
    RECORD,
    SELFPLAY,
    TRAIN,
    Program,
    digest_of,
)

from steer_env.agents.training.checkpoints import checkpoints, read_checkpoint

SLACK = 5.0  # seconds for a rollout, a validation, and a slow machine
KILLS_OF_A_RUN = 5
FRAGMENTS = "*.part"
OLD = b"what was there before\n"


@dataclass
class Row:
    """What became of one kind of event."""

    events: int = 0
    lost: int = 0  # old files that are gone, or more training than an interval's
    half: int = 0  # files that are neither the old nor a complete new one
    fragments: int = 0  # left after the next run that was not disturbed
    failures: int = 0  # wrong results, tracebacks, long messages, next runs that failed


class Chaos:
    """All events, and what became of them."""

    def __init__(self, place: Path, seed: int) -> None:
        self.place, self.chance = place, random.Random(seed)
        self.can_mount = can_mount(place)
        self.rows: dict[str, Row] = {}
        self._count = 0
        self._expected: dict[str, tuple[str, float]] = {}  # results and seconds
        self._hashes: dict[str, str] = {}  # of complete outputs, by name

    def row(self, name: str) -> Row:
        return self.rows.setdefault(name, Row())

    def fault(self, row: Row, column: str, what: str) -> None:
        setattr(row, column, getattr(row, column) + 1)
        print(f"  {column.upper()}: {what}", flush=True)

    def new_folder(self, program: Program) -> Path:
        self._count += 1
        folder = self.place / f"{program.name}_{self._count}"
        folder.mkdir()
        for name in program.outputs:
            (folder / name).write_bytes(OLD)
        return folder

    def expected(self, program: Program) -> tuple[str, float]:
        """The result of an undisturbed run, and its seconds."""
        if program.name not in self._expected:
            folder, began = self.new_folder(program), time.perf_counter()
            status, _, errors = program.run(folder)
            seconds = time.perf_counter() - began
            if status:
                raise SystemExit(f"{program.name} fails undisturbed: {errors}")
            found = program.result(folder)
            print(f"{program.name}: {seconds:.1f} s undisturbed", flush=True)
            self._expected[program.name] = found, seconds
            self._hashes |= {name: digest_of(folder, (name,)) for name in program.outputs}
        return self._expected[program.name]

    def look(self, program: Program, folder: Path, row: Row) -> None:
        """Looks for lost and half-written files after an event."""
        old = hashlib.sha256(OLD).hexdigest()
        for name in program.outputs:
            if not (folder / name).is_file():
                self.fault(row, "lost", f"{folder / name} is gone")
            elif digest_of(folder, (name,)) not in (old, self._hashes[name]):
                self.fault(row, "half", f"{folder / name} is neither old nor new")
        if not program.outputs:
            for path in folder.rglob("*"):
                if path.is_file() and not is_whole(path):
                    self.fault(row, "half", f"{path} is not whole")

    def finish(self, program: Program, folder: Path, row: Row) -> None:
        """Runs a program to its end, and compares with the undisturbed run."""
        for left in folder.rglob(FRAGMENTS):
            os.utime(left, (0, 0))  # as if it had been killed long ago
        status, _, errors = program.run(folder)
        found = "" if status else program.result(folder)
        if status or found != self.expected(program)[0]:
            tail = " / ".join(errors.strip().splitlines()[-3:])
            self.fault(row, "failures", f"{program.name}, the next run: status {status} {tail}")
        for left in folder.rglob(FRAGMENTS):
            self.fault(row, "fragments", f"{left} is left")

    def kills(self, program: Program, count: int) -> None:
        """Kills runs of a program at random moments, a few times each."""
        expected, row, done = self.expected(program), self.row(f"kill {program.name}"), 0
        while done < count:
            folder = self.new_folder(program)
            for _ in range(min(KILLS_OF_A_RUN, count - done)):
                steps = steps_in(folder)
                process, born = program.popen(folder), time.time()
                if self.ends(process, folder, expected[1]):
                    if process.returncode:
                        self.fault(row, "failures", f"status {process.returncode} by itself")
                    break
                done += 1
                row.events += 1
                self.look(program, folder, row)
                if (now := steps_in(folder)) < steps:
                    self.fault(row, "lost", f"the newest checkpoint was {steps}, and is {now}")
                if (seconds := training_lost(folder, born)) > INTERVAL + SLACK:
                    self.fault(row, "lost", f"{seconds:.1f} s of training")
            self.finish(program, folder, row)

    def ends(self, process: subprocess.Popen[str], folder: Path, seconds: float) -> bool:
        """Kills a process at any time, or while it writes; whether it has ended before."""
        deadline = time.perf_counter() + self.chance.uniform(0.0, 0.9 * seconds)
        writings = self.chance.randint(1, 12) if self.chance.random() < 0.6 else 0
        seen: set[Path] = set()
        while process.poll() is None:
            if writings:
                seen |= {*folder.rglob(FRAGMENTS)} | {*folder.rglob("*.nb?")}
                if len(seen) >= writings:
                    time.sleep(self.chance.choice((0.0, 0.0, 0.001, 0.01)))
                    break
                time.sleep(0.0005)
            elif time.perf_counter() > deadline:
                break
            else:
                time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return process.returncode != -signal.SIGKILL

    def disk(self, program: Program) -> None:
        """Runs a program on a disk without room for all, then with room."""
        self.expected(program)
        row = self.row(f"full disk {program.name}")
        row.events += 1
        with self.small_disk(program) as (folder, largest, make_room):
            status, _, errors = program.run(folder, largest)
            self.look(program, folder, row)
            for left in folder.rglob(FRAGMENTS):
                self.fault(row, "fragments", f"{left} is left on a full disk")
            lines = [line for line in errors.splitlines() if not line.startswith("steer_env: ")]
            if status and not self.is_clear(program, lines, folder):
                self.fault(row, "failures", f"status {status}: {' / '.join(lines)[-600:]}")
            make_room()
            self.finish(program, folder, row)

    def is_clear(self, program: Program, lines: list[str], folder: Path) -> bool:
        """Whether an error is one line that names a file of the user and says how to go on."""
        line = "".join(lines)
        is_begun = (folder / "run" / "config.json").exists()
        return len(lines) == 1 and ".part" not in line and (not is_begun or "--resume" in line)

    @contextmanager
    def small_disk(
        self, program: Program
    ) -> Iterator[tuple[Path, int | None, Callable[[], object]]]:
        """A folder on a disk with little room, the largest size of a file, what makes room."""
        room = int(program.size * self.chance.random() ** 2)
        folder = self.new_folder(program)
        if not self.can_mount:
            yield folder, room // 4, lambda: None
            return
        subprocess.run(mount(folder, 2 * program.size), check=True)
        try:
            for name in program.outputs:
                (folder / name).write_bytes(OLD)
            ballast = folder / "ballast"
            state = os.statvfs(folder)
            with ballast.open("wb") as file:
                os.posix_fallocate(
                    file.fileno(), 0, max(state.f_bavail * state.f_frsize - room, 1)
                )
            yield folder, None, ballast.unlink
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)

    def damage_files(self) -> None:
        """Damages a file of each kind in each way; loaders refuse it, or read the same."""
        for kind, (make, load) in LOADERS.items():
            row = self.row(f"damage {kind}")
            for how in DAMAGES:
                folder = self.place / f"damage_{self._count}"
                self._count += 1
                folder.mkdir()
                path = make(folder)
                expected = load(path)
                damage(path, how, self.chance)
                row.events += 1
                try:
                    found = load(path)
                except Exception as error:
                    self.fault(
                        row, "failures", f"{kind}, {how}: {type(error).__name__}: {error}"
                    )
                    continue
                may_differ = kind not in CHECKSUMMED and not str(found).startswith("refused")
                if found not in (expected, "refused") and not may_differ:
                    self.fault(row, "failures", f"{kind}, {how}: {str(found)[:200]}")

    def print_table(self) -> int:
        """Prints the table; returns the exit status."""
        names = [field.name for field in fields(Row)]
        print(f"\n{'':24}" + "".join(f"{name:>11}" for name in names))
        total = [sum(values) for values in zip(*map(astuple, self.rows.values()))]
        for name, values in [*((n, astuple(r)) for n, r in self.rows.items()), ("all", total)]:
            print(f"{name:24}" + "".join(f"{value:11,}" for value in values))
        return 1 if any(total[1:]) else 0


def mount(folder: Path, size: int) -> list[str]:
    return ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]


def can_mount(place: Path) -> bool:
    """Whether disks can be mounted here: by root on Linux, outside of most containers."""
    try:
        subprocess.run(mount(place, 2**16), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    subprocess.run(["umount", "--lazy", place], check=True)
    return True


def steps_in(folder: Path) -> int:
    """The steps of the newest undamaged checkpoints in a folder, all runs together."""
    total = 0
    for place in folder.rglob("checkpoints"):
        for path in checkpoints(place):
            try:
                read_checkpoint(path)
            except (ValueError, OSError):
                continue
            total += int(path.stem.split("_")[1])
            break
    return total


def training_lost(folder: Path, born: float) -> float:
    """The age of the newest checkpoint, if the killed process wrote it and went on training."""
    found = [path for place in folder.rglob("checkpoints") for path in checkpoints(place)]
    if not found:
        return 0.0
    newest = max(found, key=lambda path: path.stat().st_mtime)
    written = newest.stat().st_mtime
    is_done = (newest.parent.parent / "last_model.zip").exists()
    return 0.0 if is_done or written < born else time.time() - written


def main() -> int:
    """Runs all events; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--disks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the events")
    parser.add_argument("--only", nargs="*", help="names of programs, and damage")
    options = parser.parse_args()
    shares = {RECORD: 0.3, EVALUATE: 0.25, TRAIN: 0.25, SELFPLAY: 0.2}
    disks = (RECORD, EVALUATE, EXPORT, TRAIN, RECORD, EVALUATE, EXPORT)
    with tempfile.TemporaryDirectory() as place:
        chaos = Chaos(Path(place), options.seed)
        disk = "tmpfs" if chaos.can_mount else "limits on the size of files"
        print(f"full disks: {disk}", flush=True)
        with suppress(KeyboardInterrupt):  # then the table is of what was done
            for program, share in shares.items():
                if options.kills and chosen(program.name, options.only):
                    chaos.kills(program, max(1, round(share * options.kills)))
            for number in range(options.disks):
                program = disks[number % len(disks)]
                if chosen(program.name, options.only):
                    chaos.disk(program)
            if chosen("damage", options.only):
                chaos.damage_files()
        return chaos.print_table()


def chosen(name: str, only: list[str] | None) -> bool:
    return not only or name in only


if __name__ == "__main__":
    sys.exit(main())
