"""The picture of a game shows what the record says, where it says it."""

import numpy as np
import pytest

from steer_env.game.config import ArenaConfig, GameConfig
from steer_env.game.state import make_state
from steer_env.rendering.scene import (
    BACKGROUND,
    EVADER,
    OBSTACLE,
    PURSUER,
    draw_scene,
    view_of,
    world_to_pixel,
)

pygame = pytest.importorskip("pygame")

SIZE = (600, 600)
KINDS = ("walls", "torus", "open")
PLACES = [-4 - 5j, 6 + 3j, 2 - 6j]
HEADINGS = [1j, -1 + 0j, np.exp(0.5j)]


def make_config(kind="walls", **fields):
    return GameConfig(pursuers=1, evaders=2, arena=ArenaConfig(kind=kind), **fields)


def make_record(places=PLACES, obstacles=0):
    """One pursuer and two evaders at rest, of a radius that is easy to see."""
    record = make_state(1, 3, obstacles)[0]
    record["players"]["active"] = True
    body = record["players"]["body"]
    body["position"], body["heading"] = places, HEADINGS
    body["max_speed"], body["radius"] = 4.0, 0.5
    return record


def draw(record, config, size=SIZE, **options):
    """The frame as an array (width, height, 3)."""
    surface = pygame.Surface(size, 0, 32)
    draw_scene(surface, record, config, **options)
    return pygame.surfarray.array3d(surface).astype(int)


def color_at(frame, record, config, position):
    column, row = world_to_pixel(view_of(record, config, frame.shape[:2]), position)
    return frame[int(column), int(row)]


def is_color(pixels, color, tolerance=12):
    return np.abs(pixels - np.array(color)).max(axis=-1) <= tolerance


@pytest.mark.parametrize("kind", ["walls", "torus"])
def test_arena_fills_the_frame_with_y_up(kind):
    view = view_of(make_record(), make_config(kind), (400, 600))
    assert world_to_pixel(view, 0j) == (200, 300)
    left, top = world_to_pixel(view, -10 + 10j)
    right, bottom = world_to_pixel(view, 10 - 10j)
    assert 0 < left < 40
    assert 360 < right < 400
    assert right - left == pytest.approx(bottom - top)
    assert 100 < top < bottom < 500


def test_open_camera_shows_all_players_and_never_too_little():
    config = make_config("open")
    for places in ([500, 900 + 40j, -300j], [-1, 1, 1j], [1e6, 1e6 + 2, 1e6 + 1j]):
        record = make_record(places)
        view = view_of(record, config, SIZE)
        for place in places:
            assert all(20 < pixel < 580 for pixel in world_to_pixel(view, place))
        assert 600 / view.scale >= 16.0


@pytest.mark.parametrize("size", [(600, 600), (300, 300), (500, 260)])
@pytest.mark.parametrize("kind", KINDS)
def test_players_stand_where_their_positions_say(kind, size):
    record, config = make_record(), make_config(kind)
    frame = draw(record, config, size)
    for place, color in zip(PLACES, (PURSUER, EVADER, EVADER)):
        assert is_color(color_at(frame, record, config, place), color)
    view = view_of(record, config, size)
    # Below the arena stands the key, which is in the same colors.
    scene = frame[:, : int(size[1] / 2 + 0.42 * view.side)]
    for places, color in ((PLACES[:1], PURSUER), (PLACES[1:], EVADER)):
        seen = np.argwhere(is_color(scene, color))
        centers = np.array([world_to_pixel(view, place) for place in places])
        gaps = np.linalg.norm(seen[:, None] - centers, axis=-1).min(axis=1)
        reach = max(0.5 * view.scale, 0.018 * view.side)
        assert len(seen) > 10
        assert gaps.max() <= reach + 1.5


def test_vehicles_point_along_their_headings():
    record, config = make_record(), make_config()
    frame = draw(record, config)
    for place, heading, color in zip(PLACES, HEADINGS, (PURSUER, EVADER, EVADER)):
        ahead, behind = place + 0.35 * heading, place - 0.35 * heading
        assert is_color(color_at(frame, record, config, ahead), color)
        assert not is_color(color_at(frame, record, config, behind), color)


def test_small_bodies_are_still_seen():
    record, config = make_record(), make_config()
    record["players"]["body"]["radius"] = 0.0
    frame = draw(record, config, (300, 300))
    for place, color in zip(PLACES, (PURSUER, EVADER, EVADER)):
        assert is_color(color_at(frame, record, config, place), color)


def test_edges_are_smooth():
    record, config = make_record(), make_config()
    near = draw(record, config)[380:500, 120:300]  # around the first evader
    assert len(np.unique(near.reshape(-1, 3), axis=0)) > 8


def test_capture_radius_surrounds_pursuers_only():
    record = make_record()
    small, large = make_config(capture_radius=0.6), make_config(capture_radius=3.0)
    without, frame = draw(record, small), draw(record, large)
    inside = PLACES[0] + 2.3 - 0.5j
    assert is_color(color_at(without, record, small, inside), BACKGROUND)
    assert not is_color(color_at(frame, record, large, inside), BACKGROUND, 6)
    outside = PLACES[1] - 2.3 - 0.5j
    assert is_color(color_at(frame, record, large, outside), BACKGROUND)


def test_velocity_shows_ahead_of_the_vehicle():
    record, config = make_record(), make_config()
    still = draw(record, config)
    record["players"]["body"]["velocity"] = 4.0 * np.array(HEADINGS)
    moving = draw(record, config)
    for place, heading in zip(PLACES, HEADINGS):
        ahead = place + 1.2 * heading
        assert is_color(color_at(still, record, config, ahead), BACKGROUND, 20)
        assert not is_color(color_at(moving, record, config, ahead), BACKGROUND, 20)


