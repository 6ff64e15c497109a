"""A short form of `tests/by_hand/accessibility.py`, with a stand-in for axe-core."""

from __future__ import annotations

import re

import accessibility
import pytest
from rendering.browser import NEEDS_BROWSER

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>a page</title>{}</html>'
AXE = "window.axe = {{ run: () => Promise.resolve({{ violations: [{}] }}) }}"


VIOLATION = '{{ id: "label", impact: "{}", nodes: [{{ target: ["#one", "b"] }}] }}'


@pytest.mark.parametrize(
    ("content", "violation", "finding"),
    [
        ("<p>Legible, and x<sup style='font-size: 8px'>2</sup></p>", "", None),
        ("<p style='font-size: 10px'>tiny</p>", "", "10.0 px: tiny"),
        (
            "<svg viewBox='0 0 200 200' width='100' height='100'>"
            "<text y='50' font-size='16'>shrunk</text></svg>",
            "",
            "8.0 px: shrunk",
        ),
        ("<div style='width: 1000px'>wide</div>", "", "scrolls sideways by 608 px"),
        ("<script>console.error('broken')</script>", "", "console: .*broken.*"),
        ("", VIOLATION.format("serious"), "serious label: #one b"),
        ("", VIOLATION.format("minor"), None),
    ],
)
def test_what_is_wrong_is_found(browser, tmp_path, content, violation, finding):
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(content))
    axe = AXE.format(violation)
    found = [*accessibility.findings(browser, page, axe, width=400, dark=True)]
    assert len(found) == (finding is not None)
    assert not found or re.fullmatch(finding, found[0])
