"""A network comes out of its file as it went in, and no file makes it do anything else."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, strategies as st

from players.networks import (
    FEATURES,
    WIDTH,
    full_network,
    make_network,
    random_observations,
    write_zip,
)
from steer_env.players import archive
from steer_env.players.network import FORMAT, NetworkPolicy


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a network's file."""
    path = tmp_path_factory.mktemp("saved") / "network.npz"
    full_network().save(path)
    return path.read_bytes()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


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


def test_what_is_not_an_archive_is_refused(tmp_path):
    path = tmp_path / "network.npz"
    with pytest.raises(FileNotFoundError):
        NetworkPolicy.load(path)
    check_refused(tmp_path, "is not a file")
    for content in (b"", b"PK", b"no zip archive", npy(np.zeros(3))):
        path.write_bytes(content)
        check_refused(path, "damaged, or not an .npz archive")


WRONG_MEMBERS = {
    "objects": ("weights_0", npy(np.array([[print]]), True), r"float32 or float64.*'\|O'"),
    "integers": ("weights_0", npy(np.zeros((WIDTH, FEATURES), int)), "float32 or float64"),
    "text for numbers": ("log_std", npy(np.array("0")), "log_std must be real numbers"),
    "a wrong shape": ("weights_0", npy(np.zeros((WIDTH, 4))), r"must have the shape \(4,\)"),
    "a vector": ("weights_1", npy(np.zeros(8)), "weights 1 must have the shape"),
    "nan": ("weights_1", npy(np.full((2, WIDTH), np.nan)), "weights 1 must be finite"),
    "infinity": ("biases_1", npy(np.array([np.inf, 0.0])), "biases 1 must be finite"),
    "too large": ("biases_1", npy(np.array([1e300, 0.0])), "finite in float32"),
    "no clip": ("observation_clip", npy(np.array(-1.0)), "observation_clip must be finite"),
    "two clips": ("observation_clip", npy(np.ones(2)), "must be a single number"),
    "no name": ("head", npy(np.array("boxed")), "unknown head"),
    "numbers for text": ("head", npy(np.array(1.0)), "head must be one string"),
    "no characters": ("head", npy_claiming("()", b"\xff" * 12, "<U3"), "utf-32-le"),
    "next version": ("format", npy(np.array("steer_env network 3")), f"expected '{FORMAT}'"),
    "no JSON": ("metadata", npy(np.array("{")), "metadata are not JSON"),
    "deep JSON": ("metadata", npy(np.array("[" * 200_000)), "metadata are not JSON"),
    "no JSON object": ("metadata", npy(np.array("[1]")), "metadata must be a dict"),
    "JSON of nan": ("metadata", npy(np.array('{"a": NaN}')), "what JSON can hold"),
    "huge": ("weights_0", npy_claiming((2**40, 2**20)), "does not fit"),
    "huge and empty": ("weights_0", npy_claiming((2**62, 0)), "does not fit"),
    "many digits": ("weights_0", npy_claiming("9" * 5000), "not begin|does not fit"),
    "many axes": ("weights_0", npy_claiming((1,) * 100, b"\0" * 4), "dimension"),
    "negative": ("weights_0", npy_claiming((-1, -4), bytes(16)), "does not fit"),
    "huge text": ("head", npy_claiming("()", b"", "<U400000000"), "does not fit"),
    "too huge text": ("head", npy_claiming("()", b"", "<U999999999"), "not begin"),
    "too little data": ("biases_1", npy(np.zeros(2))[:-1], "does not fit"),
    "too much data": ("biases_1", npy(np.zeros(2)) + b"\0", "does not fit"),
    "nothing": ("biases_1", b"", "not begin as a plain .npy"),
    "another .npy version": ("biases_1", b"\x93NUMPY\x02\x00" + bytes(20), "not begin"),
}


@pytest.mark.parametrize(
    ("name", "member", "message"), WRONG_MEMBERS.values(), ids=WRONG_MEMBERS
)
def test_a_wrong_array_is_refused(name, member, message, saved, tmp_path):
    members = {**members_of(saved), f"{name}.npy": member}
    check_refused(write_zip(tmp_path / "network.npz", members), message)


