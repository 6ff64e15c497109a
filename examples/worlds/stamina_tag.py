"""Stamina tag: running tires, and the tired are slow.

The tagger is faster, and tires sooner. It gives up when it is out of breath, so that the runner
may win by making it run.

    python examples/worlds/stamina_tag.py
"""

import sys

from steer_env import Scenario, feature, register
from steer_env.cli import main
from steer_env.steering import norm


@register
class StaminaTag(Scenario):
    """The square of the speed costs breath, and at rest it comes back."""

    rest: float = 0.15  # of the breath, a second
    effort: float = 0.5  # at the top speed
    spent: float = 0.4  # with less the tagger gives up
    own = {"breath": 1.0}
    keywords = {"pursuer": {"max_speed": 5.0}, "evader": {"max_speed": 4.2}}
    outcomes = {"out of breath": "evaders"}
    opponents = {"pursuer": "evade/full_force", "evader": "pursuit/full_force"}

    def limits(self, me):
        return (0.3 + 0.7 * me.own.breath) * me.max_speed, me.max_force

    def after(self, me, is_pursuer, dt):
        pace = norm(me.velocity) / me.max_speed
        cost = (self.effort if is_pursuer else 0.7 * self.effort) * pace * pace
        return min(max(me.own.breath + (self.rest - cost) * dt, 0.0), 1.0)

    def ends(self, pursuer):
        return "out of breath" if pursuer.own.breath < self.spent else None

    @feature(0.0, 1.0)
    def breath(self, me):
        return me.own.breath

    @feature(0.0, 1.0)
    def its_breath(self, other):
        return other.own.breath


if __name__ == "__main__":  # you are the runner: steer with the arrow keys
    game = ["--game", "stamina_tag", "--steer", "evader"]
    main(["watch", *game, *sys.argv[1:]])
