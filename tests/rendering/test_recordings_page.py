"""A walk through the page of recordings in a browser, if one is installed."""

import base64
import re

import numpy as np
import pytest
from chases import record
from rendering.browser import NEEDS_BROWSER, show, switch_on
from test_crowds_and_small import captured_below_its_captor
from test_pictures import cells_of

from steer_env.drawing import ANNOTATIONS, DEFAULT_ANNOTATIONS, THEMES, DrawingConfig
from steer_env.maps.map import Map
from steer_env.rendering.html import save_html
from steer_env.rendering.marks import MOST_ANNOTATED
from steer_env.rendering.picture import view_of
from steer_env.rendering.renderer import Replay
from tests.browser.driving import LISTEN, click, text

pytestmark = NEEDS_BROWSER

imageio = pytest.importorskip("imageio.v3")

TIME = "document.querySelector('#scrub').value"
EPISODE = "document.querySelector('#episode').value"


@pytest.fixture(scope="module")
def recordings():
    return record(seeds=(5, 6, 7))


@pytest.fixture(scope="module")
def page(tmp_path_factory, recordings):
    path = tmp_path_factory.mktemp("pages") / "chase.html"
    save_html(path, recordings)
    return path


def attribute(browser, selector, name):
    return browser.run(f"document.querySelector('{selector}').getAttribute('{name}')")


def drawn(browser, canvas="#arena"):
    """The pixels of a canvas over black, (height, width, 3)."""
    url = browser.run(f"document.querySelector('{canvas}').toDataURL()")
    pixels = imageio.imread(base64.b64decode(url.partition(",")[2]), extension=".png") / 255.0
    return pixels[:, :, :3] * pixels[:, :, 3:]  # what is transparent has colors of its own


def look_alike(first, second):
    """True if two pictures differ at most by a browser's rounding."""
    return first.shape == second.shape and np.abs(first - second).max() < 0.15


@pytest.mark.parametrize(
    ("game", "limit"),
    [
        *(
            ({"arena": arena}, limit)
            for arena, limit in (("walls", 1), ("torus", 6), ("open", 1))
        ),
        ({"map": Map.pillars(1, seed=4), "obstacles": 0}, 1.5),
        ({"map": Map.rooms(1), "obstacles": 0}, 1.5),
    ],
    ids=["walls", "torus", "open", "pillars", "rooms"],
)
def test_a_picture_is_that_of_python(browser, tmp_path, game, limit):
    (recording,) = record(**game)
    save_html(tmp_path / "chase.html", [recording])
    everything = [name for name in ANNOTATIONS if name not in ("names", "score")]
    for shown, most in ((everything, 6.5), (["velocity", "capture"], limit)):
        show(browser, tmp_path / "chase.html", step=40)
        switch_on(browser, shown)
        found = 255 * drawn(browser)
        drawing = DrawingConfig((len(found), len(found)), annotations=shown)
        view = view_of(recording.config, recording.corners[-1], DrawingConfig(len(found)))
        replay = Replay(recording, drawing)
        replay.view_at = lambda _, view=view: view
        wanted = replay.picture(40).pixels()
        differences = np.abs(cells_of(found) - cells_of(wanted))
        assert differences.max() < most
    browser.press("End")
    assert text(browser, "#failure") == ""
    assert browser.errors == []


def test_every_switch_and_its_key_change_the_picture(browser, page):
    show(browser, page, "g")
    for name in ANNOTATIONS:
        before, was_on = drawn(browser), name in DEFAULT_ANNOTATIONS
        switch = f'#switches [data-name="{name}"]'
        key = text(browser, f"{switch} kbd")
        assert attribute(browser, switch, "title").endswith(f" ({key})")
        assert attribute(browser, switch, "aria-pressed") == str(was_on).lower()
        click(browser, switch)
        assert attribute(browser, switch, "aria-pressed") == str(not was_on).lower()
        assert not look_alike(drawn(browser), before), name
        browser.press(key.lower())
        assert look_alike(drawn(browser), before), name


EFFECTS = (  # of keys, one after the other: what to look at, and what it is then
    ("[", EPISODE, "2"),
    ("]", EPISODE, "0"),
    ("→", TIME, "1"),
    ("←", TIME, "0"),
    ("shift →", TIME, "30"),
    ("shift ←", TIME, "0"),
    ("End", TIME, "60"),
    ("Home", TIME, "0"),
    ("G", "document.querySelector('#tiles').hidden", False),
    ("T", "document.documentElement.dataset.theme", "dark"),
    ("Space", "document.querySelector('#play').ariaLabel", "Pause"),
    ("?", "document.querySelector('#help').open && document.activeElement.id", "help-title"),
)
NAMES_OF_KEYS = {"Space": " ", "←": "ArrowLeft", "→": "ArrowRight"}


