"""Takes pictures of the page to play on, in both themes, with Chromium.

    PYTHONPATH=. python tools/page_pictures.py --out baselines/results

Writes page.png and page-dark.png: the laboratory in the middle of a chase. Without Chromium it
does nothing, and says so.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from page_parts import both_themes

from steer_env.browser.page import save_play_page
from steer_env.drawing import THEMES
from steer_env.files import write_bytes
from tests.browser.driving import move_slider
from tests.rendering.browser import Browser, find_browser

LINK = "view=lab&seed=21&pursuer=pursuit&evader=evade"
MOMENT = 250  # in steps: the evader has turned back, and the pursuer follows
SIZE = (980, 780)  # pixels: shown 830 wide, the smallest letters have 11
SHARPNESS = 1.5


def take(browser: Browser, page: Path, theme: str) -> bytes:
    """Returns a picture of the laboratory as PNG."""
    browser.open(page, LINK, SIZE, dark=theme == "dark", still=True, sharpness=SHARPNESS)
    move_slider(browser, "#scrub", MOMENT)
    browser.run("document.querySelector('footer').remove()")  # its version would be an old one
    browser.wait_for_frame()
    if browser.errors:
        raise AssertionError(browser.errors)
    return browser.picture()


def main() -> None:
    """Takes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("baselines/results"))
    given = parser.parse_args()
    if find_browser() is None:
        print("no Chromium here: no pictures of the page")
        return
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "play.html"
            save_play_page(page)
            for theme, path in zip(THEMES, both_themes(given.out / "page.png")):
                write_bytes(path, take(browser, page, theme))
                print(path, f"{path.stat().st_size / 1000:.0f} kB")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
