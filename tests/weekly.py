"""Tests of many cases, of which only a few are tried daily."""

import pytest


def weekly_but(daily, cases):
    """The cases of a test for `parametrize`: weekly ones, but for some."""
    return [
        pytest.param(
            *(one if isinstance(one, tuple) else (one,)),
            marks=[] if one in daily else pytest.mark.weekly,
        )
        for one in cases
    ]
