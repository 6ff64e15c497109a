"""The routines that `engine.wasm` has, by name.

Those of perfect players of solved games are left out: they would double its size.
"""

from __future__ import annotations

from steer_env.machine_code.routines import ROUTINES

LISTED = (
    "fill_plain_forces",
    "fill_other_forces",
    "fill_searching_forces",
    "fill_team_forces",
    "move_among_obstacles",
    "observe_obstacles",
    "part_overlapping",
)
"""What games have, in the order of the module's table."""


def called_by_pages() -> list[str]:
    """What JavaScript calls: `play_games`, and all of `steer_env.browser.entrances`."""
    names = [
        name for name in ROUTINES if ROUTINES[name].function.__module__.endswith("entrances")
    ]
    return ["play_games", *sorted(names)]
