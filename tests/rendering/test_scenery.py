"""Maps in pictures: what is solid is covered, and walls stand in it."""

import re

import gymnasium as gym
import numpy as np
import pytest
from chases import is_color, record
from hypothesis import given, strategies as st

from steer_env import Map
from steer_env.drawing import THEMES, DrawingConfig
from steer_env.game.config import make_game
from steer_env.maps.polygons import area_of, distances_to_walls, is_within
from steer_env.rendering.annotations import Annotator
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.html import save_html
from steer_env.rendering.plate import plate_of
from steer_env.rendering.raster import area_mask
from steer_env.rendering.renderer import Replay
from steer_env.rendering.scene import map_on_page, rings_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script

pytest.importorskip("pygame")

HOUSE = Map(
    [(-8, -5), (8, -5), (8, 3), (0, 5), (-8, 3)],
    solids=[[(2, -2), (5, -2), (5, 1), (2, 1)], [(4, 0), (6, 0), (6, 2), (4, 2)]],
    walls=[[(-4, -4), (-4, 0), (-2, 0)]],
)
PILLARS = [
    Map([(-5, -5), (5, -5), (5, 5), (-5, 5)], solids=[[(x - 1, -1), (x + 1, -1), (x, 1)]])
    for x in (-3.0, 0.0, 3.0)
]


def replay(maps=HOUSE, seed=0, theme="light", annotations="none", size=400, **keywords):
    given = {"obstacles": 0, "pursuers": 1, "evaders": 1, "horizon": 2, **keywords}
    (recording,) = record((seed,), map=maps, **given)
    return Replay(recording, DrawingConfig(size, theme, annotations))


def color_at(pixels, view, place):
    pixel = view.to_pixel(place)
    return pixels[int(pixel.imag), int(pixel.real)]


def polygon(draw):
    """A star around the middle of a picture of 40 x 30 pixels, perhaps partly outside it."""
    count = draw(st.integers(3, 9))
    radii = draw(st.lists(st.floats(3, 22), min_size=count, max_size=count))
    turns = np.exp(2j * np.pi * (np.arange(count) + draw(st.floats(0, 1))) / count)
    return complex(20, 15) + np.array(radii) * turns


@given(st.composite(polygon)(), st.composite(polygon)(), st.booleans())
def test_an_area_covers_what_its_polygons_go_around(outer, inner, is_hole):
    inner = (inner - complex(20, 15)) * 0.5 + complex(20, 15)
    mask = area_mask([outer, inner[::-1] if is_hole else inner], 30, 40)
    finer = (np.arange(320) + 0.5) / 8
    places = finer + 1j * finer[:240, None]
    one, other = is_within(outer, places), is_within(inner, places)
    expected = (one != other) if is_hole else (one | other)
    shares = expected.reshape(30, 8, 40, 8).mean(axis=(1, 3))
    # Within a pixel, sides of two polygons may overlap.
    assert np.abs(mask / 255 - shares).mean() < 0.01
    clear = (shares == 0.0) | (shares == 1.0)
    assert np.abs(mask / 255 - shares)[clear].max(initial=0.0) < 0.3


def test_an_area_by_hand():
    square = np.array([1, 3.5, 3.5 + 2j, 1 + 2j])
    assert area_mask([square], 3, 5).tolist() == [[0, 255, 255, 128, 0]] * 2 + [[0] * 5]
    assert area_mask([square + 10], 3, 5).max() == 0
    hole = np.array([2 + 1j, 2 + 2j, 3 + 2j, 3 + 1j])
    assert area_mask([square, hole], 3, 5)[1].tolist() == [0, 255, 0, 128, 0]


@pytest.mark.parametrize("world", [HOUSE, Map.caves(1)[0], *PILLARS])
def test_what_is_solid_is_on_the_left_of_a_ring(world):
    for ring in rings_of(world):
        along = np.roll(ring, -1) - ring
        beside = ring + 0.5 * along + 1e-3j * along / np.abs(along)
        assert not world.contains(beside).any() or world is HOUSE  # whose solids overlap
    assert [area_of(ring) > 0.0 for ring in rings_of(world)] == [False] + [True] * len(
        world.solids
    )


@pytest.mark.parametrize("theme", THEMES)
def test_free_places_have_the_color_of_the_ground_and_all_others_that_around_it(theme):
    shown, colors = replay(theme=theme), THEMES[theme]
    pixels, view = shown.picture(0).pixels(), shown.view_at(0)
    places = (np.arange(-8.2, 8.2, 0.41) + 1j * np.arange(-8.1, 8.2, 0.37)[:, None]).ravel()
    bodies = shown.recording.positions[0]
    is_clear = distances_to_walls(HOUSE.segments, places) > 0.15
    places = places[is_clear & (np.abs(places[:, None] - bodies).min(1) > 1.0)]
    is_free = HOUSE.contains(places)
    free, solid = (
        [color_at(pixels, view, place) for place in some]
        for some in (places[is_free], places[~is_free])
    )
    grid = is_color(np.array(free), colors.grid, 3)
    assert is_color(np.array(free), colors.ground, 3)[~grid].all()
    assert 0 < grid.sum() < 0.3 * len(free)
    assert is_color(np.array(solid), colors.background, 3).all()
    assert len(free) > 300
    assert len(solid) > 300


