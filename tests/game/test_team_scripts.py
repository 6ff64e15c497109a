"""Scripts that look at their team: who hunts whom, what is drawn, and what it is good for."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env import steering
from steer_env.game.annotations import annotations_of
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import CHASING, TEAM_CHASING, Script
from steer_env.sides import PURSUER
from steer_env.steering import Vehicle


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


# ---- The fields of a Script ---------------------------------------------------------------


@pytest.mark.parametrize("behavior", [*CHASING, *TEAM_CHASING])
def test_chasing_behaviors_are(behavior):
    assert Script(behavior=behavior, target="assigned").looks_at_team
    assert Script(behavior=behavior).looks_at_team == (behavior in TEAM_CHASING)


# ---- Who hunts whom -----------------------------------------------------------------------


@pytest.mark.compiled
def test_assigned_hunters_share_their_quarries_out():
    for target in ("nearest", "assigned"):
        script = Script(behavior="seek", target=target)
        engine = engine_of(script, ROSTER["rest"], pursuers=2, evaders=2, arena="open")
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
    engine = engine_of(script, ROSTER["rest"], pursuers=3, evaders=2, arena="open")
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


# ---- What is drawn ------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize(
    "name", ["pursuit/pack", "encircle", "flank", "voronoi", "voronoi/now", "guard"]
)
def test_what_is_drawn_is_what_is_done(name, arena):
    script = Script(**{**ROSTER[name].changes, "behavior": ROSTER[name].behavior})
    script = Script(behavior=script.behavior, target=script.target, response_time=0.1)
    chases = script.chases
    sides = (script, ROSTER["rest"]) if chases else (ROSTER["rest"], script)
    engine = engine_of(*sides, 8, pursuers=3, evaders=3, arena=arena)
    numbers = range(3) if chases else range(3, 6)
    for game in range(8):
        scripts = ([sides[0]], [sides[1]])
        found = annotations_of(engine.get_state()[game], engine.config, scripts)
        bodies = engine.get_state()["players"]["body"][game]
        for number in numbers:
            assert found[number].aim is not None
            if script.behavior != "pursuit":  # whose facing test looks at the present
                looks_ahead = script.behavior in ("encircle", "voronoi")
                assert (found[number].lookahead is not None) == looks_ahead
            me = Vehicle(*bodies[number].item())
            steer = steering.seek if chases else steering.arrive
            force = 10.0 * steer(me, found[number].aim)
            expected = steering.apply_force(me, force, engine.config.dt)[0]
            after = engine_after(engine)[game]["players"]["body"]["velocity"][number]
            place = bodies[number]["position"]
            is_far_from_walls = max(abs(place.real), abs(place.imag)) < 9.0
            if is_far_from_walls or arena != "walls":
                assert abs(after - expected) < 1e-9


def engine_after(engine):
    """The state one step later; the engine stays where it is."""
    before = engine.get_state()
    step(engine)
    after = engine.get_state()
    engine.set_state(before)
    return after


# ---- What packs are good for: `tests/by_hand/pack_claims.py` has all of it ------------------


@pytest.mark.compiled
def test_guards_go_between_the_others_and_their_menace():
    places = [-8 + 0j, 4 + 0j, 2 + 5j]  # a menace and two guards, each the other's ward
    engine = engine_of(ROSTER["rest"], Script(behavior="guard"), evaders=2, arena="open")
    placed(engine, places)
    step(engine)
    menace, one, other = (Vehicle(place, max_speed=3.6) for place in places)
    ways = [
        steering.interpose_aim(one, other, menace) - one.position,
        steering.interpose_aim(other, one, menace) - other.position,
    ]
    assert directions(engine)[1:] == pytest.approx([way / abs(way) for way in ways])
