"""The picture of a game shows the contents of the record at the right places."""

import numpy as np
import pytest

from steer_env.drawing import ANNOTATIONS, THEMES, DrawingConfig
from steer_env.game.config import ArenaConfig, GameConfig
from steer_env.game.state import make_records
from steer_env.rendering.camera import view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.scene import Moment, draw_scene

pytest.importorskip("pygame")

LIGHT = THEMES["light"]
KINDS = ("walls", "torus", "open")
PLACES = np.array([-4 - 5j, 6 + 3j, 2 - 6j])
HEADINGS = np.array([1j, -1 + 0j, np.exp(0.5j)])
SIDES = (LIGHT.pursuer, LIGHT.evader, LIGHT.evader)


def make_config(kind="walls", **fields):
    return GameConfig(pursuers=1, evaders=2, arena=ArenaConfig(kind=kind), **fields)


def make_record(places=PLACES, obstacles=0):
    """One pursuer and two evaders at rest, of a radius that is easy to see."""
    record = make_records(1, 3, obstacles)[0]
    record["players"]["active"] = True
    body = record["players"]["body"]
    body["position"], body["heading"] = places, HEADINGS
    body["max_speed"], body["max_force"], body["radius"] = 4.0, 12.0, 0.5
    return record


def draw(
    record, config, size=(600, 600), annotations=("capture", "score"), theme="light", **told
):
    """The picture, (height, width, 3), as integers."""
    drawing = DrawingConfig(size, theme, annotations)
    view = view_of(config, record["players"]["body"]["position"], size)
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    draw_scene(RasterCanvas(pixels), view, config, drawing, Moment(record, **told))
    return pixels.astype(int)


def view_in(frame, record, config):
    return view_of(config, record["players"]["body"]["position"], frame.shape[1::-1])


def color_at(frame, record, config, position):
    pixel = view_in(frame, record, config).to_pixel(position)
    return frame[int(pixel.imag), int(pixel.real)]


def is_color(pixels, color, tolerance=12):
    return np.abs(pixels - np.array(color)).max(axis=-1) <= tolerance


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", [(600, 600), (300, 300), (500, 260), (240, 900)])
@pytest.mark.parametrize("kind", KINDS)
def test_players_stand_where_their_positions_say(kind, size, theme):
    record, config = make_record(), make_config(kind)
    frame = draw(record, config, size, annotations="none", theme=theme)
    view, colors = view_in(frame, record, config), THEMES[theme]
    for places, color in ((PLACES[:1], colors.pursuer), (PLACES[1:], colors.evader)):
        for place in places:
            assert is_color(color_at(frame, record, config, place), color)
        seen = np.argwhere(is_color(frame, color))
        centers = view.to_pixels(places)
        gaps = np.abs((seen[:, 1] + 1j * seen[:, 0])[:, None] - centers).min(axis=1)
        assert len(seen) > 10
        assert gaps.max() <= max(0.5 * view.scale, 0.019 * view.side) * 1.1 + 1.0


def test_vehicles_move_with_the_subpixel():
    """A quarter of a pixel's motion shows, and by as much: nothing trembles."""
    record, config = make_record(), make_config()
    heights = []
    for quarter in range(5):
        record["players"]["body"]["position"][1] = 6 + (3 + quarter / 4 / 25.8) * 1j
        frame = draw(record, config, annotations="none")
        ink = np.abs(frame - LIGHT.ground).sum(axis=-1)[60:300, 350:540]
        ink = np.maximum(ink - 60, 0)  # without the grid
        heights.append((ink.sum(axis=1) * np.arange(len(ink))).sum() / ink.sum())
    assert np.diff(heights) == pytest.approx(-0.25, abs=0.08)


def test_vehicles_point_along_their_headings():
    record, config = make_record(), make_config()
    frame = draw(record, config)
    for place, heading, color in zip(PLACES, HEADINGS, SIDES):
        ahead, behind = place + 0.4 * heading, place - 0.47 * heading
        assert is_color(color_at(frame, record, config, ahead), color)
        assert not is_color(color_at(frame, record, config, behind), color)


def test_sides_differ_in_form():
    record, config = make_record(), make_config()
    record["players"]["body"]["heading"] = 1.0
    frame = draw(record, config, annotations="none")
    notch = -0.2  # behind the middle a dart is cut in, and a drop is not
    for place, is_filled in zip(PLACES, (False, True, True)):
        color = color_at(frame, record, config, place + notch)
        assert is_color(color, LIGHT.evader) == is_filled


def test_small_bodies_are_still_seen():
    record, config = make_record(), make_config()
    record["players"]["body"]["radius"] = 0.0
    frame = draw(record, config, (300, 300))
    for place, color in zip(PLACES, SIDES):
        assert is_color(color_at(frame, record, config, place), color)


