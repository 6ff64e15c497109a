"""Every name of the roster is its script, on both sides."""

from __future__ import annotations

import gymnasium as gym
import pytest

from envs.same import assert_same, play
from envs.test_opponents import ANY_GAME
from steer_env.envs.single import EvadeEnv, PursuitEnv
from steer_env.errors import InvalidValue
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.roster import ROSTER
from steer_env.sides import EVADER, PURSUER, Side

pytestmark = pytest.mark.weekly

OPPONENTS_SIDE = {PursuitEnv: EVADER, EvadeEnv: PURSUER}

SIDES_OF_FAMILIES = {
    "idle": {Side.PURSUER, Side.EVADER},
    "wander": {Side.PURSUER, Side.EVADER},
    "flee": {Side.EVADER},
    "evade": {Side.EVADER},
    "hide": {Side.EVADER},
    "escape": {Side.EVADER},
    "guard": {Side.EVADER},
    "reach": {Side.EVADER},
}


def sides_of(name):
    """The sides that a name of the roster may play: all other families are pursuers."""
    if name.startswith("tuned/"):
        return {Side.named(name.split("/")[2])}
    return SIDES_OF_FAMILIES.get(name.partition("/")[0], {Side.PURSUER})


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
    for opponent in (name, [name], ["idle", name], ["random", name]):
        with pytest.raises(InvalidValue, match=message):
            make(env_id, opponent=opponent)
    for opponent in (ROSTER[name], ["idle", ROSTER[name]]):
        env = make(env_id, opponent=opponent)
        env.reset(seed=0)
        env.step(env.action_space.sample())


@pytest.mark.parametrize("name", ANY_GAME)
@pytest.mark.parametrize("kind", [PursuitEnv, EvadeEnv])
def test_every_name_is_the_script_of_that_name(kind, name):
    """A name of the other side is refused; there the Script itself plays."""
    script = ROSTER[name]
    player = name if OPPONENTS_SIDE[kind] in sides_of(name) else script
    env, other, listed = kind(opponent=player), kind(opponent=script), kind(opponent=[player])
    first = env.reset(seed=0)
    assert_same(other.reset(seed=0), first)
    assert_same(listed.reset(seed=0), first)
    expected = play(env, 100)
    assert_same(play(other, 100), expected)
    assert_same(play(listed, 100), expected)
    assert env.opponent_index == 0
