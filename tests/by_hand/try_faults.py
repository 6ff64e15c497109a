"""Counts the faults of `tests/data/faults.json` that the quick tests catch.

    PYTHONPATH=. python tests/by_hand/try_faults.py cover FOLDER
    PYTHONPATH=. python tests/by_hand/try_faults.py try FOLDER --out results.json

`cover` writes which test runs which lines, also in programs that it starts, and its seconds.
`try` starts pytest with each fault and the tests that cover the statement, the quickest first,
until one fails. A failure counts if that test passes without the fault; what takes a minute
longer than before has failed. Faults that the file of results has are not tried again. With
`--part compiled` both run compiled formulas, as plain Python.

This file is also the plugin of the processes in which tests run.
"""

from __future__ import annotations

import argparse
import json
import marshal
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from types import FrameType
from typing import Any

import coverage
import faults
import pytest
from faults import ROOT, Fault, Place

FOLDERS = {"uncompiled": ("",), "compiled": ("steering", "solved", "game")}  # of tests
MARKS = {"uncompiled": "not weekly", "compiled": "not compiled and not weekly"}
LONGEST = {"uncompiled": 60, "compiled": 5}  # seconds of a test that is not left out
ENOUGH = 60.0  # seconds of tests for one fault
HANGING = 60.0  # seconds that tests may take longer than without a fault
SETTINGS = f"""[run]
parallel = True
disable_warnings = no-data-collected
source_dirs = {ROOT}/steer_env,{ROOT}/baselines,{ROOT}/agents
context = ${{PYTEST_CURRENT_TEST-}}
data_file = """
HOOK = """import marshal, os
from importlib.machinery import SourceFileLoader as Loader
whole, file, code = Loader.get_code, os.environ["FAULT_FILE"], os.environ["FAULT_CODE"]
Loader.get_code = lambda self, name: (
    marshal.load(open(code, "rb")) if self.path == file else whole(self, name)
)
"""
"""The `sitecustomize` of all processes with a fault."""
PHASE = re.compile(r" \((setup|call|teardown)\)$")  # in contexts


# ---- The plugin ---------------------------------------------------------------------------


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves out tests in a browser, which are slow, and hardly of Python."""
    items[:] = [one for one in items if "browser" not in getattr(one, "fixturenames", ())]


def switch_context(item: pytest.Item, phase: str) -> None:
    """Names the lines that run from now on, if they are covered, as `SETTINGS` does."""
    if (current := coverage.Coverage.current()) is not None:
        current.switch_context(f"{item.nodeid} ({phase})")


def leave_out(_: int, frame: FrameType) -> None:
    """Skips a test that takes too long, but not where coverage may have locked its data."""
    if Path(frame.f_code.co_filename).is_relative_to(Path(coverage.__file__).parent):
        signal.setitimer(signal.ITIMER_PROF, 0.01)
    else:
        pytest.skip("it takes too long")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begins a test, which is left out if it takes too long."""
    signal.signal(signal.SIGPROF, leave_out)
    signal.setitimer(signal.ITIMER_PROF, float(os.environ["LONGEST_TEST"]))
    switch_context(item, "setup")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Separates a test from its fixtures, which others may share."""
    switch_context(item, "call")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes each phase of a test for the process that waits."""
    with Path(os.environ["TESTS_DONE"]).open("a", encoding="utf-8") as file:
        row = report.nodeid, report.when, report.outcome, round(report.duration, 3)
        file.write(json.dumps(row) + "\n")


# ---- Processes ----------------------------------------------------------------------------


def run_tests(
    tests: Iterable[str],
    options: Iterable[str] = (),
    limit: float | None = None,
    **variables: str,
) -> tuple[bool, list[Any]]:
    """Runs tests in a new process; returns True if they pass in time, and their phases."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done, path = Path(folder, "done"), os.environ.get("PYTHONPATH", "")
        done.touch()
        variables = {
            "TESTS_DONE": str(done),
            "LONGEST_TEST": "0",
            "PYTHONPATH": path,
        } | variables
        variables["PYTHONPATH"] += f"{os.pathsep}{ROOT}{os.pathsep}{Path(__file__).parent}"
        variables |= {"OMP_NUM_THREADS": "1", "PYTEST_DEBUG_TEMPROOT": folder}
        command = [sys.executable, "-m", "pytest", "-p", "try_faults", "-p", "no:cacheprovider"]
        process = subprocess.Popen(
            [*command, *options, *tests],
            cwd=ROOT,
            env=os.environ | variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        passed = False
        with suppress(subprocess.TimeoutExpired):
            passed = process.wait(limit) == 0
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # also what it has started
        return passed, [json.loads(line) for line in done.read_text().splitlines()]


def in_turn(jobs: list[Callable[[], Any]], workers: int) -> Iterator[Any]:
    """Yields the results of functions, some of which run at a time."""
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(job) for job in jobs]
        for number, one in enumerate(as_completed(running), 1):
            print(f"{number} of {len(jobs)}", end="\r", flush=True)
            yield one.result()


# ---- What the command line asks for -------------------------------------------------------


def cover(data: Path, part: str, workers: int) -> None:
    """Covers the tests of each file, and writes the seconds of those that pass."""
    settings, options = data.with_suffix(".ini"), ("-m", MARKS[part])
    settings.write_text(f"{SETTINGS}{data}\n", encoding="utf-8")
    variables = {"COVERAGE_PROCESS_START": str(settings), "LONGEST_TEST": str(LONGEST[part])}
    folders = [ROOT / "tests" / name for name in FOLDERS[part]]
    files = [str(file) for folder in folders for file in sorted(folder.rglob("test_*.py"))]
    jobs = [partial(run_tests, [file], options, **variables) for file in files]
    seconds, others = Counter[str](), set[str]()
    for _, phases in in_turn(jobs, workers):
        for test, _, outcome, duration in phases:
            seconds[test] += duration
            others |= {test} if outcome != "passed" else set()
    print("\nleft out, since they do not pass:", *sorted(others), sep="\n  ")
    passed = {test: round(one, 3) for test, one in seconds.items() if test not in others}
    data.with_suffix(".json").write_text(json.dumps(passed, indent=0), encoding="utf-8")
    coverage.Coverage(config_file=str(settings)).combine()


class Coverage:
    """The tests that run each line, and their seconds, as `cover` wrote them."""

    def __init__(self, file: Path) -> None:
        self.seconds: dict[str, float] = json.loads(
            file.with_suffix(".json").read_text("utf-8")
        )
        self._data = coverage.CoverageData(str(file))
        self._data.read()

    def tests(self, place: Place) -> dict[str, float]:
        """The tests that run a statement, with their seconds, up to `ENOUGH`.

        The quickest are first. The last are all tests of files in which a fixture runs it.
        """
        found = self._data.contexts_by_lineno(str(ROOT / place.file))
        contexts = {name for line in place.lines for name in found.get(line, ())}
        own = {PHASE.sub("", one) for one in contexts}
        shared = {one.partition("::")[0] for one in contexts if one.endswith(" (setup)")}
        files = {test: test.partition("::")[0] for test in self.seconds}
        tests = [test for test in self.seconds if test in own or files[test] in shared]
        tests.sort(key=lambda test: (test not in own, self.seconds[test], test))
        sums = accumulate(self.seconds[test] for test in tests)
        return {test: self.seconds[test] for test, until in zip(tests, sums) if until < ENOUGH}


def attempt(fault: Fault, place: Place, known: dict[str, float]) -> dict[str, Any]:
    """Tries a fault with the tests that cover it; the row has the test that catches it."""
    begin, by, tests = time.perf_counter(), "", [*known]
    code = faults.code_with(ROOT, place, fault.new)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sitecustomize.py").write_text(HOOK)
        Path(folder, "code").write_bytes(marshal.dumps(code))
        hook = {"FAULT_FILE": code.co_filename, "FAULT_CODE": f"{folder}/code"}
        while tests and not by:
            limit = HANGING + 3.0 * sum(known[test] for test in tests)
            passed, phases = run_tests(tests, ["-x"], limit, PYTHONPATH=folder, **hook)
            if passed:
                break
            failed = [test for test, _, outcome, _ in phases if outcome == "failed"]
            ended = {test for test, when, *_ in phases if when == "teardown"}
            (first, *_) = [*failed, *(test for test in tests if test not in ended), *tests]
            if run_tests([first])[0]:
                by = first
            tests.remove(first)
    row = {"part": place.part, "file": place.file, "line": place.lines[0], "by": by}
    row |= {"tests": len(tests), "seconds": round(time.perf_counter() - begin, 1)}
    return {str(fault): row}


def try_all(data: Path, part: str, workers: int, out: Path) -> None:
    """Tries the faults that the file of results lacks, and writes the results there."""
    rows = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    found, known = faults.found(ROOT, faults.read(faults.LIST)), Coverage(data)
    left = [(one, at) for one, at in found.items() if at.part == part and str(one) not in rows]
    jobs = [partial(attempt, one, at, known.tests(at)) for one, at in left]
    for row in in_turn(jobs, workers):
        rows |= row
        out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    tried, caught = Counter[str](), Counter[str]()
    for row in (row for row in rows.values() if row["part"] == part):
        for name in (row["file"].rpartition("/")[0], "all"):
            tried[name] += 1
            caught[name] += bool(row["by"])
    print(*(f"\n{name}: {caught[name]} of {tried[name]} caught" for name in sorted(tried)))


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("cover", "try"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=tuple(FOLDERS), default="uncompiled")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    data = given.folder.resolve() / f"{given.part}.sqlite"
    if given.part == "compiled":
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    if given.what == "cover":
        cover(data, given.part, given.workers)
    else:
        try_all(data, given.part, given.workers, given.out)


if __name__ == "__main__":
    main()
