"""Tables are aligned, fit the terminal, and do not change names."""

from __future__ import annotations

import pytest

from baselines.tables import Table, markdown, plain_text

TABLE = Table("Title", ("name", "a", "long b"), [("`x`", "1", "2"), ("`yy`", "10", "")], "End.")


def test_a_table_is_aligned():
    assert plain_text(TABLE, width=80).splitlines() == [
        "Title",
        "",
        "name    a   long b",
        "------------------",
        "x       1        2",
        "yy     10",
        "",
        "End.",
    ]


def test_a_wide_table_continues_below():
    assert plain_text(TABLE, width=14).splitlines()[2:-2] == [
        "name    a",
        "---------",
        "x       1",
        "yy     10",
        "",
        "name   long b",
        "-------------",
        "x           2",
        "yy",
    ]


@pytest.mark.parametrize("width", [1, 10, 40, 200])
@pytest.mark.parametrize("name", ["[bold]", ":snake:", "a" * 30])
def test_names_are_printed_as_they_are_at_any_width(name, width):
    table = Table(name, ("who", "a", "b"), [(name, "1", "2")] * 2, name)
    assert plain_text(table, width=width).count(name) >= 4


def test_markdown_keeps_its_columns():
    table = Table("", ("a|b", "c"), [("x|y", "1")])
    assert markdown(table) == "| a\\|b | c |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_a_column_can_be_left_out():
    table = Table("title", ("a", "b", "c"), [("1", "2", "3"), ("4", "5", "6")], "caption")
    without = Table("title", ("a", "c"), [("1", "3"), ("4", "6")], "caption")
    assert table.without("b") == without
