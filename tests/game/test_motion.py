"""Solid bodies push each other apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER

GAMES = 60
NOBODY = np.zeros((0, 3, 2), np.float32)


def make_engine(**keywords):
    config = game_config(**{"pursuers": 3, "evaders": 3, **keywords})
    engine = Engine(config, [ROSTER["pursuit"]], [ROSTER["evade"]], GAMES)
    engine.seed(range(GAMES))
    engine.start()
    return engine


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


MATES = [*itertools.combinations(range(3), 2), *itertools.combinations(range(3, 6), 2)]
OPPONENTS = list(itertools.product(range(3), range(3, 6)))


def deepest(engine, pairs, steps=300):
    worst = []
    for _ in range(steps):
        engine.step(NOBODY, NOBODY, PURSUER, True)
        worst.append(max(overlaps(engine, pairs).max(initial=-1.0), -1.0))
    return np.array(worst[30:])  # who starts in a heap needs a moment


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
def test_solid_teammates_keep_apart(arena):
    ghosts = deepest(make_engine(arena=arena, obstacles=3), MATES)
    solid = deepest(make_engine(arena=arena, obstacles=3, solid="teammates"), MATES)
    assert ghosts.max() > 0.5  # of 0.6: they run through each other
    # Three in a row need more than one step, and between walls there may be no room.
    assert np.quantile(solid, 0.5) < 0.02
    assert solid.max() < 0.35


@pytest.mark.compiled
def test_everyone_can_be_solid_where_capture_is_possible():
    with pytest.raises(ValueError, match="no evader is ever caught"):
        game_config(solid="everyone")
    engine = make_engine(solid="everyone", capture_radius=0.65)
    for _ in range(600):
        engine.step(NOBODY, NOBODY, PURSUER, True)
    assert engine.get_state()["game"]["captured"].sum() > 0
    with pytest.raises(ValueError, match="Did you mean 'everyone'"):
        game_config(solid="everyon")


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_pushing_leaves_everybody_inside_and_out_of_obstacles(arena):
    engine = make_engine(arena=arena, obstacles=3, arena_size=8.0, solid="teammates")
    for _ in range(200):
        engine.step(NOBODY, NOBODY, PURSUER, True)
        engine.check_state(engine.get_state())
        players, discs = engine.get_state()["players"], engine.get_state()["obstacles"]
        if arena == "walls":
            body = players["body"]
            gaps = abs(body["position"][:, :, None] - discs["center"][:, None, :])
            reach = body["radius"][:, :, None] + discs["radius"][:, None, :]
            assert (gaps - reach)[
                np.broadcast_to(discs["radius"][:, None] > 0, gaps.shape)
            ].min() > -1e-6


def two(place, other, **keywords):
    """Two pursuers at rest, far from the evader."""
    config = game_config(pursuers=2, evaders=1, solid="teammates", **keywords)
    engine = Engine(config, [ROSTER["rest"]], [ROSTER["rest"]], 1)
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
    at_wall = two(9.7 + 0j, 9.5 + 0j)  # who stands at the wall cannot give way
    np.testing.assert_allclose(at_wall, [9.7, 9.3], atol=1e-12)


@pytest.mark.compiled
def test_the_caught_are_no_obstacles():
    engine = make_engine(solid="teammates")
    state = engine.get_state()
    state["players"]["body"]["position"][:, 3:] = 5j
    state["players"]["body"]["position"][:, :3] = -5j
    state["players"]["active"][:, 3:5] = False
    state["game"]["captured"] = 2
    engine.set_state(state)
    before = engine.get_state()["players"]["body"]["position"][:, 3:5].copy()
    engine.step(NOBODY, NOBODY, EVADER, True)
    np.testing.assert_array_equal(
        engine.get_state()["players"]["body"]["position"][:, 3:5], before
    )
