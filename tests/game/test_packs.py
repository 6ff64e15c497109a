"""What teams of scripts are good for: `tools/pack_claims.py` has all of it."""

from __future__ import annotations

import numpy as np
import pytest
from engines import coast, started

from steer_env.scripts.roster import ROSTER

pack_claims = pytest.importorskip("pack_claims")  # an installed wheel has no tools

pytestmark = pytest.mark.weekly

TEAM = ("pursuit", "navigation", "pursuit/pack", "navigation/pack", "encircle", "voronoi")


def claims(game, evader, games=400):
    """What each script of a team achieves, at full force if the evader uses it."""
    _, slash, suffix = evader.partition("/full_force")
    team = {name: ROSTER[f"{name}{slash}{suffix}"] for name in TEAM}
    rows = pack_claims.measured(
        game, pack_claims.PACKS[game], (evader, ROSTER[evader]), team, games
    )
    return {claim.pursuer: claim for claim in rows}


@pytest.mark.compiled
@pytest.mark.parametrize("game", pack_claims.PACKS)
@pytest.mark.parametrize("evader", ["evade/herd", "evade"])
def test_packs_are_better_than_their_members(game, evader):
    found = claims(game, evader)
    alone = found["pursuit"]
    for name in ("pursuit/pack", "encircle", "voronoi"):
        assert found[name].captured > alone.captured + 0.05, name
        assert found[name].time < alone.time, name
    better, worse = found["navigation/pack"], found["navigation"]
    assert better.captured >= worse.captured - 0.01
    assert better.time < worse.time + 0.1
    assert found["voronoi"].captured > 0.98


@pytest.mark.compiled
@pytest.mark.parametrize("game", ["3 v 2", "3 v 3", "5 v 3"])
def test_packs_at_full_force_are_sooner_than_their_members(game):
    times = {name: claim.time for name, claim in claims(game, "evade/full_force").items()}
    best_member = min(times["pursuit"], times["navigation"])
    assert all(times[name] < 0.93 * best_member for name in TEAM[2:])


def by_game(claims):
    found = {}
    for claim in claims:
        found.setdefault((claim.game, claim.evader), {})[claim.pursuer] = claim.captured
    return found


@pytest.mark.compiled
def test_three_capture_by_voronoi_pursuit_what_one_never_catches():
    """In a bounded arena, with equal speeds and velocities that are taken up at once."""
    found = by_game(pack_claims.simple_motion(150))
    for evader in ("evade", "escape"):
        for arena in ("torus", "open"):
            alone = found[f"1 in {arena}, evader 1 times as fast", evader]
            assert alone["pursuit"] == 0.0
        walls, torus, plane = (
            found[f"3 in {arena}, evader 1 times as fast", evader]
            for arena in ("walls", "torus", "open")
        )
        assert walls["voronoi/now"] == torus["voronoi/now"] == 1.0
        assert torus["voronoi/now"] > torus["encircle"] + 0.02
        assert torus["encircle"] > torus["pursuit"] + 0.3
        assert pack_claims.share_surrounded(150) - 0.02 <= plane["voronoi/now"] < 0.2


@pytest.mark.parametrize("name", ["pursuit/pack", "encircle", "voronoi"])
def test_crowds_play_team_scripts(name):
    """More vehicles than a block has games, and than quarries are assigned among."""
    engine = started(name, "evade", 2, pursuers=90, evaders=70)
    for _ in range(3):
        coast(engine)
    assert np.isfinite(engine.state.position).all()
    limits = engine.state.max_force[:, 0]
    assert (np.abs(engine.forces(0)) <= limits * (1 + 1e-12)).all()
