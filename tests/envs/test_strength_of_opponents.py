"""How strong scripts are as opponents."""

from __future__ import annotations

import numpy as np
import pytest

from envs.test_opponents import ANY_GAME, OTHER, chase
from steer_env.envs.vector import EvadeVectorEnv, PursuitVectorEnv
from steer_env.scripts.roster import ROSTER

pytestmark = pytest.mark.weekly


def captures(envs, act, steps=600):
    """Shares of captured games, and the mean number of steps, of one episode in each."""
    observations, _ = envs.reset(seed=0)
    caught, length = np.zeros(envs.num_envs, bool), np.full(envs.num_envs, steps)
    going = np.ones(envs.num_envs, bool)
    for step in range(steps):
        observations, _, terminated, truncated, _ = envs.step(act(observations))
        length[going & (terminated | truncated)] = step + 1
        caught |= going & terminated
        going &= ~(terminated | truncated)
    return caught.mean(), length.mean()


def test_rest_rests_and_the_others_move():
    for name in ANY_GAME:
        envs = PursuitVectorEnv(20, opponent=ROSTER[name])
        before, _ = envs.reset(seed=0)
        for _ in range(60):
            after, *_ = envs.step(np.zeros((20, 2), np.float32))
        moved = np.abs(after[:, OTHER] - before[:, OTHER]).max(axis=1) > 1e-3
        # Nobody chases: who fears only what is near may stay where it is, if that is far.
        moves = moved.all() if ROSTER[name].threat_range == np.inf else moved.any()
        assert (not moved.any()) if name == "idle" else moves, name


@pytest.mark.parametrize(
    ("name", "nearer"),
    [("seek", True), ("pursuit", True), ("flee", False), ("evade", False)],
)
def test_hunters_come_nearer_and_the_hunted_go_away(name, nearer):
    envs = PursuitVectorEnv(50, opponent=ROSTER[name], arena="open")
    _, before = envs.reset(seed=0)
    for _ in range(45):
        *_, after = envs.step(np.zeros((50, 2), np.float32))
    assert ((after["distance"] < before["distance"]) == nearer).mean() > 0.9


@pytest.mark.compiled
def test_who_flees_lives_longer():
    names = ("idle", "wander", "seek", "flee", "evade")
    games = {
        name: captures(PursuitVectorEnv(400, opponent=ROSTER[name]), chase) for name in names
    }
    assert games["idle"][0] == 1.0
    steps = {name: length for name, (_, length) in games.items()}
    assert steps["seek"] < steps["idle"] - 5
    assert min(steps["flee"], steps["evade"]) > max(steps["idle"], steps["wander"]) + 10


@pytest.mark.compiled
def test_pursuit_catches_more_than_chance():
    rng = np.random.default_rng(0)

    def stagger(observations):
        return rng.uniform(-1, 1, (len(observations), 2))

    rate = {
        name: captures(EvadeVectorEnv(200, opponent=name), stagger)[0]
        for name in ("idle", "wander", "pursuit", "seek")
    }
    by_chance = captures(PursuitVectorEnv(200, opponent="evade"), stagger)[0]
    assert rate["pursuit"] > 0.9
    assert rate["pursuit"] > rate["wander"] + 0.3
    assert rate["wander"] >= rate["idle"]
    assert by_chance < 0.05
