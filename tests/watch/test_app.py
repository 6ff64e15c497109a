"""The window: panels, mouse, time, screenshots."""

from __future__ import annotations

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import PART_COLORS, THEMES  # noqa: E402
from steer_env.rendering.camera import EDGE, ground_of, view_of  # noqa: E402
from steer_env.rendering.raster import RasterCanvas  # noqa: E402
from steer_env.watch.app import write_new_png  # noqa: E402
from steer_env.watch.inspector import Inspector  # noqa: E402
from steer_env.watch.picture import Target  # noqa: E402
from steer_env.watch.screening import STILL_SECONDS  # noqa: E402

from .windows import after  # noqa: E402


@pytest.mark.parametrize("size", [(600, 500), (500, 900)])
def test_each_panel_shows_its_own_game(size, make):
    program = make(chasers=("seek", "pursuit"), runners=("evade", "rest"), size=size, games=2)
    after(program, 25)
    theme, places = THEMES["light"], program.app.picture.places.panels
    assert len(places) == 8
    for game, panel in zip(program.screening.games, places):
        scene = panel.width, panel.height
        view = view_of(program.screening.config, np.zeros(0, complex), scene, EDGE)
        bodies = game.record(25)["players"]["body"]
        for body, color in zip(bodies, (theme.pursuer, theme.evader)):
            place = view.to_pixel(body["position"]) + panel.corner
            pixel = program.pixels[int(place.imag), int(place.real)]
            assert np.abs(pixel.astype(int) - color).sum() < 60


def test_a_click_on_a_vehicle_opens_the_inspector_with_its_numbers(make, monkeypatch):
    program = after(make(chasers=("seek", "pursuit"), size=(900, 500)), 10)
    target, asked = Target(1, 1), []
    display = program.app.display
    rows = Inspector.rows

    def spy(self, *arguments):
        asked.append(arguments)
        return rows(self, *arguments)

    monkeypatch.setattr(Inspector, "rows", spy)
    program.click(program.app.picture.place_of(target) + 3)
    assert display.inspected == target
    assert display.current == 1
    assert asked[-1] == (program.screening.games[1], 10, 1)
    inspector = program.app.picture.places.inspector
    shown = program.pixels[: inspector.bottom, inspector.left : inspector.right]
    assert (shown == THEMES["light"].evader).all(axis=2).sum() > 100
    program.click(inspector.corner + 50 + 50j)  # the inspector itself is not elsewhere
    assert display.inspected == target
    program.press("right")  # it goes with the game
    assert asked[-1][1] == 11
    program.click(program.app.picture.place_of(target) + 60)
    assert display.inspected is None
    assert program.app.picture.places.inspector is None


def test_pointing_at_a_vehicle_highlights_it(make):
    program = make(arena="torus")
    program.press("space")
    plain = program.pixels
    program.point(program.app.picture.place_of(Target(0, 0)))
    assert program.app.display.hovered == Target(0, 0)
    assert (program.pixels != plain).any()
    program.point(2 + 2j)
    assert program.app.display.hovered is None
    assert np.array_equal(program.pixels, plain)
    program.point(program.app.picture.place_of(Target(0, 1)))
    program.post(pygame.WINDOWLEAVE)
    assert program.app.display.hovered is None


def test_the_pointer_stays_while_vehicles_move_on(make):
    program = make(runners=("flee",), seed=1, horizon=300)
    program.point(program.app.picture.place_of(Target(0, 1)))
    assert program.app.display.hovered == Target(0, 1)
    for _ in range(20):
        program.frame(0.1)
    assert program.app.display.hovered is None


def test_the_wheel_scrolls_the_inspector_only(make):
    program = make()
    program.post(pygame.MOUSEWHEEL, y=-2, x=0)
    assert program.app.display.inspector.scroll == 0
    program.click(program.app.picture.place_of(Target(0, 0)))
    program.post(pygame.MOUSEWHEEL, y=-2, x=0)
    assert program.app.display.inspector.scroll == 120
    program.post(pygame.MOUSEWHEEL, y=-999, x=0)
    assert program.app.display.inspector.scroll == program.app.display.inspector.hidden


def test_a_click_closes_the_help_and_no_more(make):
    program = make()
    program.press("h")
    program.click(program.app.picture.place_of(Target(0, 0)))
    assert not program.app.display.has_help
    assert program.app.display.inspected is None


def test_the_end_is_shown_and_then_the_next_seed_begins(make):
    program = make(chasers=("pursuit", "seek"), horizon=15, seed=8)
    program.frame(0.0)
    for _ in range(10):
        program.frame(0.1)
    assert program.screening.is_over
    assert program.lines == [
        "seed 8: pursuit v evade: got away for 0.5 s",
        "seed 8: seek v evade: got away for 0.5 s",
    ]
    assert (program.pixels == THEMES["light"].evader).all(axis=2).sum() > 100  # the results
    program.frame(STILL_SECONDS)
    assert program.screening.seed == 9
    assert program.screening.moment == 0


