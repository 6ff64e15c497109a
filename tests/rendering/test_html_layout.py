"""How the page looks, if a browser is installed: what fits, what can be read and touched."""

import itertools
import json
import re

import pytest
from browser import NEEDS_BROWSER
from chases import record

from steer_env import __version__
from steer_env.drawing import LEAST_CONTRAST, contrast
from steer_env.rendering.html import save_html

pytestmark = NEEDS_BROWSER

SIZES = [(1400, 900), (800, 600), (390, 844)]
PAIRS = [*itertools.product(("fox", "pretrained/pursuit/wolf"), ("hare", "deer"))]
SEEDS = [*range(5)]
MOMENT = "step=30&paused"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages with one episode, and with 20 of four pairs in the order of `record`."""
    folder = tmp_path_factory.mktemp("pages")
    played = {pair: record(SEEDS, pair, horizon=40) for pair in PAIRS}
    save_html(folder / "one.html", played[PAIRS[0]][:1])
    save_html(folder / "many.html", [played[pair][seed] for seed in SEEDS for pair in PAIRS])
    return folder


def value(browser, expression):
    return json.loads(browser.run(f"JSON.stringify({expression})"))


def boxes(browser, selector):
    """Left, top, right, bottom of all elements that are shown, in pixels of the window."""
    return value(
        browser,
        f"[...document.querySelectorAll('{selector}')].filter((each) => each.offsetWidth)"
        ".map((each) => each.getBoundingClientRect())"
        ".map(({ left, top, right, bottom }) => [left, top, right, bottom])",
    )


def shows_all(browser):
    return not browser.run("document.querySelector('#tiles').hidden")


# ----------------------------------------------------------------------------- the window


@pytest.mark.parametrize("touch", [False, True])
@pytest.mark.parametrize("size", [*SIZES, (844, 390)])
@pytest.mark.parametrize(("name", "view"), [("one", "one"), ("many", "one"), ("many", "all")])
def test_everything_to_play_is_in_the_window(browser, pages, size, name, view, touch):
    browser.open(pages / f"{name}.html", f"{MOMENT}&view={view}", size, touch=touch)
    browser.press("End")  # when the result is there, too
    board = "#picture canvas" if view == "one" else "#tiles"
    for selector in (board, "#scrub", "#controls button", "#time", "#speed", "#result"):
        found = boxes(browser, selector)
        assert found, selector
        for left, top, right, bottom in found:
            assert 0 <= left < right <= size[0], selector
            assert 0 <= top < bottom <= size[1], selector
    [(left, top, right, bottom)] = boxes(browser, board)
    assert min(right - left, bottom - top) >= (150 if size[1] == 390 else min(size) / 2)
    assert browser.run("scrollY") == 0
    root = "document.documentElement"
    assert browser.run(f"{root}.scrollWidth <= {root}.clientWidth")


def test_the_controls_stay_where_they_are_when_the_result_appears(browser, pages):
    for size in SIZES:
        browser.open(pages / "one.html", MOMENT, size)
        before = boxes(browser, "#deck, #play, #time, #speed")
        browser.press("End")
        assert boxes(browser, "#deck, #play, #time, #speed")[1:2] == before[1:2]
        assert boxes(browser, "#deck")[0] == before[0]


def test_the_page_says_what_made_it(browser, pages):
    browser.open(pages / "one.html", MOMENT, SIZES[0])
    made = browser.run("document.querySelector('footer').textContent")
    assert f"steer_env {__version__}" in made
    assert "python -m steer_env record --html page.html" in made
    [(_, _, _, bottom)] = boxes(browser, "footer")
    assert bottom <= 900


# ------------------------------------------------------------------------------- side by side


@pytest.mark.parametrize(
    ("moment", "is_all"),
    [
        ("", True),
        (MOMENT, True),
        ("view=all", True),
        ("view=all&episode=2", True),
        ("view=one", False),
        ("episode=2", False),
        ("vehicle=1", False),
    ],
)
def test_several_episodes_open_side_by_side_unless_the_address_names_one(
    browser, pages, moment, is_all
):
    browser.open(pages / "many.html", moment)
    assert shows_all(browser) == is_all
    browser.open(pages / "one.html", moment)
    assert not shows_all(browser)


def test_links_keep_the_view(browser, pages):
    browser.open(pages / "many.html", MOMENT)
    for is_all in (True, False, True):
        assert shows_all(browser) == is_all
        kept = browser.run("location.hash").removeprefix("#")
        browser.open(pages / "many.html", kept)
        assert shows_all(browser) == is_all
        browser.press("g")


def test_the_name_of_a_tile_in_a_matrix_says_more_than_the_time_on_it(browser, pages):
    browser.open(pages / "many.html", MOMENT)
    tiles = value(
        browser,
        "[...document.querySelectorAll('#tiles button')].map((each) => "
        "[each.ariaLabel, each.title, each.textContent])",
    )
    assert len(tiles) == len(PAIRS) * len(SEEDS)
    for name, title, text in tiles:
        assert name == title
        assert text in name


@pytest.mark.parametrize("size", SIZES)
def test_rows_are_pairs_and_columns_are_seeds(browser, pages, size):
    browser.open(pages / "many.html", MOMENT, size)
    tiles = value(
        browser,
        "[...document.querySelectorAll('#tiles button')].map((each) => "
        "[each.title, each.offsetLeft, each.offsetTop, each.offsetWidth])",
    )
    rows, columns = {}, {}
    for title, left, top, width in tiles:
        names, seed = re.match(r"(.+), seed (\d+): ", title).groups()
        rows.setdefault(tuple(names.split(" against ")), set()).add(top)
        columns.setdefault(seed, set()).add(left)
        assert width >= 72
    assert [*rows] == PAIRS
    assert sorted(columns) == [*map(str, SEEDS)]
    for places in (rows, columns):
        assert {len(found) for found in places.values()} == {1}
        ordered = [min(found) for found in places.values()]
        assert ordered == sorted(set(ordered))
    read = "[...document.querySelectorAll('#tiles .%s')].map((each) => each.textContent)"
    assert value(browser, read % "head") == [f"seed {seed}" for seed in SEEDS]
    labels = [label.replace("\u200b", "") for label in value(browser, read % "label")]
    assert labels == [" v ".join(pair) for pair in PAIRS]


def test_on_narrow_screens_the_tiles_scroll_in_their_box_and_names_stay(browser, pages):
    browser.open(pages / "many.html", MOMENT, (390, 844), touch=True)
    box = "document.querySelector('#tiles')"
    assert browser.run(f"{box}.scrollWidth > {box}.clientWidth")
    before = boxes(browser, "#tiles .label span")
    browser.run(f"{box}.scrollBy(80, 0)")
    browser.wait_for_frame()
    assert browser.run(f"{box}.scrollLeft") > 0
    assert [left for left, *_ in boxes(browser, "#tiles .label span")] == [
        left for left, *_ in before
    ]
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("keys", ["[", "g[g"])  # the last one; in either view
def test_the_next_episode_is_scrolled_to(browser, pages, keys):
    browser.open(pages / "many.html", MOMENT, (390, 844))
    for key in keys:
        browser.press(key)
    [(left, top, right, bottom)] = boxes(browser, "#tiles [aria-current=true] canvas")
    [(box_left, box_top, box_right, box_bottom)] = boxes(browser, "#tiles")
    assert box_left <= left < right <= box_right
    assert box_top <= top < bottom <= box_bottom
    assert browser.run("scrollY") == 0


def test_what_makes_no_matrix_has_names_and_seeds_below_its_tiles(browser, tmp_path):
    apart = [record((seed,), pair, horizon=3)[0] for seed, pair in enumerate(PAIRS)]
    save_html(tmp_path / "apart.html", apart)
    browser.open(tmp_path / "apart.html", MOMENT)
    assert not boxes(browser, "#tiles .head")
    found = browser.run("document.querySelector('#tiles').textContent")
    assert not browser.run("document.querySelectorAll('#tiles [aria-label]').length")
    for seed, (pursuer, evader) in enumerate(PAIRS):
        assert f"{pursuer.removeprefix('pretrained/')} v {evader}seed {seed}" in found


def test_a_matrix_may_have_holes_and_a_seed_twice(browser, tmp_path):
    first, second = (record((4, 5), pair, horizon=3) for pair in PAIRS[:2])
    save_html(tmp_path / "holes.html", [*first, first[1], *second])
    browser.open(tmp_path / "holes.html", MOMENT)
    read = "[...document.querySelectorAll('#tiles .head')].map((each) => each.textContent)"
    assert value(browser, read) == ["seed 4", "seed 5", "seed 5"]
    assert len(boxes(browser, "#tiles button")) == 5
    assert browser.errors == []


# -------------------------------------------------------------------------- eyes and fingers

SEEN_TEXTS = """(() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const paint = (color, opacity = 1) => {
    context.globalAlpha = opacity;
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const textOf = (each) =>
    [...each.childNodes].map((node) => (node.nodeType === 3 ? node.data.trim() : "")).join("");
  const isSeen = (each) => each.offsetWidth && each.checkVisibility() && !each.disabled;
  return [...document.body.querySelectorAll("*:not(script, option)")]
    .filter((each) => isSeen(each) && (textOf(each) || each.tagName === "SELECT"))
    .map((each) => {
      const around = [];
      for (let at = each; at; at = at.parentElement) around.unshift(getComputedStyle(at));
      for (const { backgroundColor } of around) paint(backgroundColor);
      const opacity = around.reduce((product, style) => product * style.opacity, 1);
      const under = paint("transparent");
      return [textOf(each), paint(getComputedStyle(each).color, opacity), under];
    });
})()"""

KEEP_DRAWN_TEXTS = """
  window.drawnTexts = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    window.drawnTexts.push([text, this.fillStyle]);
    return fillText.call(this, text, ...place);
  };
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", ["one", "all"])
def test_all_texts_have_enough_contrast(browser, pages, view, dark):
    moment = f"{MOMENT}&view={view}&show=velocity,score&vehicle=1"
    browser.open(pages / "many.html", moment, (1400, 900), dark)
    browser.press("End")
    found = value(browser, SEEN_TEXTS)
    browser.press("?")
    found += value(browser, SEEN_TEXTS)
    assert {"fox", "against", "field of view", "Speed"} <= {text for text, *_ in found}
    for text, color, under in found:
        assert contrast(color, under) >= LEAST_CONTRAST, text


