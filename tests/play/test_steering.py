"""Keys, mouse and gamepad push the vehicle, and a gamepad is enough."""

from __future__ import annotations

import numpy as np
import pytest

from play import events
from play.events import Pad, key_down, key_up
from play.games import STEP
from steer_env.drawing import THEMES
from steer_env.play.visit import COUNT_SECONDS, COUNTS, Phase
from steer_env.sides import EVADER

pygame = events.pygame


@pytest.mark.parametrize(
    ("key", "direction"), [("up", 1j), ("left", -1), ("down", -1j), ("d", 1)]
)
def test_held_keys_push_the_vehicle_on_the_screen(make, key, direction):
    game = make().reach(Phase.ROUND)
    start = complex(game.visit.round.body["position"])
    game.post(key_down(key), seconds=0.5)
    moved = complex(game.visit.round.body["position"]) - start
    assert (moved * np.conj(direction)).real > 0.9 * abs(moved) > 0.5
    game.post(key_up(key), seconds=2 * STEP)
    assert game.push == pytest.approx(0)


def test_a_key_held_before_the_start_counts_from_the_first_step(make):
    game = make().reach(Phase.COUNTDOWN)
    game.post(key_down("up"), seconds=COUNTS * COUNT_SECONDS)
    game.wait(4 * STEP)
    forces = game.visit.round.history.recording().forces[1:, 0].tolist()
    assert forces == [pytest.approx(12j)] * game.steps != []


def test_the_key_that_began_does_not_push(make):
    game = make(opponent=None)
    game.press("up", "up", "return", seconds=COUNTS * COUNT_SECONDS + 5 * STEP)
    assert game.visit.phase is Phase.ROUND
    assert game.steps > 2
    assert not game.visit.round.history.recording().forces[: game.steps, 0].any()


@pytest.mark.parametrize("size", [(600, 500), (900, 400), (400, 700)])
def test_the_vehicle_follows_the_pointer(make, size):
    game = make(size=size).reach(Phase.ROUND)
    playing = game.visit.round
    start = complex(playing.body["position"])
    picture = game.app.draw().astype(int)
    orange = (np.abs(picture - THEMES["light"].pursuer).max(axis=-1) < 10)[60:-30]
    row, column = np.argwhere(orange).mean(axis=0)  # where the vehicle is drawn
    place = (int(column) - 80, int(row) + 60)
    game.post(events.event("MOUSEBUTTONDOWN", button=1, pos=place), seconds=0.5)
    moved = complex(playing.body["position"]) - start
    assert moved.real < -0.3
    assert abs(moved.imag) < 0.12 * abs(moved.real)


def test_gamepads_are_heard(make, monkeypatch):
    monkeypatch.setattr(pygame.joystick, "Joystick", Pad)
    game = make()
    game.post(events.event("JOYDEVICEADDED", device_index=0))
    game.post(events.event("JOYBUTTONDOWN", instance_id=70, button=0))
    assert game.visit.phase is Phase.COUNTDOWN
    game.reach(Phase.ROUND)
    start = complex(game.visit.round.body["position"])
    game.post(events.event("JOYAXISMOTION", instance_id=70, axis=1, value=1.0), seconds=0.5)
    assert complex(game.visit.round.body["position"]).imag < start.imag - 0.3


def test_a_gamepad_is_enough(make):
    game = make(horizon=20, opponent=None)

    def press(button):
        game.post(events.event("JOYBUTTONDOWN", instance_id=70, button=button))

    def flick(axis, value):
        for each in (value, 0.0):
            game.post(events.event("JOYAXISMOTION", instance_id=70, axis=axis, value=each))

    flick(1, -1.0)
    flick(0, 1.0)
    assert game.visit.menu.challenge.level.name == "expert"
    flick(1, 1.0)
    game.post(events.event("JOYHATMOTION", instance_id=70, value=(0, -1)))
    assert game.visit.menu.challenge.level.name == "normal"
    press(2)
    assert game.visit.menu.side == EVADER
    press(0)
    assert game.visit.phase is Phase.COUNTDOWN
    game.reach(Phase.ROUND)
    for is_paused in (True, False):
        press(0)
        assert game.visit.is_paused == is_paused
    press(6)
    assert game.app.is_help_shown
    press(6)
    assert not game.app.is_help_shown
    press(0)
    game.reach(Phase.END)
    press(2)
    assert game.visit.phase is Phase.REPLAY
    press(1)
    press(3)
    assert game.visit.phase is Phase.COUNTDOWN
    press(1)
    assert game.visit.phase is Phase.TITLE
    press(1)
    assert game.visit.is_done
