"""Wheels of this tree, and commands in environments with one, for programs beside this."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]


def tracked(*folders: str) -> set[str]:
    """The files of this tree that git knows, or that are new and not ignored."""
    options = ["--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(
        ["git", "ls-files", *options, "--", *folders],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = listed.split("\0")
    return {name for name in names if name and (ROOT / name).is_file()}


def copy_tree(to: Path, *folders: str) -> Path:
    """Copies the files of this tree; returns the copy."""
    for name in tracked(*folders):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, to / name)  # without the time at which it was written
    return to


def run(*command: str | Path, log: Path, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command, and notes it and its output in a file."""
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, **settings)
    with log.open("a") as file:
        file.write(f"$ {' '.join(words)}\n{done.stdout}{done.stderr}")
        file.write(f"status {done.returncode}\n\n")
    return done


def installer(python: Path) -> list[str | Path]:
    """The beginning of a command that installs packages, by uv if there is one."""
    uv = shutil.which("uv")
    quiet = ["pip", "install", "--quiet"]
    return [uv, *quiet, "--python", python] if uv else [python, "-m", *quiet]


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


def lower_bounds(wheel: Path, extras: str) -> list[str]:
    """The oldest versions that the wheel's metadata allow of what it needs, as pins."""
    names = ["", *extras.split(",")]
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(archive.read(name).decode())
    needed = [
        requirement
        for requirement in map(Requirement, metadata.get_all("Requires-Dist"))
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": name}) for name in names)
    ]
    bounds: dict[str, Version] = {}
    for requirement in needed:
        for bound in requirement.specifier:
            if bound.operator == ">=" and requirement.name != "torch":
                # The base and an extra may name the same package.
                version = Version(bound.version)
                bounds[requirement.name] = max(version, bounds.get(requirement.name, version))
    return [f"{name}=={version}" for name, version in sorted(bounds.items())]
