"""Calls the public API and `steer-env` wrongly, and judges the answers.

    PYTHONPATH=. python tests/by_hand/wrong_calls.py --calls 2000 --lines 500 --seed 0

A call with one or two wrong arguments must be refused by an error that names one of them, or
accepted with a sane result. Faults are errors from deep within, hangs, messages that do not
name what was wrong, and nan from numbers that were accepted. A wrong command line must run, or
end with status 2 and one line (or tyro's box). A short form is a weekly test.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wrong_targets import SHORT, Target, all_targets, fits, made, wrong_value

from steer_env.cli import commands, main as steer_env
from steer_env.errors import UsageError, shown
from steer_env.rendering.window import NoDisplayError
from steer_env.usage import Option, options_of

SECONDS = 60  # until a call counts as a hang
LONGEST_MESSAGE = 1500  # characters
OURS = "/steer_env/", "/baselines/", "/agents/"


class TookTooLong(BaseException):
    """A call did not come back."""


class Report:
    """The calls that were refused and accepted well, and the faults of the others."""

    def __init__(self) -> None:
        self.refused, self.accepted, self.faults = list[str](), list[str](), list[str]()

    def add(self, call: str, fault: str | None, is_refused: bool) -> None:
        if fault is not None:
            self.faults.append(f"{call}: {fault}")
        else:
            (self.refused if is_refused else self.accepted).append(call)

    def __str__(self) -> str:
        counts = (f"{len(calls)} {name}" for name, calls in vars(self).items())
        return "\n".join([*self.faults, ", ".join(counts)])


@contextmanager
def away_from_home() -> Iterator[Path]:
    """Works in a new folder, where no window opens; then everything is as it was before."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDL_VIDEODRIVER", "no such driver")
        patch.chdir(folder)
        yield Path(folder)


def ended(function: Callable[..., Any], /, *given: Any, **named: Any) -> tuple[Any, str]:
    """The result of a call, or the exception that it raised; and what it printed on stderr."""

    def end(*_: object) -> None:
        raise TookTooLong  # which nobody catches by accident

    printed, before = StringIO(), signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        quiet = redirect_stdout(StringIO())
        with quiet, redirect_stderr(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)  # numpy's of arithmetic
            return function(*given, **named), printed.getvalue()
    except (Exception, SystemExit, KeyboardInterrupt, TookTooLong) as error:
        return error, printed.getvalue()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


# ---- The verdict on a call ----------------------------------------------------------------


def fault_of_error(error: BaseException, target: Target, wrong: dict[str, Any]) -> str | None:
    """The fault of an error, if it has one."""
    if isinstance(error, TookTooLong):
        return f"hangs, longer than {SECONDS} s"
    if isinstance(error, NoDisplayError):
        return None  # the answer to a call in which nothing was wrong
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)[1:]
        if not frame.filename.endswith("turn.py")  # `in_turn` passes calls on as they are
    ]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames[-3:]))
    try:
        message = str(error).split(" was raised from the environment creator")[0]  # Gymnasium's
    except Exception as failure:
        return f"a message that cannot be shown: {failure!r}"
    answer = f"{type(error).__name__}: {message[:300]} ({where})"
    is_plain = isinstance(error, TypeError) and len(frames) <= 2  # of the signature
    is_gymnasiums = type(error).__module__ == "gymnasium.error"
    documented = f"{type(error).__name__}:" in (target.function.__doc__ or "")
    is_proper = isinstance(error, UsageError | OSError) or is_gymnasiums or documented
    if not is_plain and not is_proper:  # Gymnasium or Python may refuse it before it reaches us
        is_ours = any(part in frame.filename for frame in frames for part in OURS)
        return f"from within: {answer}" if is_ours else None
    if len(message) > LONGEST_MESSAGE and not isinstance(error, OSError):
        return f"a message of {len(message)} characters: {answer}"
    if is_gymnasiums and "env_id" in wrong:
        return None
    is_clear = any(is_named(name, message) or is_shown(wrong[name], message) for name in wrong)
    return None if is_clear else f"unnamed: {answer}"


