"""Games that a scenario ends, as users write them."""

from __future__ import annotations

from steer_env import Scenario
from steer_env.steering import norm


class Tunnel(Scenario):
    """Two exits, one to the east and one to the west, and mud for the pursuers between them."""

    mud: float = 0.5
    keywords = {"arena_size": 20.0, "horizon": 300}
    outcomes = {
        "through the east exit": "evaders",
        "through the west exit": "evaders",
        "shut in": "pursuers",
    }

    def limits(self, me, is_pursuer):
        is_slow = is_pursuer and abs(me.position.real) < 4.0
        return (self.mud if is_slow else 1.0) * me.max_speed, me.max_force

    def ends(self, evader, time_left):
        if abs(evader.position.imag) < 3.0 and evader.position.real > 9.0:
            return "through the east exit"
        if abs(evader.position.imag) < 3.0 and evader.position.real < -9.0:
            return "through the west exit"
        if time_left < 1.0:
            return "shut in"


class Flag(Scenario):
    """Capture the flag: evaders take it from the right, and bring it home to the left."""

    keywords = {"pursuers": 2, "evaders": 2, "horizon": 900}
    own = {"flag": 0.0}
    outcomes = {"flag brought home": "evaders"}

    def after(self, me, is_pursuer):
        takes = not is_pursuer and norm(me.position - 7.0) < 1.5
        return 1.0 if takes else me.own.flag

    def ends(self, evaders):
        for evader in evaders:
            if evader.own.flag > 0.0 and evader.position.real < -7.0:
                return "flag brought home"


class Hill(Scenario):
    """An evader that holds the zone in the middle for three seconds has won."""

    own = {"held": 0.0}
    outcomes = {"held the hill": "evaders"}

    def after(self, me, is_pursuer, dt):
        return me.own.held + dt if not is_pursuer and norm(me.position) < 2.0 else 0.0

    def ends(self, evader):
        return "held the hill" if evader.own.held >= 3.0 - 1e-9 else None


class InSight(Scenario):
    """A capture takes a free line between the two, and the game a seen evader at its end."""

    keywords = {"obstacles": [(0.0, 0.0, 2.0)], "horizon": 60}
    outcomes = {"seen at last": "pursuers", "hidden": "evaders"}

    def capture(self, evader, pursuers, distances, world):
        return distances[0] < 1.0 and world.is_free(evader.position, pursuers[0].position)

    def ends(self, evader, pursuer, time_left, world):
        if time_left > 1e-9:
            return ""
        is_seen = world.is_free(evader.position, pursuer.position)
        return "seen at last" if is_seen else "hidden"
