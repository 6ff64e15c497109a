"""The page to play on, and where the browser keeps files."""

import pytest

from steer_env.browser.page import save_play_page


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "play.html"
    save_play_page(path)
    return path


@pytest.fixture
def downloads(browser, tmp_path):
    """The folder in which the browser keeps files."""
    browser._ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    return tmp_path
