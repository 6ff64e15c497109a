"""Exported files play as the network does, in their own runtime, and say what they are."""

import itertools
import json
import re
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from gymnasium.error import DependencyNotInstalled
from players.networks import random_encoder
from weekly import weekly_but

from steer_env import __version__
from steer_env.agents.export.export import (
    InexactExport,
    export,
    largest_difference,
    likely_observations,
)
from steer_env.baselines import NetworkPolicy, load
from steer_env.cli import main
from steer_env.players.blocks import BlockCounts
from steer_env.players.pretrained import names

FEATURES = 21
KINDS = {
    "box tanh normalized": {"is_normalized": True},
    "box relu": {"activation": "relu", "log_std": [-1.0, -1.0]},
    "squashed": {"head": "squashed", "activation": "relu", "is_normalized": True},
    "categorical": {"head": "categorical", "is_normalized": True},
    "greedy": {"head": "greedy", "activation": "relu"},
    "one layer": {"activation": "relu", "hidden": ()},
    "pooled": {"activation": "relu", "blocks": (2, 3, 4)},
    "pooled allotted": {"activation": "relu", "blocks": (3, 2, 0), "allots": True},
    "pooled alone": {"activation": "relu", "blocks": (3, 0, 0), "allots": True},
    "pooled categorical": {"head": "categorical", "blocks": (1, 0, 2)},
}


def make_network(hidden=(64, 64), is_normalized=False, blocks=None, steepness=1.0, **given):
    given = {"head": "box", "activation": "tanh", **given}
    random, allots, inputs = np.random.default_rng(0), given.pop("allots", False), FEATURES
    if blocks is not None:
        given["encoder"] = random_encoder(random, BlockCounts(*blocks), allots=allots)
        inputs = given["encoder"].inputs
    sizes = [inputs, *hidden, 2 if given["head"] in ("box", "squashed") else 9]
    pairs = itertools.pairwise(sizes)
    weights = [random.normal(size=(after, n)) / np.sqrt(n) for n, after in pairs]
    weights[-1] *= steepness
    biases = [0.1 * random.normal(size=after) for after in sizes[1:]]
    if is_normalized:
        given["observation_mean"] = random.uniform(-0.5, 0.5, FEATURES)
        given["observation_variance"] = random.uniform(0.1, 0.5, FEATURES)
        # Two features that hardly vary, where rounding the mean counts most.
        given["observation_mean"][:2] = 0.9
        given["observation_variance"][:2] = (0.0, 1e-9)
        given["observation_clip"] = 2.0
    return NetworkPolicy(weights, biases, **given)


def observations(network):
    """10,000 that the network knows, and the corners, where what is clipped is clipped."""
    shape = 500, *network.observation_space.shape
    corners = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], shape)
    return np.concatenate([likely_observations(network), corners]).astype(np.float32)


