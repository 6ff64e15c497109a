"""A walk through the page of recordings in a browser, if one is installed."""

import base64

import numpy as np
import pytest
from chases import record
from rendering.browser import NEEDS_BROWSER
from test_pictures import cells_of

from steer_env.drawing import ANNOTATIONS, DEFAULT_ANNOTATIONS, DrawingConfig
from steer_env.rendering.camera import view_of
from steer_env.rendering.html import save_html
from steer_env.rendering.renderer import Replay
from steer_env.scripts.roster import ROSTER

pytestmark = NEEDS_BROWSER

imageio = pytest.importorskip("imageio.v3")

TIME = "document.querySelector('#scrub').value"
EPISODE = "document.querySelector('#episode').value"
MOMENT = "episode=1&step=30&paused"


@pytest.fixture(scope="module")
def recordings():
    return record(seeds=(5, 6, 7))


@pytest.fixture(scope="module")
def page(tmp_path_factory, recordings):
    path = tmp_path_factory.mktemp("pages") / "chase.html"
    save_html(path, recordings)
    return path


def text(browser, selector):
    return browser.run(f"document.querySelector('{selector}').textContent")


def attribute(browser, selector, name):
    return browser.run(f"document.querySelector('{selector}').getAttribute('{name}')")


def click(browser, selector):
    browser.run(f"document.querySelector('{selector}').click()")
    browser.wait_for_frame()


def drawn(browser, canvas="#arena"):
    """What is seen of a canvas over black, (height, width, 3)."""
    url = browser.run(f"document.querySelector('{canvas}').toDataURL()")
    pixels = imageio.imread(base64.b64decode(url.partition(",")[2]), extension=".png") / 255.0
    return pixels[:, :, :3] * pixels[:, :, 3:]  # what is transparent has colors of its own


def look_alike(first, second):
    """Whether two pictures differ at most by what a browser rounds."""
    return first.shape == second.shape and np.abs(first - second).max() < 0.15


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_all_arenas_are_shown_without_errors(browser, tmp_path, arena):
    save_html(tmp_path / "chase.html", record(seeds=(0, 1), arena=arena))
    for moment, dark in (("step=30&paused&show=all&view=one", False), ("show=all", True)):
        browser.open(tmp_path / "chase.html", moment, dark=dark)
        browser.press("End")
        assert text(browser, "#failure") == ""
        assert browser.errors == []


def test_where_nobody_is_caught_no_capture_radius_is_shown(browser, tmp_path):
    side, pictures = ROSTER["optimal/perimeter"], []
    game = {"game": "perimeter_defense", "pursuers": 1, "evaders": 1, "obstacles": 0}
    for radius in (0.1, 0.4):
        found = record(**game, pursuer=side, evader=side, capture_radius=radius)
        save_html(tmp_path / "chase.html", found)
        browser.open(tmp_path / "chase.html", "step=30&paused&show=capture")
        pictures.append([drawn(browser, canvas) for canvas in ("#arena", "#distances")])
    assert all(map(np.array_equal, *pictures))


@pytest.mark.parametrize(("arena", "limit"), [("walls", 3.0), ("torus", 7.0), ("open", 1.2)])
def test_a_picture_is_that_of_python(browser, tmp_path, arena, limit):
    (recording,) = record(arena=arena)
    save_html(tmp_path / "chase.html", [recording])
    everything = [name for name in ANNOTATIONS if name not in ("names", "score")]
    for shown, most in ((everything, 32.0), (["velocity", "capture"], limit)):
        browser.open(tmp_path / "chase.html", f"step=40&paused&show={','.join(shown)}")
        found = 255 * drawn(browser)
        drawing = DrawingConfig((len(found), len(found)), annotations=shown)
        view = view_of(recording.config, recording.corners[-1], drawing.size)
        wanted = Replay(recording, drawing).frame(40, view)
        differences = np.abs(cells_of(found) - cells_of(wanted))
        assert differences.max() < most


