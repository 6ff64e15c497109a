"""Scripted policies see only observations, and decide what the scripts in the loop decide."""

from __future__ import annotations

import numpy as np
import pytest
from test_scripted import check_agreement

import steer_env  # noqa: F401
from steer_env.baselines import ScriptedPolicy, evaluate
from steer_env.game.config import game_config
from steer_env.scripts.roster import ROSTER, SHORTER_NAMES

pytestmark = pytest.mark.weekly

STRONG = ("pursuit/full_force", "evade/full_force", "escape/full_force")
"""A few at full force, which makes rounding errors of observations ten times as large."""

NAMES = (*SHORTER_NAMES, *STRONG)
CALM = [
    name
    for name in NAMES
    if ROSTER[name].behavior != "wander"
    and ROSTER[name].wander == 0.0
    and ROSTER[name].combination not in ("dithered", "chaotic")
]
"""The scripts without chance in them."""

PURSUERS = [name for name in CALM if ROSTER[name].chases]
CALM_EVADERS = [name for name in CALM if not ROSTER[name].chases]
WANDERERS = [name for name in NAMES if name not in CALM and not ROSTER[name].chases]


@pytest.mark.compiled
@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize("name", PURSUERS)
def test_scripts_from_observations_play_as_in_the_loop(name, side):
    check_agreement((name, "evade/herd"), game_config(), side)


@pytest.mark.compiled
@pytest.mark.parametrize("side", ["pursuer", "evader"])
@pytest.mark.parametrize("evader", CALM_EVADERS)
@pytest.mark.parametrize(
    "keywords",
    [{}, {"arena": "torus"}, {"arena": "open"}, {"obstacles": 6}],
    ids=["walls", "torus", "open", "obstacles"],
)
def test_they_do_in_every_arena(evader, side, keywords):
    config = game_config(**keywords)
    # Which way around an obstacle a hider is chased can hang on the last digit.
    same_step = 0.93 if "obstacles" in keywords and evader == "hide" else 0.98
    check_agreement(("pursuit/among_obstacles", evader), config, side, 400, same_step)


@pytest.mark.compiled
@pytest.mark.parametrize("name", WANDERERS)
def test_where_it_wanders_the_capture_rates_agree(name):
    inside, outside = (
        evaluate("pursuit", player, episodes=1500)["captured"]
        for player in (name, ScriptedPolicy(name, side="evader", seed=1))
    )
    # Other chance on either side: the error of a difference of two independent rates.
    spread = np.sqrt((inside.var() + outside.var()) / 1500)
    assert abs(inside.mean() - outside.mean()) < 3 * spread + 1e-3


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["pursuit/pack", "navigation/pack", "encircle", "flank", "voronoi", "guard"]
)
@pytest.mark.parametrize("arena", ["walls", "torus"])
def test_teams_that_look_at_each_other_do_as_well(name, arena):
    config, side = game_config(pursuers=3, evaders=2, arena=arena), "pursuer"
    pair = name, "evade/herd"
    if not ROSTER[name].chases:
        pair, side = ("pursuit", name), "evader"
    # Long chases of several hang on the last digit more often.
    check_agreement(pair, config, side, 200, same_step=0.95, same_outcome=0.98)
