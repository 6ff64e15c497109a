"""Convoy: three trucks drive to the gate in the east, and two bandits wait on the way.

Trucks are fast on the road and slow beside it. Two trucks decide: the convoy has won when two
are through, the bandits when they have stopped two.

    python examples/worlds/convoy.py
"""

import sys

from steer_env import Scenario, feature, register
from steer_env.cli import main


@register
class Convoy(Scenario):
    """The road is straight, and the bandits know it, too."""

    road: float = 2.0  # half its width, in meters
    rough: float = 0.6  # the share of their top speed that trucks have beside it
    keywords = {
        "arena_size": 32.0,
        "pursuers": 2,
        "evaders": 3,
        "pursuer": {"max_speed": 2.4},
        "evader": {"max_speed": 4.4},
        "target": {"kind": "gap", "position": (16.0, 0.0), "width": 8.0},
    }
    outcomes = {"convoy through": "evaders", "convoy stopped": "pursuers"}
    opponents = {"pursuer": "reach/full_force", "evader": "block/full_force"}

    def start(self, is_pursuer, number, chance):
        if is_pursuer:
            y = 28.0 * chance[1] - 14.0
            return complex(2.0 + 10.0 * chance[0], y), -1.0 + 0j, 0.0
        return complex(-15.0 + 2.0 * number, 2.0 * chance[1] - 1.0), 1.0 + 0j, 0.0

    def limits(self, me, is_pursuer):
        is_slow = not is_pursuer and abs(me.position.imag) > self.road
        return (self.rough if is_slow else 1.0) * me.max_speed, me.max_force

    def ends(self, captured, reached):
        if captured >= 2:
            return "convoy stopped"
        return "convoy through" if reached >= 2 else None

    @feature(-1.0, 1.0)
    def beside_the_road(self, me):
        return min(max(me.position.imag / 16.0, -1.0), 1.0)

    @property
    def zones(self):
        width = 1j * self.road
        return [(-16 - width, 16 - width, 16 + width, -16 + width)]


if __name__ == "__main__":  # you are the only bandit: steer with the arrow keys
    game = ["--game", "convoy", "--pursuers", "1", "--steer", "pursuer"]
    main(["watch", *game, *sys.argv[1:]])
