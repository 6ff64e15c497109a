"""Matches on a Ray cluster: the same bits, whoever dies; its errors are one line each."""

import socket
import sys

import pytest

from baselines.__main__ import main
from baselines.ray_cluster import ClusterError, joined
from steer_env.errors import InvalidValue

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own


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


def test_an_address_where_nobody_answers_is_an_error_at_once():
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        for given in (address, f"ray://{address}"):
            with pytest.raises(ClusterError, match=f"nobody answers at {given}"), joined(given):
                pass
    for given in ("nonsense", "host:port", ":1", "host:70000"):
        with pytest.raises(InvalidValue, match="HOST:PORT"), joined(given):
            pass


def test_without_ray_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit):
        main(["crossplay", "--ray"])
    assert 'pip install "steer-env[ray]"' in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["benchmark", "pursuit", "--ray", "a:1", "b:2"])
    assert "--ray takes one address at most, got a:1, b:2" in capsys.readouterr().err
