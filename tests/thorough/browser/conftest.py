"""The page to play on, as for the tests of every change."""

from tests.browser.conftest import page

__all__ = ["page"]
