"""Puts faults in by hand, one after the other, and tells whether the tests catch them.

    PYTHONPATH=. python tests/by_hand/mutants.py --out mutants.json
    PYTHONPATH=. python tests/by_hand/mutants.py --checkout OTHER --out other.json
    PYTHONPATH=. python tests/by_hand/mutants.py --table other.json mutants.json

The faults are in `mutants.toml`. Each is put into a copy of the checkout's tracked files, whose
tests are then run until the first fails: the likely ones, and if they pass all of the folder. A
fault in compiled code is looked for in plain Python first, since compiling takes a minute. A
test that has caught a fault is run once more without it, and counts only if it passes. The
results are written after each fault; one that was caught is not tried again. `--likely` does
without the folders, so that a later run looks in those for what is left.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tomllib

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
COMPILED = ("steering/", "scripts/", "game/", "solved/", "policies/layers.py", "sides.py")
"""What is compiled of `steer_env`."""


@dataclass(frozen=True)
class Fault:
    """A text of a file that is replaced, and the tests that should notice.

    Attributes:
        name: what is wrong then.
        file: path in the checkout.
        old: the text to replace, which the file has once.
        new: what takes its place.
        tests: files under `tests/` that are asked first.
        folder: the folder under `tests/` that is asked when they pass.
        quick: tests that are asked before all, in plain Python, if there are such.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    folder: str
    quick: tuple[str, ...] = ()

    @property
    def is_compiled(self) -> bool:
        """Whether the file is compiled, so that all machine code is made anew."""
        return self.file.startswith(tuple(f"steer_env/{path}" for path in COMPILED))


@dataclass(frozen=True)
class Outcome:
    """Whether and by which test a fault was caught, in how many seconds."""

    name: str
    file: str
    caught: bool
    by: str
    seconds: float


def faults() -> list[Fault]:
    """The faults of the table beside this program."""
    rows = tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["fault"]
    return [
        Fault(**{name: tuple(v) if isinstance(v, list) else v for name, v in row.items()})
        for row in rows
    ]


