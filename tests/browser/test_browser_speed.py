"""A short form of the program that measures the page."""

import pytest
from rendering.browser import NEEDS_BROWSER

from tests.by_hand import browser_speed

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]


def test_the_speeds_of_both_loops_are_compared(browser, page, monkeypatch, capsys):
    monkeypatch.setattr(browser_speed, "GAMES", 64)
    monkeypatch.setattr(browser_speed, "STEPS", 20)
    browser_speed.report_start(browser, page, 1)
    browser_speed.report_speed(browser, page, 1)
    start, _, *rows = capsys.readouterr().out.splitlines()
    assert "playable after" in start
    assert [row.split()[0] for row in rows] == ["walls", "torus", "obstacles", "pack"]
    assert all(float(row.split()[-1]) > 0 for row in rows)
