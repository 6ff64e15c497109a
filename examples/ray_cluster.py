# /// script
# requires-python = ">=3.10"
# dependencies = ["steer-env[baselines]", "ray>=2.60"]
# ///
"""Plays a cross-play on a Ray cluster, or with all processors here, with the same bits.

    python examples/ray_cluster.py --pursuer seek pursuit --evader flee evade
    python examples/ray_cluster.py --episodes 100000 --address 192.168.1.10:6379

Another program calls `crossplay` of this one within ``with joined(...) as ray``. Ray on this
machine is for this process alone: it wants a secret token. A cluster gets the source code
of steer_env; its dependencies must be installed.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

import steer_env
from steer_env import baselines
from steer_env.game.config import Game, make_game
from steer_env.players.resolver import name_of, resolve
from steer_env.sides import Side

PATIENCE = 5.0  # seconds to wait for a machine to answer
NOT_SENT = ["*.gif", "*.png", "*.svg", "*.html", "**/__pycache__", "**/results"]
AT_ONCE = 1000  # tasks that are given to Ray at once, few enough that their results find room
RETRIES = 20  # machines that may die under a task before the program ends
_MISSING = re.compile(r"No module named '[^']*'|cannot import name '[^']*'")


class Job(NamedTuple):
    """The arguments of `evaluate` for a pair of players, and their names."""

    pursuer: Any
    evader: Any
    config: Game
    episodes: int
    seed: int  # of the first episode
    names: tuple[str, str]


class ClusterError(RuntimeError):
    """The cluster, or one of its machines, cannot be used."""


def import_ray(address: str | None = None) -> Any:
    """Returns the package `ray`, to be `joined` at an address."""
    if not address and "ray" not in sys.modules:  # it reads them at once
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    import ray

    return ray


@contextmanager
def joined(address: str | None = None) -> Iterator[Any]:
    """Yields `ray`, connected to a cluster or to a new Ray on this machine.

    A Ray that was connected before is used, and stays.

    Args:
        address: "HOST:PORT" of a cluster's head, "ray://HOST:PORT" of one far away, or "auto"
            for the one of this machine; None for that of the environment variable RAY_ADDRESS,
            or else a new Ray on this machine.

    Raises:
        ClusterError: without an answer, or for another version of Ray or Python.
        ValueError: if it is not an address.
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    ray = import_ray(address)
    was_joined = ray.is_initialized()
    if not was_joined:
        _join(ray, address)
    try:
        yield ray
    except ray.exceptions.RayError as error:  # one of a task is raised as if it came from here
        is_of_task = isinstance(error, ray.exceptions.RayTaskError)
        cause = error.cause if is_of_task and isinstance(error.cause, Exception) else error
        if missing := _MISSING.search(str(cause)):
            raise ClusterError(
                f"a worker lacks a package: {missing[0]}; install steer-env with its extra "
                "'ray' on every machine of the cluster"
            ) from cause
        if is_of_task:
            raise cause from None
        raise ClusterError(f"Ray gave up: {_first_line(error)}") from error
    finally:
        if not was_joined:
            ray.shutdown()


def _join(ray: Any, address: str | None) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        options |= {"address": "local", "include_dashboard": False, "num_cpus": os.cpu_count()}
    else:
        _check_answer(address)
        folders = [str(Path(file).parent) for file in (steer_env.__file__, baselines.__file__)]
        options["runtime_env"] = {"py_modules": folders, "excludes": NOT_SENT}
        options["address"] = address
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        ray.shutdown()  # of what it has begun
        where = "on this machine" if address is None else f"at {address}"
        is_refused = "Failed to connect" in str(error)  # Ray's only word on a missing token
        hint = "; if it wants a token, set RAY_AUTH_MODE=token" if is_refused else ""
        raise ClusterError(f"Ray {where} cannot be used: {_first_line(error)}{hint}") from error


def describe(ray: Any) -> str:
    """The size of the cluster, such as "3 machines with 12 processors"."""
    machines = sum(node["Alive"] for node in ray.nodes())
    processors = int(ray.cluster_resources().get("CPU", 0))
    return f"{machines} machine{'s' * (machines != 1)} with {processors} processors"


