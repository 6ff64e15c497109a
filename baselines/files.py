"""Writes results to files; the ending of a name says what goes into it."""

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


def check_endings(paths: Sequence[Path], endings: Sequence[str]) -> None:
    """Raises a ValueError for a file whose ending or folder will not do.

    It is called before what takes long, not after.
    """
    for path in paths:
        if path.suffix not in endings:
            raise InvalidValue(f"{path}: {unknown('ending', path.suffix, endings)}")
        if not path.absolute().parent.is_dir():
            raise InvalidValue(
                f"there is no folder {str(path.parent)!r} to write {path.name} to"
            )


def write_evaluation(evaluation: Evaluation, paths: Sequence[Path]) -> None:
    """Writes an evaluation: episodes (.npz, .csv), metrics (.json, .md), or its survival."""
    for path in paths:
        if path.suffix in (".npz", ".csv"):
            evaluation.save(path)
        elif not _write_text(path, evaluation, [evaluation.table()]):
            from baselines.plots import save_survival_plot

            save_survival_plot(path, [evaluation])


def write_comparison(
    comparison: Comparison, evaluations: Sequence[Evaluation], paths: Sequence[Path]
) -> None:
    """Writes a comparison: its figures (.json, .md), or the survival of both."""
    for path in paths:
        tables = [comparison.table(), *(evaluation.table() for evaluation in evaluations)]
        if not _write_text(path, comparison, tables):
            from baselines.plots import save_survival_plot

            save_survival_plot(path, evaluations)


def write_crossplay(found: CrossPlay, paths: Sequence[Path]) -> None:
    """Writes a cross-play: its figures (.json, .md, .csv), or a heat map."""
    for path in paths:
        if path.suffix == ".csv":
            _write(path, pairs_csv(found.to_dict()))
        elif not _write_text(path, found, crossplay_tables(found.to_dict())):
            from baselines.plots import save_crossplay_plot

            save_crossplay_plot(path, found)


def pairs_csv(report: Mapping[str, Any]) -> str:
    """One line for each pair: names, capture rate and mean capture time with intervals.

    Args:
        report: what `CrossPlay.to_dict` returned, or the same read from JSON.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    bounds = ("", "_low", "_high")
    columns = [f"{name}{end}" for name in ("capture_rate", "capture_time") for end in bounds]
    writer.writerow(("pursuer", "evader", "episodes", *columns))
    for pursuer in report["pursuers"]:
        for evader in report["evaders"]:
            rate = Interval(**report["capture_rate"][pursuer][evader])
            time = Interval(**report["mean_capture_time"][pursuer][evader])
            writer.writerow((pursuer, evader, report["episodes"], *rate, *time))
    return text.getvalue()


def _write_text(path: Path, found: Any, tables: Sequence[Table]) -> bool:
    if path.suffix == ".json":
        _write(path, json.dumps(found.to_dict(), indent=2) + "\n")
    elif path.suffix == ".md":
        parts = [(f"**{t.title}**", markdown(t).rstrip(), t.caption) for t in tables]
        _write(path, "\n\n".join(part for table in parts for part in table if part) + "\n")
    else:
        return False
    return True


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
