"""Matches on a Ray cluster: the same bits, whoever dies; its errors are one line each."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from steer_env.baselines import FunctionPolicy, crossplay, ray_cluster
from steer_env.baselines.evaluation_jobs import EvaluationJob, play_all
from steer_env.baselines.ray_cluster import ClusterError, RayWorkers, joined
from steer_env.errors import FaultyBehavior

pytestmark = [pytest.mark.weekly, pytest.mark.filterwarnings("default")]  # Ray's own

ROOT = Path(__file__).parents[2]
PURSUERS = ["pursuit", "seek", "pretrained/pursuit/ppo", "random"]
EVADERS = ["evade", "pretrained/evade/ppo", "wander"]
EPISODES = 300


@pytest.fixture(scope="module")
def cluster():
    """A head and two other nodes, on this machine."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(2):
        made.add_node(num_cpus=1)
    yield made
    made.shutdown()


@pytest.fixture(scope="module")
def expected():
    return crossplay(PURSUERS, EVADERS, episodes=EPISODES)


def test_a_cluster_plays_the_same_bits_though_a_node_dies(cluster, expected):
    nodes = [*cluster.worker_nodes]

    def kill(done, total):
        if done == total // 3:
            raylet = nodes[0].all_processes["raylet"][0].process
            os.kill(raylet.pid, signal.SIGKILL)

    with joined(cluster.address) as ray:
        assert ray_cluster.describe(ray) == "3 machines with 3 processors"
        jobs = [EvaluationJob.of(a, b, None, EPISODES, 0) for a in PURSUERS for b in EVADERS]
        found = play_all(jobs, RayWorkers(ray), progress=kill, piece=50)
    episodes = np.array([one.episodes for one in found]).reshape(expected.episodes.shape)
    assert episodes.tobytes() == expected.episodes.tobytes()
    deadline = time.monotonic() + 30.0
    while nodes[0].remaining_processes_alive() and time.monotonic() < deadline:
        time.sleep(0.1)  # it was killed while it played, not after
    assert not nodes[0].remaining_processes_alive()


def test_errors_of_a_task_are_those_of_this_machine(cluster):
    def broken(observations):
        return np.full((len(observations), 2), np.nan)

    with pytest.raises(ValueError, match="not finite") as there, joined(cluster.address) as ray:
        crossplay([FunctionPolicy(broken)], ["evade"], None, 5, workers=RayWorkers(ray))
    with pytest.raises(type(there.value)) as here:
        crossplay([FunctionPolicy(broken)], ["evade"], None, 5)
    assert str(here.value) == str(there.value)

    def faulty(me, other):
        return (me.position - other.position) / 0.0

    with pytest.raises(FaultyBehavior), joined(cluster.address) as ray:
        crossplay([faulty], ["evade"], None, 5, workers=RayWorkers(ray))


def test_a_worker_of_another_version_is_refused(cluster, monkeypatch):
    monkeypatch.setattr("steer_env.__version__", "9.9.9")
    job = EvaluationJob.of("pursuit", "evade", None, 5, 0)
    with (
        pytest.raises(ClusterError, match=r"a worker has steer_env .*, this machine 9\.9\.9"),
        joined(cluster.address) as ray,
    ):
        play_all([job], RayWorkers(ray))


def environment():
    """That of a shell in which nobody has used Ray: `Cluster` leaves its own traces."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return {**bare, "RAY_TMPDIR": os.environ["RAY_TMPDIR"]}  # its sockets need short paths


def run(*command):
    return subprocess.run(
        command, cwd=ROOT, env=environment(), check=True, capture_output=True, text=True
    )


def test_the_command_has_the_same_bits():
    pytest.importorskip("ray")
    done = run(
        *(sys.executable, "-m", "steer_env", "crossplay", "--episodes", "2000", "--json"),
        *("--pursuer", "pretrained/pursuit/ppo", "--evader", "evade", "--ray"),
    )
    here = crossplay(["pretrained/pursuit/ppo"], ["evade"], episodes=2000)
    assert json.loads(done.stdout) == json.loads(json.dumps(here.to_dict()))
    assert "Ray: 1 machine with" in done.stderr


def test_nobody_else_can_use_our_own_ray():
    pytest.importorskip("ray")
    code = (
        "import os, subprocess, sys\n"
        "from steer_env.baselines.ray_cluster import joined\n"
        "join = 'import ray, sys; ray.init(address=sys.argv[1]); print(len(ray.nodes()))'\n"
        "with joined() as ray:\n"
        "    address = ray.get_runtime_context().gcs_address\n"
        "    bare = {k: v for k, v in os.environ.items() if not k.startswith('RAY_')}\n"
        "    bare['RAY_NUM_REDIS_GET_RETRIES'] = '2'  # seconds\n"
        "    command = [sys.executable, '-c', join, address]\n"
        "    for environment in (bare, {**os.environ}):\n"
        "        done = subprocess.run(command, env=environment, capture_output=True)\n"
        "        print(done.returncode)\n"
    )
    done = run(sys.executable, "-c", code)
    assert done.stdout.split() == ["1", "0"]