def play_onnx(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        path.read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    return lambda observation: session.run(["action"], {"observation": observation})[0]


@pytest.fixture
def run(tmp_path):
    """The folder of a run."""
    make_network(metadata={"environment": "Pursuit-v0"}).save(tmp_path / "policy.npz")
    return tmp_path


QUICK = (
    ("box tanh normalized", 1e3),
    ("squashed", 1.0),
    ("categorical", 1e3),
    ("one layer", 1.0),
    ("pooled allotted", 1.0),
    ("pooled alone", 1e3),
)


ALL = itertools.product(KINDS, (1.0, 1e3))


@pytest.mark.parametrize(("kind", "steepness"), weekly_but(QUICK, ALL))
def test_an_exported_network_plays_as_the_network(kind, steepness, tmp_path):
    """A last layer of large weights magnifies rounding, which calls for double precision."""
    network = make_network(**KINDS[kind], steepness=steepness)
    network.save(tmp_path / "policy.npz")
    path, precision, difference = export(tmp_path, "onnx")
    is_discrete = network.head in ("categorical", "greedy")
    assert precision == ("float32" if steepness == 1.0 or is_discrete else "float64")
    act = play_onnx(path)
    assert difference <= 1e-5
    assert largest_difference(network, act, observations(network)) <= 1e-5
    for count in (1, 3):  # another number of observations than when it was written
        rows = np.zeros((count, *network.observation_space.shape), np.float32)
        assert len(act(rows)) == count


NETWORKS = [name for name in names() if not name[-1].isdigit()]
SEARCHED = [name for name in NETWORKS if name.endswith("/search")]


@pytest.mark.parametrize("name", weekly_but(SEARCHED, NETWORKS))
def test_pretrained_networks_play_as_they_do_here(name, tmp_path):
    path, precision, _ = export(name, "onnx", tmp_path / "policy.onnx")
    network = load(name)
    if name.endswith("/search"):  # the README's demo trains such a network
        assert precision == "float64"
    assert largest_difference(network, play_onnx(path), observations(network)) <= 2e-5


def test_default_files_lie_beside_the_network(run, capsys):
    main(["export", str(run), "--to", "onnx"])
    said = capsys.readouterr().out
    assert "policy.onnx" in said
    assert re.search(r"float32; on 10,000 .* by at most \d\.\de-0[67]", said)
    copy = NetworkPolicy.load(export(run, "npz", run / "copy.npz").path)
    assert copy.is_equal(NetworkPolicy.load(run / "policy.npz"))
    left = {path.name for path in run.iterdir()}
    assert left == {"policy.npz", "policy.onnx", "copy.npz"}


def test_onnx_has_named_ends_and_metadata_and_is_the_same_each_time(run):
    model = onnx.load(export(run, "onnx").path)
    again = export(run, "onnx", run / "again.onnx").path.read_bytes()
    assert again == (run / "policy.onnx").read_bytes()
    (given,), (taken,) = model.graph.input, model.graph.output
    assert (given.name, taken.name) == ("observation", "action")
    sizes = given.type.tensor_type.shape.dim
    assert (sizes[0].dim_param, sizes[1].dim_value) == ("N", FEATURES)
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    assert metadata["version"] == __version__
    assert metadata["environment"] == "Pursuit-v0"
    assert metadata["head"] == "box"
    assert json.loads(metadata["training"]) == {"environment": "Pursuit-v0"}


def test_an_inexact_export_is_not_written(run, monkeypatch):
    """Normalization that goes wrong stands for anything that could."""
    network = make_network(is_normalized=True)
    network.save(run / "policy.npz")
    monkeypatch.setattr("steer_env.agents.export.torch_network.VARIANCE_FLOOR", 1.0)
    with pytest.raises(InexactExport, match=r"policy\.onnx is not written.*more than 1e-05"):
        export(run, "onnx")
    assert [path.name for path in run.iterdir()] == ["policy.npz"]


def test_the_difference_of_discrete_actions_is_their_loss():
    network = make_network(head="greedy", hidden=())
    observation = np.zeros((1, FEATURES), np.float32)  # so the values are the biases
    worst = np.array([network.biases[0].argmin()])
    expected = network.biases[0].max() - network.biases[0].min()
    loss = largest_difference(network, lambda _: worst, observation)
    np.testing.assert_allclose(loss, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "to", "out", "message"),
    [
        ("", "onxx", None, "Did you mean 'onnx'"),
        ("", "onnx", "policy.pt", r"'\.onnx'"),
        ("", "onnx", "none/policy.onnx", "no folder"),
        ("", "onnx", "folder.onnx", "is a folder"),
        ("", "npz", None, "own file"),
        ("damaged.npz", "onnx", None, "not a valid network file"),
        ("no_run", "onnx", None, "no folder"),
        ("folder.onnx", "onnx", None, r"no policy\.npz"),
        ("missing.npz", "onnx", None, "missing"),
        ("pretrained/pursuit/none", "onnx", None, "pretrained"),
    ],
)
def test_what_cannot_be_exported_is_refused(run, name, to, out, message):
    (run / "folder.onnx").mkdir()
    (run / "damaged.npz").write_bytes((run / "policy.npz").read_bytes()[:-100])
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        export(run / name if "/" not in name else name, to, None if out is None else run / out)


@pytest.mark.parametrize("package", ["onnx", "torch"])
def test_a_missing_package_is_named(package, run, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "steer_env.agents.export.torch_network", raising=False)
    with pytest.raises(DependencyNotInstalled, match=rf'{package} is.*"steer-env\[agents\]"'):
        export(run, "onnx")
