"""Gives `steer-env` wrong command lines, and looks at what it prints.

    python tests/by_hand/wrong_command_lines.py --lines 500 --seed 0

Lines are generated from the signatures of the commands: options that fit, and one or two that
do not. A line must run, or end with status 2 and one line that says what was wrong (or with
tyro's box). Anything else is a fault: a traceback, a hang, another status.
`tests/test_wrong_calls.py` runs a short form of it.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import os
import re
import subprocess
import sys
import types
import typing
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from tyro.conf import Positional
from wrong_calls import Fault, Report, TookTooLong, away_from_home, time_limit

from steer_env.cli import commands, main as steer_env

ROOT = Path(__file__).parents[2]
SECONDS = 60
WRONG = (
    *("", " ", "-1", "0", "1.5", "nan", "inf", "-inf", "1e400", "1" * 400, "1" * 5000, "none"),
    *("None", "True", "pursuitt", "evade", "pursuit", "pretrained/pursuit/pop", "x.npz"),
    *("/", ".", "no/such/folder/x.npz", "x" * 5000, "a\nb", "\u202e", "\udcff", "--", "-", "@"),
    *("[1, 2]", "{}", "a=b", "1,2", "0x10", "1_000", "½", "~", "*", "None.zip", "9" * 19),
)
"""Words that fit few options."""


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a command: its name, or "" for a positional one, and words that fit."""

    name: str
    fitting: tuple[str, ...]
    is_flag: bool = False


SMALL: dict[str, tuple[str, ...]] = {
    **{"--horizon": ("10",), "--episodes": ("4",), "--arena": ("torus",), "--games": ("1",)},
    **{"--arena-size": ("12",), "--obstacles": ("2",), "--capture-radius": ("1",)},
    **{"--solid": ("teammates",), "--pursuers": ("1",), "--evaders": ("1",)},
    **{"--pursuer": ("seek",), "--evader": ("flee",), "--seed": ("3",), "--size": ("100",)},
    **{"--theme": ("dark",), "--annotations": ("aim,trail",), "--fps": ("10",)},
    **{"--seconds": ("0.2",), "--moment": ("0.1",), "--opponent": ("evade",)},
    **{"--side": ("pursuer",), "--task": ("pursuer/walls",), "--as": ("evader",)},
    **{"--level": ("easy",), "--steer": ("evader",), "--jobs": ("1",), "--repeats": ("1",)},
    **{"--env": ("Pursuit-v0",), "--algo": ("ppo",), "--format": ("onnx",)},
}
"""Words that fit options, and keep what they start short."""

POSITIONAL = {"run": "no such run", "section": "games"}


def options_of(command: Callable[..., Any]) -> Iterator[Option]:
    """The options of a command, from its signature and its groups of options."""
    signature = inspect.signature(command, eval_str=True)
    for parameter in signature.parameters.values():
        hint, marks = parameter.annotation, []
        if typing.get_origin(hint) is typing.Annotated:
            hint, *marks = typing.get_args(hint)
        if dataclasses.is_dataclass(hint):
            hints = typing.get_type_hints(hint)
            for field in dataclasses.fields(hint):
                yield option(field.name, hints[field.name])
            continue
        renamed = [m.name for m in marks if getattr(m, "name", None)]
        if Positional[str].__metadata__[0] in marks:
            yield Option("", (POSITIONAL.get(parameter.name, "pursuit"),))
        else:
            yield option(renamed[0] if renamed else parameter.name, hint)


def option(name: str, hint: Any) -> Option:
    """An option of a name and an annotation."""
    flag = f"--{name.replace('_', '-')}"
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(one for one in typing.get_args(hint) if one is not type(None))
    if hint is bool:
        return Option(flag, (), True)
    number = (float, int)
    fitting = SMALL.get(flag, ("1",) if hint in number else ("no such thing",))
    return Option(flag, fitting)


LAST = {
    "record": ["--svg", "chase.svg"],
    "crossplay": ["--pursuer", "seek", "--evader", "flee", "--episodes", "4"],
    "compare": ["--pursuer", "seek", "pursuit", "--evader", "flee"],
    "exploit": ["--pursuer", "seek", "--starts", "2", "--budget", "4"],
    "solution": ["--game", "simple_plane"],
    "watch": ["--episodes", "1", "--horizon", "5"],
    "play": ["--html", "page.html"],
    "bench": ["--quick", "--games", "none"],
    "train": ["--steps", "0", "--out", "run"],
    "selfplay": ["--generations", "0", "--out", "selfplay"],
    "export": ["--out", "policy.onnx"],
}
"""The last words of a command, which hold: they keep it short, and say where to write."""


