"""The strongest script of each side of each game that a search has found.

`baselines.tuning` searched all fields of a script, at random and then by mutation, for the best
mean capture time against the opponents that the benchmark protocol trains with.
`python -m baselines tune` searches again.
"""

from __future__ import annotations

from typing import Any

from steer_env.scripts.script import Script


def _tuned(name: str, **fields: Any) -> tuple[str, Script]:
    game, side = name.split("/")
    about = f"the strongest {side} by a script that is known in the game {game}"
    return f"tuned/{name}", Script(description=about, **fields)


TUNED = dict(
    [
        _tuned("walls/pursuer", behavior="pursuit", response_time=0.1),
        _tuned("walls/evader", behavior="evade", response_time=0.1),
        _tuned("agile_torus/pursuer", behavior="true_navigation", response_time=0.02),
        _tuned(
            "agile_torus/evader",
            behavior="evade",
            response_time=0.11,
            lookahead="target_speed",
        ),
        _tuned("obstacles/pursuer", behavior="pursuit", response_time=0.1),
        _tuned("obstacles/evader", behavior="evade", response_time=0.1),
        _tuned("pack/pursuer", behavior="pursuit", response_time=0.1),
        _tuned("pack/evader", behavior="evade", response_time=0.1),
    ]
)
"""Name to `Script`."""