def test_walls_are_drawn_on_their_solid_side():
    shown = replay(size=600)
    pixels, view, color = shown.picture(0).pixels(), shown.view_at(0), THEMES["light"].wall
    pixel = 1 / view.scale
    # The normals of an outline's side, of a slanted one, and of a solid's: into what is solid.
    for middle, normal in ((-3 - 5j, -1j), (4 + 4j, (1 + 4j) / abs(1 + 4j)), (3 - 2j, 1j)):
        assert is_color(color_at(pixels, view, middle + 1.5 * pixel * normal), color, 40)
        assert not is_color(color_at(pixels, view, middle - 1.5 * pixel * normal), color, 40)
    for place in (-4 - 2j, -3 + 0j):  # thin walls
        assert is_color(color_at(pixels, view, place), color, 40)


def test_an_episode_is_drawn_on_its_own_map_and_the_ground_is_kept():
    seeds = {}
    for seed in range(40):
        shown = replay(PILLARS, seed)
        number = int(shown.recording.states[0]["map"][0])
        if number in seeds:
            continue
        seeds[number] = seed
        first, second = shown.picture(0), shown.picture(1)
        assert first.ground is second.ground
        pixels, view = first.ground.pixels(), shown.view_at(0)
        found = [color_at(pixels, view, x + 0j) for x in (-3.0, 0.0, 3.0)]
        is_solid = is_color(np.array(found), THEMES["light"].background, 3)
        assert is_solid.tolist() == [place == number for place in range(3)]
        if len(seeds) == 3:
            return
    raise AssertionError(f"only the maps {[*seeds]} were drawn")


def test_each_game_of_a_vector_environment_is_drawn_on_its_map():
    drawing = {"size": 200, "annotations": "none"}
    keywords = {"map": PILLARS, "drawing": drawing}
    envs = gym.make_vec("Pursuit-v0", num_envs=3, render_mode="rgb_array", **keywords)
    envs.reset(seed=0, options={"map": [2, 0, 2]})
    one, other, third = envs.render()
    assert (one != other).any()
    envs.reset(seed=0, options={"map": [2, 2, 2]})
    again = envs.render()[1]
    assert (again != other).any()
    env = gym.make("Pursuit-v0", render_mode="rgb_array", **keywords)
    for number, frame in ((2, again), (0, other)):
        env.reset(seed=1, options={"map": number})
        assert (env.render() == frame).all()
    assert one.shape == third.shape


def test_graphics_plates_and_ghosts_have_the_map():
    shown = replay(PILLARS[1])
    rings = len(rings_of(PILLARS[1])) + 1  # and the frame
    recordings = [shown.recording] * 2
    plate = plate_of(recordings, 2, 200)
    pictures = (shown.picture(1), 1), (plate, 2), (Ghosts(recordings).picture(1), 1)
    for picture, count in pictures:
        data = re.findall(r' d="([^"]*)"', picture.svg())
        assert sum(one.count("z") == rings for one in data) == count


def test_pages_get_the_map_of_each_episode(tmp_path):
    shown = [replay(PILLARS, seed).recording for seed in range(3)]
    written = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "steer_env.rendering.html.page_text",
            lambda title, data, *rest, **more: written.append(data) or "",
        )
        save_html(tmp_path / "page.html", shown)
    numbers = [int(one.states[0]["map"][0]) for one in shown]
    found = [episode["map"] for episode in written[0]["episodes"]]
    assert found == [map_on_page(PILLARS[number]) for number in numbers]
    assert found[0]["rings"][0][0] in map(list, PILLARS[0].outline)


def test_feelers_end_at_walls():
    """Before a wall across the way, all three are cut to it; far from walls they are whole."""
    script = Script(behavior="idle", walls=8.0)
    config = make_game(map=HOUSE)
    annotator = Annotator(config, ([script], [ROSTER["idle"]]))
    record = replay().recording.states[0]
    body = record["players"]["body"][0]
    body["velocity"], body["heading"] = body["max_speed"], 1.0
    length = body["radius"] + script.feeler_length
    for place, tip in ((-5 - 1j, -4 - 1j), (-1.5 - 3.5j, -1.5 + length - 3.5j)):
        body["position"] = place
        ahead, left, right = annotator.annotations(record)[0]["feelers"]
        assert ahead == pytest.approx(tip)
        assert left.real <= -4 + 1e-9 or place.real > -4
        assert right.imag >= -5 - 1e-9
