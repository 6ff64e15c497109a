"""Every name of the roster is its script, on both sides."""

from __future__ import annotations

import gymnasium as gym
import pytest
from envs.same import sides_of
from envs.test_opponents import ANY_GAME

from steer_env.errors import InvalidValue
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side
from steer_env.suite import ENVIRONMENTS


@pytest.mark.parametrize(
    ("env_id", "name"),
    [
        (side.environment, name)
        for side in Side
        for name in ANY_GAME
        if side.other not in sides_of(name)
    ],
)
@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_a_name_of_the_other_side_is_refused_and_its_script_is_not(make, env_id, name):
    side = ENVIRONMENTS[env_id].side
    message = (
        rf"^'{name}' is made for the {side.name}, and would play the {side.other.name}: .*"
        rf"pass the Script itself, ROSTER\['{name}'\]$"
    )
    for opponent in (name, [name], ["rest", name], ["random", name]):
        with pytest.raises(InvalidValue, match=message):
            make(env_id, opponent=opponent)
    for opponent in (ROSTER[name], ["rest", ROSTER[name]]):
        env = make(env_id, opponent=opponent)
        env.reset(seed=0)
        env.step(env.action_space.sample())
