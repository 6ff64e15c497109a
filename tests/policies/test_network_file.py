"""A network comes out of its file as it went in, and no file makes it do anything else."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, strategies as st

from policies.networks import full_network, make_network, random_observations
from steer_env.policies import archive
from steer_env.policies.network import NetworkPolicy


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a network's file."""
    path = tmp_path_factory.mktemp("saved") / "network.npz"
    full_network().save(path)
    return path.read_bytes()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_zip(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return path


def npy(array, allow_pickle=False):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def npy_claiming(shape, data=b"", dtype="<f4"):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def check_refused(path, message):
    with pytest.raises(ValueError, match=message) as caught:
        NetworkPolicy.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "network",
    [
        full_network(),
        make_network("squashed", layers=1, activation="relu"),
        make_network("categorical", layers=4),
        make_network("greedy", metadata={"note": "schnell & gewandt: ü, 雪, \U0001f98a"}),
    ],
    ids=lambda network: network.head,
)
def test_a_loaded_network_is_the_saved_one(network, tmp_path):
    path = tmp_path / "network.of.mine"
    network.save(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["network.of.mine"]
    loaded = NetworkPolicy.load(str(path), seed=0)
    assert loaded.metadata == network.metadata
    assert loaded.observation_clip == network.observation_clip
    assert (loaded.head, loaded.activation) == (network.head, network.activation)
    observations = random_observations(100)
    fresh = NetworkPolicy.load(path, seed=3).predict(observations, deterministic=True)
    np.testing.assert_array_equal(
        fresh[0], network.predict(observations, deterministic=True)[0]
    )
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_it_neither_writes_nor_reads_what_is_too_large(saved, tmp_path, monkeypatch):
    path = tmp_path / "network.npz"
    path.write_bytes(saved)
    monkeypatch.setattr(archive, "MAX_BYTES", len(saved) - 1)
    check_refused(path, "are read")
    with pytest.raises(ValueError, match="a file has at most"):
        full_network().save(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        NetworkPolicy.load(tmp_path / "none.npz")
    check_refused(tmp_path, "is not a file")


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip archive", npy(np.zeros(3))])
def test_a_file_that_is_not_an_archive_is_refused(content, tmp_path):
    path = tmp_path / "network.npz"
    path.write_bytes(content)
    check_refused(path, "damaged, or not an .npz archive")


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_bomb_is_refused_before_it_is_unpacked(compression, saved, tmp_path):
    bomb = npy_claiming((2**20, 4), bytes(2**24))
    members = {"weights_0.npy": bomb, **members_of(saved)}
    path = write_zip(tmp_path / "network.npz", members, compression)
    assert path.stat().st_size < 2**16
    check_refused(path, "'weights_0' is compressed")


def load_or_refuse(content, path):
    """Loads what may be damaged: it must be refused, or be a network of finite arrays."""
    path.write_bytes(content)
    try:
        network = NetworkPolicy.load(path)
    except ValueError as refusal:
        error = refusal
    else:
        for array in (*network.weights, *network.biases):
            assert np.isfinite(array).all()
        assert isinstance(network.metadata, dict)
        return
    assert str(path) in str(error)


@given(data=st.data())
def test_truncated_or_flipped_files_are_refused_or_harmless(data, saved, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    content = bytearray(saved)
    if data.draw(st.booleans(), "truncate"):
        content = content[: data.draw(st.integers(0, len(content) - 1), "length")]
    else:
        # Most of what is not covered by a checksum is in the table of contents, at the end.
        table = saved.index(b"PK\x01\x02")
        first = data.draw(st.sampled_from([0, table]), "first")
        for _ in range(data.draw(st.integers(1, 3), "flips")):
            index = data.draw(st.integers(first, len(content) - 1), "index")
            content[index] ^= data.draw(st.integers(1, 255), "bits")
    load_or_refuse(bytes(content), path)
