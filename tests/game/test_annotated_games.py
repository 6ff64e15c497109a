"""What is drawn beside players is what they decide by: whole episodes of the engine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from recorded import annotations_of

from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.roster import ROSTER
from steer_env.scripts.script import Script
from steer_env.steering import Vehicle, arrive, flee, seek, truncate


def nobody_outside(engine):
    return [np.zeros((0, engine.side_size(side), 2), np.float32) for side in (0, 1)]


def decisions(pursuer, evader, **keywords):
    """(script, body, annotations, force) of every player at every moment of an episode."""
    engine = Engine(game_config(horizon=90, **keywords), [pursuer], [evader], 1, 90, 1)
    engine.seed([8])
    engine.start()
    is_over, count = False, engine.config.pursuers
    while not is_over:
        before = engine.get_state()[0]
        outcome = engine.step(*nobody_outside(engine), 0, False)
        # The wander point takes its turn before it is used.
        before["players"]["wander_point"] = engine.get_state()[0]["players"]["wander_point"]
        marked = annotations_of(before, engine.config, ([pursuer], [evader]))
        free, forces = engine.get_state()[0]["players"]["active"], engine.forces()
        for number in np.flatnonzero(free):
            me = Vehicle(*before["players"]["body"][number].item())
            script = pursuer if number < count else evader
            yield script, me, marked[number], forces[number]
        is_over = bool(outcome.terminated[0] or outcome.truncated[0])


STEERS = {"pursuit": seek, "evade": flee}
PAIRS = {
    "default": ({}, {}),
    "exact": (
        {"lookahead": "intercept", "predictor": "turning", "lookahead_cap": 2.0},
        {"lookahead": "reynolds", "predictor": "accelerating", "lookahead_cap": 1.0},
    ),
    "contained": ({"predictor": "contained", "lookahead": "own_speed"}, {"threat_range": 7.0}),
    "constant": ({"lookahead": "constant", "predictor": "braking"}, {"lookahead": "none"}),
}
GAMES = {
    "walls": {},
    "torus": {"arena": "torus"},
    "teams": {"arena": "torus", "pursuers": 2, "evaders": 3},
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_drawn_is_what_is_decided(pair, game):
    pursuer, evader = PAIRS[pair]
    scripts = Script(behavior="pursuit", **pursuer), Script(behavior="evade", **evader)
    count = 0
    for script, me, found, force in decisions(*scripts, **GAMES[game]):
        if found.aim is None:
            assert script.threat_range < math.inf
            assert force == 0j
        else:
            assert force == STEERS[script.behavior](me, found.aim)
            count += 1
    assert count > 60


@pytest.mark.parametrize("arena", ["walls", "torus", "open"])
@pytest.mark.parametrize(
    "name", ["pursuit/pack", "encircle", "flank", "voronoi", "voronoi/now", "guard"]
)
def test_so_it_is_for_teams(name, arena):
    """For the main behavior alone, without what keeps off teammates and walls."""
    named, rest = ROSTER[name], Script(behavior="idle")
    fields = {"behavior": named.behavior, "target": named.target, "lookahead": named.lookahead}
    team = Script(**fields, response_time=0.1)
    sides = (team, rest) if team.chases else (rest, team)
    steer = seek if team.chases else arrive_at
    for script, me, found, force in decisions(*sides, arena=arena, pursuers=3, evaders=3):
        if script is team and found.aim is not None:
            assert force == pytest.approx(truncate(10.0 * steer(me, found.aim), me.max_force))


def arrive_at(me, aim):
    return arrive(me, aim, 0.6)
