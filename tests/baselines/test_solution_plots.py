"""Pictures of solved games: their numbers are the solution's, and every kind is drawn."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from matplotlib.patches import Circle

from steer_env.baselines import solution_maps
from steer_env.baselines.plots import palette, save
from steer_env.baselines.solution_maps import (
    PSI,
    seen_places,
    solution_map,
    states_at,
    trajectories,
)
from steer_env.baselines.solution_plots import trajectories_figure, value_figure
from steer_env.baselines.solved_games import PERFECT
from steer_env.errors import InvalidValue
from steer_env.game.config import make_game
from steer_env.scenarios.registry import SOLVED
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


def test_places_in_regions_lie_in_them(chauffeur_map):
    for name in ("T", "D", "S", "W"):
        for place in chauffeur_map.inner_places(name, 2):
            assert place.real > 0.0
            assert chauffeur.region(place.real, place.imag, 0.3, 0.3) == name
    names = chauffeur_map.names()
    places = np.array([*names.values()])
    assert [*names] == chauffeur.region(places.real, places.imag, 0.3, 0.3).tolist()
    assert [*names] == ["T", "D", "S", "W"]
    closed = solution_map(CLOSED, cells=60)
    regions = {chauffeur.region(p.real, p.imag, 0.3, 0.04) for p in closed.starts()}
    assert regions == {"T", "D"}


def test_the_frame_turns_with_a_car():
    config = make_game(game=CHAUFFEUR)
    states = states_at(config, np.array([1.0 + 2.0j, -1.0]))
    body = states["players"]["body"]
    np.testing.assert_allclose(seen_places(config, body), [1.0 + 2.0j, -1.0])
    body["heading"] *= 1j
    body["position"] *= 1j
    np.testing.assert_allclose(seen_places(config, body), [1.0 + 2.0j, -1.0], atol=1e-12)


@pytest.mark.parametrize("game", SOLVED)
def test_perfect_episodes_end_at_about_their_value(game):
    found = solution_map(game, cells=60)
    played = trajectories(found)
    assert 4 <= len(played[PERFECT]) <= 6
    assert [*played] == [PERFECT]
    for episode, start in zip(played[PERFECT], found.starts()):
        assert episode.payoff == pytest.approx(episode.value, abs=0.02)
        assert episode.places[0] == pytest.approx(start)
        assert len(episode.bodies) == len(episode.places)
        if found.config.payoff == "time":
            assert episode.captured
            place = episode.bodies["position"][-2:]
            before, last = np.abs(place[:, -1:] - place[:, :-1]).min(axis=1)
            assert last < found.config.capture_radius + 0.02 < before + 0.05


KINDS = ("value", "trajectories")


def _figure_of(kind, game):
    found = solution_map(game, cells=60)
    if kind == "value":
        return value_figure(found)
    return trajectories_figure(found, trajectories(found, "seek"))


def _scales_of(figure):
    labels = [child.get_ylabel() for axes in figure.axes for child in axes.child_axes]
    return [label for label in labels if label]


def _legend_of(figure):
    return {text.get_text() for text in figure.legends[0].get_texts()}


@pytest.mark.parametrize(("kind", "theme"), list(zip(KINDS, ("light", "dark"))))
def test_every_kind_is_written_and_explained(kind, theme, tmp_path):
    figures = []
    save(
        tmp_path / "picture.png",
        lambda: figures.append(_figure_of(kind, CLOSED)) or figures[0],
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", ["simple_plane", "perimeter_defense"])
def test_capture_circles_are_drawn_where_there_are_captures(kind, game):
    radius = 0.123
    figure = _figure_of(kind, {"game": game, "capture_radius": radius})
    drawn = [patch for axes in figure.axes for patch in axes.patches]
    radii = [patch.radius for patch in drawn if isinstance(patch, Circle)]
    assert (radius in radii) == (game == "simple_plane")
    assert 0.0 not in radii


def test_the_panels_of_episodes_are_titled_in_words():
    figure = _figure_of("trajectories", CHAUFFEUR)
    titles = [axes.get_title("left") for axes in figure.axes]
    assert any(re.match(r"swerve first \(S\)\nvalue [\d.]+ s, played ", one) for one in titles)


@pytest.mark.parametrize("cells", [61, 60])  # with a cell in the capture circle, and without
def test_a_game_without_a_finite_value_has_no_scale_and_no_trajectories(cells):
    game = {"game": "simple_plane", "evader": {"max_speed": 1.0}}
    found = solution_map(game, cells=cells)
    assert not found.has_values
    assert found.starts() == []
    figure = value_figure(found)
    figure.draw_without_rendering()
    assert not _scales_of(figure)
    assert _legend_of(figure) == {"capture circle", "capture cannot be forced"}
    with pytest.raises(InvalidValue, match="no start outside the capture circle"):
        trajectories(found)


def test_the_command(say, fail, tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("value.png", "value.svg")]
    line = "solution --game simple_plane --theme dark"
    assert say(f"{line} --out", *paths) == f"wrote {paths[0]}, {paths[1]}\n"
    assert all(path.exists() for path in paths)
    # What is refused is not computed first.
    monkeypatch.setattr(solution_maps, "solution_map", None)
    for options, message in (
        ("--game homicidal_chaufeur", "mean 'homicidal_chauffeur'"),
        ("--show trajectories --pursuer sek", "Did you mean 'seek'"),
        ("--pursuer seek", "leave out --pursuer"),
        ("--show trajectories --pursuer seek --evader flee", "not both"),
        ("--env DragEvade-v0 --show trajectories --pursuer seek", "--evader"),
        ("--out value.gif", "unknown ending '.gif'"),
        ("--out", "no file to write"),
    ):
        assert message in fail(f"solution {options}"), options
