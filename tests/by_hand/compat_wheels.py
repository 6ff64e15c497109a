"""Wheels of this tree for `compat.py`: built twice, compared, and looked into."""

from __future__ import annotations

import hashlib
import os
import re
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


def build(folder: Path, library: str) -> tuple[Path, list[str]]:
    """Builds a wheel twice, in folders of different names; returns it and what is wrong.

    Args:
        folder: for the trees and the wheels.
        library: of this tree, for the wheel of its system; "" for the wheel for all systems.
    """
    wheels, command = [], [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    environment = {**os.environ, "STEER_ENV_WHEEL": library}
    for number in ("first", "second"):
        place = folder / f"build-{number}-{library}"
        source = copy_tree(place / f"the {number} tree")
        shutil.copytree(source / "steer_env/machine_code", source / "build/machine_code")
        subprocess.run([*command, "--wheel-dir", place, source], check=True, env=environment)
        wheels += place.glob("*.whl")
    first, second = (hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels)
    print(f"{wheels[0].name}: sha256 {first}, {wheels[0].stat().st_size:,} bytes")
    faults = [] if first == second else [f"the second build differs: sha256 {second}"]
    with zipfile.ZipFile(wheels[0]) as archive:
        packed = set(archive.namelist())
    notes = {name for name in packed if ".dist-info/" in name}
    expected = {
        re.sub("^(agents|baselines)/", r"steer_env/\1/", name)
        for name in tracked("steer_env", "baselines", "agents")
        if not re.search(r"\.(gif|png|svg)$|^agents/pretrained/.*README\.md$", name)
        if not re.search(r"seed_[1-9]\d*\.npz$", name)  # the first run stands for the others
        if not (library and name.endswith(".so") and not name.endswith(library))
    }
    faults += [f"the wheel lacks {name}" for name in sorted(expected - packed)]
    faults += [
        f"the wheel should not have {name}" for name in sorted(packed - notes - expected)
    ]
    if not any(name.endswith("licenses/LICENSE") for name in notes):
        faults.append("the wheel lacks its license")
    return wheels[0], faults


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
