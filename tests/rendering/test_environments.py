"""Environments render without a display, and do not touch the system."""

from __future__ import annotations

import os
import subprocess
import sys

import gymnasium as gym
import imageio.v3 as imageio
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

import steer_env  # noqa: F401
from steer_env.rendering.gif import save_gif


@pytest.mark.parametrize("env_id", ["Pursuit-v0", "Evade-v0"])
def test_environments_render_and_pickle_afterwards(env_id):
    import pickle

    env = gym.make(env_id, render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    for _ in range(10):
        env.step(env.action_space.sample())
    assert first.shape == (600, 600, 3)
    assert (env.render() != first).any()
    again = pickle.loads(pickle.dumps(env.unwrapped))
    assert again.render().shape == (600, 600, 3)
    env.close()


def test_vector_environments_give_a_frame_each():
    envs = gym.make_vec("Pursuit-v0", num_envs=3, render_mode="rgb_array")
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 3
    assert (frames[0] != frames[1]).any()
    envs.close()


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


def test_a_window_follows_the_game(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gym.make("Pursuit-v0", render_mode="human")
    env.reset(seed=0)
    env.step(env.action_space.sample())
    env.close()


def test_without_pygame_games_go_on_and_drawing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = gym.make("Pursuit-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    env.step(env.action_space.sample())
    with pytest.raises(DependencyNotInstalled, match=r"steer-env\[render\]"):
        env.render()


def test_a_gif_holds_the_frames(tmp_path):
    frames = [np.full((20, 30, 3), shade, np.uint8) for shade in (0, 100, 200)]
    save_gif(tmp_path / "a.gif", frames, 15)
    assert imageio.imread(tmp_path / "a.gif", index=None).shape == (3, 20, 30, 3)
    with pytest.raises(ValueError, match="at least one frame"):
        save_gif(tmp_path / "b.gif", [], 15)