def test_capture_radius_surrounds_pursuers_only():
    record = make_record()
    small, large = make_config(capture_radius=0.6), make_config(capture_radius=3.0)
    without, frame = draw(record, small), draw(record, large)
    inside = PLACES[0] + 2.3 - 0.5j
    assert is_color(color_at(without, record, small, inside), LIGHT.ground)
    assert not is_color(color_at(frame, record, large, inside), LIGHT.ground, 6)
    outside = PLACES[1] - 2.3 - 0.5j
    assert is_color(color_at(frame, record, large, outside), LIGHT.ground)


def test_velocity_is_an_arrow_ahead_of_the_vehicle_as_long_as_it_is_fast():
    record, config = make_record(), make_config()
    lengths = []
    for share in (0.0, 0.5, 1.0):
        record["players"]["body"]["velocity"] = 4.0 * share * HEADINGS
        frame = draw(record, config, annotations=("velocity",))
        row = frame[int(view_in(frame, record, config).to_pixel(6 + 3j).imag)]
        lengths.append((np.abs(row[:-80] - LIGHT.ground).sum(axis=-1) > 60).sum())
    still, half, full = lengths
    assert half - still == pytest.approx(0.0375 * 600, abs=2.5)
    assert full - half == pytest.approx(0.0375 * 600, abs=2.5)


def test_forces_are_arrows_of_their_own_color_and_no_longer_than_the_largest():
    record, config = make_record(), make_config()
    counts = []
    for force in (0.0, 6.0, 12.0, 500.0, np.nan):
        forces = np.array([0, force, np.nan], complex)
        frame = draw(record, config, annotations=("force",), forces=forces)
        counts.append(int(is_color(frame, LIGHT.force).sum()))
    none, half, full, more, unknown = counts
    assert none == unknown == 0
    assert 0 < half < full == more
    ahead = color_at(draw(record, config, annotations=("force",), forces=np.array([0, 12, 0j])),
                     record, config, PLACES[1] + 1.5)  # fmt: skip
    assert is_color(ahead, LIGHT.force, 40)


def test_short_arrows_are_not_all_head():
    record, config = make_record(), make_config()

    def height(force):
        """How far a force's arrow to the right reaches up and down, in pixels."""
        forces = np.array([0, force, 0], complex)
        frame = draw(record, config, annotations=("force",), forces=forces)
        rows, _ = np.nonzero(np.abs(frame - LIGHT.force).sum(axis=-1) < 70)
        return np.ptp(rows) + 1

    assert height(1.2) <= 7 < height(6.0) == height(12.0)


def test_caught_evaders_are_hollow_and_crossed_out():
    record, config = make_record(), make_config()
    free = draw(record, config)
    record["players"]["active"][2] = False
    caught = draw(record, config)
    between_the_arms = PLACES[2] + 0.3
    assert is_color(color_at(free, record, config, between_the_arms), LIGHT.evader)
    assert is_color(color_at(caught, record, config, between_the_arms), LIGHT.ground)
    assert is_color(color_at(caught, record, config, PLACES[2]), LIGHT.evader)  # the cross
    assert is_color(color_at(caught, record, config, PLACES[1]), LIGHT.evader)


def test_obstacles_are_discs_unless_they_found_no_room():
    record, config = make_record(obstacles=2), make_config()
    record["obstacles"]["center"] = [-5 + 5j, 5 + 8j]
    record["obstacles"]["radius"] = [1.5, 0.0]
    frame = draw(record, config)
    for inside in (-5 + 5j, -5 + 6.4j, -6.4 + 5j):
        assert is_color(color_at(frame, record, config, inside), LIGHT.obstacle)
    for outside in (-5 + 6.7j, 5.1 + 8.1j):
        assert not is_color(color_at(frame, record, config, outside), LIGHT.obstacle)


def test_trails_fade_into_the_past():
    record, config = make_record(), make_config()
    past = np.array([[-4 - 5j, x + 3j, 2 - 6j] for x in np.linspace(-6.0, 6.0, 40)])
    frame = draw(record, config, annotations=("trail",), trail=past)
    view = view_in(frame, record, config)
    columns = [int(view.to_pixel(x + 3j).real) for x in (-3.3, 0.7, 4.7)]
    row = int(view.to_pixel(3j).imag)
    # Darkest within two pixels of the line, which the rounding of the row cannot miss.
    old, middle, new = (frame[row - 2 : row + 3, c].sum(axis=-1).min() for c in columns)
    assert new < middle - 50 < old - 100
    plain = draw(record, config, annotations=("trail",))
    assert np.array_equal(draw(record, config, annotations=("trail",), trail=past[:1]), plain)
    assert np.array_equal(draw(record, config, annotations="none", trail=past), plain)


