"""The page in a browser, if one is installed: pictures, texts and controls."""

import base64

import numpy as np
import pytest
from browser import NEEDS_BROWSER
from chases import record

from steer_env.drawing import ANNOTATIONS, DEFAULT_ANNOTATIONS
from steer_env.rendering.camera import MARGIN
from steer_env.rendering.html import save_html

pytestmark = NEEDS_BROWSER

imageio = pytest.importorskip("imageio.v3")

TIME = "document.querySelector('#scrub').value"
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


def switch(name):
    return f'#switches [data-name="{name}"]'


@pytest.mark.parametrize("moment", ["paused", "step=30&paused&show=all", "view=all&show=all"])
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_all_arenas_are_shown_without_errors(browser, tmp_path, arena, moment):
    save_html(tmp_path / "chase.html", record(seeds=(0, 1), arena=arena))
    for dark in (False, True):
        browser.open(tmp_path / "chase.html", moment, dark=dark)
        browser.press("End")
        assert text(browser, "#failure") == ""
        assert browser.errors == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [(300, 600), (800, 800), (1600, 900)])
@pytest.mark.parametrize("view", ["one", "all"])
def test_nothing_is_wider_than_the_window(browser, page, size, dark, view):
    browser.open(page, f"{MOMENT}&show=all&vehicle=1&view={view}", size, dark)
    root = "document.documentElement"
    assert browser.run(f"{root}.scrollWidth <= {root}.clientWidth")
    if view == "one":
        assert browser.run("document.querySelector('#arena').clientWidth") > 240


def test_the_picture_is_sharp_on_fine_displays(browser, page):
    browser.open(page, MOMENT, sharpness=2)
    arena = "document.querySelector('#arena')"
    assert browser.run(f"{arena}.width === 2 * {arena}.clientWidth")


def test_scrubbing_moves_the_vehicles(browser, page):
    browser.open(page, MOMENT)
    before, shot = drawn(browser), browser.picture()
    browser.run(
        "(() => { const scrub = document.querySelector('#scrub'); scrub.value = 45; "
        "scrub.dispatchEvent(new Event('input')); })()"
    )
    browser.wait_for_frame()
    assert not look_alike(drawn(browser), before)
    assert browser.picture() != shot
    assert text(browser, "#time") == "1.50 / 2.00 s"


@pytest.mark.parametrize("name", ANNOTATIONS)
def test_every_switch_and_its_key_change_the_picture(browser, page, name):
    browser.open(page, MOMENT)
    before, was_on = drawn(browser), name in DEFAULT_ANNOTATIONS
    assert attribute(browser, switch(name), "aria-pressed") == str(was_on).lower()
    click(browser, switch(name))
    assert attribute(browser, switch(name), "aria-pressed") == str(not was_on).lower()
    assert not look_alike(drawn(browser), before)
    letter = text(browser, f"{switch(name)} kbd").lower()
    browser.press(letter)
    assert look_alike(drawn(browser), before)


@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_annotations_end_at_the_arena(browser, tmp_path, arena):
    save_html(tmp_path / "chase.html", record(arena=arena, arena_size=8.0, horizon=90))
    shown = ",".join(name for name in ANNOTATIONS if name not in ("names", "score"))
    for moment in (20, 50, 80):
        pictures = []
        for show in ("none", shown):
            browser.open(tmp_path / "chase.html", f"step={moment}&paused&show={show}")
            pictures.append(drawn(browser))
        rows, columns = np.nonzero(np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.05)
        assert len(rows) > 500
        side = len(pictures[0])
        low, high = np.floor(MARGIN * side), np.ceil((1 - MARGIN) * side)
        for places in (rows, columns):
            assert low <= places.min() <= places.max() <= high


def test_switches_of_what_an_episode_has_not_are_faint(browser, tmp_path):
    save_html(tmp_path / "chase.html", record(pursuers=1, evaders=1, obstacles=0))
    browser.open(tmp_path / "chase.html", MOMENT)
    faint = "[...document.querySelectorAll('.is-absent')].map((each) => each.dataset.name)"
    assert browser.run(faint) == ["view", "corridor"]


