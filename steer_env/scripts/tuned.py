"""The script that a search found to be best for each side of each game of the suite.

`baselines.tuning` searched all fields of a script, at random and then by mutation, for the best
mean capture time against the opponents that the benchmark protocol trains with.
`python -m baselines tune` searches again.
"""

from __future__ import annotations

from typing import Any

from steer_env.scripts.script import Script


def _tuned(name: str, description: str, **fields: Any) -> tuple[str, Script]:
    return f"tuned/{name}", Script(description=f"best of a search: {description}", **fields)


TUNED = dict(
    [
        _tuned(
            "walls/pursuer",
            "pursuit that knows where walls stop the quarry",
            behavior="pursuit",
            response_time=0.023,
            predictor="contained",
            containment=5.0,
            containment_seconds=5.4,
        ),
        _tuned(
            "walls/evader",
            "wanders, and escapes from a near pursuer",
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
            "pursuit that looks distance / own speed ahead",
            behavior="pursuit",
            response_time=0.042,
            lookahead="own_speed",
            predictor="braking",
        ),
        _tuned(
            "agile_torus/evader",
            "evade that looks distance / pursuer's top speed ahead",
            behavior="evade",
            response_time=0.083,
            lookahead="target_speed",
        ),
        _tuned(
            "obstacles/pursuer",
            "proportional navigation close to obstacles",
            behavior="pure_navigation",
            response_time=0.035,
            navigation_gain=1.7,
            obstacles=18.0,
            obstacle_seconds=0.31,
            combination="prioritized",
        ),
        _tuned(
            "obstacles/evader",
            "hides behind obstacles",
            behavior="hide",
            response_time=0.071,
            hiding_margin=1.4,
            obstacles=5.2,
        ),
        _tuned(
            "pack/pursuer",
            "constant bearing, apart from teammates",
            behavior="constant_bearing",
            response_time=0.016,
            separation=9.9,
            neighbor_distance=9.6,
        ),
        _tuned(
            "pack/evader",
            "escapes, and wanders",
            behavior="escape",
            response_time=0.25,
            lookahead_cap=0.13,
            agility=2.0,
            wander=3.4,
            wander_rate=18.0,
        ),
    ]
)
"""Name to `Script`."""
