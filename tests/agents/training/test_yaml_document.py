"""Documents of a bounded size are read; bombs are refused before they go off."""

from __future__ import annotations

import os

import pytest

from agents.training.yaml_document import read_yaml
from steer_env.errors import InvalidValue

LEVELS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
MERGES = "".join(
    f"m{n}: &m{n}\n  <<: [{', '.join([f'*m{n - 1}'] * 9)}]\n" for n in range(1, 30)
)
HOSTILE = {
    "aliases of aliases": "a0: &a0 [1]\n" + LEVELS,
    "merges of merges": "m0: &m0 {a: 1}\n" + MERGES,
    "within itself": "&a [*a]",
    "deep": "[" * 50_000,
    "large": "- 1\n" * 2**16,
    "no text": "\x00",
    "an object": "!!python/object/apply:os.system [echo]",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_are_refused(text, tmp_path):
    path = tmp_path / "presets.yml"
    path.write_text(text)
    with pytest.raises(InvalidValue) as caught:
        read_yaml(path)
    assert "\n" not in str(caught.value)


def test_each_reading_gives_what_the_file_holds_now(tmp_path):
    path = tmp_path / "presets.yml"
    path.write_text("a: {x: 1}\n")
    read_yaml(path)["a"]["x"] = 2
    assert read_yaml(path) == {"a": {"x": 1}}
    path.write_text("a: {x: 3}\n")
    assert read_yaml(path) == {"a": {"x": 3}}


def test_aliases_and_merges_are_read(tmp_path):
    path = tmp_path / "presets.yml"
    path.write_text("a: &a {x: 1, y: [2]}\nb:\n  <<: *a\n  x: 3\nc: *a\n")
    found = read_yaml(path)
    assert found["b"] == {"x": 3, "y": [2]}
    assert found["c"] == found["a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there, folders have no such files")
def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "presets.yml")
    with pytest.raises(InvalidValue, match="not a file"):
        read_yaml(tmp_path / "presets.yml")
