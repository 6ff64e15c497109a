"""Results as tables: plain text for the terminal, Markdown for pages."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from baselines.statistics import Interval

if TYPE_CHECKING:
    from baselines.comparison import Comparison
    from baselines.evaluation import Evaluation


class Table(NamedTuple):
    """A table of text; the first column is aligned to the left, the others to the right."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""


def plain_text(*tables: Table) -> str:
    """Tables for the terminal, as wide as they need to be."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console(file=io.StringIO(), width=1000, color_system=None)
    for table in tables:
        drawn = RichTable(
            title=table.title, caption=table.caption, box=SIMPLE_HEAD, title_justify="left"
        )
        for place, name in enumerate(table.header):
            drawn.add_column(name, justify="right" if place else "left", no_wrap=True)
        for row in table.rows:
            drawn.add_row(*row)
        console.print(drawn, markup=False)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def markdown(table: Table) -> str:
    """A table in GitHub's Markdown, without its title."""
    lines = [table.header, ("---", *("---:" for _ in table.header[1:])), *table.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def percent(interval: Interval) -> str:
    """A share with its interval, in percent."""
    low, high = 100.0 * interval.low, 100.0 * interval.high
    return f"{interval.estimate:.1%} [{low:.1f}, {high:.1f}]"


def points(interval: Interval) -> str:
    """A difference of shares with its interval, in percentage points."""
    estimate, low, high = (100.0 * value for value in interval)
    return f"{estimate:+.1f} [{low:+.1f}, {high:+.1f}]"


def evaluation_table(evaluation: Evaluation) -> Table:
    """The metrics of an evaluation."""
    from baselines.evaluation import UNITS

    rows = []
    for name, interval in evaluation.metrics().items():
        unit = UNITS.get(name, "s")
        text = percent(interval) if unit == "%" else f"{interval:.2f} {unit}"
        rows.append((name.replace("_", " "), text))
    seeds = f"seeds {evaluation['seed'][0]} to {evaluation['seed'][-1]}"
    return Table(
        f"{evaluation.pursuer} v {evaluation.evader}, {len(evaluation):,} episodes ({seeds})",
        ("metric", "estimate [95 % interval]"),
        rows,
        f"A time-out counts as the limit, {evaluation.time_limit:g} s.",
    )


def comparison_table(comparison: Comparison) -> Table:
    """The differences between two policies."""
    return Table(
        f"{comparison.ours} - {comparison.theirs} as {comparison.side}s against "
        f"{comparison.opponent}, {comparison.count:,} {comparison.units}, same starts",
        ("metric", "difference [95 % interval]"),
        [
            ("capture rate, percentage points", points(comparison.capture_rate)),
            ("mean capture time, s", f"{comparison.capture_time:+.2f}"),
            ("probability of improvement", percent(comparison.improvement)),
        ],
    )


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
