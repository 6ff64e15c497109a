"""River with a current: a smuggler's boat crosses it, and the customs' boat is in the way.

The current is strongest in the middle, and carries both to the east. The smuggler has won on
the north bank, and lost if it is caught or carried over the weir in the east.

    python examples/worlds/river_with_a_current.py
"""

import sys

from steer_env import Scenario, features, register
from steer_env.cli import main
from steer_env.steering import norm, truncate


def current_at(place, strongest):
    """The speed of the water to the east, 0 at the banks."""
    return strongest * max(1.0 - (place.imag / 10.0) ** 2, 0.0)


@register
class RiverWithACurrent(Scenario):
    """Boats accelerate against the water, which moves."""

    strongest: float = 1.2  # m/s, in the middle
    oars: float = 0.5  # the top speed against the water, as a share of that of the vehicle
    keywords = {
        "pursuer": {"max_speed": 2.5},
        "target": {"kind": "half_plane", "position": (0.0, 8.5), "heading": -1.5707963},
    }
    outcomes = {"over the weir": "pursuers"}
    opponents = {"pursuer": "reach/full_force", "evader": "block/full_force"}

    def start(self, is_pursuer, chance):
        y = 2.0 + 4.0 * chance[1] if is_pursuer else -8.5
        return complex(-9.0 + 4.0 * chance[0], y), 1j, 0.0

    def motion(self, me, push, dt):
        water = current_at(me.position, self.strongest)
        speed = me.velocity - water + push * me.heading * me.max_force / me.mass * dt
        speed = truncate(speed, self.oars * me.max_speed)
        return speed + water, speed if norm(speed) > 0.1 else me.heading

    def ends(self, evader):
        return "over the weir" if evader.position.real > 9.0 else None

    @features(2, -2.0, 2.0)
    def current(self, me):
        ahead = current_at(me.position, self.strongest) * me.heading.conjugate()
        return ahead.real, ahead.imag

    @property
    def zones(self):
        return [(9 - 10j, 10 - 10j, 10 + 10j, 9 + 10j)]


if __name__ == "__main__":  # you are the smuggler: steer with the arrow keys
    game = ["--game", "river_with_a_current", "--steer", "evader"]
    main(["watch", *game, *sys.argv[1:]])
