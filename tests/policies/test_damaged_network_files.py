"""A network comes out of its file as it went in, and no file makes it do anything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from policies.networks import FEATURES, WIDTH
from policies.test_network_file import (
    check_refused,
    load_or_refuse,
    members_of,
    npy,
    npy_claiming,
    saved,  # noqa: F401
    write_zip,
)
from steer_env.policies.network import FORMAT

pytestmark = pytest.mark.weekly

WRONG_MEMBERS = {
    "objects": ("weights_0", npy(np.array([[print]]), True), r"float32 or float64.*'\|O'"),
    "a structure": (
        "weights_0",
        npy(np.zeros(2, "f4,f4")),
        r"float32 or float64.*'\|V8'",
    ),
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
    "two texts": ("head", npy(np.array(["box", "box"])), "head must be one string"),
    "no characters": ("head", npy_claiming("()", b"\xff" * 12, "<U3"), "utf-32-le"),
    "next version": ("format", npy(np.array("steer_env network 3")), f"expected '{FORMAT}'"),
    "no JSON": ("metadata", npy(np.array("{")), "metadata are not JSON"),
    "deep JSON": ("metadata", npy(np.array("[" * 200_000)), "metadata are not JSON"),
    "no JSON object": ("metadata", npy(np.array("[1]")), "metadata must be a dict"),
    "JSON of nan": ("metadata", npy(np.array('{"a": NaN}')), "what JSON can hold"),
    "huge": ("weights_0", npy_claiming((2**40, 2**20)), "does not fit"),
    "huge and empty": ("weights_0", npy_claiming((2**62, 0)), "does not fit"),
    "many digits": (
        "weights_0",
        npy_claiming("(" + "9" * 5000 + ",)"),
        "not begin|does not fit",
    ),
    "many axes": ("weights_0", npy_claiming((1,) * 100, b"\0" * 4), "dimension"),
    "negative": ("weights_0", npy_claiming((-1, -4), bytes(16)), "does not fit"),
    "huge text": ("head", npy_claiming("()", b"", "<U400000000"), "does not fit"),
    "too huge text": ("head", npy_claiming("()", b"", "<U999999999"), "not begin"),
    "too little data": ("biases_1", npy(np.zeros(2))[:-1], "does not fit"),
    "too much data": ("biases_1", npy(np.zeros(2)) + b"\0", "does not fit"),
    "nothing": ("biases_1", b"", "not begin as a plain .npy"),
    "another .npy version": ("biases_1", b"\x93NUMPY\x02\x00" + bytes(20), "not begin"),
}


@pytest.mark.parametrize("what", WRONG_MEMBERS)
def test_a_wrong_array_is_refused(what, saved, tmp_path):
    name, member, message = WRONG_MEMBERS[what]
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
        (8, b"\x01", "'format' is encrypted"),
        (24, b"\xff\xff\xff\x7f", "claims a size that it cannot have"),
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


@given(data=st.data())
def test_arrays_damaged_behind_a_right_checksum_are_refused_or_harmless(
    data, saved, tmp_path_factory
):
    path = tmp_path_factory.getbasetemp() / "forged.npz"
    members = members_of(saved)
    name = data.draw(st.sampled_from(sorted(members)), "member")
    member = bytearray(members[name])
    index = data.draw(st.integers(0, len(member) - 1), "index")
    member[index] ^= data.draw(st.integers(1, 255), "bits")
    write_zip(path, {**members, name: bytes(member)})
    load_or_refuse(path.read_bytes(), path)
