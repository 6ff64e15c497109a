"""The demonstrations of the sources come out as they say, or as is measured here."""

import numpy as np
import pytest
from engines import coast, started

from steer_env.baselines import evaluate
from steer_env.game.config import make_game
from steer_env.game.region import ROUNDING
from steer_env.scripts.script import Script
from steer_env.steering import METHODS

pytestmark = pytest.mark.weekly

CROWD = 12
GAMES = 8
HALF = 6.0

# ---- A crowd runs into a wall -------------------------------------------------------------


def crowd_at_a_wall(method, solid):
    """The deepest overlap, and how near to a wall its middle body is, in meters.

    Both are (steps, games).
    """
    parts = {"walls": 4.0, "feeler_length": 0.5, "separation": 2.0, "cohesion": 1.0}
    crowd = Script(behavior="evade", combination=method, **parts)
    game = {"evaders": CROWD, "arena_size": 2 * HALF, "capture_radius": 1e-3, "horizon": 300}
    engine = started("seek", crowd, GAMES, solid=solid, **game)
    one, two = np.triu_indices(CROWD, 1)
    depths, gaps = [], []
    for _ in range(200):
        place, radius = engine.state.position[1:].T, engine.state.radius[1, 0]
        depths.append((2 * radius - abs(place[:, one] - place[:, two])).max(axis=1))
        farthest = np.maximum(abs(place.real), abs(place.imag))
        gaps.append(np.median(HALF - radius - farthest, axis=1))
        coast(engine)
    return np.array(depths), np.array(gaps)


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS)
def test_s2_a_crowd_that_runs_into_a_wall_does_not_overlap(method):
    depths, gaps = crowd_at_a_wall(method, "teammates")
    assert depths.max() <= ROUNDING + 1e-13
    assert (gaps.min(axis=0) < 0.6).all()  # half of it is within its own width of a wall
    ghosts, _ = crowd_at_a_wall(method, "nobody")
    assert np.median(ghosts.max(axis=0)) > 0.3  # of 0.6 m


# ---- Pursuer against evader, both by T = d / V_q ------------------------------------------


def duel(arena, mass, seconds):
    """Captures of a pursuer against an evader, both by the other's top speed.

    Desired velocity minus velocity is a force: divided by the mass, it has the velocity follow
    within that many seconds.
    """
    vehicles = {"pursuer": {"mass": mass}, "evader": {"mass": mass}}
    config = make_game(arena=arena, horizon=round(30 * seconds), **vehicles)
    players = [Script(behavior=name, lookahead="target_speed") for name in ("pursuit", "evade")]
    return evaluate(*players, config, episodes=500)


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_s4_the_pursuer_wins_where_velocities_follow_within_an_update(arena):
    # Thirty updates a second, and a mass of 1 in the source's velocity + steering / mass.
    duels = duel(arena, 1 / 30, 20.0)
    assert duels.capture_rate.low > 0.98
    assert 3.0 < duels.mean_capture_time.estimate < 7.0


@pytest.mark.compiled
@pytest.mark.parametrize("mass", [20, 30, 40])
def test_s4_the_pursuer_wins_less_often_where_velocities_lag(mass):
    # The masses of the programs that its author published later in the same series.
    walls = duel("walls", mass / 30, 200.0)
    assert 0.5 < walls.capture_rate.estimate < 0.7
    assert duel("open", mass / 30, 200.0).capture_rate.estimate == 0.0
