"""The routines that `engine.wasm` has.

Those of perfect players of solved games are left out: they would double its size.
"""

from __future__ import annotations

from steer_env.browser import entrances
from steer_env.game.loop import play_games
from steer_env.game.motion import move_among_obstacles
from steer_env.game.observed_obstacles import observe_obstacles
from steer_env.game.other_scripts import fill_other_forces
from steer_env.game.plain_scripts import fill_plain_forces
from steer_env.game.searching import fill_searching_forces
from steer_env.game.solid import part_overlapping
from steer_env.game.team_scripts import fill_team_forces
from steer_env.machine_code.routines import Routine

ENTRANCES: tuple[Routine, ...] = (
    entrances.seed,
    entrances.fit_rules,
    play_games,
    entrances.measure_distances,
    entrances.explain,
    entrances.act,
    entrances.apollonius,
    entrances.read_forces,
)
"""What a page calls."""

ROUTINES: tuple[Routine, ...] = (
    fill_plain_forces,
    fill_other_forces,
    fill_searching_forces,
    fill_team_forces,
    move_among_obstacles,
    observe_obstacles,
    part_overlapping,
)
"""What games have besides, in the order of the module's table."""
