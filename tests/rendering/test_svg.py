"""Vector graphics are valid, and a browser shows them as the pixels are."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from chases import record
from rendering.browser import NEEDS_BROWSER

from steer_env.drawing import DrawingConfig
from steer_env.rendering.camera import view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.scene import Moment, draw_scene
from steer_env.rendering.svg import SvgCanvas

RED, WHITE = (213, 94, 0), (253, 253, 251)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def parse(canvas):
    return ElementTree.fromstring(canvas.document())


def elements(canvas, name):
    return parse(canvas).findall(f".//{NAMESPACE}{name}")


def draw_game(canvas, recording, drawing, moment=40):
    draw_scene(
        canvas,
        view_of(recording.config, recording.positions, drawing.size),
        recording.config,
        drawing,
        Moment(
            recording.states[moment],
            recording.annotations(moment),
            recording.forces[moment],
            recording.positions[: moment + 1],
            recording.names,
        ),
    )


@pytest.fixture(scope="module")
def recordings():
    return {kind: record(arena=kind)[0] for kind in ("walls", "torus", "open")}


def test_documents_are_sound_and_self_contained(recordings):
    for recording in recordings.values():
        canvas = SvgCanvas(300, 200, "fox v hare")
        draw_game(canvas, recording, DrawingConfig(size=(300, 200), annotations="all"))
        root = parse(canvas)
        assert root.tag == f"{NAMESPACE}svg"
        assert root.get("viewBox") == "0 0 300 200"
        assert root.find(f"{NAMESPACE}title").text == "fox v hare"
        document = canvas.document()
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
    canvas.line(RED, bad, 5, 1)
    canvas.rectangle(RED, 5, bad)
    canvas.polygon(RED, np.array([0, bad, 5j]))
    canvas.path(RED, np.array([0, bad]), 2.0, np.ones(1))
    canvas.text("x", RED, bad, 20)
    assert len(list(parse(canvas))) == 0


def test_a_part_is_a_picture_in_the_picture():
    canvas = SvgCanvas(100, 100)
    with canvas.part(10 + 20j, 50, 40) as part:
        part.clip(0j, 5 + 5j)
        part.disc(RED, 1 + 1j, 3.0)
        assert part.text_width("evade", 20) == canvas.text_width("evade", 20)
    root = parse(canvas)
    inner = root.find("{*}svg")
    places = [inner.get(name) for name in ("x", "y", "width", "height")]
    assert places == ["10", "20", "50", "40"]
    (group,) = inner.findall("{*}g")
    assert group.get("clip-path")[5:-1] in [clip.get("id") for clip in root.find("{*}defs")]
    assert group.find("{*}circle").get("cx") == "1"


def draw_shapes(canvas):
    """One of each, with and without opacity, some cut off."""
    canvas.fill(WHITE)
    corners = np.array([20 + 20j, 70 + 30j, 45 + 75j])
    canvas.rectangle(RED, 5 + 5j, 95.5 + 12.25j, 0.5)
    canvas.polygon(RED, corners + 5)
    canvas.path((0, 0, 0), corners + 40j, 4.0, np.array([1.0, 1.0]))
    canvas.path((0, 0, 90), corners + 80 + 10j, 6.0, np.array([0.2, 0.8]))
    canvas.path((0, 90, 0), 10 + 180j + 9.0 * np.arange(9), 3.0, np.arange(8) % 2.0)
    canvas.disc(RED, 160 + 40j, 20.5, 0.3)
    canvas.ring((0, 114, 178), 160 + 40j, 30.0, 3.0, dashes=9)
    canvas.clip(100 + 140j, 180 + 180j)
    canvas.disc(RED, 100 + 140j, 30.0)
    canvas.line(RED, 90 + 190j, 190 + 150j, 5.0, 0.6)
    canvas.clip()
    canvas.text("caught after 4.2 s", (0, 0, 0), 100 + 190j, 20, 0.5)


def on_both(draw, size=(200, 200)):
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    vector = SvgCanvas(*size)
    draw(RasterCanvas(pixels))
    draw(vector)
    return pixels, vector


def seen(browser, canvas, folder):
    """The document's pixels in a page of a browser."""
    imageio = pytest.importorskip("imageio.v3")
    page = folder / "picture.html"
    style = "<style>body{margin:0;overflow:hidden}svg{display:block}</style>"
    page.write_text(
        f'<!doctype html>{style}<main id="main">{canvas.document()}</main>', "utf-8"
    )
    browser.open(page, size=(canvas.width, canvas.height))
    return imageio.imread(browser.picture(), extension=".png")[..., :3]


@pytest.mark.weekly
@NEEDS_BROWSER
def test_a_browser_shows_shapes_as_pixels_do(browser, tmp_path):
    pixels, vector = on_both(draw_shapes)
    shown = seen(browser, vector, tmp_path).astype(float)
    difference = np.abs(shown - pixels)[:178]  # below is the text
    assert difference.mean() < 0.8
    assert difference.max() < 100  # nothing is at another place
    assert abs(center_of_ink(shown[178:]) - center_of_ink(pixels[178:])) < 1.0
    assert darkness(shown[178:]).sum() == pytest.approx(darkness(pixels[178:]).sum(), rel=0.15)


def darkness(pixels):
    return 255.0 - pixels.mean(axis=-1)


def center_of_ink(pixels):
    dark = darkness(pixels)
    rows, columns = np.indices(dark.shape)
    return complex((columns * dark).sum(), (rows * dark).sum()) / dark.sum()


@pytest.mark.weekly
@NEEDS_BROWSER
@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_a_browser_shows_games_as_pixels_do(browser, tmp_path, recordings, kind):
    drawing = DrawingConfig(size=400, theme="dark", annotations="all")
    pixels, vector = on_both(lambda c: draw_game(c, recordings[kind], drawing), (400, 400))
    difference = np.abs(seen(browser, vector, tmp_path) - pixels.astype(float))
    assert difference.mean() < 2.0
    assert (difference.max(axis=-1) > 100).mean() < 0.01
