"""Results as tables: plain text for the terminal, Markdown for pages."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baselines.statistics import Interval

_GAP = "   "


class Table(NamedTuple):
    """A table of text; the first column is aligned to the left, the others to the right."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""


def plain_text(*tables: Table, width: int | None = None) -> str:
    """Tables for the terminal, without the backticks that Markdown has around names.

    Args:
        tables: which.
        width: characters in a line; None for the terminal's. The columns of a table that do
            not fit continue below.
    """
    width = shutil.get_terminal_size().columns if width is None else width
    return "\n\n\n".join(_plain_text(table, width) for table in tables)


def _plain_text(table: Table, width: int) -> str:
    rows = [[cell.replace("`", "") for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    parts = [_filled(table.title, width)]
    for places in _blocks(widths, width):
        lines = [
            _GAP.join(
                f"{row[place]:{'>' if place else '<'}{widths[place]}}" for place in places
            )
            for row in rows
        ]
        lines.insert(1, "-" * len(lines[0]))
        parts.append("\n".join(line.rstrip() for line in lines))
    if table.caption:
        parts.append(_filled(table.caption, width))
    return "\n\n".join(parts)


def _blocks(widths: Sequence[int], width: int) -> list[list[int]]:
    """The columns that are printed beside each other: the first one leads every block."""
    blocks, used = [[0]], widths[0]
    for place, needed in enumerate(widths[1:], 1):
        if used + len(_GAP) + needed > width and len(blocks[-1]) > 1:
            blocks.append([0])
            used = widths[0]
        blocks[-1].append(place)
        used += len(_GAP) + needed
    return blocks


def _filled(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def markdown(table: Table) -> str:
    """A table in GitHub's Markdown, without its title and caption."""
    ruler = ("---", *("---:" for _ in table.header[1:]))
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (table.header, *table.rows)]
    lines = [rows[0], ruler, *rows[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def percent(interval: Interval) -> str:
    """A share with its interval, in percent."""
    low, high = 100.0 * interval.low, 100.0 * interval.high
    return f"{interval.estimate:.1%} [{low:.1f}, {high:.1f}]"


def points(interval: Interval) -> str:
    """A difference of shares with its interval, in percentage points."""
    estimate, low, high = (100.0 * value for value in interval)
    return f"{estimate:+.1f} [{low:+.1f}, {high:+.1f}]"


def pairs_table(report: Mapping[str, Any]) -> Table:
    """Every pair of a cross-play: capture rate, and mean capture time.

    Args:
        report: what `CrossPlay.to_dict` returned, or the same read from JSON.
    """
    pursuers = [rank["name"] for rank in report["ranking"]["pursuer"]]
    evaders = [rank["name"] for rank in report["ranking"]["evader"]]

    def cell(pursuer: str, evader: str) -> str:
        rate = report["capture_rate"][pursuer][evader]
        time = report["mean_capture_time"][pursuer][evader]
        half_length = 50.0 * (rate["high"] - rate["low"])
        return f"{rate['estimate']:.0%} ± {half_length:.1f}, {time['estimate']:.1f} s"

    rows = [(f"`{p}`", *(cell(p, evader) for evader in evaders)) for p in pursuers]
    return Table(
        f"Captures and mean capture time, {report['episodes']:,} episodes each",
        ("pursuer", *(f"`{evader}`" for evader in evaders)),
        rows,
        "Half the length of the 95 % interval after ±, in percentage points.",
    )


def ranking_table(report: Mapping[str, Any], side: str) -> Table:
    """The ranking of one side in a cross-play, and how often the equilibrium draws each."""
    mixture = report["equilibrium"][f"{side}s"]
    rows = []
    for rank in report["ranking"][side]:
        rate, time = Interval(**rank["capture_rate"]), Interval(**rank["capture_time"])
        share = mixture.get(rank["name"], 0.0)
        drawn = f"{share:.0%}" if share > 0.0 else ""
        rows.append((f"`{rank['name']}`", percent(rate), f"{time:.2f}", drawn))
    value = Interval(**report["equilibrium"]["mean_capture_time"])
    return Table(
        f"{side.capitalize()}s, mean over all opponents",
        (side, "captured", "mean capture time [s]", "in equilibrium"),
        rows,
        f"At equilibrium the mean capture time is {value:.2f} s.",
    )


def crossplay_tables(report: Mapping[str, Any]) -> Sequence[Table]:
    """All tables of a cross-play."""
    return (
        pairs_table(report),
        ranking_table(report, "pursuer"),
        ranking_table(report, "evader"),
    )