@pytest.mark.parametrize("name", ANNOTATIONS)
def test_every_switch_changes_the_picture(browser, page, name):
    browser.open(page, MOMENT)
    before, was_on = drawn(browser), name in DEFAULT_ANNOTATIONS
    switch = f'#switches [data-name="{name}"]'
    assert attribute(browser, switch, "aria-pressed") == str(was_on).lower()
    click(browser, switch)
    assert attribute(browser, switch, "aria-pressed") == str(not was_on).lower()
    assert not look_alike(drawn(browser), before)
    click(browser, switch)
    assert look_alike(drawn(browser), before)


EFFECTS = {  # of the keys in the list: what to look at, from 30 of 60 steps on, and then
    "[": (EPISODE, "2"),
    "]": (EPISODE, "1"),
    "G": ("document.querySelector('#tiles').hidden", False),
    "Space": ("document.querySelector('#play').ariaLabel", "Pause"),
    "←": (TIME, "29"),
    "→": (TIME, "31"),
    "Home": (TIME, "0"),
    "End": (TIME, "60"),
    "\u2212": ("document.querySelector('#speed').value", "0.5"),
    "+": ("document.querySelector('#speed').value", "2"),
    "T": ("document.documentElement.dataset.theme", "dark"),
    "?": ("document.querySelector('#help').open && document.activeElement.id", "help-title"),
}
NAMES_OF_KEYS = {
    "Space": " ",
    "←": "ArrowLeft",
    "→": "ArrowRight",
    "\u2212": "-",
}


def test_keys_do_what_the_list_says(browser, page):
    browser.open(page, MOMENT)
    browser.press("?")
    listed = browser.run(
        "[...document.querySelectorAll('#keys kbd')].map((k) => k.textContent)"
    )
    assert listed == list(EFFECTS)
    for label, (expression, expected) in EFFECTS.items():
        browser.open(page, MOMENT)
        assert browser.run(expression) != expected
        browser.press(NAMES_OF_KEYS.get(label, label.lower() if len(label) == 1 else label))
        assert browser.run(expression) == expected, label
        assert browser.errors == []


def test_it_plays_to_the_end_and_shows_the_result(browser, page, recordings):
    browser.open(page, "episode=2&step=50")
    browser.run(
        "new Promise((done) => { const result = document.querySelector('#result'); "
        "const look = () => result.textContent ? done() : setTimeout(look, 10); look(); })"
    )
    assert text(browser, "#result") == "Got away (2 s), 0 of 2 caught."
    assert recordings[1].status.result in browser.run(
        "document.querySelector('#episode').selectedOptions[0].text"
    )
    assert text(browser, "#time") == "2.00 / 2.00 s"
    assert attribute(browser, "#play", "aria-label") == "Play"
    click(browser, "#play")  # from the start again
    assert int(browser.run(TIME)) < 60
    browser.open(page, still=True)
    assert attribute(browser, "#play", "aria-label") == "Play"


def test_an_address_leads_to_a_moment(browser, page):
    browser.open(page, "episode=2&step=30&paused")
    assert (browser.run(EPISODE), browser.run(TIME)) == ("1", "30")
    for damaged in ("episode=99", "episode=x&step=-4", "step=1e9&show=nothing"):
        browser.open(page, f"{damaged}&paused")
        assert browser.errors == []
        assert text(browser, "#time").endswith(" / 2.00 s")


def test_side_by_side_every_episode_has_a_tile_that_opens_it(browser, page):
    for moment, is_all in (("", True), ("view=all&episode=2", True), ("episode=1", False)):
        browser.open(page, moment)
        assert browser.run("document.querySelector('#tiles').hidden") != is_all
    browser.open(page, f"{MOMENT}&view=all")
    pictures = browser.run(
        "[...document.querySelectorAll('#tiles canvas')].map((each) => each.toDataURL())"
    )
    assert len(set(pictures)) == 3
    click(browser, "#tiles button:nth-child(3)")
    assert browser.run("document.querySelector('#tiles').hidden")
    assert browser.run(EPISODE) == "2"
    assert browser.run(TIME) == "30"


def test_names_are_shown_as_text(browser, tmp_path):
    names = ("<img src=x onerror=alert(1)>", "</script><b>")
    save_html(tmp_path / "chase.html", record(names=names, seeds=(0, 1)))
    browser.open(tmp_path / "chase.html", f"{MOMENT}&show=all")
    assert text(browser, "#evader-name").replace("\u200b", "") == names[1]
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert browser.errors == []
