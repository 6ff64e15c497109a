"""Panels fill the window, and show the same part of the plane."""

import numpy as np
import pytest
from interface.test_grid import covered

from play.rounds import faced, played
from steer_env.drawing import DrawingConfig
from steer_env.interface.lockstep import Lockstep
from steer_env.play.replay_screen import ReplayScreen, ending_of, head_of, panels
from steer_env.play.rounds import others
from steer_env.play.screens import Layout
from steer_env.rendering.raster import RasterCanvas
from steer_env.sides import EVADER, PURSUER

pytest.importorskip("pygame")

SIZES = [(900, 800), (600, 400), (1600, 1000), (400, 900), (320, 240), (2000, 300)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_panels_fill_the_window_and_do_not_overlap(size, count):
    layout = Layout(*size)
    boxes = panels(count, layout)
    assert len(boxes) == count
    times = covered(boxes, layout.width, layout.bottom)
    assert times.max() == 1
    assert times[: boxes[0].bottom].all()
    assert all(box.height > head_of(layout) for box in boxes)


def test_three_panels_stand_side_by_side_in_a_wide_window():
    boxes = panels(3, Layout(1600, 600))
    assert [box[1] for box in boxes] == [boxes[0][1]] * 3
    assert len({box[0] for box in boxes}) == 3
    boxes = panels(3, Layout(300, 1200))
    assert len({box[1] for box in boxes}) == 3


def test_endings_are_described_from_the_persons_side():
    challenged = faced(PURSUER, "rest", horizon=150)
    mine, other = played(challenged, 2, lambda _: 0j).history, others(challenged, 2)[0]
    assert ending_of(mine, PURSUER) == "not caught in 5.0 s"
    assert ending_of(mine, EVADER) == "got away for 5.0 s"
    assert ending_of(other, PURSUER).startswith("caught after")


def shown(lockstep, annotations):
    """The picture of each panel."""
    pixels = np.zeros((420, 700, 3), np.uint8)
    drawing = DrawingConfig(annotations=annotations)
    ReplayScreen(lockstep, PURSUER).draw(RasterCanvas(pixels), drawing)
    layout = Layout(700, 420)
    return [
        pixels[box.top + head_of(layout) : box.bottom, box.left : box.right].astype(int)
        for box in panels(len(lockstep.games), layout)
    ]


def test_all_panels_have_one_scale_in_the_open():
    challenged = faced(PURSUER, "rest", horizon=400, arena="open")
    far = played(challenged, 2, lambda _: 1 + 0j).history
    near = played(challenged, 2, lambda _: 0j).history
    widths = [np.ptp(each.recording().positions.real) for each in (far, near)]
    assert widths[0] > 3 * widths[1]
    first, second = shown(Lockstep([far, near]), ())
    assert np.array_equal(first, second)  # the same start, at the same place, of the same size
    alone = shown(Lockstep([near, near]), ())
    assert not np.array_equal(alone[1], second)


def test_trails_are_three_seconds_long():
    challenged = faced(PURSUER, "rest", horizon=200)
    one, other = (played(challenged, 2, lambda _: 0.1 + 0j).history for _ in range(2))
    other.recording().positions[:90] += 3j  # the first three seconds, elsewhere
    lockstep = Lockstep([one, other])
    for moment, is_same in ((170, False), (179, False), (180, True), (190, True)):
        lockstep.moment = moment
        mine, others = shown(lockstep, ("trail",))
        assert np.array_equal(mine, others) == is_same