def _check_answer(address: str) -> None:
    """Connects to an address for a moment: Ray itself would try for minutes."""
    if address == "auto":
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise ValueError(
            "the address of a Ray cluster is HOST:PORT, ray://HOST:PORT or auto, got "
            f"{address!r}"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except OSError as error:
        raise ClusterError(
            f"nobody answers at {address} ({error}); `ray status` on the head of a cluster "
            "shows whether it runs, and `ray start --head` prints its address"
        ) from error


def _first_line(error: BaseException) -> str:
    """The first line of a message, or all lines in one if the first ends with a colon."""
    text = str(error).strip() or type(error).__name__
    first = text.split("\n")[0].strip()
    return " ".join(text.split()) if first.endswith(":") else first


def play(ray: Any, jobs: Sequence[Job]) -> Iterator[tuple[int, baselines.Episodes]]:
    """Yields the number of each job and its evaluation as soon as it is done.

    Each job is a task; if a machine dies, Ray gives it to another one.

    Raises:
        ClusterError: if a worker has another version of steer_env.
    """
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(baselines.evaluate)
    sent: dict[int, Any] = {}  # each player once, however many jobs it has

    def reference(player: Any) -> Any:
        if id(player) not in sent:
            sent[id(player)] = ray.put(player)
        return sent[id(player)]

    running: dict[Any, int] = {}
    waiting = iter(enumerate(jobs))
    while True:
        for number, job in islice(waiting, AT_ONCE - len(running)):
            given = reference(job.pursuer), reference(job.evader), *job[2:5]
            running[task.remote(*given, names=job.names, num_threads=1)] = number
        if not running:
            return
        # All that are ready at once: to ask for each of them takes as long as it plays.
        ready, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
        for one in ready or ray.wait(list(running))[0]:
            evaluation = ray.get(one)
            if evaluation.version != steer_env.__version__:
                raise ClusterError(
                    f"a worker has steer_env {evaluation.version}, this machine "
                    f"{steer_env.__version__}: install the same version everywhere"
                )
            yield running.pop(one), evaluation


def crossplay(
    ray: Any,
    pursuers: Sequence[Any],
    evaders: Sequence[Any],
    config: Any = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], Any] = lambda done, total: None,
    piece: int = 1000,
) -> baselines.Episodes:
    """`steer_env.baselines.crossplay` on a cluster, with the same bits.

    Pairs of scripts and networks are cut into pieces, whose episodes depend on their seeds
    alone. The progress is called with the numbers of pieces done, and of all.
    """
    game = make_game() if config is None else make_game(**config)
    sides = [
        [(name_of(one), resolve(one, side, seed=seed)) for one in players]
        for side, players in zip(Side, (pursuers, evaders))
    ]
    jobs = []
    for (pursuer, one), (evader, other) in product(*sides):
        are_cut = all(
            x.script or type(x.policy) is baselines.NetworkPolicy for x in (one, other)
        )
        size = piece if are_cut else episodes
        for first in range(0, episodes, size):
            count, names = min(size, episodes - first), (pursuer, evader)
            jobs.append(Job(one, other, game, count, seed + first, names))
    found: dict[int, baselines.Episodes] = {}
    for number, evaluation in play(ray, jobs):
        found[number] = evaluation
        progress(len(found), len(jobs))
    played = baselines.Episodes.joined([found[number] for number in range(len(jobs))])
    return replace(played, config=game.as_evaluated())


def main() -> None:
    """Plays what the command line asks for, and prints its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pursuer", nargs="+", default=["pursuit", "pursuit/full_force"])
    parser.add_argument("--evader", nargs="+", default=["evade", "evade/full_force"])
    parser.add_argument("--episodes", type=int, default=1000, help="of each pair")
    parser.add_argument("--address", help="HOST:PORT of a cluster, or auto; by default here")
    options = parser.parse_args()
    sides = options.pursuer, options.evader
    with joined(options.address) as ray:
        print(f"Ray: {describe(ray)}", file=sys.stderr)
        found = crossplay(ray, *sides, episodes=options.episodes)
    print(found)


if __name__ == "__main__":
    main()
