"""Solid bodies start apart, and push each other apart."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.game.arena import ROUNDING as CONTACT
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

ROUNDING = CONTACT + 1e-13  # of the distances that are measured here
NOBODY = np.zeros((0, 3, 2), np.float32)


def overlaps(engine, pairs):
    """How deep each pair of active players overlaps, in meters."""
    players, arena = engine.get_state()["players"], engine.config.arena
    place, radius = players["body"]["position"], players["body"]["radius"]
    found = []
    for one, two in pairs:
        offset = place[:, one] - place[:, two]
        if arena.kind == "torus":
            size = arena.size
            offset = offset - size * (
                np.rint(offset.real / size) + 1j * np.rint(offset.imag / size)
            )
        depth = radius[:, one] + radius[:, two] - abs(offset)
        found.append(depth[players["active"][:, one] & players["active"][:, two]])
    return np.concatenate(found)


def two(place, other, **keywords):
    """Two pursuers at rest, far from the evader."""
    config = game_config(pursuers=2, evaders=1, solid="teammates", **keywords)
    engine = Engine(config, [ROSTER["idle"]], [ROSTER["idle"]], 1)
    engine.seed([0])
    engine.start()
    state = engine.get_state()
    state["players"]["body"]["position"] = [place, other, -8 - 8j]
    engine.set_state(state)
    engine.step(NOBODY[:, :2], NOBODY[:, :1], PURSUER, False)
    return engine.get_state()["players"]["body"]["position"][0, :2]


@pytest.mark.compiled
def test_each_takes_half():
    np.testing.assert_allclose(two(0j, 0.4 + 0j), [-0.1, 0.5], atol=1e-12)
    np.testing.assert_allclose(two(2j, 2j), [0.3 + 2j, -0.3 + 2j], atol=1e-12)  # coincident
    np.testing.assert_allclose(two(0j, 0.6 + 0j), [0, 0.6], atol=1e-12)  # just touching
    across = two(9.9 + 0j, -9.9 + 0j, arena="torus")
    np.testing.assert_allclose(across, [9.7, -9.7], atol=1e-12)
    for at_wall in (two(9.7 + 0j, 9.5 + 0j), two(9.5 + 0j, 9.7 + 0j)[::-1]):
        # Who stands at the wall cannot give way: the other does.
        np.testing.assert_allclose(at_wall, [9.7, 9.1], atol=1e-12)


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


def crowd(steps, name):
    """The engine of a crowd after each step."""
    config = game_config(**{"capture_radius": 0.05, "solid": "teammates", **CROWDS[name]})
    engine = Engine(config, [ROSTER["seek"]], [ROSTER["evade"]], 12)
    engine.seed(range(12))
    engine.start()
    nobody = [np.zeros((0, engine.side_size(s), 2), np.float32) for s in (PURSUER, EVADER)]
    yield engine
    for _ in range(steps):
        engine.step(*nobody, PURSUER, True)
        yield engine


def test_solid_bodies_without_room_to_start_apart_are_refused():
    full = {"pursuers": 8, "pursuer": {"radius": 0.5}, "arena_size": 4.0, "capture_radius": 0.9}
    game_config(solid="teammates", **full)  # 8 squares of 1 m are half of it
    game_config(**{**full, "pursuers": 30})  # ghosts need no room
    with pytest.raises(ValueError, match=r"9 solid bodies of up to 0\.5 m have no room"):
        game_config(solid="everyone", **full)
    with pytest.raises(ValueError, match=r"they take 8\.6 of its 16 square meters"):
        game_config(solid="teammates", obstacles=[(0.0, 0.0, 0.3)], **full)
    ranges = {"pursuer": {"radius": (0.1, 0.9)}}
    with pytest.raises(ValueError, match=r"up to 0\.9 m have no room"):
        game_config(solid="teammates", randomize=ranges, **full)
