"""The routines that `engine.wasm` has, in the order of its table.

Those of perfect players of solved games are left out: they would double its size.
"""

from __future__ import annotations

from collections.abc import Callable

from steer_env.game.motion import move_among_obstacles
from steer_env.game.observed_obstacles import observe_obstacles
from steer_env.game.other_scripts import fill_escape_forces, fill_other_forces
from steer_env.game.plain_scripts import fill_plain_forces
from steer_env.game.searching import fill_searching_escape_forces, fill_searching_forces
from steer_env.game.solid import part_overlapping
from steer_env.game.team_scripts import fill_team_forces

ROUTINES: tuple[Callable[..., None], ...] = (
    fill_plain_forces,
    fill_other_forces,
    fill_escape_forces,
    fill_searching_forces,
    fill_searching_escape_forces,
    fill_team_forces,
    move_among_obstacles,
    observe_obstacles,
    part_overlapping,
)
