"""Frames as arrays need no display; trails belong to one episode; windows close cleanly."""

import os
import subprocess
import sys

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from steer_env.game.config import ArenaConfig, GameConfig
from steer_env.game.state import make_state
from steer_env.rendering.window import Renderer

pygame = pytest.importorskip("pygame")

CONFIG = GameConfig(arena=ArenaConfig())


def make_record(steps=0, key=7):
    """The pursuer moves right by 0.1 m a step, the evader up."""
    record = make_state(1, 2, 0)[0]
    record["game"]["steps"], record["game"]["key"] = steps, key
    record["players"]["active"] = True
    body = record["players"]["body"]
    body["position"] = [-8 + 0.1 * steps, 5 - 8j + 0.1j * steps]
    body["heading"] = [1, 1j]
    body["max_speed"], body["radius"] = 4.0, 0.3
    return record


def run_python(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("size", [600, 300, 77])
def test_frames_are_arrays_of_their_own(size):
    renderer = Renderer(CONFIG, "rgb_array", size)
    frame = renderer.render(make_record())
    assert frame.shape == (size, size, 3)
    assert frame.dtype == np.uint8
    assert frame.flags.c_contiguous
    assert frame.flags.writeable
    kept = frame.copy()
    renderer.render(make_record(20))[...] = 0
    assert np.array_equal(frame, kept)


def test_rows_come_first_and_y_points_up():
    frame = Renderer(CONFIG, "rgb_array").render(make_record()).astype(int)
    pursuer = np.argwhere(np.abs(frame - (213, 94, 0)).max(axis=-1) < 12)
    pursuer = pursuer[pursuer[:, 0] < 550]  # without the key
    row, column = pursuer.mean(axis=0)
    assert row == pytest.approx(300, abs=3)
    assert column == pytest.approx(300 - 8 * 25.8, abs=3)


def test_arrays_need_no_display_and_leave_the_environment_alone():
    before = dict(os.environ)
    Renderer(CONFIG, "rgb_array").render(make_record())
    assert dict(os.environ) == before
    assert not pygame.display.get_init()
    assert pygame.display.get_surface() is None


def test_a_fresh_process_imports_pygame_late_and_without_a_trace():
    # With DISPLAY set, importing pygame by itself adds a variable to os.environ.
    code = """if True:
        import os, sys
        before = dict(os.environ)
        import steer_env.rendering.scene, steer_env.rendering.window, steer_env.rendering.gif
        from steer_env.game.config import GameConfig
        from steer_env.game.state import make_state
        renderer = steer_env.rendering.window.Renderer(GameConfig(), "rgb_array", 100)
        assert not {"pygame", "imageio", "PIL"} & set(sys.modules)
        renderer.render(make_state(1, 2, 0)[0])
        import pygame
        assert dict(os.environ) == before
        assert not pygame.get_init() and not pygame.display.get_init()
    """
    run_python(code, DISPLAY=":99")


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_without_pygame_the_error_says_what_to_install(mode, monkeypatch):
    renderer = Renderer(CONFIG, mode)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "steer-env\[render\]"'):
        renderer.render(make_record())
    renderer.close()


@pytest.mark.parametrize(("mode", "size"), [("ansi", 600), ("rgb_array", 0)])
def test_wrong_arguments_are_named(mode, size):
    with pytest.raises(ValueError, match=r"ansi|0"):
        Renderer(CONFIG, mode, size)


def rendered(renderer, *records):
    """The last of several frames."""
    return [renderer.render(record) for record in records][-1]


def test_trails_grow_with_the_steps():
    fresh = Renderer(CONFIG, "rgb_array").render(make_record(30))
    records = [make_record(steps) for steps in range(31)]
    followed = rendered(Renderer(CONFIG, "rgb_array"), *records)
    changed = np.argwhere((fresh != followed).any(axis=-1))
    assert len(changed) > 50
    assert changed[:, 1].min() < 300 - 6.5 * 25.8  # back to where the pursuer began


def test_trails_do_not_grow_for_ever():
    late = [make_record(steps) for steps in range(100, 141)]
    long_ago = make_record(5)
    with_past = rendered(Renderer(CONFIG, "rgb_array"), long_ago, *late)
    assert np.array_equal(with_past, rendered(Renderer(CONFIG, "rgb_array"), *late))


def test_the_same_moment_can_be_drawn_again():
    renderer = Renderer(CONFIG, "rgb_array")
    first = rendered(renderer, *(make_record(steps) for steps in range(20)))
    assert np.array_equal(renderer.render(make_record(19)), first)


@pytest.mark.parametrize(
    ("before", "after"),
    [((20, 7), (3, 7)), ((3, 7), (20, 8)), ((20, 7), (20, 8))],
    ids=["steps went back", "another key", "another key, same steps"],
)
def test_a_new_episode_begins_new_trails(before, after):
    renderer = Renderer(CONFIG, "rgb_array")
    earlier = make_record(*before)
    earlier["players"]["body"]["position"] += 1j
    again = rendered(renderer, earlier, make_record(*after))
    assert np.array_equal(again, Renderer(CONFIG, "rgb_array").render(make_record(*after)))


def test_reset_forgets_the_trails():
    renderer = Renderer(CONFIG, "rgb_array")
    renderer.render(make_record(0))
    renderer.reset()
    frame = renderer.render(make_record(20))
    assert np.array_equal(frame, Renderer(CONFIG, "rgb_array").render(make_record(20)))


def test_trails_do_not_follow_later_changes_of_the_record():
    state, renderer = np.array([make_record(0)]), Renderer(CONFIG, "rgb_array")
    renderer.render(state[0])
    state[0] = make_record(10)  # as the engine does: in place
    moved = renderer.render(state[0])
    separate = rendered(Renderer(CONFIG, "rgb_array"), make_record(0), make_record(10))
    assert np.array_equal(moved, separate)


def test_arrays_survive_others_quitting_pygame():
    renderer = Renderer(CONFIG, "rgb_array")
    before = renderer.render(make_record())
    pygame.quit()
    assert np.array_equal(renderer.render(make_record()), before)
    assert renderer.render(make_record(200)).shape == (600, 600, 3)  # with texts not seen yet


@pytest.fixture
def no_screen(monkeypatch):
    """A video driver that shows nothing, and no wait."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield GameConfig(dt=1e-4)
    pygame.display.quit()


def test_window_shows_the_frame(no_screen):
    renderer = Renderer(no_screen, "human", 200)
    assert renderer.render(make_record()) is None
    window = pygame.display.get_surface()
    assert window.get_size() == (200, 200)
    assert pygame.display.get_caption()[0] == "steer_env"
    shown = pygame.surfarray.array3d(window).swapaxes(0, 1)
    expected = Renderer(no_screen, "rgb_array", 200).render(make_record())
    assert np.array_equal(shown, expected)
    renderer.close()
    assert not pygame.display.get_init()
    renderer.close()


def test_window_that_somebody_closes_stays_closed(no_screen):
    renderer = Renderer(no_screen, "human", 100)
    renderer.render(make_record())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    renderer.render(make_record(1))
    assert renderer.window_closed
    assert not pygame.display.get_init()
    assert renderer.render(make_record(2)) is None
    assert not pygame.display.get_init()


def test_window_opens_again_after_another_renderer_closed_it(no_screen):
    first, second = Renderer(no_screen, "human", 100), Renderer(no_screen, "human", 100)
    first.render(make_record())
    second.render(make_record())
    second.close()
    first.render(make_record(1))
    assert pygame.display.get_surface() is not None
    first.close()


def test_window_keeps_the_time_of_the_game(no_screen, monkeypatch):
    asked = []

    class Clock:
        def tick(self, rate):
            asked.append(rate)

    monkeypatch.setattr(pygame.time, "Clock", Clock)
    Renderer(GameConfig(dt=1 / 30), "human", 50).render(make_record())
    assert asked == [pytest.approx(30.0)]
