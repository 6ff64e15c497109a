"""Results as tables and pages: text, HTML, Markdown, LaTeX for papers, CSV."""

from __future__ import annotations

import csv
import html
import io
import re
import shutil
import textwrap
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from steer_env.baselines.statistics import Interval
from steer_env.errors import InvalidValue, printable
from steer_env.files import write_text

_GAP = "   "  # between columns


class Table(NamedTuple):
    """A table of text, the first column aligned to the left and the others to the right."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""

    def without(self, column: str) -> Table:
        """Returns the table without the column of that header."""
        place = self.header.index(column)
        header, *rows = (row[:place] + row[place + 1 :] for row in (self.header, *self.rows))
        return self._replace(header=header, rows=rows)

    def lines(self, marks: str = "") -> list[list[str]]:
        """The header and the rows as they can be printed, with `marks` for backticks."""
        rows = self.header, *self.rows
        return [[printable(cell).replace("`", marks) for cell in row] for row in rows]

    def __str__(self) -> str:
        return plain_text(self)

    def _repr_html_(self) -> str:
        """Returns the table as HTML, for notebooks."""
        lines = [
            "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line)
            for tag, line in zip(("th", *("td" for _ in self.rows)), self.lines())
        ]
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        title, caption = (html.escape(printable(one)) for one in (self.title, self.caption))
        return f"<table><caption>{title}</caption>{rows}</table><p>{caption}</p>"


class Tabled:
    """A result that is shown as tables: as text, and as a notebook's cell."""

    @abstractmethod
    def table(self) -> Table:
        """Returns the only table, or the first one."""

    def tables(self) -> Sequence[Table]:
        """Returns all tables."""
        return (self.table(),)

    def __str__(self) -> str:
        return plain_text(*self.tables())

    def _repr_html_(self) -> str | None:
        """Returns the tables as HTML, or None if there is too little to show."""
        try:
            return "".join(table._repr_html_() for table in self.tables())
        except InvalidValue:
            return None


def plain_text(*tables: Table, width: int | None = None) -> str:
    """Returns tables of a width, by default the terminal's. Wider ones continue below."""
    width = shutil.get_terminal_size().columns if width is None else width
    return "\n\n\n".join(_plain_text(table, width) for table in tables)


def _plain_text(table: Table, width: int) -> str:
    """The table in parts of that width, each led by the first column."""
    wrap = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False).fill
    title, caption = (wrap(printable(text)) for text in (table.title, table.caption))
    rows = table.lines()
    widths = [max(map(len, column)) for column in zip(*rows)]
    parts = [[0]]
    for place in range(1, len(widths)):
        length = sum(widths[k] + len(_GAP) for k in parts[-1]) + widths[place]
        if len(parts[-1]) > 1 and length > width:
            parts.append([0])
        parts[-1].append(place)
    aligned = (_aligned(rows, widths, shown) for shown in parts)
    return "\n\n".join(filter(None, (title, *aligned, caption)))


def _aligned(rows: Sequence[Sequence[str]], widths: Sequence[int], shown: Sequence[int]) -> str:
    """Some columns of a table, with a line below the header."""
    header, *lines = (
        _GAP.join(row[k].rjust(widths[k]) if k else row[k].ljust(widths[k]) for k in shown)
        for row in rows
    )
    return "\n".join(line.rstrip() for line in (header, "-" * len(header), *lines))


def markdown(table: Table) -> str:
    """Returns a table in GitHub's Markdown, without its title and caption."""
    ruler = ("---", *("---:" for _ in table.header[1:]))
    rows = [[cell.replace("|", "\\|") for cell in row] for row in table.lines("`")]
    lines = [rows[0], ruler, *rows[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(table: Table) -> str:
    # At the start of a line a "[" or a "*" would belong to the line's end before it.
    header, *rows = (
        re.sub(r"^( *)(?=[*\[])", r"\1{}", f"    {' & '.join(map(_escaped, line))} \\\\")
        for line in table.lines()
    )
    caption = _escaped(". ".join(filter(None, (table.title, table.caption))))
    parts = (
        f"\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}",
        f"  \\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}\n    \\toprule",
        header,
        "    \\midrule",
        *rows,
        "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n",
    )
    return "\n".join(parts)


def latex(*tables: Table) -> str:
    """Returns tables for a paper that uses the package booktabs."""
    return "\n".join(map(_latex, tables))


_LATEX = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
    '"': "''",  # the letter itself needs the encoding T1
}


def _escaped(text: str) -> str:
    """Text for LaTeX: a minus before a digit is one, and no hyphens join to a dash."""
    found = "".join(_LATEX.get(one, one) for one in printable(text).replace("`", ""))
    return re.sub(r"(?<![\w-])-(?=[\d.])", "$-$", found).replace("--", "-{}-")


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a .csv file, with an apostrophe before what a spreadsheet would run."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_plain_cell(cell) for cell in row] for row in rows)
    write_text(path, text.getvalue())


def _plain_cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    is_number = re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", text)
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@") and not is_number else text


def cell(interval: Interval | None, form: str) -> str:
    """Returns an interval as text, or an empty cell for None."""
    return "" if interval is None else format(interval, form)


def build_page(title: str, *parts: str | Table) -> str:
    """Returns a page as Markdown: texts, and tables between their titles and captions."""
    texts = [f"# {title}" if title else ""]
    for part in parts:
        if isinstance(part, Table):
            texts.append(f"## {printable(part.title)}" if part.title else "")
            texts += [markdown(part), printable(part.caption)]
        else:
            texts.append(part)
    return "\n\n".join(text.strip("\n") for text in texts if text) + "\n"


def write_page(path: Path, title: str, *parts: str | Table) -> None:
    """Writes a page of `build_page` to a file."""
    write_text(path, build_page(title, *parts))
