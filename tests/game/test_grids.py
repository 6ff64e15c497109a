"""Grids change no game by a single bit: they find what comparing all finds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from steer_env.errors import UsageError
from steer_env.game.config import SOLID, Game
from steer_env.game.engine import Engine
from steer_env.game.look.neighbors import GRID, cell_of, lay_out, span
from steer_env.game.region import ARENAS
from steer_env.game.run import phases
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vectors import norm, wrap

GAMES, NEVER, HALF = 3, 10**9, 10.0
LOOKS = {"collision_seconds": 1.5, "neighbor_distance": 2.0, "field_of_view": 1.5}
PLAYERS = {
    "plain": (ROSTER["pursuit"], ROSTER["evade"]),
    "herd": (ROSTER["pursuit/pack"], ROSTER["evade/herd"]),
    "careless": (
        ROSTER["navigation"],
        Script(behavior="evade", collisions=6.0, wander=1.0, separation=1.0, **LOOKS),
    ),
    "crowd": (Script(behavior="seek", cohesion=9.0, neighbor_distance=99.0), ROSTER["idle"]),
    "escape": (ROSTER["pursuit/pack"], ROSTER["escape"]),
    "diced": (ROSTER["pursuit"], replace(ROSTER["evade/herd"], combination="dithered")),
    "careful": (ROSTER["pursuit/among_obstacles"], ROSTER["evade/among_obstacles"]),
}


def game(pursuers, evaders, arena="walls", solid="nobody", size=12.0, **keywords):
    body = {"radius": 0.15 if solid != "nobody" else 0.3}
    given = {
        "arena": arena,
        "arena_size": size,
        "capture_radius": 0.31 if solid == "everyone" else 0.2,
        "horizon": 30,
        "start_distance": 0.1,
        "pursuer": body,
        "evader": body,
        **keywords,
    }
    return Game(pursuers=pursuers, evaders=evaders, solid=solid, **given)


def new_engine(config, players, seed=0):
    engine = Engine(config, [players[0]], [players[1]], GAMES, num_threads=1)
    engine.seed([seed + game for game in range(GAMES)])
    engine.start()
    return engine


def trajectory(engine, steps=40):
    """All that a game shows, step by step, as bytes."""
    shown = []
    for _ in range(steps):
        actions = engine.no_actions(PURSUER), engine.no_actions(EVADER)
        outcome = engine.step(*actions, PURSUER, restart=True)
        arrays = engine.get_state(), outcome.rewards, outcome.terminated
        shown.append(b"".join(array.tobytes() for array in arrays))
    return shown


def use_grids(patch, fewest):
    """Sets from how many vehicles on sides have grids."""
    patch.setattr(phases, "FEWEST", fewest)
    patch.setattr(phases, "FEWEST_TO_SEARCH", fewest)


def check_same(config, players, places=(), seed=0, steps=40):
    """Plays with grids and without, perhaps from these places, and compares bit for bit."""
    shown = []
    for fewest in (1, NEVER):
        with pytest.MonkeyPatch.context() as patch:
            use_grids(patch, fewest)
            engine = new_engine(config, players, seed)
            assert engine._runner.spaces[0].grids.size == (2 * 128 if fewest == 1 else 0)
            if places:
                state = engine.state
                state.position[:] = np.resize(places, len(state.position))[:, None]
                state.velocity[:] = 0.5 * state.heading
            shown.append(trajectory(engine, steps))
    assert shown[0] == shown[1]
    return engine


@pytest.mark.compiled
@given(
    seed=st.integers(0, 2**32),
    arena=st.sampled_from(ARENAS),
    players=st.sampled_from([*PLAYERS]),
    pursuers=st.integers(1, 30),
    evaders=st.integers(1, 30),
    solid=st.sampled_from(SOLID),
    reach=st.floats(0.0, 20.0),
    seconds=st.floats(0.0, 5.0),
)
def test_random_games_are_the_same(
    seed, arena, players, pursuers, evaders, solid, reach, seconds
):
    looks = {"neighbor_distance": reach, "collision_seconds": seconds}
    both = tuple(replace(script, **looks) for script in PLAYERS[players])
    check_same(game(pursuers, evaders, arena, solid), both, seed=seed)


PRESSED = [complex(x, y) for x in np.arange(0, 3, 0.3) for y in np.arange(0, 1.8, 0.3)]
FAST, SLOW = ({"max_speed": speed, "max_force": 1e6} for speed in (1e6, 1e-6))
DISCS = {"obstacles": 4, "obstacle_radius": (0.5, 1)}
SPECIAL = {
    "one place": (game(20, 20), "herd", [0j]),
    "two places": (game(20, 20, "torus"), "careless", [1 + 1j, 1 + 1j, 2 + 1j]),
    "a line": (game(20, 20, "open"), "herd", np.linspace(-5, 5, 9) + 0j),
    "corners": (game(20, 20), "careless", [-5.7 + 5.7j, 5.7 - 5.7j, 5.7 + 5.7j, 0j]),
    "cell borders": (
        game(20, 20, "torus"),
        "herd",
        [complex(x, y) for x in range(-3, 4) for y in range(-3, 4)],
    ),
    "so many that no number of passes parts them": (
        game(60, 1, solid="teammates", size=14.0, horizon=200),
        "crowd",
        PRESSED,
    ),
    "among obstacles": (game(12, 30, solid="everyone", **DISCS), "careful", []),
    "very fast": (game(20, 20, "open", pursuer=FAST, evader=FAST), "careless", []),
    "very slow": (game(20, 20, "open", pursuer=SLOW, evader=SLOW), "careless", []),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", SPECIAL)
def test_special_games_are_the_same(name):
    config, players, places = SPECIAL[name]
    check_same(config, PLAYERS[players], [*places], steps=120 if len(places) > 50 else 40)


@pytest.mark.compiled
@pytest.mark.parametrize("needed", [2, 30])
def test_captures_that_take_several_pursuers_are_the_same(needed):
    rules = {"captors_needed": needed, "capture_radius": 0.8, "horizon": 500}
    engine = check_same(game(30, 12, "torus", size=8.0, **rules), PLAYERS["plain"])
    assert engine.state.captured.sum() > 0 or needed == 30


@pytest.mark.compiled
@pytest.mark.parametrize("solid", SOLID[1:])
@pytest.mark.parametrize("arena", ARENAS)
def test_solid_bodies_are_parted_the_same(solid, arena):
    """The crowd presses together, until bodies are held back."""
    check_same(game(40, 12, arena, solid, size=10.0), PLAYERS["crowd"])


@pytest.mark.compiled
@pytest.mark.parametrize("solid", ["nobody", "everyone"])
def test_many_vehicles_have_grids_by_themselves(monkeypatch, solid):
    config, shown = game(140, 200, "torus", solid, size=45.0), []
    for changed in (False, True):
        if changed:
            use_grids(monkeypatch, NEVER)
        engine = new_engine(config, PLAYERS["herd"])
        shown.append(trajectory(engine, 6))
        assert engine._runner.memory["has_grid"].all() != changed
        assert engine._runner.memory["is_searched"].all() != changed
    assert shown[0] == shown[1]


@pytest.mark.compiled
def test_scripts_that_look_at_teammates_get_grids_when_they_come(monkeypatch):
    """An engine of plain scripts needs none; with other scripts it makes them."""
    found = []
    for fewest in (1, NEVER):
        use_grids(monkeypatch, fewest)
        monkeypatch.setattr(phases, "FEWEST_TO_SEARCH", NEVER)
        engine = new_engine(game(20, 20), PLAYERS["plain"])
        shown = trajectory(engine, 5)
        assert not engine._runner.memory["has_grid"].any()
        numbers = np.zeros(1, np.int64)
        engine.set_scripts(EVADER, [ROSTER["evade/herd"]], np.ones(1), numbers)
        shown += trajectory(engine, 20)
        assert engine._runner.memory["has_grid"].all() == (fewest == 1)
        found.append(shown)
    assert found[0] == found[1]


@pytest.mark.compiled
@pytest.mark.weekly
def test_a_side_has_up_to_1024_vehicles():
    config = Game(pursuers=1024, evaders=1024, arena_size=90.0)
    engine = Engine(config, [ROSTER["pursuit/pack"]], [ROSTER["evade/herd"]], 1)
    engine.seed([0])
    engine.start()
    trajectory(engine, 3)
    assert np.isfinite(engine.state.position).all()
    with pytest.raises(UsageError, match="evaders must be from 1 to 1024, got 1025"):
        Game(evaders=1025)


# ---- Cells ----------------------------------------------------------------------------------

ALONG = st.one_of(
    st.floats(-HALF, HALF),
    st.sampled_from([-HALF, 0.0, 2.5, -2.5, HALF, float(np.nextafter(HALF, 0))]),
)
PLACES = st.lists(st.builds(complex, ALONG, ALONG), min_size=1, max_size=40)


def grid_of(places, wraps):
    """A grid over the box around places, or around a torus."""
    grid = np.zeros(1, GRID)[0]
    x, y = np.real(places), np.imag(places)
    low, high = complex(min(x), min(y)), complex(max(x), max(y))
    if wraps:
        low, high = complex(-HALF, -HALF), complex(HALF, HALF)
    lay_out(grid, low, high, len(places), wraps)
    return grid


def cells_within(grid, place, reach):
    """The numbers of the cells that are looked into."""
    corner, per_meter = grid.corner, grid.cells_per_meter
    first, last = span(place.real, reach, corner.real, per_meter.real, grid.columns, grid.wraps)
    low, high = span(place.imag, reach, corner.imag, per_meter.imag, grid.rows, grid.wraps)
    return [
        (row % grid.rows) * grid.columns + column % grid.columns
        for row in range(low, high + 1)
        for column in range(first, last + 1)
    ]


@given(PLACES, st.builds(complex, ALONG, ALONG), st.floats(0.0, 50.0), st.booleans())
@example([1 + 1j] * 5, 1 + 1j, 0.0, False)
@example([complex(x, 0.0) for x in range(9)], 4 + 0j, 1.0, False)
@example([complex(x, 5e-324 * x) for x in range(9)], 4 + 0j, 1.0, False)
@example([0j, 1e-300 + 0j], 0j, 1.0, False)
@example([complex(-HALF, HALF)] * 30, complex(HALF, -HALF), 0.0, True)
def test_every_place_within_reach_is_in_a_cell_that_is_looked_into(places, place, reach, wraps):
    grid = grid_of(places, wraps)
    assert 1 <= grid.columns * grid.rows <= 2 * len(places) + 1
    assert all(0 <= cell_of(grid, place) < grid.columns * grid.rows for place in places)
    cells = cells_within(grid, place, reach + 1e-9)
    assert len(set(cells)) == len(cells)
    offsets = {other: other - place for other in places}
    if wraps:
        offsets = {other: wrap(offset, HALF) for other, offset in offsets.items()}
    near = [other for other, offset in offsets.items() if norm(offset) <= reach]
    assert {cell_of(grid, other) for other in near} <= {*cells}


@pytest.mark.parametrize("wraps", [False, True])
def test_it_has_about_a_cell_for_each_vehicle_and_looks_into_few(wraps):
    places = np.random.default_rng(0).uniform(-HALF, HALF, (900, 2)) @ (1, 1j)
    grid = grid_of(places, wraps)
    assert 850 <= grid.columns * grid.rows <= 1000
    assert len(cells_within(grid, 0j, 1.0)) <= 25
    for endless in (1e300, math.inf):
        cells = cells_within(grid, 3 + 3j, endless)
        assert sorted(cells) == [*range(grid.columns * grid.rows)]
