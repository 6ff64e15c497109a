"""Hide and seek: two hiders have eight seconds to vanish before two seekers start.

A hider is found by a seeker that has it in sight within 3 m, ahead. Who is not found when the
time is up has won.

    python examples/worlds/hide_and_seek.py
"""

import sys

from steer_env import Map, Scenario, feature, register
from steer_env.cli import main
from steer_env.steering import dot, norm


@register
class HideAndSeek(Scenario):
    """The seekers count first, and see what no wall hides."""

    count: float = 8.0  # seconds
    sight: float = 3.0  # meters
    keywords = {
        "map": Map.rooms(8, size=16.0),
        "pursuers": 2,
        "pursuer": {"max_speed": 3.0},
        "evaders": 2,
        "horizon": 900,
        "observation": {"range": 8.0, "occlusion": True},
    }
    opponents = {"pursuer": "evade/paths", "evader": "pursuit/paths/searching"}

    def limits(self, me, is_pursuer, time):
        return (0.001 if is_pursuer and time < self.count else 1.0) * me.max_speed, me.max_force

    def capture(self, evader, pursuers, world):
        for seeker in pursuers:
            offset = evader.position - seeker.position
            is_ahead = dot(offset, seeker.heading) > 0.5 * norm(offset)
            is_seen = norm(offset) < self.sight and is_ahead
            if is_seen and world.is_free(seeker.position, evader.position):
                return True
        return False

    @feature(0.0, 1.0)
    def counting(self, time):
        return max(self.count - time, 0.0) / self.count


if __name__ == "__main__":  # you are the only hider: steer with the arrow keys
    game = ["--game", "hide_and_seek", "--evaders", "1", "--steer", "evader"]
    main(["watch", *game, *sys.argv[1:]])
