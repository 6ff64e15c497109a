"""Builds the machine code that the package ships: ``python -m steer_env.builder``."""

from __future__ import annotations

import argparse
import hashlib
import json
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from steer_env.browser.entrances import LISTED
from steer_env.browser.layout import layout
from steer_env.builder.building import build, program
from steer_env.builder.targets import BROWSER, NATIVE
from steer_env.files import write_bytes, write_text
from steer_env.machine_code.library import (
    FOLDER,
    MANIFEST,
    digest_of,
    digest_of_code,
    source_texts,
)
from steer_env.machine_code.routines import ROUTINES

PAGES = "steer_env.browser.entrances"  # whose routines only JavaScript calls


def main() -> None:
    """Writes the libraries beside the sources, and from what they were made."""
    parser = argparse.ArgumentParser("python -m steer_env.builder", description=__doc__)
    parser.add_argument("--all", action="store_true", help="also what only wheels have")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    given, files = program(), {}
    pages = [name for name in ROUTINES if ROUTINES[name].function.__module__ == PAGES]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(build, given, BROWSER, ["play_games", *pages], LISTED)]
        natives = [one for one in NATIVE if chosen.all or one.in_checkout]
        names = sorted({*ROUTINES} - {*pages})
        jobs += [pool.submit(build, given, target, names) for target in natives]
        made = {one.file: job.result() for one, job in zip([BROWSER, *natives], jobs)}
    made["engine.json"] = (json.dumps(layout(), indent=1) + "\n").encode()
    for name, content in made.items():
        write_bytes(chosen.out / name, content)
        print(f"wrote {name} ({len(content):,} bytes)")
        files[name] = hashlib.sha256(content).hexdigest()
    makers = {name: version(name) for name in ("numba", "llvmlite", "ziglang")}
    built = {
        "texts": {name: digest_of(text) for name, text in source_texts().items()},
        "code": {name: digest_of_code(text) for name, text in source_texts().items()},
        "built_by": makers,
        "files": files,
    }
    write_text(chosen.out / MANIFEST.name, json.dumps(built, indent=1) + "\n")


if __name__ == "__main__":
    main()
