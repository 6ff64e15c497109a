"""Pictures show the given numbers, with names and units."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from page_parts import save_both

from steer_env.baselines.cross_play import crossplay, ranking
from steer_env.baselines.plots import (
    crossplay_figure,
    palette,
    save,
    survival_figure,
)
from steer_env.baselines.rollouts import evaluate
from steer_env.drawing import THEMES, contrast
from steer_env.game.config import make_game

PURSUERS = ("seek", "pursuit", "navigation")


@pytest.fixture(scope="module")
def evaluations():
    return [evaluate(pursuer, "evade", episodes=60) for pursuer in PURSUERS]


@pytest.fixture(scope="module")
def played():
    return crossplay(PURSUERS, ("flee", "evade", "evade/threatened", "wander"), None, 40)


def _labels(figure):
    return [text.get_text() for text in figure.legends[0].texts]


def _curves(axes, labels):
    return [line for label in labels for line in axes.lines if line.get_label() == label]


def test_a_figure_has_the_colors_of_its_theme(evaluations, played, tmp_path):
    both = (survival_figure, evaluations), (crossplay_figure, played.to_dict())
    for build, given in both:
        paths = save_both(tmp_path / "figure.png", partial(build, given))
        assert [path.name for path in paths] == ["figure.png", "figure-dark.png"]
        for theme, path in zip(THEMES, paths):
            pixels = imread(path)[..., :3]
            assert pixels[0, 0] == pytest.approx(to_rgb(palette(theme).ground), abs=0.01)
            ink = np.abs(pixels - to_rgb(palette(theme).ink)).max(axis=2) < 0.02
            assert ink.sum() > 500  # texts


@pytest.mark.parametrize(
    ("ending", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_same_data_give_the_same_file_of_each_format(evaluations, ending, head, tmp_path):
    paths = [tmp_path / f"{number}.{ending}" for number in (1, 2)]
    before = dict(matplotlib.rcParams)
    for path in paths:
        save(str(path), lambda: survival_figure(evaluations))
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes().startswith(head)
    assert dict(matplotlib.rcParams) == before


def test_pyplot_and_its_backend_are_not_touched():
    code = "import sys, steer_env.baselines.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_cannot_be_drawn_or_written_is_refused(evaluations, tmp_path):
    for name, words in (("picture.jpg", "jpg"), ("nowhere/picture.png", "nowhere")):
        with pytest.raises(ValueError, match=words):
            save(tmp_path / name, lambda: survival_figure(evaluations))
    distances = evaluate("seek", "flee", "drag", 4)
    for given, error, words in (
        ([], ValueError, "at least one"),
        (["seek"], TypeError, "what evaluate or crossplay returned"),
        ([evaluations[0], distances], ValueError, "capture times or distances"),
    ):
        with pytest.raises(error, match=words):
            survival_figure(given)


def test_survival_lines_are_the_curves(evaluations):
    axes = survival_figure(evaluations).axes[0]
    for line, evaluation in zip(_curves(axes, PURSUERS), evaluations, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), evaluation.survival.times)
        np.testing.assert_array_equal(line.get_ydata(), evaluation.survival.share)
        assert line.get_drawstyle() == "steps-post"
    for band, evaluation in zip(axes.collections, evaluations, strict=True):
        heights = band.get_paths()[0].vertices[:, 1]
        assert heights.min() == evaluation.survival.low.min()
        assert heights.max() == evaluation.survival.high.max()
    assert axes.get_xlabel() == "time [s]"
    assert axes.get_ylabel() == "share of evaders still free, with 95% band"


def test_curves_are_labeled_by_what_differs(evaluations):
    figure = survival_figure(evaluations)
    assert _labels(figure) == list(PURSUERS)
    assert figure.axes[0].get_title(loc="left") == "evader: evade"
    others = [evaluate("pursuit", evader, episodes=5) for evader in ("evade", "flee")]
    figure = survival_figure(others)
    assert _labels(figure) == ["evade", "flee"]
    assert figure.axes[0].get_title(loc="left") == "pursuer: pursuit"
    figure = survival_figure([evaluations[0], others[1]])
    assert _labels(figure) == ["seek vs evade", "pursuit vs flee"]


def test_teams_are_counted_by_episode_and_distances_have_their_unit():
    teams = evaluate("pursuit", "evade", make_game(evaders=2), episodes=5)
    assert "episodes still running" in survival_figure(teams).axes[0].get_ylabel()
    found = evaluate("optimal/drag", "flee", "drag", 40)
    axes = survival_figure(found).axes[0]
    assert axes.get_xlabel() == "distance [m]"
    assert axes.get_ylabel().startswith("share with a larger distance")
    assert axes.get_xlim()[1] == found["distance"].max()


def test_the_heat_map_holds_the_means_in_the_order_of_the_ranking(played):
    axes, bar = crossplay_figure(json.loads(json.dumps(played.to_dict()))).axes
    names = [
        [tick.get_text() for tick in ticks]
        for ticks in (axes.get_yticklabels(), axes.get_xticklabels())
    ]
    assert names == [[*ranking(played, side)] for side in ("pursuer", "evader")]
    numbers = iter(axes.texts)
    for row, pursuer in enumerate(names[0]):
        for column, evader in enumerate(names[1]):
            pair, text = played.where(pursuer=pursuer, evader=evader), next(numbers)
            mean = pair["time"].mean()
            assert text.get_position() == (column, row)
            assert text.get_text() == f"{mean:.1f}"
            assert axes.images[0].get_array()[row, column] == pytest.approx(mean)
    assert bar.get_ylabel() == "mean capture time [s]"


def test_numbers_can_be_read_on_every_color(played):
    axes = crossplay_figure(played.to_dict()).axes[0]
    image = axes.images[0]
    for text, value in zip(axes.texts, image.get_array().ravel(), strict=True):
        shades = [np.array(to_rgb(x)) for x in (text.get_color(), image.to_rgba(value)[:3])]
        assert contrast(*(tuple((255 * shade).round()) for shade in shades)) > 4.5
