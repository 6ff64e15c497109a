"""Draws the README's badges from pyproject.toml: `python tools/badges.py`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "badges"

_BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img">
<title>{left}: {right}</title>
<rect width="{width}" height="20" rx="3" fill="#0060a8"/>
<path d="M3 0h{inner}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#454545"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="7" y="14" textLength="{left_length}">{left}</text>
<text x="{start}" y="14" textLength="{right_length}">{right}</text>
</g>
</svg>
"""
_LETTER = 7  # pixels of a letter of this size


def badges(project: str) -> dict[str, str]:
    """Returns the badges by name, from the text of pyproject.toml."""

    def bound(pattern: str) -> str:
        found = re.search(pattern, project)
        assert found, pattern
        return found[1]

    assert re.search(r"^\[tool\.mypy\]\nstrict = true$", project, re.MULTILINE)
    facts = {
        "python": bound(r'requires-python = ">=([\d.]+)"') + " or newer",
        "gymnasium": bound(r'dependencies = \[\s+"gymnasium>=([\d.]+)"') + " or newer",
        "typed": "mypy strict",
        "license": bound(r'license = "(\w+)"'),
    }
    return {name: _drawn(name, fact) for name, fact in facts.items()}


def _drawn(left: str, right: str) -> str:
    lengths = [_LETTER * len(text) for text in (left, right)]
    return _BADGE.format(
        left=left,
        right=right,
        left_length=lengths[0],
        right_length=lengths[1],
        inner=lengths[0] + 11,
        start=lengths[0] + 21,
        width=sum(lengths) + 28,
    )


def main() -> None:
    """Writes the badges."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in badges((ROOT / "pyproject.toml").read_text(encoding="utf-8")).items():
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
