"""The example that fits steering laws to recorded tracks finds those that made them."""

from __future__ import annotations

import sys

import clients
import numpy as np
import pytest

pytest.importorskip("matplotlib")


@pytest.fixture
def modules(monkeypatch):
    monkeypatch.syspath_prepend(clients.EXAMPLES)
    monkeypatch.syspath_prepend(clients.ROOT / "tests" / "examples")
    import fit_tracks
    import tracks

    return fit_tracks, tracks


@pytest.mark.parametrize(
    ("law", "gain", "delay"),
    [
        ("pure_navigation", 3.5, 0.1),
        ("pursuit", 4.0, 0.15),
        ("seek", 3.0, 0.12),
        ("constant_bearing", 3.0, 0.2),
    ],
)
@pytest.mark.weekly
def test_law_gain_and_delay_are_found(modules, tmp_path, law, gain, delay):
    fit_tracks, tracks = modules
    tracks.make(tmp_path / "tracks.csv", law, gain, delay)
    results, dt, sums = fit_tracks.fit_file(tmp_path / "tracks.csv")
    found = results[law]
    assert found["explained"] > 0.85
    assert found["explained"] > 0.05 + max(
        other["explained"] for name, other in results.items() if name != law
    )
    assert found["wins"] == pytest.approx(1.0)
    for name, truth in (("gain", gain), ("delay", delay)):
        best, low, high = found[name]
        assert low <= truth <= high
        assert low <= best <= high
        assert best == pytest.approx(truth, rel=0.15)
    assert dt == pytest.approx(1 / 60, rel=1e-3)
    assert sums.shape == (3, 4, 25, 20)


def test_it_prints_the_best_law_first_and_draws(modules, tmp_path, monkeypatch, capsys):
    fit_tracks, tracks = modules
    file, picture = tmp_path / "tracks.csv", tmp_path / "fit.png"
    tracks.make(file, "seek", 3.0, 0.1, chases=6)
    monkeypatch.setattr(sys, "argv", ["fit_tracks.py", str(file), "--picture", str(picture)])
    fit_tracks.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["law", "seek"]
    assert len(lines) == 1 + len(fit_tracks.LAWS)
    assert picture.stat().st_size > 10_000


def test_lines_at_uneven_times_are_refused(modules, tmp_path):
    fit_tracks, _ = modules
    times = np.r_[np.arange(50) / 60, 2.0]
    rows = [f"0,{time},{time},0,{time},1" for time in times]
    header = "chase,time,pursuer_x,pursuer_y,evader_x,evader_y"
    (tmp_path / "tracks.csv").write_text("\n".join([header, *rows]))
    with pytest.raises(SystemExit, match="same in the whole file"):
        fit_tracks.fit_file(tmp_path / "tracks.csv")
