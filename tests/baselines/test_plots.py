"""Pictures show the given numbers, with names and units."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from matplotlib.text import Text

from baselines.cross_play import crossplay
from baselines.figure_style import LINES, in_use, palette, save, save_both, themed
from baselines.pictures import markdown_picture
from baselines.plots import (
    _readable_on,
    _spread,
    crossplay_figure,
    save_trajectory_plot,
    start_map_figure,
    survival_figure,
)
from baselines.rollouts import evaluate, start_map, trajectory
from steer_env.drawing import THEMES
from steer_env.game.config import game_config
from steer_env.rendering.plate import Plate
from steer_env.rendering.raster import RasterCanvas

PURSUERS = ("seek", "pursuit", "navigation")


@pytest.fixture(scope="module")
def evaluations():
    return [evaluate(pursuer, "evade", episodes=60) for pursuer in PURSUERS]


@pytest.fixture(scope="module")
def trajectories():
    return [trajectory(pursuer, "evade", seed=7) for pursuer in PURSUERS[:2]]


@pytest.fixture(scope="module")
def played():
    return crossplay(PURSUERS, ("flee", "evade", "evade/threatened", "wander"), None, 40)


@pytest.fixture(scope="module")
def maps():
    return [start_map(pursuer, "evade", resolution=9, repeats=1) for pursuer in PURSUERS[:2]]


@pytest.fixture
def figures(evaluations, played, maps):
    return [
        (survival_figure, evaluations),
        (crossplay_figure, played),
        (start_map_figure, maps),
    ]


def _texts(axes):
    return [text.get_text() for text in axes.texts]


def _named(axes, name):
    return [line for line in axes.lines if line.get_label() == name]


def _curves(axes, labels):
    return [_named(axes, label)[0] for label in labels]


def test_a_figure_has_the_colors_of_its_theme(figures, tmp_path):
    for build, given in figures:
        paths = save_both(tmp_path / "figure.png", partial(build, given))
        assert [path.name for path in paths] == ["figure.png", "figure-dark.png"]
        for theme, path in zip(THEMES, paths):
            pixels = imread(path)[..., :3]
            assert pixels[0, 0] == pytest.approx(to_rgb(palette(theme).ground), abs=0.01)
            ink = np.abs(pixels - to_rgb(palette(theme).ink)).max(axis=2) < 0.02
            assert ink.sum() > 500  # texts


def test_curves_have_other_colors_on_a_dark_ground(evaluations):
    with themed("dark"):
        (axes,) = survival_figure(evaluations).axes
        assert in_use() == palette("dark")
    assert in_use() == palette("light")
    found = [line.get_color() for line in _curves(axes, PURSUERS)]
    assert found == list(LINES["dark"][:3])
    assert to_rgb(axes.yaxis.label.get_color()) == to_rgb(palette("dark").ink)


def test_a_theme_ends_with_its_figure_even_if_it_fails(tmp_path):
    def fail():
        assert in_use() == palette("dark")
        raise KeyError

    with pytest.raises(KeyError):
        save(tmp_path / "figure.svg", fail, "dark")
    assert in_use() == palette("light")
    with pytest.raises(ValueError, match="Did you mean 'dark'"):
        save(tmp_path / "figure.svg", fail, "drak")


def test_a_page_shows_a_picture_in_its_readers_theme():
    shown = markdown_picture("Two curves", "ppo/curve.svg")
    assert '(prefers-color-scheme: dark)" srcset="ppo/curve-dark.svg">' in shown
    assert '<img alt="Two curves" src="ppo/curve.svg">' in shown


def test_a_heat_map_is_drawn_from_the_numbers_that_are_kept(played):
    for metric in (None, "capture_rate"):
        axes = [
            crossplay_figure(found, metric).axes[0]
            for found in (played, json.loads(json.dumps(played.to_dict())))
        ]
        assert _texts(axes[0]) == _texts(axes[1])
        names = [[label.get_text() for label in one.get_yticklabels()] for one in axes]
        assert names[0] == names[1]


def test_no_letter_of_a_large_heat_map_is_too_small():
    names = [f"a_rather_long_name/number_{number:02}" for number in range(29)]
    table = {p: {e: {"estimate": 9.5} for e in names[:18]} for p in names}
    ranks = {"pursuer": names, "evader": names[:18]}
    numbers = {
        "config": {},
        "ranking": {side: [{"name": n} for n in found] for side, found in ranks.items()},
        "mean_capture_time": table,
    }
    figure = crossplay_figure(numbers)
    sizes = [text.get_size() for axes in figure.axes for text in axes.findobj(Text)]
    assert min(sizes) / 72 * 830 / figure.get_figwidth() >= 11.0  # shown 830 pixels wide


def test_pictures_are_written_in_each_format(figures, tmp_path):
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for number, (build, data) in enumerate(figures):
        for ending, start in starts.items():
            path = tmp_path / f"{number}.{ending}"
            save(path, partial(build, data, title="A title"))
            assert path.read_bytes().startswith(start)
        height, width = imread(tmp_path / f"{number}.png").shape[:2]
        assert width == 1200
        assert 500 <= height <= 1000


def test_the_same_data_give_the_same_file(evaluations, tmp_path):
    for ending in ("svg", "pdf", "png"):
        paths = [tmp_path / f"{number}.{ending}" for number in (1, 2)]
        for path in paths:
            save(str(path), lambda: survival_figure(evaluations))
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_an_error_leaves_the_old_picture(evaluations, tmp_path, monkeypatch):
    def fail(self, file, **_):
        file.write(b"half")
        raise OSError("no space left")

    path = tmp_path / "picture.png"
    path.write_bytes(b"old")
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", fail)
    with pytest.raises(OSError, match="no space left"):
        save(path, lambda: survival_figure(evaluations))
    assert path.read_bytes() == b"old"


def test_settings_are_left_as_they_were(evaluations, tmp_path):
    before = dict(matplotlib.rcParams)
    save(tmp_path / "survival.png", lambda: survival_figure(evaluations))
    assert dict(matplotlib.rcParams) == before


def test_pyplot_and_its_backend_are_not_touched():
    code = "import sys, baselines.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_wrong_endings_and_folders_are_refused(figures, tmp_path):
    for build, data in figures:
        with pytest.raises(ValueError, match=r"'\.jpg'.*Valid: '\.pdf', '\.png', '\.svg'"):
            save(tmp_path / "picture.jpg", partial(build, data))
        with pytest.raises(ValueError, match=r"no folder .*nowhere"):
            save(tmp_path / "nowhere" / "picture.png", partial(build, data))


def test_nothing_and_other_things_are_refused(figures, tmp_path):
    for build, data in figures:
        if isinstance(data, list):
            with pytest.raises(ValueError, match="at least one"):
                build([])
            with pytest.raises(
                TypeError, match=f"{type(data[0]).__name__} objects, got 'seek'"
            ):
                build(["seek"])


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
    assert axes.get_ylabel() == "share of evaders still free, with 95 % band"


def test_curves_are_labeled_by_what_differs(evaluations):
    axes = survival_figure(evaluations).axes[0]
    assert _texts(axes) == list(PURSUERS)
    assert axes.get_title(loc="left") == "evader: evade"
    others = [evaluate("pursuit", evader, episodes=5) for evader in ("evade", "flee")]
    axes = survival_figure(others).axes[0]
    assert _texts(axes) == ["evade", "flee"]
    assert axes.get_title(loc="left") == "pursuer: pursuit"
    axes = survival_figure([evaluations[0], others[1]], "Two").axes[0]
    assert _texts(axes) == ["seek v evade", "pursuit v flee"]
    assert axes.get_title(loc="left") == "Two"
    assert _texts(survival_figure(evaluations[0]).axes[0]) == ["seek v evade"]


def test_teams_are_counted_by_episode():
    teams = evaluate("pursuit", "evade", game_config(evaders=2), episodes=5)
    assert "episodes still running" in survival_figure(teams).axes[0].get_ylabel()


@pytest.mark.parametrize(
    "wanted", [[0.5], [0.5, 0.5], [0.0, 0.0, 0.0], [0.9, 0.1, 0.12, 0.11, 0.0], [1.0, 0.98]]
)
def test_names_are_spread_in_order(wanted):
    heights = _spread(wanted, 0.07)
    pairs = pairwise(sorted(heights))
    assert all(upper - lower >= 0.07 - 1e-12 for lower, upper in pairs)
    assert min(heights) >= 0.0
    assert (np.diff(np.array(wanted)[np.argsort(heights)]) >= 0.0).all()


def test_names_with_room_stay_beside_their_curves():
    assert _spread([0.8, 0.2, 0.5], 0.07) == [0.8, 0.2, 0.5]


def test_trajectories_are_a_plate_of_two_columns(trajectories, tmp_path):
    save_trajectory_plot(tmp_path / "tracks.png", trajectories * 2)
    plate = Plate(trajectories * 2, 2, 400)
    pixels = np.zeros((plate.height, plate.width, 3), np.uint8)
    plate.draw(RasterCanvas(pixels))
    picture = np.rint(255 * imread(tmp_path / "tracks.png")[..., :3]).astype(np.uint8)
    np.testing.assert_array_equal(picture, pixels)
    save_trajectory_plot(tmp_path / "track.png", trajectories[0])
    assert imread(tmp_path / "track.png").shape[1] == 400


def test_trajectories_as_a_vector_graphic_are_described_in_words(trajectories, tmp_path):
    save_trajectory_plot(tmp_path / "tracks.svg", trajectories)
    content = (tmp_path / "tracks.svg").read_text(encoding="utf-8")
    one, other = (found.status.result for found in trajectories)
    assert f"<title>seek v evade: {one}; pursuit v evade: {other}</title>" in content


@pytest.mark.parametrize("ending", [".jpg", ".pdf"])
def test_wrong_files_for_trajectories_are_refused(trajectories, ending, tmp_path):
    with pytest.raises(ValueError, match=rf"'\{ending}'.*Valid: '\.png', '\.svg'"):
        save_trajectory_plot(tmp_path / f"tracks{ending}", trajectories)
    with pytest.raises(ValueError, match=r"no folder .*nowhere"):
        save_trajectory_plot(tmp_path / "nowhere" / "tracks.png", trajectories)
    with pytest.raises(ValueError, match="at least one"):
        save_trajectory_plot(tmp_path / "tracks.png", [])
    with pytest.raises(TypeError, match="Recording objects, got 'seek'"):
        save_trajectory_plot(tmp_path / "tracks.png", ["seek"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("metric", ["mean_capture_time", "capture_rate"])
def test_the_heat_map_holds_the_means_in_the_order_of_the_ranking(played, metric):
    axes, bar = crossplay_figure(played, metric).axes
    names = [
        [tick.get_text() for tick in ticks]
        for ticks in (axes.get_yticklabels(), axes.get_xticklabels())
    ]
    assert names[0] == [rank.name for rank in played.ranking("pursuer")]
    assert names[1] == [rank.name for rank in played.ranking("evader")]
    numbers = iter(axes.texts)
    for row, pursuer in enumerate(names[0]):
        for column, evader in enumerate(names[1]):
            episodes = played[pursuer, evader]
            mean, digits = episodes["time"].mean(), 1
            if metric == "capture_rate":
                mean, digits = 100.0 * episodes["captured"].mean(), 0
            text = next(numbers)
            assert text.get_position() == (column, row)
            assert text.get_text() == f"{mean:.{digits}f}"
            assert axes.images[0].get_array()[row, column] == pytest.approx(mean)
    unit = {"mean_capture_time": "mean capture time [s]", "capture_rate": "capture rate [%]"}
    assert bar.get_ylabel() == unit[metric]


def luminance(color):
    """By the guidelines (WCAG 2), from 0 for black to 1 for white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_numbers_can_be_read_on_every_color(played):
    axes = crossplay_figure(played).axes[0]
    image = axes.images[0]
    for text, value in zip(axes.texts, image.get_array().ravel(), strict=True):
        assert contrast(to_rgb(text.get_color()), image.to_rgba(value)) > 4.5


