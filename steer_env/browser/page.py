"""Writes the page on which people play, watch and experiment in their browser: one HTML file.

It holds the module, the page's program, and what `browser.games` describes; nothing is loaded
from anywhere else. See `steer_env.rendering.html` for the page of recorded episodes, whose
drawing code and style are this page's, too.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import steer_env
from steer_env import rendering
from steer_env.browser import module
from steer_env.browser.games import (
    GAMES,
    POLICIES,
    Pool,
    describe_game,
    describe_policy,
    describe_scripts,
)
from steer_env.drawing import ANNOTATION_KEYS, ANNOTATIONS, THEMES
from steer_env.errors import check_choice
from steer_env.files import write_bytes
from steer_env.players import controller_of
from steer_env.policies.pretrained import side_of
from steer_env.rendering.page_file import color_style, page_text

_PAGES = Path(__file__).parent / "pages"
_SHARED = Path(rendering.__file__).parent / "pages"
_DRAWING = (
    "document.js",
    "data.js",
    "geometry.js",
    "annotations.js",
    "scene.js",
    "timeline.js",
)
_PLAYING = (
    *("machine.js", "engine.js", "settings.js", "live.js", "link.js", "controls.js"),
    *("tasks.js", "rounds.js", "heatmap.js", "histogram.js", "laboratory.js", "board.js"),
    *("panels.js", "overlay.js", "saving.js", "play.js", "input.js"),
)
_SHOWN = ("velocity", "trail", "capture", "aim", "names", "score")


def save_play_page(
    path: str | os.PathLike[str],
    theme: str = "auto",
    policies: Sequence[str] = POLICIES,
) -> None:
    """Writes a page on which a person plays either side against scripts and trained networks.

    Args:
        path: of the file, which is replaced if it exists.
        theme: "light", "dark", or "auto" for the reader's system setting.
        policies: names of pretrained networks that the page has.

    Raises:
        InvalidValue: for an unknown theme or policy, or a network that cannot play there.
        OSError: if the file cannot be written.
    """
    check_choice("theme", theme, ("auto", *THEMES))
    weights = Pool()
    data: dict[str, Any] = {
        "layout": module.layout(),
        "games": {name: describe_game(name, *game) for name, game in GAMES.items()},
        "scripts": describe_scripts(1 / 30),
        "policies": {
            name: {
                "side": side_of(name).name,
                **describe_policy(name, controller_of(name, side_of(name)), weights),
            }
            for name in policies
        },
        "meanings": dict(ANNOTATIONS),
        "letters": dict(ANNOTATION_KEYS),
        "shown": _SHOWN,
    }
    code = module.code()
    styles = [_SHARED / "chase.css", _PAGES / "play.css"]
    programs = [*(_SHARED / name for name in _DRAWING), *(_PAGES / name for name in _PLAYING)]
    text = page_text(
        (_PAGES / "play.html").read_text("utf-8"),
        style=color_style() + _joined(styles),
        program=_joined(programs),
        theme=theme,
        mark=f"steer_env {steer_env.__version__}",
        allowed="'wasm-unsafe-eval'",
        code=_packed(len(code).to_bytes(4, "little") + code + weights.tobytes()),
        data=_packed(json.dumps(data, separators=(",", ":"), allow_nan=False).encode()),
    )
    write_bytes(Path(path), text.encode())


def _joined(paths: Sequence[Path]) -> str:
    return "".join(path.read_text("utf-8") for path in paths)


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
