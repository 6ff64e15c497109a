"""The numbers of a vehicle's own: who reads them, who changes them, and when."""

from __future__ import annotations

import numpy as np
import pytest
from engines import coast, started
from own_games import faulty

from steer_env import Scenario, feature
from steer_env.errors import InvalidType, InvalidValue
from steer_env.sides import EVADER, PURSUER
from steer_env.steering import norm

pytestmark = pytest.mark.compiled


class Stamina(Scenario):
    """Pushing tires, and the tired are slow and easily caught."""

    rest: float = 0.5
    own = {"energy": 1.0, "side": 0.0}
    keywords = {"evaders": 2, "horizon": 90, "reward": {"closing": 0.0, "time": 0.0}}

    def after(self, me, push, dt, is_pursuer):
        energy = me.own.energy + (self.rest - abs(push)) * dt
        return min(max(energy, 0.0), 1.0), is_pursuer

    def limits(self, me):
        return (0.2 + 0.8 * me.own.energy) * me.max_speed, me.max_force

    def capture(self, evader, distances):
        return evader.own.energy < 0.91 and distances[0] < 30.0

    def reward(self, me, other):
        return me.own.energy - other.own.energy

    @feature(0.0, 1.0)
    def energy(self, me):
        return me.own.energy

    @feature(0.0, 1.0)
    def its_energy(self, other):
        return other.own.energy


def test_every_method_reads_own_numbers():
    engine = started(None, None, 2, game=Stamina, learner=PURSUER)
    actions = [np.ones((2, 1, 2), np.float32), np.zeros((2, 2, 2), np.float32)]
    actions[EVADER][0, 1] = 1.0  # the second evader of the first game tires
    energy = theirs = 1.0
    for step in range(1, 10):
        outcome = engine.step(*actions, PURSUER, restart=False)
        energy -= 0.5 / 30
        theirs -= 0.5 / 30 * (step <= 6)
        assert engine.state.own[:2] == pytest.approx(np.array([[energy, energy], [1, 1]]))
        assert engine.state.own[2:, 0] == pytest.approx([1, 0, theirs, 0])
        assert engine.state.active[:, 0].tolist() == [True, True, step < 6]  # caught below 0.91
        nearest = abs(engine.state.position[1:, 0] - engine.state.position[0, 0]).argmin()
        other = theirs if nearest == 1 and step < 6 else 1.0
        told = np.array([[energy, other], [energy, 1.0]])
        assert outcome.observations[:, 0, 10:12] == pytest.approx(told, abs=1e-6)
        assert outcome.rewards[1] == pytest.approx(energy - 1.0)
        before = theirs if nearest == 1 and step <= 6 else 1.0
        paid = 0.5 * (step == 6) + energy - before  # a capture of one of two is worth half
        assert outcome.rewards[0] == pytest.approx(paid)
    kept = engine.state.own[4, 0]  # of the one that is out of play
    coast(engine, restart=False)
    assert engine.state.own[4, 0] == kept
    fastest = (0.2 + 0.8 * energy) * engine.state.max_speed[0, 1]
    assert abs(engine.state.velocity[0, 1]) <= fastest


def test_all_change_at_once():
    swap = faulty(own={"flag": 0.0}, after=lambda self, other: other.own.flag)
    engine = started(None, None, 2, game=swap)
    engine.state.own[:] = [[1.0, 5.0], [2.0, 7.0]]
    coast(engine)
    assert engine.state.own.tolist() == [[2.0, 7.0], [1.0, 5.0]]


def test_eight_numbers_have_their_order():
    names = "abcdefgh"

    def after(self, me, time):
        own = me.own
        return own.h, own.a, own.b, own.c, own.d, own.e, own.f, own.g + time

    engine = started(None, None, game=faulty(own=dict(zip(names, range(8))), after=after))
    assert engine.state.own[:, 0].tolist() == [*range(8)] * 2
    coast(engine)
    assert engine.state.own[:, 0] == pytest.approx([7, 0, 1, 2, 3, 4, 5, 6 + 1 / 30] * 2)


def keep(self, me):
    return me.own.energy


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"own": 3.0, "after": keep}, 'must be a dict such as {"energy": 1.0}'),
        ({"own": {"energy": "full"}, "after": keep}, "must be a finite number, got 'full'"),
        ({"own": {"energy": float("nan")}, "after": keep}, "must be a finite number"),
        ({"own": {"_energy": 1.0}, "after": keep}, "must have names such as 'energy'"),
        ({"own": {"class": 1.0}, "after": keep}, "must have names such as 'energy'"),
        ({"own": dict.fromkeys("abcdefghi", 0.0), "after": keep}, "9 numbers, and 8 are the"),
        ({"own": {"energy": 1.0}}, "needs a method motion or after"),
        ({"after": keep}, 'it needs own = {"energy": 1.0}'),
    ],
)
def test_own_numbers_that_cannot_be_are_refused(members, message):
    with pytest.raises((InvalidType, InvalidValue), match=message):
        faulty(**members)


def test_methods_can_be_tried_in_python():
    game = Stamina(rest=0.0)
    tired = game.rider(position=3.0, energy=0.5, max_speed=2.0)
    assert game.limits(tired) == pytest.approx((1.2, 1.0))
    assert game.after(tired, 0.6 + 0.8j, 0.1, True) == (0.4, True)
    assert norm(tired.position) == 3.0
    with pytest.raises(InvalidType, match=r"unknown field of a rider 'enery'.*'energy'"):
        game.rider(enery=1.0)
