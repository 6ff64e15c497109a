"""Tunnel with two exits: an intruder wants out, and a guard with a torch wants to see it.

The guard has caught what it sees: within 9 m and 60 degrees to either side of its heading, if
no pillar is between. Mud in the middle slows the guard down, not the intruder. When the time
is up, the tunnel is locked.

    python examples/worlds/tunnel_with_two_exits.py
"""

import sys

from steer_env import Map, Scenario, Script, register
from steer_env.cli import main
from steer_env.steering import dot, norm

TUNNEL = Map.from_text(
    """
    ##############################
    #............................#
    #.....#..................#...#
    #.....#....##......##....#...#
    #............................#
    #...#......##......##......#.#
    #...#......................#.#
    #............................#
    ##############################
    """,
    cell=1.5,
)


@register
class TunnelWithTwoExits(Scenario):
    """Mud slows the guard down; it catches what it sees within reach of its torch."""

    torch: float = 9.0  # how far it shines, in meters
    mud: float = 0.5  # the share of its top speed that the guard has in the mud
    keywords = {
        "map": TUNNEL,
        "pursuer": {"max_speed": 6.0},
        "target": [{"position": (x, 0.0), "radius": 1.0} for x in (-20.0, 20.0)],
        "observation": {"lidar": {"rays": 16, "range": 8.0}},
    }
    outcomes = {
        "out in the west": "evaders",
        "out in the east": "evaders",
        "locked in": "pursuers",
    }
    opponents = {"pursuer": "reach/paths/full_force", "evader": "pursuit/paths/full_force"}

    def start(self, is_pursuer, chance):
        side = 1.0 if chance[0] < 0.5 else -1.0
        if is_pursuer:
            return side * (12.0 + 6.0 * chance[1]) + 0j, side + 0j, 0.0
        return complex(5.0 * chance[1] - 2.5, 8.0 * chance[2] - 4.0), 1j, 0.0

    def limits(self, me, is_pursuer):
        is_slow = is_pursuer and abs(me.position.real) < 3.0
        return (self.mud if is_slow else 1.0) * me.max_speed, me.max_force

    def capture(self, evader, pursuers, world):
        guard = pursuers[0]
        offset = evader.position - guard.position
        is_lit = norm(offset) < min(self.torch, 2.0 * dot(offset, guard.heading))
        return is_lit and world.is_free(guard.position, evader.position)

    def ends(self, evader, reached, time_left):
        if reached > 0:
            return "out in the west" if evader.position.real < 0.0 else "out in the east"
        return "locked in" if time_left < 1e-6 else None

    @property
    def zones(self):
        return [(-3 - 6j, 3 - 6j, 3 + 6j, -3 + 6j)]


GUARD = Script(behavior="pursuit", limits="known", response_time=0.1)  # minds the mud

if __name__ == "__main__":  # you are the intruder: steer with the arrow keys
    game = ["--game", "tunnel_with_two_exits", "--steer", "evader"]
    main(["watch", *game, "--pursuer", "pursuit/paths", *sys.argv[1:]])
