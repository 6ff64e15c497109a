"""The example of boids in a user's own program: they flock, and the vectors fit pygame's."""

from __future__ import annotations

import sys

import clients
import numpy as np
import pytest

pytest.importorskip("numba")
pygame = pytest.importorskip("pygame")


@pytest.fixture
def boids(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.syspath_prepend(clients.EXAMPLES)
    import boids

    return boids


def test_vectors_go_to_pixels_and_back(boids):
    assert boids.to_pixels(3 + 2j) == pygame.Vector2(60, 40)
    assert boids.to_meters(boids.to_pixels(3 + 2j)) == 3 + 2j


@pytest.mark.weekly
def test_boids_align_and_flee_from_the_mouse(boids):
    flock = boids.make_boids(200, np.random.default_rng(0))
    size, middle = boids.to_meters(pygame.Vector2(boids.SIZE)), 32 + 18j

    def alignment(flock):  # of each boid with the five nearest ones
        places = flock["position"]
        near = np.abs(places[:, None] - places).argsort(axis=1)[:, 1:6]
        return (flock["heading"].conj()[:, None] * flock["heading"][near]).real.mean()

    before = alignment(flock)
    for _ in range(300):
        flock = boids.step(flock, size, complex(np.inf, 0.0))
    assert alignment(flock) > before + 0.6
    places = flock["position"]
    assert 0.0 <= places.real.min() < places.real.max() < size.real
    flock["position"] = middle + np.exp(2j * np.pi * np.arange(200) / 200)
    for _ in range(60):
        flock = boids.step(flock, size, middle)
    assert np.abs(flock["position"] - middle).min() > 2.0


def test_it_shows_frames_and_saves_the_last(boids, monkeypatch, capsys, tmp_path):
    picture = tmp_path / "boids.png"
    given = ["--boids", "20", "--frames", "5", "--picture", str(picture)]
    monkeypatch.setattr(sys, "argv", ["boids.py", *given])
    boids.main()
    assert "20 boids: " in capsys.readouterr().out
    assert pygame.image.load(picture).get_size() == boids.SIZE
