"""Plates show whole episodes: tracks, starts, ends, times and names."""

from xml.etree import ElementTree

import numpy as np
import pytest
from chases import record

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.rendering.camera import view_of
from steer_env.rendering.pen import Pen
from steer_env.rendering.plate import Plate
from steer_env.rendering.plate_tracks import draw_tracks
from steer_env.rendering.svg import SvgCanvas
from steer_env.scripts.roster import ROSTER

LIGHT = THEMES["light"]


def chases(seeds=(3,), horizon=600, **keywords):
    """One against one, as long as they last."""
    given = {"pursuers": 1, "evaders": 1, "obstacles": 0, "horizon": horizon}
    sides = {"pursuer": ROSTER["pursuit"], "evader": ROSTER["evade"]}
    return record(seeds, ("pursuit", "evade"), **{**given, **sides, **keywords})


def as_vector(recordings, columns=None, side=300, theme="light"):
    plate = Plate(recordings, columns or len(recordings), side, theme)
    canvas = SvgCanvas(plate.width, plate.height)
    plate.draw(canvas)
    return canvas.document()


def texts(document):
    return [element.text for element in ElementTree.fromstring(document).iter() if element.text]


@pytest.fixture(scope="module")
def caught():
    (recording,) = chases()
    assert recording.status.is_captured
    return recording


class Log(SvgCanvas):
    """A canvas that records what is drawn on it."""

    def __init__(self, side):
        super().__init__(side, side)
        self.calls = []

    def __getattribute__(self, name):
        draw = super().__getattribute__(name)
        if name not in ("disc", "ring", "line", "path", "polygon", "text"):
            return draw
        return lambda *args, **keywords: (
            self.calls.append((name, *args)),
            draw(*args, **keywords),
        )

    def of(self, kind, color):
        return [call[2:] for call in self.calls if call[:2] == (kind, color)]


@pytest.fixture(scope="module")
def drawn(caught):
    """The tracks of an episode, and what they were drawn with."""
    canvas, view = Log(600), view_of(caught.config, np.zeros(0), (600, 600))
    draw_tracks(Pen(canvas, view, caught.config, DrawingConfig()), caught, 1, 20.0)
    return canvas, view


def test_every_second_has_a_tick_across_the_track_or_a_dot(caught, drawn):
    canvas, view = drawn
    seconds = int(caught.status.seconds)
    for player, color in ((0, LIGHT.pursuer), (1, LIGHT.evader)):
        places = view.to_pixels(caught.positions[30 : 30 * seconds + 1 : 30, player])
        dots = [center for center, *_ in canvas.of("disc", color)]
        for place in places:
            assert np.abs(np.array(dots) - place).min() < 1e-6
    (free,) = chases(seeds=(0,), horizon=180, pursuer=ROSTER["seek"])
    canvas = Log(600)
    draw_tracks(Pen(canvas, view, free.config, DrawingConfig()), free, 1, 20.0)
    lines = canvas.of("line", LIGHT.pursuer)
    velocities = free.states["players"]["body"]["velocity"][:, 0]
    for moment in (30, 90, 150):  # between the labels, every two seconds
        place = view.to_pixel(free.positions[moment, 0])
        start, end, *_ = min(lines, key=lambda line: abs((line[0] + line[1]) / 2 - place))
        assert abs((start + end) / 2 - place) < 1e-6
        along = velocities[moment].conjugate() * (end - start).conjugate()
        assert abs(along.real) < 1e-6 * abs(along)


def test_titles_have_the_names_and_the_result(caught):
    found = texts(as_vector([caught]))
    assert {"pursuit", "v", "evade", caught.status.result} <= set(found)
    assert not any(text.startswith("seed") for text in found)
    others = chases(seeds=(3, 5))
    assert {"seed 3", "seed 5"} <= set(texts(as_vector(others, 1)))


@pytest.mark.parametrize(
    ("recordings", "columns", "side", "theme", "message"),
    [
        (0, 1, 100, "light", "at least one"),
        (1, 0, 100, "light", "columns"),
        (1, 1, 0, "light", "side"),
        (1, 1, 100, "drak", "dark"),
    ],
)
def test_wrong_arguments_are_named(caught, recordings, columns, side, theme, message):
    with pytest.raises(ValueError, match=message):
        Plate([caught] * recordings, columns, side, theme)
