"""Scripts that look at their team: who hunts whom, what is drawn, and what it is good for."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env import steering
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle

pytestmark = pytest.mark.weekly


def engine_of(chaser, other, games=1, **keywords):
    engine = Engine(game_config(**keywords), [chaser], [other], games)
    engine.seed(range(games))
    engine.start()
    return engine


def placed(engine, places, velocities=None):
    """The engine with its players at some places, in all its games; returns the state."""
    state = engine.get_state()
    body = state["players"]["body"]
    body["position"], body["velocity"] = places, 0j if velocities is None else velocities
    engine.set_state(state)
    return state


def step(engine):
    nobody = [np.zeros((0, engine.side_size(side), 2), np.float32) for side in (0, 1)]
    engine.step(*nobody, PURSUER, False)


def directions(engine):
    """Where each player has begun to move, from rest."""
    velocity = engine.get_state()["players"]["body"]["velocity"][0]
    return velocity / np.maximum(abs(velocity), 1e-9)


# ---- Who hunts whom -----------------------------------------------------------------------


@pytest.mark.compiled
def test_assigned_hunters_share_their_quarries_out():
    for target in ("nearest", "assigned"):
        script = Script(behavior="seek", target=target)
        engine = engine_of(script, ROSTER["idle"], pursuers=2, evaders=2, arena="open")
        placed(engine, [0j, 2 + 0j, 3 + 4j, 9 + 0j])
        step(engine)
        ways = directions(engine)[:2]
        first = (3 + 4j) / 5
        second = (1 + 4j) / abs(1 + 4j) if target == "nearest" else 1 + 0j
        assert ways == pytest.approx([first, second])


@pytest.mark.compiled
def test_partners_are_those_after_the_same_quarry():
    """Two that are after one stand opposite each other; the third has a quarry of its own."""
    script = Script(behavior="encircle", target="assigned", spread=0.5)
    engine = engine_of(script, ROSTER["idle"], pursuers=3, evaders=2, arena="open")
    places = [-6 + 1j, -6 - 1j, 7 + 3j, 0j, 7 + 9j]
    placed(engine, places)
    step(engine)
    quarry, other = Vehicle(places[3]), Vehicle(places[4])
    hunters = [Vehicle(place, max_speed=4.0) for place in places[:3]]
    expected = [
        steering.encirclement(hunters[0], hunters[1:2], quarry, 0.5),
        steering.encirclement(hunters[1], hunters[:1], quarry, 0.5),
        steering.encirclement(hunters[2], [], other, 0.5),
    ]
    assert directions(engine)[:3] == pytest.approx([force / abs(force) for force in expected])


# ---- What packs are good for: `tools/pack_claims.py` has all of it ------------------


@pytest.mark.compiled
def test_guards_go_between_the_others_and_their_menace():
    places = [-8 + 0j, 4 + 0j, 2 + 5j]  # a menace and two guards, each the other's ward
    engine = engine_of(ROSTER["idle"], Script(behavior="guard"), evaders=2, arena="open")
    placed(engine, places)
    step(engine)
    menace, one, other = (Vehicle(place, max_speed=3.6) for place in places)
    ways = [
        steering.interpose_aim(one, other, menace) - one.position,
        steering.interpose_aim(other, one, menace) - other.position,
    ]
    assert directions(engine)[1:] == pytest.approx([way / abs(way) for way in ways])
