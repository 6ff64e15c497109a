"""Wheels of this tree, and environments with one, for programs beside this."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
TORCH = re.search(r"^TORCH := (.+)$", (ROOT / "Makefile").read_text(), re.M)[1]
"""The one version, which pip gets: its configuration knows where this machine's build is."""

HIDDEN = ("PYTHON", "NUMBA", "STEER_ENV", "VIRTUAL_ENV", "XDG_", "DISPLAY", "WAYLAND")
"""Beginnings of the variables that an environment does not have."""

TIME_LIMIT = 1800.0  # seconds, of one command


def tracked(*folders: str) -> set[str]:
    """The files of this tree that git knows, or that are new and not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--"]
    run = subprocess.run(
        [*command, *folders], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return {name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()}


def copy_tree(to: Path, *folders: str) -> Path:
    """Copies the files of this tree; returns the copy."""
    for name in tracked(*folders):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, to / name)  # without the time at which it was written
    return to


def build(folder: Path, library: str = "") -> Path:
    """Builds a wheel from a copy of this tree.

    Args:
        folder: for the copy and the wheel; what it has is removed.
        library: of this tree, for the wheel of its system; "" for the wheel for all systems.
    """
    shutil.rmtree(folder, ignore_errors=True)
    source = copy_tree(folder / "source")
    shutil.copytree(source / "steer_env/machine_code", source / "build/machine_code")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    environment = {**os.environ, "STEER_ENV_WHEEL": library}
    subprocess.run([*command, "--wheel-dir", folder, source], check=True, env=environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


def lower_bounds(wheel: Path, extras: str) -> dict[str, str]:
    """The oldest versions that the wheel's metadata allow of what it needs, as pins by name."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(archive.read(name).decode())
    bounds: dict[str, Version] = {}
    for one in map(Requirement, metadata.get_all("Requires-Dist")):
        asked = ({"extra": extra} for extra in ("", *extras.split(",")))
        if one.name != "torch" and (one.marker is None or any(map(one.marker.evaluate, asked))):
            # The base and an extra may name the same package.
            lowest = [Version(s.version) for s in one.specifier if s.operator == ">="]
            bounds[one.name] = max([*lowest, bounds.get(one.name, Version("0"))])
    return {name: f"{name}=={version}" for name, version in sorted(bounds.items())}


class Environment:
    """A virtual environment in a folder of its own, and beside it a log of all commands."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.log = folder, folder.with_suffix(f"{folder.suffix}.log")
        self.python = folder / "venv" / "bin" / "python"
        self.log.write_text("")
        shown = {name: one for name, one in os.environ.items() if not name.startswith(HIDDEN)}
        self.variables = {**shown, "MPLBACKEND": "agg"}

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command in the folder; without an end in time, its status is 1."""
        words = [str(part) for part in command]
        settings = {"cwd": self.folder, "env": self.variables, "timeout": TIME_LIMIT}
        try:
            done = subprocess.run(words, capture_output=True, text=True, **settings)
        except subprocess.TimeoutExpired as error:
            done = subprocess.CompletedProcess(words, 1, "", str(error))
        with self.log.open("a") as file:
            file.write(f"$ {' '.join(words)}\n{done.stdout}{done.stderr}")
            file.write(f"status {done.returncode}\n\n")
        return done

    def install(
        self,
        python: str,
        packages: Iterable[str],
        pins: Iterable[str] = (),
        torch: bool = False,
    ) -> bool:
        """Makes the environment, by uv if it is there; returns True if all versions fit."""
        constraints, uv = self.folder / "constraints.txt", shutil.which("uv")
        constraints.write_text("\n".join([*pins, TORCH]) + "\n")
        pip = [self.python, "-m", "pip", "install", "--quiet"]
        by_uv = [uv, "pip", "install", "--quiet", "--python", self.python]
        steps = [[python, "-m", "venv", self.folder / "venv"]]
        steps += [[*pip, TORCH]] if torch else []
        steps += [[*(by_uv if uv else pip), "--constraint", constraints, *packages]]
        return not any(self.run(*step).returncode for step in steps)
