"""Measures our game steps a second beside the games of `steer_env.peers`, in the same run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError
from time import process_time
from typing import Any, NamedTuple

from steer_env.bench import alternate
from steer_env.errors import check_integer
from steer_env.information import processor, versions
from steer_env.peers import PEERS, SETTINGS, Peer, Play, start_ours

GAMES = (1024, 4096)
"""The default numbers of games at once."""

OURS = "steer_env"


class Row(NamedTuple):
    """One row of the table.

    Attributes:
        players: how many on each side, and obstacles.
        environment: ours, or the peer's name.
        games: how many are stepped at once.
        threads: at most so many; None for a peer, which takes as many as it likes.
        game_steps: a second.
        ours_on_one_thread: our game steps a second on one thread, over these.
        ours_on_all_threads: the same with as many threads as the machine has.
        game_steps_per_cpu_second: of all threads together; other programs hardly change it.
        ours_per_cpu_second: ours on one thread, over these.
    """

    players: str
    environment: str
    games: int
    threads: int | None
    game_steps: float
    ours_on_one_thread: float
    ours_on_all_threads: float
    game_steps_per_cpu_second: float
    ours_per_cpu_second: float


class _Tally:
    """A call that counts its game steps and its processor time."""

    def __init__(self, play: Play) -> None:
        play()  # compiles
        self.play, self.calls, self.game_steps, self.cpu_seconds = play, 0, 0, 0.0

    def __call__(self) -> None:
        start = process_time()
        self.game_steps += self.play()
        self.cpu_seconds += process_time() - start
        self.calls += 1

    def per_second(self, seconds: float) -> float:
        """Game steps a second, if a call takes some seconds."""
        return self.game_steps / self.calls / seconds

    def per_cpu_second(self) -> float:
        """Game steps in a second of processor time."""
        return self.game_steps / max(self.cpu_seconds, 1e-9)


def measure(
    games: Sequence[int] = GAMES, repeats: int = 15, peers: Sequence[Peer] = PEERS
) -> dict[str, Any]:
    """Returns everything that `python -m steer_env bench --peers` prints, ready for JSON.

    Args:
        games: numbers of games at once.
        repeats: how often to measure each environment; the median counts.
        peers: those to measure, where they are installed.

    Raises:
        TypeError, ValueError: unless the numbers are positive integers.
    """
    for count in games:
        check_integer("games", count, 1)
    check_integer("repeats", repeats, 1)
    rows: list[Row] = []
    missing: dict[str, str] = {}
    measured = []
    for players in SETTINGS:
        rivals = [peer for peer in peers if peer.players == players]
        for count in games:
            found, lacking = _measure_players(players, rivals, count, repeats)
            rows += found
            missing.update(lacking)
        measured += [peer for peer in rivals if peer.name not in missing]
    return {
        "machine": {"processor": processor(), "cores": os.cpu_count()},
        "versions": _known_versions(measured),
        "peers": [row._asdict() for row in rows],
        "notes": {peer.name: peer.note for peer in measured},
        "missing": missing,
    }


def _measure_players(
    players: str, rivals: Iterable[Peer], games: int, repeats: int
) -> tuple[list[Row], dict[str, str]]:
    """The rows of games with as many players, and how to install the peers that are missing."""
    missing: dict[str, str] = {}
    measured: list[tuple[str, int, int | None, _Tally]] = []
    for threads in sorted({1, os.cpu_count() or 1}):
        play = start_ours(SETTINGS[players], games, threads)
        measured.append((OURS, games, threads, _Tally(play)))
    ours = len(measured)
    for peer in rivals:
        try:
            at_once, play = peer.start(games)
        except ImportError:
            missing[peer.name] = peer.install
        else:
            measured.append((peer.name, at_once, None, _Tally(play)))
    tallies = [tally for *_, tally in measured]
    seconds = alternate(tallies, repeats)
    speeds = [tally.per_second(found) for tally, found in zip(tallies, seconds, strict=True)]
    one_thread, all_threads = speeds[0], speeds[ours - 1]
    per_cpu_second = tallies[0].per_cpu_second()
    rows = [
        Row(
            players,
            name,
            count,
            threads,
            speed,
            one_thread / speed,
            all_threads / speed,
            tally.per_cpu_second(),
            per_cpu_second / tally.per_cpu_second(),
        )
        for (name, count, threads, tally), speed in zip(measured, speeds, strict=True)
    ]
    return rows, missing


def _known_versions(peers: Iterable[Peer]) -> dict[str, str]:
    """The versions of what was measured; a checkout on the path has none."""
    known = versions("numpy", "numba")
    for package in dict.fromkeys(name for peer in peers for name in peer.packages):
        with contextlib.suppress(PackageNotFoundError):
            known |= versions(package)
    return known


def table(report: dict[str, Any]) -> str:
    """Formats a report as text, with a Markdown table."""
    machine = report["machine"]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores",
        ", ".join(f"{name} {number}" for name, number in report["versions"].items()),
        "",
        "| players | environment | games at once | threads | game steps/s "
        "| ours, 1 thread | ours, all threads | game steps/CPU s | ours, CPU time |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in report["peers"]:
        threads = "its own" if row["threads"] is None else row["threads"]
        lines.append(
            f"| {row['players']} | {row['environment']} | {row['games']} | {threads} "
            f"| {_rounded(row['game_steps'])} | {_times(row['ours_on_one_thread'])} "
            f"| {_times(row['ours_on_all_threads'])} "
            f"| {_rounded(row['game_steps_per_cpu_second'])} "
            f"| {_times(row['ours_per_cpu_second'])} |"
        )
    lines += [
        "",
        "Ours: our game steps over those of the row, a second or a second of CPU time.",
    ]
    lines += [f"{name}: {note}." for name, note in report["notes"].items()]
    lines += [f"{name}: not installed: {how}." for name, how in report["missing"].items()]
    return "\n".join(lines)


def _rounded(number: float) -> str:
    """A number of three digits that count, with commas."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _times(ratio: float) -> str:
    return f"{_rounded(ratio)}x" if ratio >= 100 else f"{ratio:.1f}x"
