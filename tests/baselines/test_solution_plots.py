"""Pictures of solved games: their numbers are the solution's, and every kind is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from matplotlib.patches import Circle

from steer_env.baselines import solution_plots
from steer_env.baselines.plots import palette, save
from steer_env.baselines.solution_plots import PSI, solution_map, value_figure
from steer_env.solved import chauffeur, drag, simple, two_cars

CHAUFFEUR = "homicidal_chauffeur"
CLOSED = {"game": CHAUFFEUR, "capture_radius": 0.04}

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def chauffeur_map():
    return solution_map(CHAUFFEUR, cells=60)


def test_the_map_of_the_chauffeur_is_its_solution(chauffeur_map):
    places = chauffeur_map.places
    known = chauffeur.value(places.real, places.imag, 0.3, 0.3)
    np.testing.assert_allclose(chauffeur_map.value, known, atol=1e-9)
    names = chauffeur.region(places.real, places.imag, 0.3, 0.3)
    assert (chauffeur_map.region == names).mean() > 0.999
    right, left = chauffeur_map.barrier
    np.testing.assert_allclose(right, -left.conj())
    assert chauffeur_map.half_width > np.abs(right).max()
    assert len(chauffeur_map.equivocal_line) == 2


def test_the_maps_of_the_others_are_their_solutions():
    plane = solution_map("simple_plane", cells=8)
    np.testing.assert_allclose(plane.value, simple.value(abs(plane.places), 1.0, 0.6, 0.1))
    missed = solution_map("drag", cells=8)
    r = np.stack([missed.places.real, missed.places.imag], axis=-1)
    np.testing.assert_allclose(missed.value, drag.miss(r, 0.0 * r, 4.0, 1.0, 0.6, 0.5))
    cars = solution_map("two_cars", cells=8)
    # The evader's nose is -PSI from the pursuer's, which points along +y.
    seen = -cars.places * np.conj(1j * np.exp(-1j * PSI))
    known = two_cars.value(seen.real, seen.imag, PSI, beta=0.0)
    np.testing.assert_allclose(cars.value, known, atol=1e-6)


def test_names_of_regions_stand_in_them(chauffeur_map):
    names = chauffeur_map.names()
    places = np.array([*names.values()])
    assert (places.real < 0.0).all()
    assert [*names] == chauffeur.region(places.real, places.imag, 0.3, 0.3).tolist()
    assert [*names] == ["T", "D", "S", "W"]
    closed = solution_map(CLOSED, cells=60).names()
    assert all(chauffeur.region(p.real, p.imag, 0.3, 0.04) == n for n, p in closed.items())
    assert {"T", "D"} <= closed.keys()


def _scales_of(figure):
    labels = [child.get_ylabel() for axes in figure.axes for child in axes.child_axes]
    return [label for label in labels if label]


def _legend_of(figure):
    return {text.get_text() for text in figure.legends[0].get_texts()}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_is_written_and_explained(theme, tmp_path):
    figures = []
    save(
        tmp_path / "picture.png",
        lambda: figures.append(value_figure(solution_map(CLOSED, cells=60))) or figures[0],
        theme,
    )
    assert "capture cannot be forced" in _legend_of(figures[0])
    assert len(_scales_of(figures[0])) == 1
    pixels = imread(tmp_path / "picture.png")
    assert pixels[0, 0, :3] == pytest.approx(to_rgb(palette(theme).ground), abs=0.01)
    assert min(pixels.shape[:2]) > 500


def test_regions_and_lines_have_their_names(chauffeur_map):
    figure = value_figure(chauffeur_map)
    assert {"T", "D", "S", "W"} <= {text.get_text() for text in figure.axes[0].texts}
    words = {"T: turn", "D: turn, drive", "S: swerve first", "W: drive away first"}
    assert _legend_of(figure) == {*words, "barrier", "equivocal line", "capture circle"}
    title = "speed ratio (evader / pursuer) 0.3\ncapture radius / turning radius 0.3"
    assert figure.axes[0].get_title("left") == title


@pytest.mark.parametrize("game", ["simple_plane", "perimeter_defense"])
def test_capture_circles_are_drawn_where_there_are_captures(game):
    radius = 0.123
    figure = value_figure(solution_map({"game": game, "capture_radius": radius}, cells=60))
    drawn = [patch for axes in figure.axes for patch in axes.patches]
    radii = [patch.radius for patch in drawn if isinstance(patch, Circle)]
    assert (radius in radii) == (game == "simple_plane")
    assert 0.0 not in radii


@pytest.mark.parametrize("cells", [61, 60])  # with a cell in the capture circle, and without
def test_a_game_without_a_finite_value_has_no_scale(cells):
    game = {"game": "simple_plane", "evader": {"max_speed": 1.0}}
    found = solution_map(game, cells=cells)
    assert not found.has_values
    figure = value_figure(found)
    figure.draw_without_rendering()
    assert not _scales_of(figure)
    assert _legend_of(figure) == {"capture circle", "capture cannot be forced"}


def test_the_command(say, fail, tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("value.png", "value.svg")]
    line = "solution --game simple_plane --theme dark"
    assert say(f"{line} --out", *paths) == f"wrote {paths[0]}, {paths[1]}\n"
    assert all(path.exists() for path in paths)
    # What is refused is not computed first.
    monkeypatch.setattr(solution_plots, "solution_map", None)
    for options, message in (
        ("--game homicidal_chaufeur", "mean 'homicidal_chauffeur'"),
        ("--out value.gif", "unknown ending '.gif'"),
        ("--out", "no file to write"),
    ):
        assert message in fail(f"solution {options}"), options
