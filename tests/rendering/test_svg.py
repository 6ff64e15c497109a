"""Vector graphics are valid, small, and look like the pixels."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from browser import NAMES, Browser, find_browser
from chases import record

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


def on_both(draw, size=(200, 200)):
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    vector = SvgCanvas(*size)
    draw(RasterCanvas(pixels))
    draw(vector)
    return pixels, vector


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


def test_numbers_have_at_most_two_decimals(recordings):
    canvas = SvgCanvas(300, 300)
    draw_game(canvas, recordings["torus"], DrawingConfig(size=300, annotations="all"))
    assert not re.findall(r"\d\.\d{3}|e-\d|nan|inf", canvas.document())


def test_the_same_drawing_is_the_same_document():
    first, second = SvgCanvas(200, 200), SvgCanvas(200, 200)
    draw_shapes(first)
    draw_shapes(second)
    assert first.document() == second.document() == first.document()


def test_texts_are_texts_and_never_markup():
    canvas = SvgCanvas(100, 40, "<title> & more")
    canvas.text('<b>a & b</b> "\x00\ud800', RED, 10 + 20j, 20)
    canvas.text("", RED, 10 + 20j, 20)
    (text,) = elements(canvas, "text")
    assert text.text == '<b>a & b</b> "\ufffd\ufffd'
    assert parse(canvas).find(f"{NAMESPACE}title").text == "<title> & more"


def test_texts_begin_left_of_their_place_and_have_their_width():
    canvas = SvgCanvas(300, 40)
    for along in (0.0, 0.5, 1.0):
        canvas.text("evade", RED, 150 + 20j, 20, along)
    starts = [float(text.get("x")) for text in elements(canvas, "text")]
    width = canvas.text_width("evade", 20)
    assert starts == pytest.approx([150, 150 - width / 2, 150 - width], abs=0.01)
    assert float(elements(canvas, "text")[0].get("textLength")) == pytest.approx(
        width, abs=0.01
    )


def test_filling_forgets_what_it_hides():
    canvas = SvgCanvas(100, 100)
    for number in range(50):
        canvas.disc(RED, 50 + 50j, number)
    canvas.fill(WHITE)
    assert not elements(canvas, "circle")
    assert elements(canvas, "rect")[0].get("fill") == "#fdfdfb"


def test_clips_hold_what_is_drawn_until_they_are_lifted():
    canvas = SvgCanvas(100, 100)
    canvas.disc(RED, 10 + 10j, 1)
    for _ in range(2):
        canvas.clip(-5 + 20.4j, 300 + 60j)
        canvas.disc(RED, 10 + 10j, 2)
    canvas.clip()
    canvas.clip(1 + 1j, 2 + 2j)  # in which nothing is drawn
    canvas.clip()
    canvas.disc(RED, 10 + 10j, 3)
    root = parse(canvas)
    assert [circle.get("r") for circle in root.findall(f"{NAMESPACE}circle")] == ["1", "3"]
    (group,) = root.findall(f"{NAMESPACE}g")
    assert [circle.get("r") for circle in group] == ["2", "2"]
    name = group.get("clip-path").removeprefix("url(#").removesuffix(")")
    (clip,) = [e for e in elements(canvas, "clipPath") if e.get("id") == name]
    assert [clip[0].get(key) for key in ("x", "y", "width", "height")] == [
        "0",
        "20",
        "100",
        "40",
    ]


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


def test_steps_of_a_path_do_not_add_up_their_roundings():
    canvas = SvgCanvas(100, 100)
    points = np.arange(301) * (0.3333 - 0.1666j) + 60j
    canvas.path(RED, points, 2.0, np.ones(300))
    numbers = re.findall(r"-?\d*\.?\d+", elements(canvas, "path")[0].get("d"))
    steps = np.array(numbers, float).reshape(-1, 2)
    assert steps.sum(axis=0) == pytest.approx([points[-1].real, points[-1].imag], abs=0.006)


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


def test_saved_files_hold_the_document(tmp_path):
    canvas = SvgCanvas(200, 200)
    draw_shapes(canvas)
    canvas.text("é·…", RED, 10 + 20j, 20)
    path = tmp_path / "shapes.svg"
    path.write_text("old")
    canvas.save(path)
    assert path.read_text("utf-8") == canvas.document()
    assert len(canvas.document()) < 4000


@pytest.mark.parametrize(("size", "error"), [((0, 5), ValueError), ((5.5, 5), TypeError)])
def test_wrong_sizes_are_errors(size, error):
    with pytest.raises(error, match="width"):
        SvgCanvas(*size)


@pytest.fixture(scope="module")
def browser():
    if find_browser() is None:
        pytest.skip(f"there is no browser: {', '.join(NAMES)}")
    browser = Browser()
    yield browser
    browser.close()


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


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
def test_a_browser_shows_games_as_pixels_do(browser, tmp_path, recordings, kind, theme):
    drawing = DrawingConfig(size=400, theme=theme, annotations="all")
    pixels, vector = on_both(lambda c: draw_game(c, recordings[kind], drawing), (400, 400))
    difference = np.abs(seen(browser, vector, tmp_path) - pixels.astype(float))
    assert difference.mean() < 2.0
    assert (difference.max(axis=-1) > 100).mean() < 0.01
