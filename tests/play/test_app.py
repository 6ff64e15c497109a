"""Every key does what the help says; what is shown is what is played."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from play import events
from play.events import key_down
from play.games import STEP
from steer_env.drawing import THEMES, DrawingConfig
from steer_env.play.app import PlayApp
from steer_env.play.visit import COUNT_SECONDS, COUNTS, END_SECONDS, Phase
from steer_env.sides import EVADER, PURSUER

pygame = events.pygame


def stands(game):
    """All that keys can change."""
    visit, replay = game.visit, game.visit.replay
    faced = visit.menu.challenge
    return {
        "phase": visit.phase,
        "done": visit.is_done,
        "paused": visit.is_paused,
        "level": faced.level.name,
        "side": faced.side,
        "seed": visit.round.seed if visit.round else None,
        "theme": game.app.drawing.theme,
        "sound": game.app.sounds.is_on,
        "next": visit.next_seed,
        "help": game.app.is_help_shown,
        "moment": replay.moment if replay else None,
        "still": replay.clock.is_paused if replay else None,
        "speed": replay.clock.speed if replay else None,
    }


QUIT, HELP, LOUD = {"done": True}, {"help": True}, {"sound": True}
DARK, TITLE = {"theme": "dark"}, {"phase": Phase.TITLE}
COUNT_SAME = {"phase": Phase.COUNTDOWN}
COUNT_NEW = {"phase": Phase.COUNTDOWN, "seed": 6, "next": 7}
AGAIN_FROM_REPLAY = {**COUNT_SAME, "moment": None, "still": None, "speed": None}
PAUSED = {"paused": True}

EFFECTS = {
    Phase.TITLE: {
        ("return", "space"): {"phase": Phase.COUNTDOWN, "seed": 5, "next": 6},
        ("up", "right"): {"level": "hard"},
        ("down", "left"): {"level": "easy"},
        ("tab",): {"side": EVADER},
        ("b",): {"phase": Phase.TIMES},
        ("t",): DARK,
        ("m",): LOUD,
        ("h", "f1"): HELP,
        ("escape",): QUIT,
    },
    Phase.TIMES: {
        ("tab",): {"side": EVADER},
        ("t",): DARK,
        ("m",): LOUD,
        ("h", "f1"): HELP,
        ("escape",): TITLE,
    },
    Phase.COUNTDOWN: {
        ("space", "p"): PAUSED,
        ("r",): {},
        ("t",): DARK,
        ("m",): LOUD,
        ("h", "f1"): {**HELP, **PAUSED},
        ("escape",): TITLE,
    },
    Phase.ROUND: {
        ("space", "p"): PAUSED,
        ("r",): COUNT_SAME,
        ("t",): DARK,
        ("m",): LOUD,
        ("h", "f1"): {**HELP, **PAUSED},
        ("escape",): TITLE,
    },
    Phase.END: {
        ("return", "space"): COUNT_NEW,
        ("r",): COUNT_SAME,
        ("v",): {"phase": Phase.REPLAY, "moment": 0, "still": False, "speed": 1.0},
        ("t",): DARK,
        ("m",): LOUD,
        ("h", "f1"): HELP,
        ("escape",): TITLE,
    },
    Phase.REPLAY: {
        ("space",): {"still": True},
        ("right",): {"moment": 6, "still": True},
        ("left",): {"moment": 4, "still": True},
        ("home",): {"moment": 0, "still": True},
        ("end",): {"moment": 20, "still": True},
        ("up", "+"): {"speed": 2.0},
        ("down", "-"): {"speed": 0.5},
        ("r",): AGAIN_FROM_REPLAY,
        ("return",): {**AGAIN_FROM_REPLAY, "seed": 6, "next": 7},
        ("t",): DARK,
        ("m",): LOUD,
        ("h", "f1"): {**HELP, "still": True},
        ("escape",): {"phase": Phase.END, "moment": None, "still": None, "speed": None},
    },
}

MENUS = (Phase.TITLE, Phase.TIMES)
KEYS = [
    (phase, key, effect)
    for phase, effects in EFFECTS.items()
    for keys, effect in effects.items()
    for key in keys
]


def test_the_help_lists_these_keys_and_no_others(make):
    app = make().app
    for phase, bindings in app.bindings.items():
        assert [binding.keys for binding in bindings] == list(EFFECTS[phase])
        assert all(meaning for _, meaning in bindings.rows)


@pytest.mark.parametrize(("phase", "key", "effect"), KEYS)
def test_every_key_does_what_it_says(make, phase, key, effect):
    game = make(horizon=20, opponent=None if phase in MENUS else "rest").reach(phase)
    if phase is Phase.REPLAY:
        game.wait(5 * STEP)
    before = stands(game)
    assert effect.items() - before.items() == set(effect.items())
    began = game.visit.round
    game.press(key)
    assert stands(game) == {**before, **effect}
    if effect in (COUNT_SAME, {}) and key == "r":
        assert game.visit.round is not began
        assert game.visit.round.seed == began.seed


def test_help_is_shown_over_everything_and_any_key_closes_it(make):
    game = make().reach(Phase.ROUND)
    plain = game.app.draw()
    game.press("h")
    assert (game.app.draw() != plain).mean() > 0.3
    moment = game.steps
    game.wait(1.0)
    assert game.steps == moment
    game.press("escape")
    assert not game.app.is_help_shown
    assert game.visit.phase is Phase.ROUND
    assert game.visit.is_paused
    game.press("space", seconds=0.1)
    assert game.steps > moment


@pytest.mark.parametrize(
    "posted",
    [
        key_down("x"),
        events.event("MOUSEBUTTONDOWN", button=3, pos=(5, 5)),
        events.event("JOYBUTTONDOWN", instance_id=70, button=1),
        events.event("JOYHATMOTION", instance_id=70, value=(0, 1)),
        events.event("JOYAXISMOTION", instance_id=70, axis=0, value=1.0),
    ],
)
def test_every_input_closes_the_help_and_does_nothing_else(make, posted):
    game = make(horizon=20).reach(Phase.END)
    before = stands(game)
    game.press("h")
    assert game.app.is_help_shown
    game.post(posted)
    assert stands(game) == before


def test_events_that_are_not_input_leave_the_help_open(make):
    game = make()
    game.press("h")
    game.post(events.event("MOUSEMOTION", pos=(5, 5), rel=(0, 0), buttons=(0, 0, 0)))
    game.post(events.event("JOYAXISMOTION", instance_id=70, axis=0, value=0.1))
    assert game.app.is_help_shown


@pytest.mark.parametrize("phase", [Phase.END, Phase.REPLAY])
@pytest.mark.parametrize("cause", [key_down("h"), events.event("WINDOWFOCUSLOST")])
def test_nothing_goes_on_without_the_person(make, phase, cause):
    game = make(horizon=20, rounds=3).reach(phase)
    game.post(cause)
    before = stands(game)
    game.wait(2 * END_SECONDS)
    assert stands(game) == before
    game.press("x")  # closes the help
    game.wait(2 * END_SECONDS)
    assert game.visit.phase is phase
    game.press("space", seconds=0.2)
    if phase is Phase.END:
        assert game.visit.phase is Phase.COUNTDOWN
    else:
        assert game.visit.replay.moment > before["moment"]


def test_only_what_changes_is_drawn(make, monkeypatch):
    game = make(horizon=20)
    drawn = []
    monkeypatch.setattr(game.window, "show", drawn.append)
    changes = (
        (lambda: game.wait(), 1),
        (lambda: game.wait(1.0), 0),
        (lambda: game.press("up"), 0),  # there is nothing harder than one's own choice
        (lambda: game.press("down"), 1),
        (lambda: game.press("h"), 1),
        (lambda: game.press("x"), 1),
        (lambda: game.press("t"), 1),
        (lambda: game.post(events.event("WINDOWEXPOSED")), 1),
        (lambda: game.press("up", "return"), 2),
        (lambda: game.wait(COUNTS * COUNT_SECONDS - STEP), COUNTS - 1),
        (lambda: game.press("p"), 1),
        (lambda: game.wait(1.0), 0),
        (lambda: game.press("p"), 1),
        (lambda: game.reach(Phase.END), 20),
        (lambda: game.wait(1.0), 0),
        (lambda: game.press("v"), 1),
        (lambda: game.wait(2.0), 20),
        (lambda: game.wait(1.0), 0),
        (lambda: game.press("home"), 1),
        (lambda: game.press("+"), 1),
        (lambda: game.wait(1.0), 0),
    )
    for number, (change, count) in enumerate(changes):
        drawn.clear()
        change()
        assert len(drawn) == count, number


def test_leaving_the_window_pauses_and_lets_go(make):
    game = make().reach(Phase.ROUND)
    game.post(key_down("up"), seconds=0.1)
    game.post(events.event("WINDOWFOCUSLOST"))
    assert game.visit.is_paused
    game.press("space", seconds=0.1)
    assert game.steps > 3
    assert game.push == pytest.approx(0)


@pytest.mark.parametrize("phase", list(Phase))
def test_closing_the_window_ends_it_at_any_time(make, phase):
    game = make(horizon=20).reach(phase)
    game.post(events.event("QUIT"))
    assert not game.window.is_open
    game.app.run()  # returns at once


@pytest.mark.parametrize("theme", list(THEMES))
@pytest.mark.parametrize("size", [(200, 200), (320, 240), (600, 400), (1600, 1000), (300, 900)])
@pytest.mark.parametrize("side", [PURSUER, EVADER])
def test_every_screen_is_drawn_at_any_size(make, theme, size, side):
    game = make(size=size, side=side, horizon=10, opponent="wander")
    game.app.drawing = dataclasses.replace(game.app.drawing, theme=theme)
    seen = []
    for phase in Phase:
        game.visit.back(game.now) if phase is not Phase.TITLE else None
        game.visit.phase = Phase.TITLE
        game.visit.is_done = False
        game.reach(phase)
        seen.append(game.app.draw())
        assert seen[-1].shape == (size[1], size[0], 3)
        assert (seen[-1] != THEMES[theme].background).any(axis=-1).mean() > 0.01
    assert all((one != other).any() for one, other in itertools.pairwise(seen))


def test_annotations_that_the_score_line_replaces_are_left_out(make):
    game = make()
    drawing = DrawingConfig(annotations="all")
    shown = PlayApp(game.window, game.visit, drawing).drawing.annotations
    assert "score" not in shown
    assert "names" not in shown
    assert "aim" in shown


def test_problems_with_best_times_are_printed(make, tmp_path, capsys):
    (tmp_path / "times.json").write_text("nonsense")
    game = make()
    game.wait(0.2)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "damaged" in told[0]