def copy_of(checkout: Path, folder: Path) -> Path:
    """Copies the tracked files of a checkout, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=checkout, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (checkout / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, folder / name)
    return folder


class Runner:
    """Runs tests of a copy of a checkout.

    Args:
        copy: the folder of the copy.
        python: the interpreter, which has all packages.
        cache: the folder of the machine code.
        timeout: seconds after which a run of tests is given up.
    """

    def __init__(self, copy: Path, python: str, cache: Path, timeout: float) -> None:
        self.copy, self._python, self._cache = copy, python, cache
        self._timeout = timeout
        self._passes: dict[tuple[str, bool], bool] = {}  # of tests without a fault

    def first_failure(self, tests: list[str], is_plain: bool) -> str:
        """The first test that fails, and "" if all pass or time is up."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.copy),
            "NUMBA_CACHE_DIR": str(self._cache),
            "STEER_ENV_DATA": str(self._cache),
            "SDL_VIDEODRIVER": "dummy",
            **({"NUMBA_DISABLE_JIT": "1"} if is_plain else {}),
        }
        command = [self._python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        process = subprocess.Popen(
            command + (["-m", "not compiled"] if is_plain else []),
            cwd=self.copy,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=self._timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return ""
        if process.returncode in (0, 5) or "ERROR: not found: " in printed:  # 5: none selected
            return ""
        found = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", printed, re.MULTILINE)
        return found[1] if found else "the run itself"

    def passes(self, test: str, is_plain: bool) -> bool:
        """Whether a test passes without a fault."""
        if not test.startswith("tests/"):
            return True
        if (test, is_plain) not in self._passes:
            self._passes[test, is_plain] = not self.first_failure([test], is_plain)
        return self._passes[test, is_plain]


def rounds(fault: Fault, copy: Path, likely_only: bool) -> Iterator[tuple[list[str], bool]]:
    """What is run for a fault, one after the other: tests, and whether in plain Python."""
    likely = [f"tests/{test}" for test in fault.tests if (copy / "tests" / test).exists()]
    quick = [
        test for test in fault.quick if (copy / "tests" / test.partition("::")[0]).exists()
    ]
    for test in quick:
        yield [f"tests/{test}"], True
    modes = (True, False) if fault.is_compiled else (False,)
    for is_plain in modes:
        if likely:
            yield likely, is_plain
    if not likely_only:
        yield [f"tests/{fault.folder}"], False


def try_fault(fault: Fault, runner: Runner, likely_only: bool) -> Outcome:
    """Puts a fault in, looks whether the tests catch it, and takes it out again.

    Raises:
        ValueError: if the file does not have the text once.
    """
    path = runner.copy / fault.file
    whole = path.read_text(encoding="utf-8")
    if whole.count(fault.old) != 1:
        raise ValueError(f"{fault.file} has not once what {fault.name!r} replaces")
    began, by = time.perf_counter(), ""
    for tests, is_plain in rounds(fault, runner.copy, likely_only):
        path.write_text(whole.replace(fault.old, fault.new), encoding="utf-8")
        try:
            found = runner.first_failure(tests, is_plain)
        finally:
            path.write_text(whole, encoding="utf-8")
        if found and runner.passes(found, is_plain):
            by = found
            break
    return Outcome(fault.name, fault.file, bool(by), by, round(time.perf_counter() - began, 1))


def table(columns: dict[str, dict[str, Outcome]]) -> str:
    """Markdown: a row for each fault, a column for each file of results."""
    lines = [
        f"| fault | file | {' | '.join(columns)} |",
        f"|---|---|{'---|' * len(columns)}",
    ]
    names = dict.fromkeys(name for found in columns.values() for name in found)
    for name in names:
        outcomes = [found.get(name) for found in columns.values()]
        file = next(one.file for one in outcomes if one)
        cells = [
            "" if one is None else f"`{one.by}`" if one.by else "missed" for one in outcomes
        ]
        lines.append(f"| {name} | `{file}` | {' | '.join(cells)} |")
    caught = (sum(one.caught for one in found.values()) for found in columns.values())
    counts = (f"{n} of {len(found)}" for n, found in zip(caught, columns.values()))
    return "\n".join([*lines, f"| caught | | {' | '.join(counts)} |"])


def read(path: Path) -> dict[str, Outcome]:
    """The outcomes of a file of results, by name."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {row["name"]: Outcome(**row) for row in rows}


def main() -> None:
    """Tries all faults, or shows the results of files beside each other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--out", type=Path, default=Path("mutants.json"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument(
        "--timeout", type=float, default=600.0, help="seconds of a run of tests"
    )
    parser.add_argument("--only", default="", help="faults of files with this in their path")
    parser.add_argument("--likely", action="store_true", help="without the whole folders")
    parser.add_argument("--table", type=Path, nargs="+", help="files of results to show")
    given = parser.parse_args()
    if given.table:
        print(table({path.stem: read(path) for path in given.table}))
        return
    found = read(given.out)
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_of(given.checkout.resolve(), Path(folder) / "checkout")
        runner = Runner(copy, given.python, Path(folder) / "cache", given.timeout)
        for fault in faults():
            is_known = fault.name in found and found[fault.name].caught
            if is_known or given.only not in fault.file:
                continue
            if not (copy / fault.file).exists():
                print(f"no file {fault.file}: {fault.name}", flush=True)
                continue
            outcome = try_fault(fault, runner, given.likely)
            found[fault.name] = outcome
            print(f"{outcome.by or 'MISSED'} ({outcome.seconds} s): {fault.name}", flush=True)
            rows = [dataclasses.asdict(one) for one in found.values()]
            given.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table({given.out.stem: found}))


if __name__ == "__main__":
    main()
