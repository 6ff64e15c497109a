"""Counts the faults of `tests/data/faults.json` that the quick tests catch.

    PYTHONPATH=. python tests/by_hand/try_faults.py cover FOLDER
    PYTHONPATH=. python tests/by_hand/try_faults.py try FOLDER --out results.json
    PYTHONPATH=. python tests/by_hand/try_faults.py needless FOLDER --out hints.json

`cover` writes which test runs which lines, also in programs that it starts, and its seconds.
`try` imports all tests, then forks a process for each fault. It replaces the code of the
function and runs the tests that cover the statement, the quickest first, until one fails. A
failure counts if the same tests pass without the fault; a test that takes a minute longer than
before has failed. Faults that the file of results has are not tried again. `needless` lists
functions of tests without a branch of their own, such that all of a list can go at once. With
`--part compiled` they run compiled formulas, as plain Python.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import marshal
import os
import re
import shutil
import signal
import sqlite3
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import faults
import pytest
from faults import ROOT, Fault, Place

TESTS = {
    "uncompiled": ["tests"],
    "compiled": [
        "-m",
        "not compiled and not weekly",
        "tests/steering",
        "tests/solved",
        "tests/game",
    ],
}
SETTINGS = f"""[run]
branch = True
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
"""The `sitecustomize` of programs that tests start."""
PHASE = re.compile(r" \((setup|call|teardown)\)$")  # in contexts of such programs
LONGEST = {"uncompiled": 60.0, "compiled": 5.0}  # seconds of a test that is not left out
ENOUGH = 60.0  # seconds of tests for one fault
HANGING = 60  # seconds of computing that a test may take longer than without a fault
CRASHED = 99  # status of a process in which this program failed


