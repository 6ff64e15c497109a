"""The window: the mouse, time, and what is drawn."""

from __future__ import annotations

import pytest

pygame = pytest.importorskip("pygame")

from steer_env.drawing import THEMES  # noqa: E402
from steer_env.rendering.raster import RasterCanvas  # noqa: E402


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


def test_a_person_reads_on_the_board_how_to_start_and_who_it_is(make, written):
    program = make(size=(960, 720), seed=1, annotations=("score",))
    sizes = dict(written)
    assert sizes["Steer to start: arrow keys or W A S D"] > 1.2 * sizes["seed 1"]
    assert {"ready", "still free", "you vs evade", "0.0 s", "h help"} <= sizes.keys()
    assert [text for text, _ in written].count("you") == 2  # beside it and in the legend
    written.clear()
    program.press("up")
    program.frame(0.2)
    texts = {text for text, _ in written}
    assert "you" in texts
    assert not any(text.startswith("Steer to start") for text in texts)
    written.clear()
    program.press("space")
    assert "paused" in {text for text, _ in written}


def test_the_end_is_shown_and_then_the_next_seed_begins(make, written):
    program = make(opponent="idle", horizon=15, seed=8, rounds=2)
    assert pygame.display.get_caption()[0] == "you vs idle - seed 8 - steer_env"
    program.frames(10, 0.1)
    assert program.session.is_over
    assert program.lines == ["seed 8: idle got away from you (0.5 s)"]
    assert (program.pixels == THEMES["light"].evader).all(axis=2).sum() > 100  # the result
    assert "next follows" in {text for text, _ in written}
    program.frames(17, 0.1)
    assert program.session.seed == 9
    program.frames(40, 0.1)
    assert len(program.lines) == 2
    assert not program.window.is_open


def test_a_resized_window_is_filled_again_and_nothing_is_drawn_twice(make, monkeypatch):
    program = make(seed=3)
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