def test_torus_shows_what_lies_across_an_edge_on_both_sides():
    record, config = make_record([-4 - 5j, 9.9 + 3j, 2 - 6j]), make_config("torus")
    frame = draw(record, config)
    for place in (9.8 + 3j, -9.85 + 3.1j):  # the middle, and the round back
        assert is_color(color_at(frame, record, config, place), LIGHT.evader)
    beyond = color_at(frame, record, config, 10.3 + 3.1j)
    assert is_color(beyond, LIGHT.background)


def test_trail_across_an_edge_of_the_torus_does_not_cross_the_arena():
    record, config = make_record([-4 - 5j, -9 + 3j, 2 - 6j]), make_config("torus")
    past = np.array([[-4 - 5j, x + 3j, 2 - 6j] for x in (9.0, 9.5, -10.0, -9.5, -9.0)])
    plain = draw(record, config, annotations=("trail",))
    frame = draw(record, config, annotations=("trail",), trail=past)
    _, columns = np.nonzero((plain != frame).any(axis=-1))
    view = view_in(frame, record, config)
    left, right = (view.to_pixel(complex(x)).real for x in (-8.9, 8.9))
    assert (columns < left).any()
    assert (columns > right).any()
    assert not ((columns > left) & (columns < right)).any()


def test_arenas_look_different():
    record = make_record()
    walls, torus, plane = (draw(record, make_config(kind)) for kind in KINDS)
    border = slice(30, 45), slice(60, 540)

    def share_of_ink(frame):
        return (frame[border].sum(axis=-1) < 400).any(axis=0).mean()

    assert share_of_ink(walls) == 1.0
    assert 0.3 < share_of_ink(torus) < 0.7
    assert share_of_ink(plane) < 0.2  # the score


@pytest.mark.parametrize(
    ("field", "value"), [("steps", 300), ("captured", 1), ("captured", 2), ("distance", 3.2)]
)
def test_score_is_written_above(field, value):
    record, config = make_record(), make_config()
    before = draw(record, config)
    record["game"][field] = value
    rows, _ = np.nonzero((draw(record, config) != before).any(axis=-1))
    assert len(rows) > 10
    assert rows.max() < 40


def name_pixels(places, names=("seek", "evade"), size=(600, 600)):
    """Where names change the picture much, so without their rims: (height, width)."""
    record, config = make_record(places), make_config()
    plain = draw(record, config, size, annotations="none")
    frame = draw(record, config, size, annotations=("names",), names=names)
    return np.abs(frame - plain).sum(axis=-1) > 150


def test_names_stand_below_their_vehicles():
    changed = name_pixels(PLACES)
    view = view_in(np.zeros((600, 600, 3)), make_record(), make_config())
    for place in PLACES:
        pixel = view.to_pixel(place)
        column, row = int(pixel.real), int(pixel.imag)
        assert changed[row + 12 : row + 45, column - 40 : column + 40].sum() > 80
        assert not changed[row - 40 : row - 12, column - 40 : column + 40].any()


def test_names_at_the_edge_are_moved_into_the_picture_and_not_cut():
    middle = name_pixels([-5, 5, 5j])
    for places in ([-10, 10, 9.9j], [-9.9j, 10 - 9.9j, -10 + 9.9j]):
        edge = name_pixels(places)
        assert edge.sum() == pytest.approx(middle.sum(), rel=0.12)


def test_members_of_a_team_have_numbers_from_one():
    twins = name_pixels([-4 - 5j, 6 + 3j, 6 + 3j])
    apart = name_pixels([-4 - 5j, 6 + 3j, 6 + 3j], names=("seek", "evade 1"))
    assert not np.array_equal(twins, apart)  # "evade 1" over "evade 2", not over "evade 1 2"
    record, config = make_record(), GameConfig(pursuers=2, evaders=1)
    teams = draw(record, config, annotations=("names",), names=("x", "y"))
    single = draw(record, make_config(), annotations=("names",), names=("y", "x"))
    assert (teams != single).any()


def test_texts_that_have_no_room_are_left_out():
    record, config = make_record(), make_config()
    for size in (100, 160, 200):
        small = draw(record, config, (size, size), annotations=("score",))
        record["game"]["distance"] = 123456.7
        large = draw(record, config, (size, size), annotations=("score",))
        assert np.array_equal(small, large)  # the distance is not there
        record["game"]["distance"] = 0.0
    record["game"]["captured"] = 2
    record["game"]["distance"] = 5.0
    caught = draw(record, config, annotations=("score",))
    record["game"]["distance"] = 9.0
    assert np.array_equal(draw(record, config, annotations=("score",)), caught)


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_every_annotation_is_described(annotation):
    assert 10 < len(ANNOTATIONS[annotation]) < 80


@pytest.mark.parametrize("size", [(1, 1), (40, 25), (200, 120), (90, 90)])
def test_any_size_can_be_drawn(size):
    record = make_record()
    for kind in KINDS:
        frame = draw(record, make_config(kind), size, annotations="all")
        drawn = frame.reshape(-1, 3).any(axis=1)  # it began black
        assert drawn.all()
