"""Scenarios that the tests of this folder share."""

from __future__ import annotations

import math

import numpy as np

from steer_env import Scenario, feature
from steer_env.steering import norm

AHEAD = np.float32([1.0, 0.0])


class River(Scenario):
    """In a river through the middle, top speeds are halved."""

    width: float = 4.0
    share: float = 0.5

    def limits(self, me):
        is_wet = abs(me.position.real) < self.width / 2
        return (self.share if is_wet else 1.0) * me.max_speed, me.max_force

    @feature(0.0, 1.0)
    def water(self, me):
        return 1.0 if abs(me.position.real) < self.width / 2 else 0.0


class SafeZone(Scenario):
    """Nobody is caught within a disc around the middle, and it pays to be near it."""

    radius: float = 2.0
    keywords = {"horizon": 300, "capture_radius": 1.0}

    def start(self, me, is_pursuer, number, chance):
        if is_pursuer:
            return 8.0 + 0j, -1.0 + 0j, 0.0
        angle = 2.0 * math.pi * chance[0]
        return 5.0 * complex(math.cos(angle), math.sin(angle)), 2.0j, 1.0

    def capture(self, evader, pursuers, distances):
        return norm(evader.position) > self.radius and min(distances) < 1.0

    def reward(self, step):
        return 0.01 * norm(step.other.position)


class TwoCaptors(Scenario):
    """Two pursuers catch together: both near, and on opposite sides."""

    keywords = {"pursuers": 2}

    def capture(self, evader, pursuers, distances):
        one = pursuers[0].position - evader.position
        two = pursuers[1].position - evader.position
        is_between = one.real * two.real + one.imag * two.imag < 0.0
        return is_between and max(distances[0], distances[1]) < 2.5


class Mud(Scenario):
    """The right half is muddy."""

    thickness: float = 2.0

    def drag(self, me):
        return self.thickness if me.position.real > 0.0 else 0.0


def faulty(**methods):
    return type("Faulty", (Scenario,), methods)
