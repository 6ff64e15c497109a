"""Small pictures show the game alone, crowds few annotations, and no mark hides a vehicle."""

import dataclasses

import numpy as np
import pytest
from chases import is_color, record, texts

from steer_env.drawing import LEAST_TEXT_SIDE, RUN_COLORS, THEMES, DrawingConfig
from steer_env.rendering.annotations import annotated
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.marks import MOST_ANNOTATED
from steer_env.rendering.plate import plate_of
from steer_env.rendering.renderer import Renderer, Replay

LIGHT, RUN = THEMES["light"], RUN_COLORS["light"][0]
BOARD = DrawingConfig(300)
LONG = ("pretrained/pack_obstacles/pursuit", "escape/among_obstacles")


@pytest.fixture(scope="module")
def chase():
    return record(names=LONG, obstacles=0)[0]


@pytest.fixture(scope="module")
def crowd():
    return record(pursuers=3, evaders=40, horizon=2)[0]


def texts_of(recording, size, annotations="all"):
    return texts(Replay(recording, DrawingConfig(size, "light", annotations)).picture(1))


def test_long_names_in_the_legend_keep_both_ends_and_show_that_they_are_cut(chase):
    shown = [text for text in texts_of(chase, 300, ("score",)) if "…" in text]
    assert len(shown) == 2
    for name, cut in zip(LONG, shown):
        start, end = cut.split("…")
        assert name.startswith(start)
        assert name.endswith(end)
        assert min(len(start), len(end)) >= 3
    assert set(LONG) <= set(texts_of(chase, 900, ("score",)))


def test_small_pictures_show_the_game_alone_and_the_arena_fills_them(chase):
    assert texts_of(chase, LEAST_TEXT_SIDE)
    for side in (84, LEAST_TEXT_SIDE - 1):
        assert not texts_of(chase, side)
    drawing = DrawingConfig(84, "light", ("velocity", "force", "aim", "names", "score"))
    frame, bare, trail = (
        Replay(chase, dataclasses.replace(drawing, annotations=shown)).picture(20).pixels()
        for shown in (drawing.annotations, (), ("trail",))
    )
    assert np.array_equal(frame, bare)
    assert not np.array_equal(trail, bare)  # which is to scale
    assert any(is_color(frame[4, 4], color) for color in (LIGHT.ground, LIGHT.grid))
    assert not is_color(frame[[0, -1]], LIGHT.wall).any()  # the walls are not cut off
    assert is_color(frame[1, 10:74], LIGHT.wall).all()
    for color in (LIGHT.pursuer, LIGHT.evader):
        assert is_color(frame, color).sum() > 15
    renderer = Renderer(
        chase.config, drawing, ([None], [None])
    )  # a running game looks the same
    assert np.array_equal(renderer.picture(chase.states[20]).pixels(), frame)


def test_plates_of_small_panels_shorten_results_and_boards_have_no_captions(chase):
    assert plate_of([chase, chase], 2, 84).svg().count("…") >= 2 + 2
    assert "<text" not in Ghosts([chase, chase], DrawingConfig(84)).picture(5).svg()


def test_of_a_crowd_the_first_free_players_are_annotated(crowd, chase):
    state = crowd.states[1].copy()
    state["players"]["active"] = True
    assert annotated(state, 3) == [*range(3 + MOST_ANNOTATED)]
    state["players"]["active"][[4, 5]] = False
    assert annotated(state, 3) == [0, 1, 2, 3, *range(6, 5 + MOST_ANNOTATED)]
    state["players"]["active"][3:] = False  # also captured ones have names
    assert annotated(state, 3) == [*range(3 + MOST_ANNOTATED)]
    drawn = crowd.annotations(1)
    assert len(drawn) == 43
    assert {} not in drawn[: 3 + MOST_ANNOTATED]
    assert drawn[3 + MOST_ANNOTATED :] == [{}] * (40 - MOST_ANNOTATED)
    names = {text for text in texts_of(crowd, 900) if text.startswith(("fox ", "hare "))}
    assert 3 < len(names) <= 3 + MOST_ANNOTATED
    assert not {f"hare {number}" for number in range(MOST_ANNOTATED + 1, 41)} & names
    (single,) = record(evaders=1)
    for found, word in ((crowd, "mean distance"), (single, "distance")):
        meters = found.states["game"]["distance"][1]
        assert f"{word} {meters:.1f} m" in texts_of(found, 600)


def captured_below_its_captor():
    """An episode whose evader was caught in the middle, where its captor rests."""
    (found,) = record(pursuers=1, evaders=1, obstacles=0)
    states = found.states[-1:].copy()
    states["players"]["active"][0, -1] = False
    states["players"]["body"]["position"] = 0
    states["players"]["body"]["heading"] = 1
    return dataclasses.replace(found, states=states, forces=0 * found.forces[-1:])


def panel_of(recording):
    plate = plate_of([recording], 1, 300)
    (top,) = (int(each[0].imag) for kind, each in plate.primitives if kind == "part")
    return plate.pixels()[top : top + 300]


@pytest.mark.parametrize(
    ("draw", "captor", "mark"),
    [
        (
            lambda found: Replay(found, DrawingConfig(300)).picture(0).pixels(),
            LIGHT.pursuer,
            LIGHT.evader,
        ),
        (panel_of, LIGHT.pursuer, LIGHT.evader),
        (lambda found: Ghosts([found], DrawingConfig(300)).picture(0).pixels(), RUN, RUN),
    ],
    ids=["scene", "plate", "ghosts"],
)
def test_a_captor_at_rest_and_the_mark_below_it_are_both_visible(draw, captor, mark):
    frame = draw(captured_below_its_captor())
    rows, columns = np.indices(frame.shape[:2])
    away = np.hypot(rows - 150, columns - 150)
    body = 0.019 * 300
    assert is_color(frame[150, 150], captor)  # not the mark's ground
    assert is_color(frame, captor)[away < body].sum() > 15
    ring = is_color(frame, mark)[(away > 1.3 * body) & (away < 1.7 * body)]
    assert ring.mean() > 0.3
