"""Messages show any value, in bounded length, and checks name what they check."""

import re
from pathlib import Path

import numpy as np
import pytest

from steer_env.errors import (
    InvalidType,
    InvalidValue,
    check_array,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_path,
    check_texts,
    coerce,
    nearest,
    shown,
)
from steer_env.game.config import VehicleConfig
from steer_env.scenarios.registry import ENVIRONMENTS
from steer_env.scripts.roster import ROSTER


class Unshowable:
    def __repr__(self):
        raise RuntimeError("not this one")

    __float__ = __repr__


UNUSUAL = [Unshowable(), [Unshowable()], 10**5000, "x" * 10**6, np.zeros(10**5)]


@pytest.mark.parametrize("value", UNUSUAL, ids=lambda value: type(value).__name__)
def test_any_value_can_be_in_a_message(value):
    assert 0 < len(shown(value)) < 300
    for check in (
        lambda: check_number("speed", value, 0.0, 1.0),
        lambda: check_integer("count", value, 0, 9),
        lambda: check_choice("theme", value, ["light", "dark"]),
        lambda: coerce(VehicleConfig, "pursuer", value),
    ):
        with pytest.raises(
            (InvalidType, InvalidValue), match=r"speed|count|theme|pursuer"
        ) as e:
            check()
        assert len(str(e.value)) < 600


def test_few_valid_names_are_all_listed_and_of_many_the_nearest():
    few, many = ([f"name/{number}" for number in range(count)] for count in (8, 60))
    for given, valid, listed in (("nam/7", few, 8), ("nam/7", many, 3), ("qqqq", many, 12)):
        with pytest.raises(InvalidValue, match=given) as e:
            check_choice("thing", given, valid)
        assert sum(repr(name) in str(e.value) for name in valid) == listed
        assert given == "qqqq" or "'name/7'" in str(e.value)


@pytest.mark.parametrize(
    ("given", "valid", "near"),
    [
        ("pursit", ROSTER, ["pursuit"]),  # and not 'idle'
        ("EvadeTorus-v0", ENVIRONMENTS, ["AgileTorusEvade-v0", "RoomsEvade-v0", "TagEvade-v0"]),
        ("pack/pursuit", ROSTER, ["pursuit/pack"]),
        ("qqqq", ROSTER, []),
        ("seek", [], []),
    ],
)
def test_the_nearest_names_are_about_as_near_as_the_first(given, valid, near):
    assert re.findall(r"'([^']+)'", nearest(given, valid)) == near


@pytest.mark.parametrize("value", ["False", 0, 1, None, np.array(True)])
def test_only_true_and_false_are_flags(value):
    with pytest.raises(InvalidType, match="trust"):
        check_flag("trust", value)
    assert check_flag("trust", np.True_) is True


@pytest.mark.parametrize("value", [None, 3, b"file", Unshowable(), "", "a\0b"])
def test_what_is_no_path(value):
    with pytest.raises(InvalidValue if isinstance(value, str) else InvalidType, match="out"):
        check_path("out", value)
    assert check_path("out", "a/b") == check_path("out", Path("a/b")) == Path("a/b")


@pytest.mark.parametrize(
    "value", ["x", ["x"], [[1.0], [1.0, 2.0]], {1: 2}, [Unshowable()], [None], 1j, None]
)
def test_what_is_no_array(value):
    with pytest.raises(InvalidType, match="values must be real numbers"):
        check_array("values", value)
    assert check_array("values", [1, 2]).dtype == np.float64


def test_a_list_of_texts():
    assert check_texts("params", ["a", "b"]) == ("a", "b")
    with pytest.raises(InvalidType, match="params must be a list"):
        check_texts("params", "ab")
    with pytest.raises(InvalidType, match=r"params\[1\] must be a string"):
        check_texts("params", ["a", 1])
