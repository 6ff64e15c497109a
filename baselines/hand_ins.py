"""Plays players in Python files, each in a process of its own that ends at a limit of time.

Such a file can run for ever, or end its process. A process does not protect from one that
means harm: it can do whatever its user can.
"""

from __future__ import annotations

import faulthandler
import io
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from multiprocessing.connection import Connection
from threading import Event
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from steer_env.baselines.command_options import SampleOptions
from steer_env.baselines.cross_play import crossplay
from steer_env.baselines.episodes import Episodes
from steer_env.baselines.rollouts import Workers, checked_sample
from steer_env.errors import FaultyBehavior, InvalidValue, UsageError, check_number, printable
from steer_env.game.config import Game
from steer_env.options import SideOptions, TeamGameOptions, file_of
from steer_env.players.resolver import resolve
from steer_env.sides import Side

_T = TypeVar("_T")
_ERROR = re.compile(r"^[A-Za-z_.]*(?:Error|Exception)\b.*", re.MULTILINE)  # a traceback's end


class Fault(str):
    """A reason for which a player cannot play, in one line."""


def runs_code(name: str) -> bool:
    """True for the name of a player that runs code of its file: FILE.py:NAME or a .zip."""
    return file_of(name) is not None or name.endswith(".zip")


def apart(
    calls: Sequence[Callable[[], _T]],
    limit: float,
    progress: Callable[[int, int], Any] | None = None,
) -> list[_T | Fault]:
    """Calls functions in processes of their own. An error or a late result is a `Fault`."""
    context, stopped = multiprocessing.get_context("spawn"), Event()
    processes: list[Any] = []

    def ask(call: Callable[[], _T]) -> _T | Fault:
        answers, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_answer, args=(theirs, call, limit))
        process.start()
        processes.append(process)
        theirs.close()  # so that the end of the process is the end of the pipe
        try:
            answers.recv()  # it has imported what is ours
            if stopped.is_set() or not answers.poll(limit):
                return Fault(f"takes longer than {limit:g} s")
            return answers.recv()
        except (EOFError, OSError):
            process.join()
            return Fault(f"its process ended with {process.exitcode}")
        finally:
            process.kill()

    with ThreadPoolExecutor(os.cpu_count(), initializer=_leave_ctrl_c) as pool:
        asked = [pool.submit(ask, call) for call in calls]
        left = {*asked}
        try:
            while left:  # not for long: Windows hears Ctrl-C only between
                left = wait(left, timeout=0.2).not_done
                if progress is not None:
                    progress(len(calls) - len(left), len(calls))
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
    return [one.result() for one in asked]


def _leave_ctrl_c() -> None:
    """Leaves Ctrl-C to the main thread, also for processes that this thread starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _answer(answers: Connection, call: Callable[[], Any], limit: float) -> None:
    """Sends the result of a call, or its `Fault`, in a process that prints nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    with open(os.devnull, "w") as nowhere:
        for descriptor in (1, 2):  # compiled code prints there, too
            os.dup2(nowhere.fileno(), descriptor)
        # If the parent process is gone, nothing else ends an endless loop.
        faulthandler.dump_traceback_later(limit + 1.0, exit=True, file=nowhere)
        found: Any
        answers.send(None)
        with redirect_stdout(nowhere), redirect_stderr(io.StringIO()) as printed:
            try:
                found = call()
            except BaseException as error:
                found = Fault(_reason(error, printed.getvalue()))
        answers.send(found)


def _reason(error: BaseException, printed: str) -> str:
    text = str(error).partition("; ")[0]  # of ours, without advice
    text = re.sub("^the behavior .* cannot be compiled", "does not compile", text)
    errors = _ERROR.findall(printed)
    if isinstance(error, FaultyBehavior) and errors:  # of compiled code
        text = f"raises {errors[-1]}"
    elif not isinstance(error, UsageError | OSError):
        text = f"raises {type(error).__name__}: {error}"
    return printable(" ".join(text.split()))


def play_pairs(
    players: SideOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    workers: Workers | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Episodes:
    """Plays every pursuer against every evader by `cross_play.crossplay`."""
    given = *players.players(), game.config(), sample.episodes, sample.seed
    return crossplay(*given, progress, workers)


def _rows(*given: Any) -> NDArray[np.void]:
    """The rows of `play_pairs` alone: functions of a game in a file cannot be sent."""
    return play_pairs(*given).episodes


def _checked(game: TeamGameOptions, sample: SampleOptions, limit: float) -> Game:
    """Returns the game, or raises an InvalidValue for what is not a player's fault."""
    check_number("--limit", limit, 0.0, 1e6, above=True)
    return checked_sample(game.config(), sample.episodes, sample.seed)[0].as_evaluated()


def play_apart(
    players: SideOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    limit: float = 60.0,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[Episodes, dict[str, str]]:
    """Plays as `play_pairs`, without the players at fault, and returns these with the faults.

    Each player of the side with more files plays in a process of its own, for `limit` seconds
    at most. Files of the other side are tried before, against the game's own opponent.
    """
    labels, config = players.labels(), _checked(game, sample, limit)
    for side in Side:
        for name in labels[side]:
            if not runs_code(name):
                resolve(name, side)
    side = max(Side, key=lambda one: sum(map(runs_code, labels[one])))
    faults: dict[str, str] = {}

    def played(side: Side, own: Sequence[str], others: Sequence[str]) -> dict[str, Any]:
        pairs = [players.among(*side.ordered([name], others)) for name in own]
        calls = [partial(_rows, pair, game, sample) for pair in pairs]
        found = apart(calls, limit * max(1, sum(map(runs_code, others))), progress)
        wrong = {labels[side][n]: x for n, x in zip(own, found) if isinstance(x, Fault)}
        faults.update(wrong)
        if len(wrong) == len(found):
            reasons = "; ".join(f"{name}: {reason}" for name, reason in wrong.items())
            raise InvalidValue(f"no {side.name} can play: {reasons}")
        return {name: one for name, one in zip(own, found) if not isinstance(one, Fault)}

    others = list(labels[side.other])
    if coded := [name for name in others if runs_code(name)]:
        usual = game.scenario.opponents[side.other]
        sound = played(side.other, coded, [usual])
        others = [name for name in others if name in sound or name not in coded]
    found = played(side, list(labels[side]), others)
    beside = tuple(labels[side.other][name] for name in others)
    parts = [
        Episodes(*side.ordered((labels[side][name],), beside), config, rows)
        for name, rows in found.items()
    ]
    return Episodes.joined(parts), faults


def check(
    players: SideOptions, game: TeamGameOptions, sample: SampleOptions, limit: float = 60.0
) -> Episodes | Fault:
    """Plays a pursuer and an evader in a process of their own, and returns what is wrong."""
    config = _checked(game, sample, limit)
    (found,) = apart([partial(_rows, players, game, sample)], limit)
    if isinstance(found, Fault):
        return found
    pursuers, evaders = (tuple(names.values()) for names in players.labels())
    return Episodes(pursuers, evaders, config, found)
