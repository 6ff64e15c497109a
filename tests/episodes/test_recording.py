"""A recording holds every moment of an episode, and the forces that led there."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from steer_env.episodes.duel import Duel
from steer_env.episodes.history import record_episode
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.game.memory import BLOCK
from steer_env.players import controller_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import EVADER, PURSUER
from steer_env.steering.vehicle import apply_force, as_vehicle

OPEN = game_config(arena="open", horizon=200)
TEAMS = game_config(pursuers=2, evaders=3, arena="open", horizon=200)


def record(pursuer="pursuit", evader="evade", config=OPEN, seed=4):
    sides = controller_of(pursuer, PURSUER), controller_of(evader, EVADER)
    return record_episode(Duel(config, *sides, (pursuer, evader)), seed)


def test_states_are_the_moments_in_order():
    found = record(config=TEAMS)
    moments = len(found.states)
    assert found.positions.shape == found.forces.shape == (moments, 5)
    np.testing.assert_array_equal(found.states["game"]["steps"], np.arange(moments))
    steps = np.abs(np.diff(found.positions, axis=0))
    assert steps[0].max() > 0.0
    assert steps.max() <= TEAMS.pursuer.max_speed * TEAMS.dt + 1e-9
    assert (found.forces[0] == 0.0).all()


@pytest.mark.parametrize(
    ("pursuer", "evader", "config"),
    [
        ("pursuit", "evade", OPEN),
        ("pursuit/full_force", "random", OPEN),
        ("pursuit/closing", "evade/herd", TEAMS),
    ],
)
def test_the_forces_are_what_moved_the_players(pursuer, evader, config):
    """A point mass, free of walls: each state and force give the next velocity."""
    found = record(pursuer, evader, config)
    bodies, active = found.states["players"]["body"], found.states["players"]["active"]
    assert (np.abs(found.forces) > 0.0).any()
    for t in range(1, len(found.states)):
        for number in np.flatnonzero(active[t]):
            before, after = as_vehicle(bodies[t - 1, number]), bodies[t, number]
            velocity, heading = apply_force(before, found.forces[t, number], config.dt)
            assert velocity == pytest.approx(after["velocity"], abs=1e-12)
            assert heading == pytest.approx(after["heading"], abs=1e-12)


def test_forces_are_cut_to_what_a_player_has():
    strong = Script(behavior="seek", response_time=1e-6)
    found = record_episode(Duel(OPEN, strong, ROSTER["rest"]), 4)
    accelerating = np.abs(found.forces[1:9, 0])
    np.testing.assert_allclose(accelerating, OPEN.pursuer.max_force)


def test_who_is_caught_has_no_force():
    found = record(config=game_config(pursuers=2, evaders=3, capture_radius=1.5))
    caught = ~found.states["players"]["active"]
    assert caught[:-1].any()
    assert (found.forces[caught] == 0.0).all()


def pushed(games=2, restart_after=None):
    """An engine whose pursuers were pushed ahead, in two steps."""
    engine = Engine(game_config(), [None], [ROSTER["rest"]], games, restart_after or 0)
    engine.seed(range(games))
    engine.start()
    ahead = np.tile(np.float32([1.0, 0.0]), (games, 1, 1))
    for _ in range(2):
        engine.step(ahead, np.zeros((0, 1, 2), np.float32), PURSUER, True)
    return engine


def test_forces_are_those_of_each_game():
    engine = pushed()
    for game in range(2):
        heading = engine.get_state()["players"]["body"]["heading"][game, 0]
        np.testing.assert_allclose(engine.forces(game), [12.0 * heading, 0.0], atol=1e-9)


def test_forces_are_zero_without_a_step():
    engine = pushed()
    engine.start(np.array([True, False]))
    assert (engine.forces(0) == 0.0).all()
    assert (engine.forces(1) != 0.0).any()
    engine.set_state(engine.get_state())
    assert (engine.forces(1) == 0.0).all()
    assert (pickle.loads(pickle.dumps(pushed())).forces(0) == 0.0).all()
    assert (pushed(restart_after=1).forces(0) == 0.0).all()  # began anew instead of its step


def test_forces_of_many_games_are_unknown():
    assert np.isnan(pushed(BLOCK + 1).forces(0)).all()
    assert np.isfinite(pushed(BLOCK).forces(BLOCK - 1)).all()


def test_it_can_be_pickled():
    found = record()
    again = pickle.loads(pickle.dumps(found))
    assert (again.names, again.config, again.scripts) == (found.names, OPEN, found.scripts)
    np.testing.assert_array_equal(again.positions, found.positions)
    np.testing.assert_array_equal(again.forces, found.forces)
    assert again.status.result == found.status.result