OTHER_NAMES = {
    **dict.fromkeys(("pursuer", "evader", "pursuers", "evaders"), "pursuer behavior policy"),
    **dict.fromkeys(("opponent", "value", "player", "script"), "opponent script behavior"),
    **dict.fromkeys(("predict", "lookahead"), "target time"),
    **dict.fromkeys(("players", "policies", "policy", "known"), "pursuer evader policy"),
    **{"side": "PURSUER", "options": "reset_mask"},
    **{"arena_size": "obstacle radius", "name": "policy column behavior preset"},
    **{"pursuer_action": "action", "observation": "features observations"},
    **{"path": "file ending", "env_id": "environment", "texts": "name=value twice"},
    **{"members": "chances", "observation_clip": "observation_mean", "learner": "side"},
    **{"scenario": "game", "config": "game"},
}
"""More words for a parameter in messages, of which one is enough."""


def is_named(name: str, message: str) -> bool:
    """True if a message names a parameter, in one of the words that are used for it."""
    words = (name, name.replace("_", " "), *OTHER_NAMES.get(name, "").split())
    stems = [word.removesuffix("s") if len(word) > 4 else word for word in words]
    return any(stem.lower() in message.lower() for stem in stems)


def is_shown(value: Any, message: str) -> bool:
    """True if a message shows a wrong name or path, or a key of a wrong dict."""
    if isinstance(value, dict):
        return any(str(key) in message for key in value)
    return isinstance(value, str | Path) and str(value)[:100] in message


def has_nan(value: Any, depth: int = 0) -> bool:
    """True if a result holds nan, as far as it is made of numbers."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc" and bool(np.isnan(value).any())
    if isinstance(value, float | complex | np.inexact):
        return math.isnan(value.real) or math.isnan(value.imag)
    if dataclasses.is_dataclass(value):
        value = [*vars(value).values()]
    is_searched = isinstance(value, tuple | list) and depth < 3
    return is_searched and any(has_nan(entry, depth + 1) for entry in value)


def fault_of_result(result: Any, target: Target, wrong: dict[str, Any]) -> str | None:
    """The fault of a call's result, or None."""
    for name, value in wrong.items():
        if name in target.hints and not fits(value, target.hints[name]):
            return f"accepted, but {name} should be {target.hints[name]}"
    # What computes with anything may overflow.
    return f"nan in {result!r}"[:200] if target.hints and has_nan(result) else None


def wrong_call(target: Target, generator: np.random.Generator, report: Report) -> None:
    """Calls a function once, with one or two wrong arguments, and judges the answer."""
    count = min(1 + int(generator.random() < 0.25), len(target.valid))
    chosen = generator.choice(list(target.valid), count, replace=False).tolist()
    wrong = {name: wrong_value(target.valid[name], generator) for name in chosen}
    if generator.random() < 0.03:
        wrong[f"{chosen[0]}s"] = 1
    needed = {*target.valid} if generator.random() < 0.5 else {*target.required, *SHORT}
    others = {name: made(one) for name, one in target.valid.items() if name in needed}
    given = ", ".join(f"{name}={shown(value)}" for name, value in wrong.items())
    result, _ = ended(target.function, **(others | wrong))
    is_refused = isinstance(result, BaseException)
    judge = fault_of_error if is_refused else fault_of_result
    report.add(f"{target.name}({given})", judge(result, target, wrong), is_refused)


def wrong_calls(calls: int, seed: int = 0, only: str = "") -> Report:
    """Makes about this number of wrong calls, the more the more parameters a function has."""
    report = Report()
    with away_from_home() as folder:
        files = folder / "files"  # those of valid calls; the others write beside it
        files.mkdir()
        targets = [one for one in all_targets(files) if only in one.name]
        whole = sum(len(one.valid) for one in targets)
        for number, target in enumerate(targets):
            result, _ = ended(target.function, **{n: made(v) for n, v in target.valid.items()})
            if isinstance(result, BaseException) and not isinstance(result, NoDisplayError):
                fault = f"what fits is refused: {type(result).__name__}: {result}"
                report.add(target.name, fault, True)
            generator = np.random.default_rng([seed, number])
            for _ in range(max(1, round(len(target.valid) / whole * calls))):
                wrong_call(target, generator, report)
    return report


