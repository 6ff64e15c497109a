"""The help of a command, from its signature and its docstrings, as tyro parses them."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Mapping
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

from steer_env.cli import aligned, wrapped

_VALUES = {
    **dict.fromkeys(("pursuer", "evader", "opponent", "policies", "player"), "PLAYER"),
    **dict.fromkeys(("gif", "mp4", "png", "svg", "html", "round", "normalization"), "FILE"),
    **dict.fromkeys(("save", "run"), "FOLDER"),
    **{"params": "NAME=VALUE", "ray": "HOST:PORT", "known": "SCRIPT", "size": "PIXELS"},
    "annotations": "NAME,NAME",
}
_MOST = 8  # names of a default
_OF_TYPES = {int: "N", float: "NUMBER"}

EXAMPLES: Mapping[str, tuple[str, str]] = {
    "info": ("opponents", "Pursuit-v0"),
    "bench": ("--quick", "--games 1024 --json"),
    "watch": ("--pursuer pursuit seek --evader evade", "--steer pursuer --evader evade"),
    "play": ("--level easy", "--as evader --game obstacles"),
    "record": ("--gif chase.gif --seconds 8", "--pursuer pursuit seek --ghosts --png both.png"),
    "evaluate": ("--pursuer pursuit --evader evade", "--game tag --out tag.md tag.png"),
    "compare": ("--pursuer pursuit seek", "--evader evade flee --out evaders.md"),
    "crossplay": ("--pursuer pursuit seek --evader evade flee", "--out all.md all.png"),
    "check": ("mine.py:catch", "mine.py --side evader"),
    "exploit": ("--evader evade --starts 20", "--pursuer runs/demo/policy.npz --out best.npz"),
    "replay": ("best.npz", "best.npz --json"),
    "gap": ("--pursuer pursuit --game two_cars", "--evader evade"),
    "solution": ("--game two_cars", "--show trajectories --pursuer pursuit --out both.png"),
    "benchmark": ("pursuit", "one/policy.npz two/policy.npz --task pursuer/pack"),
    "table": ("one.npz two.npz", "*.npz --metrics capture_rate --out table.tex"),
    "collect": ("--episodes 100", "--side evader --epsilon 0.1 --out noisy.npz"),
    "train": ("--method search --out runs/demo", "--task Evade-v0 --algo sac --steps 100000"),
    "selfplay": ("--generations 3 --steps 300000", "--game drag --method psro"),
    "export": ("runs/demo --to onnx", "PPO:model.zip --trust --to npz"),
}
"""Two command lines for the help of each command, without its name."""


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
    """Returns the options by the text about their group, those of the players first."""
    own: list[Option] = []
    players, others = dict[str, list[Option]](), dict[str, list[Option]]()
    hints, texts = hints_of(command, include_extras=True), _texts(command)
    for one in inspect.signature(command).parameters.values():
        group = hints[one.name]
        if not dataclasses.is_dataclass(group):
            own.append(_option(one.name, group, one.default, texts))
            continue
        title = texts.get(one.name) or (inspect.getdoc(group) or "").partition("\n\n")[0]
        known, about = hints_of(group, include_extras=True), _texts(group) | texts
        found = players if one.name.startswith("player") else others
        found[" ".join(title.split())] = [
            _option(x.name, known[x.name], getattr(one.default, x.name, x.default), about)
            for x in dataclasses.fields(group)
        ]
    own.append(Option("-h, --help", "", "Show this help."))
    return {**players, "Options": own, **others}


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
    if examples := EXAMPLES.get(program.rpartition(" ")[2]):
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