EFFECTS = {  # of the keys in the list: what to look at, from 30 of 60 steps on, and then
    "space": ("document.querySelector('#play').ariaLabel", "Pause"),
    "←": (TIME, "29"),
    "→": (TIME, "31"),
    "Home": (TIME, "0"),
    "End": (TIME, "60"),
    "[": ("document.querySelector('#episode').value", "2"),
    "]": ("document.querySelector('#episode').value", "1"),
    "\u2212": ("document.querySelector('#speed').value", "0.5"),
    "+": ("document.querySelector('#speed').value", "2"),
    "G": ("document.querySelector('#tiles').hidden", False),
    "B": ("document.querySelector('#card').hidden", False),
    "A": (
        "document.querySelectorAll('#switches [aria-pressed=true]').length",
        len(ANNOTATIONS),
    ),
    "T": ("document.documentElement.dataset.theme", "dark"),
    "?": ("document.querySelector('#help').open && document.activeElement.id", "help-title"),
}
NAMES_OF_KEYS = {"space": " ", "←": "ArrowLeft", "→": "ArrowRight", "\u2212": "-"}


def test_the_list_of_keys_is_all_there_is(browser, page):
    browser.open(page, MOMENT)
    listed = browser.run(
        "[...document.querySelectorAll('#keys kbd')].map((k) => k.textContent)"
    )
    assert listed == list(EFFECTS)
    letters = browser.run(
        "[...document.querySelectorAll('#annotations kbd')].map((k) => k.textContent)"
    )
    assert len(set(letters) | set(listed)) == len(ANNOTATIONS) + len(EFFECTS)


@pytest.mark.parametrize("label", EFFECTS)
def test_keys_do_what_the_list_says(browser, page, label):
    expression, expected = EFFECTS[label]
    browser.open(page, MOMENT)
    assert browser.run(expression) != expected
    browser.press(NAMES_OF_KEYS.get(label, label.lower() if len(label) == 1 else label))
    assert browser.run(expression) == expected
    assert browser.errors == []


def test_shift_and_an_arrow_go_a_second(browser, page):
    browser.open(page, MOMENT)
    browser.press("ArrowLeft", shift=True)
    assert browser.run(TIME) == "0"
    browser.press("ArrowRight", shift=True)
    assert browser.run(TIME) == "30"


@pytest.mark.parametrize(
    ("button", "expected"),
    [("start", "0"), ("back", "29"), ("forward", "31"), ("end", "60")],
)
def test_buttons_step(browser, page, button, expected):
    browser.open(page, MOMENT)
    click(browser, f"#{button}")
    assert browser.run(TIME) == expected


def test_it_plays_to_the_end_and_shows_the_result(browser, page, recordings):
    browser.open(page, "episode=2&step=50&speed=4")
    browser.run(
        "new Promise((done) => { const result = document.querySelector('#result'); "
        "const look = () => result.textContent ? done() : setTimeout(look, 10); look(); })"
    )
    assert text(browser, "#result") == "Got away for 2.0 s, 0 of 2 caught."
    assert recordings[1].status.result in text(browser, "#facts")
    assert browser.run(TIME) == "60"
    assert attribute(browser, "#play", "aria-label") == "Play"
    click(browser, "#play")  # from the start again
    assert int(browser.run(TIME)) < 60


def test_with_reduced_motion_it_starts_paused(browser, page):
    for still, label in ((True, "Play"), (False, "Pause")):
        browser.open(page, still=still)
        assert attribute(browser, "#play", "aria-label") == label


def test_the_address_keeps_the_moment(browser, page):
    browser.open(page, "episode=2&step=30&paused")
    for key in ("]", "ArrowRight", "ArrowRight", "w", "d", "m"):
        browser.press(key)
    moment = browser.run("location.hash").removeprefix("#")
    arena, timeline = drawn(browser), drawn(browser, "#distances")
    browser.open(page, moment)
    assert browser.run("document.querySelector('#episode').value") == "2"
    assert browser.run(TIME) == "2"
    assert look_alike(drawn(browser), arena)
    assert look_alike(drawn(browser, "#distances"), timeline)