def wrong_line(
    command: str, options: list[Option], generator: np.random.Generator
) -> tuple[list[str], list[str]]:
    """The words after a command, and which of them are wrong."""
    words, wrong = [], []
    number = 1 + int(generator.random() < 0.3)
    chosen = {int(place) for place in generator.integers(len(options), size=number)}
    for place, one in enumerate(options):
        if place in chosen:
            word = str(generator.choice(WRONG))
            spoiled = one.name + str(generator.choice(["", "", "", "s"])) if one.name else ""
            wrong.append(f"{spoiled} {word[:40]!r}".strip())
            words += [spoiled, word] if spoiled else [word]
            if generator.random() < 0.1:
                words.pop()  # the option without its value
        elif not one.name:
            words += one.fitting
        elif generator.random() < 0.15:
            words += [one.name, *one.fitting]
    return [*words, *LAST.get(command, [])], wrong


def run(line: list[str]) -> tuple[BaseException | None, str]:
    """What ended the program, and what it printed on stderr."""
    printed = StringIO()
    try:
        with time_limit(SECONDS), redirect_stdout(StringIO()), redirect_stderr(printed):
            steer_env(line)
    except (Exception, SystemExit, KeyboardInterrupt, TookTooLong) as error:
        return error, printed.getvalue()
    return None, printed.getvalue()


def fault_of_end(end: BaseException | None, printed: str) -> tuple[str, str] | None:
    """What is wrong with the way in which a program ended, if anything."""
    if isinstance(end, TookTooLong):
        return "hang", f"longer than {SECONDS} s"
    if end is not None and not isinstance(end, SystemExit):
        return "traceback", f"{type(end).__name__}: {str(end)[:300]}"
    status = 0 if end is None else end.code
    if status not in (0, 2):
        return "status", f"{status!r}: {printed[:300]}"
    if status == 2 and "full helptext" not in printed:  # not in tyro's words
        notices = r"steer_env: compiling[^\n]*\n"
        lines = re.sub(notices, "", printed).strip("\n").split("\n")
        if len(lines) != 1 or not lines[0] or len(lines[0]) > 1500:
            return "not one line", printed[:300]
    return None


def wrong_command_lines(
    lines: int, seed: int = 0, only: str = "", processes: int = 0
) -> Report:
    """Runs so many wrong command lines in this process, and some of them in others, too."""
    report, others = Report(), []
    known = [
        (name, list(options_of(command)))
        for found in commands().values()
        for name, command in found.items()
        if only in name
    ]
    with away_from_home():
        for number in range(lines):
            generator = np.random.default_rng([seed, number])
            name, options = known[number % len(known)]
            words, wrong = wrong_line(name, options, generator)
            end, printed = run([name, *words])
            judge(report, name, wrong, fault_of_end(end, printed), end is None)
            is_plain = all("\n" not in word and word.isprintable() for word in words)
            if len(others) < processes and is_plain and max(map(len, words), default=0) < 999:
                others.append((name, [name, *words], wrong))
        for name, line, wrong in others:
            judge(report, f"{name}, a process", wrong, *run_process(line))
    return report


def run_process(line: list[str]) -> tuple[tuple[str, str] | None, bool]:
    """The fault of a command line in a process of its own, if any, and whether it ran."""
    found = subprocess.run(
        [sys.executable, "-m", "steer_env", *line],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=10 * SECONDS,
    )
    if "Traceback" in found.stderr:
        return ("traceback", found.stderr[-300:]), False
    return fault_of_end(SystemExit(found.returncode), found.stderr), found.returncode == 0


def judge(
    report: Report, name: str, wrong: list[str], fault: tuple[str, str] | None, ran: bool
) -> None:
    """Counts a line."""
    report.calls[name] += 1
    if fault is not None:
        report.faults.append(Fault(name, dict.fromkeys(wrong, ""), *fault))
    elif ran:
        report.accepted[name] += 1
    else:
        report.refused[name] += 1


def main() -> int:
    """Runs the lines that the command line asks for; the exit status is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=20, help="lines that get one each")
    parser.add_argument("--only", default="", help="commands whose names hold this")
    arguments = parser.parse_args()
    given = arguments.lines, arguments.seed, arguments.only, arguments.processes
    report = wrong_command_lines(*given)
    for fault in report.faults:
        print(fault)
    print(report)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
