"""The picture of a game shows the contents of the record at the right places."""

import math

import numpy as np
import pytest
from chases import is_color
from scenarios.own_games import SafeZone

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.game.config import Game, make_game
from steer_env.game.state import make_records
from steer_env.rendering.picture import view_of
from steer_env.rendering.renderer import Renderer
from steer_env.rendering.scene import Moment, picture_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.steering import Vehicle, prediction, pursuit_aim

pytest.importorskip("pygame")

LIGHT = THEMES["light"]
KINDS = ("walls", "torus", "open")
PLACES = np.array([-4 - 5j, 6 + 3j, 2 - 6j])
HEADINGS = np.array([1j, -1 + 0j, np.exp(0.5j)])


def make_config(kind="walls", **fields):
    return Game(pursuers=1, evaders=2, arena=kind, **fields)


def make_record(places=PLACES, obstacles=0):
    """One pursuer and two evaders at rest, of a radius that is easy to see."""
    record = make_records(1, 3, obstacles)[0]
    record["players"]["active"] = True
    body = record["players"]["body"]
    body["position"], body["heading"] = places, HEADINGS
    body["max_speed"], body["max_force"], body["radius"] = 4.0, 12.0, 0.5
    return record


def draw(
    record,
    config,
    size=(600, 600),
    annotations=("capture", "score"),
    theme="light",
    thoughts=(),
    forces=None,
):
    """The picture, (height, width, 3), as integers."""
    view = view_of(config, record["players"]["body"]["position"], DrawingConfig(size))
    moment = Moment(config, record, thoughts, forces)
    picture = picture_of(view, DrawingConfig(size, theme, annotations), moment)
    return picture.pixels().astype(int)


def view_in(frame, record, config):
    drawing = DrawingConfig(frame.shape[1::-1])
    return view_of(config, record["players"]["body"]["position"], drawing)


def color_at(frame, record, config, position):
    pixel = view_in(frame, record, config).to_pixel(position)
    return frame[int(pixel.imag), int(pixel.real)]


@pytest.mark.parametrize(
    ("size", "theme"), [((600, 600), "light"), ((500, 260), "dark"), ((240, 900), "light")]
)
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
    frame = draw(record, config, annotations=("force",), forces=np.array([0, 12, 0j]))
    ahead = color_at(frame, record, config, PLACES[1] + 1.5)
    assert is_color(ahead, LIGHT.force, 40)


@pytest.mark.parametrize(
    ("game", "is_drawn"),
    [
        ({}, True),
        ({"game": "perimeter_defense"}, False),
        ({"game": SafeZone(radius=1.0)}, False),
    ],
)
def test_a_capture_radius_is_drawn_where_it_decides_captures(game, is_drawn):
    configs = [make_game(**game, capture_radius=radius) for radius in (0.2, 1.0)]
    assert [config.capture_circle for config in configs] == [0.2 * is_drawn, 1.0 * is_drawn]
    record = make_records(1, 2, 0)[0]
    record["players"]["active"] = True
    record["players"]["body"]["heading"] = 1.0
    small, large = (draw(record, config, annotations=("capture",)) for config in configs)
    assert np.any(small != large) == is_drawn


PURSUER = Vehicle(position=-5 - 4j, velocity=1 + 1j)
EVADER = Vehicle(position=4 + 3j, velocity=-1.5 + 2j, heading=-0.6 + 0.8j)


def duel():
    record = make_records(1, 2, 0)[0]
    record["players"]["active"] = True
    body = record["players"]["body"]
    for index, vehicle in enumerate((PURSUER, EVADER)):
        for field in Vehicle._fields:
            body[field][index] = getattr(vehicle, field)
    body["max_speed"], body["max_force"], body["radius"] = 4.0, 12.0, 0.3
    return record


def crosshair_in(frame, color):
    """The middle of a crosshair: the row and the column with most of its color."""
    share = np.clip(1.0 - np.abs(frame - np.array(color)).sum(axis=-1) / 200.0, 0.0, 1.0)
    place = []
    for sums in (share.sum(axis=0), share.sum(axis=1)):
        peak = int(sums.argmax())
        near = np.arange(max(peak - 3, 0), peak + 4)
        weights = np.maximum(sums[near] - 0.5 * sums[peak], 0.0)
        place.append((weights * (near + 0.5)).sum() / weights.sum())
    return complex(*place)