@pytest.mark.parametrize(
    "moment",
    ["episode=99", "episode=x&step=-4", "step=1e9&show=nothing", "theme=pink&vehicle=9"],
)
def test_an_address_that_makes_no_sense_does_no_harm(browser, page, moment):
    browser.open(page, f"{moment}&paused")
    assert browser.errors == []
    assert text(browser, "#time").endswith(" / 2.00 s")


def test_side_by_side_every_episode_has_a_tile_that_opens_it(browser, page):
    browser.open(page, f"{MOMENT}&view=all")
    pictures = browser.run(
        "[...document.querySelectorAll('#tiles canvas')].map((each) => each.toDataURL())"
    )
    assert len(set(pictures)) == 3
    click(browser, "#tiles button:nth-child(3)")
    assert browser.run("document.querySelector('#tiles').hidden")
    assert browser.run("document.querySelector('#episode').value") == "2"
    assert browser.run(TIME) == "30"


def place_of_player(browser, recording, moment, number):
    """The place of a player in the window, in pixels: the arena has a margin of 7 %."""
    box = browser.run(
        "(() => { const box = document.querySelector('#arena').getBoundingClientRect(); "
        "return [box.left, box.top, box.width]; })()"
    )
    left, top, side = box
    position = recording.positions[moment, number]
    scale = side * 0.86 / recording.config.arena.size
    return left + side / 2 + position.real * scale, top + side / 2 - position.imag * scale


@pytest.mark.parametrize("number", [0, 3])
def test_pointing_at_a_vehicle_shows_its_numbers(browser, page, recordings, number):
    browser.open(page, MOMENT)
    browser.point(*place_of_player(browser, recordings[0], 30, number))
    body = recordings[0].states[30]["players"]["body"][number]
    numbers = browser.run(
        "[...document.querySelectorAll('#card dd')].map((each) => each.textContent)"
    )
    shown = numbers[0].replace("\u2212", "-").removesuffix(" m").split(", ")
    assert [float(each) for each in shown] == pytest.approx(
        [body["position"].real, body["position"].imag], abs=0.0101
    )
    assert float(numbers[1].split()[0]) == pytest.approx(abs(body["velocity"]), abs=0.02)
    force = abs(recordings[0].forces[30, number])
    assert float(numbers[3].split()[0]) == pytest.approx(force, abs=0.1)
    opponents = recordings[0].positions[30][[2, 3] if number < 2 else [0, 1]]
    nearest = abs(opponents - body["position"]).min()
    assert float(numbers[4].split()[0]) == pytest.approx(nearest, abs=0.02)
    browser.point(5, 5)
    assert browser.run("document.querySelector('#card').hidden")


def test_a_click_keeps_the_numbers_and_escape_drops_them(browser, page, recordings):
    browser.open(page, MOMENT)
    browser.point(*place_of_player(browser, recordings[0], 30, 0), click=True)
    browser.point(5, 5)
    assert text(browser, "#card strong") == "fox 1"
    browser.press("Escape")
    assert browser.run("document.querySelector('#card').hidden")


def test_names_are_shown_as_text(browser, tmp_path):
    names = ("<img src=x onerror=alert(1)>", "</script><b>")
    save_html(tmp_path / "chase.html", record(names=names, seeds=(0, 1)))
    browser.open(tmp_path / "chase.html", f"{MOMENT}&show=all&vehicle=1")
    assert text(browser, "#evader-name").replace("\u200b", "") == names[1]
    assert text(browser, "#card strong").replace("\u200b", "") == f"{names[0]} 1"
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert browser.errors == []


def test_a_browser_that_cannot_unpack_shows_a_message(browser, page):
    undo = browser.before_pages("delete window.DecompressionStream")
    try:
        browser.open(page)
    finally:
        undo()
    assert "too old" in text(browser, "#failure")
    assert browser.run("document.querySelector('#main').hidden")


def test_the_theme_of_the_file_or_of_the_reader_is_used(browser, tmp_path, page, recordings):
    color = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    light = browser.run(color)
    browser.open(page, dark=True)
    dark = browser.run(color)
    assert light != dark
    save_html(tmp_path / "chase.html", recordings, theme="dark")
    browser.open(tmp_path / "chase.html", MOMENT)
    assert browser.run(color) == dark
    before = drawn(browser)
    click(browser, "#theme")
    assert browser.run(color) == light
    assert not look_alike(drawn(browser), before)
