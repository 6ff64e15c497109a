"""Plates show whole episodes: tracks, starts, ends, times and names."""

from xml.etree import ElementTree

import pytest
from chases import record

from steer_env.rendering.plate import Plate
from steer_env.rendering.svg import SvgCanvas
from steer_env.scripts.roster import ROSTER


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


def test_titles_have_the_names_and_the_result(caught):
    found = texts(as_vector([caught]))
    assert {"pursuit", "vs", "evade", caught.status.result} <= set(found)
    assert not any(text.startswith("seed") for text in found)
    others = chases(seeds=(3, 5))
    assert {"seed 3", "seed 5"} <= set(texts(as_vector(others, 1)))


def test_where_nobody_is_caught_no_capture_radius_is_drawn():
    game = {"game": "perimeter_defense", "horizon": 60}
    side = ROSTER["optimal/perimeter"]
    both = [
        as_vector(chases(**game, pursuer=side, evader=side, capture_radius=radius))
        for radius in (0.1, 0.4)
    ]
    assert both[0] == both[1]
    assert {"start", "end"} <= {*texts(both[0])}
    assert not {"capture radius", "caught"} & {*texts(both[0])}
