"""Calls the public API wrongly, and looks at what it says.

    python tests/by_hand/wrong_calls.py --calls 2000 --seed 0

Each call has arguments that fit, except for one or two, which `wrong_values` generates. Such a
call must be refused by an error that names the argument, or accepted with a sane result.
Anything else is a fault: an error from deep within, a hang, a message that does not say which
argument was wrong, nan from numbers that were accepted. Prints a table by function.
`tests/test_wrong_calls.py` runs a short form of it.
"""

from __future__ import annotations

import argparse
import inspect
import math
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wrong_method_targets import method_targets
from wrong_program_targets import baseline_targets, preset_targets, program_targets
from wrong_solved_targets import solved_targets
from wrong_targets import (
    Target,
    class_targets,
    environment_targets,
    steering_targets,
)
from wrong_values import fits, wrong_value

from steer_env.errors import UsageError
from steer_env.rendering.window import NoDisplayError

SECONDS = 20
LONGEST_MESSAGE = 1500
OURS = ("steer_env", "baselines", "agents")


class TookTooLong(BaseException):
    """A call did not come back."""


@dataclass
class Fault:
    """A call that neither was refused well nor succeeded well."""

    target: str
    wrong: dict[str, str]
    kind: str
    text: str

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.wrong.items())
        return f"{self.target}({given}): {self.kind}: {self.text}"


@dataclass
class Report:
    """What came of all the calls; the counters are by function."""

    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    def __str__(self) -> str:
        by_target = Counter(fault.target for fault in self.faults)
        lines = [f"{'function':36} {'calls':>6} {'refused':>8} {'accepted':>9} {'faults':>7}"]
        rows = [(name, by_target[name]) for name in sorted(self.calls)]
        for name, faults in [*rows, ("all", len(self.faults))]:
            counts = [
                sum(counter.values()) if name == "all" else counter[name]
                for counter in (self.calls, self.refused, self.accepted)
            ]
            lines.append("{:36} {:6} {:8} {:9} {:7}".format(name, *counts, faults))
        return "\n".join(lines)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Ends what takes longer, by an exception that nobody catches by accident."""

    def end(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def away_from_home() -> Iterator[Path]:
    """Works in a new folder, where no window opens; then everything is as it was before."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDL_VIDEODRIVER", "no such driver")
        patch.chdir(folder)
        yield Path(folder)


def call(target: Target, arguments: dict[str, Any]) -> Any:
    """The result of a call, or the exception that it raised."""
    given = inspect.signature(target.function).parameters.values()
    positional = [p.name for p in given if p.kind is p.POSITIONAL_ONLY]
    try:
        with (
            time_limit(SECONDS),
            warnings.catch_warnings(),
            redirect_stdout(StringIO()),
            redirect_stderr(StringIO()),
        ):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)  # numpy's of arithmetic
            first = [arguments.pop(name) for name in positional]
            return target.function(*first, **arguments)
    except (Exception, SystemExit, TookTooLong) as error:
        return error


def fault_of_error(
    error: BaseException, target: Target, names: list[str], wrong: dict[str, Any]
) -> tuple[str, str] | None:
    """What is wrong with an error, if anything: a kind of fault and the details."""
    if isinstance(error, TookTooLong):
        return "hang", f"longer than {SECONDS} s"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name != "turn.py"  # whose `in_turn` passes calls on as they are
    ]
    ours = [frame for frame in frames if any(f"/{name}/" in frame.filename for name in OURS)]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames[-3:]))
    try:
        message = str(error)
    except Exception as failure:
        return "message", f"cannot be shown: {failure!r}"
    if isinstance(error, AttributeError) and {"attr_name", "method_name"} & {*wrong}:
        return None  # as for any other object
    if isinstance(error, NoDisplayError):
        return None  # the answer to a call in which nothing was wrong
    message = message.split(" was raised from the environment creator")[0]  # Gymnasium's
    shown = f"{type(error).__name__}: {message[:300]} ({where})"
    is_plain = isinstance(error, TypeError) and len(frames) <= 2  # of the signature
    documented = f"{type(error).__name__}:" in (inspect.getdoc(target.function) or "")
    is_gymnasiums = type(error).__module__ == "gymnasium.error"
    is_proper = isinstance(error, (UsageError, OSError)) or is_gymnasiums or documented
    if not ours and not is_plain and not is_proper:
        return None  # Gymnasium or Python refused it before it came to us
    if not is_proper and not is_plain:
        return "from within", shown
    if is_gymnasiums and target.name.startswith(("closed", "fresh", "make_vec_env")):
        return None
    if len(message) > LONGEST_MESSAGE and not isinstance(error, OSError):
        return "long message", f"{len(message)} characters: {shown}"
    if not any(is_named(name, message) or is_shown(wrong.get(name), message) for name in names):
        return "unnamed", shown
    return None


