"""Parts of pages of published results: pictures in both themes, and how they were made."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from steer_env.baselines.plots import save
from steer_env.drawing import THEMES
from steer_env.information import versions

_PACKAGES = ("gymnasium", "numpy", "numba", "scipy")


def both_themes(path: str | Path) -> list[Path]:
    """Returns the names of a picture in the light theme and, beside it, in the dark one."""
    path = Path(path)
    return [path, path.with_stem(f"{path.stem}-dark")]


def save_both(path: str | Path, build: Callable[[], Figure]) -> list[Path]:
    """Writes a figure in the light theme, and as NAME-dark beside it in the dark one."""
    paths = both_themes(path)
    for theme, beside in zip(THEMES, paths):
        save(beside, build, theme)
    return paths


def markdown_picture(alt: str, path: str) -> str:
    """Returns a picture in its reader's theme, as lines of Markdown.

    The text is for screen readers; the path is that of the light variant, from the page.
    """
    return (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" '
        f'srcset="{both_themes(path)[1].as_posix()}">\n'
        f'  <img alt="{alt}" src="{path}">\n</picture>\n'
    )


def bullets(*points: str) -> str:
    """Returns a list with a point in each line."""
    return "\n".join(f"- {point}" for point in points)


def made_by(command: str, seconds: float, **about: Any) -> dict[str, Any]:
    """Returns how results were made: the whole command, versions, and seconds of playing."""
    found = versions(*_PACKAGES)
    return {
        "command": command,
        "seconds": round(seconds, 1),
        "python": found.pop("python"),
        "machine": platform.machine(),
        **found,
        **about,
    }


def how_made(made: Mapping[str, Any]) -> str:
    """Returns what `made_by` found as the last section of a page."""
    packages = ", ".join(f"{name} {made[name]}" for name in ("python", "steer_env", *_PACKAGES))
    return (
        f"## How it was made\n\n```bash\n{made['command']}\n```\n\n"
        f"{made['seconds']:g} s of playing; {packages}."
    )
