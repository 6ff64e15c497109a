"""A large cross-play on a Ray cluster of three nodes of this machine, one of which is killed.

    python tests/by_hand/ray_crossplay.py --players 20 --episodes 2000

It is played in one process, on the cluster, and on the cluster while a node is killed with
SIGKILL in the middle; prints the seconds and whether the episodes have the same bits. The exit
status is 1 if they do not. `tests/thorough/baselines/test_ray_with_killed_nodes.py` is a short
form.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time

from ray.cluster_utils import Cluster

from steer_env.baselines import CrossPlay, crossplay
from steer_env.baselines.evaluation_jobs import Workers
from steer_env.baselines.ray_cluster import RayWorkers, joined
from steer_env.policies import pretrained
from steer_env.scenarios.registry import DEFAULT_GAME
from steer_env.scripts.roster import ROSTER
from steer_env.sides import Side

NODES = 3


def players_of(side: Side, count: int) -> list[str]:
    """Scripts of a side, and one network to three scripts."""
    game = "evade" if side is Side.EVADER else "pursuit"
    networks = [name for name in pretrained.names() if name.startswith(f"pretrained/{game}/")]
    scripts = [
        name
        for name, script in ROSTER.items()
        if (script.chases if side is Side.PURSUER else script.runs_away)
    ]
    networks = networks[: count // 4]
    return [*scripts[: count - len(networks)], *networks]


def main() -> None:
    """Plays all three, and compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=20, help="of each side")
    parser.add_argument("--episodes", type=int, default=2000)
    options = parser.parse_args()
    players = [players_of(side, options.players) for side in Side]
    print(f"{' x '.join(str(len(one)) for one in players)} players, {DEFAULT_GAME} game")

    def played(title: str, workers: Workers | None, kill_at: float = 2.0) -> CrossPlay:
        def kill(done: int, total: int) -> None:
            if nodes and done >= kill_at * total:
                raylet = nodes.pop().all_processes["raylet"][0].process
                os.kill(raylet.pid, signal.SIGKILL)
                print(f"killed a node after {done} of {total} pairs", flush=True)

        began = time.perf_counter()
        found = crossplay(*players, episodes=options.episodes, progress=kill, workers=workers)
        print(f"{title}: {time.perf_counter() - began:.0f} s", flush=True)
        return found

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(NODES - 1)]
    expected = played("one process", None).episodes.tobytes()
    with joined(cluster.address) as ray:
        workers = RayWorkers(ray)
        found = [
            played(f"{NODES} nodes", workers).episodes.tobytes(),
            played(f"{NODES} nodes, one killed", workers, 0.5).episodes.tobytes(),
        ]
    cluster.shutdown()
    are_same = [one == expected for one in found]
    print("the same bits:", *are_same)
    sys.exit(not all(are_same))


if __name__ == "__main__":
    main()
