"""Evaluations on a Ray cluster: the same bits, whoever dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import ray_cluster
from ray_cluster import describe, joined

from steer_env.baselines import FunctionPolicy, crossplay
from steer_env.errors import FaultyBehavior

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own
WEEKLY = pytest.mark.weekly

ROOT = Path(__file__).parents[2]


def broken_policy():
    """Of a function that is sent to workers, which cannot import this module."""

    def broken(observations):
        return np.full((len(observations), 2), np.nan)

    return FunctionPolicy(broken)


def test_ray_plays_the_same_bits_and_raises_the_same_errors():
    pytest.importorskip("ray")
    sides = ["pursuit", "random"], ["evade", "wander"]
    here = crossplay(*sides, None, 30)
    with joined() as ray:
        assert describe(ray).startswith("1 machine with ")
        there = ray_cluster.crossplay(ray, *sides, None, 30)
        with pytest.raises(ValueError, match="not finite"):
            ray_cluster.crossplay(ray, [broken_policy()], ["evade"], None, 5)
    assert there.episodes.tobytes() == here.episodes.tobytes()
    assert there.to_dict() == here.to_dict()


def test_an_address_where_nobody_answers_is_an_error_at_once():
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        for given in (address, f"ray://{address}"):
            with (
                pytest.raises(ConnectionError, match=f"nobody answers at {given}"),
                joined(given),
            ):
                pass
    for given in ("nonsense", "host:port"):
        with pytest.raises(ValueError, match=given), joined(given):
            pass


def run(*command):
    """Runs Python in a shell in which nobody has used Ray: `Cluster` leaves its own traces."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    kept = {"RAY_TMPDIR": os.environ["RAY_TMPDIR"]}  # its sockets need short paths
    kept |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'examples'}"}
    given = {"capture_output": True, "text": True, "check": True, "env": {**bare, **kept}}
    return subprocess.run([sys.executable, *command], cwd=ROOT, **given)


# A real cluster, on this machine.


@pytest.fixture(scope="module")
def cluster():
    """A head and two other nodes."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(2):
        made.add_node(num_cpus=1)
    yield made
    made.shutdown()


@WEEKLY
def test_a_cluster_plays_the_same_bits_though_a_node_dies(cluster):
    pursuers = ["pursuit", "seek", "pretrained/pursuit/ppo", "random"]
    evaders, nodes = ["evade", "pretrained/evade/ppo", "wander"], [*cluster.worker_nodes]

    def kill(done, total):
        if done == total // 3:
            raylet = nodes[0].all_processes["raylet"][0].process
            os.kill(raylet.pid, signal.SIGKILL)

    with joined(cluster.address) as ray:
        assert ray_cluster.describe(ray) == "3 machines with 3 processors"
        given = ray, pursuers, evaders
        found = ray_cluster.crossplay(*given, episodes=300, progress=kill, piece=50)
    expected = crossplay(pursuers, evaders, episodes=300)
    assert found.episodes.tobytes() == expected.episodes.tobytes()
    deadline = time.monotonic() + 30.0
    while nodes[0].remaining_processes_alive() and time.monotonic() < deadline:
        time.sleep(0.1)  # it was killed while it played, not after
    assert not nodes[0].remaining_processes_alive()


@WEEKLY
def test_errors_of_a_task_are_those_of_this_machine(cluster):
    def faulty(me, other):
        return (me.position - other.position) / 0.0

    for player, error in ((broken_policy(), ValueError), (faulty, FaultyBehavior)):
        with pytest.raises(error) as there, joined(cluster.address) as ray:
            ray_cluster.crossplay(ray, [player], ["evade"], None, 5)
        with pytest.raises(error) as here:
            crossplay([player], ["evade"], None, 5)
        assert str(here.value) in str(there.value)


@WEEKLY
def test_the_program_has_the_same_bits():
    pytest.importorskip("ray")
    line = "--episodes 2000 --evader evade flee --pursuer pretrained/pursuit/ppo"
    done = run("examples/ray_cluster.py", *line.split())
    here = crossplay(["pretrained/pursuit/ppo"], ["evade", "flee"], episodes=2000)
    assert done.stdout == f"{here}\n"
    assert "Ray: 1 machine with" in done.stderr


OTHERS = """
import os, subprocess, sys
from ray_cluster import joined
join = "import ray, sys; ray.init(address=sys.argv[1]); print(len(ray.nodes()))"
with joined() as ray:
    address = ray.get_runtime_context().gcs_address
    bare = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    bare["RAY_NUM_REDIS_GET_RETRIES"] = "2"  # seconds
    command = [sys.executable, "-c", join, address]
    for environment in (bare, {**os.environ}):
        print(subprocess.run(command, env=environment, capture_output=True).returncode)
"""


@WEEKLY
def test_nobody_else_can_use_our_own_ray():
    pytest.importorskip("ray")
    assert run("-c", OTHERS).stdout.split() == ["1", "0"]
