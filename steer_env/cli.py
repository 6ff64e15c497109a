"""The command line: ``steer-env COMMAND``, or ``python -m steer_env COMMAND``.

A command is a function: its parameters are the options, its docstring the help. The modules of
commands import what one needs when it runs.
"""

from __future__ import annotations

import importlib
import io
import json as json_format
import os
import shutil
import signal
import socket
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from gymnasium.error import DependencyNotInstalled

import steer_env
from steer_env.errors import (
    InvalidValue,
    UsageError,
    nearest,
    needing,
    printable,
    shown,
    unknown,
)

Command: TypeAlias = Callable[..., None]

_ONE_LINE = (UsageError, OSError, DependencyNotInstalled)
_MOST_COLUMNS, _FEWEST_COLUMNS = 80, 40
_WIDEST = 27  # columns of a cell that leave room for a text beside them
_LONGEST_MESSAGE = 1000  # characters
_STUCK = 2.0  # seconds after Ctrl-C in which Python must have noticed it


def columns() -> int:
    """The width to print in: the terminal's, but 40 to 80."""
    return min(max(shutil.get_terminal_size().columns, _FEWEST_COLUMNS), _MOST_COLUMNS)


def wrapped(text: str, **given: Any) -> list[str]:
    """Returns the lines of a text, of that width unless a word is longer."""
    given |= {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, columns(), **given)


_OVERVIEW = """\
usage: steer-env COMMAND [OPTIONS], or --version

First steps
  steer-env play --level easy                      Play in your browser.
  steer-env watch                                  Watch a chase in a window.
  steer-env train --method search --out runs/first  Train: about two minutes.
{}
`bench` measures speed, `benchmark` a policy.

Options and examples of a command: steer-env COMMAND --help"""

COMMANDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "steer_env": {
        "info": ("opponents", "Pursuit-v0"),
        "bench": ("--quick", "--games 1024 --json"),
        "watch": ("--pursuer pursuit seek --evader evade", "--steer pursuer --evader evade"),
        "play": ("--level easy", "--as evader --game obstacles"),
        "record": ("--out a.gif --seconds 8", "--pursuer pursuit seek --ghosts --out a.png"),
    },
    "steer_env.baselines": {
        "evaluate": ("--pursuer pursuit --evader evade", "--game tag --out tag.md tag.png"),
        "compare": ("--pursuer pursuit seek", "--evader evade flee --out evaders.md"),
        "crossplay": ("--pursuer pursuit seek --evader evade flee", "--out all.md all.png"),
        "exploit": ("--evader evade --starts 20", "--pursuer runs/demo/policy.npz"),
        "gap": ("--pursuer pursuit --game two_cars", "--evader evade"),
        "solution": ("--game two_cars", "--game drag --theme dark --out drag.svg"),
        "benchmark": ("pursuit", "one/policy.npz two/policy.npz --task pursuer/pack"),
        "table": ("one.npz two.npz", "*.npz --metrics capture_rate --out table.tex"),
    },
    "steer_env.agents": {
        "train": ("--method search --out runs/a", "--task Evade-v0 --algo sac --steps 50000"),
        "selfplay": ("--generations 3 --steps 300000", "--game drag --method psro"),
        "export": ("runs/demo --to onnx", "PPO:model.zip --trust --to npz"),
    },
}
"""By package: the commands of its ``commands.py``, and two lines of options for their help."""

_PACKAGES = {
    "steer_env": ("See and play", "render"),
    "steer_env.baselines": ("Measure policies", "baselines"),
    "steer_env.agents": ("Train policies", "agents"),
}
"""Titles in the overview, and extras that the commands need."""


def commands() -> dict[str, Command]:
    """Returns all commands by their names."""
    return {name: _command(one, name) for one, names in COMMANDS.items() for name in names}


