"""Results as tables and pages: text, HTML, Markdown, LaTeX for papers, CSV."""

from __future__ import annotations

import csv
import html
import io
import re
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steer_env.baselines.statistics import Interval
from steer_env.errors import InvalidValue, printable
from steer_env.files import write_text

_GAP = "   "  # between columns
_FORMULA = re.compile(r"(?![+-]?[\d.]+(e[+-]?\d+)?$)\s*[=+@-]")  # and no number


class Tabled:
    """A result that is shown as tables: as text, and as a notebook's cell.

    It has a method of its own for one of `table` and `tables`.
    """

    def table(self) -> Table:
        """Returns the only table, or the first one."""
        return self.tables()[0]

    def tables(self) -> Sequence[Table]:
        """Returns all tables."""
        return (self.table(),)

    def __str__(self) -> str:
        return plain_text(*self.tables())

    def _repr_html_(self) -> str | None:
        """Returns the tables as HTML, or None if there is too little to show."""
        try:
            return "".join(map(_html, self.tables()))
        except InvalidValue:
            return None


@dataclass(frozen=True)
class Table(Tabled):
    """A table of text, the first column aligned to the left and the others to the right."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""

    def table(self) -> Table:
        """Returns itself."""
        return self

    def without(self, column: str) -> Table:
        """Returns the table without the column of that header."""
        place = self.header.index(column)
        header, *rows = (row[:place] + row[place + 1 :] for row in (self.header, *self.rows))
        return replace(self, header=header, rows=rows)

    def lines(self, marks: str = "") -> list[list[str]]:
        """The header and the rows as they can be printed, with `marks` for backticks."""
        rows = self.header, *self.rows
        return [[printable(cell).replace("`", marks) for cell in row] for row in rows]


def _html(table: Table) -> str:
    lines = [
        "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line)
        for tag, line in zip(("th", *("td" for _ in table.rows)), table.lines())
    ]
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    title, caption = (html.escape(printable(one)) for one in (table.title, table.caption))
    return f"<table><caption>{title}</caption>{rows}</table><p>{caption}</p>"


def plain_text(*tables: Table, width: int | None = None) -> str:
    """Returns tables of a width, by default the terminal's.

    Wider ones continue below, in parts that are each led by the first column.
    """
    width = shutil.get_terminal_size().columns if width is None else width
    wrap = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False).fill
    texts = []
    for table in tables:
        columns, parts = [*zip(*table.lines())], [[0]]
        widths = [max(map(len, column)) for column in columns]
        for place in range(1, len(widths)):
            length = sum(widths[k] + len(_GAP) for k in parts[-1]) + widths[place]
            if len(parts[-1]) > 1 and length > width:
                parts.append([0])
            parts[-1].append(place)
        blocks = [wrap(printable(table.title))]
        for part in parts:
            shown = ([f"{x:{'>' if k else '<'}{widths[k]}}" for x in columns[k]] for k in part)
            header, *rows = map(_GAP.join, zip(*shown))
            lines = (header, "-" * len(header), *rows)
            blocks.append("\n".join(line.rstrip() for line in lines))
        texts.append("\n\n".join(filter(None, (*blocks, wrap(printable(table.caption))))))
    return "\n\n\n".join(texts)


def markdown(table: Table) -> str:
    """Returns a table in GitHub's Markdown, without its title and caption."""
    ruler = ("---", *("---:" for _ in table.header[1:]))
    rows = [[cell.replace("|", "\\|") for cell in row] for row in table.lines("`")]
    lines = [rows[0], ruler, *rows[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def latex(*tables: Table) -> str:
    """Returns tables for a paper that uses the package booktabs."""
    parts = []
    for table in tables:
        # At the start of a line a "[" or a "*" would belong to the line's end before it.
        header, *rows = (
            re.sub(r"^( *)(?=[*\[])", r"\1{}", f"    {' & '.join(map(_escaped, line))} \\\\")
            for line in table.lines()
        )
        caption = _escaped(". ".join(filter(None, (table.title, table.caption))))
        parts += [
            f"\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}",
            f"  \\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}\n    \\toprule",
            header,
            "    \\midrule",
            *rows,
            "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n",
        ]
    return "\n".join(parts)


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
    for row in rows:
        texts = ((x, printable(x) if isinstance(x, str) else "") for x in row)
        writer.writerow([f"'{y}" if _FORMULA.match(y) else y or x for x, y in texts])
    write_text(path, text.getvalue())


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
