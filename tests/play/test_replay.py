"""Recordings go side by side, in lockstep, and fill the window."""

import itertools

import pytest

from play.rounds import faced, played
from steer_env.game.state import EVADER, PURSUER
from steer_env.play.comparison import others
from steer_env.play.replay import Replay
from steer_env.play.replay_screen import ending_of, head_of, panels
from steer_env.play.screens import layout_of


@pytest.fixture(scope="module")
def recordings():
    challenged = faced(PURSUER, "rest", horizon=150)
    return [played(challenged, 2, lambda _: 0j).recording(), *others(challenged, 2)]


def test_all_show_the_same_moment_until_they_end(recordings):
    replay = Replay(recordings)
    lengths = [len(each.states) - 1 for each in recordings]
    assert replay.last == max(lengths) == 150
    assert min(lengths) < 100
    replay.advance(0.0)
    for tick in range(1, 181):
        replay.advance(tick / 30)
        assert replay.moment == min(tick, 150)
        for each, length in zip(recordings, lengths):
            assert replay.moment_of(each) == min(tick, length)
            assert replay.is_over(each) == (tick >= length)


def test_it_can_be_stepped_and_paused(recordings):
    replay = Replay(recordings)
    replay.backward()
    assert replay.moment == 0
    for _ in range(3):
        replay.forward()
    replay.backward()
    assert (replay.moment, replay.clock.is_paused) == (2, True)
    replay.advance(0.0)
    replay.advance(0.2)
    assert replay.moment == 2
    replay.pause()
    replay.advance(0.3)
    assert replay.moment == 5
    replay.to_end()
    replay.forward()
    assert replay.moment == 150
    replay.pause()  # from the end, anew
    assert (replay.moment, replay.clock.is_paused) == (0, False)
    replay.forward()
    replay.to_start()
    assert replay.moment == 0


def test_it_goes_faster_and_slower(recordings):
    replay = Replay(recordings)
    replay.faster()
    replay.advance(0.0)
    replay.advance(0.2)
    assert replay.moment == 12
    replay.slower()
    replay.slower()
    replay.advance(0.4)
    assert replay.moment == 15


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


def test_endings_are_told_from_the_persons_side(recordings):
    assert ending_of(recordings[0], PURSUER) == "not caught in 5.0 s"
    assert ending_of(recordings[0], EVADER) == "got away for 5.0 s"
    assert ending_of(recordings[1], PURSUER).startswith("caught after")
