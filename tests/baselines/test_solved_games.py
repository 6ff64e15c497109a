"""Starts by region of a solution, and tasks that train from them."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from steer_env.baselines import balanced_starts
from steer_env.baselines.solved_games import DT, HORIZON, solved_task, starts_by_region
from steer_env.game.config import make_game
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.solved import chauffeur

CHAUFFEUR = make_game(game="homicidal_chauffeur")


def seen_by_the_car(starts):
    """Places of evaders seen from the car: right and ahead, in its turning radii, 1 m."""
    apart = np.array(starts["evader"]["position"]) - np.array(starts["pursuer"]["position"])
    place = (apart[:, 0] + 1j * apart[:, 1]) * np.exp(-1j * starts["pursuer"]["heading"])
    return -place.imag, place.real


@pytest.mark.compiled
def test_each_region_has_as_many_starts_with_the_values_of_their_places():
    starts = balanced_starts("homicidal_chauffeur", 12)
    regions = chauffeur.region(*seen_by_the_car(starts), 0.3, 0.3)
    assert dict(zip(*np.unique(regions, return_counts=True))) == dict.fromkeys("TDSW", 12)
    found = starts_by_region(CHAUFFEUR, 9, 0.02, 5)
    assert list(found) == ["T", "D", "S", "W"]
    for region, (states, values, _) in found.items():
        body = states["players"]["body"]
        apart = (body["position"][:, 1] - body["position"][:, 0]) * body["heading"][:, 0].conj()
        places = -apart.imag, apart.real
        np.testing.assert_allclose(chauffeur.value(*places, 0.3, 0.3), values, rtol=1e-9)
        assert (chauffeur.region(*places, 0.3, 0.3) == region).all()


@pytest.mark.compiled
@pytest.mark.parametrize(
    "environment",
    [
        pytest.param(name, marks=() if name.startswith("Drag") else pytest.mark.weekly)
        for name, found in ENVIRONMENTS.items()
        if found.game.is_solved
    ],
)
def test_training_differs_from_the_game_in_starts_and_time_alone(environment):
    task = solved_task(environment)
    found = ENVIRONMENTS[environment]
    assert task.config == make_game(game=found.game.name)
    assert task.opponents == (found.game.opponents[found.side],)
    given = task.make_keywords
    assert set(given) == {"start", "dt", "horizon", "opponent"}
    assert given["dt"] == DT
    if task.config.payoff == "time":
        assert given["horizon"] == HORIZON
    else:
        seconds = task.config.horizon * task.config.dt
        assert given["horizon"] * given["dt"] == pytest.approx(seconds)
    env = gym.make(environment, **given)
    env.reset(seed=3)
    env.step(env.action_space.sample())
