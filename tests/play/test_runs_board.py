"""A replay shows the person's round and the others' on one board."""

import numpy as np
import pytest

from play.rounds import faced, played
from steer_env.drawing import RUN_COLORS, DrawingConfig
from steer_env.interface.buttons import Pointer
from steer_env.interface.lockstep import Lockstep
from steer_env.play.rounds import others, rivals
from steer_env.play.runs_board import RunsBoard, draw_replay
from steer_env.play.screens import Screen
from steer_env.rendering.raster import RasterCanvas
from steer_env.sides import EVADER, PURSUER

pytest.importorskip("pygame")


def replay_of(side, opponent, seed=2, push=lambda _: 0j, **keywords):
    challenged = faced(side, opponent, horizon=200, **keywords)
    mine = played(challenged, seed, push).history
    lockstep = Lockstep([mine, *others(challenged, seed)])
    return lockstep, RunsBoard(lockstep.games, side, rivals(challenged))


def shown(lockstep, board, size=(700, 620), annotations=("trail",), chosen=None):
    """The picture, and the texts in it."""
    pixels, texts = np.zeros((size[1], size[0], 3), np.uint8), []
    drawing = DrawingConfig(annotations=annotations)
    with pytest.MonkeyPatch.context() as patch:
        write = RasterCanvas.text

        def noted(canvas, string, *arguments, **keywords):
            texts.append(string)
            return write(canvas, string, *arguments, **keywords)

        patch.setattr(RasterCanvas, "text", noted)
        canvas = RasterCanvas(pixels)
        frame = Screen(canvas, drawing.colors, Pointer(), chosen or (lambda key: None))
        draw_replay(frame, canvas, drawing, board, lockstep)
    return pixels, texts


@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_each_run_has_its_color_and_its_name(side):
    lockstep, board = replay_of(side, "wander")
    lockstep.go_to_end()
    pixels, texts = shown(lockstep, board)
    for color in RUN_COLORS["light"][:3]:
        assert (np.abs(pixels.astype(int) - color).max(axis=-1) < 8).sum() > 15
    assert any(text.startswith("you") for text in texts)
    assert any(side.default_script in text for text in texts)
    assert any("tuned/walls" in text for text in texts)


def test_results_are_beside_the_runs_that_have_ended():
    lockstep, board = replay_of(PURSUER, "rest")
    _, texts = shown(lockstep, board)
    assert not any("caught" in text for text in texts)
    lockstep.go_to_end()
    _, texts = shown(lockstep, board)
    ends = [game.status(game.last).seconds for game in lockstep.games[1:]]
    for seconds in ends:
        assert any(f"caught {seconds:.1f} s" in text for text in texts)
    assert any(text.startswith("you, not within") for text in texts)


def test_the_time_goes_on_above_the_board():
    lockstep, board = replay_of(PURSUER, "rest")
    filled = []
    for moment in (0, 100, 200):
        lockstep.moment = moment
        pixels, texts = shown(lockstep, board)
        assert f"{moment / 30:.1f} s" in texts
        color = DrawingConfig().colors.pursuer
        filled.append((pixels[:50] == color).all(axis=-1).sum())
    assert filled[0] < 0.1 * filled[1] < 0.1 * filled[2]


def test_the_board_has_one_scale_in_the_open():
    lockstep, board = replay_of(PURSUER, "rest", push=lambda _: 1 + 0j, arena="open")
    first, _ = shown(lockstep, board)
    lockstep.go_to_end()
    last, _ = shown(lockstep, board, annotations=())
    walls = slice(60, 100), slice(300, 302)
    assert np.array_equal(first[walls], last[walls])


@pytest.mark.parametrize("size", [(200, 200), (320, 240), (600, 400), (1600, 1000), (300, 900)])
def test_it_is_drawn_at_any_size(size):
    lockstep, board = replay_of(PURSUER, "rest")
    pixels, _ = shown(lockstep, board, size)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20
