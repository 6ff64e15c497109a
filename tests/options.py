"""What tests of several programs check about the help of a command."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing

from tyro.conf import Positional


def check_explained(function, printed):
    """The printed help has the docstrings of a command and of all its options."""
    printed = re.sub(r"[│╭╮╰╯─\s]+", " ", printed)
    documented = inspect.getdoc(function)
    assert documented.splitlines()[0] in printed
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        group, *_ = typing.get_args(parameter.annotation) or [None]
        if dataclasses.is_dataclass(group):
            source = "".join(map(inspect.getsource, group.__mro__[:-1]))
            for field in dataclasses.fields(group):
                found = re.search(rf'    {field.name}: .*\n    """(.*?)"""', source, re.DOTALL)
                _check_explained(f"--{field.name.replace('_', '-')}", found[1], printed)
            continue
        found = re.search(rf"^    {name}: (.*(?:\n        .*)*)", documented, re.MULTILINE)
        settings = getattr(parameter.annotation, "__metadata__", ())
        is_positional = Positional[str].__metadata__[0] in settings
        names = [setting.name for setting in settings if getattr(setting, "name", None)]
        metavars = [setting.metavar for setting in settings if hasattr(setting, "metavar")]
        option = metavars[-1] if is_positional else f"--{[name, *names][-1]}"
        _check_explained(option, found[1], printed)
    for noise in (
        "{None}",
        "(default: )",
        "(default: None)",
        "STR",
        "INT",
        "FLOAT",
        "PATH",
        "--no-",
    ):
        assert noise not in printed or noise in documented, noise


def _check_explained(option, explanation, printed):
    explanation = " ".join(explanation.split())
    assert len(explanation) > 15, option
    assert explanation.rstrip(".") in printed, option
    assert option.replace("_", "-") in printed
