"""Assembles the page that shows chases in a browser: one HTML file, which loads nothing.

The page and its program are in `pages/`. A page of recordings has their data; a page to play on
has an engine besides, the parts that `steer_env.browser` adds.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from steer_env import __version__
from steer_env.drawing import THEMES, Theme, legible

_PAGES = Path(__file__).parent / "pages"
_PROGRAM = (
    *("document.js", "data.js", "geometry.js", "annotations.js", "scene.js", "timeline.js"),
    *("tiles.js", "recordings.js", "page.js"),
)


class EngineParts(NamedTuple):
    """The parts of a page that has an engine.

    Attributes:
        tabs: HTML in the header.
        panels: HTML beside the board.
        style: a style sheet.
        program: a program in JavaScript, which begins instead of the recordings'.
        code: text with what the program unpacks; see `packed`.
    """

    tabs: str = ""
    panels: str = ""
    style: str = ""
    program: str = ""
    code: str = ""


def page_text(
    title: str, data: object, theme: str, command: str, engine: EngineParts | None = None
) -> str:
    """Returns a page.

    Args:
        title: of the page, as text.
        data: numbers, texts, lists and dicts of them, for the page's program.
        theme: "light", "dark" or "auto".
        command: the arguments of ``python -m steer_env`` that write such a page.
        engine: the parts that play, if it has some.
    """
    parts = engine or EngineParts()
    style = _color_style() + contents(_PAGES, ["page.css"]) + parts.style
    program = contents(_PAGES, _PROGRAM) + parts.program + contents(_PAGES, ["start.js"])
    code = f'<script id="code" type="application/octet-stream">{parts.code}</script>'
    found = {
        "attributes": "" if theme == "auto" else f' data-theme="{theme}"',
        "command": html.escape(command),
        "data": packed(json.dumps(data, separators=(",", ":"), allow_nan=False).encode()),
        "engine": code if engine else "",
        "panels": parts.panels,
        "policy": html.escape(_security_policy(style, program, engine is not None)),
        "program": program,
        "style": style,
        "tabs": parts.tabs,
        "title": html.escape(title),
        "version": html.escape(__version__),
    }
    template = (_PAGES / "page.html").read_text("utf-8")
    # In one pass, so that braces in the parts stay what they are.
    return re.sub(r"\{\{(\w+)\}\}", lambda name: found[name[1]], template)


def contents(folder: Path, names: Iterable[str]) -> str:
    """Files of a folder, one after the other."""
    return "".join((folder / name).read_text("utf-8") for name in names)


def packed(content: bytes) -> str:
    """Bytes as text that a page's program unpacks: compressed, in base64."""
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _security_policy(style: str, program: str, has_engine: bool) -> str:
    """Lets the browser run this program and this style, and load nothing at all."""

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    allowed = " 'wasm-unsafe-eval'" if has_engine else ""
    return (
        f"default-src 'none'; script-src {hashed(program)}{allowed}; "
        f"style-src {hashed(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _color_style() -> str:
    """The themes as CSS variables, which style the page and the pictures.

    Texts in a side's color have a variable of their own: a shade with enough contrast.
    """

    def variables(theme: Theme) -> str:
        colors: dict[str, Any] = theme._asdict()
        for side in ("pursuer", "evader"):
            colors[f"{side}-text"] = legible(colors[side], theme)
        return "".join(
            f"--{name}:rgb({red} {green} {blue});"
            for name, (red, green, blue) in colors.items()
        )

    light, dark = variables(THEMES["light"]), variables(THEMES["dark"])
    return (
        f":root{{color-scheme:light;{light}}}\n"
        "@media (prefers-color-scheme:dark){:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )
