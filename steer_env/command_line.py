"""Runs the commands of a program, and ends it with one line instead of a traceback."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, TextIO, get_type_hints

from gymnasium.error import DependencyNotInstalled

from steer_env.errors import InvalidValue, UsageError, to_install, unknown
from steer_env.interrupts import raise_interrupts

_ONE_LINE = (UsageError, OSError, DependencyNotInstalled)
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_OWN_PACKAGES = ("steer_env", "baselines", "agents")


@dataclass(frozen=True)
class Program:
    """A program with commands.

    Its overview is printed without importing the commands, which may take seconds; a test
    compares its lines with the docstrings.

    Attributes:
        name: as people type it, such as "python -m baselines".
        about: what it is for, in one sentence.
        groups: by title, the commands of a group with a line about each.
        examples: command lines to begin with, and what each one does.
        others: the other programs, and what they do.
        load: imports the commands, and returns them: functions by name. Their parameters
            become options, and their docstrings the help.
    """

    name: str
    about: str
    groups: Mapping[str, Mapping[str, str]]
    examples: Mapping[str, str]
    others: Mapping[str, str]
    load: Callable[[], Mapping[str, Callable[..., Any]]]

    def run(self, arguments: Sequence[str] | None = None) -> None:
        """Runs the command that the arguments name, or prints the overview if there are none.

        Args:
            arguments: the command and its options; None for those of the process.

        Raises:
            KeyboardInterrupt: after Ctrl-C, at the latest when the modules that are just being
                imported are complete.
            InvalidValue: for an unknown command.
            SystemExit: with code 2 if the options cannot be parsed, with code 0 after the help.
        """
        name, *options = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
        if name in ("-h", "--help", "help"):
            print(self.overview())
            return
        commands = [command for group in self.groups.values() for command in group]
        if name not in commands:
            raise InvalidValue(unknown("command", name, commands))
        with StatusLine("loading ..."):
            found = self.load()[name]
        raise_interrupts()  # until here Ctrl-C ends the process at once
        run_command(found, f"{self.name} {name}", options)

    def overview(self) -> str:
        """What the program is for, its commands, and where to begin."""
        sections: list[tuple[str, Mapping[str, str]]] = [
            *self.groups.items(),
            ("To begin with", self.examples),
            ("Other programs", self.others),
        ]
        lines = textwrap.wrap(self.about, _columns())
        for title, rows in sections:
            width = max(map(len, rows))
            has_room = width < _columns() // 2 - 4
            lines += ["", title]
            for name, text in rows.items():
                start = f"  {name:{width}}  " if has_room else " " * 6
                lines += [] if has_room else [f"  {name}"]
                lines += textwrap.wrap(
                    text,
                    _columns(),
                    initial_indent=start,
                    subsequent_indent=" " * len(start),
                    break_on_hyphens=False,
                )
        command = next(iter(next(iter(self.groups.values()))))
        return "\n".join([*lines, "", f"Options of a command: {self.name} {command} --help"])


def run_command(function: Callable[..., Any], program: str, options: Sequence[str]) -> None:
    """Runs a function whose parameters are given as options.

    Args:
        function: the command; its docstring is the help.
        program: how it is called, in messages.
        options: of the command line.

    Raises:
        SystemExit: with code 2 if the options cannot be parsed, with code 0 after the help.
    """
    import tyro

    parsed: list[Callable[[], None]] = []

    def keep(*values: Any, **keywords: Any) -> None:
        parsed.append(lambda: function(*values, **keywords))

    # Not functools.wraps: tyro would read the docstring of what is wrapped.
    keep.__doc__ = _with_long_lines(inspect.getdoc(function) or "")
    keep.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    keep.__annotations__ = get_type_hints(function, include_extras=True)
    with _wrapped_output():
        tyro.cli(keep, prog=program, args=list(options))
    for call in parsed:
        call()


def _with_long_lines(documentation: str) -> str:
    """A docstring in which each argument is one line: tyro keeps its line breaks."""
    return re.sub(r"\n {6,}(?=\S)", " ", documentation)


@contextmanager
def _wrapped_output() -> Iterator[None]:
    """Breaks printed lines that are too long for the terminal; the boxes of tyro never are."""
    printed = _TerminalBuffer(sys.stdout)
    try:
        with redirect_stdout(printed):
            yield
    finally:
        for line in printed.getvalue().splitlines():
            plain = _COLOR.sub("", line)
            if len(plain) > _columns() and plain[0].isalpha():
                line = textwrap.fill(plain, _columns())
            if plain.strip("│ ") or not plain:  # a row in a box that is empty says nothing
                print(line)


class _TerminalBuffer(StringIO):
    """Text to be printed later, with the colors and the boxes that the terminal can show."""

    def __init__(self, terminal: TextIO | None) -> None:
        super().__init__()
        self._terminal = terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the terminal."""
        return getattr(self._terminal, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        """Whether there is a terminal."""
        return self._terminal is not None and self._terminal.isatty()


def _columns() -> int:
    return min(shutil.get_terminal_size().columns, 100)


def print_written(*paths: str | Path, about: str = "", json: bool = False) -> None:
    """Prints that files were written, as all commands do it: "wrote one.png, other.md".

    Args:
        paths: of the files; without any, nothing is printed.
        about: text after a colon.
        json: whether the output is a JSON document: the line then goes to stderr.
    """
    if paths:
        if StatusLine.current is not None:
            StatusLine.current.clear()
        text = f"wrote {', '.join(map(str, paths))}" + (f": {about}" if about else "")
        print(text, file=sys.stderr if json else sys.stdout, flush=True)


@contextmanager
def one_line_errors(program: str, extra: str) -> Iterator[None]:
    """Prints errors that a user can cause as one line, "program: message".

    Other exceptions are bugs, and keep their traceback.

    Args:
        program: its name in messages.
        extra: of `EXTRAS`: to install if an optional package is missing.

    Raises:
        SystemExit: with code 2 after such an error, 1 if the reader of the output has left,
            and 130 after Ctrl-C.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()  # so that a closed pipe is noticed here
    except BrokenPipeError as error:  # a reader such as `head` has seen enough
        if error.filename is not None or sys.stdout is None:
            raise  # it is about another pipe
        with open(os.devnull, "w") as nowhere:  # for what Python still writes when it exits
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise SystemExit(1) from error
    except KeyboardInterrupt as error:
        raise SystemExit(130) from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in _OWN_PACKAGES:
            raise
        print(f"{program}: {error}; {to_install(extra)}", file=sys.stderr)
        raise SystemExit(2) from error
    except _ONE_LINE as error:
        message = str(error) or type(error).__name__
        one_line = "\\n".join(message.splitlines())  # a name of a file may have several
        print(f"{program}: {one_line}", file=sys.stderr)
        raise SystemExit(2) from error


class StatusLine:
    """A line at the bottom of a terminal that shows progress. Redirected output has none.

    As a context manager it empties the line at the end.

    Args:
        text: to show first.

    Attributes:
        current: what is on the terminal now, for what else prints; None if the line is empty.
    """

    current: ClassVar[StatusLine | None] = None

    def __init__(self, text: str = "") -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0  # of the text on the line now
        if text:
            self.show(text)

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Replaces the text."""
        if self._is_terminal:
            text = text[:79]
            # Spaces over the old text: not every terminal knows the code to clear a line.
            print(f"\r{text:{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)
            StatusLine.current = self if text else None

    def clear(self) -> None:
        """Empties the line."""
        self.show("")
        if self._is_terminal:
            print("\r", end="", file=sys.stderr, flush=True)

    def print(self, text: str) -> None:
        """Prints a line that stays, above the status."""
        self.clear()
        print(text, flush=True)
