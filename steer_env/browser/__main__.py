"""Builds the module for browsers: ``python -m steer_env.browser``; it takes two minutes."""

from __future__ import annotations

import json
from importlib.metadata import version

from steer_env.browser.building import build
from steer_env.browser.layout import layout
from steer_env.browser.module import CODE_PATH, LAYOUT_PATH
from steer_env.files import write_bytes, write_text


def versions() -> dict[str, str]:
    """The versions of what makes the module; with others it may differ."""
    return {name: version(name) for name in ("numba", "llvmlite", "ziglang")}


def main() -> None:
    """Writes the module and its layout beside the sources."""
    code, found = build(), {"built_by": versions(), **layout()}
    write_bytes(CODE_PATH, code)
    write_text(LAYOUT_PATH, json.dumps(found, indent=1) + "\n")
    print(f"wrote {CODE_PATH.name} ({len(code):,} bytes) and {LAYOUT_PATH.name}")


if __name__ == "__main__":
    main()
