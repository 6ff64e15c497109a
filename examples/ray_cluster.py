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


class Job(NamedTuple):
    """The arguments of `evaluate` for a pair of players, and their names."""

    pursuer: Any
    evader: Any
    config: Game
    episodes: int
    seed: int  # of the first episode
    names: tuple[str, str]


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
        ConnectionError: without an answer.
        ValueError: if it is not an address.
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    ray = import_ray(address)
    was_joined = ray.is_initialized()
    try:
        if not was_joined:
            _join(ray, address)
        yield ray
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
    ray.init(**options)


def _check_answer(address: str) -> None:
    """Connects to an address for a moment: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal():  # "auto", or what Ray refuses at once
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except OSError as error:
        raise ConnectionError(f"nobody answers at {address} ({error})") from error


def describe(ray: Any) -> str:
    """The size of the cluster, such as "3 machines with 12 processors"."""
    machines = sum(node["Alive"] for node in ray.nodes())
    processors = int(ray.cluster_resources().get("CPU", 0))
    return f"{machines} machine{'s' * (machines != 1)} with {processors} processors"


def play(ray: Any, jobs: Sequence[Job]) -> Iterator[tuple[int, baselines.Episodes]]:
    """Yields the number of each job and its evaluation as soon as it is done.

    Each job is a task; if a machine dies, Ray gives it to another one.
    """
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(baselines.evaluate)
    players = {id(one): one for job in jobs for one in (job.pursuer, job.evader)}
    sent = {key: ray.put(one) for key, one in players.items()}  # once, however many jobs
    running: dict[Any, int] = {}
    waiting = iter(enumerate(jobs))
    while True:
        for number, job in islice(waiting, AT_ONCE - len(running)):
            given = sent[id(job.pursuer)], sent[id(job.evader)], *job[2:5]
            running[task.remote(*given, names=job.names, num_threads=1)] = number
        if not running:
            return
        # All that are ready at once: to ask for each of them takes as long as it plays.
        ready, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
        for one in ready or ray.wait(list(running))[0]:
            yield running.pop(one), ray.get(one)


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