@pytest.mark.parametrize("color", np.random.default_rng(0).uniform(size=(50, 3)).tolist())
def test_one_of_black_and_white_can_be_read_on_any_color(color):
    assert contrast(to_rgb(_readable_on(color)), color) > 4.5


def test_contrast_is_that_of_the_guidelines():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21.0)
    assert contrast(to_rgb("#767676"), (1, 1, 1)) == pytest.approx(4.54, abs=0.005)


def test_a_single_pair_and_an_unknown_metric(tmp_path):
    one = crossplay(["seek"], ["evade"], None, 3)
    save(tmp_path / "one.png", lambda: crossplay_figure(one))
    with pytest.raises(ValueError, match="unknown metric 'time'"):
        crossplay_figure(one, "time")


@pytest.mark.parametrize("count", [1, 3])
def test_any_number_of_maps_is_drawn(maps, count):
    *panels, _ = start_map_figure((maps * 2)[:count]).axes
    assert [len(axes.images) for axes in panels] == [1] * count


def test_maps_share_one_scale_and_show_the_pursuer(maps):
    figure = start_map_figure(maps, "Two maps")
    *panels, bar = figure.axes
    longest = max(found.mean_payoffs.max() for found in maps)
    for axes, found in zip(panels, maps, strict=True):
        image = axes.images[0]
        np.testing.assert_array_equal(image.get_array(), found.mean_payoffs)
        assert image.get_clim() == (0.0, longest)
        assert image.origin == "lower"
        np.testing.assert_allclose(image.get_extent(), [-9.7, 9.7, -9.7, 9.7])
        assert axes.get_title() == f"{found.pursuer} v evade"
        arrow = next(patch for patch in axes.patches if patch.get_label() == "pursuer")
        start, end = arrow._posA_posB
        assert start == (0.0, 0.0)
        assert end[0] > 0.0 == end[1]
    assert bar.get_ylabel() == "mean capture time [s]"
    assert figure.get_suptitle() == "Two maps"