@pytest.mark.parametrize("dark", [False, True])
def test_texts_in_pictures_have_enough_contrast(browser, pages, dark):
    undo = browser.before_pages(KEEP_DRAWN_TEXTS)
    try:
        browser.open(pages / "one.html", f"{MOMENT}&show=names,score", dark=dark)
        drawn = value(browser, "window.drawnTexts")
    finally:
        undo()
    assert {"fox 1", "hare 2", "free", "0 s"} - {"free"} <= {text for text, _ in drawn}
    grounds = value(
        browser,
        "['--background', '--ground'].map((name) => "
        "getComputedStyle(document.documentElement).getPropertyValue(name))",
    )
    for text, color in drawn:
        shade = tuple(int(color[start : start + 2], 16) for start in (1, 3, 5))
        for ground in grounds:
            under = tuple(map(int, re.findall(r"\d+", ground)))
            assert contrast(shade, under) >= LEAST_CONTRAST, text


@pytest.mark.parametrize(
    ("size", "touch"), [((390, 844), True), ((390, 844), False), ((1024, 768), True)]
)
@pytest.mark.parametrize("view", ["one", "all"])
def test_controls_are_large_enough_for_fingers(browser, pages, size, touch, view):
    browser.open(pages / "many.html", f"{MOMENT}&view={view}", size, touch=touch)
    assert browser.run("matchMedia('(pointer: coarse)').matches") == touch
    for opens_help in (False, True):
        if opens_help:
            browser.press("?")
        found = boxes(browser, "button, select, input, a")
        assert len(found) > 20
        for left, top, right, bottom in found:
            assert min(right - left, bottom - top) >= 44


