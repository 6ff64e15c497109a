"""Playing games to their end is stepping them, and measures what happens on the way."""

from __future__ import annotations

import numpy as np
import pytest
from engines import started

from steer_env.game.run.memory import make_measures
from steer_env.game.state import OVER
from steer_env.sides import EVADER, PURSUER

LIMIT = 60
KEYWORDS = [
    {},
    {"arena": "torus"},
    {"pursuers": 2, "evaders": 2, "obstacles": 3, "solid": "everyone", "capture_radius": 0.8},
    {"pursuer": {"model": "car"}, "evader": {"model": "simple_motion"}},
]


def make(chaser="pursuit", chased="evade", **keywords):
    return started(chaser, chased, 5, LIMIT, **keywords)


def nobody(engine):
    return engine.no_actions(PURSUER), engine.no_actions(EVADER)


@pytest.mark.parametrize("keywords", KEYWORDS, ids=["walls", "torus", "teams", "models"])
def test_playing_is_stepping(keywords):
    played, stepped = make(**keywords), make(**keywords)
    measures = make_measures(5)
    played.play(measures, LIMIT, *nobody(played))
    paths, closest = np.zeros((2, 5)), np.full(5, np.inf)
    pursuers = played.side_size(PURSUER)
    final = stepped.get_state()
    for _ in range(LIMIT):
        before = stepped.get_state()
        stepped.step(*nobody(stepped), PURSUER, True)
        after = stepped.get_state()
        running = before["game"]["phase"] != OVER
        running &= final["game"]["phase"] != OVER
        final[running] = after[running]
        moved = after["players"]["body"]["position"] - before["players"]["body"]["position"]
        if keywords.get("arena") == "torus":
            moved = (moved.real + 10) % 20 - 10 + 1j * ((moved.imag + 10) % 20 - 10)
        moved = np.where(before["players"]["active"], abs(moved), 0.0)
        paths[0, running] += moved[running, :pursuers].sum(axis=1)
        paths[1, running] += moved[running, pursuers:].sum(axis=1)
        closest[running] = np.minimum(closest, after["game"]["distance"])[running]
    for name in ("steps", "captured", "distance", "draws", "phase"):
        np.testing.assert_array_equal(played.get_state()["game"][name], final["game"][name])
    for name in ("position", "velocity", "heading"):
        ours, theirs = (s["players"]["body"][name] for s in (played.get_state(), final))
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(measures.path, paths, rtol=1e-9)
    if played.side_size(EVADER) == 1:
        assert (measures.closest <= np.where(closest > 0, closest, np.inf) + 1e-9).all()
    assert (measures.closest > 0).all()


def test_it_does_not_matter_in_how_many_calls():
    whole, parts = make(), make()
    one, other = make_measures(5), make_measures(5)
    whole.play(one, LIMIT, *nobody(whole))
    for steps in (1, 7, 0, 12, LIMIT):
        parts.play(other, steps, *nobody(parts))
    for mine, yours in zip(one, other):
        np.testing.assert_array_equal(mine, yours)
    before = whole.get_state()
    whole.play(one, 10, *nobody(whole))  # all are over: nothing happens
    np.testing.assert_array_equal(whole.get_state(), before)
    np.testing.assert_array_equal(one.path, other.path)


def test_effort_is_the_length_of_the_action():
    engine, measures = make(None, "idle"), make_measures(5)
    actions = np.tile(np.float32([0.3, 0.4]), (5, 1, 1))
    engine.play(measures, 4, actions, nobody(engine)[EVADER])
    np.testing.assert_allclose(measures.effort[PURSUER], 4 * 0.5, rtol=1e-6)
    np.testing.assert_array_equal(measures.effort[EVADER], 0.0)
    np.testing.assert_array_equal(measures.turns, 4)
    too_long = np.tile(np.float32([3.0, 4.0]), (5, 1, 1))
    engine.play(measures, 1, too_long, nobody(engine)[EVADER])
    np.testing.assert_allclose(measures.effort[PURSUER], 3.0, rtol=1e-6)
