"""User-defined functions: the values that they read, their answers, and errors."""

from __future__ import annotations

import functools
import re
import types

import gymnasium as gym
import numba
import numpy as np
import pytest
from weekly import weekly_but

from steer_env.errors import InvalidType
from steer_env.game.transition import TERM_KIND
from steer_env.machine_code.addresses import address_of, call_routine
from steer_env.scripts.script import OWN_KINDS
from steer_env.steering import Vehicle, compiled, evade, pursuit
from steer_env.steering.own_functions import FUNCTION_CALL, one_number, one_vector, own_address

from .test_closures import KINDS, environments

pytestmark = pytest.mark.compiled

ME = Vehicle(1 + 2j, velocity=0.5 + 0j)
AHEAD = np.float32([1.0, 0.0])


def address(function, kind="behavior"):
    return own_address(TERM_KIND if kind == "term" else OWN_KINDS[kind], function)


def answer(function):
    """The answer of a behavior's machine code, as it would be compiled now."""
    asked = np.zeros(1, FUNCTION_CALL)
    asked["me"], asked["other"] = ME, Vehicle(3 + 0j)
    call_routine(address(function), (address_of(asked),))
    return complex(asked["vector"][0])


# --------------------------------------------------------------- values from outside

GAIN = 2.0
GAINS = np.array([2.0, 3.0])
PAIR = (2.0, 3.0)
settings = types.ModuleType("settings")
settings.gain = 2.0
settings.other = types.ModuleType("settings.other")
settings.other.gain = 2.0


def scaled(vector):
    return vector * GAIN


@compiled
def decorated(vector):
    return scaled(vector)


@numba.njit
def jitted(vector):
    return vector * GAIN


def gain_of(me, other):
    return GAIN


def by_default(me, other, gain=2.0):
    return me.position * gain


def by_cell():
    gain = 2.0

    def set_gain(value):
        nonlocal gain
        gain = value

    return lambda me, other: me.position * gain, set_gain


behave_by_cell, set_cell = by_cell()


@pytest.fixture
def _restored():
    yield
    set_all(2.0)


def set_all(gain):
    global GAIN, PAIR
    GAIN, PAIR = gain, (gain, 3.0)
    GAINS[0] = settings.gain = settings.other.gain = gain
    by_default.__defaults__ = (gain,)
    set_cell(gain)


READERS = {
    "global": lambda me, other: me.position * GAIN,
    "array": lambda me, other: me.position * GAINS[0],
    "tuple": lambda me, other: me.position * PAIR[0],
    "module": lambda me, other: me.position * settings.gain,
    "inner module": lambda me, other: me.position * settings.other.gain,
    "helper": lambda me, other: scaled(me.position),
    "jitted helper": lambda me, other: jitted(me.position),
    "helper of a helper": lambda me, other: decorated(me.position),
    "inner function": lambda me, other: (lambda vector: vector * GAIN)(me.position),
    "law": lambda me, other: pursuit(me, other, lookahead=gain_of),
    "default": by_default,
    "cell": behave_by_cell,
}
QUICK = ("global", "array", "module", "inner module", "helper", "inner function", "cell")


@pytest.mark.usefixtures("_restored")
@pytest.mark.parametrize("reader", weekly_but(QUICK, READERS))
def test_a_function_is_compiled_again_when_a_value_has_changed(reader):
    behavior = READERS[reader]
    first = address(behavior)
    for gain in (2.0, 1.0):
        set_all(gain)
        if reader != "jitted helper":  # numba's own never reads a change
            wanted = behavior(ME, Vehicle(3 + 0j))
            assert answer(behavior) == pytest.approx(wanted, rel=1e-14)
        else:
            assert answer(behavior) == gain * ME.position
        assert (address(behavior) == first) == (gain == 2.0)


@pytest.mark.usefixtures("_restored")
def test_numbers_that_are_equal_but_not_the_same_make_other_code():
    addresses = []
    for gain in (1.0, 1, -0.0, 0.0, float("nan"), float("nan")):
        set_all(gain)
        addresses.append(address(READERS["global"]))
    assert len(set(addresses)) == len(addresses) - 1  # nan is the same constant


def test_another_helper_makes_other_code(monkeypatch):
    assert answer(READERS["helper"]) == 2 * ME.position
    monkeypatch.setitem(globals(), "scaled", lambda vector: -vector)
    assert answer(READERS["helper"]) == -ME.position


def test_a_module_that_is_passed_on_is_used_as_it_is():
    def behave(me, other):
        same = settings
        return 1j * same.gain

    assert answer(behave) == 2j


def test_a_wrapped_name_does_not_hide_the_user(monkeypatch):
    @functools.wraps(evade)
    def mine(me, other):
        return me.position * GAIN

    first = address(mine)
    monkeypatch.setitem(globals(), "GAIN", 1.0)
    assert address(mine) != first


