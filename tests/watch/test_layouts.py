"""Windows of many sizes; what explains a decision."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.rendering.mosaic import MOST_PANELS
from steer_env.scripts.roster import ROSTER
from steer_env.sides import PURSUER
from steer_env.watch.places import places_in

pytestmark = pytest.mark.weekly

pytest.importorskip("pygame")

SIZES = [(200, 200), (400, 900), (961, 723)]


@pytest.mark.parametrize("size", SIZES)
def test_panels_and_status_share_the_window(size):
    for count in range(1, MOST_PANELS + 1):
        for columns in (1, 3, count):
            places = places_in(size, count, columns)
            assert len(places.panels) == count
            parts = [*places.panels, places.status]
            times = np.zeros(size[::-1], int)
            for place in parts:
                times[place.top : place.bottom, place.left : place.right] += 1
            assert times.max() == 1
            first, last = places.panels[0], places.panels[-1]
            assert times[first.top : last.bottom, 0].all()
            sides = np.array([[place.width, place.height] for place in places.panels])
            assert (np.ptp(sides, axis=0) <= 1).all()


def test_panels_are_large_in_full_rows_unless_rows_and_columns_mean_something():
    def columns_of(count, size, columns=1):
        tops = [place.top for place in places_in(size, count, columns).panels]
        return tops.count(tops[0])

    assert columns_of(2, (1200, 600)) == 2
    assert columns_of(2, (600, 1200)) == 1
    assert columns_of(6, (900, 620), 3) == 3
    assert columns_of(6, (900, 600), 6) == 3  # six in a row would be small
    assert columns_of(5, (1000, 700)) == 3


def test_an_explanation_is_the_callers_and_no_later_step_writes_into_it():
    scripts = ROSTER["pursuit/among_obstacles"], ROSTER["evade/among_obstacles"]
    engine = Engine(game_config(obstacles=3), *([script] for script in scripts))
    engine.seed([8])
    engine.start()
    explained = engine.explain()
    assert explained.tobytes().strip(b"\0")
    explained[:] = np.zeros((), explained.dtype)
    nobody = np.zeros((0, 1, 2), np.float32)
    engine.step(nobody, nobody, PURSUER, False)
    assert not explained.tobytes().strip(b"\0")
