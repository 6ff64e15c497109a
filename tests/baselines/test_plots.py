"""Pictures show the numbers that they are given, with names, units and nothing lost."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from baselines.crossplay import crossplay
from baselines.evaluate import evaluate
from baselines.plots import (
    _spread,
    contrast,
    crossplay_figure,
    save_crossplay_plot,
    save_start_map_plot,
    save_survival_plot,
    save_trajectory_plot,
    start_map_figure,
    survival_figure,
    trajectory_figure,
)
from baselines.track_drawing import ending, interval, split_where_it_wraps
from baselines.trajectories import start_map, trajectory
from steer_env.envs.keywords import game_config

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
def savers(evaluations, trajectories, played, maps):
    return [
        (save_survival_plot, evaluations),
        (save_trajectory_plot, trajectories),
        (save_crossplay_plot, played),
        (save_start_map_plot, maps),
    ]


def _texts(axes):
    return [text.get_text() for text in axes.texts]


def _named(axes, name):
    return [line for line in axes.lines if line.get_label() == name]


def _curves(axes, labels):
    return [_named(axes, label)[0] for label in labels]


def test_pictures_are_written_in_each_format(savers, tmp_path):
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for number, (save, data) in enumerate(savers):
        for ending_, start in starts.items():
            path = tmp_path / f"{number}.{ending_}"
            save(path, data, title="A title")
            assert path.read_bytes().startswith(start)
        height, width = imread(tmp_path / f"{number}.png").shape[:2]
        assert width == 1200
        assert 500 <= height <= 1000


def test_the_same_data_give_the_same_file(evaluations, tmp_path):
    for ending_ in ("svg", "pdf", "png"):
        paths = [tmp_path / f"{number}.{ending_}" for number in (1, 2)]
        for path in paths:
            save_survival_plot(str(path), evaluations)
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_settings_are_left_as_they_were(trajectories, tmp_path):
    before = dict(matplotlib.rcParams)
    save_trajectory_plot(tmp_path / "tracks.png", trajectories)
    assert dict(matplotlib.rcParams) == before


def test_pyplot_and_its_backend_are_not_touched():
    code = "import sys, baselines.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_wrong_endings_and_folders_are_refused(savers, tmp_path):
    for save, data in savers:
        with pytest.raises(ValueError, match=r"'\.jpg'.*Valid: '\.pdf', '\.png', '\.svg'"):
            save(tmp_path / "picture.jpg", data)
        with pytest.raises(ValueError, match=r"no folder .*nowhere"):
            save(tmp_path / "nowhere" / "picture.png", data)


def test_nothing_and_other_things_are_refused(savers, tmp_path):
    for save, data in savers:
        if isinstance(data, list):
            with pytest.raises(ValueError, match="at least one"):
                save(tmp_path / "picture.png", [])
            with pytest.raises(
                TypeError, match=f"{type(data[0]).__name__} objects, got 'seek'"
            ):
                save(tmp_path / "picture.png", ["seek"])


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


def test_curves_are_named_by_what_differs(evaluations):
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


def test_tracks_are_the_trajectories(trajectories):
    figure = trajectory_figure(trajectories)
    for axes, found in zip(figure.axes, trajectories, strict=True):
        for player, line in enumerate(_named(axes, "track")):
            np.testing.assert_array_equal(line.get_xdata(), found.positions[:, player].real)
            np.testing.assert_array_equal(line.get_ydata(), found.positions[:, player].imag)
        assert [line.get_color() for line in _named(axes, "track")] == ["#d55e00", "#0072b2"]
        seconds = np.arange(30, len(found.times), 30)
        np.testing.assert_array_equal(
            _named(axes, "dots")[0].get_xdata(), found.positions[seconds, 0].real
        )
        assert f"{found.pursuer} v evade\nseed 7: {ending(found)}" == axes.get_title()
        assert axes.get_xlabel() == "x [m]"
        assert axes.get_aspect() == 1.0
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
    legend = {text.get_text() for text in figure.legends[0].texts}
    assert {"pursuer", "evader", "start", "every second"} <= legend


def test_times_are_written_clear_of_each_other(trajectories):
    figure = trajectory_figure(trajectories)
    figure.canvas.draw()
    for axes in figure.axes:
        assert any(text.endswith(" s") for text in _texts(axes))
        frame = axes.get_window_extent()
        boxes = [text.get_window_extent() for text in axes.texts]
        for number, box in enumerate(boxes):
            assert frame.fully_containsx(box.x0)
            assert frame.fully_containsx(box.x1)
            core = box.shrunk_to_aspect(box.height / box.width).shrunk(0.9, 0.9)
            assert not any(core.overlaps(other) for other in boxes[:number])


def test_the_capture_circle_is_at_the_end():
    caught = trajectory("navigation", "evade", seed=7)
    assert caught.captured
    axes = trajectory_figure(caught).axes[0]
    circle = next(patch for patch in axes.patches if hasattr(patch, "radius"))
    end = caught.positions[-1, 0]
    assert circle.center == (end.real, end.imag)
    assert circle.radius == caught.config.capture_radius
    assert len(_named(axes, "caught")) == 1


@pytest.mark.parametrize(
    "keywords",
    [
        {"arena": "torus", "obstacles": 3},
        {"arena": "open"},
        {"pursuers": 3, "evaders": 2, "obstacles": ((2.0, 2.0, 1.0),)},
        {"horizon": 1},
        {"horizon": 3000},
    ],
)
def test_games_of_all_kinds_can_be_drawn(keywords, tmp_path):
    found = trajectory("pursuit", "evade", game_config(**keywords), 1)
    save_trajectory_plot(tmp_path / "tracks.png", [found] * 3, "Three")
    axes = trajectory_figure(found).axes[0]
    assert len(_named(axes, "track")) == found.positions.shape[1]
    low, high = axes.get_xlim()
    assert low < found.positions.real.min() < found.positions.real.max() < high


def test_a_team_mate_that_is_caught_ends_its_track():
    found = trajectory("pursuit", "evade", game_config(pursuers=3, evaders=2), 1)
    counts = found.active[:, 3:].sum(axis=0)
    tracks = _named(trajectory_figure(found).axes[0], "track")[3:]
    for line, count in zip(tracks, counts, strict=True):
        assert len(line.get_xdata()) == min(count + 1, len(found.times))
    assert counts.min() < len(found.times) - 1


def test_a_track_is_cut_where_it_wraps():
    track = np.array([9.8, 9.9, -9.9, -9.8 + 9.9j, -9.7 - 9.9j])
    cut = split_where_it_wraps(track, 20.0)
    assert np.isnan(cut).tolist() == [False, False, True, False, False, True, False]
    np.testing.assert_array_equal(cut[~np.isnan(cut)], track)


def test_ends_are_told_in_words(trajectories):
    assert ending(trajectories[0]) == "free for 20.0 s"
    assert ending(trajectory("pursuit/intercept", "evade", seed=7)) == "caught after 3.8 s"
    config = game_config(pursuers=2, evaders=3, horizon=30)
    assert ending(trajectory("rest", "rest", config)) == "free for 1.0 s, 0 of 3 caught"


def test_marks_are_round_seconds():
    assert interval(20.0, 30) == 1
    assert interval(20.0, 5) == 5
    assert interval(26.0, 5) == 10
    assert interval(1e9, 5) == 10_000


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


def test_numbers_can_be_read_on_every_color(played):
    axes = crossplay_figure(played).axes[0]
    image = axes.images[0]
    for text, value in zip(axes.texts, image.get_array().ravel(), strict=True):
        assert contrast(to_rgb(text.get_color()), image.to_rgba(value)) > 4.5


def test_contrast_is_that_of_the_guidelines():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21.0)
    assert contrast((0.3, 0.3, 0.3), (0.3, 0.3, 0.3)) == 1.0
    assert contrast(to_rgb("#767676"), (1, 1, 1)) == pytest.approx(4.54, abs=0.005)


def test_a_single_pair_and_an_unknown_metric(tmp_path):
    one = crossplay(["seek"], ["evade"], None, 3)
    save_crossplay_plot(tmp_path / "one.png", one)
    with pytest.raises(ValueError, match="unknown metric 'time'"):
        save_crossplay_plot(tmp_path / "one.png", one, "time")


def test_maps_share_one_scale_and_show_the_pursuer(maps):
    figure = start_map_figure(maps, "Two maps")
    *panels, bar = figure.axes
    longest = max(found.mean_capture_times.max() for found in maps)
    for axes, found in zip(panels, maps, strict=True):
        image = axes.images[0]
        np.testing.assert_array_equal(image.get_array(), found.mean_capture_times)
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
