"""What can go wrong with a Ray cluster is one line each; here it really goes wrong."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.weekly

pytest.importorskip("ray")

JOIN = """
from steer_env.baselines.ray_cluster import ClusterError, joined
try:
    with joined({address}) as ray:
        {body}
        print("joined")
except ClusterError as error:
    print(error)
"""
CLUSTER = """
import ray
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args=dict(num_cpus=1, {options}))
{before}
{join}
cluster.shutdown()
"""


def printed(program):
    """What a program prints in a process of its own; `Cluster` leaves traces in this one."""
    kept = ("RAY_TMPDIR",)
    clean = {
        name: value
        for name, value in os.environ.items()
        if name in kept or not name.startswith("RAY_")
    }
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=clean, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_another_version_of_ray_is_named():
    join = JOIN.format(address="cluster.address", body="pass")
    found = printed(CLUSTER.format(options="", before="ray.__version__ = '1.2.3'", join=join))
    assert "cannot be used: Version mismatch: The cluster was started with: Ray:" in found
    assert "was started with: Ray: 1.2.3" in found
    assert "\n" not in found


ARRAYS = "kept = [ray.put(bytes(30 * 2**20)) for _ in range(6)]"


def test_a_full_object_store_moves_to_the_disk():
    join = JOIN.format(address="cluster.address", body=ARRAYS)
    small = "object_store_memory=80 * 2**20"
    assert printed(CLUSTER.format(options=small, before="", join=join)) == "joined"


def test_a_full_object_store_with_a_full_disk_is_one_line():
    join = JOIN.format(address="cluster.address", body=ARRAYS)
    small = (
        "object_store_memory=80 * 2**20, _system_config=dict(local_fs_capacity_threshold=0.001)"
    )
    found = printed(CLUSTER.format(options=small, before="", join=join))
    assert found.startswith("Ray gave up: ")
    assert "\n" not in found


def test_auto_without_a_cluster_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # where no other test has a cluster
    found = printed(JOIN.format(address="'auto'", body="pass"))
    assert found.startswith("Ray at auto cannot be used: Could not find any running Ray")
    assert "\n" not in found
