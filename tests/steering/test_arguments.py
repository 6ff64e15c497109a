"""Whose fault it is that a steering function failed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from steer_env import steering
from steer_env.errors import InvalidType, InvalidValue
from steer_env.steering import Obstacle, Vehicle, compiled

ME, OTHER = Vehicle(max_speed=2.0), Vehicle(3 + 4j, 1j)

CALLS = {
    "an unknown argument": (
        lambda: steering.pursuit(ME, OTHER, lokahead=1),
        r"unknown argument of pursuit 'lokahead'\. Did you mean 'lookahead'\?",
    ),
    "a vehicle for a point": (
        lambda: steering.seek(ME, OTHER),
        "target of seek must be a complex number.*got a Vehicle; pass its position",
    ),
    "a point for a vehicle": (
        lambda: steering.pursuit(ME, 3j),
        "quarry of pursuit must be a Vehicle, got 3j .*has no position",
    ),
    "a word": (lambda: steering.seek(ME, "home"), "target of seek must be a complex number"),
    "a word for a length": (
        lambda: steering.flee(ME, 1j, "far"),
        "panic_distance of flee must be a number",
    ),
    "a list of points for bodies": (
        lambda: steering.cohesion(ME, [1j, 2j]),
        "entry 0 of neighbors of cohesion must be a Vehicle",
    ),
    "nothing for obstacles": (
        lambda: steering.hide(ME, OTHER, None),
        "obstacles of hide must be a list or an array",
    ),
    "a word for a radius": (
        lambda: steering.avoid_obstacle(ME, Obstacle(1j, "wide")),
        "the radius of obstacle of avoid_obstacle must be a number",
    ),
    "a half waypoint": (
        lambda: steering.next_waypoint(ME, [0j, 1j], "0"),
        "waypoint of next_waypoint must be an integer",
    ),
    "a law that is no function": (
        lambda: steering.pursuit(ME, OTHER, 0.5),
        "lookahead of pursuit must be a function",
    ),
    "a law of nothing": (
        lambda: steering.pursuit(ME, OTHER, lambda: 1.0),
        "lookahead of pursuit is called with 2 arguments",
    ),
    "a law that returns nothing": (
        lambda: steering.pursuit(ME, OTHER, lambda me, other: None),
        "time of linear must be a number",
    ),
    "an object without fields": (
        lambda: steering.as_vehicle(SimpleNamespace(position=1j)),
        "body must be a Vehicle.*without velocity, heading",
    ),
    "no body to advance": (lambda: steering.advance(None, 1j, 0.1), "me must be a Vehicle"),
    "no force": (lambda: steering.advance(ME, None, 0.1), "force must be a complex number"),
    "a blend of one": (lambda: steering.Blend("sum", 3), "parts must be a list"),
}


@pytest.mark.parametrize("what", CALLS)
def test_the_message_names_the_argument(what):
    call, message = CALLS[what]
    with pytest.raises(InvalidType, match=message):
        call()


def test_a_number_beyond_all_floats():
    with pytest.raises(InvalidValue, match=r"target of seek must be at most 1e308"):
        steering.seek(ME, 10**400)


def test_too_few_and_too_many_arguments_are_in_pythons_words():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'target'"):
        steering.seek(ME)
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        steering.seek(ME, 1j, 2j)


def test_where_no_argument_is_at_fault_the_error_stays():
    def wrong(me, other):
        raise ZeroDivisionError("a bug of the caller's")

    with pytest.raises(ZeroDivisionError, match="a bug of the caller's"):
        steering.pursuit(ME, OTHER, wrong)
    me = SimpleNamespace(position=0j, velocity=1 + 0j, heading=1 + 0j, max_speed=1.0)
    assert steering.seek(me, 5 + 0j) == 0j  # it needs no other field
    with pytest.raises(ZeroDivisionError, match="a bug of the caller's"):
        steering.pursuit(me, OTHER, wrong)
    with pytest.raises(TypeError, match="NoneType"):
        steering.pursuit(me, OTHER, lambda me, other: None + me.position)
    with pytest.raises(InvalidType, match=r"me of evade must be a Vehicle.*has no max_speed"):
        steering.evade(SimpleNamespace(position=0j, velocity=1j), OTHER)
    with pytest.raises(IndexError, match="no waypoint"):
        steering.next_waypoint(ME, [0j, 1j], 7)


def test_a_helper_of_the_callers_is_explained_too():
    @compiled
    def twice(point: complex) -> complex:
        return point * 2 + np.sqrt(abs(point))

    assert twice(4 + 0j) == 10
    with pytest.raises(InvalidType, match="point of twice must be a complex number"):
        twice(None)
