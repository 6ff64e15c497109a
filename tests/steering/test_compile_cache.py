"""Machine code is kept on disk, and only what is whole and of this version is used."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

import steer_env
from steer_env.steering import compile_cache
from steer_env.steering.addresses import address_of, column
from steer_env.steering.compile_cache import COMPILED_FROM, load_or_compile

pytestmark = pytest.mark.compiled

PACKAGE = Path(steer_env.__file__).parent


def triple(address):
    column(address, 0, 1, np.float64)[0] *= 3


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder of an empty cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compile_cache, "_has_failed", threading.Event())
    compile_cache._say.cache_clear()
    return tmp_path / "steer-env"


def load(load_or_compile=load_or_compile):
    """Loads or compiles a routine, and returns whether it was in the cache."""
    signature = numba.types.void(numba.types.intp)
    code = load_or_compile(
        "triple", lambda is_cached: numba.cfunc(signature, cache=is_cached)(triple)
    )
    number = np.ones(1)
    code.ctypes(address_of(number))
    assert number[0] == 3
    return code.cache_hits == 1


def files(cache, pattern="*"):
    """The files that are kept for the routine."""
    return [path for path in sorted(cache.glob(f"*/triple/{pattern}")) if path.is_file()]


def test_a_change_in_any_file_that_code_comes_from_is_noticed(cache, tmp_path):
    package = tmp_path / "source" / "steer_env"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))

    def is_found():
        path = package / "steering" / "compile_cache.py"
        spec = importlib.util.spec_from_file_location("copied", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return load(module.load_or_compile)

    assert not is_found()
    assert is_found()
    with (package / "sides.py").open("a") as source:
        source.write("# changed\n")
    assert not is_found()
    with (package / "information.py").open("a") as source:  # which is not compiled
        source.write("# changed\n")
    assert is_found()


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("file", "damage"),
    [("*/*.nbi", flip), ("*/*.nbc", cut), ("*/*.nbc", flip), ("checksums.sha256", Path.unlink)],
)
def test_damaged_files_are_made_anew(cache, file, damage, capsys):
    load()
    [path] = files(cache, file)
    damage(path)
    assert not load()
    assert load()
    [line] = capsys.readouterr().err.splitlines()
    assert "is not whole" in line


def test_a_full_disk_is_done_without(cache, capsys, monkeypatch):
    full = shutil.disk_usage("/")._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    assert not load()
    assert not load()
    [line] = capsys.readouterr().err.splitlines()
    assert "No space left on device" in line
    assert not files(cache, "**/*")


def test_the_report_counts_and_clearing_removes(cache):
    load()
    (cache / "mine.txt").write_text("mine")
    report = compile_cache.report()
    assert report.folder == str(cache)
    assert report.functions == 1
    assert 0 < report.kilobytes < 100
    compile_cache.clear()
    assert compile_cache.report() == (report.folder, 0, 0)
    assert os.listdir(cache) == ["mine.txt"]
    assert not load()


def test_no_other_file_has_compiled_functions():
    known = {path for pattern in COMPILED_FROM for path in PACKAGE.glob(pattern)}
    compilers = {"compiled", "compiled_loop", "compiled_entrance", "routine_address"}
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text()
        if path in known or not any(name in source for name in compilers):
            continue
        names = {getattr(node, "id", "") for node in ast.walk(ast.parse(source))}
        assert not names & compilers, path


def open_to_all(version):
    version.chmod(0o777)


def as_a_link(version):
    version.rename(version.with_name("elsewhere"))
    version.symlink_to("elsewhere")


@pytest.mark.skipif(os.name != "posix", reason="needs users and modes")
@pytest.mark.parametrize("change", [open_to_all, as_a_link])
def test_code_that_others_may_have_written_is_not_run(cache, capsys, change):
    load()
    [version] = cache.iterdir()
    change(version)
    assert not load()
    assert "others can write to it" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_code_behind_the_link_of_another_user_is_not_run(cache, capsys):
    load()
    cache.rename(cache.with_name("elsewhere"))
    cache.symlink_to("elsewhere")
    assert load()  # our own link
    os.chown(cache, 12345, -1, follow_symlinks=False)
    assert not load()
    assert "belongs to another user" in capsys.readouterr().err
