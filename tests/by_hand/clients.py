"""Runs each example with what it needs, in an environment of its own, and writes the table.

    python tests/by_hand/clients.py [NAME ...] [--folder FOLDER]

FOLDER/NAME (default .compat/clients) gets the wheel of this checkout and what the example's
inline metadata (PEP 723) ask for. Its "result:" line, time and versions make its row of
examples/README.md. The output is in FOLDER/NAME.log. The exit status is 1 if one failed.

CleanRL and EPyMARL are not in a package index: their examples run if the variables CLEANRL and
EPYMARL name clones of their repositories.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compat_wheels import ROOT, Environment, build

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # which pytest brings

EXAMPLES = ROOT / "examples"
TABLE = EXAMPLES / "README.md"
HEADER = ("example", "tool", "tried with", "runs", "edits", "result", "seconds")
VERSIONS = (
    "import sys, importlib.metadata as m\n"
    "print(', '.join(f'{n} {m.version(n)}' for n in sys.argv[1:]))"
)
"""A program that prints the versions of packages."""


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


def run(example: Example, wheel: Path, folder: Path) -> str | None:
    """Runs an example in an environment of its own; returns its line of the table.

    Returns None if it failed, or if its dependencies do not go together.
    """
    place = Environment(folder / example.name)
    ours = rf"steer-env\1 @ {wheel.as_uri()}"
    needs = [re.sub(r"^steer-env(\[.*\])$", ours, one) for one in example.dependencies]
    if not place.install(sys.executable, needs, torch="torch" in {*example.versions, *needs}):
        return None
    began = time.perf_counter()
    done = place.run(place.python, example.path)
    seconds = f"{time.perf_counter() - began:.0f}"
    found = re.search(r"^result: (.+)$", done.stdout, re.M)
    if done.returncode or found is None:
        return None
    listed = place.run(place.python, "-c", VERSIONS, *example.versions).stdout.strip() or "?"
    name = f"`{example.name}.py`"
    cells = name, example.tool, listed, example.runs, "0", found[1], seconds
    return f"| {' | '.join(cells)} |"


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
        line = run(known[name], wheel, folder)
        if line is None:
            failed.append(name)
        else:
            write_rows(read_rows() | {name: line})
        print(line or f"{name}: FAILED, see {folder / name}.log", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
