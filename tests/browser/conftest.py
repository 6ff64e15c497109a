"""The page to play on, and the browser that shows it."""

import pytest
from rendering.browser import Browser

from steer_env.browser.page import save_play_page
from steer_env.machine_code.library import FOLDER
from tests.browser.machine import Machine


@pytest.fixture(scope="module")
def machine():
    return Machine(FOLDER / "engine.wasm")


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium for all tests of this folder."""
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "play.html"
    save_play_page(path)
    return path


@pytest.fixture(autouse=True)
def _no_errors(request):
    """Pages must have no errors when a test ends."""
    yield
    if "browser" in request.fixturenames:
        assert request.getfixturevalue("browser").errors == []
