"""Films show every panel at the right moment, and hold the last frame."""

from dataclasses import replace

import numpy as np
import pytest
from recorded import trajectory

from steer_env.drawing import DrawingConfig
from steer_env.record.writers import HOLD_SECONDS, Film, Presentation
from steer_env.rendering.ghosts import Ghosts
from steer_env.rendering.renderer import Replay

DRAWING = DrawingConfig(size=120)


def film_of(groups, fps, columns, drawing=DRAWING, progress=str, **choices):
    presentation = Presentation([], drawing, columns, fps={".gif": fps}, **choices)
    return Film(groups, presentation, ".gif", progress)


@pytest.fixture(scope="module")
def caught():
    recording = trajectory("pursuit", "evade", seed=3)
    assert recording.status.is_captured
    return recording


@pytest.fixture(scope="module")
def free():
    return trajectory("seek", "evade", seed=3)


def test_films_are_as_long_as_the_longest_episode_and_hold_its_end(caught, free):
    told = []
    film = film_of([[caught, free]], 10, 2, progress=told.append)
    assert len(film) / 10 == pytest.approx(free.status.seconds + HOLD_SECONDS, abs=0.15)
    frames, count = list(film), len(film)
    assert told == [f"gif: frame {number} of {count}" for number in range(1, count + 1)]
    assert len(frames) == count
    assert np.array_equal(film[5], frames[5])  # in any order
    assert film[0].shape == (120, 240, 3)


def test_frames_show_the_moments_of_their_time(caught, free):
    film = film_of([[caught, free]], 15, 2)
    replays = Replay(caught, DRAWING), Replay(free, DRAWING)
    for number in (0, 1, 20, 40):
        frame = film[number]
        assert np.array_equal(frame[:, :120], replays[0].picture(2 * number).pixels())
        assert np.array_equal(frame[:, 120:], replays[1].picture(2 * number).pixels())


def test_a_finished_panel_shows_its_result_until_the_others_end(caught, free):
    for side in (120, 200):
        drawing = replace(DRAWING, size=side)
        film = film_of([[caught, free]], 15, 2, drawing)
        over = len(caught.states) // 2 + 1
        end = film[over][:, :side]
        assert np.array_equal(film[len(film) - 1][:, :side], end)
        without = Replay(caught, drawing).picture(len(caught.states) - 1).pixels()
        # The result is written over it, unless it would hide the game.
        assert (end != without).any() == (side == 200)
        assert not np.array_equal(film[over][:, side:], film[over + 10][:, side:])
    held = [film[-number] for number in range(1, round(HOLD_SECONDS * 15) + 1)]
    assert all(np.array_equal(frame, held[0]) for frame in held)


def test_groups_follow_each_other_and_can_be_cut(caught, free):
    film = film_of([[caught], [free]], 15, 1)
    first, second = (film_of([[found]], 15, 1) for found in (caught, free))
    assert len(film) == len(first) + len(second)
    assert np.array_equal(film[len(first) - 1], first[len(first) - 1])
    assert np.array_equal(film[len(first)], second[0])
    film = film_of([[caught, free]], 15, 2, seconds=6.0)
    assert len(film) == 6 * 15 + 1 + 15
    assert np.array_equal(film[-1][:, 120:], Replay(free, DRAWING).picture(180).pixels())
    assert len(film_of([[caught]], 15, 1, seconds=99.0)) == len(first)


def test_runs_can_share_a_board(caught, free):
    film = film_of([[caught, free]], 10, 1, ghosts=True, labels=["fox", "dog"])
    assert len(film) / 10 == pytest.approx(free.status.seconds + HOLD_SECONDS, abs=0.15)
    ghosts = Ghosts([caught, free], DRAWING, ["fox", "dog"])
    assert np.array_equal(film[0], ghosts.picture(0).pixels())
    assert np.array_equal(film[-1], ghosts.picture(len(free.states) - 1).pixels())
