"""Capture the flag: two raiders take it from the right, and bring it home to the left.

Guards catch raiders on their own half only, the right one. They have won when both raiders are
caught, or the time is up.

    python examples/worlds/capture_the_flag.py
"""

import sys

import numpy as np

from steer_env import Scenario, features, register
from steer_env.baselines import FunctionPolicy
from steer_env.cli import main
from steer_env.steering import norm, pursuit, seek

FLAG, HOME = 8.0, -8.0  # places on the x-axis


@register
class CaptureTheFlag(Scenario):
    """The flag is 1 for the raider that carries it."""

    own = {"flag": 0.0}
    keywords = {
        "pursuers": 2,
        "evaders": 2,
        "horizon": 900,
        "observation": {"features": ["ways", "own", "other"]},
    }
    outcomes = {"flag brought home": "evaders", "flag guarded": "pursuers"}

    def start(self, me, is_pursuer, chance):
        y = 16.0 * chance[1] - 8.0
        return complex(4.0 + 4.0 * chance[0] if is_pursuer else -8.0, y), me.heading, 0.0

    def after(self, me, is_pursuer):
        return 1.0 if not is_pursuer and norm(me.position - FLAG) < 1.5 else me.own.flag

    def capture(self, evader, distances):
        return evader.position.real > 0.0 and min(distances[0], distances[1]) < 0.8

    def ends(self, evaders, time_left):
        for evader in evaders:
            if evader.own.flag > 0.0 and evader.position.real < HOME + 1.5:
                return "flag brought home"
        return "flag guarded" if time_left < 1e-6 else None

    @features(4, -30.0, 30.0)
    def ways(self, me, other):
        goal = ((HOME if me.own.flag > 0.0 else FLAG) - me.position) * me.heading.conjugate()
        threat = (other.position - me.position) * me.heading.conjugate()
        return goal.real, goal.imag, threat.real, threat.imag

    @property
    def zones(self):
        home = (-10 - 10j, HOME + 1.5 - 10j, HOME + 1.5 + 10j, -10 + 10j)
        return [FLAG + 1.5 * np.exp(1j * np.arange(0.0, 6.2, 0.2)), home]


def raider(observations):
    """Runs for the flag, then home, and dodges a guard that is near."""
    goal, threat = (observations[:, :4].astype(float) + 1e-9).view(complex).T
    way = goal / abs(goal) - 4.0 * threat / abs(threat) ** 2
    return np.stack([way.real, way.imag], 1) / abs(way)[:, None]


def guard(me, other):
    """Chases on its own half, and else waits between the flag and the raider."""
    waits = seek(me, 0.7 * FLAG + 0.3j * other.position.imag)
    return 10.0 * (pursuit(me, other) if other.position.real > -1.0 else waits)


PURSUER, EVADER = guard, FunctionPolicy(raider)

if __name__ == "__main__":  # you are the only raider: steer with the arrow keys
    game = ["--game", "capture_the_flag", "--evaders", "1", "--steer", "evader"]
    main(["watch", *game, "--pursuer", f"{__file__}:guard", *sys.argv[1:]])
