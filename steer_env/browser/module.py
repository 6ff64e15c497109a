"""The module that is shipped: the compiled loop for browsers, and how to call it."""

from __future__ import annotations

import json
from typing import Any

from steer_env.machine_code import targets
from steer_env.machine_code.library import FOLDER

CODE_PATH = FOLDER / targets.BROWSER.file
LAYOUT_PATH = FOLDER / "engine.json"


def code() -> bytes:
    """The module, in WebAssembly's binary format."""
    return CODE_PATH.read_bytes()


def layout() -> dict[str, Any]:
    """How its memory is laid out; see `steer_env.browser.layout`."""
    found: dict[str, Any] = json.loads(LAYOUT_PATH.read_text("utf-8"))
    return found
