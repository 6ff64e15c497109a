"""In a head start the pursuers stand still, whatever they decide, and the evaders run."""

import numpy as np
import pytest
from engines import random_actions, started

from steer_env.game.config import make_game
from steer_env.game.dynamics import MODELS
from steer_env.sides import PURSUER


@pytest.mark.compiled
@pytest.mark.parametrize("model", [model for model in MODELS if model != "car"])
@pytest.mark.parametrize(
    ("seconds", "steps"), [(0.5, 15), (0.51, 16), (1 / 30, 1), (1e-9, 1), (0.0, 0)]
)
def test_pursuers_stand_still_for_whole_steps(model, seconds, steps):
    game = {"pursuers": 2, "evaders": 2, "pursuer": {"model": model}, "start_speed": 1.0}
    engine = started("pursuit/full_force", "evade", 8, head_start=seconds, **game)
    begin = engine.state.position.copy()
    for step in range(steps):
        engine.step(*random_actions(engine, None), PURSUER, False)
        np.testing.assert_array_equal(engine.state.position[:2], begin[:2])
        assert (engine.state.velocity[:2] == 0.0).all(), step
    engine.step(*random_actions(engine, None), PURSUER, False)
    assert (engine.state.position[:2] != begin[:2]).all()
    assert (engine.state.position[2:] != begin[2:]).all()


@pytest.mark.compiled
def test_a_learner_stands_still_too_and_sees_itself_at_rest():
    engine = started(None, "idle", 4, head_start=1.0)
    begin, generator = engine.state.position.copy(), np.random.default_rng(1)
    for _ in range(30):
        engine.step(*random_actions(engine, generator), PURSUER, False)
    np.testing.assert_array_equal(engine.state.position, begin)
    assert (engine.state.velocity == 0.0).all()


@pytest.mark.compiled
def test_every_episode_has_its_head_start():
    engine = started("pursuit/full_force", "evade", 3, head_start=0.2, horizon=10)
    for step in range(25):
        before = engine.state.steps.copy()
        at_rest = engine.state.position[0].copy()
        engine.step(*random_actions(engine, None), PURSUER, True)
        stays = (before < 6) & (engine.state.steps == before + 1)
        np.testing.assert_array_equal(engine.state.position[0][stays], at_rest[stays])
        moves = (before >= 6) & (engine.state.steps == before + 1)
        assert (engine.state.position[0][moves] != at_rest[moves]).all(), step
    assert before.max() > 0


@pytest.mark.parametrize("given", [{"head_start": -1.0}, {"head_start": np.nan}])
def test_a_head_start_is_a_time(given):
    with pytest.raises(ValueError, match="head_start"):
        make_game(**given)


def test_a_car_cannot_stand_still():
    with pytest.raises(ValueError, match="a car cannot"):
        make_game(head_start=1.0, pursuer={"model": "car"})
    make_game(head_start=1.0, evader={"model": "car"})
