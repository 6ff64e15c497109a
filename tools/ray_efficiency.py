"""Measures what it costs to send pieces of work to a Ray cluster, and draws the efficiency.

    PYTHONPATH=.:examples python tools/ray_efficiency.py --out deploy/efficiency.svg

One worker on this machine plays pieces of several sizes. It also plays them with games that end
at the first step; what these take is the cost of sending. Efficiency is the share of a worker's
time that is play. The processor time that the main program spends on a piece limits how many
workers it can keep busy.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from page_parts import save_both
from ray_cluster import Job, import_ray, play

from steer_env.baselines import plots
from steer_env.cli import print_written
from steer_env.game.config import make_game
from steer_env.players.resolver import resolve_pair

PAIRS = {
    "scripts": ("pursuit", "evade"),
    "networks": ("pretrained/pursuit/ppo", "pretrained/evade/ppo"),
}
SIZES = (10, 30, 100, 300, 1000, 3000)
PIECE = 1000  # episodes of a task of `crossplay`
SECONDS = 6.0  # of each measurement, about
MACHINES, PROCESSORS = (10, 100, 1000), 4


class Cost(NamedTuple):
    """Seconds for a piece."""

    play: float
    sending: float
    giving_out: float

    @property
    def efficiency(self) -> float:
        """The share of a worker's time that is play."""
        return self.play / (self.play + self.sending)

    def efficiency_on(self, workers: int) -> float:
        """The same on many workers, which wait if the work is not given out fast enough."""
        busy = (self.play + self.sending) / self.giving_out  # workers that can be kept busy
        return self.efficiency * min(1.0, busy / workers)


def seconds_of(ray: Any, job: Job) -> tuple[float, float]:
    """Wall time of a piece, and this program's processor time for it."""
    began = time.perf_counter()
    list(play(ray, [job] * 3))
    count = max(3, round(SECONDS * 3 / (time.perf_counter() - began)))
    began, used = time.perf_counter(), time.process_time()
    list(play(ray, [job] * count))
    return (time.perf_counter() - began) / count, (time.process_time() - used) / count


def measure(ray: Any, kind: str, size: int) -> Cost:
    """Measures pieces of a size."""
    job = Job(*resolve_pair(*PAIRS[kind]), make_game(), size, 0, PAIRS[kind])
    whole, _ = seconds_of(ray, job)
    at_once = job._replace(config=replace(job.config, horizon=1))
    # While it waits for long pieces, Ray's threads use the processor a little all the time.
    sending, giving_out = seconds_of(ray, at_once)
    return Cost(max(whole - sending, 1e-9), sending, giving_out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    ray = import_ray()
    ray.init(address="local", num_cpus=1, include_dashboard=False, logging_level="error")
    costs: dict[str, list[Cost]] = {}
    for kind in PAIRS:
        measure(ray, kind, SIZES[-1])  # the worker loads what it needs
        for size in SIZES:
            cost = measure(ray, kind, size)
            costs.setdefault(kind, []).append(cost)
            planned = " ".join(
                f"{cost.efficiency_on(machines * PROCESSORS):.0%}" for machines in MACHINES
            )
            print(
                f"{kind:9} {size:5} episodes: play {1e3 * cost.play:8.1f} ms, sending "
                f"{1e3 * cost.sending:5.1f} ms, giving out {1e3 * cost.giving_out:5.2f} ms, "
                f"efficiency {cost.efficiency:.0%}; on {MACHINES} machines {planned}",
                flush=True,
            )
    ray.shutdown()

    def figure() -> Figure:
        colors = plots.in_use()
        drawn = Figure(figsize=(6.0, 3.4), layout="constrained")
        axes = drawn.add_subplot()
        for color, (kind, found) in zip(colors.lines, costs.items()):
            shares = [100.0 * cost.efficiency for cost in found]
            axes.plot(SIZES, shares, marker="o", color=color, label=kind, clip_on=False)
        axes.axvline(PIECE, color=colors.faint, linestyle=":", label="as played")
        axes.set(xscale="log", ylim=(0.0, 100.0), xlabel="episodes of a piece")
        axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
        axes.minorticks_off()
        axes.set_ylabel("time that a worker plays [%]")
        axes.legend(loc="lower right")
        return drawn

    print_written(*save_both(options.out, figure))


if __name__ == "__main__":
    main()