def test_a_value_that_is_not_read_does_not_matter(monkeypatch):
    monkeypatch.setitem(globals(), "position", 1.0)
    before = address(READERS["global"])
    monkeypatch.setitem(globals(), "position", 2.0)
    monkeypatch.setattr(settings, "gain", 7.0)
    assert address(READERS["global"]) == before


def test_code_without_a_module_is_compiled():
    namespace: dict[str, object] = {}
    exec("def behave(me, other): return 2 * me.position", namespace)  # as notebooks do
    assert answer(namespace["behave"]) == 2 * ME.position


def by_gain(me, other):
    return evade(me, other) * GAIN


def played(env):
    action, seen = np.tile(AHEAD, (2, 1)), [env.reset(seed=0)[0]]
    for _ in range(3):
        observation, reward, *_ = env.step(action)
        seen += [observation, reward]
    return [env.unwrapped.get_state(), *seen]


@pytest.mark.usefixtures("_restored")
@pytest.mark.parametrize("kind", weekly_but(KINDS[:5], KINDS))
def test_a_running_environment_keeps_the_values_of_when_it_was_made(kind):
    own = environments(lambda me: GAIN)[kind]
    env = gym.make_vec("Pursuit-v0", 2, **own)
    before = played(env)
    set_all(1.0)
    for one, other in zip(played(env), before, strict=True):
        np.testing.assert_array_equal(one, other)
    set_all(2.0)
    for one, other in zip(played(gym.make_vec("Pursuit-v0", 2, **own)), before, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.usefixtures("_restored")
def test_set_opponent_compiles_the_changed_function_anew():
    env, twin = (gym.make("Pursuit-v0", opponent=by_gain) for _ in range(2))
    for gain, game in ((2.0, env), (0.5, twin)):
        set_all(gain)
        game.unwrapped.set_opponent(by_gain)
    env.unwrapped.set_opponent(by_gain)
    np.testing.assert_array_equal(env.reset(seed=3)[0], twin.reset(seed=3)[0])
    for _ in range(30):
        np.testing.assert_array_equal(env.step(AHEAD)[0], twin.step(AHEAD)[0])


# ------------------------------------------------------------------------ the message


def misspell(me, other):
    return evade(me, other) + me.velocty


@compiled
def misspell_within(me):
    return me.velocty


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (misspell, r"unknown field of a Vehicle 'velocty'\. Did you mean 'velocity'\?"),
        (lambda me, other: misspell_within(me), r"'velocty'\. Did you mean 'velocity'\?"),
        (lambda me, other: evad(me, other), "name 'evad' is not defined"),  # noqa: F821
        (lambda me, other: f"{me.radius:.2f}", "compiled code has no formats"),
        (lambda *_, **__: 0j, "the compiler gives no reason"),
    ],
    ids=["field", "in a helper", "name", "format", "no text"],
)
def test_the_first_line_names_the_cause_and_its_place(function, cause):
    with pytest.raises(InvalidType) as raised:
        address(function)
    first = str(raised.value).split("; a behavior is")[0]
    assert re.match(r"the behavior '[\w<>]+' cannot be compiled: ", first)
    assert "\n" not in str(raised.value)
    assert re.search(cause, first)
    if "field" in cause:
        assert f"line {function.__code__.co_firstlineno + 1} of test_own_functions.py" in first


NOT_ONE_NUMBER = {
    "array": lambda me, other: np.array([3.0, 4.0]),
    "arithmetic": lambda me, other: np.array([3.0, 4.0]) * 2.0 - me.radius,
    "one element": lambda me, other: np.zeros(1),
    "tuple": lambda me, other: (3.0, 4.0),
    "list": lambda me, other: [3.0, 4.0],
    "text": lambda me, other: "left",
    "vehicle": lambda me, other: me,
    "nothing": lambda me, other: None,
}


@pytest.mark.parametrize("kind", NOT_ONE_NUMBER)
def test_an_answer_that_is_not_one_number_is_refused(kind):
    with pytest.raises(InvalidType, match=r"it returns .*complex\(x, y\)") as raised:
        address(NOT_ONE_NUMBER[kind])
    assert len(str(raised.value)) < 500


def test_a_complex_number_is_not_a_real_one_and_true_is_not_a_force():
    with pytest.raises(InvalidType, match=r"it returns complex128, .*a real number"):
        address(lambda me, other: me.position, "lookahead")
    with pytest.raises(InvalidType, match=r"it returns complex128, .*a real number"):
        address(lambda transition: transition.action, "term")
    with pytest.raises(InvalidType, match=r"it returns .*bool.*complex number"):
        address(lambda me, other: me.radius > 0.1)
    assert address(lambda transition: transition.me_caught, "term") > 0  # 0 or 1
    assert answer(lambda me, other: 3) == 3
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