@pytest.mark.parametrize("rounds", [1, 3])
def test_it_ends_by_itself_after_so_many_rounds(rounds, make):
    program = make(horizon=6, rounds=rounds)
    frames = 0
    while program.window.is_open and frames < 200:
        program.frame(0.1)
        frames += 1
    assert len(program.lines) == rounds
    assert 20 * rounds < frames < 30 * rounds


def test_closing_the_window_ends_it(make):
    program = make()
    program.post(pygame.QUIT)
    assert not program.window.is_open


def test_a_resized_window_is_filled_again(make, monkeypatch):
    program = make(chasers=("pursuit", "seek"))
    assert program.pixels.shape == (500, 600, 3)
    for size in ((350, 800), (200, 200), (1200, 333)):
        monkeypatch.setattr(type(program.window), "size", size)
        program.frame()
        assert program.pixels.shape == (size[1], size[0], 3)


def test_a_long_way_to_the_end_leaves_the_window_alive(make):
    program = make(chasers=("rest",), runners=("rest",), horizon=10**6)
    program.press("end")
    before = program.pixels
    program.frame()
    assert program.app.picture._standing()[-1] == "playing: 0 %"
    program.press("t")
    assert not np.array_equal(program.pixels, before)
    program.press("home")
    assert program.screening.percent_to_goal is None
    program.press("end")
    program.post(pygame.QUIT)
    assert not program.window.is_open


def test_in_the_open_the_start_is_as_large_again_after_the_end_was_seen(make):
    program = make(chasers=("rest",), runners=("flee",), arena="open", horizon=900)
    program.press("space")
    before = program.app.picture.place_of(Target(0, 0))
    program.go_to_end()
    assert abs(program.app.picture.place_of(Target(0, 0)) - before) > 50
    program.press("home")
    assert program.app.picture.place_of(Target(0, 0)) == before


def test_long_names_above_panels_keep_their_ends(make, monkeypatch):
    written = []
    text = RasterCanvas.text

    def spy(self, string, *arguments, **keywords):
        written.append(string)
        text(self, string, *arguments, **keywords)

    monkeypatch.setattr(RasterCanvas, "text", spy)
    players = {"chasers": ("pursuit/among_obstacles", "seek"), "runners": ("rest",)}
    make(size=(240, 240), games=2, **players)
    (shortened,) = [string for string in written if string.startswith("…")]
    assert "pursuit/among_obstacles".endswith(shortened[1:])
    assert {"seek", "v rest", "seed 0", "seed 1"} <= set(written)
    assert written.count("seek") == 1  # once for both games


def test_nothing_is_drawn_twice(make):
    program = make()
    program.press("space")
    program.pixels = None
    program.frame(0.5)
    assert program.pixels is None
    program.post(pygame.WINDOWEXPOSED)
    assert program.pixels is not None


def test_messages_go_away(make):
    program = make()
    program.press("g")
    assert program.app.display.message
    program.frame(0.1)
    program.frame(5.0)
    assert program.app.display.message == ""


def test_a_screenshot_that_cannot_be_saved_is_reported(make, monkeypatch):
    program = make()

    def refuse(*arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("steer_env.watch.app.write_new_png", refuse)
    program.press("s")
    assert "no screenshot: Permission denied" in program.app.display.message
    assert program.window.is_open


def test_screenshots_overwrite_nothing(tmp_path):
    (tmp_path / "shot-1.png").write_text("mine")
    pixels = np.arange(30 * 40 * 3, dtype=np.uint8).reshape(30, 40, 3)
    path = write_new_png(tmp_path, "shot", pixels)
    assert path.name == "shot-2.png"
    assert (tmp_path / "shot-1.png").read_text() == "mine"
    read = pygame.surfarray.array3d(pygame.image.load(path)).swapaxes(0, 1)
    assert np.array_equal(read, pixels)


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_going_back_draws_the_same_picture(arena, make):
    program = make(arena=arena, obstacles=3)
    program.press("a")
    after(program, 20)
    before = program.pixels
    after(program, 15)
    for _ in range(15):
        program.press("left")
    same_below = program.pixels[:-60] == before[:-60]  # less the status line, which knows more
    assert same_below.all()


def test_a_held_key_is_seen(make, monkeypatch):
    program = make()
    held = {pygame.K_RIGHT: True}
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: held)
    program.press("right")
    pictures, moments = [], []
    for _ in range(30):
        program.frame(0.05)
        pictures.append(program.pixels.tobytes())
        moments.append(program.screening.moment)
    assert moments[-1] > 15
    # Whenever the moment changed, the picture did.
    for number in range(1, 30):
        is_changed = pictures[number] != pictures[number - 1]
        assert is_changed == (moments[number] != moments[number - 1])


