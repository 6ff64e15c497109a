"""What is drawn beside players is what they decide by: whole episodes of the engine."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steer_env.game.annotations import annotations_of
from steer_env.game.arena import room
from steer_env.game.config import game_config
from steer_env.game.engine import Engine
from steer_env.scripts.script import Script
from steer_env.steering import Vehicle, arrive, clamp_to_square, flee, seek, truncate


def nobody_outside(engine):
    return [np.zeros((0, engine.side_size(side), 2), np.float32) for side in (0, 1)]


def decisions(pursuer, evader, **keywords):
    """(script, body, annotations, force) of every player at every moment of an episode."""
    engine = Engine(game_config(horizon=150, **keywords), [pursuer], [evader], 1, 150, 1)
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


def arrive_at(me, aim):
    return arrive(me, aim, 0.6)


STEERS = {
    "pursuit": seek,
    "seek": seek,
    "evade": flee,
    "flee": flee,
    "arrive": arrive_at,
    "offset_pursuit": arrive_at,
    "hide": arrive_at,
}
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


def test_walls_push_by_what_the_feelers_that_are_drawn_overshoot():
    script = Script(behavior="wander", walls=8.0)
    pushed = 0
    for _, me, found, force in decisions(script, script):
        nearer = (3.0 - abs(found.feelers[0] - me.position)) / 3.0
        edge = room(0, 10.0, me.radius) - nearer
        push = 8.0 * sum(clamp_to_square(tip, edge) - tip for tip in found.feelers)
        wish = seek(me, found.wander[2]) + push
        assert force == pytest.approx(truncate(wish, me.max_force))
        pushed += push != 0j
    assert pushed > 20