_OTHER_NAMES = {
    "kind": ("arena",),
    "size": ("arena_size",),
    "side": ("PURSUER",),
    "opponent": ("script", "behavior"),
    "options": ("reset_mask",),
    "action": ("closed", "reset()"),
    "seed": ("closed",),
    "state": ("closed",),
    "pursuer": ("behavior", "policy"),
    "evader": ("behavior", "policy"),
    "pursuers": ("pursuer", "behavior", "policy"),
    "evaders": ("evader", "behavior", "policy"),
    "arena_size": ("obstacle", "radius"),
    "predict": ("target", "time"),
    "lookahead": ("target", "time"),
    "policies": ("pursuer", "policies", "policy"),
    "name": ("policy", "column", "behavior"),
    "pair": ("pursuer",),
    "pursuer_action": ("action",),
    "observation": ("features", "observations"),
    "path": ("file", "ending"),
    "player": ("opponent", "pursuer"),
    "players": ("pursuer",),
    "script": ("opponent", "behavior"),
    "env_id": ("environment",),
    "texts": ("name=value", "given twice"),
    "value": ("opponent", "behavior"),
    "env": ("env_fns",),
}


def is_named(name: str, message: str) -> bool:
    """Whether a message names a parameter, in one of the words that are used for it."""
    words = (name, name.replace("_", " "), *_OTHER_NAMES.get(name, ()))
    stems = [word.removesuffix("s") if len(word) > 4 else word for word in words]
    return any(stem.lower() in message.lower() for stem in stems)


def is_shown(value: Any, message: str) -> bool:
    """Whether a message shows a wrong name or path, or a key of a wrong dict."""
    if isinstance(value, dict):
        return any(str(key) in message for key in value)
    return isinstance(value, (str, Path)) and str(value)[:100] in message


def has_nan(value: Any, depth: int = 0) -> bool:
    """Whether a result holds nan, as far as it is made of numbers."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return bool(np.isnan(value).any())
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    if isinstance(value, (complex, np.complexfloating)):
        return math.isnan(value.real) or math.isnan(value.imag)
    if isinstance(value, (tuple, list)) and depth < 3:
        return any(has_nan(entry, depth + 1) for entry in value)
    return False


def is_extreme(value: Any) -> bool:
    """Whether a value holds numbers from which nan may follow by plain arithmetic."""
    try:
        array = np.asarray(value, np.complex128)
        size = np.abs(array[array != 0])
        return bool((~np.isfinite(size) | (size > 1e100) | (size < 1e-100)).any())
    except Exception:
        return False


def fault_of_result(
    result: Any, target: Target, wrong: dict[str, Any]
) -> tuple[str, str] | None:
    """What is wrong with a call's result, if anything."""
    for name, value in wrong.items():
        hint = target.hints.get(name)
        if hint is not None and not target.is_formula and not fits(value, hint):
            return "accepted", f"{name} should be {hint}"
    if has_nan(result) and not any(map(is_extreme, wrong.values())):
        return "nan", repr(result)[:200]
    return None


def wrong_call(target: Target, generator: np.random.Generator, report: Report) -> None:
    """Calls a function once, with one or two wrong arguments, and judges what comes."""
    arguments = {name: make() for name, make in target.valid.items()}
    required = {
        name
        for name, p in inspect.signature(target.function).parameters.items()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    }
    count = min(1 + int(generator.random() < 0.25), len(arguments))
    chosen = [str(name) for name in generator.choice(list(arguments), count, replace=False)]
    for name in list(arguments):  # some others are left out
        if name not in (*required, *target.needed, *chosen) and generator.random() < 0.5:
            del arguments[name]
    described, wrong = {}, {}
    for name in chosen:
        described[name], wrong[name] = wrong_value(target.valid[name](), generator)
    arguments |= wrong
    if generator.random() < 0.03:
        described["misspelled"] = chosen[0] + "s"
        arguments[chosen[0] + "s"] = 1
        chosen.append(chosen[0] + "s")
    result = call(target, arguments)
    report.calls[target.name] += 1
    if isinstance(result, BaseException):
        fault = fault_of_error(result, target, chosen, wrong)
        report.refused[target.name] += fault is None
    else:
        fault = fault_of_result(result, target, wrong)
        report.accepted[target.name] += fault is None
    if fault is not None:
        report.faults.append(Fault(target.name, described, *fault))


def all_targets(folder: Path) -> list[Target]:
    return [
        *steering_targets(),
        *class_targets(),
        *environment_targets(),
        *method_targets(),
        *baseline_targets(folder),
        *program_targets(folder),
        *preset_targets(),
        *solved_targets(),
    ]


def wrong_calls(calls: int, seed: int = 0, only: str = "") -> Report:
    """Makes so many wrong calls, spread over all functions; the same seed makes the same."""
    report = Report()
    with away_from_home() as folder:
        files = folder / "files"  # those of valid calls; the others write beside it
        files.mkdir()
        targets = [target for target in all_targets(files) if only in target.name]
        shares = np.array([target.weight for target in targets])
        counts = np.maximum(1, np.round(shares / shares.sum() * calls)).astype(int)
        for number, (target, count) in enumerate(zip(targets, counts)):
            generator = np.random.default_rng([seed, number])
            for _ in range(count):
                wrong_call(target, generator, report)
    return report


def main() -> int:
    """Makes the calls that the command line asks for; the exit status is 1 after a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="functions whose names hold this")
    arguments = parser.parse_args()
    report = wrong_calls(arguments.calls, arguments.seed, arguments.only)
    for fault in report.faults:
        print(fault)
    print(report)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
