"""Tries the versions that pyproject.toml promises, the oldest and the newest of each.

    python tests/by_hand/compat.py [NAME ...] [--quick]

Builds the wheel for this system, with the library of this tree. Each combination of versions
gets a virtual environment with it: `compat_checks.py` runs in it, then tests, and then the
wheel is uninstalled. Prints a line for each; the exit status is
1 if anything failed. The output of each is in .compat, NAME.log.

The Pythons are those on the PATH or of pyenv. Packages come from pip's index, by uv where it
is installed. torch has one version (TORCH), and always comes by pip, whose configuration knows
where a build for this machine is: other builds are gigabytes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from compat_wheels import ROOT, build, copy_tree, installer, lower_bounds, run
from packaging.requirements import Requirement

from steer_env.machine_code.library import LIBRARIES

TORCH = re.search(r"^TORCH := (.+)$", (ROOT / "Makefile").read_text(), re.M)[1]
LIBRARY = LIBRARIES.get((sys.platform, platform.machine()), "")
FOLDER = ROOT / ".compat"
TESTS = ("tests/envs", "tests/game")
RAY_TESTS = ("tests/envs", "tests/baselines/test_ray_cluster.py")
TIME_LIMIT = 1800.0  # seconds, of one command
SHOWN = (
    *("python", "numba", "numpy", "gymnasium", "scipy", "matplotlib", "pygame-ce", "tyro"),
    *("stable-baselines3", "torch", "ray"),
)


@dataclass
class Combination:
    """Versions to try together."""

    name: str
    python: str
    extras: str = "own,render,baselines"
    is_oldest: bool = False  # all dependencies are at the lower bounds of pyproject.toml
    pins: tuple[str, ...] = ()  # further versions, which come before the lower bounds
    has_vectors: bool = True  # Gymnasium has what the native vector environments need
    tests: tuple[str, ...] = TESTS

    def __post_init__(self) -> None:
        self.has_agents = "agents" in self.extras
        self.has_own = "own" in self.extras.split(",")  # numba, which most tests need

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
    Combination("cleanrl", "3.11", "render,baselines", False, ("gymnasium==0.29.1",), False),
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


class Attempt:
    """One combination in an environment of its own."""

    def __init__(self, combination: Combination, wheel: Path) -> None:
        self.combination, self.wheel = combination, wheel
        self.versions = {"python": combination.python}  # of what is installed
        self.found: dict[str, str] = {}  # the result of each check
        self.failed: dict[str, str] = {}  # the reasons of what failed, which may be empty
        self.place = FOLDER / combination.name
        shutil.rmtree(self.place, ignore_errors=True)
        self.python = self.place / "venv" / "bin" / "python"
        self.log = FOLDER / f"{combination.name}.log"
        self.log.write_text("")
        # What is imported is what is installed, not this tree.
        self.checkout = copy_tree(self.place / "checkout", "tests", "pyproject.toml")
        ours = ("PYTHON", "NUMBA", "STEER_ENV", "VIRTUAL_ENV", "XDG_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        self.environment["MPLBACKEND"] = "agg"

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command in the checkout."""
        settings = {"cwd": self.checkout, "env": self.environment, "timeout": TIME_LIMIT}
        return run(*command, log=self.log, **settings)

    def play(self, quick: bool) -> None:
        """Installs, checks, tests unless it is quick, and uninstalls."""
        try:
            if self.installed():
                listed = self.run(self.python, "-m", "pip", "list", "--format", "json").stdout
                for one in json.loads(listed):
                    self.versions[one["name"].lower().replace("_", "-")] = one["version"]
                for name in self.combination.checks():
                    self.check(name)
                if not quick and self.combination.has_own and self.combination.has_vectors:
                    self.test()
                self.uninstall()
        except subprocess.TimeoutExpired as error:
            self.failed["time"] = f"more than {error.timeout:.0f} s"
        shutil.rmtree(self.place)

    def installed(self) -> bool:
        """Makes the environment; returns whether all the versions go together."""
        combination = self.combination
        interpreter = find_python(combination.python)
        if interpreter is None:
            self.failed["install"] = f"no Python {combination.python}"
            return False
        pins = list(combination.pins)
        if combination.is_oldest:
            pinned = {Requirement(pin).name for pin in pins}
            bounds = lower_bounds(self.wheel, combination.extras)
            pins += [bound for bound in bounds if Requirement(bound).name not in pinned]
        constraints = self.place / "constraints.txt"
        constraints.write_text("\n".join([*pins, TORCH]) + "\n")
        extras = f"[{combination.extras}]" if combination.extras else ""
        steps = [[interpreter, "-m", "venv", self.place / "venv"]]
        if combination.has_agents:
            steps.append([self.python, "-m", "pip", "install", "--quiet", TORCH])
        tools = ("pytest", "hypothesis", "packaging") if extras else ()
        wanted = "--constraint", constraints, f"{self.wheel}{extras}", *tools
        steps.append([*installer(self.python), *wanted])
        if any(self.run(*step).returncode for step in steps):
            self.failed["install"] = ""
        return "install" not in self.failed

    def check(self, name: str) -> None:
        """Runs one of `compat_checks`, in which the games are never compiled."""
        program = self.checkout / "tests" / "by_hand" / "compat_checks.py"
        done = self.run(self.python, program, name)
        self.found[name] = (done.stdout.split() or ["nothing"])[-1]
        if done.returncode:
            self.failed[name] = ""
        elif "compiling the games" in done.stderr:
            self.failed[name] = "compiled the games"

    def test(self) -> None:
        """Runs tests: pytest's own command, since python -m would import from the tree."""
        options = ["-p", "no:cacheprovider"]
        if not self.combination.has_agents:
            options += ["--ignore-glob", "tests/envs/test_sb3*", "-k", "not stable_baselines3"]
        done = self.run(self.python.with_name("pytest"), *options, *self.combination.tests)
        summary = re.findall(r"^(?:\d+ \w+,? ?)+", done.stdout, re.M)
        self.found["tests"] = summary[-1].strip() if summary else "?"
        if done.returncode:
            self.failed["tests"] = self.found["tests"]

    def uninstall(self) -> None:
        """Removes the package, and checks that nothing of it stays behind."""
        self.run(self.python, "-m", "pip", "uninstall", "--yes", "steer-env")
        names = "steer_env*", "baselines"
        left = [*chain(*(self.place.glob(f"venv/lib/*/site-packages/{n}") for n in names))]
        imported = self.run(self.python, "-c", "import steer_env").returncode == 0
        self.found["uninstall"] = "clean"
        if left or imported:
            self.failed["uninstall"] = f"leaves {left}, imported: {imported}"

    def __str__(self) -> str:
        failed = [f"{name} ({why})" if why else name for name, why in self.failed.items()]
        versions = [f"{name} {self.versions[name]}" for name in SHOWN if name in self.versions]
        found = [f"{name} {result}" for name, result in self.found.items()]
        verdict = f"FAILED: {', '.join(failed)}" if failed else "passed"
        return f"{self.combination.name}: {verdict}; {'; '.join(versions)}; {', '.join(found)}"


def find_python(version: str) -> str | None:
    """The path of a Python, such as "3.10"."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def disagreements(attempts: list[Attempt]) -> list[str]:
    """The checks that did not find the same in every combination."""
    values: dict[str, set[str]] = {}
    for one in attempts:
        for name, result in one.found.items():
            values.setdefault(name, set()).add(result)
    return [
        f"{name} differs: {', '.join(sorted(found))}"
        for name, found in sorted(values.items())
        if len(found) > 1 and name != "tests"
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = {combination.name: combination for combination in COMBINATIONS}
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="leave out the tests")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"unknown combination {sorted(unknown)}; valid: {', '.join(known)}")
    FOLDER.mkdir(exist_ok=True)
    wheel, attempts = build(FOLDER / "wheel", LIBRARY), []
    for name in options.names or known:
        began = time.perf_counter()
        attempts.append(Attempt(known[name], wheel))
        attempts[-1].play(options.quick)
        print(f"{attempts[-1]}; {time.perf_counter() - began:.0f} s", flush=True)
    print(*(faults := disagreements(attempts)), sep="\n")
    return 1 if faults or any(one.failed for one in attempts) else 0


if __name__ == "__main__":
    sys.exit(main())
