"""Caches of machine code that are killed, damaged, shared, full, or not one's own."""

from __future__ import annotations

import ast
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import platformdirs
import pytest
from filelock import FileLock
from steering.test_compile_cache import (
    PACKAGE,
    cache,  # noqa: F401
    cut,
    files,
    flip,
    triple,
)

from steer_env.steering import compile_cache
from steer_env.steering.addresses import address_of, column
from steer_env.steering.compile_cache import COMPILED_FROM, load_or_compile

pytestmark = pytest.mark.compiled


# ---- In other processes -------------------------------------------------------------------

ROUTINE = """
import numpy as np
from steer_env.steering.addresses import column

def triple(address):
    column(address, 0, 1, np.float64)[0] *= 3
"""

PROGRAM = """
from steer_env.steering import addresses, compile_cache, routine
import numpy as np

compile_cache._NOTICE_AFTER = 1e9
number = np.ones(1)
machine_code = addresses._machine_code(routine.triple, is_cached=True)
machine_code.ctypes(addresses.address_of(number))
print(number[0], "loaded" if machine_code.cache_hits else "compiled")
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package with a routine of its own."""
    copy = tmp_path / "source" / "steer_env"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "steering" / "routine.py").write_text(ROUTINE)
    return copy


def start(package, program=PROGRAM, **environment):
    """Starts a process that calls the routine of a copy of the package."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "NUMBA_CACHE_DIR": str(package.parent / "cache"),
        **environment,
    }
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=package.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(package, program=PROGRAM, **environment):
    """The output of such a process, and its lines on stderr."""
    process = start(package, program, **environment)
    printed, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    return printed.strip(), complaints.splitlines()


COMPILED, LOADED = ("3.0 compiled", []), ("3.0 loaded", [])


def test_machine_code_of_a_former_version_is_never_used(package):
    """Even where it lies under the very name, as after a write that failed."""
    run(package)
    [old] = package.parent.glob("cache/**/*.nbc")
    former = old.read_bytes()
    (package / "steering" / "routine.py").write_text(ROUTINE.replace("3", "2"))
    assert run(package) == ("2.0 compiled", [])
    [new] = set(package.parent.glob("cache/**/*.nbc")) - {old}
    new.write_bytes(former)
    printed, complaints = run(package)
    assert printed == "2.0 compiled"
    assert "is not whole" in complaints[0]


def test_a_change_in_any_file_that_code_comes_from_is_noticed(package):
    assert run(package) == COMPILED
    assert run(package) == LOADED
    for file in ("scripts/roster.py", "sides.py"):
        with (package / file).open("a") as source:
            source.write("# changed\n")
        assert run(package) == COMPILED, file
    with (package / "information.py").open("a") as source:
        source.write("# changed\n")
    assert run(package) == LOADED
    assert run(package, NUMBA_OPT="1") == COMPILED
    assert not list(package.rglob("*.nbc"))  # an uninstalled package leaves nothing


CHANGING = """
from pathlib import Path
from steer_env.steering import arguments, routine
file = Path(arguments.__file__)
file.write_text(file.read_text() + "# changed since it was imported\\n")
"""


def test_code_of_files_that_have_changed_since_their_import_is_not_kept(package):
    printed, complaints = run(package, program=CHANGING + PROGRAM)
    assert printed == "3.0 compiled"
    assert len(complaints) == 1
    assert "have changed since they were imported" in complaints[0]
    assert not list(package.parent.glob("cache/**/*.nbc"))
    assert run(package) == COMPILED
    assert run(package) == LOADED


def test_one_of_several_processes_compiles(package):
    processes = [start(package) for _ in range(4)]
    printed = [process.communicate(timeout=300)[0].strip() for process in processes]
    assert sorted(printed) == ["3.0 compiled", *["3.0 loaded"] * 3]


def test_a_killed_process_leaves_no_lock_and_no_half_code(package):
    for delay in (0.5, 0.8, 1.1):
        process = start(package)
        time.sleep(delay)
        process.kill()
        process.communicate()
    assert run(package)[0].startswith("3.0 ")
    assert run(package) == LOADED


# ---- In this process ----------------------------------------------------------------------


def load():
    """Loads or compiles a routine, and returns whether it was in the cache."""
    signature = numba.types.void(numba.types.intp)
    code = load_or_compile(
        "triple", lambda is_cached: numba.cfunc(signature, cache=is_cached)(triple)
    )
    number = np.ones(1)
    code.ctypes(address_of(number))
    assert number[0] == 3
    return code.cache_hits == 1


def empty(path):
    path.write_bytes(b"")


def zero(path):
    path.write_bytes(bytes(path.stat().st_size))


def turn_into_a_folder(path):
    path.unlink()
    path.mkdir()


def test_each_file_has_a_checksum_in_the_usual_form(cache):
    assert not load()
    assert load()
    [checksums] = files(cache)
    command = ["sha256sum", "--check", "--strict", "--quiet", checksums.name]
    subprocess.run(command, cwd=checksums.parent, check=True)


@pytest.mark.parametrize("damage", [empty, cut, flip, zero, turn_into_a_folder, Path.unlink])
@pytest.mark.parametrize("file", ["*/*.nbi", "*/*.nbc", "checksums.sha256"])
def test_damaged_files_are_made_anew(cache, file, damage, capsys):
    load()
    [path] = files(cache, file)
    damage(path)
    assert not load()
    assert load()
    [line] = capsys.readouterr().err.splitlines()
    assert "is not whole" in line


def test_a_file_in_the_place_of_a_folder_is_removed(cache):
    load()
    [folder] = cache.glob("*/triple")
    shutil.rmtree(folder)
    folder.write_text("mine")
    assert not load()
    assert load()


def test_loading_waits_for_nobody(cache, monkeypatch, capsys):
    load()
    [version] = cache.iterdir()
    monkeypatch.setattr(compile_cache, "_PATIENCE", 0.0)
    with FileLock(version / "lock"):  # as another process does that compiles
        assert load()
        (version / "triple" / "checksums.sha256").unlink()
        assert not load()
    [line] = capsys.readouterr().err.splitlines()
    assert "without a cache" in line


def test_many_begin_at_once(cache):
    ready = threading.Barrier(8)

    def make_folder():
        ready.wait()
        return compile_cache._version_folder()

    for number in range(20):
        os.environ["NUMBA_CACHE_DIR"] = str(cache / str(number))
        with ThreadPoolExecutor(8) as pool:
            folders = {made.result() for made in [pool.submit(make_folder) for _ in range(8)]}
        assert len(folders) == 1


def test_an_interrupted_load_leaves_the_files(cache):
    load()

    def interrupted(is_cached):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_or_compile("triple", interrupted)
    assert load()


def test_what_writes_no_files_leaves_no_folder(cache, capsys):
    for _ in range(2):
        assert load_or_compile("nothing", lambda is_cached: is_cached)
    assert capsys.readouterr().err == ""


def test_errors_of_the_compiler_are_its_own(cache):
    def add_text(address):
        column(address, 0, 1, np.float64)[0] += "text"

    signature = numba.types.void(numba.types.intp)
    with pytest.raises(numba.TypingError):
        load_or_compile("add", lambda is_cached: numba.cfunc(signature)(add_text))
    assert not load()
    assert load()


def test_if_the_list_cannot_be_written_the_code_is_used_all_the_same(
    cache, capsys, monkeypatch
):
    def fail(path, text):
        raise OSError(28, "No space left on device")

    calls = []
    monkeypatch.setattr(compile_cache, "write_text", fail)
    signature = numba.types.void(numba.types.intp)

    def compile_function(is_cached):
        calls.append(is_cached)
        return numba.cfunc(signature, cache=is_cached)(triple)

    load_or_compile("triple", compile_function)
    assert calls == [True]
    [line] = capsys.readouterr().err.splitlines()
    assert "No space left" in line
    assert not files(cache, "**/*")


def check_done_without(cache, capsys, reason):
    """Whether games go on without a cache, one line says why, and no fragment is left."""
    assert not load()
    assert not load()
    [line] = capsys.readouterr().err.splitlines()
    assert "without a cache" in line
    assert reason in line
    assert not files(cache, "**/*")


def test_so_is_one_that_fills_up_while_code_is_written(cache, capsys):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))  # the index fits, the data does not
    try:
        check_done_without(cache, capsys, "File too large")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("place", ["a file", "/proc/nowhere"])
def test_a_folder_that_cannot_be_made_is_done_without(
    tmp_path, cache, capsys, monkeypatch, place
):
    (tmp_path / "a file").write_text("")
    folder = tmp_path / place
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    check_done_without(folder, capsys, str(folder))


def test_without_a_home_there_is_no_cache(cache, capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: Path("~/.cache"))
    check_done_without(tmp_path, capsys, "there is no home folder")
    assert os.listdir(tmp_path) == []


def test_without_source_files_there_is_no_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(compile_cache, "__file__", str(tmp_path / "steering" / "cache.py"))
    assert compile_cache._sources() == ""


def test_the_versions_used_last_are_kept(cache):
    for number in range(12):
        (cache / f"{number:020x}").mkdir(parents=True)
        os.utime(cache / f"{number:020x}", (number, number))
    (cache / "notes").mkdir()
    load()
    left = sorted(path.name for path in cache.iterdir())
    assert left[:7] == [f"{number:020x}" for number in range(5, 12)]
    assert left[7:] == sorted([compile_cache._key(), "notes"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_code_of_another_user_is_not_run(cache, capsys):
    load()
    [version] = cache.iterdir()
    os.chown(version, 12345, -1)
    assert not load()
    assert "belongs to another user" in capsys.readouterr().err


def test_machine_code_comes_from_no_other_file():
    """What a compiled module imports from the package is compiled with it, or named here."""
    never_compiled = {f"steer_env.{name}" for name in ("errors", "files", "drawing", "suite")}
    sources = [path for pattern in COMPILED_FROM for path in PACKAGE.glob(pattern)]
    modules = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        )
        for path in sources
    }
    assert len(modules) > 30
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "steer_env":
                imported = {f"steer_env.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported = {str(node.module)}
            else:
                imported = {alias.name for alias in getattr(node, "names", [])}
            ours = {name for name in imported if name.partition(".")[0] == "steer_env"}
            assert ours <= modules | never_compiled, path
