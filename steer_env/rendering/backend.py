"""Imports optional dependencies when they are needed, and says what to install."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import Any

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import needing

_X11_NAME = "SDL_VIDEO_X11_WMCLASS"


def import_pygame() -> Any:
    """Returns the module pygame or a DependencyNotInstalled, and keeps os.environ as it is."""
    had_name = _X11_NAME in os.environ
    with needing("render", "pygame-ce"):
        import pygame
    if not had_name:  # under X11, importing pygame sets it
        os.environ.pop(_X11_NAME, None)
    return pygame


def import_imageio_ffmpeg() -> Any:
    """Returns the module imageio_ffmpeg, or a DependencyNotInstalled, also without ffmpeg."""
    with needing("render", "imageio-ffmpeg"):
        import imageio_ffmpeg  # type: ignore[import-untyped]
    program = "ffmpeg"
    with suppress(RuntimeError):  # it has none for this machine
        program = imageio_ffmpeg.get_ffmpeg_exe()
    if shutil.which(program) is None:
        raise DependencyNotInstalled(
            f"there is no program {program!r}; install ffmpeg (https://ffmpeg.org), and set "
            "IMAGEIO_FFMPEG_EXE in the environment to its path, or unset it"
        )
    return imageio_ffmpeg
