"""Plates show whole episodes: tracks, starts, ends, times, and who played."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from chases import record

from steer_env.game.roster import ROSTER
from steer_env.rendering.plate import draw_plate, plate_size
from steer_env.rendering.plate_tracks import seconds_between
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from steer_env.rendering.themes import THEMES

LIGHT = THEMES["light"]


def chases(seeds=(3,), horizon=600, **keywords):
    """One against one, as long as they last."""
    given = {"pursuers": 1, "evaders": 1, "obstacles": 0, "horizon": horizon}
    sides = {"pursuer": ROSTER["pursuit"], "evader": ROSTER["evade"]}
    return record(seeds, ("pursuit", "evade"), **sides, **{**given, **keywords})


def on_pixels(recordings, columns=None, side=300, theme="light"):
    width, height = plate_size(recordings, columns, side)
    pixels = np.zeros((height, width, 3), np.uint8)
    draw_plate(RasterCanvas(pixels), recordings, columns, theme)
    return pixels


def as_vector(recordings, columns=None, side=300, theme="light"):
    canvas = SvgCanvas(*plate_size(recordings, columns, side))
    draw_plate(canvas, recordings, columns, theme)
    return canvas.document()


def texts(document):
    return [element.text for element in ElementTree.fromstring(document).iter() if element.text]


def is_near(pixels, color):
    return np.abs(pixels.astype(int) - color).max(axis=-1) < 40


@pytest.fixture(scope="module")
def caught():
    (recording,) = chases()
    assert recording.captured
    return recording


def test_sizes_follow_from_panels_rows_and_titles(caught):
    width, height = plate_size([caught] * 6, 3, 300)
    assert width == 900
    assert 600 < height < 720
    assert plate_size([caught] * 6, None, 300)[0] == 1800
    assert plate_size([caught] * 5, 3, 300) == (width, height)
    assert plate_size([caught], 1, 1200)[0] == 1200


@pytest.mark.parametrize("side", [120, 300, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pixels_and_vectors_show_the_same_marks(caught, side, theme):
    pixels = on_pixels([caught], side=side, theme=theme)
    colors = THEMES[theme]
    assert tuple(pixels[0, 0]) == colors.background
    for color in (colors.pursuer, colors.evader):
        assert is_near(pixels, color).sum() > 40
        assert "#{:02x}{:02x}{:02x}".format(*color) in as_vector(
            [caught], side=side, theme=theme
        )


def test_tracks_lie_where_the_players_went(caught):
    side = 600
    pixels = on_pixels([caught], side=side)
    top = pixels.shape[0] - plate_size([caught], 1, side)[1]
    assert top == 0
    rows, columns = np.nonzero(np.abs(pixels.astype(int) - LIGHT.wall).max(axis=-1) < 10)
    inside = (rows > 40) & (rows < 45 + side)
    low = complex(columns[inside].min(), rows[inside].min())
    high = complex(columns[inside].max(), rows[inside].max())
    scale = (high - low).real / caught.config.arena.size
    middle = (low + high) / 2
    for player, color in ((0, LIGHT.pursuer), (1, LIGHT.evader)):
        for position in caught.positions[20:-20:10, player]:
            place = middle + complex(position).conjugate() * scale
            around = pixels[
                round(place.imag) - 3 : round(place.imag) + 4,
                round(place.real) - 3 : round(place.real) + 4,
            ].astype(int)
            toward = np.array(color) - np.array(LIGHT.ground)
            share = ((around - LIGHT.ground) @ toward) / (toward @ toward)
            assert share.max() > 0.3


def test_titles_say_who_played_and_how_it_ended(caught):
    found = texts(as_vector([caught]))
    assert {"pursuit", "v", "evade", caught.result} <= set(found)
    assert not any(text.startswith("seed") for text in found)
    others = chases(seeds=(3, 5))
    assert {"seed 3", "seed 5"} <= set(texts(as_vector(others, 1)))


def test_long_names_are_shortened_at_their_beginning_and_fit():
    name = "pretrained/pursuit/a_policy_of_a_very_long_name"
    sides = {"pursuer": ROSTER["pursuit"], "evader": ROSTER["evade"]}
    recordings = record((3,), (name, "evade"), pursuers=1, evaders=1, **sides)
    found = texts(as_vector(recordings, side=200))
    (shortened,) = [text for text in found if text.startswith("…")]
    assert name.endswith(shortened[1:])
    assert "evade" in found
    whole = texts(as_vector(recordings, side=1200))
    assert name in whole


def test_the_key_explains_only_what_is_there(caught):
    (free,) = chases(horizon=30)
    assert not free.captured
    assert {"start", "end", "every second", "capture radius", "caught"} <= set(
        texts(as_vector([caught]))
    )
    assert "caught" not in texts(as_vector([free]))
    assert any(re.fullmatch(r"[\d.]+ m", text) for text in texts(as_vector([free])))


def test_times_stand_beside_tracks_and_never_on_each_other(caught):
    root = ElementTree.fromstring(as_vector([caught], side=400))
    labels = [element for element in root.iter() if re.fullmatch(r"\d+ s", element.text or "")]
    assert len(labels) >= 6
    corners = np.array([complex(float(e.get("x")), float(e.get("y"))) for e in labels])
    for number, corner in enumerate(corners):
        gaps = corners[:number] - corner
        wide = float(labels[number].get("textLength"))
        assert ((np.abs(gaps.real) >= 0.8 * wide) | (np.abs(gaps.imag) >= 7)).all()


@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
@pytest.mark.parametrize("teams", [(1, 1), (3, 2)])
def test_every_arena_and_any_team_can_be_drawn(kind, teams):
    pursuers, evaders = teams
    recordings = record((1, 2), arena=kind, pursuers=pursuers, evaders=evaders, horizon=90)
    assert is_near(on_pixels(recordings), LIGHT.pursuer).sum() > 100
    ElementTree.fromstring(as_vector(recordings, 1, theme="dark"))


def test_who_never_moves_and_an_episode_of_one_step_can_be_drawn():
    sides = {"pursuer": ROSTER["rest"], "evader": ROSTER["rest"]}
    recordings = record((0,), ("rest", "rest"), pursuers=1, evaders=1, horizon=90, **sides)
    assert is_near(on_pixels(recordings), LIGHT.evader).any()
    assert is_near(on_pixels(chases(horizon=1)), LIGHT.evader).any()


def test_panels_share_one_scale_in_the_open():
    near = chases(horizon=30, arena="open")
    far = chases(horizon=300, arena="open")
    scales = {
        texts(as_vector([*near, *far], side=300))[-1],
        texts(as_vector(far, side=300))[-1],
    }
    assert len(scales) == 1
    assert scales != {texts(as_vector(near, side=300))[-1]}


def test_the_same_episodes_are_the_same_picture(caught):
    assert as_vector([caught]) == as_vector([caught])
    assert np.array_equal(on_pixels([caught]), on_pixels([caught]))


def test_a_canvas_of_another_size_is_filled_without_an_error(caught):
    pixels = np.zeros((50, 90, 3), np.uint8)
    draw_plate(RasterCanvas(pixels), [caught] * 2)
    assert tuple(pixels[0, 0]) == LIGHT.background


@pytest.mark.parametrize(
    ("longest", "most", "expected"), [(4.0, 5, 1), (20.0, 30, 1), (20.0, 5, 5), (1e6, 5, 7200)]
)
def test_intervals_are_round_seconds(longest, most, expected):
    assert seconds_between(longest, most) == expected


@pytest.mark.parametrize(
    ("recordings", "columns", "theme", "message"),
    [(0, None, "light", "at least one"), (1, 0, "light", "columns"), (1, 1, "drak", "dark")],
)
def test_wrong_arguments_are_named(caught, recordings, columns, theme, message):
    canvas = SvgCanvas(100, 100)
    with pytest.raises(ValueError, match=message):
        draw_plate(canvas, [caught] * recordings, columns, theme)
