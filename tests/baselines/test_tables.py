"""Tables as text, HTML, LaTeX and CSV: no name harms what shows them, no zero has a minus."""

from __future__ import annotations

import csv
import re
from dataclasses import replace

import numpy as np
import pytest

from steer_env.baselines import (
    Episodes,
    Interval,
    benchmark,
    compare,
    crossplay,
    evaluate,
    gap,
    table_of,
)
from steer_env.baselines.plots import crossplay_figure, save, survival_figure
from steer_env.baselines.statistics import mean_with_interval, rate_with_interval
from steer_env.baselines.tables import Table, latex, markdown, plain_text, write_csv

HOSTILE = "a\x1b[31m\x07\x9b\u202e\n\tb"
SHOWN = r"a\x1b[31m\x07\x9b\u202e\n\tb"
NAMES = {"pursuer": HOSTILE, "evader": "=2+3"}


@pytest.fixture(scope="module")
def found():
    return evaluate("pursuit", "evade", episodes=12)


def is_harmless(text):
    return text.replace("\n", "").isprintable()


def test_names_of_any_origin_are_escaped(found, tmp_path, capsys):
    found.renamed(**NAMES).save(tmp_path / "kept.npz")
    played = crossplay({HOSTILE: "pursuit", "$x$": "seek"}, ["evade", "flee"], episodes=8)
    named = evaluate("pursuit", "evade", episodes=12, names=(HOSTILE, "b"))
    results = (
        Episodes.load(tmp_path / "kept.npz"),
        named,
        played,
        compare(named, evaluate("seek", "evade", episodes=12, names=("c", "b"))),
        table_of([named]),
        benchmark({HOSTILE: "pursuit"}, "pursuer/walls", 8),
        gap("pursuit", "simple_plane", starts=4, name=HOSTILE),
    )
    for result in results:
        tables = result.tables()
        texts = str(result), latex(*tables), *map(markdown, tables), result._repr_html_()
        assert all(map(is_harmless, texts))
        assert texts[-1].count("<table>") == len(tables)
        assert texts[0] == plain_text(*tables)
        assert any(SHOWN in text.replace("\\\\", "\\") for text in texts[:1] + texts[2:])
    assert SHOWN in played.pursuers
    drawn = (crossplay_figure, played.to_dict()), (survival_figure, [named, found])
    for draw, what in drawn:
        save(tmp_path / "drawn.svg", lambda draw=draw, what=what: draw(what))
        assert is_harmless((tmp_path / "drawn.svg").read_text())


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" =1", "' =1"),
        ("\t=1", r"\t=1"),
        ("\r=1", r"\r=1"),
        ("-0.5", "-0.5"),
        ("+1e-3", "+1e-3"),
        (-0.5, "-0.5"),
        (np.float64(-2.5), "-2.5"),
        ("evade/intercept", "evade/intercept"),
        (HOSTILE, SHOWN),
    ],
)
def test_cells_of_csv_files_are_no_formulas(cell, written, tmp_path):
    write_csv(tmp_path / "one.csv", ["name"], [[cell]])
    with (tmp_path / "one.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["name"], [written]]


TABLE = Table("Title", ("name", "a", "long b"), [("`x`", "1", "2"), ("`yy`", "10", "")], "End.")
ALIGNED = """\
Title

name    a   long b
------------------
x       1        2
yy     10

End."""
CONTINUED = """\
Title

name    a
---------
x       1
yy     10

name   long b
-------------
x           2
yy

End."""


@pytest.mark.parametrize(("width", "text"), [(80, ALIGNED), (14, CONTINUED)])
def test_a_table_is_aligned_and_continues_below(width, text):
    assert plain_text(TABLE, width=width) == text
    assert TABLE.without("a").header == ("name", "long b")
    assert TABLE.without("a").rows == [("`x`", "2"), ("`yy`", "")]


@pytest.mark.parametrize("width", [1, 10, 40, 200])
@pytest.mark.parametrize("name", ["[bold]", ":snake:", "a" * 30])
def test_names_are_printed_as_they_are_at_any_width(name, width):
    table = Table(name, ("who", "a", "b"), [(name, "1", "2")] * 2, name)
    assert plain_text(table, width=width).count(name) >= 4


def test_markdown_keeps_its_columns():
    table = Table("", ("a|b", "c"), [("x|y", "1")])
    assert markdown(table) == "| a\\|b | c |\n| --- | ---: |\n| x\\|y | 1 |\n"


@pytest.mark.parametrize("specification", ["", ".2f", "+.2f", ".0f", ".1%"])
def test_what_is_rounded_to_zero_has_no_minus(specification):
    text = format(Interval(-1e-9, -0.0, 1e-9), specification)
    assert "-" not in text
    assert format(Interval(-0.5, -0.25, -0.125), ".2f") == "-0.50 [-0.25, -0.12]"
    assert f"{Interval(-1e-9, -1e-4, 0.5):.1%}" == "0.0% [0.0, 50.0]"
    assert f"{Interval(-1e-9, -1e-3, 0.5):.1%}" == "0.0% [-0.1, 50.0]"


def test_latex_by_hand():
    table = Table(
        "50% & more", ("name", "x_1"), [("`[a]#1`", "-0.5 [-0.6, 0.1]"), ("b--c", "1-2")], "{^}"
    )
    assert latex(table) == (
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{50\\% \\& more. \\{\\textasciicircum{}\\}}\n"
        "  \\begin{tabular}{lr}\n"
        "    \\toprule\n"
        "    name & x\\_1 \\\\\n"
        "    \\midrule\n"
        "    {}[a]\\#1 & $-$0.5 [$-$0.6, 0.1] \\\\\n"
        "    b-{}-c & 1-2 \\\\\n"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "\\end{table}\n"
    )


def test_latex_has_no_letter_that_it_would_run():
    for letter in filter(str.isprintable, map(chr, range(32, 127))):
        line = latex(Table("", ("a",), [(f"x{letter}x",)])).splitlines()[7].strip()
        cell = line.removesuffix("\\\\")
        left = re.sub(r"\\(text[a-z]+\{\}|[&%$#_{}])", "", cell)
        assert not set(left) & set("\\&%#^~{}_$"), line


def test_a_table_in_a_notebook_is_escaped(found):
    html = found.renamed(pursuer="<script>&").table()._repr_html_()
    assert "<script>" not in html
    assert html.count("<tr>") == 1 + len(found.metrics())
    assert "&lt;script&gt;&amp; vs evade" in html
    assert found.renamed(pursuer="<script>&")._repr_html_() == html
    assert replace(found, episodes=found.episodes[:2])._repr_html_() is None  # too few


def test_several_evaluations_have_a_row_each(found):
    other = evaluate("seek", "evade", {"horizon": 90}, 12)
    table = table_of([found, other])
    assert table.header[3:] == ("capture rate", "mean capture time [s]")
    assert [row[:3] for row in table.rows] == [(x, "evade", "12") for x in ("pursuit", "seek")]
    assert table.rows[0][3:] == (f"{found.capture_rate:.1%}", f"{found.mean_capture_time:.2f}")
    assert "not all of one game" in table.caption
    assert table_of([found], ["mean_evader_effort"]).header[-1] == "mean evader effort"


def runs_with(found, times):
    """Training runs of one method, with other times of their episodes, (runs, starts)."""
    runs = []
    for row in times:
        episodes = found.episodes.copy()
        episodes["time"], episodes["captured"] = row, np.array(row) < found.time_limit
        runs.append(replace(found, pursuers=("PPO",), episodes=episodes))
    return runs


def test_training_runs_of_a_method_make_one_row(found):
    generator, other = np.random.default_rng(0), evaluate("seek", "evade", episodes=12)
    runs = runs_with(found, generator.uniform(3.0, 21.0, (3, 12)).clip(0.0, 20.0))
    metrics = ["capture_rate", "mean_capture_time", "mean_pursuer_effort"]
    table = table_of([runs, other], metrics)
    assert table.header[:4] == ("pursuer", "evader", "runs", "episodes")
    assert [row[:4] for row in table.rows] == [
        ("PPO", "evade", "3", "12"),
        ("seek", "evade", "1", "12"),
    ]
    rate = rate_with_interval(np.array([run["captured"] for run in runs]))
    time = mean_with_interval([run["time"] for run in runs])
    assert table.rows[0][4:6] == (f"{rate:.1%}", f"{time:.2f}")
    (alone,) = table_of([other], metrics).rows
    assert table.rows[1][4:] == alone[3:]
    assert "over runs and starts" in table.caption
    assert "not all of one game" not in table.caption
    assert len(table_of([*runs, other]).rows) == 4


def test_an_interval_over_runs_stays_among_values_that_are_possible(found):
    times = np.full((3, 12), 20.0)
    times[0] = 0.5
    wide = mean_with_interval(times)
    runs = runs_with(found, times)
    cut = Episodes.joined(runs, range(len(runs))).mean_capture_time
    assert wide.low < 0.0
    assert wide.high > 20.0
    assert cut == (wide.estimate, 0.0, 20.0)
    failed = np.full((5, 12), 4.0) + 0.1 * np.arange(5)[:, None]
    failed[0] = 20.0
    assert "Of PPO vs evade, the 5 runs" in table_of([runs_with(found, failed)]).caption


def test_what_makes_no_table_is_refused(found):
    others = evaluate("pursuit", "evade", episodes=12, seed=5)
    runs = runs_with(found, np.full((2, 12), 5.0))
    for wrong, metrics, error, words in (
        ([], (), ValueError, "at least one"),
        (["pursuit"], (), TypeError, "what evaluate returned"),
        ([found], ["mean_distance"], ValueError, "metric of pursuit vs evade"),
        ([found], ["capture_rat"], ValueError, "'capture_rate'"),
        ([[found, others]], (), ValueError, "not from the same starts"),
        ([runs], ["median_capture_time"], ValueError, "over several runs.*'median_capture_ti"),
        ([[], runs], (), ValueError, "empty list"),
    ):
        with pytest.raises(error, match=words):
            table_of(wrong, metrics)
