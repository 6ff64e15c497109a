"""Environments render without a display, do not touch the system, and leave nothing behind."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import tracemalloc

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from gymnasium.utils.env_checker import check_env

import steer_env  # noqa: F401
from steer_env.drawing import THEMES, DrawingConfig
from steer_env.rendering.viewer import MOST_TILES

pytest.importorskip("pygame")

SMALL = {"size": 120}


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "Evade-v0"])
def test_environments_render_and_go_on_as_copies(env_id):
    env = gym.make(env_id, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    for _ in range(10):
        env.step(env.action_space.sample())
    assert first.shape == (600, 600, 3)
    assert (env.render() != first).any()
    for copied in (pickle.loads(pickle.dumps(env.unwrapped)), copy.deepcopy(env.unwrapped)):
        assert copied.render().shape == (600, 600, 3)
        action = env.action_space.sample()
        theirs, ours = copied.step(action), copy.deepcopy(env.unwrapped).step(action)
        assert np.array_equal(theirs[0], ours[0])
    env.close()


def test_vector_environments_render_and_go_on_as_copies():
    envs = gym.make_vec("Pursuit-v0", num_envs=3, render_mode="rgb_array", drawing=SMALL)
    envs.reset(seed=0)
    envs.render()
    for copied in (pickle.loads(pickle.dumps(envs)), copy.deepcopy(envs)):
        assert len(copied.render()) == 3
        copied.close()
    envs.close()


def test_what_rendering_shows_does_not_change_what_happens():
    def play(render_mode, is_drawn):
        env = gym.make("Pursuit-v0", render_mode=render_mode, drawing={"annotations": "all"})
        env.action_space.seed(0)
        observations = [env.reset(seed=3)[0]]
        for _ in range(60):
            observations.append(env.step(env.action_space.sample())[0])
            if is_drawn:
                env.render()
        return np.array(observations)

    assert np.array_equal(play(None, False), play("rgb_array", True))


def test_the_drawing_can_be_chosen():
    frames = {}
    for theme in ("light", "dark"):
        drawing = DrawingConfig((300, 200), theme)
        env = gym.make("Evade-v0", render_mode="rgb_array", drawing=drawing)
        env.reset(seed=0)
        frames[theme] = env.render()
        assert frames[theme].shape == (200, 300, 3)
    assert frames["dark"].mean() < 80 < frames["light"].mean()
    with pytest.raises(ValueError, match="Did you mean 'dark'"):
        gym.make("Pursuit-v0", drawing={"theme": "drak"})
    with pytest.raises(TypeError, match="drawing must be"):
        gym.make_vec("Pursuit-v0", num_envs=2, drawing=3)


def test_gymnasium_collects_lists_of_frames():
    env = gym.make("Pursuit-v0", render_mode="rgb_array_list", drawing=SMALL)
    env.reset(seed=0)
    for _ in range(4):
        env.step(env.action_space.sample())
    frames = env.render()
    assert isinstance(frames, list)
    assert [frame.shape for frame in frames] == [(120, 120, 3)] * 5
    assert env.render() == []


# moviepy leaves pipes open.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_record_video_writes_a_film(tmp_path):
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    env = gym.make("Pursuit-v0", render_mode="rgb_array", drawing=SMALL, max_episode_steps=20)
    env = gym.wrappers.RecordVideo(env, str(tmp_path / "films"), disable_logger=True)
    env.reset(seed=0)
    is_over = False
    while not is_over:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        is_over = terminated or truncated
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(film)
    assert frames == pytest.approx(21, abs=1)
    assert seconds == pytest.approx(0.7, abs=0.1)


def test_vector_environments_give_a_frame_each_as_single_ones_do():
    opponents = ["evade", "flee"]
    envs = gym.make_vec(
        "Pursuit-v0", num_envs=3, render_mode="rgb_array", drawing=SMALL, opponent=opponents
    )
    envs.reset(seed=[5, 6, 7])
    singles = [
        gym.make("Pursuit-v0", render_mode="rgb_array", drawing=SMALL, opponent=opponents)
        for _ in range(3)
    ]
    for seed, env in zip((5, 6, 7), singles):
        env.reset(seed=seed)
    actions = envs.action_space.sample()
    for moment in range(3):
        for frame, env in zip(envs.render(), singles, strict=True):
            assert np.array_equal(frame, env.render()), moment
        envs.step(actions)
        for env, action in zip(singles, actions):
            env.step(action)
    envs.close()


def test_a_mosaic_holds_all_games_or_the_first_ones():
    envs = gym.make_vec("Pursuit-v0", num_envs=5, render_mode="mosaic", drawing=SMALL)
    envs.reset(seed=0)
    frames = gym.make_vec("Pursuit-v0", num_envs=5, render_mode="rgb_array", drawing=SMALL)
    frames.reset(seed=0)
    mosaic = envs.render()
    assert mosaic.shape == (240, 360, 3)
    for number, frame in enumerate(frames.render()):
        row, column = divmod(number, 3)
        cell = mosaic[row * 120 : row * 120 + 120, column * 120 : column * 120 + 120]
        assert np.array_equal(cell, frame)
    for drawing in (None, {"theme": "dark"}):
        many = gym.make_vec("Pursuit-v0", num_envs=500, render_mode="mosaic", drawing=drawing)
        many.reset(seed=0)
        height, width, _ = many.render().shape
        assert height == width == 1200
    assert MOST_TILES == 64


def test_what_is_left_empty_in_a_mosaic_has_the_themes_background():
    drawing = {"theme": "dark", "size": 100}
    envs = gym.make_vec("Pursuit-v0", num_envs=3, render_mode="mosaic", drawing=drawing)
    envs.reset(seed=0)
    assert (envs.render()[100:, 100:] == THEMES["dark"].background).all()


@pytest.mark.parametrize("num_envs", [None, 2])
def test_a_state_that_is_set_has_no_trail_of_another(num_envs):
    drawing = {"size": 120, "annotations": ("trail",)}
    keywords = {"render_mode": "rgb_array", "drawing": drawing}
    if num_envs is None:
        env = gym.make("Pursuit-v0", **keywords).unwrapped
    else:
        env = gym.make_vec("Pursuit-v0", num_envs=num_envs, **keywords)
    env.reset(seed=0)
    action = np.ones(env.action_space.shape, np.float32)
    for _ in range(40):
        env.step(action)
        env.render()
    saved = env.get_state()
    for _ in range(20):
        env.step(-action)
        env.render()
    env.set_state(saved)
    drawn = env.render()
    fresh = copy.deepcopy(env)
    assert np.array_equal(drawn, fresh.render())


def test_films_have_the_games_own_speed():
    env = gym.make("Pursuit-v0", dt=0.1, render_mode="rgb_array")
    assert env.metadata["render_fps"] == 10
    envs = gym.make_vec("Pursuit-v0", num_envs=2, dt=1 / 60)
    assert envs.metadata["render_fps"] == 60
    assert gym.make("Pursuit-v0").metadata["render_fps"] == 30


def test_pictures_name_the_players():
    drawing = {"size": 300, "annotations": ("score",)}
    keywords = {"render_mode": "rgb_array", "drawing": drawing}
    evader = gym.make("Evade-v0", opponent="seek", **keywords)
    other = gym.make("Evade-v0", opponent="pursuit", **keywords)
    mixed = gym.make("Evade-v0", opponent=["seek", "pursuit"], **keywords)
    keys = []
    for env in (evader, other):
        env.reset(seed=0)
        keys.append(env.render()[-21:])
    assert (keys[0] != keys[1]).any()
    seen = set()
    for seed in range(8):
        mixed.reset(seed=seed)
        index = mixed.unwrapped.opponent_index
        assert np.array_equal(mixed.render()[-21:], keys[index])
        seen.add(index)
    assert seen == {0, 1}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_gymnasium_films_vector_environments(tmp_path):
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    envs = gym.make_vec("Pursuit-v0", num_envs=4, render_mode="rgb_array", drawing=SMALL)
    folder = tmp_path / "films"
    envs = gym.wrappers.vector.RecordVideo(
        envs, str(folder), step_trigger=lambda step: step == 0, video_length=10
    )
    envs.reset(seed=0)
    for _ in range(12):
        envs.step(envs.action_space.sample())
    envs.close()
    (film,) = folder.glob("*.mp4")
    frames, _ = imageio_ffmpeg.count_frames_and_secs(film)
    assert frames == pytest.approx(10, abs=1)


def test_rgb_arrays_need_no_display_and_leave_the_environment_alone():
    code = """
