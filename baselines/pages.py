"""Pages of results in Markdown: title, text, tables, pictures, and how they were made."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baselines.tables import Table, markdown
from steer_env.files import write_text
from steer_env.information import versions

_PACKAGES = ("gymnasium", "numpy", "numba", "scipy")


def build_page(title: str, *parts: str | Table) -> str:
    """Returns a page as Markdown.

    Args:
        title: its heading; empty for none.
        parts: from top to bottom, with an empty line between them. A text stays as it is. A
            table is preceded by its title, as a heading, and followed by its caption; each of
            them may be empty. Empty parts are left out.
    """
    texts = [f"# {title}" if title else ""]
    for part in parts:
        texts += _table(part) if isinstance(part, Table) else [part]
    return "\n\n".join(text.strip("\n") for text in texts if text) + "\n"


def _table(table: Table) -> tuple[str, ...]:
    return (f"## {table.title}" if table.title else "", markdown(table), table.caption)


def write_page(path: Path, title: str, *parts: str | Table) -> None:
    """Writes a page to a file; see `build_page`."""
    write_text(path, build_page(title, *parts))


def bullets(*points: str) -> str:
    """Returns a list with a point in each line."""
    return "\n".join(f"- {point}" for point in points)


def made_by(command: str, seconds: float, **about: Any) -> dict[str, Any]:
    """Returns how results were made: the whole command, versions, and seconds of playing.

    Args:
        command: with its options.
        seconds: of playing.
        about: more about it, such as the seeds.
    """
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
