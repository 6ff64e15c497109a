"""Solid bodies start apart, and push each other apart; obstacles stop all bodies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from engines import coast, random_actions, started

from steer_env.game.arena import ARENAS, ROUNDING as CONTACT, glide, move
from steer_env.game.config import game_config
from steer_env.game.dynamics import MODELS, accelerate, force_of_action
from steer_env.sides import PURSUER
from steer_env.steering.vectors import wrap
from steer_env.steering.vehicle import Obstacle, Vehicle

ROUNDING = CONTACT + 1e-13  # of the distances that are measured here


def overlaps(engine):
    """How deep the active solid bodies overlap each other, in meters."""
    state, arena, first = engine.state, engine.config.arena, engine.config.pursuers
    found = []
    for one, two in itertools.combinations(range(engine.num_players), 2):
        if engine.config.solid != "everyone" and (one < first) != (two < first):
            continue
        offset = state.position[one] - state.position[two]
        if arena.kind == "torus":
            turns = np.rint(offset.real / arena.size) + 1j * np.rint(offset.imag / arena.size)
            offset = offset - arena.size * turns
        depth = state.radius[one] + state.radius[two] - abs(offset)
        found.append(depth[state.active[one] & state.active[two]])
    return np.concatenate(found)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("places", "parted", "arena"),
    [
        ([0j, 0.4 + 0j], [-0.1, 0.5], "walls"),
        ([2j, 2j], [0.3 + 2j, -0.3 + 2j], "walls"),  # coincident
        ([0j, 0.6 + 0j], [0, 0.6], "walls"),  # just touching
        ([9.9 + 0j, -9.9 + 0j], [9.7, -9.7], "torus"),
        # Who stands at the wall cannot give way: the other does.
        ([9.7 + 0j, 9.5 + 0j], [9.7, 9.1], "walls"),
        ([9.5 + 0j, 9.7 + 0j], [9.1, 9.7], "walls"),
    ],
)
def test_each_takes_half(places, parted, arena):
    engine = started("idle", "idle", solid="teammates", pursuers=2, arena=arena)
    engine.state.position[:, 0] = [*places, -8 - 8j]
    coast(engine, restart=False)
    np.testing.assert_allclose(engine.state.position[:2, 0], parted, atol=1e-12)


CROWDS = {
    "against a wall": {"pursuers": 1, "evaders": 12, "evader": {"radius": 0.5}},
    "around a quarry": {"pursuers": 12, "evaders": 1, "pursuer": {"radius": 0.5}},
    "in a corner of a full arena": {"evaders": 30, "arena_size": 8.0, "capture_radius": 1e-3},
    "of all sizes": {"pursuers": 6, "randomize": {"pursuer": {"radius": (0.05, 1.0)}}},
    "among obstacles": {"pursuers": 8, "evaders": 8, "obstacles": 6, "arena_size": 14.0},
    "of both sides": {
        "pursuers": 8,
        "evaders": 8,
        "solid": "everyone",
        "capture_radius": 0.65,
        "arena_size": 12.0,
    },
    "on a torus": {"pursuers": 12, "arena": "torus", "arena_size": 8.0},
    "in the open": {"pursuers": 12, "arena": "open", "arena_size": 8.0},
}


@pytest.mark.compiled
@pytest.mark.weekly
@pytest.mark.parametrize("name", CROWDS)
def test_crowds_start_apart_and_never_overlap(name):
    rules = {"capture_radius": 0.05, "solid": "teammates", **CROWDS[name]}
    engine = started("seek", "evade", 12, **rules)
    for _ in range(150):
        assert overlaps(engine).max() <= ROUNDING
        coast(engine)
    engine.check_state(engine.get_state())


def test_solid_bodies_without_room_to_start_apart_are_refused():
    full = {"pursuers": 8, "pursuer": {"radius": 0.5}, "arena_size": 4.0, "capture_radius": 0.9}
    game_config(solid="teammates", **full)  # 8 squares of 1 m are half of it
    game_config(**{**full, "pursuers": 30})  # ghosts need no room
    discs = {"obstacles": [(0.0, 0.0, 0.3)]}
    radii = {"randomize": {"pursuer": {"radius": (0.1, 0.9)}}}
    for more, match in (
        ({"solid": "everyone"}, r"9 solid bodies of up to 0\.5 m have no room"),
        ({"solid": "teammates", **discs}, r"they take 8\.6 of its 16 square meters"),
        ({"solid": "teammates", **radii}, r"up to 0\.9 m have no room"),
    ):
        with pytest.raises(ValueError, match=match):
            game_config(**full, **more)


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("model", ["point_mass", "simple_motion"])
def test_a_step_among_obstacles_is_that_of_the_textbook_to_the_bit(arena, model):
    """The loop asks `move` only where an obstacle may be in reach."""
    kind = MODELS.index(model)
    limits = {"max_speed": (1.0, 40.0), "max_force": (5.0, 500.0), "radius": (0.0, 0.4)}
    both = {side: {"model": model} for side in ("pursuer", "evader")}
    game = {"arena": arena, "arena_size": 12.0, "pursuers": 3, "obstacles": 4, **both}
    engine = started(None, None, 60, **game, randomize=dict.fromkeys(both, limits))
    rules, state, generator = engine.rules[0], engine.state, np.random.default_rng(0)
    dt, touched = engine.config.dt, 0
    for _ in range(15):
        before = engine.get_state()
        actions = random_actions(engine, generator)
        engine.step(*actions, PURSUER, True)
        for game, number in zip(*np.nonzero(state.active.T & (state.steps > 0)[:, None])):
            me = Vehicle(*before["players"]["body"][game, number].item())
            discs = [Obstacle(*disc.item()) for disc in before["obstacles"][game]]
            action = complex(*np.hstack(actions)[game, number].tolist())
            force = force_of_action(kind, me, action, dt)
            free, _ = accelerate(kind, me, force, dt)
            where = rules.arena, rules.half_size
            end, velocity = move(*where, discs, me.radius, me.position, free, dt)
            end = me.position + (end - me.position)
            expected = wrap(end, rules.half_size) if arena == "torus" else end
            found = state.position[number, game], state.velocity[number, game]
            assert found == (expected, velocity)
            touched += velocity != glide(*where, me.radius, me.position, free, dt)[1]
    assert touched > 20