@pytest.mark.parametrize("size", [(600, 600), (640, 700)])
@pytest.mark.parametrize("name", ["pursuit", "pursuit/intercept", "pursuit/turning", "seek"])
def test_the_crosshair_is_at_the_point_that_the_script_steers_for(name, size):
    record, config, script = duel(), Game(), ROSTER[name]
    me, other = (Vehicle(*body) for body in record["players"]["body"].tolist())
    law = getattr(prediction, script.lookahead)
    predict = getattr(prediction, script.predictor)
    aim = other.position
    if name != "seek":

        def look_ahead(me, other):
            return law(me, other, script.lookahead_cap)

        aim = pursuit_aim(me, other, look_ahead, predict, script.tests_facing)
    drawing = DrawingConfig(size, annotations=("aim",))
    renderer = Renderer(config, drawing, ([script], [Script(behavior="idle")]))
    picture = renderer.picture(record)
    frame, pixel = picture.pixels().astype(int), picture.view.to_pixel(me.position)
    reach = int(0.04 * min(size))  # of the pursuer itself, which has the same color
    rows, columns = int(pixel.imag), int(pixel.real)
    frame[rows - reach : rows + reach, columns - reach : columns + reach] = LIGHT.ground
    found, expected = crosshair_in(frame, LIGHT.pursuer), picture.view.to_pixel(aim)
    if abs(aim.imag) > config.region.half_size:  # the crosshair stays inside
        top = picture.view.ground[0].imag
        assert abs(found.real - expected.real) < 1.0
        assert top < found.imag < top + 0.03 * min(size)
    else:
        assert abs(found - expected) < 1.0


@pytest.mark.parametrize(
    ("annotation", "drawn", "radius", "center"),
    [
        ("threat", {"threat": (3.0,)}, 3.0, -5 - 4j),
        ("apollonius", {"apollonius": (1 + 2j, 4.0)}, 4.0, 1 + 2j),
        ("view", {"view": (4.0, math.pi)}, 4.0, -5 - 4j),
    ],
)
def test_circles_have_their_radius(annotation, drawn, radius, center):
    config, record = Game(), duel()
    with_it, without = (
        draw(record, config, annotations=shown, thoughts=[drawn, {}])
        for shown in ((annotation,), ())
    )
    rows, columns = np.nonzero(np.abs(with_it - without).sum(axis=-1) > 30)
    view = view_in(with_it, record, config)
    offsets = np.abs(columns + 0.5 + 1j * (rows + 0.5) - view.to_pixel(center)) / view.scale
    assert len(rows) > 40
    assert offsets.max() == pytest.approx(radius, abs=0.15)
    assert np.median(offsets) == pytest.approx(radius, abs=0.15)


@pytest.mark.parametrize("kind", ["walls", "torus"])
def test_marks_can_be_switched_off_and_none_is_outside_the_arena(kind):
    """Evaders are in two corners, and annotations reach across the walls."""
    record, config = make_record(np.array([0, 8.5 + 8.5j, -8.5 - 8.5j])), make_config(kind)
    thoughts = [
        {
            "aim": (complex(1.3 * place), complex(place)),
            "threat": (3.0,),
            "wander": (complex(1.1 * place), 1.2, complex(1.2 * place)),
            "feelers": tuple(complex(far * place) for far in (1.2, 1.1, 1.15)),
            "view": (4.0, 1.0),
            "corridor": (3.0, 1.0),
            "apollonius": (complex(place), 5.0),
        }
        for place in record["players"]["body"]["position"]
    ]
    marked = ("aim", "threat", "wander", "feelers", "view", "corridor", "apollonius")
    bare, *pictures = (
        draw(record, config, annotations=shown, thoughts=thoughts)
        for shown in ((), *((name,) for name in marked))
    )
    assert np.array_equal(bare, draw(record, config, annotations=()))
    corner, opposite = view_in(bare, record, config).ground
    for number, picture in enumerate(pictures):
        assert all(np.any(picture != other) for other in pictures[:number])
        rows, columns = np.nonzero((picture != bare).any(axis=2))
        assert len(rows) > 100
        assert round(corner.imag) <= rows.min() <= rows.max() < round(opposite.imag)
        assert round(corner.real) <= columns.min() <= columns.max() < round(opposite.real)