def test_the_bar_takes_to_a_time_by_click_and_drag(make):
    program = make()
    status = program.app.picture.places.status
    row = status.top + 2
    program.click(complex(status.left + status.width / 2, row))
    while program.screening.percent_to_goal is not None:
        program.frame()
    assert program.screening.moment == 30  # of 60
    assert program.screening.clock.is_paused
    program.point(complex(status.left + status.width / 4, row))
    while program.screening.percent_to_goal is not None:
        program.frame()
    assert program.screening.moment == 15
    program.post(pygame.MOUSEBUTTONUP, pos=(0, 0), button=1)
    program.point(complex(status.left, row))
    program.frame()
    assert program.screening.moment == 15
    assert program.app.display.inspected is None


def test_the_game_waits_while_the_help_is_read(make):
    program = make()
    program.press("h")
    before = program.screening.moment
    for _ in range(20):
        program.frame(0.1)
    assert program.screening.moment == before
    program.press("h")
    for _ in range(5):
        program.frame(0.1)
    assert 0 < program.screening.moment - before < 30


def test_the_title_of_the_window_follows_the_seed(make):
    program = make(seed=3)
    assert pygame.display.get_caption()[0] == "pursuit v evade - seed 3 - steer_env"
    program.press("n")
    assert pygame.display.get_caption()[0] == "pursuit v evade - seed 4 - steer_env"


def test_the_title_is_composed_once_for_a_seed(make, monkeypatch):
    program, composed = make(seed=3), []

    def title(screening):
        composed.append(screening.seed)
        return f"seed {screening.seed}"

    monkeypatch.setattr(type(program.screening), "title", property(title))
    for _ in range(5):
        program.frame(0.1)
    program.press("n")
    program.frame(0.1)
    program.press("p")
    program.frame(0.1)
    assert composed == [4, 3]
    assert pygame.display.get_caption()[0] == "seed 3"


def test_names_and_seeds_are_written_once(make, monkeypatch):
    written = []
    text = RasterCanvas.text

    def spy(self, string, *arguments, **keywords):
        written.append(string)
        text(self, string, *arguments, **keywords)

    program = make(chasers=("seek", "pursuit"), runners=("flee",), games=3, size=(900, 600))
    program.press("k")  # the score, which names players elsewhere
    monkeypatch.setattr(RasterCanvas, "text", spy)
    program.post(pygame.WINDOWEXPOSED)
    for once in ("seek", "pursuit", "seed 0", "seed 1", "seed 2"):
        assert written.count(once) == 1
    assert written.count("v flee") == 2
    written.clear()
    program.press("return")  # one panel alone, with its names and seed below
    assert "seek" in written
    assert "v flee" not in written
    assert "seed 0" in written


@pytest.mark.parametrize("size", [(960, 720), (1400, 900), (600, 900)])
def test_one_game_fills_its_window(size, make):
    program = make(size=size)
    program.press("k")
    picture = program.app.picture
    corner, opposite = ground_of(picture._view(0), program.screening.config)
    room = min(size[0], picture.places.status.top)
    assert (opposite - corner).real > 0.94 * room


def test_the_inspector_draws_the_parts_of_the_force(make):
    names = {"chasers": ("pursuit/among_obstacles",), "runners": ("evade/among_obstacles",)}
    program = make(size=(1200, 800), obstacles=6, arena_size=16, seed=15, **names)
    after(program, 48)
    program.click(program.app.picture.place_of(Target(0, 1)))
    panel, (scene,) = program.app.picture.places.inspector, program.app.picture.places.panels
    for part in ("walls", "obstacles", "wander"):
        color = np.array(PART_COLORS["light"][part])
        drawn = (program.pixels == color).all(axis=2)
        assert drawn[: panel.bottom, panel.left : panel.right].sum() > 150, part
        assert drawn[: scene.bottom, : scene.right].sum() > 40, part


def test_annotations_of_the_inspected_end_at_the_walls(make):
    program = make(size=(1200, 800), seed=1, obstacles=6, runners=("evade/among_obstacles",))
    after(program, 37)
    program.app.display.inspected = Target(0, 1)
    picture = program.app.picture
    corner, opposite = ground_of(picture._view(0), program.screening.config)
    plain = program.app.picture.draw((1200, 800))
    picture._draw_decision = lambda *arguments: None
    changed = (picture.draw((1200, 800)) != plain).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert len(rows) > 300
    assert round(corner.real) <= columns.min() <= columns.max() < round(opposite.real)
    assert round(corner.imag) <= rows.min() <= rows.max() < round(opposite.imag)
