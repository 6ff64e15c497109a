"""Moments of a recording look as they did when they were live."""

import numpy as np
import pytest
from chases import record

from steer_env.drawing import DrawingConfig
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import Renderer
from steer_env.rendering.replay import Replay

DRAWING = DrawingConfig(size=200, annotations="all")


@pytest.fixture(scope="module", params=["walls", "torus"])
def recording(request):
    return record(arena=request.param, horizon=120)[0]


def test_every_moment_is_drawn_as_the_renderer_draws_it_live(recording):
    pursuer, evader = recording.scripts
    renderer = Renderer(recording.config, DRAWING, ([pursuer], [evader]))
    renderer.names = recording.names
    replay = Replay(recording, DRAWING)
    for moment, (record_, forces) in enumerate(zip(recording.states, recording.forces)):
        live = renderer.frame(record_, forces)
        if moment % 15 == 0 or moment == len(recording.states) - 1:
            assert np.array_equal(replay.frame(moment), live)


def test_a_canvas_shows_the_same_as_an_array(recording):
    replay = Replay(recording, DRAWING)
    pixels = np.zeros((200, 200, 3), np.uint8)
    replay.draw(RasterCanvas(pixels), 40)
    assert np.array_equal(pixels, replay.frame(40))


def test_times_are_those_of_the_nearest_moment_and_stop_at_the_end(recording):
    replay = Replay(recording)
    last = len(recording.states) - 1
    found = [replay.moment_at(seconds) for seconds in (-1.0, 0.0, 0.016, 0.018, 1.0, 99.0)]
    assert found == [0, 0, 0, 1, 30, last]


def test_in_the_open_a_moment_can_show_what_was_seen_until_then():
    (recording,) = record(arena="open", horizon=120)
    pursuer, evader = recording.scripts
    renderer = Renderer(recording.config, DRAWING, ([pursuer], [evader]))
    renderer.names = recording.names
    replay = Replay(recording, DRAWING, sees_ahead=False)
    live = [renderer.frame(*pair) for pair in zip(recording.states, recording.forces)]
    for moment in (len(live) - 1, 60, 0):
        assert np.array_equal(replay.frame(moment), live[moment])
    assert replay.view_at(len(live) - 1).scale < replay.view_at(0).scale
