"""The site in a browser: its theme reaches the boards, and wide tables take the focus."""

from __future__ import annotations

import json

import pytest
from rendering.browser import NEEDS_BROWSER

from tests.browser.driving import wait_for

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

BOARD = """<script>addEventListener("message", ({ data }) =>
parent.postMessage({ heard: data }, "*"));</script>"""
PAGE = """<body data-theme="auto"><script>const heard = [];
addEventListener("message", ({ data }) => data.heard && heard.push(data.heard));
</script><script src="%s"></script>
<figure class="live"><iframe src="board.html"></iframe></figure>"""


def test_a_board_gets_the_theme_when_it_has_loaded_and_when_it_changes(site, tmp_path, browser):
    (tmp_path / "board.html").write_text(BOARD, "utf-8")
    page = tmp_path / "page.html"
    page.write_text(PAGE % (site / "_static" / "site.js").as_uri(), "utf-8")
    browser.open(page, dark=True)
    for theme, shown in (("auto", "dark"), ("light", "light"), ("dark", "dark")):
        browser.run(f"document.body.dataset.theme = '{theme}'")
        expected = json.dumps({"type": "steer-env-theme", "theme": shown})
        found = f"JSON.stringify(heard.at(-1)) === JSON.stringify({expected})"
        wait_for(browser, found)
    assert not browser.errors


def test_a_wide_table_can_be_scrolled_with_the_keyboard(site, browser):
    browser.open(site / "docs" / "opponents.html", size=(400, 800))
    wait_for(browser, "document.querySelector('.table-wrapper[tabindex]')")


GUIDES = "start experiment extend game/index game/teams opponents evaluate train classroom"


@pytest.mark.parametrize("page", [*GUIDES.split(), "steering/index", "steering/pursuit"])
def test_tables_of_guides_fit_a_narrow_window(page, site, browser):
    browser.open(site / "docs" / f"{page}.html", size=(900, 900))
    widths = browser.run(
        "[...document.querySelectorAll('.table-wrapper')]"
        ".map((table) => table.scrollWidth - table.clientWidth)"
    )
    assert all(more <= 0 for more in widths), widths


def test_a_result_has_lines_for_its_percentage_interval_and_time(site, browser):
    text = "document.querySelector('td:has(.interval):nth-child(2) > p')"
    for width, lines in ((900, 3), (400, 2)):  # without the intervals on phones
        browser.open(site / "docs" / "opponents.html", size=(width, 800))
        found = browser.run(
            f"{text}.clientHeight / parseFloat(getComputedStyle({text}).lineHeight)"
        )
        assert round(found) == lines
        assert ("[" in browser.run(f"{text}.innerText")) == (width == 900)
