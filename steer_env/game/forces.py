"""From a script and what its players see to their steering forces."""

from __future__ import annotations

import numpy as np

from steer_env.game.crowd_parts import fill_part
from steer_env.game.workspace import Crowd, Scene
from steer_env.steering.blending import add_force, wants
from steer_env.steering.compilation import compiled_loop


@compiled_loop
def fill_forces(script: np.record, scene: Scene, crowd: Crowd, count: int) -> None:
    """The steering forces of the first ``count`` players of a scene, by a script's method.

    A weighted sum is not truncated here: the vehicle does that. For plain scripts
    `parts.fill_plain_forces` does the same, faster.

    Args:
        script: row of the table of scripts; the same for all of them.
        scene: what they see; its scratch columns and forces are written.
        crowd: what they see besides their opponent.
        count: how many there are.
    """
    for k in range(count):
        scene.force[k] = 0j
        crowd.open[k] = True
    for rank in range(script.num_parts):
        weight, chance = script.weights[rank], script.chances[rank]
        for k in range(count):
            is_wanted = wants(script.method, chance, crowd.dice[rank, k])
            crowd.wanted[k] = crowd.open[k] and is_wanted
        fill_part(rank, script, scene, crowd, count)
        for k in range(count):
            if crowd.wanted[k]:
                scene.force[k], is_done = add_force(
                    script.method,
                    scene.force[k],
                    scene.part[k],
                    weight,
                    chance,
                    crowd.max_force[k],
                )
                crowd.open[k] = not is_done
