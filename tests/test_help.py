"""The help of each command: whole lines, values in braces, examples that work."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import shlex
import typing
from itertools import chain, pairwise
from pathlib import Path

import pytest

from steer_env.agents.selfplay.generations import METHODS as PLANS
from steer_env.agents.training.hyperparameters import ALGORITHMS
from steer_env.agents.training.run import METHODS
from steer_env.browser.levels import LEVEL_NAMES
from steer_env.cli import COMMANDS as PACKAGES, commands, main
from steer_env.game.config.game import SOLID
from steer_env.game.region import ARENAS
from steer_env.usage import options_of

ROOT = Path(__file__).parents[1]
COMMANDS = commands()


def all_options(command):
    """Returns the options of all groups."""
    return [*chain(*options_of(command).values())]


def help_of(name, capsys):
    """Returns the help of a command, and its words with single spaces between them."""
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    printed = capsys.readouterr().out
    return printed, " ".join(printed.split())


def parsed(words, monkeypatch):
    """True if a command would run with the options of a line; it runs nothing."""
    ran = []
    package = next(one for one, names in PACKAGES.items() if words[0] in names)

    @functools.wraps(COMMANDS[words[0]])
    def record(*arguments, **keywords):
        ran.append(keywords or arguments)

    with monkeypatch.context() as patch:
        patch.setattr(f"{package}.commands.{words[0]}", record)
        main(words)
    return len(ran) == 1


@pytest.mark.parametrize("columns", ["80", "60"])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_every_option_in_whole_lines(name, columns, capsys, monkeypatch):
    """Its texts wrap between words only, and as late as they can."""
    monkeypatch.setenv("COLUMNS", columns)
    lines, printed = help_of(name, capsys)
    command, words = COMMANDS[name], set(printed.split())
    documented = inspect.getdoc(command)
    assert documented.splitlines()[0] in printed
    shown = {one.name for one in all_options(command)}
    for parameter, hint in typing.get_type_hints(command).items():
        if dataclasses.is_dataclass(hint):
            fields = dataclasses.fields(hint)
            assert {f"--{one.name.replace('_', '-')}" for one in fields} <= shown
        elif parameter != "return" and f"\n    {parameter}: " in documented:
            found = re.search(rf"^    {parameter}: (.*(?:\n        .*)*)", documented, re.M)
            assert " ".join(found[1].split()) in printed, parameter
    for option in all_options(command):
        assert len(option.text) > 5, option
        assert words >= {*option.usage.split(), *option.text.split()}
        assert columns == "60" or f"{option.usage} {option.text}" in printed
    for line, following in pairwise(lines.splitlines()):
        assert len(line) <= 80
        indent = len(following) - len(following.lstrip())
        is_text = line[: indent + 1].strip() == "" and indent > 2  # both of one option
        if is_text and line[indent:].strip():
            assert len(f"{line} {following.split()[0]}") > int(columns), (line, following)
    for wrong in ("None", "(default: )", "False"):
        assert wrong not in printed
    assert not re.search(r"\b(STR|INT|FLOAT|PATH)\b", printed)


def test_values_that_are_few_are_in_braces_and_a_default_of_many_names_is_short(capsys):
    named = ("train", "selfplay", "watch", "play", "crossplay")
    printed = " ".join(help_of(name, capsys)[1] for name in named)
    for names in (METHODS, PLANS, ALGORITHMS, LEVEL_NAMES, ARENAS, SOLID, ("light", "dark")):
        assert f" {{{','.join(names)}}} " in printed
    assert re.search(r"\(default: random seek .* and \d\d more\)", printed)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_two_examples_that_fit_its_options(name, capsys, monkeypatch):
    examples = help_of(name, capsys)[0].split("\nExamples\n")[1].splitlines()
    assert len(examples) == 2
    for example in examples:
        program, *words = shlex.split(example)
        assert program == "steer-env"
        assert parsed(words, monkeypatch)
