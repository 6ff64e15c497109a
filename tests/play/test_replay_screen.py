"""Panels fill the window, and show the same part of the plane."""

import dataclasses
import itertools

import numpy as np
import pytest

from play.rounds import faced, played
from steer_env.drawing import DrawingConfig
from steer_env.game.state import EVADER, PURSUER
from steer_env.play.comparison import others
from steer_env.play.lockstep import Lockstep
from steer_env.play.replay_screen import ReplayScreen, ending_of, head_of, panels
from steer_env.play.screens import layout_of
from steer_env.rendering.raster import RasterCanvas

pytest.importorskip("pygame")

SIZES = [(900, 800), (600, 400), (1600, 1000), (400, 900), (320, 240), (2000, 300)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_panels_fill_the_window_and_do_not_overlap(size, count):
    layout = layout_of(*size)
    boxes = panels(count, layout)
    assert len(boxes) == count
    for left, top, width, height in boxes:
        assert left >= 0
        assert top >= 0
        assert left + width <= layout.width
        assert top + height <= layout.bottom
        assert height > head_of(layout)
    for (left, top, width, height), (x, y, *_) in itertools.permutations(boxes, 2):
        assert not (left <= x < left + width and top <= y < top + height)
    above, below = boxes[0][1], layout.bottom - boxes[-1][1] - boxes[-1][3]
    assert abs(above - below) <= 3  # in the middle
    across, down = size[0] / boxes[0][2], layout.bottom / boxes[0][3]
    assert round(across) == 1 or down < 3  # in one of the two directions, they fill it


def test_three_panels_stand_side_by_side_in_a_wide_window():
    boxes = panels(3, layout_of(1600, 600))
    assert [box[1] for box in boxes] == [boxes[0][1]] * 3
    assert len({box[0] for box in boxes}) == 3
    boxes = panels(3, layout_of(300, 1200))
    assert len({box[1] for box in boxes}) == 3


def test_endings_are_told_from_the_persons_side():
    challenged = faced(PURSUER, "rest", horizon=150)
    recordings = [played(challenged, 2, lambda _: 0j).history.recording()]
    recordings += others(challenged, 2)
    assert ending_of(recordings[0], PURSUER) == "not caught in 5.0 s"
    assert ending_of(recordings[0], EVADER) == "got away for 5.0 s"
    assert ending_of(recordings[1], PURSUER).startswith("caught after")


def shown(lockstep, annotations):
    """The picture of each panel."""
    layout = layout_of(700, 420)
    pixels = np.zeros((420, 700, 3), np.uint8)
    drawing = DrawingConfig(annotations=annotations)
    ReplayScreen(lockstep, PURSUER).draw(RasterCanvas(pixels), drawing, layout)
    head = head_of(layout)
    return [
        pixels[top + head : top + height, left : left + width].astype(int)
        for left, top, width, height in panels(len(lockstep.recordings), layout)
    ]


def test_all_panels_have_one_scale_in_the_open():
    challenged = faced(PURSUER, "rest", horizon=400, arena="open")
    far = played(challenged, 2, lambda _: 1 + 0j).history.recording()
    near = played(challenged, 2, lambda _: 0j).history.recording()
    assert np.ptp(far.positions.real) > 3 * np.ptp(near.positions.real)
    first, second = shown(Lockstep([far, near]), ())
    assert np.array_equal(first, second)  # the same start, at the same place, of the same size
    alone = shown(Lockstep([near, near]), ())
    assert not np.array_equal(alone[1], second)


def test_trails_are_three_seconds_long():
    challenged = faced(PURSUER, "rest", horizon=200)
    recording = played(challenged, 2, lambda _: 0.1 + 0j).history.recording()
    states = recording.states.copy()
    states["players"]["body"]["position"][:90] += 3j  # the first three seconds, elsewhere
    other = dataclasses.replace(recording, states=states)
    lockstep = Lockstep([recording, other])
    for moment, is_same in ((170, False), (179, False), (180, True), (190, True)):
        lockstep.moment = moment
        mine, others = shown(lockstep, ("trail",))
        assert np.array_equal(mine, others) == is_same
