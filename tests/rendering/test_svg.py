"""Vector graphics are valid, and a browser shows them as the pixels are."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from chases import record
from rendering.browser import NEEDS_BROWSER

from steer_env.drawing import DrawingConfig
from steer_env.rendering.picture import Picture, View
from steer_env.rendering.renderer import Replay
from steer_env.rendering.svg import SvgCanvas

RED, WHITE = (213, 94, 0), (253, 253, 251)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def parse(canvas):
    return ElementTree.fromstring(canvas.document())


def elements(canvas, name):
    return parse(canvas).findall(f".//{NAMESPACE}{name}")


@pytest.fixture(scope="module")
def recordings():
    return {kind: record(arena=kind)[0] for kind in ("walls", "torus", "open")}


def test_documents_are_sound_and_self_contained(recordings):
    for recording in recordings.values():
        replay = Replay(recording, DrawingConfig((300, 200), annotations="all"))
        document = replay.picture(40).svg("fox v hare")
        root = ElementTree.fromstring(document)
        assert root.tag == f"{NAMESPACE}svg"
        assert root.get("viewBox") == "0 0 300 200"
        assert root.find(f"{NAMESPACE}title").text == "fox v hare"
        assert document.count("http") == 1  # the name of the format
        used = set(re.findall(r"url\(#([^)]+)\)", document))
        assert used
        assert used <= {element.get("id") for element in root.iter()}


def test_texts_are_texts_and_never_markup():
    canvas = SvgCanvas(100, 40, "<title> & more")
    canvas.text('<b>a & b</b> "\x00\ud800', RED, 10 + 20j, 20)
    canvas.text("", RED, 10 + 20j, 20)
    (text,) = elements(canvas, "text")
    assert text.text == '<b>a & b</b> "\ufffd\ufffd'
    assert parse(canvas).find(f"{NAMESPACE}title").text == "<title> & more"


def test_paths_leave_out_what_cannot_be_seen_and_join_equal_pieces():
    canvas = SvgCanvas(100, 100)
    points = np.array([0, 10, 20, np.nan, 30, 40, 50, 60 + 10j])
    canvas.path(RED, points, 2.0, np.array([1, 1, 1, 1, 1, 0, 1.0]))
    (path,) = elements(canvas, "path")
    assert path.get("d") == "M0 0l10 0 10 0M30 0l10 0M50 0l10 10"
    canvas = SvgCanvas(100, 100)
    canvas.path(RED, points, 2.0, np.zeros(7))
    canvas.path(RED, points[:1], 2.0, np.zeros(0))
    assert not elements(canvas, "path")


def test_pieces_of_several_opacities_are_masks_with_the_strongest_on_top():
    canvas = SvgCanvas(100, 100)
    canvas.path(RED, np.array([0, 10, 20, 30, 40]), 2.0, np.array([0.5, 1.0, 0.25, 0.5]))
    (mask,) = elements(canvas, "mask")
    shades = [path.get("stroke") for path in mask.iter(f"{NAMESPACE}path")]
    assert shades == ["#404040", "#808080", "#ffffff"]
    (rectangle,) = elements(canvas, "rect")
    assert rectangle.get("fill") == "#d55e00"
    assert rectangle.get("mask") == f"url(#{mask.get('id')})"


@pytest.mark.parametrize("bad", [complex(np.nan, 0), complex(0, np.inf), 1e9 + 0j])
def test_what_cannot_be_seen_is_not_drawn(bad):
    canvas = SvgCanvas(100, 100)
    canvas.disc(RED, bad, 5)
    canvas.ring(RED, bad, 5, 1)
    canvas.rectangle(RED, 5, bad)
    canvas.polygon(RED, np.array([0, bad, 5j]))
    canvas.path(RED, np.array([0, bad]), 2.0, np.ones(1))
    canvas.text("x", RED, bad, 20)
    assert len(list(parse(canvas))) == 0


def test_a_part_is_a_picture_in_the_picture():
    whole, part = (
        Picture(View(0j, 1.0, *size, half=0.0), DrawingConfig())
        for size in ((100, 100), (50, 40))
    )
    part.add("clip", 0j, 5 + 5j)
    part.add("disc", RED, 1 + 1j, 3.0)
    whole.add("part", 10 + 20j, part)
    root = ElementTree.fromstring(whole.svg())
    inner = root.find("{*}svg")
    places = [inner.get(name) for name in ("x", "y", "width", "height")]
    assert places == ["10", "20", "50", "40"]
    (group,) = inner.findall("{*}g")
    assert group.get("clip-path")[5:-1] in [clip.get("id") for clip in root.find("{*}defs")]
    assert group.find("{*}circle").get("cx") == "1"


@pytest.mark.weekly
@NEEDS_BROWSER
@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_a_browser_shows_games_as_pixels_do(browser, tmp_path, recordings, kind):
    imageio = pytest.importorskip("imageio.v3")
    drawing = DrawingConfig(size=400, theme="dark", annotations="all")
    picture = Replay(recordings[kind], drawing).picture(40)
    page = tmp_path / "picture.html"
    style = "<style>body{margin:0;overflow:hidden}svg{display:block}</style>"
    page.write_text(f'<!doctype html>{style}<main id="main">{picture.svg()}</main>', "utf-8")
    browser.open(page, size=(400, 400))
    shown = imageio.imread(browser.picture(), extension=".png")[..., :3]
    difference = np.abs(shown - picture.pixels().astype(float))
    assert difference.mean() < 2.0
    assert (difference.max(axis=-1) > 100).mean() < 0.01
