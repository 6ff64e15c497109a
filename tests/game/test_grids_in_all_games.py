"""Grids change no game by a single bit: they find what comparing all finds."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_neighbors import (
    NEVER,
    PLAYERS,
    check_same,
    from_size,  # noqa: F401
    game,
    new_engine,
    trajectory,
)

from steer_env.errors import UsageError
from steer_env.game.config import SOLID, ArenaConfig, GameConfig
from steer_env.game.engine import Engine
from steer_env.game.look import neighbors
from steer_env.game.run.memory import make_measures
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]

GAMES, STEPS = 3, 40


def test_a_crush_is_held_back_the_same(from_size):
    """So many press together that no number of passes parts them."""
    config = replace(game(60, 1, "walls", "teammates", size=14.0), horizon=200)
    shown = []
    for fewest in (1, NEVER):
        from_size(fewest)
        engine = new_engine(config, PLAYERS["crowd"])
        move_to(*(complex(x, y) for x in np.arange(0, 3, 0.3) for y in np.arange(0, 1.8, 0.3)))(
            engine
        )
        shown.append(trajectory(engine, 120))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("needed", [2, 3, 30])
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_captures_that_take_several_pursuers_are_the_same(from_size, arena, needed):
    config = game(30, 12, arena, size=8.0, captors_needed=needed)
    config = replace(config, capture_radius=0.8, horizon=500)
    caught = []
    check_same(from_size, config, PLAYERS["plain"], lambda engine: caught.append(engine))
    assert caught[0].state.captured.sum() > 0 or needed == 30


def test_among_obstacles(from_size):
    config = game(12, 30, solid="everyone", space={"obstacles": 4, "obstacle_radius": (0.5, 1)})
    players = ROSTER["pursuit/among_obstacles"], ROSTER["evade/among_obstacles"]
    check_same(from_size, config, players)
    check_same(from_size, config, (players[0], ROSTER["evade/herd"]))


def move_to(*places):
    """Has the vehicles of each game stand at places, which are repeated."""

    def change(engine):
        state = engine.state
        for number, place in zip(range(len(state.position)), itertools.cycle(places)):
            state.position[number] = place
            state.velocity[number] = 0.5 * state.heading[number]

    return change


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize(
    "places",
    [
        (0j,),
        (1 + 1j, 1 + 1j, 2 + 1j),
        tuple(complex(x, 0) for x in np.linspace(-5, 5, 9)),
        (-5.7 + 5.7j, 5.7 - 5.7j, 5.7 + 5.7j, 0j),
        tuple(complex(x, y) for x in range(-3, 4) for y in range(-3, 4)),
    ],
    ids=["one place", "two places", "a line", "corners", "cell borders"],
)
def test_in_particular_places(from_size, arena, places):
    change = move_to(*places)
    check_same(from_size, game(20, 20, arena), PLAYERS["herd"], change)
    check_same(from_size, game(20, 20, arena), PLAYERS["careless"], change)


@pytest.mark.parametrize("speed", [1e-6, 1e6])
def test_at_speeds_near_the_bounds(from_size, speed):
    limits = {"max_speed": speed, "max_force": 1e6}
    config = GameConfig(
        pursuers=20, evaders=20, pursuer=limits, evader=limits, arena=ArenaConfig(kind="open")
    )
    check_same(from_size, config, PLAYERS["careless"])


@given(
    seed=st.integers(0, 2**32),
    arena=st.sampled_from(["walls", "torus", "open"]),
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
    config = game(pursuers, evaders, arena, solid)
    with pytest.MonkeyPatch.context() as patch:

        def use(fewest):
            patch.setattr(neighbors, "FEWEST", fewest)
            patch.setattr(neighbors, "FEWEST_TO_SEARCH", fewest)

        check_same(use, config, both, seed=seed)


def test_a_side_has_up_to_1024_vehicles():
    config = GameConfig(pursuers=1024, evaders=1024, arena=ArenaConfig(size=90.0))
    engine = Engine(config, [ROSTER["pursuit/pack"]], [ROSTER["evade/herd"]], 1)
    engine.seed([0])
    engine.start()
    measures = make_measures(1)
    engine.play(measures, 3, engine.no_actions(PURSUER), engine.no_actions(EVADER))
    assert np.isfinite(engine.state.position).all()
    assert engine.state.steps[0] == 3
    with pytest.raises(UsageError, match="evaders must be from 1 to 1024, got 1025"):
        GameConfig(evaders=1025)
