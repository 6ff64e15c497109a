"""Drives the page to play on, as a person does."""

import base64
import json
import string

import numpy as np
from recorded import live_game

from steer_env.game.run.memory import make_measures
from steer_env.sides import Side


def text(browser, selector):
    found = browser.run(f"document.querySelector('{selector}').innerText")
    return found.replace("\u200b", "")  # where names may be broken


def click(browser, selector):
    """Clicks in the middle of an element, as a person does."""
    browser.run(f"document.querySelector('{selector}').scrollIntoView({{block: 'nearest'}})")
    left, top, right, bottom = browser.boxes(selector)[0]
    browser.point((left + right) / 2, (top + bottom) / 2, click=True)


def choose(browser, selector, value, event="change"):
    browser.run(
        f"(() => {{ const field = document.querySelector('{selector}');"
        f"field.value = {json.dumps(value)};"
        f"field.dispatchEvent(new Event('{event}', {{ bubbles: true }})); }})()"
    )
    browser.wait_for_frame()


def move_slider(browser, selector, value):
    choose(browser, selector, value, "input")


def bytes_of(browser, expression):
    """The bytes of a typed array of the page."""
    listed = browser.run(
        f"(() => {{ const found = {expression}; return btoa(String.fromCharCode("
        "...new Uint8Array(found.buffer, found.byteOffset, found.byteLength))); })()"
    )
    return base64.b64decode(listed)


def phase(browser):
    return browser.run("chase.play.rounds.phase")


def wait_for(browser, condition, seconds=30):
    """Waits until something of the page is true."""
    browser.run(
        "new Promise((done, failed) => { const late = performance.now() + 1000 * "
        f"{seconds}; const look = () => ({condition}) ? done() : performance.now() > late ? "
        f"failed(new Error('never: ' + {json.dumps(condition)})) : setTimeout(look, 20);"
        "look(); })"
    )


FIRST_X = "chase.play.rounds.episode.engine.column('position')[0]"
STEER = (
    "chase.play.controls.push = () => { const places = chase.play.rounds.episode.engine"
    ".column('position'); const [x, y] = [places[2] - places[0], places[3] - places[1]];"
    "const length = Math.hypot(x, y); return [x / length, y / length]; }"
)
"""Has a person push straight for the evader: what a test cannot do by keys alone."""


LISTEN = """{
  const { fillText } = CanvasRenderingContext2D.prototype;
  window.texts = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    window.texts.push(text);
    fillText.call(this, text, ...place);
  };
}"""
"""Keeps the texts that are drawn from now on."""


def finish_round(browser, push="chase.play.controls.push"):
    """Plays the round that waits to its end, without waiting for it."""
    browser.press("Enter")
    browser.run(STEER)
    browser.run(
        "(() => { const { rounds } = chase.play; rounds.left = 0; "
        f"while (rounds.phase !== 'end') rounds.advance(0.2, {push}); }})()"
    )
    browser.press("v")  # the page shows the result after a change
    browser.press("Escape")
    wait_for(browser, "!chase.play.isReplay")
    browser.wait_for_frame()


def play_round(browser, page, moment="level=easy&seed=7"):
    browser.open(page, moment, (1000, 800))
    finish_round(browser)


_LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
_FULL = 31  # a push's part in a link


def replayed(browser, config, pursuer, evader, seed):
    """Plays the round of the page again in Python; the side that is None makes its pushes."""
    live = live_game(config, pursuer, evader)
    live.start(seed)
    pushes = browser.run("chase.play.rounds.pushes")
    for letters in zip(pushes[::2], pushes[1::2]):
        right, up = ((_LETTERS.index(one) - _FULL) / _FULL for one in letters)
        heading = live.record["players"]["body"]["heading"][config.pursuers * (evader is None)]
        forward = right * heading.real + up * heading.imag
        action = forward, up * heading.real - right * heading.imag
        live.step(*((None, action) if evader is None else (action, None)))
    recording = live.recording()
    live.close()
    return recording


def touch(browser, kind, x=None, y=None):
    points = [] if x is None else [{"x": x, "y": y}]
    browser._ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    browser.wait_for_frame()


def mouse(browser, kind, x, y):
    button = {"button": "left", "buttons": 1, "clickCount": 1}
    browser._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)
    browser.wait_for_frame()


def place_of(browser, vehicle):
    """The place of a vehicle of the laboratory in the window, in pixels."""
    return browser.run(
        "(() => { const { app, play } = chase; const { view, players } = play.lab.episode;"
        f"const {{ columns }} = players[{vehicle}]; const moment = Math.floor(app.time);"
        "const box = document.querySelector('#arena').getBoundingClientRect();"
        "return [box.x + view.column(columns.x[moment]), box.y + view.row(columns.y[moment])];"
        "})()"
    )


def drag(browser, vehicle, *offsets):
    """Drags a vehicle of the laboratory by offsets in pixels, and holds it at the last one."""
    x, y = place_of(browser, vehicle)
    mouse(browser, "mousePressed", x, y)
    for right, down in offsets:
        mouse(browser, "mouseMoved", x + right, y + down)
    return x + offsets[-1][0], y + offsets[-1][1]


def play(engine, steps):
    """Steps an engine's games; those that are over rest."""
    none = [np.zeros((0, engine.side_size(side), 2), np.float32) for side in Side]
    engine.play(make_measures(engine.num_games), steps, *none)
