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


def test_pictures_name_the_players():
    drawing = {"size": 300, "annotations": ("score",)}
    keywords = {"render_mode": "rgb_array", "drawing": drawing}

    def legend_of(env, seed=0):
        env.reset(seed=seed)
        return env.render()[-21:]

    names = ["seek", "pursuit"]
    legends = [legend_of(gym.make("Evade-v0", opponent=name, **keywords)) for name in names]
    assert (legends[0] != legends[1]).any()
    mixed, seen = gym.make("Evade-v0", opponent=names, **keywords), set()
    for seed in range(8):
        legend, index = legend_of(mixed, seed), mixed.unwrapped.opponent_index
        assert np.array_equal(legend, legends[index])
        seen.add(index)
    assert seen == {0, 1}


def test_drawing_is_imported_for_a_render_mode_and_rgb_arrays_need_no_display():
    code = """
import os, sys, gymnasium, steer_env
env = gymnasium.make('Pursuit-v0')
env.reset()
env.step(env.action_space.sample())
drawing = {'pygame', 'imageio', 'PIL', 'steer_env.rendering.raster'}
assert not drawing & set(sys.modules), drawing & set(sys.modules)
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


def test_without_pygame_games_go_on_and_drawing_says_what_to_install(monkeypatch):
    from steer_env.rendering import raster

    raster._letter.cache_clear()
    raster._mask_of.cache_clear()
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = gym.make("Pursuit-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    env.step(env.action_space.sample())
    with pytest.raises(DependencyNotInstalled, match=r"steer-env\[render\]"):
        env.render()


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


@pytest.mark.weekly
@pytest.mark.parametrize("num_envs", [None, 4])
# moviepy leaves pipes open.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_gymnasium_films_environments(tmp_path, num_envs):
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    keywords = {"render_mode": "rgb_array", "drawing": SMALL, "max_episode_steps": 20}
    folder = str(tmp_path / "films")
    if num_envs is None:
        env = gym.wrappers.RecordVideo(gym.make("Pursuit-v0", **keywords), folder)
    else:
        env = gym.wrappers.vector.RecordVideo(
            gym.make_vec("Pursuit-v0", num_envs=num_envs, **keywords),
            folder,
            step_trigger=lambda step: step == 0,
            video_length=10,
        )
    env.reset(seed=0)
    for _ in range(20):
        env.step(env.action_space.sample())
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    frames, _ = imageio_ffmpeg.count_frames_and_secs(film)
    assert frames == pytest.approx(21 if num_envs is None else 10, abs=1)


@pytest.mark.weekly
@pytest.mark.parametrize("counts", [(1, 300), (200, 1)])
def test_drawing_environments_leaves_memory_flat(counts):
    def use(environments, pictures):
        for seed in range(environments):
            env = gym.make("Pursuit-v0", render_mode="rgb_array", drawing=drawing)
            for number in range(pictures):
                if number % 100 == 0:
                    env.reset(seed=seed)
                env.step(env.action_space.sample())
                env.render()
            env.close()
        gc.collect()

    drawing = {"size": 120, "annotations": "all"}
    use(20, 100)  # fills the memory of texts
    tracemalloc.start()
    use(20, 1)
    before, _ = tracemalloc.get_traced_memory()
    use(*counts)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 200_000
