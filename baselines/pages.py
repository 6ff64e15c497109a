"""Pages of results in Markdown: title, text and tables."""

from __future__ import annotations

from pathlib import Path

from baselines.tables import Table, markdown
from steer_env.errors import printable
from steer_env.files import write_text


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
    title, caption = printable(table.title), printable(table.caption)
    return (f"## {title}" if title else "", markdown(table), caption)


def write_page(path: Path, title: str, *parts: str | Table) -> None:
    """Writes a page to a file; see `build_page`."""
    write_text(path, build_page(title, *parts))
