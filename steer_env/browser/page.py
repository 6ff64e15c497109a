"""Writes the page on which people play, watch and experiment in their browser: one HTML file.

It holds the module, the page's program, and what `browser.games` describes; nothing is loaded
from anywhere else. The drawing code and the style are those of the page of recorded episodes,
see `steer_env.rendering.html`; of that page it also has a template, to save rounds with.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steer_env import __version__
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
from steer_env.rendering.html import DRAWING, PAGES, STYLE, page_template
from steer_env.rendering.page_file import color_style, contents, page_text

_PAGES = Path(__file__).parent / "pages"
_PROGRAM = (
    *("machine.js", "engine.js", "settings.js", "live.js", "link.js", "controls.js"),
    *("tasks.js", "rounds.js", "heatmap.js", "histogram.js", "laboratory.js", "board.js"),
    *("panels.js", "overlay.js", "gif.js", "saving.js", "play.js", "input.js"),
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
    data = {
        "layout": module.layout(),
        "games": {name: describe_game(name, *game) for name, game in GAMES.items()},
        "scripts": describe_scripts(),
        "policies": {name: _describe_pretrained(name, weights) for name in policies},
        "meanings": dict(ANNOTATIONS),
        "letters": dict(ANNOTATION_KEYS),
        "shown": _SHOWN,
        "template": page_template("{title}", "{data}"),
    }
    code = module.code()
    text = page_text(
        (_PAGES / "play.html").read_text("utf-8"),
        style=color_style() + contents(PAGES, STYLE) + contents(_PAGES, ["play.css"]),
        program=contents(PAGES, DRAWING) + contents(_PAGES, _PROGRAM),
        theme=theme,
        allowed="'wasm-unsafe-eval'",
        version=__version__,
        code=_packed(len(code).to_bytes(4, "little") + code + weights.tobytes()),
        data=_packed(json.dumps(data, separators=(",", ":"), allow_nan=False).encode()),
    )
    write_bytes(Path(path), text.encode())


def _describe_pretrained(name: str, weights: Pool) -> dict[str, Any]:
    side = side_of(name)
    return {"side": side.name, **describe_policy(name, controller_of(name, side), weights)}


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
