"""Types of options: what the help calls their values, and when it shows a default.

tyro would call an optional name ``{None}|STR`` and add ``(default: None)`` to its explanation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from tyro.conf import FlagCreatePairsOff, arg


def option(metavar: str, name: str | None = None) -> Any:
    """An annotation that names the value of an option in the help, and maybe the option, too.

    A default that is None or empty is not shown: the explanation of the option says what holds
    without it.
    """
    return arg(name=name, metavar=metavar, help_behavior_hint=_default)


def _default(shown: str) -> str:
    return "" if shown in ("None", "") else f"(default: {shown})"


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
Names: TypeAlias = Annotated[tuple[str, ...], option("NAME [NAME ...]")]
Count: TypeAlias = Annotated[int, option("N")]
MaybeCount: TypeAlias = Annotated[int | None, option("N")]
Counts: TypeAlias = Annotated[tuple[int, ...], option("N [N ...]")]
MaybeCounts: TypeAlias = Annotated[tuple[int, ...] | None, option("N [N ...]")]
Number: TypeAlias = Annotated[float, option("X")]
MaybeNumber: TypeAlias = Annotated[float | None, option("X")]
Numbers: TypeAlias = Annotated[tuple[float, ...], option("X [X ...]")]
File: TypeAlias = Annotated[Path, option("FILE")]
MaybeFile: TypeAlias = Annotated[Path | None, option("FILE")]
Files: TypeAlias = Annotated[tuple[Path, ...], option("FILE [FILE ...]")]
FileNames: TypeAlias = Annotated[tuple[str, ...], option("FILE [FILE ...]")]
MaybeFileName: TypeAlias = Annotated[str | None, option("FILE")]
Folder: TypeAlias = Annotated[Path, option("FOLDER")]
MaybeFolder: TypeAlias = Annotated[Path | None, option("FOLDER")]
MaybeFolderName: TypeAlias = Annotated[str | None, option("FOLDER")]
