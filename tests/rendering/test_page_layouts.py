"""Layouts of the page at many sizes: texts fit, and can be read and touched."""

import itertools
import re

import pytest
from rendering.browser import NEEDS_BROWSER

from steer_env.browser.page import save_play_page
from steer_env.rendering.html import save_html
from tests.rendering.chases import record

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

SIZES = [(1400, 900), (1024, 768), (800, 600), (390, 844), (844, 390), (320, 600)]
PAIRS = [*itertools.product(("fox", "pretrained/pursuit/wolf"), ("hare", "deer"))]
SEEDS = [*range(5)]
MOMENT = "step=30&paused"
SHOWN = {  # the moments at which each page is looked at
    "one": [MOMENT, f"{MOMENT}&vehicle=1&show=all"],
    "many": [f"{MOMENT}&view=one", MOMENT],
    "play": ["seed=1", "view=lab&seed=1", "view=arena&seed=1"],
}
MOMENTS = [(name, moment) for name, moments in SHOWN.items() for moment in moments]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page with one episode, one with 20 in the order of `record`, and the one to play on."""
    folder = tmp_path_factory.mktemp("pages")
    played = {pair: record(SEEDS, pair, horizon=40) for pair in PAIRS}
    save_html(folder / "one.html", played[PAIRS[0]][:1])
    save_html(folder / "many.html", [played[pair][seed] for seed in SEEDS for pair in PAIRS])
    save_play_page(folder / "play.html")
    return folder


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "moment"), MOMENTS)
def test_everything_fits_can_be_touched_and_stays_at_the_end(
    browser, pages, size, name, moment
):
    is_touched = size in ((390, 844), (1024, 768))
    browser.open(pages / f"{name}.html", moment, size, touch=is_touched, sharpness=2)
    before = browser.boxes("#deck, #play, #time, #speed")
    if name != "play":
        browser.press("End")  # when the result is there, too
    assert browser.boxes("#deck, #play, #time, #speed") == before
    for selector in ("#picture canvas, #tiles", "#deck button, #deck select, #scrub, #time"):
        for left, top, right, bottom in browser.boxes(selector):
            assert 0 <= left < right <= size[0], selector
            assert 0 <= top < bottom <= size[1], selector
    [(left, top, right, bottom)] = browser.boxes("#picture canvas, #tiles")
    assert min(right - left, bottom - top) >= 120
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    overflowing = browser.run(
        "[...document.querySelectorAll('aside *')].filter((each) => each.offsetParent && "
        "each.getBoundingClientRect().right > document.querySelector('aside')"
        ".getBoundingClientRect().right + 1).map((each) => each.id || each.className)"
    )
    assert overflowing == []
    if is_touched:
        for left, top, right, bottom in browser.boxes("button, select, #scrub"):
            assert min(right - left, bottom - top) >= 44
    if name == "one":
        arena = "document.querySelector('#arena')"  # which is sharp on fine displays
        assert browser.run(f"{arena}.width === 2 * {arena}.clientWidth")
    assert browser.errors == []


@pytest.mark.parametrize("size", SIZES)
def test_rows_are_pairs_and_columns_are_seeds(browser, pages, size):
    browser.open(pages / "many.html", MOMENT, size)
    sides = "[one.title, one.offsetLeft, one.offsetTop, one.offsetWidth]"
    tiles = browser.each("#tiles button", sides)
    rows, columns = {}, {}
    for title, left, top, width in tiles:
        names, seed = re.match(r"(.+), seed (\d+): ", title).groups()
        rows.setdefault(tuple(names.split(" vs ")), set()).add(top)
        columns.setdefault(seed, set()).add(left)
        assert width >= 72
    assert [*rows] == PAIRS
    assert sorted(columns) == [*map(str, SEEDS)]
    for places in (rows, columns):
        assert {len(found) for found in places.values()} == {1}
        ordered = [min(found) for found in places.values()]
        assert ordered == sorted(set(ordered))

    for keys in ("[", "g[g"):  # the last episode is scrolled to, in either view
        browser.open(pages / "many.html", MOMENT, size)
        for key in keys:
            browser.press(key)
        [(_, top, _, bottom)] = browser.boxes("#tiles [aria-current=true] canvas")
        [(_, box_top, _, box_bottom)] = browser.boxes("#tiles")
        assert box_top <= top < bottom <= box_bottom
        assert browser.run("scrollY") == 0
