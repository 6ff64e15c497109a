"""Gaps to perfect play that take longer to measure are those of the page, too."""

from __future__ import annotations

import published_numbers
import pytest

pytestmark = pytest.mark.weekly


@pytest.mark.compiled
@pytest.mark.parametrize("game", ["two_cars", "homicidal_chauffeur"])
def test_the_published_numbers_come_out_again(game):
    published_numbers.check("flee", game, "evader")
