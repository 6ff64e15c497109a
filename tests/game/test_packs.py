"""Packs against plain pursuit: their share of captures and mean time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engines import coast, started

from steer_env.baselines import evaluate
from steer_env.scripts.roster import ROSTER

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]

SEED = 2_011  # the year of the theorem
PACKS = {
    "3 v 2": {"pursuers": 3, "evaders": 2},
    "3 v 1, game pack": {"game": "pack"},
    "3 v 1, evader 4.4 m/s": {"pursuers": 3, "evader": {"max_speed": 4.4}},
    "3 v 3": {"pursuers": 3, "evaders": 3},
    "5 v 3": {"pursuers": 5, "evaders": 3},
}
NAMES = ("pursuit", "navigation", "pursuit/pack", "navigation/pack", "encircle", "voronoi")


def played(keywords, evader, pursuers, episodes):
    """The share of captures and the mean time of each pursuer, from the same starts."""
    found = [evaluate(one, evader, keywords, episodes, SEED) for one in pursuers]
    return [one["captured"].mean() for one in found], [one["time"].mean() for one in found]


def in_arena(arena, hunters, speed=4.0, model="simple_motion", **keywords):
    """Hunters of 4 m/s, and one evader."""
    limits = {
        side: {"model": model, "max_speed": most, "max_force": 12.0}
        for side, most in {"pursuer": 4.0, "evader": speed}.items()
    }
    return {"arena": arena, "pursuers": hunters, **limits, **keywords}


def at_once(name):
    """A script whose law reaches the desired velocity in one step of simple motion."""
    return replace(ROSTER[name], separation=0.0, walls=0.0, wander=0.0, response_time=1.0)


@pytest.mark.parametrize("game", PACKS)
@pytest.mark.parametrize("evader", ["evade/herd", "evade"])
def test_packs_are_better_than_their_members(game, evader):
    captured, times = (dict(zip(NAMES, x)) for x in played(PACKS[game], evader, NAMES, 400))
    for name in NAMES[2:]:
        if name != "navigation/pack":
            assert captured[name] > captured["pursuit"] + 0.05, name
            assert times[name] < times["pursuit"], name
    assert captured["navigation/pack"] >= captured["navigation"] - 0.01
    assert times["navigation/pack"] < times["navigation"] + 0.1
    assert captured["voronoi"] > 0.98


@pytest.mark.parametrize("game", ["3 v 2", "3 v 3", "5 v 3"])
def test_packs_at_full_force_are_sooner_than_their_members(game):
    team = [f"{name}/full_force" for name in NAMES]
    _, times = played(PACKS[game], "evade/full_force", team, 400)
    assert max(times[2:]) < 0.93 * min(times[:2])


@pytest.mark.parametrize("evader", ["evade", "escape"])
def test_three_capture_by_voronoi_pursuit_what_one_never_catches(evader):
    """In a bounded arena, with equal speeds and velocities that are taken up at once."""
    scripts = [at_once(name) for name in ("voronoi/now", "encircle", "pursuit")]

    def captured(hunters, arena):
        keywords = in_arena(arena, hunters, horizon=1800)
        return played(keywords, at_once(evader), scripts[-1:] if hunters == 1 else scripts, 150)

    for arena in ("torus", "open"):
        assert captured(1, arena)[0] == [0.0]
    walls, torus, plane = (captured(3, arena)[0] for arena in ("walls", "torus", "open"))
    assert walls[0] == torus[0] == 1.0
    assert torus[0] > torus[1] + 0.02
    assert torus[1] > torus[2] + 0.3
    assert plane[0] < 0.2  # only where it begins surrounded


@pytest.mark.parametrize("speed", [4.0, 6.0])
def test_masses_capture_by_the_cell_of_a_moment_later(speed):
    names = [f"{name}/full_force" for name in ("voronoi", "voronoi/now", "pursuit")]
    alone, team = (
        played(in_arena("torus", n, speed, "point_mass"), "escape/full_force", chosen, 150)[0]
        for n, chosen in ((1, names[-1:]), (3, names))
    )
    assert alone == [0.0]
    assert team[0] >= team[1] > team[2] + 0.2
    assert team[0] > 0.85


@pytest.mark.parametrize("name", ["pursuit/pack", "encircle", "voronoi"])
def test_crowds_play_team_scripts(name):
    """More vehicles than a block has games, and than quarries are assigned among."""
    engine = started(name, "evade", 2, pursuers=90, evaders=70)
    for _ in range(3):
        coast(engine)
    assert np.isfinite(engine.state.position).all()
    limits = engine.state.max_force[:, 0]
    assert (np.abs(engine.forces(0)) <= limits * (1 + 1e-12)).all()
