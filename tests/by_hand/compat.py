"""Tries the versions that pyproject.toml promises, the oldest and the newest of each.

    python tests/by_hand/compat.py [NAME ...] [--quick]

Builds the wheel for this system, with the library of this tree. Each combination of versions
gets a virtual environment with it: `compat_checks.py` runs in it, then tests, and then the
wheel is uninstalled. Prints a line for each; the exit status is 1 if anything failed. The
output of each is in .compat, NAME.log. The Pythons are those on the PATH or of pyenv. Packages
come from pip's index.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from compat_wheels import ROOT, Environment, build, copy_tree, lower_bounds
from packaging.requirements import Requirement

from steer_env.machine_code.library import LIBRARIES

LIBRARY = LIBRARIES.get((sys.platform, platform.machine()), "")
FOLDER = ROOT / ".compat"
TESTS = ("tests/envs", "tests/game")
RAY_TESTS = ("tests/envs", "tests/examples/test_ray_cluster.py")
SHOWN = (
    *("python", "numba", "numpy", "gymnasium", "scipy", "matplotlib", "pygame-ce", "tyro"),
    *("stable-baselines3", "torch", "ray"),
)
"""Packages whose versions are printed."""


class Combination(NamedTuple):
    """Versions to try together."""

    name: str
    python: str
    extras: str = "own,render,baselines"
    is_oldest: bool = False  # all dependencies are at the lower bounds of pyproject.toml
    pins: tuple[str, ...] = ()  # further versions, which come before the lower bounds
    has_vectors: bool = True  # Gymnasium has what the native vector environments need
    tests: tuple[str, ...] = TESTS


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


def attempt(one: Combination, wheel: Path, quick: bool) -> Iterator[tuple[str, str, bool]]:
    """Tries a combination in an environment of its own.

    Yields the name of each thing that is tried, what was found, and True if it passed.
    """
    extras, is_drawn = one.extras.split(","), one.extras != ""
    has_own, has_agents = "own" in extras, "agents" in extras
    place = Environment(FOLDER / one.name)
    # What is imported is what is installed, not this tree.
    copy_tree(place.folder, "tests", "pyproject.toml")
    pins = {Requirement(pin).name: pin for pin in one.pins}
    pins = {**(lower_bounds(wheel, one.extras) if one.is_oldest else {}), **pins}
    packages = [f"{wheel}[{one.extras}]", "pytest", "hypothesis", "packaging"]
    python = find_python(one.python)
    needs = packages if is_drawn else [str(wheel)]
    installed = python is not None and place.install(python, needs, pins.values(), has_agents)
    yield "install", one.python if python else f"no Python {one.python}", installed
    if not installed:
        return
    listed = place.run(place.python, "-m", "pip", "list", "--format", "json").stdout
    names = {
        row["name"].lower().replace("_", "-"): row["version"] for row in json.loads(listed)
    }
    yield (
        "versions",
        "; ".join(f"{name} {names[name]}" for name in SHOWN if name in names),
        True,
    )
    checks = ["one", "policy", "info", "wrappers", "own" if has_own else "no_own"]
    checks.append("many" if one.has_vectors else "refused")
    checks += ["evaluate", "gif", "window"] if is_drawn else []
    for name in [*checks, *(["train", "export"] if has_agents else [])]:
        done = place.run(place.python, "tests/by_hand/compat_checks.py", name)
        compiled = "compiling the games" in done.stderr  # which never happens with a library
        found = "compiled-the-games" if compiled else (done.stdout.split() or ["nothing"])[-1]
        yield name, found, done.returncode == 0 and not compiled
    if not quick and has_own and one.has_vectors:
        options = ["-p", "no:cacheprovider"]
        if not has_agents:
            options += ["--ignore-glob", "tests/envs/test_sb3*", "-k", "not stable_baselines3"]
        # pytest's own command: python -m would import from the tree.
        done = place.run(place.python.with_name("pytest"), *options, *one.tests)
        summary = re.findall(r"^(?:\d+ \w+,? ?)+", done.stdout, re.M) or ["?"]
        yield "tests", summary[-1].strip(), done.returncode == 0
    place.run(place.python, "-m", "pip", "uninstall", "--yes", "steer-env")
    packages = (place.folder / "venv").glob("lib/*/site-packages/*")
    left = [path.name for path in packages if path.name.startswith(("steer_env", "baselines"))]
    left += (
        [] if place.run(place.python, "-c", "import steer_env").returncode else ["an import"]
    )
    yield "uninstall", f"leaves {left}" if left else "clean", not left
    shutil.rmtree(place.folder)


def find_python(version: str) -> str | None:
    """The path of a Python, such as "3.10"."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = {combination.name: combination for combination in COMBINATIONS}
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="leave out the tests")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"unknown combination {sorted(unknown)}; valid: {', '.join(known)}")
    wheel, status = build(FOLDER / "wheel", LIBRARY), 0
    values = defaultdict[str, set[str]](set)
    for name in options.names or known:
        begin, rows = time.perf_counter(), [*attempt(known[name], wheel, options.quick)]
        failed = [f"{what} ({found})" for what, found, passed in rows if not passed]
        verdict = f"FAILED: {', '.join(failed)}" if failed else "passed"
        found = ", ".join(f"{what} {found}" for what, found, _ in rows)
        print(f"{name}: {verdict}; {found}; {time.perf_counter() - begin:.0f} s", flush=True)
        status |= bool(failed)
        for what, result, _ in rows:
            values[what].add(result)
    for what in values.keys() - {"install", "versions", "tests"}:
        if len(values[what]) > 1:
            print(f"{what} differs: {', '.join(sorted(values[what]))}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
