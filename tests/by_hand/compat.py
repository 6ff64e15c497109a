"""Tries the versions that pyproject.toml promises, the oldest and the newest of each.

    python tests/by_hand/compat.py [NAME ...] [--folder FOLDER] [--quick] [--keep]

Builds the wheel for all systems and the one for this system, with the libraries of this tree:
each twice, compares the two, and compares their content with the files in git. Then
each combination of versions gets a virtual environment with the latter: `compat_checks.py` runs
in it, then tests, and then the wheel is uninstalled. Prints a table; the exit status is 1 if
anything failed. The output of each combination is in FOLDER (default .compat), NAME.log.

The Pythons are those on the PATH or of pyenv. Packages come from pip's index, by uv where it
is installed. torch has one version (TORCH), and always comes by pip, whose configuration knows
where a build for this machine is: other builds are gigabytes.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from compat_wheels import ROOT, build, copy_tree, lower_bounds
from packaging.requirements import Requirement

from steer_env.machine_code.library import LIBRARIES

TORCH = re.search(r"^TORCH := (.+)$", (ROOT / "Makefile").read_text(), re.M)[1]
LIBRARY = LIBRARIES.get((sys.platform, platform.machine()), "")
TEST_TOOLS = ("pytest", "hypothesis", "packaging")
TESTS = ("tests/envs", "tests/game")
RAY_TESTS = (
    "tests/envs",
    "tests/baselines/test_ray_cluster.py",
)
TIME_LIMIT = 1800.0  # seconds, of one command
SHOWN = ("numba", "numpy", "gymnasium", "scipy", "matplotlib", "pygame-ce", "tyro")
SHOWN_OF_AGENTS = ("stable-baselines3", "torch", "ray")


@dataclass(frozen=True)
class Combination:
    """Versions to try together.

    Attributes:
        name: for the table and for files.
        python: "3.10", for example.
        extras: of the package.
        is_oldest: whether all dependencies are at the lower bounds of pyproject.toml.
        pins: further versions, as pip reads them; they come before the lower bounds.
        has_vectors: whether its Gymnasium has autoreset modes, which the native vector
            environments (and most tests) need.
        tests: to run.
    """

    name: str
    python: str
    extras: str = "own,render,baselines"
    is_oldest: bool = False
    pins: tuple[str, ...] = ()
    has_vectors: bool = True
    tests: tuple[str, ...] = TESTS

    @property
    def has_agents(self) -> bool:
        return "agents" in self.extras

    @property
    def has_own(self) -> bool:
        """Whether it has numba; most tests need it."""
        return "own" in self.extras.split(",")

    def checks(self) -> list[str]:
        always = ["one", "policy", "info", "wrappers"]
        always.append("own" if self.has_own else "no_own")
        always.append("many" if self.has_vectors else "refused")
        drawn = ["evaluate", "gif", "window"] if self.extras else []
        return [*always, *drawn, *(["train", "export"] if self.has_agents else [])]


# Each Python with the oldest and the newest numba for it; each minor of Gymnasium.
COMBINATIONS = (
    Combination("oldest", "3.10", is_oldest=True, has_vectors=False),
    Combination("oldest-vectors", "3.10", is_oldest=True, pins=("gymnasium==1.1.0",)),
    Combination(
        "cleanrl",
        "3.11",
        "render,baselines",
        pins=("gymnasium==0.29.1",),
        has_vectors=False,
    ),
    Combination("3.10-newest", "3.10", pins=("gymnasium==1.2.3",)),
    Combination("oldest-agents", "3.11", "own,agents", is_oldest=True),
    Combination("newest-agents", "3.11", "own,agents"),
    Combination("3.12-oldest", "3.12", pins=("numba==0.60.0", "numpy<2.1", "gymnasium==1.3.0")),
    Combination("3.12-newest", "3.12", pins=("numpy==2.0.2", "gymnasium==1.1.1")),
    Combination("3.13-oldest", "3.13", pins=("numba==0.61.0", "gymnasium==1.2.0")),
    Combination("newest", "3.13"),
    Combination("no-extras", "3.12", ""),
    # RLlib pins Gymnasium.
    Combination("ray", "3.12", "own,agents,ray", tests=RAY_TESTS),
)


@dataclass
class Outcome:
    """Versions of a combination, what each check found, and why what failed did so."""

    versions: dict[str, str] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def row(self, combination: Combination) -> list[str]:
        names = [*SHOWN, *SHOWN_OF_AGENTS]
        versions = [self.versions.get(name, "-") for name in names]
        hashes = [self.found.get(name, "-") for name in ("one", "many", "own", "evaluate")]
        passed = [name for name in self.found if name not in self.failed]
        failed = [f"{name} ({why})" if why else name for name, why in self.failed.items()]
        verdict = f"FAILED: {', '.join(failed)}" if failed else "passed"
        return [
            combination.name,
            self.versions.get("python", combination.python),
            *versions,
            *hashes,
            " ".join(passed),
            f"{self.seconds:.0f} s",
            verdict,
        ]


HEADER = [
    *("combination", "python", *SHOWN, *SHOWN_OF_AGENTS),
    *("one game", "16 games", "own behavior", "evaluation", "what ran", "time", "result"),
]


def table(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


class Attempt:
    """One combination in an environment of its own.

    Args:
        combination: the versions.
        wheel: to install.
        folder: for the environment, what programs write, and the log.
    """

    def __init__(self, combination: Combination, wheel: Path, folder: Path) -> None:
        self.combination, self.wheel = combination, wheel
        self.place = folder / combination.name
        shutil.rmtree(self.place, ignore_errors=True)
        self.python = self.place / "venv" / "bin" / "python"
        self.log = folder / f"{combination.name}.log"
        self.outcome = Outcome()
        # What is imported is what is installed, not this tree.
        self.checkout = copy_tree(self.place / "checkout", "tests", "pyproject.toml")
        ours = ("PYTHON", "NUMBA", "STEER_ENV", "VIRTUAL_ENV", "XDG_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        self.environment["MPLBACKEND"] = "agg"

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command in the checkout, and notes its output in the log."""
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.checkout,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
        )
        with self.log.open("a") as log:
            log.write(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
            log.write(f"status {done.returncode}\n\n")
        return done

    def installed(self) -> bool:
        """Makes the environment; returns whether all the versions go together."""
        combination, pip = self.combination, [self.python, "-m", "pip", "install", "--quiet"]
        interpreter = find_python(combination.python)
        if interpreter is None:
            self.fail("install", f"no Python {combination.python}")
            return False
        pins = list(combination.pins)
        if combination.is_oldest:
            pinned = {Requirement(pin).name for pin in pins}
            bounds = lower_bounds(self.wheel, combination.extras)
            pins += [bound for bound in bounds if Requirement(bound).name not in pinned]
        constraints = self.place / "constraints.txt"
        constraints.write_text("\n".join([*pins, TORCH]) + "\n")
        uv = shutil.which("uv")
        install = [uv, "pip", "install", "--quiet", "--python", self.python] if uv else pip
        extras = f"[{combination.extras}]" if combination.extras else ""
        steps = [[interpreter, "-m", "venv", self.place / "venv"]]
        if combination.has_agents:
            steps.append([*pip, TORCH])
        wanted = [f"{self.wheel}{extras}", *(TEST_TOOLS if extras else ())]
        steps.append([*install, "--constraint", constraints, *wanted])
        for step in steps:
            if self.run(*step).returncode:
                self.fail("install")
                return False
        return True

    def fail(self, name: str, reason: str = "") -> None:
        self.outcome.failed[name] = reason

    def check(self, name: str) -> None:
        """Runs one of `compat_checks`, in which the games are never compiled."""
        program = self.checkout / "tests" / "by_hand" / "compat_checks.py"
        done = self.run(self.python, program, name)
        self.outcome.found[name] = (done.stdout.split() or ["nothing"])[-1]
        if done.returncode:
            self.fail(name)
        elif "compiling the games" in done.stderr:
            self.fail(name, "compiled the games")

    def test(self) -> None:
        """Runs tests: pytest's own command, since python -m would import from the tree."""
        if not self.combination.has_own or not self.combination.has_vectors:
            return
        options = ["-p", "no:cacheprovider"]
        if not self.combination.has_agents:
            options += ["--ignore-glob", "tests/envs/test_sb3*", "-k", "not stable_baselines3"]
        done = self.run(self.python.with_name("pytest"), *options, *self.combination.tests)
        summary = re.findall(r"^(?:\d+ \w+,? ?)+", done.stdout, re.M)
        self.outcome.found["tests"] = summary[-1].strip() if summary else "?"
        if done.returncode:
            self.fail("tests", self.outcome.found["tests"])

    def uninstall(self) -> None:
        """Removes the package, and holds that nothing of it stays behind."""
        self.run(self.python, "-m", "pip", "uninstall", "--yes", "steer-env")
        left = sorted(path for path in self.place.glob("venv/lib/*/site-packages/steer_env*"))
        left += self.place.glob("venv/lib/*/site-packages/baselines")
        files = sum(path.is_file() for folder in left for path in folder.rglob("*"))
        imported = self.run(self.python, "-c", "import steer_env").returncode == 0
        self.outcome.found["uninstall"] = "clean"
        if left or imported:
            self.fail("uninstall", f"leaves {files} files" + imported * ", can be imported")

    def note_versions(self) -> None:
        program = (
            "import importlib.metadata as m, platform\n"
            "print('python', platform.python_version())\n"
            "for d in m.distributions(): print(d.metadata['Name'].lower(), d.version)"
        )
        lines = self.run(self.python, "-c", program).stdout.splitlines()
        found = dict(line.split() for line in lines if line.count(" ") == 1)
        self.outcome.versions = {k.replace("_", "-"): v for k, v in found.items()}


def attempt(
    combination: Combination, wheel: Path, folder: Path, *, quick: bool, keep: bool
) -> Outcome:
    """Tries a combination; whatever happens is in what it returns."""
    began, tried = time.perf_counter(), Attempt(combination, wheel, folder)
    tried.log.write_text("")
    try:
        if tried.installed():
            tried.note_versions()
            for name in combination.checks():
                tried.check(name)
            if not quick:
                tried.test()
            tried.uninstall()
    except subprocess.TimeoutExpired as error:
        tried.fail("time", f"more than {error.timeout:.0f} s")
    if not keep:
        shutil.rmtree(tried.place)
    tried.outcome.seconds = time.perf_counter() - began
    return tried.outcome


def find_python(version: str) -> str | None:
    """The path of a Python, such as "3.10"."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def disagreements(outcomes: dict[str, Outcome]) -> list[str]:
    """The checks that did not find the same in every combination."""
    names = {name for outcome in outcomes.values() for name in outcome.found} - {"tests"}
    values = {
        name: {o.found[name] for o in outcomes.values() if name in o.found} for name in names
    }
    return [
        f"{n} differs: {', '.join(sorted(values[n]))}"
        for n in sorted(names)
        if len(values[n]) > 1
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="combinations; default: all")
    parser.add_argument("--folder", type=Path, default=ROOT / ".compat", help="for everything")
    parser.add_argument("--quick", action="store_true", help="leave out the tests")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    options = parser.parse_args()
    known = [combination.name for combination in COMBINATIONS]
    if unknown := set(options.names) - set(known):
        parser.error(f"unknown combination {sorted(unknown)}; valid: {', '.join(known)}")
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("build-*"):
        shutil.rmtree(old)
    _, faults = build(folder, "")
    wheel, others = build(folder, LIBRARY)
    faults += others
    outcomes = {}
    rows = [HEADER]
    for combination in COMBINATIONS:
        if not options.names or combination.name in options.names:
            switches = {"quick": options.quick, "keep": options.keep}
            found = attempt(combination, wheel, folder, **switches)
            outcomes[combination.name] = found
            rows.append(found.row(combination))
            print(f"{combination.name}: {rows[-1][-1]}", flush=True)
    faults += disagreements(outcomes)
    print("", table(rows), *faults, sep="\n")
    return 1 if faults or any(outcome.failed for outcome in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
