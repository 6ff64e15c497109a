"""Annotations of scripts are drawn at the right places."""

import math

import numpy as np
import pytest
from recorded import annotations_of

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.game.config import ArenaConfig, GameConfig
from steer_env.game.state import make_records
from steer_env.rendering.annotations import Annotations
from steer_env.rendering.camera import ground_of, view_of
from steer_env.rendering.raster import RasterCanvas
from steer_env.rendering.renderer import Renderer
from steer_env.rendering.scene import Moment, draw_scene
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES
from steer_env.scripts.script import Script
from steer_env.steering import Vehicle, prediction, pursuit_aim

pytestmark = pytest.mark.weekly

pytest.importorskip("pygame")

LIGHT = THEMES["light"]
SIZE = (600, 600)


PURSUER = Vehicle(position=-5 - 4j, velocity=1 + 1j)
EVADER = Vehicle(position=4 + 3j, velocity=-1.5 + 2j, heading=-0.6 + 0.8j)


def make_record():
    record = make_records(1, 2, 0)[0]
    record["players"]["active"] = True
    record["players"]["wander_point"] = 1j
    body = record["players"]["body"]
    for index, vehicle in enumerate((PURSUER, EVADER)):
        for field in Vehicle._fields:
            body[field][index] = getattr(vehicle, field)
    body["max_speed"], body["max_force"], body["radius"] = 4.0, 12.0, 0.3
    return record


def draw(record, drawn, annotations="all", kind="walls", size=SIZE):
    config = GameConfig(arena=ArenaConfig(kind=kind))
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    drawing = DrawingConfig(size, "light", annotations)
    view = view_of(config, np.zeros(0), size)
    draw_scene(RasterCanvas(pixels), view, config, drawing, Moment(record, drawn))
    return pixels.astype(int)


def added(record, drawn, annotation, **options):
    """Where an annotation changes the picture, and by how much: (height, width)."""
    without = draw(record, drawn, (), **options)
    return np.abs(draw(record, drawn, (annotation,), **options) - without).sum(axis=-1)


def crosshair_in(frame, color):
    """Where the hairs of a crosshair meet: the row and the column with most of its color."""
    share = np.clip(1.0 - np.abs(frame - np.array(color)).sum(axis=-1) / 200.0, 0.0, 1.0)
    place = []
    for sums in (share.sum(axis=0), share.sum(axis=1)):
        peak = int(sums.argmax())
        near = np.arange(max(peak - 3, 0), peak + 4)
        weights = np.maximum(sums[near] - 0.5 * sums[peak], 0.0)
        place.append((weights * (near + 0.5)).sum() / weights.sum())
    return complex(*place)


@pytest.mark.parametrize("size", [(600, 600), (1200, 1200), (640, 700)])
@pytest.mark.parametrize("name", ["pursuit", "pursuit/intercept", "pursuit/turning", "seek"])
def test_the_crosshair_is_at_the_point_that_the_script_steers_for(name, size):
    record, config, script = make_record(), GameConfig(), ROSTER[name]
    scripts = [script], [Script(behavior="idle")]
    me, other = (Vehicle(*body) for body in record["players"]["body"].tolist())
    law = getattr(prediction, script.lookahead)
    predict = getattr(prediction, script.predictor)
    aim = other.position
    if name != "seek":

        def look_ahead(me, other):
            return law(me, other, script.lookahead_cap)

        aim = pursuit_aim(me, other, look_ahead, predict, script.tests_facing)
    drawing = DrawingConfig(size, annotations=("aim",))
    renderer = Renderer(config, drawing, scripts)
    frame = renderer.frame(record).astype(int)
    lower = frame.copy()  # without the pursuer itself, which has the same color
    pixel = renderer.view.to_pixel(me.position)
    reach = int(0.04 * min(size))
    rows, columns = int(pixel.imag), int(pixel.real)
    lower[rows - reach : rows + reach, columns - reach : columns + reach] = LIGHT.ground
    found, expected = crosshair_in(lower, LIGHT.pursuer), renderer.view.to_pixel(aim)
    if abs(aim.imag) > config.arena.half_size:  # the crosshair stays inside
        top = ground_of(renderer.view, config)[0].imag
        assert abs(found.real - expected.real) < 1.0
        assert top < found.imag < top + 0.03 * min(size)
    else:
        assert abs(found - expected) < 1.0


@pytest.mark.parametrize(
    ("annotation", "drawn", "radius", "center"),
    [
        ("threat", Annotations(threat_range=3.0), 3.0, -5 - 4j),
        ("apollonius", Annotations(apollonius=(1 + 2j, 4.0)), 4.0, 1 + 2j),
        ("view", Annotations(field_of_view=(4.0, math.pi)), 4.0, -5 - 4j),
    ],
)
def test_circles_have_their_radius(annotation, drawn, radius, center):
    share = added(make_record(), [drawn, Annotations()], annotation)
    rows, columns = np.nonzero(share > 30)
    view = view_of(GameConfig(), np.zeros(0), SIZE)
    offsets = np.abs(columns + 0.5 + 1j * (rows + 0.5) - view.to_pixel(center)) / view.scale
    assert len(rows) > 40
    assert offsets.max() == pytest.approx(radius, abs=0.15)
    assert np.median(offsets) == pytest.approx(radius, abs=0.15)


def test_every_mark_can_be_switched_off():
    full = Annotations(
        aim=1j,
        lead=2 + 0j,
        threat_range=4.0,
        wander=(1 + 0j, 1.0, 2 + 0j),
        feelers=(1 + 1j, 2 + 2j, 3 + 3j),
        field_of_view=(3.0, 1.0),
        corridor=(3.0, 0.5),
        apollonius=(0j, 5.0),
    )
    marked = ("aim", "threat", "wander", "feelers", "view", "corridor", "apollonius")
    record = make_record()
    pictures = [draw(record, [full, full], (name,)) for name in marked]
    for number, picture in enumerate(pictures):
        assert all(np.any(picture != other) for other in pictures[:number])
    assert np.array_equal(draw(record, [full, full], ()), draw(record, [], ()))


@pytest.mark.parametrize("kind", ["walls", "torus", "open"])
@pytest.mark.parametrize("name", SHORTER_NAMES)
def test_every_script_can_be_drawn(kind, name):
    arena = ArenaConfig(kind=kind, obstacles=((1.0, 2.0, 1.0),))
    config = GameConfig(pursuers=2, evaders=2, arena=arena)
    record = make_records(1, 4, 1)[0]
    record["players"]["active"] = True
    record["players"]["body"]["heading"] = 1.0
    record["players"]["body"]["position"] = [-5, 5, 9.9j, -9j]
    record["players"]["body"]["max_speed"] = 4.0
    record["obstacles"]["center"], record["obstacles"]["radius"] = 1 + 2j, 1.0
    scripts = [ROSTER[name]], [ROSTER[name]]
    assert len(annotations_of(record, config, scripts)) == 4
    drawing = DrawingConfig(200, annotations="all")
    assert Renderer(config, drawing, scripts).frame(record).shape == (200, 200, 3)
