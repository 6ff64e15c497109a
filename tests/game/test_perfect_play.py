"""Perfect players in the engine: they get the value, and no other player does better."""

from __future__ import annotations

import numpy as np
import pytest

from steer_env.baselines.optimality import gap
from steer_env.scenarios.registry import SOLVED
from steer_env.scripts.roster import ROSTER
from steer_env.sides import PURSUER, Side

pytestmark = pytest.mark.weekly


@pytest.mark.compiled
@pytest.mark.parametrize("game", SOLVED)
@pytest.mark.parametrize("side", Side)
def test_no_script_beats_perfect_play(game, side):
    names = ["seek", "pursuit/full_force", "navigation/full_force", "offset_pursuit/full_force"]
    if side.name == "evader":
        names = ["flee", "evade/full_force", "escape/full_force", "wander", "idle"]
    for name in names:
        found = gap(ROSTER[name], game, side.name, starts=250, name=name)
        sign = 1.0 if side is PURSUER else -1.0
        floor = sign * (found.starts["floor_payoff"] - found.starts["value"])
        gained = sign * (found.starts["value"] - found.starts["payoff"])
        allowed = 2.0 * np.abs(floor).max() + 1e-3
        assert gained.max() < allowed, (name, found.starts[gained.argmax()])


@pytest.mark.compiled
@pytest.mark.parametrize(("nu", "l"), [(0.5, 0.5), (0.7, 0.5), (0.4, 0.7), (0.8, 0.5)])
def test_a_fast_evader_slips_past_the_capture_circle(nu, l):  # noqa: E741
    """It comes so near the circle that the curve of the car's way within a step counts."""
    game = {"game": "homicidal_chauffeur", "nu": nu, "l": l}
    for name in ("seek", "pursuit/turning"):
        found = gap(name, game, starts=25)
        for region in ("S", "W"):
            assert found.regions[region].never_caught.estimate > 0.9
        excess = found.starts["payoff"] - found.starts["value"]
        assert excess.min() > -0.01


def test_a_car_that_seeks_never_catches_who_slips_by():
    found = gap("seek", starts=60, margin=0.05)
    inside = found.regions["S"]
    assert inside.never_caught.estimate == 1.0
    assert found.regions["T"].never_caught.estimate == 0.0
