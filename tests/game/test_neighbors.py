"""Grids change no game by a single bit: they find what comparing all finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steer_env.game.config import SOLID, ArenaConfig, GameConfig
from steer_env.game.engine import Engine
from steer_env.game.run import phases, runner
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
    "crowd": (CROWD, ROSTER["idle"]),
    "escape": (ROSTER["pursuit/pack"], ROSTER["escape"]),
    "diced": (ROSTER["pursuit/contained"], DICED),
}


@pytest.fixture
def from_size(monkeypatch):
    """Sets from how many vehicles on sides have grids."""

    def use(fewest):
        monkeypatch.setattr(phases, "FEWEST", fewest)
        monkeypatch.setattr(runner, "FEWEST", fewest)
        monkeypatch.setattr(phases, "FEWEST_TO_SEARCH", fewest)

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


def check_same(from_size, config, players, change=None, seed=0):
    """Plays with grids and without, and compares bit for bit."""
    shown = []
    for fewest in (1, NEVER):
        from_size(fewest)
        engine = new_engine(config, players, seed)
        assert engine._runner.spaces[0].grids.size == (2 * 128 if fewest == 1 else 0)
        if change is not None:
            change(engine)
        shown.append(trajectory(engine))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize("counts", [(1, 1), (2, 30), (25, 25), (40, 3)])
def test_games_are_the_same_without_grids(from_size, players, arena, counts):
    check_same(from_size, game(*counts, arena=arena), PLAYERS[players])


@pytest.mark.parametrize("solid", ["nobody", "everyone"])
def test_many_vehicles_have_grids_by_themselves(monkeypatch, solid):
    config, shown = game(140, 200, "torus", solid, size=45.0), []
    for changed in ({}, {"FEWEST": NEVER, "FEWEST_TO_SEARCH": NEVER}):
        for name, size in changed.items():
            monkeypatch.setattr(phases, name, size)
        engine = new_engine(config, PLAYERS["herd"])
        shown.append(trajectory(engine, 12))
        assert engine._runner.memory["has_grid"].all() != bool(changed)
        assert engine._runner.memory["is_searched"].all() != bool(changed)
    assert shown[0] == shown[1]


@pytest.mark.parametrize("solid", SOLID[1:])
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize("players", ["herd", "crowd"])
def test_solid_bodies_are_parted_the_same(from_size, solid, arena, players):
    """The crowd presses together, until bodies are held back."""
    config = game(40, 12, arena, solid, size=10.0)
    check_same(from_size, config, PLAYERS[players])
