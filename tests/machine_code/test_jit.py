"""The compiler's part of the marked functions and classes."""

from __future__ import annotations

from typing import NamedTuple

import pytest


class Counts(NamedTuple):
    rules: float  # a name that `Block` has, too, as the next two
    step: int
    side: int


def total(counts):
    return counts.rules + counts.step + counts.side


def test_a_users_named_tuples_have_fields_of_any_name():
    numba = pytest.importorskip("numba")
    from steer_env.game.run.loop import play_games  # whose module marks `Block`
    from steer_env.machine_code.jit import know_functions

    know_functions()
    assert play_games.name == "play_games"
    assert numba.njit(total)(Counts(1.0, 2, 3)) == 6.0
