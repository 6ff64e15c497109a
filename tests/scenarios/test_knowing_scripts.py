"""Scripts that know a scenario's limits: where they aim, and what it is worth."""

from __future__ import annotations

import numpy as np
import pytest
from engines import coast, started

from steer_env import Scenario, Script
from steer_env.baselines import evaluate
from steer_env.errors import InvalidValue
from steer_env.sides import EVADER, PURSUER

pytestmark = pytest.mark.compiled


class Mud(Scenario):
    """Everything to the right of a place is mud, or stripes of it for pursuers alone."""

    begin: float = 1.0
    share: float = 0.5
    stripes: bool = False

    def limits(self, me, is_pursuer):
        is_mud = me.position.real > self.begin
        if self.stripes:
            is_mud = is_pursuer and abs(me.position.real) % 5.0 < 2.5
        return (self.share if is_mud else 1.0) * me.max_speed, me.max_force


def direction_of_chase(limits, velocity, **keywords):
    chase = Script(
        behavior="pursuit",
        lookahead="constant",
        lookahead_seconds=2.0,
        limits=limits,
        **keywords,
    )
    engine = started(chase, None, game=Mud, evader={"max_speed": 4.0})
    engine.state.position[:, 0] = -1j, 9j
    engine.state.velocity[1, 0] = velocity
    forward, left = engine.decisions(PURSUER)[0, 0]
    force = complex(forward, left) * engine.state.heading[0, 0]
    return (
        10.0 * force.real / force.imag
    )  # where the line of the force is at the evader's height


@pytest.mark.parametrize(
    ("velocity", "own", "known"),
    [
        (
            2.0,
            4.0,
            2.75,
        ),  # eight parts of a quarter of a second: 1 m dry, 0.5, and five of 0.25
        (-2.0, -4.0, -4.0),
        (0.0, 0.0, 0.0),
    ],
)
def test_a_pursuer_expects_the_speeds_of_the_places_ahead(velocity, own, known):
    assert direction_of_chase("own", velocity) == pytest.approx(own, abs=1e-5)
    assert direction_of_chase("known", velocity) == pytest.approx(known, abs=1e-5)


def test_who_leaves_the_mud_is_expected_to_go_faster():
    chase = Script(
        behavior="pursuit", lookahead="constant", lookahead_seconds=1.0, limits="known"
    )
    engine = started(chase, None, game=Mud, evader={"max_speed": 4.0})
    engine.state.position[:, 0] = 1.25 - 1j, 1.25 + 9j
    engine.state.velocity[1, 0] = -2.0  # all that it can in mud
    forward, left = engine.decisions(PURSUER)[0, 0]
    force = complex(forward, left) * engine.state.heading[0, 0]
    # An eighth of a second at 2 m/s, at 1 m it is dry, and then at 4 m/s.
    assert 10.0 * force.real / force.imag == pytest.approx(-0.25 - 7 / 8 * 4.0, abs=1e-5)


def test_it_catches_earlier_where_mud_slows_it_down():
    game = Mud(stripes=True, share=0.3)
    times = []
    for limits in ("own", "known"):
        chase = Script(behavior="pursuit", lookahead="intercept", limits=limits)
        times.append(evaluate(chase, "wander", game, 512).payoffs)
    earlier = times[0] - times[1]
    assert earlier.mean() - 1.96 * earlier.std() / 512**0.5 > 0.3  # seconds


def test_without_a_scenarios_limits_it_is_the_same_script():
    games = [
        started(Script(behavior="pursuit", limits=one), "evade", 16) for one in ("own", "known")
    ]
    for _ in range(40):
        for engine in games:
            coast(engine)
    assert (games[0].state.position == games[1].state.position).all()


def test_single_and_vector_games_are_the_same():
    script = Script(
        behavior="evade", lookahead="intercept", limits="known", walls=8.0, wander=0.5
    )
    many = started("pursuit", script, 140, game=Mud, obstacles=1)
    one = started("pursuit", script, game=Mud, obstacles=1, seed=133)
    for _ in range(40):
        many.step(many.no_actions(PURSUER), many.no_actions(EVADER), PURSUER, restart=True)
        one.step(one.no_actions(PURSUER), one.no_actions(EVADER), PURSUER, restart=True)
    assert one.get_state()[0].tobytes() == many.get_state()[133].tobytes()
    assert np.ptp(many.state.position.real) > 5.0


@pytest.mark.parametrize(
    "parts",
    [
        {"behavior": "encircle"},
        {"behavior": "pursuit", "target": "assigned"},
        {"behavior": "pursuit", "sees": "observed"},
        {"behavior": "pursuit", "paths": True},
    ],
)
def test_it_sees_all_and_looks_at_one_opponent(parts):
    with pytest.raises(InvalidValue, match="limits='known' is for scripts that see all"):
        Script(limits="known", **parts)
