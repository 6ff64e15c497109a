"""The help of a command, from its signature and its docstrings, as tyro parses them."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints as hints_of,
)

import docstring_parser
from tyro.conf import Positional

from steer_env.cli import COMMANDS, aligned, wrapped

_VALUES = {
    **dict.fromkeys(("pursuer", "evader", "opponent", "policies"), "PLAYER"),
    **{"params": "NAME=VALUE", "size": "PIXELS", "normalization": "FILE"},
    "annotations": "NAME,NAME",
}
_MOST = 8  # names of a default
_OF_TYPES = {int: "N", float: "NUMBER"}


class Option(NamedTuple):
    """An option of a command, or an argument by its place."""

    name: str  # with dashes, but for an argument by its place
    values: str  # a name for what follows it, empty for a flag
    text: str
    is_required: bool = False

    @property
    def usage(self) -> str:
        """The option as one types it."""
        words = (self.name, self.values) if self.name.startswith("-") else (self.values,)
        return " ".join(filter(None, words))


def options_of(command: Callable[..., Any]) -> dict[str, list[Option]]:
    """Returns the options by the text about their group, in the order of the signature."""
    hints, texts = hints_of(command, include_extras=True), _texts(command)
    groups: dict[str, list[Option]] = {}
    for one in inspect.signature(command).parameters.values():
        group = hints[one.name]
        if not dataclasses.is_dataclass(group):
            option = _option(one.name, group, one.default, texts)
            groups.setdefault("Options", []).append(option)
            continue
        title = texts.get(one.name) or (inspect.getdoc(group) or "").partition("\n\n")[0]
        known, about = hints_of(group, include_extras=True), _texts(hints[one.name]) | texts
        groups[" ".join(title.split())] = [
            _option(x.name, known[x.name], getattr(one.default, x.name, x.default), about)
            for x in dataclasses.fields(group)
        ]
    groups.setdefault("Options", []).append(Option("-h, --help", "", "Show this help."))
    return groups


def help_of(command: Callable[..., Any], program: str) -> str:
    """Returns the help of a command, in lines of the terminal's width."""
    groups = options_of(command)
    needed = [
        one.usage if one.is_required else f"[{one.usage}]"
        for one in chain(*groups.values())
        if one.is_required or not one.name.startswith("-")
    ]
    lines = wrapped(" ".join((f"usage: {program}", *needed, "[OPTIONS]")))
    for paragraph in (inspect.getdoc(command) or "").partition("\n\nArgs:")[0].split("\n\n"):
        lines += ["", *wrapped(" ".join(paragraph.split()))]
    for title, options in groups.items():
        lines += ["", *wrapped(title), *aligned([(one.usage, one.text) for one in options])]
    known = {name: two for found in COMMANDS.values() for name, two in found.items()}
    if examples := known.get(program.removeprefix("steer-env ")):
        lines += ["", "Examples", *(f"  {program} {example}" for example in examples)]
    return "\n".join(lines)


@cache
def _texts(documented: Any) -> dict[str, str]:
    """The text about each name in the docstrings of a function, or of a class and its bases."""
    places = documented.__mro__[-2::-1] if isinstance(documented, type) else [documented]
    return {
        one.arg_name: " ".join((one.description or "").split())
        for place in places
        for one in docstring_parser.parse_from_object(place).params
    }


def _option(name: str, hint: Any, default: Any, texts: dict[str, str]) -> Option:
    kind, ends, marks = hint, "", list[Any]()
    while (origin := get_origin(kind)) in (Annotated, Union, types.UnionType, tuple):
        kind, *others = get_args(kind)
        marks += others if origin is Annotated else ()
        ends = " ..." if origin is tuple else ends
    given: dict[str, Any] = {}
    for mark in marks:
        given |= {k: v for k in ("name", "metavar", "help") if (v := getattr(mark, k, None))}
    text, shown = given.get("help") or texts.get(name, ""), given.get("name", name)
    values = given.get("metavar") or _VALUES.get(shown) or _OF_TYPES.get(kind)
    if kind is Path:
        values = values or ("FOLDER" if text.startswith("Folder") else "FILE")
    if get_origin(kind) is Literal:
        values = f"{{{','.join(get_args(kind))}}}"
    if values is None:
        values = shown.upper().removesuffix("S" if ends else "")
    is_required = default in (inspect.Parameter.empty, dataclasses.MISSING)
    is_unsaid = default is None or default is False or default in ((), "")
    if not (is_required or is_unsaid or "default" in text):
        words = [*map(str, default)] if isinstance(default, tuple) else [f"{default}"]
        words[_MOST:] = [f"and {len(words) - _MOST} more"] * (len(words) > _MOST)
        text += f" (default: {' '.join(words).removesuffix('.0')})"
    if Positional in marks:
        return Option(shown, values + ends, text, is_required)
    dashed = f"--{shown.replace('_', '-')}"
    return Option(dashed, "" if kind is bool else values + ends, text, is_required)
