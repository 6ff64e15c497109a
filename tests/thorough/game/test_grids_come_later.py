"""Grids change no game by a single bit: they find what comparing all finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steer_env.game import neighbors
from steer_env.game.config import ArenaConfig, GameConfig
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.compiled

GAMES, STEPS = 3, 40
NEVER = 10**9
CARELESS = Script(
    behavior="evade",
    collisions=6.0,
    collision_seconds=1.5,
    collision_margin=0.1,
    wander=1.0,
    separation=1.0,
    neighbor_distance=2.0,
    field_of_view=1.5,
)
CROWD = Script(behavior="seek", cohesion=9.0, neighbor_distance=99.0)
DICED = replace(ROSTER["evade/herd"], combination="dithered")
PLAYERS = {
    "plain": (ROSTER["pursuit"], ROSTER["evade"]),
    "herd": (ROSTER["pursuit/pack"], ROSTER["evade/herd"]),
    "careless": (ROSTER["navigation"], CARELESS),
    "crowd": (CROWD, ROSTER["rest"]),
    "escape": (ROSTER["pursuit/pack"], ROSTER["escape"]),
    "diced": (ROSTER["pursuit/contained"], DICED),
}


@pytest.fixture
def from_size(monkeypatch):
    """Sets from how many vehicles on sides have grids."""

    def use(fewest):
        monkeypatch.setattr(neighbors, "FEWEST", fewest)
        monkeypatch.setattr(neighbors, "FEWEST_TO_SEARCH", fewest)

    return use


def game(pursuers, evaders, arena="walls", solid="nobody", size=12.0, **keywords):
    body = {"radius": 0.15 if solid != "nobody" else 0.3}
    return GameConfig(
        pursuers=pursuers,
        evaders=evaders,
        arena=ArenaConfig(kind=arena, size=size, **keywords.pop("space", {})),
        solid=solid,
        capture_radius=0.31 if solid == "everyone" else 0.2,
        horizon=30,
        start_distance=0.1,
        pursuer=body,
        evader=body,
        **keywords,
    )


def new_engine(config, players, seed=0):
    engine = Engine(config, [players[0]], [players[1]], GAMES, num_threads=1)
    engine.seed([seed + game for game in range(GAMES)])
    engine.start()
    return engine


def trajectory(engine, steps=STEPS):
    """All that a game shows, step by step, as bytes."""
    shown = []
    for _ in range(steps):
        actions = engine.no_actions(PURSUER), engine.no_actions(EVADER)
        outcome = engine.step(*actions, PURSUER, restart=True)
        shown.append(engine.get_state().tobytes() + outcome.rewards.tobytes())
        shown[-1] += outcome.terminated.tobytes()
    return shown


def test_scripts_that_look_at_teammates_get_grids_when_they_come(from_size):
    """An engine of plain scripts needs none; with other scripts it makes them."""
    found = []
    for fewest in (1, NEVER):
        from_size(fewest)
        neighbors.FEWEST_TO_SEARCH = NEVER
        engine = new_engine(game(20, 20), PLAYERS["plain"])
        shown = trajectory(engine, 5)
        assert not engine._runner.memory["has_grid"].any()
        numbers = np.zeros(1, np.int64)
        engine.set_scripts(EVADER, [ROSTER["evade/herd"]], np.ones(1), numbers)
        shown += trajectory(engine, 20)
        assert engine._runner.memory["has_grid"].all() == (fewest == 1)
        found.append(shown)
    assert found[0] == found[1]
