"""The files of pictures: their endings, and their names in the light and the dark theme."""

from __future__ import annotations

from pathlib import Path

PICTURES = (".png", ".svg", ".pdf")
"""The endings of the files to which pictures are written."""


def both_themes(path: str | Path) -> list[Path]:
    """Returns the names of a picture in the light theme and, beside it, in the dark one."""
    path = Path(path)
    return [path, path.with_stem(f"{path.stem}-dark")]
