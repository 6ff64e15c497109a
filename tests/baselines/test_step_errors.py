"""What the length of a step costs perfect play."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.step_errors import STEPS_PER_SECOND, StepErrors, step_errors, step_errors_table
from steer_env.errors import InvalidValue
from steer_env.game.config import game_config
from steer_env.suite import SOLVED


def errors_of(power):
    steps = 1.0 / np.array(STEPS_PER_SECOND)
    return StepErrors(
        game_config(game="drag"), {"miss": steps[:, None] ** power * [[1.0, 2.0]]}
    )


@pytest.mark.parametrize("power", [1.0, 2.5])
def test_the_order_is_the_power_of_the_step(power):
    assert errors_of(power).order("miss") == pytest.approx(power)


def test_rounding_has_no_order():
    nothing = StepErrors(game_config(game="drag"), {"miss": np.full((4, 3), 1e-16)})
    assert nothing.order("miss") is None
    assert step_errors_table({"drag": nothing}).rows[0][-1] == ""


@pytest.mark.compiled
@pytest.mark.parametrize("game", SOLVED)
def test_errors_are_small_and_of_second_order(game):
    found = step_errors(game, 25, seed=3)
    for region, errors in found.errors.items():
        assert errors.shape == (len(STEPS_PER_SECOND), 25)
        assert errors[1].max() < (2e-3 if region == "reach" else 2e-4)  # V is 0 in "reach"
        assert errors[-1].max() < 2e-4
        order = found.order(region)
        assert order is None or order > 1.9


@pytest.mark.compiled
def test_the_region_without_a_capture_is_left_out():
    found = step_errors({"game": "homicidal_chauffeur", "nu": 0.5, "l": 0.1}, 5)
    assert list(found.errors) == ["T", "D"]


def test_a_game_without_a_known_value_is_refused():
    with pytest.raises(InvalidValue, match="this game is not solved"):
        step_errors("walls")
