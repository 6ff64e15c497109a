"""A short form of `tests/by_hand/accessibility.py`, with a stand-in for axe-core."""

from __future__ import annotations

import re

import accessibility
import pytest
from rendering.browser import NEEDS_BROWSER

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>a page</title>{}</html>'
AXE = "window.axe = {{ run: () => Promise.resolve({{ violations: [{}] }}) }}"


@pytest.fixture
def found_in(browser, tmp_path):
    def look(content, violation=""):
        page = tmp_path / "page.html"
        page.write_text(PAGE.format(content))
        axe = AXE.format(violation)
        return [*accessibility.findings(browser, page, axe, width=400, dark=True)]

    return look


def test_a_legible_page_has_no_finding(found_in):
    assert found_in("<p>Legible, and x<sup style='font-size: 8px'>2</sup></p>") == []


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        ("<p style='font-size: 10px'>tiny</p>", "10.0 px: tiny"),
        (
            "<svg viewBox='0 0 200 200' width='100' height='100'>"
            "<text y='50' font-size='16'>shrunk</text></svg>",
            "8.0 px: shrunk",
        ),
        ("<div style='width: 1000px'>wide</div>", "scrolls sideways by 608 px"),
        ("<script>console.error('broken')</script>", "console: .*broken.*"),
    ],
)
def test_what_is_wrong_is_found(found_in, content, finding):
    (found,) = found_in(content)
    assert re.fullmatch(finding, found)


@pytest.mark.parametrize(("impact", "is_found"), [("serious", True), ("minor", False)])
def test_serious_violations_are_named_with_their_place(found_in, impact, is_found):
    violation = f'{{ id: "label", impact: "{impact}", nodes: [{{ target: ["#one", "b"] }}] }}'
    assert found_in("", violation) == [f"{impact} label: #one b"] * is_found