def _command(package: str, name: str) -> Command:
    command: Command = getattr(importlib.import_module(f"{package}.commands"), name)
    return command


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the arguments name, or prints an overview if they name none.

    Raises:
        SystemExit: with code 0 after a help, and 2 after an error; see `one_line_errors`.
    """
    if arguments is None:
        _heed_ctrl_c()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for consoles without "±"
    if shutil.get_terminal_size().columns < _FEWEST_COLUMNS:  # tyro never ends in fewer
        os.environ["COLUMNS"] = str(_FEWEST_COLUMNS)
    name, *options = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    package = next((one for one, names in COMMANDS.items() if name in names), "")
    with one_line_errors("steer-env", _PACKAGES[package][1] if package else "agents"):
        if package:
            run_command(_command(package, name), f"steer-env {name}", options)
        elif name in ("-h", "--help", "help"):
            print(_overview())
        elif name == "--version":
            print(f"steer-env {steer_env.__version__}")
        else:
            raise InvalidValue(unknown("command", name, [*chain(*COMMANDS.values())]))


def run_command(command: Command, program: str, options: Sequence[str]) -> None:
    """Runs a function whose parameters are given as options.

    Raises:
        InvalidValue: for an unknown option; the message has the nearest ones.
        SystemExit: with code 2 if the options cannot be parsed, with code 0 after the help.
    """
    import tyro

    from steer_env.usage import help_of, options_of

    if {"-h", "--help"} & {*options}:
        print(help_of(command, program))
        raise SystemExit(0)

    @wraps(command)
    def later(*arguments: object, **keywords: object) -> Callable[[], None]:
        return partial(command, *arguments, **keywords)

    config = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)
    given: Any = {"prog": program, "config": config, "return_unknown_args": True}
    chosen, left = tyro.cli(later, args=list(options), **given)
    if left:
        wrong = next((word for word in left if word.startswith("-")), left[0]).split("=")[0]
        hint = nearest(wrong, [one.name for one in chain(*options_of(command).values())])
        raise InvalidValue(
            f"unexpected {shown(wrong)}.{hint} `{program} --help` lists the options"
        )
    chosen()


def _heed_ctrl_c() -> None:
    """Lets Ctrl-C end the process also while compiled code runs."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # as in the background of a shell
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    if hasattr(os, "register_at_fork"):  # a child's signals are not for this process
        os.register_at_fork(after_in_child=partial(signal.set_wakeup_fd, -1))
    noticed = threading.Event()

    def interrupt(*_: object) -> None:
        noticed.set()
        raise KeyboardInterrupt

    def watch(writer: socket.socket) -> None:  # which lives as long as this thread
        is_second = False  # which ends a wait for a thread that is stuck
        while True:
            is_ctrl_c = reader.recv(1) == bytes([signal.SIGINT])
            if is_ctrl_c and signal.getsignal(signal.SIGINT) is interrupt:
                if is_second or not noticed.wait(_STUCK):
                    break
                is_second = True
        if os.isatty(2):
            os.write(2, b"\x1b[?25h\n")  # shows the cursor, which bars of progress hide
        os._exit(130)

    signal.signal(signal.SIGINT, interrupt)
    threading.Thread(target=watch, args=(writer,), daemon=True).start()


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Indented lines of cells, the last one wrapped, a long first one in a line of its own."""
    widths = [max(map(len, column)) for column in zip(*rows)][:-1]
    if 2 + sum(width + 2 for width in widths) + max(len(row[-1]) for row in rows) > columns():
        widths = [min(width, _WIDEST) for width in widths]
    indent, lines = " " * (2 + sum(width + 2 for width in widths)), list[str]()
    for *cells, text in rows:
        first = "  " + "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths))
        if len(first) > len(indent):
            lines.append(first.rstrip())
            first = indent
        lines += wrapped(text, initial_indent=first, subsequent_indent=indent)
    return lines


def _overview() -> str:
    lines, found = list[str](), commands()
    width = max(map(len, found))
    for package, names in COMMANDS.items():
        rows = [(f"{n:{width}}", str(found[n].__doc__).partition("\n")[0]) for n in names]
        lines += ["", _PACKAGES[package][0], *aligned(rows)]
    return _OVERVIEW.format("\n".join([*lines, ""]))


@contextmanager
def one_line_errors(program: str, extra: str) -> Iterator[None]:
    """Prints errors that a user can cause as one line, "program: message".

    Other exceptions are bugs, and keep their traceback. The extra of `EXTRAS` is named if an
    optional package is missing.

    Raises:
        SystemExit: 2 after such an error, 130 after Ctrl-C, 1 if the output has no reader.
    """
    try:
        with needing(extra):
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
    except _ONE_LINE as error:
        message = printable(str(error) or type(error).__name__)
        if len(message) > _LONGEST_MESSAGE:  # of a file with a name without end
            message = f"{message[:_LONGEST_MESSAGE]} ..."
        print(f"{program}: {message}", file=sys.stderr)
        raise SystemExit(2) from error


def print_result(numbers: Any, text: str, json: bool) -> None:
    """Prints a result as a JSON document, or as text."""
    print(json_format.dumps(numbers, indent=2) if json else text)


def print_written(*paths: str | Path, about: str = "", json: bool = False) -> None:
    """Prints "wrote one.png, other.md: about", to stderr if the output is a JSON document."""
    if paths:
        if StatusLine.current is not None:
            StatusLine.current.show("")
        text = f"wrote {', '.join(map(str, paths))}" + (f": {about}" if about else "")
        print(printable(text), file=sys.stderr if json else sys.stdout, flush=True)


class StatusLine:
    """A line that shows progress on a terminal, as a context manager until its end."""

    current: ClassVar[StatusLine | None] = None  # on the terminal now; None if it is empty

    def __init__(self, text: str = "") -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0  # of the text on the line now
        if text:
            self.show(text)

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.show("")

    def show(self, text: str) -> None:
        """Replaces the text."""
        if self._is_terminal:
            text = printable(text)[:79]
            # Spaces over the old text: not every terminal knows the code to clear a line.
            print(f"\r{text:{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = len(text)
            StatusLine.current = self if text else None

    def print(self, text: str) -> None:
        """Prints a line that stays, above the status."""
        self.show("")
        print(printable(text), flush=True)