def test_caught_evaders_are_hollow():
    record, config = make_record(), make_config()
    free = draw(record, config)
    record["players"]["active"][2] = False
    caught = draw(record, config)
    between_the_arms = PLACES[2] + 0.25 * np.exp(0.5j)
    assert is_color(color_at(free, record, config, between_the_arms), EVADER)
    assert is_color(color_at(caught, record, config, between_the_arms), BACKGROUND)
    assert is_color(color_at(caught, record, config, PLACES[2]), EVADER)  # the cross
    assert is_color(color_at(caught, record, config, PLACES[1]), EVADER)


def test_obstacles_are_discs_unless_they_found_no_room():
    record, config = make_record(obstacles=2), make_config()
    record["obstacles"]["center"] = [-5 + 5j, 5 + 8j]
    record["obstacles"]["radius"] = [1.5, 0.0]
    frame = draw(record, config)
    for inside in (-5 + 5j, -5 + 6.4j, -6.4 + 5j):
        assert is_color(color_at(frame, record, config, inside), OBSTACLE)
    for outside in (-5 + 6.7j, 5.1 + 8.1j):
        assert not is_color(color_at(frame, record, config, outside), OBSTACLE)


def test_trails_fade_into_the_past():
    record, config = make_record(), make_config()
    past = [np.array([-4 - 5j, x + 3j, 2 - 6j]) for x in np.linspace(-6.0, 6.0, 40)]
    frame = draw(record, config, trail=past)
    view = view_of(record, config, SIZE)
    columns = [int(world_to_pixel(view, x + 3j)[0]) for x in (-3.3, 0.7, 4.7)]
    row = int(world_to_pixel(view, 3j)[1])
    # Darkest within two pixels of the line, which the rounding of the row cannot miss.
    old, middle, new = (frame[c, row - 2 : row + 3].sum(axis=-1).min() for c in columns)
    assert new < middle - 50 < old - 100
    assert np.array_equal(draw(record, config, trail=past[:1]), draw(record, config))


def test_torus_shows_what_lies_across_an_edge_on_both_sides():
    record, config = make_record([-4 - 5j, 9.9 + 3j, 2 - 6j]), make_config("torus")
    frame = draw(record, config)
    for place in (9.8 + 3j, -9.85 + 3.23j):  # the middle, and one of the tails
        assert is_color(color_at(frame, record, config, place), EVADER)
    beyond = color_at(frame, record, config, 10.3 + 3.1j)
    assert is_color(beyond, BACKGROUND)


def test_trail_across_an_edge_of_the_torus_does_not_cross_the_arena():
    record, config = make_record([-4 - 5j, -9 + 3j, 2 - 6j]), make_config("torus")
    path = [9.0, 9.5, -10.0, -9.5, -9.0]
    past = [np.array([-4 - 5j, x + 3j, 2 - 6j]) for x in path]
    plain, frame = draw(record, config), draw(record, config, trail=past)
    changed = np.argwhere((plain != frame).any(axis=-1))
    view = view_of(record, config, SIZE)
    left, right = (world_to_pixel(view, complex(x))[0] for x in (-8.9, 8.9))
    assert (changed[:, 0] < left).any()
    assert (changed[:, 0] > right).any()
    assert not ((changed[:, 0] > left) & (changed[:, 0] < right)).any()


def test_arenas_look_different():
    record = make_record()
    walls, torus, plane = (draw(record, make_config(kind)) for kind in KINDS)
    border = slice(60, 540), slice(30, 45)

    def share_of_ink(frame):
        return (frame[border].sum(axis=-1) < 400).any(axis=1).mean()

    assert share_of_ink(walls) == 1.0
    assert 0.3 < share_of_ink(torus) < 0.7
    assert share_of_ink(plane) < 0.1


@pytest.mark.parametrize(
    ("field", "value"), [("steps", 300), ("captured", 1), ("captured", 2), ("distance", 3.2)]
)
def test_score_is_written_above(field, value):
    record, config = make_record(), make_config()
    before = draw(record, config)
    record["game"][field] = value
    changed = np.argwhere((draw(record, config) != before).any(axis=-1))
    assert len(changed) > 10
    assert changed[:, 1].max() < 40


@pytest.mark.parametrize(
    ("size", "flags", "depth"),
    [((1, 1), 0, 32), ((40, 25), 0, 32), ((200, 120), pygame.SRCALPHA, 32), ((90, 90), 0, 24)],
)
@pytest.mark.parametrize("kind", KINDS)
def test_any_surface_will_do(kind, size, flags, depth):
    surface = pygame.Surface(size, flags, depth)
    draw_scene(surface, make_record(), make_config(kind))
    assert surface.get_at((0, size[1] // 2))[:3] != (0, 0, 0)


def test_extreme_games_are_drawn():
    tiny = ArenaConfig(size=1.0, obstacle_radius=(0.1, 0.2))
    small = {"radius": 0.1}
    for config in (
        make_config(capture_radius=1e4),
        GameConfig(evaders=2, arena=tiny, pursuer=small, evader=small),
        GameConfig(evaders=2, arena=ArenaConfig(size=1e4, kind="torus")),
    ):
        frame = draw(make_record([0.1, 0.3j, -0.2]), config, (300, 300))
        assert is_color(frame, PURSUER).any()
    assert draw(make_state(1, 3, 2)[0], make_config()).shape == (600, 600, 3)  # not begun


def test_record_is_only_read():
    record, config = make_record(obstacles=1), make_config("torus")
    before = record.tobytes()
    draw(record, config, trail=[np.array(PLACES), np.array(PLACES) + 0.1])
    assert record.tobytes() == before
