"""Captures and near misses are found where they are, and seen for a moment."""

import numpy as np
import pytest

from play.rounds import faced, played
from steer_env.drawing import THEMES
from steer_env.play.marks import (
    CLOSE_SECONDS,
    FLASH_SECONDS,
    NearMiss,
    draw_marks,
    misses_of,
    near_misses,
)
from steer_env.rendering.camera import view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.sides import PURSUER

pytest.importorskip("pygame")

DT = 1 / 30
THEME = THEMES["light"]


def found(distances, captured=None):
    captured = np.zeros(len(distances), np.int64) if captured is None else captured
    return near_misses(np.array(distances), np.array(captured), 1.0)


def test_an_approach_that_ends_in_a_capture_is_no_near_miss():
    assert found([3.0, 2.0, 1.4, 1.2, 0.9]) == []
    assert found([3.0, 1.4, 0.0, 3.0, 4.0], [0, 0, 1, 1, 1]) == []


def test_an_approach_that_fails_is_one_near_miss():
    assert found([3.0, 1.6, 1.3, 1.1, 1.2, 1.31, 1.0 + 0.7, 3.0]) == [NearMiss(3, 5, 1.1)]
    assert found([3.0, 1.6, 1.51, 1.6, 3.0]) == []  # not near enough
    assert found([3.0, 1.4, 1.45, 1.59, 1.4]) == []  # it has not grown again
    assert found([1.4, 3.0]) == [NearMiss(0, 1, 1.4)]


def test_one_near_miss_an_approach():
    trembling = [3.0, 1.2, 1.45, 1.2, 1.45, 1.2, 1.45, 1.1, 1.4]
    assert found(trembling) == [NearMiss(1, 2, 1.2)]
    twice = [3.0, 1.2, 1.45, 1.6, 1.3, 1.55]
    assert [miss.moment for miss in found(twice)] == [1, 4]


def test_what_is_known_of_an_episode_does_not_change_later():
    random = np.random.default_rng(0)
    distances = 1.4 + np.cumsum(random.normal(0.0, 0.1, 400))
    distances = np.abs(distances - 0.9) + 1.0
    whole = found(distances)
    assert len(whole) > 3
    for moments in range(1, 400, 13):
        assert found(distances[:moments]) == [m for m in whole if m.known < moments]


def shown(recording, moment):
    """What is drawn, and the view."""
    view = view_of(recording.config, recording.corners[-1], (300, 300))
    pixels = np.full((300, 300, 3), 255, np.uint8)
    draw_marks(RasterCanvas(pixels), THEME, view, recording, moment, 14)
    return pixels != 255, view


def test_a_capture_flashes_around_its_place():
    recording = played(faced(PURSUER, "rest"), 2).history.recording()
    last = len(recording.states) - 1
    assert not shown(recording, last - 1)[0].any()
    widths = []
    for seconds in (0.0, 0.3 * FLASH_SECONDS, 0.9 * FLASH_SECONDS):
        inked, view = shown(recording, last + seconds / DT)
        rows, columns = np.nonzero(inked.any(axis=-1))
        place = view.to_pixel(recording.positions[-1, 1])
        assert columns.mean() == pytest.approx(place.real, abs=3)
        assert rows.mean() == pytest.approx(place.imag, abs=3)
        widths.append(np.ptp(columns))
    assert widths[0] < widths[1] < widths[2]
    assert not shown(recording, last + FLASH_SECONDS / DT + 1)[0].any()


def test_a_near_miss_is_marked_once_it_is_known():
    def beside(playing):  # toward a place beside the evader, and on
        players = playing.duel.record["players"]["body"]["position"]
        offset = complex(players[1] - players[0])
        return offset + 1j * offset / abs(offset) * 0.62 if abs(offset) > 0.8 else 0j

    recording = played(faced(PURSUER, "rest", horizon=240), 2, beside).history.recording()
    (miss,) = misses_of(recording)
    assert 0.5 < miss.distance < 0.75
    assert not shown(recording, miss.known - 1)[0].any()
    assert shown(recording, miss.known)[0].sum() > 300
    assert not shown(recording, miss.known + CLOSE_SECONDS / DT + 1)[0].any()
