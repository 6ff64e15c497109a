"""Imports pygame when it is needed, and says what to install when it is not there."""

from __future__ import annotations

import importlib
from typing import Any

from gymnasium.error import DependencyNotInstalled


def import_pygame() -> Any:
    """The module pygame.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    return _import("pygame", "pygame-ce")


def import_imageio() -> Any:
    """The module imageio.v3.

    Raises:
        gymnasium.error.DependencyNotInstalled: if it is not installed.
    """
    return _import("imageio.v3", "imageio")


def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DependencyNotInstalled(
            f'{package} is not installed, run: pip install "steer-env[render]"'
        ) from error
