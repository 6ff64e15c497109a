"""Looks for what keeps people from reading the pages: with axe-core, in a headless browser.

    make docs && npm install axe-core
    PYTHONPATH=. python tests/by_hand/accessibility.py \
        --axe node_modules/axe-core/axe.min.js --pages build/site play.html

Each page is read in both themes, in a wide and in a narrow window. A finding is what axe-core
calls serious or critical, text smaller than 11 pixels, a page that scrolls sideways, or an
error at its console.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import tyro

from tests.rendering.browser import Browser

WIDTHS = (1300, 400)  # pixels
LEAST_LETTERS = 11  # pixels

_AXE = """axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, impact, nodes }) => nodes.map(
        ({ target }) => `${impact} ${id}: ${target.join(" ")}`)))"""
# A letter's height on the display: an SVG may be drawn smaller than it says.
_SMALL = """[...document.querySelectorAll("body *")].filter((element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        !element.closest("sub, sup, math, .headerlink, .skip-to-content") &&
        [...element.childNodes].some(
            (node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
    .map((element) => {
        const matrix = element.getScreenCTM?.();
        const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
        return [parseFloat(getComputedStyle(element).fontSize) * scale, element];
    })
    .filter(([size]) => size < LEAST - 0.05)
    .map(([size, element]) => `${size.toFixed(1)} px: ${element.textContent.trim()}`)"""
_REDIRECT = 'http-equiv="refresh"'
_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def findings(browser: Browser, page: Path, axe: str, width: int, dark: bool) -> Iterator[str]:
    """Findings about a page in a window of some width, in one of the themes."""
    browser.open(page, size=(width, 900), dark=dark, still=True)
    yield from (f"console: {error}" for error in browser.errors)
    browser.run(axe)
    yield from browser.run(_AXE)
    yield from browser.run(_SMALL.replace("LEAST", str(LEAST_LETTERS)))
    if (beyond := browser.run(_SIDEWAYS)) > 0:
        yield f"scrolls sideways by {beyond} px"


def main(axe: Path, pages: list[Path]) -> None:
    """Prints the findings.

    Args:
        axe: axe-core's file axe.min.js.
        pages: files, and folders of which all pages are read.
    """
    files = [
        file
        for path in pages
        for file in (sorted(path.rglob("*.html")) if path.is_dir() else [path])
    ]
    files = [file for file in files if _REDIRECT not in file.read_text(encoding="utf-8")]
    program, count = axe.read_text(encoding="utf-8"), 0
    with closing(Browser()) as browser:
        for page, width, dark in product(files, WIDTHS, (False, True)):
            for finding in findings(browser, page, program, width, dark):
                count += 1
                print(f"{page} ({width} px, {'dark' if dark else 'light'}): {finding}")
    print(f"{len(files)} pages, {count} findings")
    sys.exit(count > 0)


if __name__ == "__main__":
    tyro.cli(main)