# ---- Command lines ------------------------------------------------------------------------

WORDS = (
    *("", " ", "-1", "0", "1.5", "nan", "inf", "-inf", "1e400", "1" * 400, "1" * 5000, "none"),
    *("None", "True", "pursuitt", "evade", "pursuit", "pretrained/pursuit/pop", "x.npz"),
    *("/", ".", "no/such/folder/x.npz", "x" * 5000, "a\nb", "\u202e", "\udcff", "--", "-", "@"),
    *("[1, 2]", "{}", "a=b", "1,2", "0x10", "1_000", "½", "~", "*", "None.zip", "9" * 19),
)
"""Words that fit few options."""

LAST = {
    **{
        "record": "--out chase.svg",
        "play": "--out page.html",
        "bench": "--quick --games none",
    },
    **{"export": "--out policy.onnx", "watch": "--episodes 1 --horizon 5"},
    **{"exploit": "--pursuer seek --starts 2 --budget 4", "solution": "--game simple_plane"},
    **{"train": "--steps 0 --out run", "selfplay": "--generations 0 --out selfplay"},
    **{"gap": "--starts 2", "benchmark": "--episodes 4"},
    "compare": "--pursuer seek pursuit --evader flee --episodes 4",
    "crossplay": "--pursuer seek --evader flee --episodes 4",
}
"""The last words of a command, which hold: they keep it short, or say where to write."""


def wrong_words(options: list[Option], generator: np.random.Generator) -> list[str]:
    """The words after a command, some of which are wrong."""
    number = 1 + int(generator.random() < 0.3)
    chosen = [options[place] for place in generator.integers(len(options), size=number)]
    words = ["pursuit" for one in options if one.name[0] != "-" and one not in chosen]
    for one in chosen:
        if one.name.startswith("-"):
            words.append(one.name + str(generator.choice(["", "", "", "s"])))
        if generator.random() < 0.9:  # else without its value
            words.append(str(generator.choice(WORDS)))
    return words


def fault_of_end(end: BaseException | None, printed: str) -> str | None:
    """The fault of the way in which a program ended, if it has one."""
    if end is not None and not isinstance(end, SystemExit):
        return f"{type(end).__name__}: {str(end)[:300]}"
    status = 0 if end is None else end.code
    if status not in (0, 2):
        return f"status {status!r}: {printed[:300]}"
    if status == 2 and "full helptext" not in printed:  # not in tyro's words
        lines = re.sub(r"steer_env: compiling[^\n]*\n", "", printed).strip("\n").split("\n")
        if len(lines) != 1 or not lines[0] or len(lines[0]) > LONGEST_MESSAGE:
            return f"not one line: {printed[:300]}"
    return None


def wrong_command_lines(lines: int, seed: int = 0, only: str = "") -> Report:
    """Runs this number of wrong command lines, of all commands in turns."""
    report = Report()
    known = {
        name: [one for one in chain(*options_of(command).values()) if one.name != "-h, --help"]
        for name, command in commands().items()
        if only in name
    }
    with away_from_home():
        for number in range(lines if known else 0):
            generator = np.random.default_rng([seed, number])
            name = [*known][number % len(known)]
            words = wrong_words(known[name], generator)
            end, printed = ended(steer_env, [name, *words, *LAST.get(name, "").split()])
            line = " ".join([name, *(word[:40] for word in words)])
            report.add(ascii(line), fault_of_end(end, printed), end is not None)
    return report


def main() -> int:
    """The exit status is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--lines", type=int, default=500, help="of commands")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="functions and commands with this in a name")
    given = parser.parse_args()
    print(called := wrong_calls(given.calls, given.seed, given.only))
    print(ran := wrong_command_lines(given.lines, given.seed, given.only))
    return int(bool(called.faults + ran.faults))


if __name__ == "__main__":
    sys.exit(main())
