"""What tests of several programs check about the help of a command."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing


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
        is_positional = parameter.default is inspect.Parameter.empty
        settings = getattr(parameter.annotation, "__metadata__", ())
        names = [setting.name for setting in settings if getattr(setting, "name", None)]
        option = f"--{[name, *names][-1]}"
        _check_explained("POLICY" if is_positional else option, found[1], printed)


def _check_explained(option, explanation, printed):
    explanation = " ".join(explanation.split())
    assert len(explanation) > 15, option
    assert explanation.rstrip(".") in printed, option
    assert option.replace("_", "-") in printed
