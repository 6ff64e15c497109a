"""The library that is shipped is loaded, or one line says why the games are compiled."""

from __future__ import annotations

import ctypes
import importlib
import json
import re
import shutil
import sys
import types
from hashlib import sha256
from typing import NamedTuple

import pytest
from gymnasium.error import DependencyNotInstalled
from machines import NATIVE, PAGES

from steer_env.browser.page import save_play_page
from steer_env.errors import InvalidValue
from steer_env.machine_code import library as loading
from steer_env.machine_code.library import FOLDER, LIBRARIES, MANIFEST, Library
from steer_env.machine_code.routines import ROUTINES, Routine

OURS = LIBRARIES.get((sys.platform, loading.platform.machine()), "none")

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(not (FOLDER / OURS).is_file(), reason="only wheels have a library"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of what is shipped, in which the next library is looked for."""
    for name in (OURS, "built.json"):
        shutil.copy(FOLDER / name, tmp_path)
    loading.code_at_hand()  # of the real sources
    monkeypatch.setattr(loading, "FOLDER", tmp_path)
    monkeypatch.setattr(loading, "MANIFEST", tmp_path / "built.json")
    loading.library.cache_clear()
    yield tmp_path
    loading.library.cache_clear()


def change_manifest(folder, **changes):
    (folder / "built.json").write_text(json.dumps(json.loads(MANIFEST.read_text()) | changes))


def put(content):
    """A fault: another library, which the manifest knows."""

    def change(folder):
        (folder / OURS).write_bytes(content)
        change_manifest(folder, files={OURS: sha256(content).hexdigest()})

    return change


def flip_a_bit(folder):
    content = bytearray((folder / OURS).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / OURS).write_bytes(content)


def put_a_folder(folder):
    (folder / OURS).unlink()
    (folder / OURS).mkdir()


OTHER = next(one.file for one in NATIVE if one.in_checkout and one.file != OURS)
FAULTS = {
    "missing": lambda folder: (folder / OURS).unlink(),
    "changed": flip_a_bit,
    "empty": lambda folder: (folder / OURS).write_bytes(b""),
    "for another machine": lambda folder: put((FOLDER / OTHER).read_bytes())(folder),
    "no library": put(b"nothing"),
    "a folder": put_a_folder,
    "of other code": lambda folder: change_manifest(folder, code={"sides.py": "0" * 16}),
    "not in the manifest": lambda folder: change_manifest(folder, files={}),
    "without a manifest": lambda folder: (folder / "built.json").unlink(),
    "a cut manifest": lambda folder: (folder / "built.json").write_text('{"sources": "4'),
    "a manifest without names": lambda folder: change_manifest(folder, files=[]),
    "a manifest of a list": lambda folder: (folder / "built.json").write_text("[1]"),
    "a manifest of noise": lambda folder: (folder / "built.json").write_bytes(b"\xff\x00"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_said_in_one_line_and_the_games_are_compiled(folder, fault, capsys):
    FAULTS[fault](folder)
    assert loading.library() is None
    assert loading.library() is None  # and is said once
    said = capsys.readouterr().err
    assert re.fullmatch(r"steer_env: [^\n]+; the games are compiled here[^\n]+\n", said)


def test_the_library_is_loaded_without_a_word(folder, capsys):
    assert str(loading.library()).startswith(OURS)
    assert capsys.readouterr().err == ""


def test_where_there_is_no_library_the_system_is_named(folder, capsys, monkeypatch):
    monkeypatch.setattr(loading.sys, "platform", "freebsd14")
    assert loading.library() is None
    assert "no machine code for freebsd14" in capsys.readouterr().err


def test_without_numba_an_error_says_what_to_install(folder, monkeypatch):
    (folder / OURS).unlink()
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "steer_env.machine_code.jit", raising=False)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "steer-env\[own\]"'):
        Routine(ROUTINES["play_games"].function).call(0)


def test_an_unknown_level_is_an_error(folder, monkeypatch):
    monkeypatch.setenv("STEER_ENV_CODE", "v9")
    with pytest.raises(InvalidValue, match=r"unknown STEER_ENV_CODE .* Valid: 'jit', 'v2'"):
        loading.library()


def test_a_level_above_the_processor_is_refused():
    class Old:
        processor_level = staticmethod(lambda: 1)

    library = Library.__new__(Library)
    library._code = Old()
    assert library._fitting(None) == 1
    with pytest.raises(OSError, match="v3"):
        library._fitting("v3")
    Old.processor_level = staticmethod(lambda: 0)
    with pytest.raises(OSError, match="v2"):
        library._fitting(None)


def test_every_routine_is_in_the_library():
    found = Library(FOLDER / OURS)
    names = [name for name in ROUTINES if ROUTINES[name].function.__module__ != PAGES]
    assert len({found.address(name) for name in names}) == len(names)
    with pytest.raises(LookupError, match="nothing_like_it"):
        found.address("nothing_like_it")


def test_the_digest_has_every_file_that_machine_code_comes_from():
    marks = ("compiled", "compiled_loop", "compiled_modular", "when_compiled", "routine")
    known = loading.source_files()
    for path in FOLDER.parent.rglob("*.py"):
        if re.search(rf"^ *@({'|'.join(marks)})\b", path.read_text(), re.MULTILINE):
            assert path in known, path


SOURCE = '''
"""A module."""
from typing import Final
ONE: Final = 1.0
"""Attributes have docstrings, too."""

def function(first: int, *, second=None) -> "str":
    """Docs."""
    return f"{first!r:>{second}} and " "\\u00e9" f"{ONE}" if first else "text"  # why

class Kind:
    """Nothing but docs."""
'''


def test_the_digest_of_code_is_that_of_every_python():
    assert loading.digest_of_code(SOURCE.encode()) == "3ea70f8b53b08433"


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("Docs.", "Other docs.", True),
        ('    """Docs."""\n', "", True),
        ("too.", "not.", True),
        ("  # why", "", True),
        ("\n", "\r\n", True),  # as a checkout on Windows may have it
        (' and " "', " and ", True),
        ("first: int, *, ", "\n    first: int,\n    *,\n    ", True),
        ("1.0", "1", False),
        ("None", "0", False),
        ("1.0", "1.0000000000000002", False),
        ('"text"', '"texts"', False),
        ('-> "str"', "", False),
        ("Kind", "Other", False),
        ("first else", "not first else", False),
        ("!r", "", False),
    ],
)
def test_the_digest_of_code_differs_where_the_code_does(old, new, is_same):
    assert old in SOURCE
    one, two = (loading.digest_of_code(s.encode()) for s in (SOURCE, SOURCE.replace(old, new)))
    assert (one == two) == is_same


def test_arguments_are_converted_or_refused():
    part = ROUTINES["part_vehicles"]
    assert part.takes == ["int"] * 4
    assert part.returns == "int"
    with pytest.raises((TypeError, ctypes.ArgumentError)):
        part.call(1.5, 0, 0, 0)
    with pytest.raises(TypeError):
        part.call(0, 0, 0)
    assert part.call(0, 0, 0, 0) == 0


def test_a_page_is_not_written_with_other_code(folder):
    for name in ("engine.wasm", "engine.json"):
        shutil.copy(FOLDER / name, folder)
    save_play_page(folder / "play.html")
    (folder / "engine.wasm").write_bytes((FOLDER / "engine.wasm").read_bytes()[:1000])
    with pytest.raises(InvalidValue, match=r"engine\.wasm is not the file that was built"):
        save_play_page(folder / "play.html")


@pytest.mark.parametrize("kind", [OSError(28, "No space left on device"), None])
def test_where_nothing_can_be_kept_a_routine_is_compiled_all_the_same(kind, monkeypatch):
    jit = importlib.import_module("steer_env.machine_code.jit")
    before = jit.numba.config.CACHE_DIR
    asked = []

    def compiled_code(function, signature, cache):
        asked.append(cache)
        if cache and kind is not None:
            raise kind
        return types.SimpleNamespace(address=len(asked))

    monkeypatch.setattr(jit, "_compiled_code", compiled_code)
    one = ROUTINES["play_games"]
    found = jit.compile_routine(one.function, one.takes, one.returns, is_users=False)
    assert asked == ([True, False] if kind else [True])
    assert found == len(asked)
    assert before == jit.numba.config.CACHE_DIR


class Counts(NamedTuple):
    rules: float  # a name that `Block` has, too, as the next two
    step: int
    side: int


def test_a_users_named_tuples_have_fields_of_any_name():
    jit = importlib.import_module("steer_env.machine_code.jit")
    importlib.import_module("steer_env.game.run.loop")  # whose module marks `Block`
    jit.know_functions()
    total = jit.njit(lambda counts: counts.rules + counts.step + counts.side)
    assert total(Counts(1.0, 2, 3)) == 6.0
