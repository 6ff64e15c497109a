"""Results as tables: text for the terminal, HTML, Markdown for pages, LaTeX for papers, CSV."""

from __future__ import annotations

import csv
import html
import io
import re
import shutil
import textwrap
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from baselines.payoffs import Payoff, payoff_of
from baselines.statistics import Interval
from steer_env.errors import InvalidValue, number_text, printable
from steer_env.files import write_text
from steer_env.game.config import GameConfig
from steer_env.sides import Side

_GAP = "   "  # between columns


class Table(NamedTuple):
    """A table of text; the first column is aligned to the left, the others to the right."""

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
        """The header and the rows as they can be printed; `marks` stand for backticks."""
        rows = self.header, *self.rows
        return [[printable(cell).replace("`", marks) for cell in row] for row in rows]

    def __str__(self) -> str:
        """Returns the table as text."""
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
        """Returns the tables as text."""
        return plain_text(*self.tables())

    def _repr_html_(self) -> str | None:
        """Returns the tables as HTML; None, for the repr, if there is too little to show."""
        try:
            return "".join(table._repr_html_() for table in self.tables())
        except InvalidValue:
            return None


def plain_text(*tables: Table, width: int | None = None) -> str:
    """Returns tables for the terminal, without Markdown's backticks around names.

    Args:
        tables: one or more.
        width: characters in a line; None for the terminal's width. Columns that do not fit
            continue below.
    """
    width = shutil.get_terminal_size().columns if width is None else width
    return "\n\n\n".join(_plain_text(table, width) for table in tables)


def _plain_text(table: Table, width: int) -> str:
    title, caption = (
        textwrap.fill(printable(text), width, break_long_words=False, break_on_hyphens=False)
        for text in (table.title, table.caption)
    )
    return "\n\n".join(part for part in (title, *_parts(table, width), caption) if part)


def _parts(table: Table, width: int) -> Iterator[str]:
    """Yields the table in parts no wider than that; the first column leads each of them."""
    rows = table.lines()
    columns = list(zip(*rows))
    widths = [max(map(len, column)) for column in columns]
    shown = [0]
    for place in range(1, len(columns)):
        if len(shown) > 1 and _length(widths, [*shown, place]) > width:
            yield _aligned(rows, widths, shown)
            shown = [0]
        shown.append(place)
    yield _aligned(rows, widths, shown)


def _length(widths: Sequence[int], shown: Sequence[int]) -> int:
    return sum(widths[place] for place in shown) + len(_GAP) * (len(shown) - 1)


def _aligned(rows: Sequence[Sequence[str]], widths: Sequence[int], shown: Sequence[int]) -> str:
    """Some columns of a table, with a line below the header."""
    first, *others = shown
    header, *lines = (
        _GAP.join([row[first].ljust(widths[first])] + [row[k].rjust(widths[k]) for k in others])
        for row in rows
    )
    rule = "-" * _length(widths, shown)
    return "\n".join(line.rstrip() for line in (header, rule, *lines))


def markdown(table: Table) -> str:
    """Returns a table in GitHub's Markdown, without its title and caption."""
    ruler = ("---", *("---:" for _ in table.header[1:]))
    rows = [[cell.replace("|", "\\|") for cell in row] for row in table.lines("`")]
    lines = [rows[0], ruler, *rows[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def latex(*tables: Table) -> str:
    """Returns tables for a paper that uses the package booktabs."""
    return "\n".join(map(_latex, tables))


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


_LATEX = {
    **{one: f"\\{one}" for one in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$"},
    '"': "''",  # the letter itself needs the encoding T1
}


def _escaped(text: str) -> str:
    """Text for LaTeX: a minus before a digit is one, and no hyphens join to a dash."""
    found = "".join(_LATEX.get(one, one) for one in printable(text).replace("`", ""))
    return re.sub(r"(?<![\w-])-(?=[\d.])", "$-$", found).replace("--", "-{}-")


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes a .csv file with a line for the header and for each row.

    A text that a spreadsheet program would run as a formula gets an apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_plain_cell(cell) for cell in row] for row in rows)
    write_text(path, text.getvalue())


def _plain_cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    is_formula = text.lstrip()[:1] in ("=", "+", "-", "@") and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


_NUMBER = re.compile(r"[+-]?[\d.]+(e[+-]?\d+)?")


def percent(interval: Interval) -> str:
    """Returns a share with its interval, in percent."""
    low, high = (number_text(100.0 * end, ".1f") for end in (interval.low, interval.high))
    return f"{number_text(interval.estimate, '.1%')} [{low}, {high}]"


def pairs_table(
    numbers: Mapping[str, Any], names: tuple[Sequence[str], Sequence[str]] | None = None
) -> Table:
    """Returns the capture rate and the mean payoff of each pair in a cross-play.

    Args:
        numbers: as `CrossPlay.to_dict` returns it, or the same read from JSON.
        names: of the pursuers and of the evaders; None for all, the best first.
    """
    pursuers, evaders = names or ranked_names(numbers)
    payoff = payoff_in(numbers)

    def cell(pursuer: str, evader: str) -> str:
        rate = numbers["capture_rate"][pursuer][evader]
        mean = numbers[payoff.mean][pursuer][evader]["estimate"]
        half_width = 50.0 * (rate["high"] - rate["low"])
        return f"{rate['estimate']:.0%} ± {half_width:.1f}, {mean:.1f} {payoff.unit}"

    return Table(
        f"Capture rate and mean {payoff.words}, {numbers['episodes']:,} episodes each",
        ("pursuer", *(f"`{evader}`" for evader in evaders)),
        [(f"`{p}`", *(cell(p, evader) for evader in evaders)) for p in pursuers],
        "After ± stands the half-width of the 95 % interval, in percentage points.",
    )


def ranked_names(numbers: Mapping[str, Any]) -> tuple[list[str], ...]:
    """Returns the pursuers and the evaders of a cross-play, the best first."""
    return tuple([rank["name"] for rank in numbers["ranking"][side.name]] for side in Side)


def ranking_table(numbers: Mapping[str, Any], side: str) -> Table:
    """Returns the ranking of one side in a cross-play, with its equilibrium mixture."""
    mixture, payoff = numbers["equilibrium"][f"{side}s"], payoff_in(numbers)
    rows = []
    for rank in numbers["ranking"][side]:
        rate, mean = Interval(**rank["capture_rate"]), Interval(**rank[payoff.name])
        share = mixture.get(rank["name"], 0.0)
        drawn = f"{share:.0%}" if share > 0.0 else ""
        rows.append((f"`{rank['name']}`", percent(rate), f"{mean:.2f}", drawn))
    value = Interval(**numbers["equilibrium"][payoff.mean])
    return Table(
        f"{side.capitalize()}s, mean over all opponents",
        (side, "captured", payoff.label, "in equilibrium"),
        rows,
        f"At equilibrium the mean {payoff.words} is {value:.2f} {payoff.unit}.",
    )


def payoff_in(numbers: Mapping[str, Any]) -> Payoff:
    """Returns what the two sides fight over in a cross-play; see `pairs_table`."""
    # Numbers of older versions do not name it.
    return payoff_of(numbers["config"].get("payoff", GameConfig.payoff))


def crossplay_tables(numbers: Mapping[str, Any]) -> Sequence[Table]:
    """Returns all tables of a cross-play."""
    return (pairs_table(numbers), *(ranking_table(numbers, side.name) for side in Side))
