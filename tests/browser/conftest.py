"""The page to play on, and where the browser keeps files."""

import pytest

from steer_env.browser.page import save_play_page
from steer_env.machine_code.library import FOLDER
from tests.browser.machine import Machine


@pytest.fixture(scope="module")
def machine():
    return Machine(FOLDER / "engine.wasm")


@pytest.fixture(scope="module")
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


@pytest.fixture
def downloads(browser, tmp_path):
    """The folder in which the browser keeps files."""
    browser._ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    return tmp_path
