"""Layouts of the page at many sizes: texts fit, and can be read and touched."""

import itertools
import re

import pytest
from rendering.browser import NEEDS_BROWSER, show, switch_on

from steer_env.browser.page import save_play_page
from steer_env.drawing import ANNOTATIONS
from steer_env.rendering.html import save_html
from tests.rendering.chases import record

pytestmark = [pytest.mark.weekly, NEEDS_BROWSER]

SIZES = [(1400, 900), (1024, 768), (800, 600), (390, 844), (844, 390), (320, 600)]
PAIRS = [*itertools.product(("fox", "pretrained/pursuit/wolf"), ("hare", "deer"))]
SEEDS = [*range(5)]
SHOWN = {  # how each page is looked at: after keys, or by an address
    "one": ["", "v"],
    "many": ["g", ""],
    "play": ["seed=1", "view=lab&seed=1", "view=arena&seed=1"],
}
WAYS = [(name, way) for name, ways in SHOWN.items() for way in ways]


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
@pytest.mark.parametrize(("name", "way"), WAYS)
def test_everything_fits_can_be_touched_and_stays_at_the_end(browser, pages, size, name, way):
    is_touched = size in ((390, 844), (1024, 768))
    how = {"size": size, "touch": is_touched, "sharpness": 2}
    if name == "play":
        browser.open(pages / "play.html", way, **how)
    else:
        show(browser, pages / f"{name}.html", way, **how)
    if way == "v":
        switch_on(browser, ANNOTATIONS)
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
    show(browser, pages / "many.html", size=size)
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
        show(browser, pages / "many.html", keys, size=size)
        [(_, top, _, bottom)] = browser.boxes("#tiles [aria-current=true] canvas")
        [(_, box_top, _, box_bottom)] = browser.boxes("#tiles")
        assert box_top <= top < bottom <= box_bottom
        assert browser.run("scrollY") == 0
