"""Imports what drawing needs when it is needed, and says what to install if it is not there."""

from __future__ import annotations

import importlib
import os
import shutil
from typing import Any

from gymnasium.error import DependencyNotInstalled

_X11_NAME = "SDL_VIDEO_X11_WMCLASS"
_FFMPEG_NAME = "IMAGEIO_FFMPEG_EXE"


def import_pygame() -> Any:
    """The module pygame, imported without a trace in os.environ.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    named = _X11_NAME in os.environ
    pygame = _import("pygame", "pygame-ce")
    if not named:  # under X11, importing pygame sets it
        os.environ.pop(_X11_NAME, None)
    return pygame


def find_ffmpeg() -> str:
    """The path of the program ffmpeg, which imageio-ffmpeg brings along.

    Raises:
        gymnasium.error.DependencyNotInstalled: if imageio-ffmpeg is not installed, or there is
            no such program.
    """
    finder = _import("imageio_ffmpeg", "imageio-ffmpeg")
    try:
        program: str = finder.get_ffmpeg_exe()
    except RuntimeError as error:
        raise DependencyNotInstalled(
            "imageio-ffmpeg brings no program ffmpeg for this machine; install ffmpeg (from "
            "https://ffmpeg.org, or by a package manager), or set the environment variable "
            f"{_FFMPEG_NAME} to its path"
        ) from error
    if shutil.which(program) is None:
        raise DependencyNotInstalled(
            f"there is no program {program!r}; set the environment variable {_FFMPEG_NAME} to "
            "the path of ffmpeg, or leave it out for that of imageio-ffmpeg"
        )
    return program


def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DependencyNotInstalled(
            f'{package} is not installed, run: pip install "steer-env[render]"'
        ) from error