def test_keys_do_what_the_list_says(browser, page):
    show(browser, page, "g")
    for label, expression, expected in EFFECTS:
        assert browser.run(expression) != expected, label
        key = label.removeprefix("shift ")
        name = NAMES_OF_KEYS.get(key, key.lower() if len(key) == 1 else key)
        browser.press({"Esc": "Escape"}.get(name, name), shift=key != label)
        assert browser.run(expression) == expected, label
    assert {*browser.each("#keys kbd", "one.textContent")} == {
        label for label, *_ in EFFECTS if "shift" not in label
    }
    assert browser.errors == []


def test_it_plays_to_the_end_and_shows_the_result(browser, page, recordings):
    show(browser, page, "g]", step=50)
    browser.run("document.querySelector('#speed').value = 4")
    click(browser, "#play")
    browser.run(
        "new Promise((done) => { const result = document.querySelector('#result'); "
        "const look = () => result.textContent ? done() : setTimeout(look, 10); look(); })"
    )
    assert text(browser, "#result") == "Got away (2 s), 0 of 2 caught."
    assert recordings[1].status.result in text(browser, "#facts")
    assert text(browser, "#time") == "2.00 / 2.00 s"
    assert attribute(browser, "#play", "aria-label") == "Play"
    click(browser, "#play")  # from the start again
    assert int(browser.run(TIME)) < 60
    browser.open(page, still=True)
    assert attribute(browser, "#play", "aria-label") == "Play"


@pytest.mark.weekly
def test_side_by_side_every_episode_has_a_tile_that_opens_it(browser, page):
    show(browser, page)
    assert not browser.run("document.querySelector('#tiles').hidden")
    pictures = browser.each("#tiles canvas", "one.toDataURL()")
    assert len(set(pictures)) == 3
    click(browser, "#tiles button:nth-child(3)")
    assert browser.run("document.querySelector('#tiles').hidden")
    assert browser.run(EPISODE) == "2"
    assert browser.run(TIME) == "30"


@pytest.mark.weekly
def test_names_are_shown_as_text(browser, tmp_path):
    names = ("<img src=x onerror=alert(1)>", "</script><b>")
    save_html(tmp_path / "chase.html", record(names=names, seeds=(0, 1)))
    show(browser, tmp_path / "chase.html", "g")
    switch_on(browser, ANNOTATIONS)
    assert text(browser, "#evader-name").replace("\u200b", "") == names[1]
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert browser.errors == []


@pytest.mark.weekly
def test_crowds_have_means_and_few_names_and_captors_are_on_top(browser, tmp_path):
    (crowd,) = record(pursuers=3, evaders=40, horizon=2)
    for found, word in ((captured_below_its_captor(), ""), (crowd, "mean distance")):
        save_html(tmp_path / "chase.html", [found])
        show(browser, tmp_path / "chase.html", step=1)
        switch_on(browser, ANNOTATIONS)
        browser.run(LISTEN)
        browser.press("ArrowLeft")
        browser.wait_for_frame()
        texts = browser.run("window.texts")
        assert any(re.match(r"(mean )?distance", text) for text in texts)
        assert word in " ".join(texts)
        assert ("mean" in " ".join(texts)) == bool(word)
        names = {text for text in texts if text.startswith("hare ")}
        assert len(names) == (MOST_ANNOTATED if word else 0)
        assert browser.errors == []
        if not word:
            canvas = "document.querySelector('#arena')"
            middle = f"({canvas}.width / 2, {canvas}.height / 2, 1, 1).data"
            pixel = browser.run(f"Array.from({canvas}.getContext('2d').getImageData{middle})")
            assert np.abs(np.array(pixel[:3]) - THEMES["light"].pursuer).max() < 40


@pytest.mark.weekly
def test_a_browser_that_cannot_unpack_shows_a_message(browser, page):
    undo = browser.before_pages("delete window.DecompressionStream")
    try:
        browser.open(page)
    finally:
        undo()
    assert "too old" in browser.run("document.querySelector('#failure').textContent")
    assert browser.run("document.querySelector('#main').hidden")
