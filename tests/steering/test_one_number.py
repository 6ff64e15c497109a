"""The answer of a user-defined function is one number."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from steer_env import Script
from steer_env.errors import InvalidType
from steer_env.game.config.observation import FeatureFunction
from steer_env.scripts.script import OWN_KINDS
from steer_env.steering.own_functions import (
    one_number,
    one_vector,
)

from .test_own_functions import address, answer

pytestmark = pytest.mark.compiled

NOT_ONE_NUMBER = {
    "array": lambda me, other: np.array([3.0, 4.0]),
    "single precision": lambda me, other: np.array([3.0, 4.0], dtype=np.float32),
    "arithmetic": lambda me, other: np.array([3.0, 4.0]) * 2.0 - me.radius,
    "complex array": lambda me, other: np.array([3.0 + 4.0j]),
    "one element": lambda me, other: np.zeros(1),
    "no axes": lambda me, other: np.array(3.0),
    "tuple": lambda me, other: (3.0, 4.0),
    "list": lambda me, other: [3.0, 4.0],
    "text": lambda me, other: "left",
    "vehicle": lambda me, other: me,
    "nothing": lambda me, other: None,
}


@pytest.mark.parametrize("field", OWN_KINDS)
@pytest.mark.parametrize("kind", NOT_ONE_NUMBER)
def test_an_answer_that_is_not_one_number_is_refused(kind, field):
    wanted = "a real number" if field == "lookahead" else r"complex\(x, y\)"
    function = NOT_ONE_NUMBER[kind]
    with pytest.raises(InvalidType, match=rf"it returns .*{wanted}") as raised:
        address(function, field)
    assert len(str(raised.value)) < 500


@pytest.mark.parametrize("kind", NOT_ONE_NUMBER)
def test_a_reward_that_is_not_one_number_is_refused(kind):
    function = NOT_ONE_NUMBER[kind]
    with pytest.raises(InvalidType, match=r"it returns .*a real number"):
        address(lambda transition: function(transition.me, transition.other), "term")


def test_a_complex_number_is_not_a_real_one_and_true_is_not_a_force():
    with pytest.raises(InvalidType, match=r"it returns complex128, .*a real number"):
        address(lambda me, other: me.position, "lookahead")
    with pytest.raises(InvalidType, match=r"it returns complex128, .*a real number"):
        address(lambda transition: transition.action, "term")
    with pytest.raises(InvalidType, match=r"it returns .*bool.*complex number"):
        address(lambda me, other: me.radius > 0.1)
    assert address(lambda transition: transition.me_caught, "term") > 0  # 0 or 1


ARRAY = NOT_ONE_NUMBER["array"]


@pytest.mark.parametrize(
    "keywords",
    [
        {"opponent": ARRAY},
        {"opponent": Script(behavior="evade", lookahead=ARRAY)},
        {"opponent": Script(behavior="evade", predictor=ARRAY)},
        {"reward": {"terms": [lambda transition: np.array([3.0, 4.0])]}},
        {"observation": {"features": [FeatureFunction(ARRAY)]}},
    ],
    ids=["behavior", "lookahead", "predictor", "term", "feature"],
)
def test_environments_refuse_it_when_they_are_made(keywords):
    with pytest.raises(InvalidType, match=r"it returns .*number"):
        gym.make("Pursuit-v0", **keywords)


def test_whole_and_real_numbers_are_forces():
    assert answer(lambda me, other: 3) == 3
    assert answer(lambda me, other: me.position.imag) == 2
    assert answer(lambda me, other: np.float32(0.5) if me.mass > 0 else 1j) == 0.5


def test_without_a_compiler_the_answer_is_checked_too():
    assert one_vector(3) == 3
    assert one_number(np.float32(2.0)) == 2.0
    for wrong in (np.zeros(2), (1.0, 2.0), None, True, "x"):
        with pytest.raises(InvalidType, match="must return a complex number"):
            one_vector(wrong)
    for wrong in (np.zeros(2), 1j, None, "x"):
        with pytest.raises(InvalidType, match="must return a real number"):
            one_number(wrong)
