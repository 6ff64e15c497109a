"""The window: panels, the mouse, time, and what is drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import THEMES, DrawingConfig  # noqa: E402
from steer_env.rendering.mosaic import columns_in_window  # noqa: E402
from steer_env.rendering.picture import view_of  # noqa: E402
from steer_env.rendering.raster import RasterCanvas  # noqa: E402
from steer_env.rendering.texts import EM  # noqa: E402
from steer_env.watch.screen import layout_of, window_size  # noqa: E402
from steer_env.watch.screening import STILL_SECONDS  # noqa: E402

from .windows import after  # noqa: E402


@pytest.fixture
def written(monkeypatch):
    """The texts that are drawn, and the sizes of their fonts."""
    texts = []
    text = RasterCanvas.text

    def spy(self, string, color, place, size, *arguments, **keywords):
        texts.append((string, size))
        text(self, string, color, place, size, *arguments, **keywords)

    monkeypatch.setattr(RasterCanvas, "text", spy)
    return texts


def test_each_panel_shows_its_own_game(make, written):
    players = {"chasers": ("seek", "pursuit"), "runners": ("evade", "idle")}
    program = make(**players, size=(500, 900))
    after(program, 25)
    assert {"seek", "pursuit", "evade", "idle", "seed 0"} <= {s for s, _ in written}
    theme, (wide, high), header, _ = THEMES["light"], *layout_of((500, 900), 4, 2)
    for number, game in enumerate(program.screening.games):
        row, column = divmod(number, 2)
        scene = DrawingConfig((wide, high - header), annotations=())
        view = view_of(program.screening.config, np.zeros(0, complex), scene)
        bodies = game.record_at(25)["players"]["body"]
        for body, color in zip(bodies, (theme.pursuer, theme.evader)):
            corner = complex(column * wide, row * high + header)
            place = view.to_pixel(body["position"]) + corner
            pixel = program.pixels[int(place.imag), int(place.real)]
            assert np.abs(pixel.astype(int) - color).sum() < 60


@pytest.mark.parametrize("size", [(200, 200), (400, 900), (961, 723)])
def test_panels_and_status_share_the_window(size):
    for counts in ((1, 1), (1, 2), (1, 3), (4, 5), (5, 7), (1, 36)):
        count, columns = math.prod(counts), columns_in_window(*counts)
        (wide, high), header, status = layout_of(size, count, columns)
        assert 0 <= size[0] - wide * columns < columns
        assert 0 <= size[1] - status - high * -(-count // columns) < count
        assert (header > 0) == (count > 1)
        assert 0 <= header < high / 5


@pytest.mark.parametrize(
    ("counts", "columns"),
    [((1, 2), 2), ((1, 3), 3), ((3, 2), 3), ((2, 3), 3), ((1, 12), 4)],
)
def test_a_window_for_several_games_fits_them_with_legible_titles(counts, columns):
    count = math.prod(counts)
    assert columns_in_window(*counts) == columns
    width, height = size = window_size(count, columns)
    assert width <= 1200
    assert height <= 820
    (wide, high), header, _ = layout_of(size, count, columns)
    assert count * wide * (high - header) > 0.8 * width * height
    assert abs(wide - (high - header)) < 10
    assert header / 1.5 * EM >= (16.0 if count < 12 else 12.0)


def test_a_person_reads_on_the_board_how_to_start_and_who_it_is(make, written):
    program = make(chasers="you", size=(960, 720), seed=1, annotations=("score",))
    program.screening.clock.is_paused = True
    program.screening.keeps_going = False
    program.frame()
    sizes = dict(written)
    assert sizes["Steer to start: arrow keys or W A S D"] > 1.2 * sizes["seed 1"]
    assert {"ready", "still free"} <= sizes.keys()
    assert [text for text, _ in written].count("you") == 2 * [s for s, _ in written].count(
        "ready"
    )
    written.clear()
    program.press("up")
    program.frame(0.2)
    texts = {text for text, _ in written}
    assert "you" in texts
    assert not any(text.startswith("Steer to start") for text in texts)


def test_the_end_is_shown_and_then_the_next_seed_begins(make):
    program = make(chasers=("pursuit", "seek"), horizon=15, seed=8, rounds=2)
    assert pygame.display.get_caption()[0] == "pursuit, seek vs evade - 2 games - steer_env"
    for _ in range(10):
        program.frame(0.1)
    assert program.screening.is_over
    assert program.lines == [
        "seed 8: evade got away from pursuit (0.5 s)",
        "seed 8: evade got away from seek (0.5 s)",
    ]
    assert (program.pixels == THEMES["light"].evader).all(axis=2).sum() > 100  # the results
    program.frame(STILL_SECONDS)
    assert (program.screening.seed, program.screening.moment) == (9, 0)
    for _ in range(40):
        program.frame(0.1)
    assert len(program.lines) == 4
    assert not program.window.is_open


def test_a_resized_window_is_filled_again_and_nothing_is_drawn_twice(make, monkeypatch):
    program = make(chasers=("pursuit", "seek"), seed=3)
    program.press("space")
    program.pixels = None
    program.frame(0.5)
    assert program.pixels is None
    program.post(pygame.WINDOWEXPOSED)
    assert program.pixels.shape == (500, 600, 3)
    for size in ((350, 800), (200, 200), (1200, 333)):
        monkeypatch.setattr(type(program.window), "size", size)
        program.frame()
        assert program.pixels.shape == (size[1], size[0], 3)
    program.post(pygame.QUIT)
    assert not program.window.is_open
