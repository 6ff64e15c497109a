"""The picture of a game shows the contents of the record at the right places."""

import numpy as np
import pytest
from scenarios.own_games import SafeZone

from steer_env.drawing import THEMES, DrawingConfig
from steer_env.game.config import ArenaConfig, GameConfig, game_config
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


@pytest.mark.parametrize(
    ("game", "is_drawn"),
    [
        ({}, True),
        ({"game": "perimeter_defense"}, False),
        ({"game": SafeZone(radius=1.0)}, False),
    ],
)
def test_a_capture_radius_is_drawn_where_it_decides_captures(game, is_drawn):
    configs = [game_config(**game, capture_radius=radius) for radius in (0.2, 1.0)]
    assert [config.capture_circle for config in configs] == [0.2 * is_drawn, 1.0 * is_drawn]
    record = make_records(1, 2, 0)[0]
    record["players"]["active"] = True
    record["players"]["body"]["heading"] = 1.0
    small, large = (draw(record, config, annotations=("capture",)) for config in configs)
    assert np.any(small != large) == is_drawn
