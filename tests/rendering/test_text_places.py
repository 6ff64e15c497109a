"""Names, score, help and banners are written where they cover nothing, at many sizes."""

import itertools

import numpy as np
import pytest
from recorded import live_game

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.episodes.live_game import record_episode
from steer_env.game.config import make_game
from steer_env.rendering.overlay import draw_banner, draw_help
from steer_env.rendering.picture import PAPER, Picture, View
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import Replay
from steer_env.rendering.texts import width_of
from steer_env.scripts.roster import named_script

pytest.importorskip("pygame")

LIGHT = THEMES["light"]
SIZES = [(960, 680), (600, 600), (1400, 860), (600, 860), (500, 480)]


class Log(RasterCanvas):
    """A canvas that keeps the boxes of texts: left, top, right, bottom."""

    def __init__(self, width, height):
        super().__init__(np.zeros((height, width, 3), np.uint8))
        self.boxes = {}

    def text(self, string, color, place, size, along=0.0):
        wide = width_of(string, size)
        left = place.real - along * wide
        # Letters are lower than the font, whose size is the distance of lines.
        box = (left, place.imag - 0.35 * size, left + wide, place.imag + 0.35 * size)
        self.boxes[string] = box  # a text with a rim is written last without it
        super().text(string, color, place, size, along)


def overlap(one, other):
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 0
        and min(one[3], other[3]) - max(one[1], other[1]) > 0
    )


CROWDS = {
    "3 v 2": {"pursuers": 3, "evaders": 2},
    "torus": {"pursuers": 3, "evaders": 2, "arena": "torus", "obstacles": 3},
    "open": {"pursuers": 2, "evaders": 3, "arena": "open"},
    "herd": {"pursuers": 3, "evaders": 8},
    "small": {"pursuers": 4, "evaders": 4, "arena_size": 8.0},
}


@pytest.mark.parametrize(
    "size", [SIZES[0], *(pytest.param(size, marks=pytest.mark.weekly) for size in SIZES[1:])]
)
@pytest.mark.parametrize("crowd", CROWDS)
def test_no_text_overlaps_another_or_leaves_its_place(crowd, size):
    config = make_game(horizon=90, **CROWDS[crowd])
    live = live_game(
        config, named_script("pursuit"), named_script("evade/herd"), ("fox", "hare")
    )
    replay = Replay(record_episode(live, 3), DrawingConfig(size, annotations="all"))
    names = 0
    for moment in (0, 30, 60, 90):
        canvas = Log(*size)
        replay.picture(moment).paint(canvas)
        for one, other in itertools.combinations(canvas.boxes, 2):
            assert not overlap(canvas.boxes[one], canvas.boxes[other]), (moment, one, other)
        view = replay.view_at(moment)
        corner, opposite = view.ground
        for text, (left, top, right, bottom) in canvas.boxes.items():
            is_inside = left >= corner.real and right <= opposite.real
            is_inside = is_inside and top >= corner.imag and bottom <= opposite.imag
            is_name = text.startswith(("fox ", "hare "))
            names += is_name
            if is_name or config.arena != "open":
                assert is_inside == is_name, text
            assert 0 <= left < right <= size[0], text
            assert 0 <= top < bottom <= size[1], text
    assert names > 0.7 * 4 * (config.pursuers + config.evaders)  # few are left out


@pytest.mark.parametrize("size", [(300, 200), (400, 900), (960, 720), (1600, 1000)])
def test_the_help_fits_every_window(size):
    rows = [(f"Key {number}", f"what key {number} does") for number in range(34)]
    canvas, picture = Log(*size), Picture(View(0j, 1.0, *size, PAPER), DrawingConfig())
    draw_help(picture, "What keys do", rows)
    picture.paint(canvas)
    for left, top, right, _ in canvas.boxes.values():
        assert left >= 0
        assert top >= 0
        assert right <= size[0]
    assert not any(overlap(*pair) for pair in itertools.combinations(canvas.boxes.values(), 2))
    if min(size) >= 400:
        assert [*canvas.boxes] == ["What keys do", *itertools.chain(*rows)]
        assert max(bottom for *_, bottom in canvas.boxes.values()) <= size[1]


@pytest.mark.parametrize("width", [40, 200, 400])
def test_a_banner_stays_in_its_room(width):
    picture = Picture(View(0j, 1.0, 500, 100, PAPER), DrawingConfig())
    draw_banner(picture, "got away (20 s)", LIGHT.ink, 250 + 50j, 30.0, width)
    columns = np.flatnonzero((picture.pixels() != 0).any(axis=(0, 2)))
    assert columns.size > 0
    assert columns[-1] - columns[0] <= width + 2
    assert abs(columns[0] + columns[-1] - 499) <= 2
