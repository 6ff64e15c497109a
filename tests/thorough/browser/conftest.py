"""The module and the page to play on, as for the tests of every change."""

from tests.browser.conftest import machine, page

__all__ = ["machine", "page"]