class Plugin:
    """A plugin of pytest that measures coverage or tries faults, in forked processes.

    Args:
        given: the command line.
        file: of the coverage.
        folder: for temporary files.
    """

    def __init__(self, given: argparse.Namespace, file: Path, folder: Path) -> None:
        self._given, self._file, self._folder = given, file, folder
        self._items: dict[str, pytest.Item] = {}
        self._coverage: coverage.Coverage | None = None
        self._reports: list[pytest.TestReport] = []
        self._test = ""  # that is covered now
        self._shared: set[str] = set()  # fixtures of more than one test
        self._functions: list[FunctionType] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leaves out tests in a browser, which are slow, and hardly of Python."""
        items[:] = [one for one in items if "browser" not in getattr(one, "fixturenames", ())]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Does what the command line says, in place of running the tests."""
        self._items = {item.nodeid: item for item in session.items}
        self._cover() if self._given.what == "cover" else self._try()
        return True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Records the lines of a fixture of several tests as run by "FILE fixture"."""
        is_shared = self._coverage is not None and fixturedef.scope != "function"
        if is_shared:
            self._shared.add(fixturedef.argname)
            file = self._test.partition("::")[0]
            self._coverage.switch_context(f"{file} {fixturedef.argname}")
        yield
        if is_shared:
            self._coverage.switch_context(self._test)

    def _cover(self) -> None:
        """Covers the tests of each file, and combines what they ran."""
        files: dict[str, list[str]] = defaultdict(list)
        for test in self._items:
            files[test.partition("::")[0]].append(test)
        jobs = [partial(self._cover_file, tests) for tests in files.values()]
        rows: dict[str, Any] = {}
        for folder, _ in in_processes(jobs, self._given.workers, self._folder):
            rows |= json.loads((folder / "rows").read_text())
        self._file.with_suffix(".json").write_text(json.dumps(rows, indent=0))
        coverage.Coverage(config_file=str(self._file.with_suffix(".ini"))).combine()
        others = [test for test, row in rows.items() if not row["passed"]]
        print("\nleft out, since they do not pass:", *others, sep="\n  ")

    def _cover_file(self, tests: list[str], folder: Path) -> int:
        settings = str(self._file.with_suffix(".ini"))
        os.environ["COVERAGE_PROCESS_START"] = settings  # for programs that tests start
        self._coverage = coverage.Coverage(config_file=settings)
        self._coverage.start()
        for one in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(one, stop)
        rows: dict[str, Any] = {}
        for self._test, following in zip(tests, [*tests[1:], None]):
            self._coverage.switch_context(self._test)
            seconds, outcomes = self._run(self._test, following, LONGEST[self._given.part])
            rows[self._test] = {"seconds": round(seconds, 3), "passed": outcomes == {"passed"}}
        self._coverage.stop()
        self._coverage.save()
        for test, row in rows.items():
            fixtures = self._shared.intersection(getattr(self._items[test], "fixturenames", ()))
            row["fixtures"] = sorted(fixtures)
        return not (folder / "rows").write_text(json.dumps(rows))

    def _run(self, test: str, following: str | None, longest: float) -> tuple[float, set[str]]:
        """Runs a test; returns its seconds of computing, and the outcomes of its phases.

        After the longest time of computing, or ten times as long, a signal ends it.
        """
        after = None if following is None else self._items[following]
        self._reports.clear()
        item, begin = self._items[test], os.times()
        signal.setitimer(signal.ITIMER_PROF, longest)
        signal.setitimer(signal.ITIMER_REAL, 10.0 * longest)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        seconds = sum(os.times()[:4]) - sum(begin[:4])
        return seconds, {one.outcome for one in self._reports}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the outcome of a phase of a test."""
        self._reports.append(report)

    def _try(self) -> None:
        """Tries the faults that the file of results lacks, and writes the results there."""
        out, part = self._given.out, self._given.part
        rows = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
        found = faults.found(ROOT, faults.read(faults.LIST))
        left = {k: at for k, at in found.items() if at.part == part and str(k) not in rows}
        for place in left.values():
            name = place.file.removesuffix(".py").replace("/", ".")
            with suppress(ImportError):
                importlib.import_module(re.sub("^agents", "steer_env.agents", name))
        for one in gc.get_objects():
            if type(one) is FunctionType and one.__code__.co_filename.startswith(str(ROOT)):
                self._functions.append(one)
        # Tests are looked up in this process: coverage erases what it opens after a fork.
        known = Coverage(self._file)
        jobs = [partial(self._attempt, *one, known.tests(one[1])) for one in left.items()]
        for folder, _ in in_processes(jobs, self._given.workers, self._folder):
            rows |= json.loads((folder / "row").read_text())
            out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        tried, caught = Counter[str](), Counter[str]()
        for row in (row for row in rows.values() if row["part"] == part):
            for name in (row["file"].rpartition("/")[0], "all"):
                tried[name] += 1
                caught[name] += bool(row["by"])
        print(*(f"\n{name}: {caught[name]} of {tried[name]} caught" for name in sorted(tried)))

    def _attempt(
        self, fault: Fault, place: Place, known: dict[str, float], folder: Path
    ) -> int:
        """Tries a fault with the tests that cover it, and writes the test that catches it."""
        begin, by, tests = time.perf_counter(), "", dict(known)
        code = faults.code_with(ROOT, place, fault.new)
        while number := self._failing(tests, code, folder):
            by = [*tests][number - 1]
            if not self._failing({by: tests[by]}, None, folder):
                break
            tests.pop(by)
            by = ""
        row = {"part": place.part, "file": place.file, "line": place.lines[0], "by": by}
        row |= {"tests": len(tests), "seconds": round(time.perf_counter() - begin, 1)}
        return not (folder / "row").write_text(json.dumps({str(fault): row}))

    def _failing(self, tests: dict[str, float], code: CodeType | None, folder: Path) -> int:
        """The number of the first test that fails in a new process, from 1, or 0."""
        job = partial(self._run_until_failure, tests, code)
        number = 0
        for inner, status in in_processes([job], 1, folder):
            number = (inner / "begun").stat().st_size if status else 0
        return number

    def _run_until_failure(
        self, tests: dict[str, float], code: CodeType | None, folder: Path
    ) -> int:
        """Runs tests, given with their seconds; writes a letter for each, for who waits."""
        if code is not None:
            self._put_in(code, folder)
        with open(folder / "begun", "wb", buffering=0) as file:
            for test, following in zip(tests, [*tests, None][1:]):
                file.write(b".")
                if "failed" in self._run(test, following, HANGING + 3.0 * tests[test])[1]:
                    return 1
        return 0

    def _put_in(self, code: CodeType, folder: Path) -> None:
        """Replaces the code of functions, also in programs that tests start."""
        codes = [code]
        for one in codes:  # which grows
            codes += [inner for inner in one.co_consts if isinstance(inner, CodeType)]
        known = {(one.co_name, one.co_firstlineno): one for one in codes}
        for function in self._functions:
            old = function.__code__
            if old.co_filename == code.co_filename and old.co_name != "<lambda>":
                function.__code__ = known.get((old.co_name, old.co_firstlineno), old)
        (folder / "sitecustomize.py").write_text(HOOK)
        (folder / "code").write_bytes(marshal.dumps(code))
        os.environ |= {"FAULT_FILE": code.co_filename, "FAULT_CODE": str(folder / "code")}
        os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{ROOT}"


