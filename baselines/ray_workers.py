"""Plays matches on a Ray cluster.

Each match is a task; Ray gives it to a free processor, and to another one if a machine dies.
A match's result depends on nothing but the match, so neither the number of machines, nor their
order, nor their deaths change a bit of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import steer_env
from baselines.evaluation import Evaluation
from baselines.matches import Match
from baselines.ray_cluster import ClusterError

AT_ONCE = 1000
"""Tasks that are given to Ray at once: enough for a large cluster to see that it is needed,
and few enough that their results find room."""

RETRIES = 20
"""Machines that may die under a task; one that kills every machine ends the program."""


class RayWorkers:
    """Workers of `play_all`, `crossplay` and `benchmark` on a Ray cluster.

    Args:
        ray: the package, connected to the cluster: what `ray_cluster.joined` yields.

    Example:
        ``with joined("10.0.0.1:6379") as ray: crossplay(a, b, workers=RayWorkers(ray))``
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def play(self, matches: Sequence[Match]) -> Iterator[tuple[int, Evaluation]]:
        """Yields the number of each match and its evaluation, in the order they get done.

        Raises:
            ClusterError: if a worker has another version of steer_env.
        """
        ray = self._ray
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
        sent: dict[int, Any] = {}  # each player once, however many matches it has

        def reference(player: Any) -> Any:
            if id(player) not in sent:
                sent[id(player)] = ray.put(player)
            return sent[id(player)]

        running: dict[Any, int] = {}
        waiting = iter(enumerate(matches))
        while True:
            while len(running) < AT_ONCE:
                number, match = next(waiting, (-1, None))
                if match is None:
                    break
                bare = replace(match, pursuer="", evader="")
                players = reference(match.pursuer), reference(match.evader)
                running[task.remote(bare, *players)] = number
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


def _play(match: Match, pursuer: Any, evader: Any) -> Evaluation:
    return replace(match, pursuer=pursuer, evader=evader).play(num_threads=1)
