"""Bicycle chase: a fast bicycle with a long frame is after a slow and nimble one.

The front wheels turn at 3 radians a second, up to 0.7, so no bicycle turns on the spot. The
park has no edges: who leaves it in the east comes back in the west.

    python examples/worlds/bicycle_chase.py
"""

import sys

from steer_env import Scenario, feature, register
from steer_env.cli import main
from steer_env.steering import direction, norm


@register
class BicycleChase(Scenario):
    """Pushing to the side turns the front wheel, pushing ahead speeds up or brakes."""

    long: float = 3.0  # meters between the pursuer's wheels
    short: float = 1.0
    own = {"steering": 0.0}  # the angle of the front wheel
    keywords = {
        "arena": "torus",
        "arena_size": 24.0,
        "pursuer": {"max_speed": 4.1},
        "capture_radius": 0.8,
    }
    opponents = {"pursuer": "evade/full_force", "evader": "pursuit/full_force"}

    def motion(self, me, push, is_pursuer, dt):
        speed = min(max(norm(me.velocity) + 6.0 * push.real * dt, 1.0), me.max_speed)
        turn = min(max(0.7 * push.imag - me.own.steering, -3.0 * dt), 3.0 * dt)
        steering = me.own.steering + turn
        wheel, length = direction(steering), self.long if is_pursuer else self.short
        heading = me.heading * direction(speed * dt * wheel.imag / (wheel.real * length))
        return speed * heading, heading, steering

    @feature(-0.7, 0.7)
    def steering(self, me):
        return me.own.steering

    @feature(-0.7, 0.7)
    def its_steering(self, other):
        return other.own.steering


if __name__ == "__main__":  # you are the tandem's rider: steer with the arrow keys
    game = ["--game", "bicycle_chase", "--steer", "pursuer"]
    main(["watch", *game, "--evader", "evade", *sys.argv[1:]])
