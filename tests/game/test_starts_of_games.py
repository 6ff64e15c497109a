"""Starts, capture, reward and the end of a game follow the rules."""

from __future__ import annotations

import numpy as np
import pytest
from test_rules import start

from steer_env.game.arena import ARENAS
from steer_env.game.config import game_config

pytestmark = pytest.mark.weekly


@pytest.mark.parametrize("kind", ARENAS)
def test_starts_are_spread_over_the_arena_and_all_directions(kind):
    engine = start(game_config(arena=kind), 2000)
    body = engine.get_state()["players"]["body"]
    assert not body["velocity"].any()
    assert not body["acceleration"].any()
    np.testing.assert_allclose(np.abs(body["heading"]), 1.0)
    assert np.abs(body["heading"].mean(axis=0)).max() < 0.06
    pursuers = body["position"][:, 0]
    for half in (pursuers.real > 0, pursuers.imag > 0, np.maximum(*_xy(pursuers)) > 7):
        assert half.mean() == pytest.approx(0.5, abs=0.05)


def _xy(position):
    return abs(position.real), abs(position.imag)


def test_random_obstacles_leave_room_between_them():
    engine = start(game_config(obstacles=10), 200)
    center, radius = (engine.get_state()["obstacles"][name] for name in ("center", "radius"))
    assert (radius[radius > 0] >= 0.5).all()
    assert (radius <= 1.5).all()
    gap = np.abs(center[:, :, None] - center[:, None]) - radius[:, :, None] - radius[:, None]
    both = (radius[:, :, None] > 0) & (radius[:, None] > 0) & ~np.eye(10, dtype=bool)
    assert gap[both].min() >= 2 * 0.3
    to_wall = 10 - np.maximum(*_xy(center)) - radius
    assert to_wall[radius > 0].min() >= 2 * 0.3
    assert len(np.unique(center)) > 1000  # anew in every game


@pytest.mark.parametrize(
    ("size", "most"),
    [(5.0, 1), (8.0, 3), (10.0, 6), (20.0, 27)],
)
def test_all_random_obstacles_find_room_or_are_refused(size, most):
    engine = start(game_config(obstacles=most, arena_size=size), 1000)
    assert (engine.state.obstacle_radius >= 0.5).all()
    with pytest.raises(ValueError, match=f"do not fit .* at most {most} do"):
        game_config(obstacles=most + 1, arena_size=size)
