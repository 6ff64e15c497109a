"""Controls a headless Chromium, if it is installed, through a pipe: no port, no network."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60.0  # seconds until an answer that does not come is an error

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
# Chromium reads commands from descriptor 3 and answers on 4.
_START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


def find_browser():
    """The path of a browser that can be driven, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


NEEDS_BROWSER = pytest.mark.skipif(
    find_browser() is None, reason=f"found none of {', '.join(NAMES)}"
)


class Browser:
    """One tab of a headless Chromium; what goes wrong in its pages is in `errors`."""

    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read_end, self._commands = os.pipe()
        self._answers, write_end = os.pipe()
        # Above 3 and 4, which the browser's own are copied to.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read_end, write_end)]
        profile = f"--user-data-dir={self._profile.name}"
        command = [sys.executable, "-c", _START, *map(str, ends), find_browser()]
        self._process = subprocess.Popen(
            [*command, *_FLAGS, profile, "about:blank"],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (*ends, read_end, write_end):
            os.close(end)
        self._received, self._number, self._session = b"", 0, None
        self.errors = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def close(self):
        try:
            self._session = None
            self._ask("Browser.close")
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._commands)
            os.close(self._answers)
            self._profile.cleanup()

    def open(
        self,
        path,
        moment="",
        size=(800, 800),
        dark=False,
        still=False,
        sharpness=1,
        touch=False,
    ):
        """Opens a file or an address at a moment, its hash, and waits until it is drawn.

        The reader may prefer dark colors or reduced motion (still), and have a touch screen and
        no mouse. Sharpness is the number of the display's pixels for each of the style sheet's.
        """
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=sharpness,
            mobile=touch,
        )
        self._ask("Emulation.setTouchEmulationEnabled", enabled=touch)
        wishes = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self._ask("Emulation.setEmulatedMedia", features=features)
        self._ask("Page.navigate", url="about:blank")  # or another hash would not load anew
        self.errors.clear()
        address = path if isinstance(path, str) else path.absolute().as_uri()
        self._ask("Page.navigate", url=f"{address}{moment and '#' + moment}")
        self.run(
            "new Promise((done) => { const look = () => document.readyState === 'complete' && "
            "!(hides('main', false) && hides('failure', true)) ? done() : setTimeout(look, 9);"
            "const hides = (id, without) => document.getElementById(id)?.hidden ?? without; "
            "look(); })"
        )
        self.wait_for_frame()

    def before_pages(self, program):
        """Runs a program in every page before its own; returns how to undo that."""
        script = self._ask("Page.addScriptToEvaluateOnNewDocument", source=program)
        method = "Page.removeScriptToEvaluateOnNewDocument"
        return lambda: self._ask(method, identifier=script["identifier"])

    def run(self, expression):
        """The value of an expression in JavaScript; of a promise, what it comes to."""
        answer = self._ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def each(self, selector, expression):
        """The values of an expression in JavaScript for all elements; each is `one`."""
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return self.run(f"{found}.map((one) => {expression})")

    def boxes(self, selector):
        """Left, top, right, bottom of elements that are shown, in pixels of the window."""
        corners = "[box.left, box.top, box.right, box.bottom]"
        box = f"((box) => {corners})(one.getBoundingClientRect())"
        return [found for found in self.each(selector, f"one.offsetWidth && {box}") if found]

    def wait_for_frame(self):
        self.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def press(self, key, shift=False):
        """Presses and releases a key, by its name in JavaScript, and waits for the picture."""
        given = {"key": key, "modifiers": 8 if shift else 0}
        text = {"text": key} if len(key) == 1 else {}
        self._ask("Input.dispatchKeyEvent", type="keyDown", **given, **text)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **given)
        self.wait_for_frame()

    def point(self, x, y, click=False):
        """Moves the pointer to a place in the window, and clicks there."""
        button = {"button": "left" if click else "none", "clickCount": int(click)}
        kinds = ("mouseMoved", "mousePressed", "mouseReleased") if click else ("mouseMoved",)
        for kind in kinds:
            self._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)
        self.wait_for_frame()

    def picture(self):
        """A screenshot in PNG of the window."""
        return base64.b64decode(self._ask("Page.captureScreenshot")["data"])

    def _ask(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _next_message(self):
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._answers], [], [], PATIENCE)
            received = os.read(self._answers, 1 << 20) if ready else b""
            if not received:
                raise AssertionError("the browser does not answer")
            self._received += received
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])
        if event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            self.errors.append(str(parameters["args"]))


def show(browser, path, keys="", step=30, **how):
    """Opens a page of recordings that stands still, presses keys, and goes to a step."""
    browser.open(path, still=True, **how)
    for key in keys:
        browser.press(key)
    browser.run(
        "(() => { const bar = document.querySelector('#scrub'); "
        f"bar.value = {step}; bar.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    )
    browser.wait_for_frame()


def switch_on(browser, names):
    """Switches the annotations of these names on, and all others off."""
    for name, pressed in browser.each(
        "#switches [data-name]", "[one.dataset.name, one.ariaPressed]"
    ):
        if (pressed == "true") != (name in names):
            browser.run(f"document.querySelector('#switches [data-name={name}]').click()")
    browser.wait_for_frame()