@pytest.mark.parametrize(
    ("removed", "added", "message"),
    [
        (["format"], [], "has no array 'format'"),
        (["head"], [], r"lacks the arrays \['head'\]"),
        (["biases_1"], [], r"lacks the arrays \['biases_1'\]"),
        (["weights_0"], [], r"lacks the arrays \['weights_0'\]"),
        (["weights_0", "weights_1"], [], r"lacks the arrays \['weights_0'\]"),
        (["observation_mean"], [], "must both be given"),
        ([], ["surprise.npy"], r"unknown arrays \['surprise'\]"),
        ([], ["biases_2.npy"], r"unknown arrays \['biases_2'\]"),
        ([], ["weights_01.npy"], "lacks the arrays"),
        ([], ["readme.txt"], "'readme.txt' is there twice, or not an .npy"),
        ([], ["../outside.npy"], "unknown arrays"),
        ([], [f"many_{number}.npy" for number in range(200)], "more than the 143 arrays"),
    ],
)
def test_missing_and_unknown_arrays_are_refused(removed, added, message, saved, tmp_path):
    members = {
        name: member
        for name, member in members_of(saved).items()
        if name.removesuffix(".npy") not in removed
    }
    members.update(dict.fromkeys(added, npy(np.zeros(2))))
    check_refused(write_zip(tmp_path / "network.npz", members), message)


def changed_entry(content, offset, value):
    """The archive with some bytes of the first entry of its table of contents changed."""
    start = content.index(b"PK\x01\x02") + offset
    return content[:start] + value + content[start + len(value) :]


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (8, b"\x01", "'format.npy' .*is encrypted"),
        (24, b"\xff\xff\xff\x07", "claims a size that it cannot have"),
        (20, b"\xff\xff\xff\x00\xff\xff\xff\x00", "damaged"),
        (20, b"\x00\x00\x00\x20\x00\x00\x00\x20", "claim a size that they cannot have"),
        (16, b"\0\0\0\0", "damaged"),
        (42, b"\xff\xff\xff\x00", "damaged"),
    ],
    ids=["encrypted", "grown", "beyond the end", "huge", "wrong checksum", "misplaced"],
)
def test_a_false_table_of_contents_is_refused(offset, value, message, saved, tmp_path):
    path = tmp_path / "network.npz"
    path.write_bytes(changed_entry(saved, offset, value))
    check_refused(path, message)


def test_a_bomb_is_refused_before_it_is_unpacked(saved, tmp_path):
    bomb = npy_claiming((2**20, 4), bytes(2**24))
    members = {**members_of(saved), "weights_0.npy": bomb}
    path = write_zip(tmp_path / "network.npz", members, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 2**16
    check_refused(path, "'weights_0' claims a size that it cannot have")


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_that_is_unpacked_without_a_limit_is_refused(compression, saved, tmp_path):
    path = write_zip(tmp_path / "network.npz", members_of(saved), compression)
    check_refused(path, "neither stored nor deflated")


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
    content, members = bytearray(saved), members_of(saved)
    how = data.draw(st.sampled_from(["cut", "flipped", "flipped behind a right checksum"]))
    if how == "cut":
        content = content[: data.draw(st.integers(0, len(content) - 1), "length")]
    elif how == "flipped":
        # Most of what is not covered by a checksum is in the table of contents, at the end.
        table = saved.index(b"PK\x01\x02")
        first = data.draw(st.sampled_from([0, table]), "first")
        for _ in range(data.draw(st.integers(1, 3), "flips")):
            index = data.draw(st.integers(first, len(content) - 1), "index")
            content[index] ^= data.draw(st.integers(1, 255), "bits")
    else:
        name = data.draw(st.sampled_from(sorted(members)), "member")
        member = bytearray(members[name])
        index = data.draw(st.integers(0, len(member) - 1), "index")
        member[index] ^= data.draw(st.integers(1, 255), "bits")
        content = write_zip(path, {**members, name: bytes(member)}).read_bytes()
    load_or_refuse(bytes(content), path)
