"""What steers: keys, mouse and gamepad; and that the vehicle goes where it is pushed."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from play.events import Pad, event, key_down, key_up
from steer_env.game.config import game_config
from steer_env.play import controls
from steer_env.play.controls import DEAD_ZONE, DIRECTIONS, MOUSE_REACH, Controls, PadKeys
from steer_env.play.levels import challenge, level_named
from steer_env.play.rounds import Round, action_of_push
from steer_env.sides import EVADER, PURSUER

VEHICLE, SIDE = 300 + 200j, 500.0  # where the vehicle is, and how large the scene, in pixels


@pytest.fixture
def steering():
    return Controls()


def push_of(steering, *events):
    for each in events:
        steering.take(each)
    return steering.push(VEHICLE, SIDE)


@pytest.mark.parametrize(
    ("key", "direction"),
    [
        *(("up", 1j), ("down", -1j), ("left", -1), ("right", 1)),
        *(("w", 1j), ("s", -1j), ("a", -1), ("d", 1)),
    ],
)
def test_each_key_pushes_its_way_while_it_is_held(steering, key, direction):
    assert push_of(steering, key_down(key)) == direction
    assert steering.push(VEHICLE, SIDE) == direction
    assert push_of(steering, key_up(key)) == 0
    assert len(DIRECTIONS) == 8


@pytest.mark.parametrize(
    ("typed", "place", "direction"),
    [("\u0446", "w", 1j), ("\u0444", "a", -1), ("\u03c3", "s", -1j), ("\u0434", "d", 1)],
)
def test_letters_of_other_scripts_push_where_the_latin_ones_stand(
    steering, typed, place, direction
):
    fields = {"key": ord(typed), "mod": 0, "unicode": typed, "scancode": ord(place) - 93}
    assert push_of(steering, event("KEYDOWN", **fields)) == direction
    assert push_of(steering, event("KEYUP", **fields)) == 0


def test_two_keys_push_in_between_with_no_more_force(steering):
    push = push_of(steering, key_down("up"), key_down("d"))
    assert push == pytest.approx(cmath.rect(1, math.pi / 4))
    assert push_of(steering, key_up("up")) == 1


def test_opposite_keys_cancel_and_the_same_direction_counts_once(steering):
    assert push_of(steering, key_down("left"), key_down("right")) == 0
    push = push_of(steering, key_up("left"), key_down("d"), key_down("up"))
    assert push == pytest.approx(cmath.rect(1, math.pi / 4))


def test_a_tap_between_two_steps_pushes_for_one(steering):
    assert push_of(steering, key_down("left"), key_up("left")) == -1
    assert steering.push(VEHICLE, SIDE) == 0
    steering.take(key_down("left"))
    steering.take(key_up("left"))
    steering.keyboard.forget_taps()
    assert steering.push(VEHICLE, SIDE) == 0


def test_other_keys_do_not_push(steering):
    assert push_of(steering, key_down("q"), key_down("space")) == 0


def button(kind, place, number=1):
    return event(f"MOUSEBUTTON{kind}", button=number, pos=(place.real, place.imag))


def motion(place):
    return event("MOUSEMOTION", pos=(place.real, place.imag), rel=(0, 0), buttons=(1, 0, 0))


@pytest.mark.parametrize("angle", np.linspace(0, 2 * np.pi, 9)[:-1])
def test_the_pointer_pulls_in_proportion_up_to_its_reach(steering, angle):
    direction = cmath.rect(1, angle)
    far = VEHICLE + 0.9 * SIDE * direction.conjugate()
    assert push_of(steering, button("DOWN", far)) == pytest.approx(direction)
    half = VEHICLE + 0.5 * MOUSE_REACH * SIDE * direction.conjugate()
    assert push_of(steering, motion(half)) == pytest.approx(0.5 * direction)
    assert push_of(steering, button("UP", half)) == 0


def test_the_mouse_pushes_only_while_its_left_button_is_held(steering):
    assert push_of(steering, motion(VEHICLE + 100)) == 0
    assert push_of(steering, button("DOWN", VEHICLE + 100, number=3)) == 0
    assert push_of(steering, button("DOWN", VEHICLE + 1)) == 0  # on the vehicle itself


def tilt(axis, value, pad=7):
    return event("JOYAXISMOTION", instance_id=pad, axis=axis, value=value)


def test_the_stick_pushes_beyond_its_dead_zone(steering):
    assert push_of(steering, tilt(0, 0.9 * DEAD_ZONE)) == 0
    assert push_of(steering, tilt(0, 1.0)) == 1
    middle = (1 + DEAD_ZONE) / 2
    assert push_of(steering, tilt(0, middle)) == pytest.approx(0.5)
    assert push_of(steering, tilt(0, 0.0), tilt(1, -1.0)) == 1j  # sticks count downward
    assert push_of(steering, tilt(1, 0.0)) == 0


def test_a_stick_in_its_corner_pushes_no_harder(steering):
    push = push_of(steering, tilt(0, -1.0), tilt(1, 1.0))
    assert push == pytest.approx(cmath.rect(1, -0.75 * math.pi))


def test_other_axes_do_not_push(steering):
    assert push_of(steering, tilt(2, 1.0), tilt(5, 1.0)) == 0


def test_gamepads_come_and_go(steering, monkeypatch):
    monkeypatch.setattr(controls.import_pygame().joystick, "Joystick", Pad)
    push = push_of(steering, event("JOYDEVICEADDED", device_index=0), tilt(0, 1.0, pad=70))
    assert push == 1
    assert push_of(steering, event("JOYDEVICEREMOVED", instance_id=70)) == 0


def test_gamepads_stand_for_keys():
    keys = PadKeys()
    for button, expected in enumerate([("space",), ("escape",), ("tab", "v"), ("r",), ("h",)]):
        pressed = event("JOYBUTTONDOWN", instance_id=7, button=button)
        assert keys.keys_of(pressed) == expected
    for value, name in (
        ((1, 0), "right"),
        ((-1, 0), "left"),
        ((0, 1), "up"),
        ((0, -1), "down"),
    ):
        assert keys.keys_of(event("JOYHATMOTION", instance_id=7, value=value)) == (name,)
    assert keys.keys_of(event("JOYHATMOTION", instance_id=7, value=(0, 0))) == ()
    assert keys.keys_of(key_down("up")) == ()


def test_a_tilted_stick_stands_for_a_key_once():
    keys = PadKeys()
    values = (0.5, 0.7, 1.0, 0.5, 0.9, 0.1, -0.9, -1.0)
    stands = [keys.keys_of(tilt(1, value)) for value in values]
    assert [name for names in stands for name in names] == ["down", "up"]
    assert keys.keys_of(tilt(0, -1.0)) == ("left",)
    assert keys.keys_of(tilt(1, -1.0, pad=8)) == ("up",)
    assert keys.keys_of(tilt(4, -1.0)) == ()


def test_what_was_used_last_steers(steering):
    assert push_of(steering, key_down("up"), tilt(0, 1.0)) == 1
    assert push_of(steering, button("DOWN", VEHICLE - 400)) == -1
    assert push_of(steering, key_down("down"), key_up("up")) == -1j
    assert push_of(steering, motion(VEHICLE - 400)) == -1  # the button is still held
    assert push_of(steering, tilt(0, 0.1)) == -1  # a stick that trembles is not used


def test_letting_go_lets_go_of_everything(steering):
    for each in (key_down("up"), tilt(0, 1.0), button("DOWN", VEHICLE - 400)):
        steering.take(each)
        steering.release()
        assert steering.push(VEHICLE, SIDE) == 0


@pytest.mark.parametrize("side", [PURSUER, EVADER])
@pytest.mark.parametrize("seed", range(6))
def test_the_vehicle_is_pushed_where_the_screen_says_whatever_its_heading(side, seed):
    playing = Round(challenge(side, level_named("easy", side), game_config()), seed)
    for number, push in enumerate((1, 1j, -1, -1j, cmath.rect(1, 0.7), 0.4j)):
        playing.push(push)
        force = playing.history.recording().forces[1 + number, int(side)]
        assert force == pytest.approx(12.0 * push, abs=1e-5)


def test_headings_of_starts_differ():
    headings = {
        complex(
            Round(challenge(PURSUER, level_named("easy", PURSUER), game_config()), seed).body[
                "heading"
            ]
        )
        for seed in range(6)
    }
    assert len(headings) == 6


def test_nobody_pushes_harder_than_an_agent():
    action = action_of_push(30 - 40j, 1j)
    assert action.dtype == np.float32
    assert action == pytest.approx([-0.8, -0.6])  # forward is up: down and right of it
