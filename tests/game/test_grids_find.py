"""Grids change no game by a single bit: they find what comparing all finds."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from test_neighbors import (
    PLAYERS,
    from_size,  # noqa: F401
    game,
    new_engine,
    trajectory,
)

from steer_env.game.look import neighbors
from steer_env.machine_code.addresses import address_of, call_routine
from steer_env.scripts.force import reach_of
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.scripts.table import script_row
from steer_env.steering import Vehicle, avoid_collisions, separation

pytestmark = [pytest.mark.weekly, pytest.mark.compiled]

GAMES, STEPS = 3, 40


def call_of(engine):
    return engine._runner._places[0]


def crowded_engine(from_size, arena="torus", players="herd", seed=3):
    """An engine whose first game has 50 vehicles a side, some of them caught."""
    from_size(1)
    engine = new_engine(game(50, 50, arena), PLAYERS[players], seed)
    trajectory(engine, 3)
    engine.state.active[60:75, 0] = False
    call_routine(neighbors.bin_players.address, (call_of(engine), 0, GAMES))
    return engine


def offsets_in(engine, place, others):
    """From a place to others, on a torus to the nearest images."""
    offsets, size = others - place, engine.config.arena.size
    if engine.config.arena.kind != "torus":
        return offsets
    wrapped = [x - size * np.floor(x / size + 0.5) for x in (offsets.real, offsets.imag)]
    return wrapped[0] + 1j * wrapped[1]


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_the_nearest_opponent_is_the_nearest(from_size, arena):
    engine = crowded_engine(from_size, arena)
    routine, state = neighbors.find_nearest.address, engine.state
    for number in range(100):
        call_routine(routine, (call_of(engine), 0, 1, number))
        found = engine._runner.spaces[0].opponent[0]
        theirs = np.arange(50, 100) if number < 50 else np.arange(50)
        theirs = theirs[state.active[theirs, 0]]
        offsets = offsets_in(engine, state.position[number, 0], state.position[theirs, 0])
        squares = offsets.real * offsets.real + offsets.imag * offsets.imag
        expected = theirs[squares.argmin()] if state.active[number, 0] else -1
        assert found == expected


def test_of_two_as_near_the_first_counts_and_of_none_no_one(from_size):
    from_size(1)
    engine = new_engine(game(3, 3, "open"), PLAYERS["plain"])
    engine._runner.compile()
    engine.state.position[:, 0] = (0, 5, 9j, 3 + 4j, -5, 3 + 4j)
    engine.state.active[:, 1] = [True] * 3 + [False] * 3
    here, found = call_of(engine), engine._runner.spaces[0].opponent
    call_routine(neighbors.bin_players.address, (here, 0, GAMES))
    call_routine(neighbors.find_nearest.address, (here, 0, 2, 0))
    assert found[:2].tolist() == [3, -1]


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_teammates_within_reach_are_found_in_order(from_size, arena):
    engine = crowded_engine(from_size, arena)
    space, state = engine._runner.spaces[0], engine.state
    routine = neighbors.find_teammates.address
    reach = ROSTER["evade/herd"].neighbor_distance
    some_are_out_of_reach = False
    for number in np.flatnonzero(state.active[:, 0])[::3]:
        if number < 50:
            continue
        call_routine(routine, (call_of(engine), 0, 1, int(number)))
        seen = space.neighbors[: space.found[0]]
        mates = [n for n in range(50, 100) if n != number and state.active[n, 0]]
        offsets = offsets_in(engine, state.position[number, 0], state.position[mates, 0])
        near = [mate for mate, off in zip(mates, offsets) if abs(off) <= reach]
        assert seen["max_speed"].tolist() == state.max_speed[near, 0].tolist()
        assert seen["velocity"].tolist() == state.velocity[near, 0].tolist()
        images = offsets[[mates.index(mate) for mate in near]] + state.position[number, 0]
        np.testing.assert_allclose(seen["position"], images, atol=1e-12)
        some_are_out_of_reach |= len(near) < len(mates)
    assert some_are_out_of_reach


@pytest.mark.parametrize("drift", [0.0, 0.4])
def test_partners_are_all_who_may_overlap(from_size, drift):
    engine = crowded_engine(from_size)
    space, state = engine._runner.spaces[0], engine.state
    space.drift[0] = drift
    routine = neighbors.find_partner.address
    active = np.flatnonzero(state.active[:, 0])
    for one in range(0, 100, 7):
        found, after = [], 0
        while after < 100:
            call_routine(routine, (call_of(engine), 0, 1, one, after))
            after = int(space.found[0])
            found.append(after)
        assert found.pop() == 100
        offsets = offsets_in(engine, state.position[one, 0], state.position[active, 0])
        near = active[(abs(offsets) <= 0.3 + 0.3 + drift) & (active > 0)]
        assert found == near.tolist()


@given(st.lists(st.integers(-5, 60), max_size=70))
@example([*range(64)])
@example([*range(64, 0, -1)])
def test_numbers_are_sorted(given_numbers):
    array = np.array(given_numbers, np.int64)
    sort(address_of(array), len(array))
    assert array.tolist() == sorted(given_numbers)


@numba.njit
def sort(address, count):
    neighbors.sort_numbers(address, count)


VELOCITY = st.builds(complex, st.floats(-4.0, 4.0), st.floats(-4.0, 4.0))
PLACE = st.builds(complex, st.floats(-30.0, 30.0), st.floats(-30.0, 30.0))


@given(PLACE, VELOCITY, VELOCITY, st.floats(0.0, 4.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_who_is_beyond_the_reach_causes_no_force(place, mine, theirs, seconds, margin, radius):
    script = Script(
        behavior="idle",
        collisions=1.0,
        separation=1.0,
        collision_seconds=seconds,
        collision_margin=margin,
    )
    me = Vehicle(velocity=mine, radius=0.4)
    other = Vehicle(position=place, velocity=theirs, radius=radius)
    reach = reach_of(script_row(script, 1 / 30), me, abs(theirs), radius)
    if abs(place) > reach + 1e-9:
        assert avoid_collisions(me, [other], seconds, margin) == 0j
        assert separation(me, [other], 0.0, script.neighbor_distance, -2.0) == 0j


def test_the_reach_of_scripts():
    me = Vehicle(velocity=3j, radius=0.5)

    def reach(**fields):
        return reach_of(script_row(Script(behavior="idle", **fields), 1 / 30), me, 2.0, 0.25)

    assert reach(walls=1.0, wander=1.0) == 0.0
    assert reach(alignment=1.0, neighbor_distance=7.0) == 7.0
    contact = 0.5 + 0.25 + 0.1
    fields = {"collisions": 1.0, "collision_margin": 0.1, "collision_seconds": 2.0}
    assert math.isclose(reach(**fields), contact + (3.0 + 2.0) * 2.0)
    assert reach(cohesion=1.0, neighbor_distance=99.0, **fields) == 99.0
