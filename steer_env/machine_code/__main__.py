"""Builds the machine code that the package ships: ``python -m steer_env.machine_code``.

Those of ``--all`` that a checkout does not keep are for wheels; see the release workflow.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from steer_env.browser.layout import layout
from steer_env.browser.module import LAYOUT_PATH
from steer_env.browser.routines import ENTRANCES
from steer_env.browser.routines import ROUTINES as LISTED
from steer_env.files import write_bytes, write_text
from steer_env.machine_code import building, targets
from steer_env.machine_code.library import FOLDER, MANIFEST, sources_digest
from steer_env.machine_code.routines import ROUTINES


def versions() -> dict[str, str]:
    """The versions of what makes the code; with others it may differ."""
    return {name: version(name) for name in ("numba", "llvmlite", "ziglang")}


def parts_of(target: targets.Target) -> building.Parts:
    """The routines of a target: those that pages need, or all others."""
    if target is targets.BROWSER:
        return building.Parts([one.name for one in ENTRANCES], [one.name for one in LISTED])
    module = "steer_env.browser"
    return building.Parts(
        [name for name in ROUTINES if not ROUTINES[name].__module__.startswith(module)]
    )


def build(chosen: list[targets.Target], folder: Path) -> dict[str, str]:
    """Writes libraries to a folder; returns the SHA-256 of each."""
    given = building.program()
    with ProcessPoolExecutor() as pool:
        jobs = [
            pool.submit(building.library, given, target, parts_of(target)) for target in chosen
        ]
        made = {target.file: job.result() for target, job in zip(chosen, jobs)}
    for name, code in made.items():
        write_bytes(folder / name, code)
        print(f"wrote {name} ({len(code):,} bytes)")
    return {name: hashlib.sha256(code).hexdigest() for name, code in made.items()}


def main() -> None:
    """Writes the libraries beside the sources, and what they were made from."""
    parser = argparse.ArgumentParser("python -m steer_env.machine_code", description=__doc__)
    parser.add_argument("--all", action="store_true", help="also for Windows and macOS")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder")
    chosen = parser.parse_args()
    started = time.perf_counter()
    every = [targets.BROWSER, *targets.NATIVE]
    files = build([one for one in every if chosen.all or one.in_checkout], chosen.out)
    manifest = {"sources": sources_digest(), "built_by": versions(), "files": files}
    write_text(chosen.out / MANIFEST.name, json.dumps(manifest, indent=1) + "\n")
    write_text(chosen.out / LAYOUT_PATH.name, json.dumps(layout(), indent=1) + "\n")
    print(f"in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
