"""Runs each example with what it needs, in an environment of its own, and writes the table.

    python tests/by_hand/clients.py [NAME ...] [--folder FOLDER]

Reads an example's inline metadata (PEP 723), makes FOLDER/NAME (default .compat/clients) with
the wheel of this checkout and the example's dependencies, and runs the example there without a
screen. Its "result:" line, time and versions make its row of examples/README.md; other rows
stay. The output is in FOLDER/NAME.log. The exit status is 1 if an example failed.

torch has one version (TORCH) and comes first, by pip, as in `compat.py`. CleanRL and EPyMARL
are not in a package index: their examples run if the variables CLEANRL and EPYMARL name clones
of their repositories.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compat import TORCH
from compat_wheels import ROOT, build, installer, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # which pytest brings

EXAMPLES = ROOT / "examples"
TABLE = EXAMPLES / "README.md"
TIME_LIMIT = 1200.0  # seconds, of one example
HEADER = ("example", "tool", "tried with", "runs", "edits", "result", "seconds")


@dataclass(frozen=True)
class Example:
    """An example and its inline metadata."""

    path: Path
    dependencies: tuple[str, ...]  # as pip reads them
    tool: str  # for the table, as the next two
    versions: tuple[str, ...]  # packages
    runs: str  # "single" or "native vector"

    @property
    def name(self) -> str:
        return self.path.stem


def metadata(path: Path) -> dict[str, Any] | None:
    """The inline metadata of a script, or None if it has none."""
    found = re.search(r"^# /// script\n((?:#(?: .*)?\n)+?)# ///$", path.read_text(), re.M)
    if found is None:
        return None
    return tomllib.loads("".join(line[2:] or "\n" for line in found[1].splitlines(True)))


def examples() -> list[Example]:
    """All examples whose metadata have a table "tool.clients", by name."""
    found = []
    for path in sorted(EXAMPLES.glob("*.py")):
        about = metadata(path)
        client = (about or {}).get("tool", {}).get("clients")
        if about is not None and client is not None:
            needs, versions = tuple(about["dependencies"]), tuple(client["versions"])
            found.append(Example(path, needs, client["tool"], versions, client["runs"]))
    return found


def read_rows() -> dict[str, str]:
    """The lines of the table by the example's name."""
    found = re.finditer(r"^\| `(\w+)\.py` \|.*$", TABLE.read_text(), re.M)
    return {line[1]: line[0] for line in found}


def write_rows(rows: dict[str, str]) -> None:
    """Writes the table anew, without rows of examples that are gone."""
    header = f"| {' | '.join(HEADER)} |"
    names = [example.name for example in examples()]
    lines = [header, "|" + "---|" * len(HEADER), *(rows[n] for n in names if n in rows)]
    before = TABLE.read_text().partition(header)[0]
    TABLE.write_text(before + "\n".join(lines) + "\n")


class Client:
    """An example in an environment of its own, with the wheel of this checkout."""

    def __init__(self, example: Example, wheel: Path, folder: Path) -> None:
        self.example, self.wheel = example, wheel
        self.place, self.log = folder / example.name, folder / f"{example.name}.log"
        self.python = self.place / "bin" / "python"
        hidden = ("PYTHON", "VIRTUAL_ENV", "DISPLAY", "WAYLAND", "STEER_ENV")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}

    def run(self, *command: str | Path) -> str | None:
        """The output of a command, or None if it failed."""
        settings = {"cwd": self.place.parent, "env": self.environment}
        try:
            done = run(*command, log=self.log, timeout=TIME_LIMIT, **settings)
        except subprocess.TimeoutExpired as error:
            self.log.write_text(f"{self.log.read_text()}{error}\n")
            return None
        return None if done.returncode else done.stdout

    def install(self) -> bool:
        """Makes the environment; returns whether all dependencies go together."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.log.write_text("")
        ours = rf"steer-env\1 @ {self.wheel.as_uri()}"
        needs = [re.sub(r"^steer-env(\[.*\])$", ours, one) for one in self.example.dependencies]
        pins = self.place.parent / "constraints.txt"
        pins.write_text(TORCH + "\n")
        steps: list[list[Any]] = [[sys.executable, "-m", "venv", self.place]]
        if "torch" in self.example.versions or "torch" in needs:
            steps.append([self.python, "-m", "pip", "install", "--quiet", TORCH])
        steps.append([*installer(self.python), "--constraint", pins, *needs])
        return all(self.run(*step) is not None for step in steps)

    def versions(self) -> str:
        """Names and versions of the packages that the table has."""
        program = (
            "import sys, importlib.metadata as m\n"
            "print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
        )
        return (self.run(self.python, "-c", program, *self.example.versions) or "?").strip()

    def row(self) -> str | None:
        """Runs the example; returns its line of the table, or None if it failed."""
        began, example = time.perf_counter(), self.example
        output = self.run(self.python, example.path)
        seconds = f"{time.perf_counter() - began:.0f}"
        found = re.search(r"^result: (.+)$", output or "", re.M)
        if found is None:
            return None
        ran = f"`{example.name}.py`", example.tool, self.versions(), example.runs, "0"
        return f"| {' | '.join((*ran, found[1], seconds))} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; default: all")
    parser.add_argument("--folder", type=Path, default=ROOT / ".compat" / "clients")
    options = parser.parse_args()
    known = {example.name: example for example in examples()}
    if unknown := set(options.names) - set(known):
        parser.error(f"unknown example {sorted(unknown)}; valid: {', '.join(known)}")
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wheel, failed = build(folder / "wheel"), []
    for name in options.names or known:
        client = Client(known[name], wheel, folder)
        line = client.row() if client.install() else None
        if line is None:
            failed.append(name)
        else:
            write_rows(read_rows() | {name: line})
        print(line or f"{name}: FAILED, see {client.log}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
