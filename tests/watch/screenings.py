"""Screenings for tests, by the names of the players."""

from __future__ import annotations

from steer_env.game.config import game_config
from steer_env.policies.players import named_players
from steer_env.watch.screening import Screening


def make_screening(chasers=("pursuit",), runners=("evade",), games=1, seed=0, **keywords):
    """A screening; "you" for a person."""
    sides = [
        [("you", None)] if names == "you" else named_players(names, side)
        for side, names in enumerate((chasers, runners))
    ]
    return Screening(game_config(**{"horizon": 60, **keywords}), *sides, games, seed)


def same(one, other):
    """Whether two records are the same, bit for bit, less the padding between fields."""
    if one.dtype.names is None:
        return one.tobytes() == other.tobytes()
    return all(same(one[name], other[name]) for name in one.dtype.names)