import os, gymnasium, steer_env
before = dict(os.environ)
env = gymnasium.make('Pursuit-v0', render_mode='rgb_array')
env.reset()
env.render()
import pygame
assert not pygame.display.get_init()
assert dict(os.environ) == before
"""
    hidden = ("DISPLAY", "SDL", "PYGAME")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)


def test_without_a_render_mode_nothing_that_draws_is_imported():
    code = """
import sys, gymnasium, steer_env
env = gymnasium.make('Pursuit-v0')
env.reset()
env.step(env.action_space.sample())
drawing = {'pygame', 'imageio', 'PIL', 'steer_env.rendering.raster'}
assert not drawing & set(sys.modules), drawing & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("num_envs", [None, 4])
def test_a_window_follows_the_game_until_it_is_closed(monkeypatch, num_envs):
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    if num_envs is None:
        env = gym.make("Pursuit-v0", render_mode="human", dt=0.01)
    else:
        env = gym.make_vec("Pursuit-v0", num_envs=num_envs, render_mode="human", dt=0.01)
    env.reset(seed=0)
    first = pygame.surfarray.array3d(pygame.display.get_surface())
    for _ in range(10):
        env.step(env.action_space.sample())
    assert (pygame.surfarray.array3d(pygame.display.get_surface()) != first).any()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(env.action_space.sample())
    assert not pygame.display.get_init()
    env.step(env.action_space.sample())  # the game goes on, and no window opens
    assert not pygame.display.get_init()
    env.close()


