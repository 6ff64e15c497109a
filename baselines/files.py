"""Writes results to files; the ending of a file's name decides what goes into it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.comparison import Comparison
from baselines.crossplay import CrossPlay
from baselines.evaluation import Evaluation
from baselines.statistics import Interval
from baselines.tables import Table, crossplay_tables, markdown
from steer_env.errors import InvalidValue, unknown
from steer_env.files import check_folder, write_text


def check_endings(paths: Sequence[Path], endings: Sequence[str]) -> None:
    """Raises an error for a file with another ending, or in a folder that does not exist.

    Raises:
        ValueError: for such a file.
    """
    for path in paths:
        if path.suffix not in endings:
            raise InvalidValue(f"{path}: {unknown('ending', path.suffix, endings)}")
        check_folder(path)


def write_evaluation(evaluation: Evaluation, paths: Sequence[Path]) -> None:
    """Writes episodes (.npz, .csv), metrics (.json, .md) or a plot of the survival curve."""
    for path in paths:
        if path.suffix in (".npz", ".csv"):
            evaluation.save(path)
        elif not _write_text(path, evaluation, [evaluation.table()]):
            from baselines.plots import save_survival_plot

            save_survival_plot(path, evaluation)


def write_comparison(
    comparison: Comparison, evaluations: Sequence[Evaluation], paths: Sequence[Path]
) -> None:
    """Writes the numbers (.json, .md), or a plot of both survival curves."""
    for path in paths:
        tables = [comparison.table(), *(evaluation.table() for evaluation in evaluations)]
        if not _write_text(path, comparison, tables):
            from baselines.plots import save_survival_plot

            save_survival_plot(path, evaluations)


def write_crossplay(found: CrossPlay, paths: Sequence[Path]) -> None:
    """Writes the numbers (.json, .md, .csv), or a heat map."""
    for path in paths:
        if path.suffix == ".csv":
            write_text(path, pairs_csv(found.to_dict()))
        elif not _write_text(path, found, crossplay_tables(found.to_dict())):
            from baselines.plots import save_crossplay_plot

            save_crossplay_plot(path, found)


def pairs_csv(numbers: Mapping[str, Any]) -> str:
    """Returns a line for each pair: names, capture rate and mean capture time with intervals.

    Args:
        numbers: as `CrossPlay.to_dict` returns it, or the same read from JSON.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    bounds = ("", "_low", "_high")
    columns = [f"{name}{end}" for name in ("capture_rate", "capture_time") for end in bounds]
    writer.writerow(("pursuer", "evader", "episodes", *columns))
    for pursuer in numbers["pursuers"]:
        for evader in numbers["evaders"]:
            rate = Interval(**numbers["capture_rate"][pursuer][evader])
            time = Interval(**numbers["mean_capture_time"][pursuer][evader])
            writer.writerow((pursuer, evader, numbers["episodes"], *rate, *time))
    return text.getvalue()


def _write_text(
    path: Path, found: Evaluation | Comparison | CrossPlay, tables: Sequence[Table]
) -> bool:
    """Writes a .json or .md file, and returns False for any other ending."""
    if path.suffix == ".json":
        write_text(path, json.dumps(found.to_dict(), indent=2) + "\n")
    elif path.suffix == ".md":
        parts = [(f"**{t.title}**", markdown(t).rstrip(), t.caption) for t in tables]
        write_text(path, "\n\n".join(part for table in parts for part in table if part) + "\n")
    else:
        return False
    return True
