"""Assembles HTML files that load nothing: their parts, colors and security policy."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable
from pathlib import Path

from steer_env.drawing import THEMES, Theme, legible


def page_text(
    template: str, *, style: str, program: str, theme: str, allowed: str = "", **parts: str
) -> str:
    """A page from its template, in which {{name}} stands for a part.

    Args:
        template: the page; it uses the parts ``attributes``, ``policy``, ``style`` and
            ``program``, and those given.
        style: the style sheet.
        program: the program, in JavaScript.
        theme: "light", "dark" or "auto".
        allowed: what its program may do besides, as a source of the policy's ``script-src``.
        parts: text, or HTML that is safe.
    """
    found = {
        **parts,
        "attributes": "" if theme == "auto" else f' data-theme="{theme}"',
        "policy": html.escape(_security_policy(style, program, allowed)),
        "style": style,
        "program": program,
    }
    # In one pass, so that braces in the parts stay what they are.
    return re.sub(r"\{\{(\w+)\}\}", lambda name: found[name[1]], template)


def contents(folder: Path, names: Iterable[str]) -> str:
    """Files of a folder, one after the other."""
    return "".join((folder / name).read_text("utf-8") for name in names)


def _security_policy(style: str, program: str, allowed: str) -> str:
    """Lets the browser run this program and this style, and load nothing at all."""

    def hashed(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{hashed(program)}'{allowed and ' '}{allowed}; "
        f"style-src 'sha256-{hashed(style)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def color_style() -> str:
    """The themes as CSS variables, which style the page and the pictures.

    Texts in a side's color have a variable of their own: a shade with enough contrast.
    """

    def variables(theme: Theme) -> str:
        colors = theme._asdict()
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