def in_processes(
    jobs: list[Callable[[Path], int]], workers: int, root: Path
) -> Iterator[tuple[Path, int]]:
    """Calls functions in forked processes, some at a time, each with a folder.

    Yields the folder of each when it has ended, and its status: what the function returned.
    """
    running: dict[int, Path] = {}
    for number, job in enumerate([*jobs, *[None] * min(workers, len(jobs))]):
        if job is None or len(running) == workers:
            process, status = os.wait()
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)  # what it has started
            if os.waitstatus_to_exitcode(status) == CRASHED:
                raise RuntimeError((running[process] / "log").read_text(errors="replace"))
            print(f"{number - len(running) + 1} of {len(jobs)}", end="\r", flush=True)
            yield running[process], status
            shutil.rmtree(running.pop(process), ignore_errors=True)
        if job is not None:
            folder = Path(tempfile.mkdtemp(dir=root))
            if process := os.fork():
                running[process] = folder
            else:
                call_and_exit(partial(job, folder), folder)


def call_and_exit(do: Callable[[], int], folder: Path) -> None:
    """Calls a function with all output in a file, and ends the process."""
    try:
        os.setsid()
        log = os.open(folder / "log", os.O_RDWR | os.O_CREAT)
        for number in range(3):
            os.dup2(log, number)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
        os._exit(do())
    finally:
        traceback.print_exc()
        os._exit(CRASHED)


def stop(*_: Any) -> None:
    """Ends a test that takes too long, also within hypothesis."""
    pytest.skip("it takes too long")


class Coverage:
    """The tests that run each line, and their seconds, as `cover` wrote them."""

    def __init__(self, file: Path) -> None:
        rows = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        self.seconds = {name: row["seconds"] for name, row in rows.items() if row["passed"]}
        self.tests_of: dict[str, list[str]] = defaultdict(list)
        """The tests of a context: one, or those with a fixture."""
        for test in self.seconds:
            prefix = test.partition("::")[0]
            for name in (test, *(f"{prefix} {fixture}" for fixture in rows[test]["fixtures"])):
                self.tests_of[name].append(test)
        self._data = coverage.CoverageData(str(file))
        self._data.read()

    def tests(self, place: Place) -> dict[str, float]:
        """The quickest tests that run a statement, with their seconds, up to `ENOUGH`."""
        found = self._data.contexts_by_lineno(str(ROOT / place.file))
        names = {PHASE.sub("", name) for line in place.lines for name in found.get(line, ())}
        tests = {test: self.seconds[test] for name in names for test in self.tests_of[name]}
        ordered = sorted(tests, key=lambda test: (tests[test], test))
        sums = accumulate(tests[test] for test in ordered)
        return {test: tests[test] for test, until in zip(ordered, sums) if until < ENOUGH}


def needless(file: Path) -> dict[str, Any]:
    """The functions of tests that can go, by file, so that others run all branches."""
    known = Coverage(file)
    seconds: dict[str, float] = defaultdict(float)
    for test, one in known.seconds.items():
        seconds[test.partition("[")[0]] += one
    arcs: dict[str, set[Any]] = defaultdict(set)
    with closing(sqlite3.connect(file)) as base:
        names = dict(base.execute("SELECT id, context FROM context"))
        for context, *arc in base.execute("SELECT context_id, file_id, fromno, tono FROM arc"):
            for test in known.tests_of[PHASE.sub("", names[context])]:
                arcs[test.partition("[")[0]].add(tuple(arc))
    functions = sorted(arcs, key=lambda one: -seconds[one])

    def superfluous(prefix: str) -> list[str]:
        ours = [one for one in functions if one.startswith(prefix)]
        counts, gone = Counter(arc for one in ours for arc in arcs[one]), []
        for one in ours:
            if all(counts[arc] > 1 for arc in arcs[one]):
                counts.subtract(arcs[one])
                gone.append(one)
        return gone

    everywhere = superfluous("")
    return {
        name: {
            "in the file": {one: round(seconds[one], 2) for one in superfluous(f"{name}::")},
            "in all": [one for one in everywhere if one.startswith(f"{name}::")],
        }
        for name in sorted({one.partition("::")[0] for one in functions})
    }


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("cover", "try", "needless"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=tuple(TESTS), default="uncompiled")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    file = given.folder.resolve() / f"{given.part}.sqlite"
    if given.what == "needless":
        given.out.write_text(json.dumps(needless(file), indent=1) + "\n", encoding="utf-8")
        return
    if given.what == "cover":
        given.folder.mkdir(exist_ok=True)
        file.with_suffix(".ini").write_text(f"{SETTINGS}{file}\n", encoding="utf-8")
    os.environ |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    if given.part == "compiled":
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options = ["-p", "no:xdist", "-p", "no:cacheprovider", "--capture=no", "-p", "no:cov"]
        plugin = Plugin(given, file, Path(folder))
        pytest.main([*options, *TESTS[given.part]], plugins=[plugin])


if __name__ == "__main__":
    main()