def test_200_environments_leave_memory_flat():
    def use(count):
        for seed in range(count):
            env = gym.make("Pursuit-v0", render_mode="rgb_array", drawing=SMALL)
            env.reset(seed=seed)
            env.render()
            env.close()
        gc.collect()

    use(20)
    tracemalloc.start()
    use(20)
    before, _ = tracemalloc.get_traced_memory()
    use(200)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 200_000


def test_without_pygame_games_go_on_and_drawing_says_what_to_install(monkeypatch):
    from steer_env.rendering import glyphs

    glyphs._letter.cache_clear()
    glyphs.mask_of.cache_clear()
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = gym.make("Pursuit-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    env.step(env.action_space.sample())
    with pytest.raises(DependencyNotInstalled, match=r"steer-env\[render\]"):
        env.render()


def test_the_learner_has_the_name_of_its_side():
    for env_id, names in (
        ("Pursuit-v0", ("learner", "flee")),
        ("Evade-v0", ("seek", "learner")),
    ):
        opponent = next(name for name in names if name != "learner")
        env = gym.make(env_id, opponent=opponent).unwrapped
        env.reset(seed=0)
        assert env._match.names(0) == names


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a display")
@pytest.mark.parametrize("num_envs", [None, 4])
def test_without_a_display_only_a_game_that_is_played_is_refused(monkeypatch, num_envs):
    """Checkers of environments draw the start in every mode, also on a server."""
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    if num_envs is None:
        check_env(gym.make("Pursuit-v0").unwrapped)
        env = gym.make("Pursuit-v0", render_mode="human")
    else:
        env = gym.make_vec("Pursuit-v0", num_envs=num_envs, render_mode="human")
    env.reset(seed=0)
    assert env.render() is None
    with pytest.raises(OSError, match="no display to open a window on"):
        env.step(env.action_space.sample())
    env.close()


def test_a_window_that_another_program_part_closed_is_opened_again(monkeypatch):
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gym.make("Pursuit-v0", render_mode="human", dt=0.01)
    env.reset(seed=0)
    pygame.display.quit()
    env.step(env.action_space.sample())
    assert pygame.display.get_surface() is not None
    env.close()


@pytest.mark.parametrize(
    ("keywords", "is_shared"),
    [
        ({}, True),
        ({"obstacles": [(0.0, 0.0, 1.0)]}, True),
        ({"obstacles": 2}, False),
        ({"opponent": ["flee", "evade"]}, False),
        ({"arena": "open"}, False),
    ],
)
def test_what_stands_still_is_painted_once_for_all_games_or_once_for_each(
    monkeypatch, keywords, is_shared
):
    from steer_env.rendering import painter

    painted = []
    draw_arena = painter.draw_arena
    monkeypatch.setattr(painter, "draw_arena", lambda *a: painted.append(draw_arena(*a)))
    envs = gym.make_vec(
        "Pursuit-v0", num_envs=4, render_mode="rgb_array", drawing=SMALL, **keywords
    )
    envs.reset(seed=0)
    for _ in range(5):
        envs.render()
        envs.step(np.zeros((4, 2), np.float32))
    assert len(painted) == (1 if is_shared else 4)
    envs.close()
