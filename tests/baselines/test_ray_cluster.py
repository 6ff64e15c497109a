"""Matches on a Ray of this machine: the same bits; its errors are one line each."""

import socket
import sys

import numpy as np
import pytest

from steer_env.baselines import FunctionPolicy, crossplay
from steer_env.baselines.ray_cluster import ClusterError, RayWorkers, describe, joined
from steer_env.cli import main
from steer_env.errors import InvalidValue

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own


def test_ray_plays_the_same_bits_and_raises_the_same_errors():
    pytest.importorskip("ray")
    sides = ["pursuit", "random"], ["evade", "wander"]
    here = crossplay(*sides, None, 30)

    def broken(observations):
        return np.full((len(observations), 2), np.nan)

    with joined() as ray:
        assert describe(ray).startswith("1 machine with ")
        there = crossplay(*sides, None, 30, workers=RayWorkers(ray))
        with pytest.raises(ValueError, match="not finite"):
            crossplay([FunctionPolicy(broken)], ["evade"], None, 5, workers=RayWorkers(ray))
    assert there.episodes.tobytes() == here.episodes.tobytes()
    assert there.to_dict() == here.to_dict()


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


def test_a_cluster_that_refuses_may_want_a_token(monkeypatch):
    ray = pytest.importorskip("ray")

    def refuse(**_):
        raise ConnectionError("Failed to connect to Ray cluster at 10.0.0.1:6379")

    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(ClusterError, match=r"6379; .* RAY_AUTH_MODE=token"), joined("auto"):
        pass


def test_without_ray_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit):
        main(["crossplay", "--ray"])
    assert 'pip install "steer-env[ray]"' in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["benchmark", "pursuit", "--ray", "a:1", "b:2"])
    assert "one address at most" in capsys.readouterr().err
