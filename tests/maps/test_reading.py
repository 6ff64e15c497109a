"""Maps from texts, PGM and PNG files and map_server's .yaml, and what they say of bad ones."""

import builtins
import re

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from imageio.v3 import imwrite

from steer_env import Map
from steer_env.errors import UsageError
from steer_env.maps import reading
from steer_env.maps.fits import fits

# ---- Texts -----------------------------------------------------------------------------------


def test_a_text_is_squares():
    office = Map.from_text(
        """
        ######
        #....#
        #.##.#
        #....#
        ######
        """,
        cell=1.5,
    )
    assert office.outline == ((-3.0, -2.25), (3.0, -2.25), (3.0, 2.25), (-3.0, 2.25))
    ((*solid,),) = office.solids
    assert set(solid) == {(-1.5, -0.75), (1.5, -0.75), (1.5, 0.75), (-1.5, 0.75)}
    assert office.middle == 1.5 * (3 + 2.5j)  # the lower left corner of the text was 0


def test_the_first_line_of_a_text_is_above():
    arrow = Map.from_text("####\n#.##\n#..#\n####")
    assert arrow.contains([-0.5 + 0.5j, 0.5 + 0.5j, 0.5 - 0.5j]).tolist() == [True, False, True]


def test_spaces_inside_are_free_and_those_at_the_ends_of_lines_are_outside():
    shape = Map.from_text("  ####  \n###  ###\n#      #\n########")
    assert shape == Map.from_text("########\n###..###\n#......#\n########")
    with_tabs = Map.from_text("\t#####\n\t#.~x#\n\t#####\n")
    assert with_tabs == Map.from_text("#####\n#...#\n#####")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "####\n#...\n####",
            "the outline of the text is open in line 2, '#...', at its character 4",
        ),
        (
            "\n\n  #.##\n  #..#\n  ####",
            "is open in line 1, '#.##', at its character 2: put '#'",
        ),
        ("#####\n#.#\n#...#\n#####", "is open in line 3, '#...#', at its character 4"),
        ("####\n#..#", "is open in line 2, '#..#', at its character 2"),
        ("#####\n#.#.#\n#####", "the 2 rooms of the text: one is around line 2, '#.#.#', char"),
        ("####\n#.##\n##.#\n####", "no way joins the 2 rooms"),  # that share a corner only
        ("###\n###", "no cell of the map is free"),
        ("", "no cell of the map is free"),
        (b"###", "text must be a string"),
    ],
)
def test_what_is_wrong_with_a_text_is_said(text, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        Map.from_text(text)


def test_the_cells_of_a_text_have_a_size():
    with pytest.raises(UsageError, match=r"cell must be finite and at least 0\.001"):
        Map.from_text("###\n#.#\n###", cell=0)


# ---- Images ----------------------------------------------------------------------------------


@pytest.fixture
def plan():
    """A room of 6 m x 4 m at 0.05 m a pixel, with a block, a speck and an unknown corner."""
    shades = np.full((80, 120), 254, np.uint8)
    shades[:2] = shades[-2:] = 0
    shades[:, :2] = shades[:, -2:] = 0
    shades[30:50, 40:60] = 0
    shades[10, 100] = 0
    shades[2:12, 2:12] = 205
    return shades


def pgm(shades, is_text=False, most=255):
    height, width = shades.shape
    header = f"P{2 if is_text else 5}\n# a comment\n{width} {height}\n{most}\n".encode()
    if is_text:
        return header + b"\n".join(b" ".join(b"%d" % one for one in row) for row in shades)
    return header + shades.astype(np.uint8 if most < 256 else ">u2").tobytes()


def test_walls_of_an_image_are_where_its_pixels_are(plan, tmp_path):
    path = tmp_path / "plan.pgm"
    path.write_bytes(pgm(plan))
    found = Map.from_image(path)
    assert found.middle == 0.05 * (60 + 40j)
    assert len(found.solids) == 1  # without the speck
    assert set(found.solids[0]) == {(-1.0, -0.5), (0.0, -0.5), (0.0, 0.5), (-1.0, 0.5)}
    assert len(found.outline) == 6  # without the unknown corner
    assert len(Map.from_image(path, unknown="free").outline) == 4
    assert Map.from_image(path, resolution=0.1).half_size == 2.0 * found.half_size
    assert len(Map.from_image(path, tolerance=0.0).solids) == 2


def test_all_forms_of_an_image_are_one_map(plan, tmp_path):
    files = {
        "text.pgm": pgm(plan, is_text=True),
        "deep.pgm": pgm(plan.astype(int) * 257, most=2**16 - 1),
        "deep_text.pgm": pgm(plan.astype(int) * 257, True, 2**16 - 1),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    colors = np.stack([plan] * 3, -1)
    opaque = np.full_like(plan, 255)
    imwrite(tmp_path / "gray.png", plan)
    imwrite(tmp_path / "deep.png", plan.astype(np.uint16) * 257)
    imwrite(tmp_path / "color.png", colors)
    imwrite(tmp_path / "alpha.png", np.dstack([colors, opaque]))
    (tmp_path / "plain.pgm").write_bytes(pgm(plan))
    maps = {Map.from_image(path) for path in tmp_path.iterdir()}
    assert len(maps) == 1


@pytest.mark.parametrize(
    "origin", ["origin: [-3.0, 1.5, 0.0]", "origin:\n  - -3.0\n  - 1.5\n  - 0.0"]
)
def test_the_yaml_of_map_server(plan, tmp_path, origin):
    (tmp_path / "plan.pgm").write_bytes(pgm(255 - plan))
    (tmp_path / "plan.yaml").write_text(
        f"image: plan.pgm  # beside it\nmode: trinary\nresolution: 0.100000\n{origin}\n"
        "negate: 1\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"
    )
    (tmp_path / "other.pgm").write_bytes(pgm(plan))
    found = Map.from_image(tmp_path / "plan.yaml")
    assert found == Map.from_image(tmp_path / "other.pgm", resolution=0.1, free=0.25)
    assert found.middle == pytest.approx(-3.0 + 1.5j + 0.1 * (60 + 40j))
    finer = Map.from_image(tmp_path / "plan.yaml", resolution=0.05)
    assert finer.half_size == pytest.approx(found.half_size / 2)


def test_a_clearance_makes_what_a_vehicle_cannot_reach_solid(plan, tmp_path):
    plan[30:34, 2:40] = 0  # two rooms, joined beside the block
    plan[40:42, 60:112] = 0  # with a gap of 0.3 m
    path = tmp_path / "plan.pgm"
    path.write_bytes(pgm(plan))
    assert not fits(Map.from_image(path), 0.3)
    room = Map.from_image(path, clearance=0.3)
    assert fits(room, 0.3)
    assert room.contains(room.polygons[0].mean()) or room.half_size < 3.0
    with pytest.raises(UsageError, match=r"no room for a disc of radius 2\.05 m"):
        Map.from_image(path, clearance=2.0)


def test_an_image_with_too_many_walls_says_which_tolerance_has_fewer(tmp_path):
    noise = np.random.RandomState(0).uniform(size=(200, 200)) < 0.02
    path = tmp_path / "noise.pgm"
    path.write_bytes(pgm(np.where(noise, 0, 255)))
    message = (
        r"have [\d,]+ segments with a tolerance of 0\.01 m, .* 512: with tolerance=(\S+) it"
    )
    with pytest.raises(UsageError, match=message) as caught:
        Map.from_image(path, tolerance=0.01)
    tolerance = float(re.search("tolerance=([0-9.]+) it", str(caught.value))[1])
    assert len(Map.from_image(path, tolerance=tolerance).segments) <= 512


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pgm", pgm(np.zeros((3, 3))), "no free pixel: .* below 0.196 .* are from 1 to 1"),
        ("a.pgm", b"P5 30 30 255 123", "is damaged: .*truncated"),
        ("a.pgm", b"P5 30 255", "is damaged"),
        ("a.pgm", b"P5 30", "damaged: it has no header"),
        ("a.pgm", b"P5 0 30 255 ", "0 x 30 pixels"),
        ("a.pgm", b"P5 99999 99999 255 ", "99,999 x 99,999 pixels, and at most 16,777,216"),
        ("a.pgm", b"P5 2 2 70000 aaaa", "is damaged: .*less than 65536"),
        ("a.pgm", b"P2 2 1 255 7 x", "is damaged: .*x"),
        ("a.jpg", b"\xff\xd8\xff", "must be a PGM image .P2 or P5., a PNG image or a .yaml"),
        (
            "a.png",
            b"\x89PNG\r\n\x1a\n" + 4 * b"\0" + b"IHDR" + 2 * b"\0\0\0\1",
            "damaged",
        ),
        ("a.png", b"\x89PNG\r\n\x1a\n" + 4 * b"\0" + b"IHDR" + b"\1" * 8, "and at most"),
        (
            "a.yaml",
            b"image: b.pgm",
            "lacks the field 'resolution'; map_server's are image, res",
        ),
        ("a.yaml", b"resolution: 0.1", "lacks the field 'image'"),
        ("a.yaml", b"image: b\nresolution: x", "resolution must be numbers, got 'x'"),
        ("a.yaml", b"image: b\nresolution: 1\norigin: [0, 0, 1.5]", "yaw, must be 0, got 1.5"),
        ("a.yaml", b"image: b\nresolution: 1\nmode: raw", "mode must be trinary or scale"),
        ("a.yaml", b"\xff\xfe", "is not the .yaml of a map"),
    ],
)
def test_what_is_wrong_with_an_image_is_said(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=f"{name}.*{message}"):
        Map.from_image(tmp_path / name)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"unknown": "sold"}, "unknown 'sold'. Did you mean 'solid'"),
        ({"resolution": 0}, "resolution must be"),
        ({"occupied": 2}, "occupied must be"),
        ({"free": 0.7}, "free must be finite and at least 0 and at most 0.65"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"clearance": "a"}, "clearance must be a number"),
    ],
)
def test_arguments_are_checked(keywords, message, tmp_path, plan):
    (tmp_path / "a.pgm").write_bytes(pgm(plan))
    with pytest.raises(UsageError, match=message):
        Map.from_image(tmp_path / "a.pgm", **keywords)


def test_missing_and_too_large_files(tmp_path, monkeypatch, plan):
    with pytest.raises(FileNotFoundError):
        Map.from_image(tmp_path / "none.pgm")
    (tmp_path / "a.pgm").write_bytes(pgm(plan))
    monkeypatch.setattr(reading, "LARGEST_IMAGE", 100)
    with pytest.raises(UsageError, match=r"a\.pgm: it has 9,6\d\d bytes, and at most 100"):
        Map.from_image(tmp_path / "a.pgm")


@pytest.mark.parametrize("name", ["a.png", "a.pgm"])
def test_images_need_imageio(name, tmp_path, plan, monkeypatch):
    imwrite(tmp_path / name, plan)
    found = builtins.__import__

    def without(name, *arguments):
        if name.startswith("imageio"):
            raise ModuleNotFoundError(name, name=name)
        return found(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        DependencyNotInstalled, match=r"imageio is not installed; run: .*render"
    ):
        Map.from_image(tmp_path / name)
