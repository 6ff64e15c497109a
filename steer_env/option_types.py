"""Types of options: what the help calls their values, and when it shows a default.

tyro would call an optional name ``{None}|STR`` and add ``(default: None)`` to its explanation.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from tyro.conf import FlagCreatePairsOff, arg
from tyro.constructors import PrimitiveConstructorSpec


def option(metavar: str, name: str | None = None) -> Any:
    """An annotation that names the value of an option in the help, and maybe the option, too.

    A default that is None or empty is not shown: the explanation of the option says what holds
    without it.
    """
    return arg(name=name, metavar=metavar, help_behavior_hint=_default)


def _default(shown: str) -> str:
    return "" if shown in ("None", "") else f"(default: {shown})"


def numbers(
    kind: Callable[[str], float], metavar: str, several: bool = False, hint: str = ""
) -> Any:
    """An annotation that parses numbers; without it, tyro's errors show Python's own types.

    Args:
        kind: int or float.
        metavar: of one number.
        several: whether any number of them may follow the option.
        hint: added to the error for what is not a number.
    """
    wanted = "an integer" if kind is int else "a number"

    def parsed(text: str) -> float:
        try:
            return kind(text)
        except ValueError:
            raise ValueError(f"{text!r} is not {wanted}{hint}") from None

    def parsed_all(texts: list[str]) -> Any:
        return tuple(map(parsed, texts)) if several else parsed(*texts)

    def default(value: Any) -> list[str]:
        return list(map(str, value)) if isinstance(value, tuple) else [str(value)]

    return PrimitiveConstructorSpec[Any](
        nargs="*" if several else 1,
        metavar=metavar,
        instance_from_str=parsed_all,
        is_instance=lambda value: True,
        str_from_instance=default,
    )


Flag: TypeAlias = Annotated[
    bool,
    FlagCreatePairsOff,
    arg(help_behavior_hint=lambda shown: "(on by default)" * (shown == "True")),
]
Text: TypeAlias = Annotated[str, option("TEXT")]
Name: TypeAlias = Annotated[str, option("NAME")]
Id: TypeAlias = Annotated[str, option("ID")]
MaybeId: TypeAlias = Annotated[str | None, option("ID")]
MaybeName: TypeAlias = Annotated[str | None, option("NAME")]
MaybeSide: TypeAlias = Annotated[str | None, option("{pursuer,evader}")]
Names: TypeAlias = Annotated[tuple[str, ...], option("NAME [NAME ...]")]
Count: TypeAlias = Annotated[int, option("N"), numbers(int, "N")]
MaybeCount: TypeAlias = Annotated[int | None, option("N"), numbers(int, "N")]
Counts: TypeAlias = Annotated[
    tuple[int, ...], option("N [N ...]"), numbers(int, "N", several=True)
]
MaybeCounts: TypeAlias = Annotated[
    tuple[int, ...] | None, option("N [N ...]"), numbers(int, "N", several=True)
]
Number: TypeAlias = Annotated[float, option("X"), numbers(float, "X")]
MaybeNumber: TypeAlias = Annotated[float | None, option("X"), numbers(float, "X")]
Numbers: TypeAlias = Annotated[
    tuple[float, ...], option("X [X ...]"), numbers(float, "X", several=True)
]
File: TypeAlias = Annotated[Path, option("FILE")]
MaybeFile: TypeAlias = Annotated[Path | None, option("FILE")]
Files: TypeAlias = Annotated[tuple[Path, ...], option("FILE [FILE ...]")]
FileNames: TypeAlias = Annotated[tuple[str, ...], option("FILE [FILE ...]")]
MaybeFileName: TypeAlias = Annotated[str | None, option("FILE")]
Folder: TypeAlias = Annotated[Path, option("FOLDER")]
MaybeFolder: TypeAlias = Annotated[Path | None, option("FOLDER")]
MaybeFolderName: TypeAlias = Annotated[str | None, option("FOLDER")]