# ------------------------------------------------------------------------------------- keys

LISTED = (
    "Object.fromEntries([...document.querySelectorAll('#%s dt')]"
    ".map((dt) => [dt.querySelector('kbd').textContent, dt.nextSibling.textContent]))"
)
TIPS = (
    "[...document.querySelectorAll('button[title]:not(#tiles *)')]"
    ".map((each, index) => [each.dataset.index = index, each.title])"
)
STATE = (
    "[location.hash, document.documentElement.dataset.theme, "
    "document.querySelector('#help').open, document.querySelector('#play').ariaLabel]"
)
NAMES_OF_KEYS = {"space": " ", "←": "ArrowLeft", "→": "ArrowRight"}


def test_tips_name_the_keys_that_do_the_same(browser, pages):
    page = pages / "many.html"
    moment = f"{MOMENT}&episode=2"
    browser.open(page, moment)
    listed = {**value(browser, LISTED % "keys"), **value(browser, LISTED % "annotations")}
    tips = value(browser, TIPS)
    assert len(tips) == 24  # ten buttons and fourteen switches
    for index, tip in tips:
        meaning, key = re.fullmatch(r"(.+) \((\S+)\)", tip).groups()
        assert meaning.lower() == listed[key].lower(), tip
        states = [value(browser, STATE)]
        browser.run(f"document.querySelector('[data-index=\"{index}\"]').click()")
        browser.wait_for_frame()
        states.append(value(browser, STATE))
        browser.open(page, moment)
        browser.press(NAMES_OF_KEYS.get(key, key.lower() if len(key) == 1 else key))
        states.append(value(browser, STATE))
        assert states[0] != states[1] == states[2], tip
        browser.open(page, moment)
        value(browser, TIPS)
