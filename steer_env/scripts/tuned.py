"""The script that a search found to be best for each side of each game of the suite.

`baselines.tuning` searched all fields of a script, at random and then by mutation, for the best
mean capture time against the opponents that the benchmark protocol trains with.
`python -m baselines tune` searches again.
"""

from __future__ import annotations

from typing import Any

from steer_env.scripts.script import Script


def _tuned(name: str, **fields: Any) -> tuple[str, Script]:
    game, side = name.split("/")
    about = f"the script that a search found to be best for the {side} in {game}"
    return f"tuned/{name}", Script(description=about, **fields)


TUNED = dict(
    [
        _tuned(
            "walls/pursuer",
            behavior="pursuit",
            response_time=0.023,
            predictor="contained",
            containment=5.0,
            containment_seconds=5.4,
        ),
        _tuned(
            "walls/evader",
            behavior="escape",
            response_time=0.013,
            lookahead_cap=0.44,
            threat_range=7.4,
            agility=3.6,
            wander=3.8,
            wander_rate=8.9,
            containment=31.0,
        ),
        _tuned(
            "agile_torus/pursuer",
            behavior="pursuit",
            response_time=0.042,
            lookahead="own_speed",
            predictor="braking",
        ),
        _tuned(
            "agile_torus/evader",
            behavior="evade",
            response_time=0.083,
            lookahead="target_speed",
        ),
        _tuned(
            "obstacles/pursuer",
            behavior="pure_navigation",
            response_time=0.035,
            navigation_gain=1.7,
            obstacles=18.0,
            obstacle_seconds=0.31,
            combination="prioritized",
        ),
        _tuned(
            "obstacles/evader",
            behavior="hide",
            response_time=0.071,
            hiding_margin=1.4,
            obstacles=5.2,
        ),
        _tuned(
            "pack/pursuer",
            behavior="constant_bearing",
            response_time=0.01600483124036296,
            separation=9.9,
            neighbor_distance=9.6,
        ),
        _tuned(
            "pack/evader",
            behavior="escape",
            response_time=0.25,
            lookahead_cap=0.13,
            agility=2.0,
            wander=3.4,
            wander_rate=18.458162611783973,
        ),
    ]
)
"""Name to `Script`."""
