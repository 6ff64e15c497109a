"""The card at the end has the time of each capture, in order."""

import numpy as np
import pytest

from steer_env.drawing import THEMES
from steer_env.record.end_card import best_first, draw_end_card
from steer_env.rendering.ghosts import Standing
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from steer_env.sides import EVADER, PURSUER

LATE = Standing("seek", (0, 0, 0), "not within 20 s", True, 1, 20.0)
SOON = Standing("learned", (200, 0, 0), "caught 4.6 s", True, 0, 4.6)
LATER = Standing("pursuit", (0, 0, 200), "caught 7.2 s", True, 0, 7.2)


def test_the_best_is_first():
    assert best_first([LATE, LATER, SOON], PURSUER) == [SOON, LATER, LATE]
    assert best_first([SOON, LATE, LATER], EVADER) == [LATE, LATER, SOON]
    last_moment = SOON._replace(seconds=20.0)  # caught at the horizon, but caught
    assert best_first([LATE, last_moment], PURSUER) == [last_moment, LATE]
    all_free = LATE._replace(free=3)  # of a team
    assert best_first([all_free, LATE, SOON], PURSUER) == [SOON, LATE, all_free]
    assert best_first([LATE, SOON, all_free], EVADER) == [all_free, LATE, SOON]


def test_the_card_has_labels_and_times(tmp_path):
    canvas = SvgCanvas(400, 300, "end")
    draw_end_card(canvas, THEMES["light"], [LATE, LATER, SOON], PURSUER, 20.0)
    canvas.save(tmp_path / "card.svg")
    text = (tmp_path / "card.svg").read_text()
    order = [text.index(f">{word}<") for word in ("learned", "pursuit", "seek")]
    assert order == sorted(order)
    for word in ("4.6 s", "7.2 s", "not within 20 s"):
        assert f">{word}<" in text


def test_a_run_that_goes_on_is_not_caught_yet(tmp_path):
    canvas = SvgCanvas(400, 300, "end")
    running = LATE._replace(outcome="not within 12 s", is_over=False, seconds=12.0)
    draw_end_card(canvas, THEMES["light"], [running, SOON], PURSUER, 20.0)
    canvas.save(tmp_path / "card.svg")
    assert ">not within 12 s<" in (tmp_path / "card.svg").read_text()


@pytest.mark.parametrize("side", [60, 150, 640])
def test_a_long_name_stays_inside(side):
    long = SOON._replace(label="a very long name of a player " * 3)
    pixels = np.full((side, side, 3), 255, np.uint8)
    draw_end_card(RasterCanvas(pixels), THEMES["light"], [long, LATE], PURSUER, 20.0)
    rim = np.concatenate([pixels[:, 0], pixels[:, -1]])
    assert (rim == rim[0]).all()
