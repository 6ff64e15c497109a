"""Imports what drawing needs when it is needed, and says what to install if it is not there."""

from __future__ import annotations

import importlib
import os
from typing import Any

from gymnasium.error import DependencyNotInstalled

_X11_NAME = "SDL_VIDEO_X11_WMCLASS"


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


def import_imageio() -> Any:
    """The module imageio.v3.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    return _import("imageio.v3", "imageio")


def import_imageio_ffmpeg() -> Any:
    """The module imageio_ffmpeg, which brings the program ffmpeg along.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    return _import("imageio_ffmpeg", "imageio-ffmpeg")


def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DependencyNotInstalled(
            f'{package} is not installed, run: pip install "steer-env[render]"'
        ) from error
