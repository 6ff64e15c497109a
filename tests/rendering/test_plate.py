"""Plates show whole episodes: tracks, starts, ends, times and names."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from chases import record

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.rendering.camera import view_of
from steer_env.rendering.pen import Pen
from steer_env.rendering.plate import Plate
from steer_env.rendering.plate_tracks import draw_tracks, seconds_between
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.svg import SvgCanvas
from steer_env.scripts.roster import ROSTER

LIGHT = THEMES["light"]


def chases(seeds=(3,), horizon=600, **keywords):
    """One against one, as long as they last."""
    given = {"pursuers": 1, "evaders": 1, "obstacles": 0, "horizon": horizon}
    sides = {"pursuer": ROSTER["pursuit"], "evader": ROSTER["evade"]}
    return record(seeds, ("pursuit", "evade"), **{**given, **sides, **keywords})


def on_pixels(recordings, columns=None, side=300, theme="light"):
    plate = Plate(recordings, columns or len(recordings), side, theme)
    pixels = np.zeros((plate.height, plate.width, 3), np.uint8)
    plate.draw(RasterCanvas(pixels))
    return pixels


def as_vector(recordings, columns=None, side=300, theme="light"):
    plate = Plate(recordings, columns or len(recordings), side, theme)
    canvas = SvgCanvas(plate.width, plate.height)
    plate.draw(canvas)
    return canvas.document()


def texts(document):
    return [element.text for element in ElementTree.fromstring(document).iter() if element.text]


def is_near(pixels, color):
    return np.abs(pixels.astype(int) - color).max(axis=-1) < 40


@pytest.fixture(scope="module")
def caught():
    (recording,) = chases()
    assert recording.status.is_captured
    return recording


def test_sizes_follow_from_panels_rows_and_titles(caught):
    plate = Plate([caught] * 6, 3, 300)
    assert plate.width == 900
    assert 600 < plate.height < 720
    assert Plate([caught] * 6, 6, 300).width == 1800
    assert Plate([caught] * 5, 3, 300).height == plate.height
    assert Plate([caught], 1, 1200).width == 1200


@pytest.mark.parametrize("side", [120, 300, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pixels_and_vectors_show_the_same(caught, side, theme):
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
    rows, columns = np.nonzero(np.abs(pixels.astype(int) - LIGHT.wall).max(axis=-1) < 10)
    inside = (rows > 52) & (rows < 57 + side)
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


def test_tracks_grow_stronger_and_end_where_the_players_did(caught, drawn):
    canvas, view = drawn
    for player, color in ((0, LIGHT.pursuer), (1, LIGHT.evader)):
        points, _, opacities = canvas.of("path", color)[0]
        assert np.allclose(points, view.to_pixels(caught.positions[:, player]))
        moving = opacities[opacities > 0]
        assert (np.diff(moving) > 0).all()
        assert 0.3 <= moving[0] < 0.35
        assert moving[-1] == 1.0


def test_the_track_of_a_caught_player_ends_there():
    recording = next(
        found
        for found in record(range(20), pursuers=3, evaders=2, horizon=600)
        if found.states[-1]["game"]["captured"] == 1
    )
    canvas, view = Log(600), view_of(recording.config, np.zeros(0), (600, 600))
    draw_tracks(Pen(canvas, view, recording.config, DrawingConfig()), recording, 1, 20.0)
    active = recording.states["players"]["active"]
    lengths = [len(points) for points, *_ in canvas.of("path", LIGHT.evader)[:2]]
    assert lengths == [min(int(active[:, 3 + e].sum()) + 1, len(active)) for e in range(2)]
    assert min(lengths) < max(lengths) == len(active)


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


def test_large_teams_have_neither_labels_nor_their_dots():
    (recording,) = record((0,), pursuers=3, evaders=2, horizon=120)
    canvas, view = Log(600), view_of(recording.config, np.zeros(0), (600, 600))
    draw_tracks(Pen(canvas, view, recording.config, DrawingConfig()), recording, 1, 20.0)
    assert not [call for call in canvas.calls if call[0] == "text"]
    assert not canvas.of("disc", LIGHT.evader)
    assert len(canvas.of("line", LIGHT.evader)) >= 4


def test_starts_are_hollow_and_ends_are_filled_crossed_out_or_ringed(caught, drawn):
    canvas, view = drawn
    starts = [corners.mean() for corners, *_ in canvas.of("polygon", LIGHT.ground)]
    assert np.abs(np.array(starts) - view.to_pixels(caught.positions[0])).max() < 6
    (pursuer,) = canvas.of("polygon", LIGHT.pursuer)
    end = view.to_pixels(caught.positions[-1])
    assert abs(pursuer[0].mean() - end[0]) < 6
    assert not canvas.of("polygon", LIGHT.evader)
    (cross,) = canvas.of("ring", LIGHT.evader)
    assert abs(cross[0] - end[1]) < 1e-6
    (reach,) = canvas.of("ring", LIGHT.pursuer)
    assert abs(reach[0] - end[0]) < 1e-6
    assert reach[1] == pytest.approx(caught.config.capture_radius * view.scale)


def test_labels_stand_nearest_to_where_the_player_was_at_their_time(caught):
    found = 0
    for recording in [caught, *chases(seeds=range(5), pursuer=ROSTER["seek"])]:
        canvas, view = Log(300), view_of(recording.config, np.zeros(0), (300, 300))
        draw_tracks(Pen(canvas, view, recording.config, DrawingConfig()), recording, 1, 15.0)
        seconds = view.to_pixels(recording.positions[30::30])
        for label, color, middle, size, _ in [c[1:] for c in canvas.calls if c[0] == "text"]:
            offsets = seconds - middle
            half = canvas.text_width(label, size) / 2
            across = np.maximum(np.abs(offsets.real) - half, 0)
            gaps = np.hypot(across, np.maximum(np.abs(offsets.imag) - 0.31 * size, 0))
            moment, player = np.unravel_index(gaps.argmin(), gaps.shape)
            assert player == (LIGHT.pursuer, LIGHT.evader).index(color)
            assert moment + 1 == int(label.removesuffix(" s"))
            found += 1
    assert found > 30


@pytest.mark.parametrize("arena_size", [3.0, 7.0, 20.0, 33.0, 90.0, 400.0])
def test_the_scale_bar_is_a_round_length_of_the_right_size(arena_size):
    recordings = chases(horizon=2, arena_size=arena_size, capture_radius=0.1)
    root = ElementTree.fromstring(as_vector(recordings, side=400))
    (label,) = [e.text for e in root.iter() if re.fullmatch(r"[\d.]+ m", e.text or "")]
    meters = float(label.removesuffix(" m"))
    assert f"{meters:e}"[0] in "125"
    lines = [e.get("d") for e in root.iter() if e.get("d", "").startswith("M")]
    expected = meters / arena_size * 400 * 0.93
    lengths = [
        float(d.split("l")[1].split()[0]) for d in lines if d.endswith(" 0") and "l" in d
    ]
    assert any(length == pytest.approx(expected, abs=0.02) for length in lengths)


def test_titles_have_the_names_and_the_result(caught):
    found = texts(as_vector([caught]))
    assert {"pursuit", "v", "evade", caught.status.result} <= set(found)
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
    assert not free.status.is_captured
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


def test_resting_players_and_an_episode_of_one_step_can_be_drawn():
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


@pytest.mark.parametrize(
    ("longest", "most", "expected"), [(4.0, 5, 1), (20.0, 30, 1), (20.0, 5, 5), (1e6, 5, 7200)]
)
def test_intervals_are_round_seconds(longest, most, expected):
    assert seconds_between(longest, most) == expected


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


@pytest.mark.parametrize("side", [1, 7])
def test_tiny_plates_can_be_drawn(caught, side):
    assert tuple(on_pixels([caught] * 2, side=side)[0, 0]) == LIGHT.background
