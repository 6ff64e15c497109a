"""Switches between the themes."""

from __future__ import annotations

from dataclasses import replace

from steer_env.rendering.settings import DrawingConfig
from steer_env.rendering.themes import THEMES


def with_next_theme(drawing: DrawingConfig) -> DrawingConfig:
    """Returns the same settings with the next theme."""
    names = list(THEMES)
    following = names[(names.index(drawing.theme) + 1) % len(names)]
    return replace(drawing, theme=following)
