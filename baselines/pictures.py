"""The files of pictures: their endings, and their names in the light and the dark theme."""

from __future__ import annotations

from pathlib import Path

PICTURES = (".png", ".svg", ".pdf")
"""The endings of the files to which pictures are written."""


def both_themes(path: str | Path) -> list[Path]:
    """Returns the names of a picture in the light theme and, beside it, in the dark one."""
    path = Path(path)
    return [path, path.with_stem(f"{path.stem}-dark")]


def markdown_picture(alt: str, path: str) -> str:
    """Returns a picture in its reader's theme, as lines of Markdown.

    Args:
        alt: the alternative text, for screen readers.
        path: of the light variant, from the page; see `both_themes`.
    """
    return (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" '
        f'srcset="{both_themes(path)[1].as_posix()}">\n'
        f'  <img alt="{alt}" src="{path}">\n</picture>\n'
    )
