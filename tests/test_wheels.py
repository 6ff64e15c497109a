"""Wheels: for which systems, with which machine code, and when they ask for numba.

Daily is the wheel for all systems.
"""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from hashlib import sha256
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import yaml
from compat_wheels import ROOT, copy_tree, tracked
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from machines import NATIVE
from packaging.requirements import Requirement
from test_links import links, parts

import steer_env
from hatch_build import IN_ALL, PLACE, SYSTEMS, read_elsewhere
from steer_env.machine_code.jit import know_functions
from steer_env.machine_code.library import (
    FOLDER,
    LIBRARIES,
    digest_of_code,
    manifest,
    source_texts,
)
from steer_env.players import pretrained

IN_CHECKOUT = [target.file for target in NATIVE if target.in_checkout]
NO_LIBRARY = [
    ("darwin", "x86_64"),
    ("win32", "ARM64"),
    ("linux", "ppc64le"),
    ("freebsd", "amd64"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what is built, with stand-ins for what `make wheels` makes."""
    packages = ("steer_env", "baselines", "agents")
    needed = (*packages, "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
    tree = copy_tree(tmp_path_factory.mktemp("tree"), *needed)
    made = tree / "build" / "machine_code"
    made.mkdir(parents=True)
    for name in (*SYSTEMS, *IN_ALL):
        (made / name).write_text(f"the new {name}")
    return tree


def built(tree, folder, library="", version="standard"):
    """Builds the wheel of a library; of "", the one for all systems."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEER_ENV_WHEEL", library)
        (made,) = WheelBuilder(str(tree)).build(directory=str(folder), versions=[version])
    return Path(made)


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    """The wheel for all systems."""
    return built(tree, tmp_path_factory.mktemp("dist"))


def machine_code(wheel):
    """The files that are not sources: their names and contents."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            Path(name).name: archive.read(name)
            for name in archive.namelist()
            if re.fullmatch(rf"{PLACE}/.+\.(so|dll|dylib|wasm|json)", name)
        }


def note(wheel, name):
    """One of the files about a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (one for one in archive.namelist() if one.endswith(f".dist-info/{name}"))
        return archive.read(path).decode()


def needed(wheel, system, extra=""):
    """The packages that a wheel asks for on a system."""
    environment = dict(zip(("sys_platform", "platform_machine"), system), extra=extra)
    asked = HeaderParser().parsestr(note(wheel, "METADATA")).get_all("Requires-Dist")
    return {
        one.name
        for one in map(Requirement, asked)
        if one.marker is None or one.marker.evaluate(environment)
    }


def check_files(wheel, library=""):
    """Checks that a wheel has the files of this tree that it should, and no others."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    expected = {
        re.sub("^(agents|baselines)/", r"steer_env/\1/", name)
        for name in tracked("steer_env", "baselines", "agents")
        if not re.search(
            r"\.(gif|png|svg)$|^agents/pretrained/.*(README\.md|results\.json)$|^baselines/results/",
            name,
        )
        if not re.search(r"seed_[1-9]\d*\.npz$", name)  # the first run stands for the others
        if not (library and name.endswith(".so"))
    }
    assert packed == expected | ({f"{PLACE}/{library}"} if library else set())


@pytest.mark.weekly
@pytest.mark.parametrize("library", SYSTEMS)
def test_the_wheel_of_a_system_has_its_library_and_needs_no_numba(library, tree, tmp_path):
    wheel = built(tree, tmp_path, library)
    assert wheel.stem.endswith(f"-py3-none-{SYSTEMS[library].tags}")
    assert "Root-Is-Purelib: false" in note(wheel, "WHEEL")
    assert machine_code(wheel) == {one: f"the new {one}".encode() for one in (library, *IN_ALL)}
    for system in LIBRARIES:
        assert needed(wheel, system) == {"gymnasium", "numpy", "tyro"}
        assert "numba" in needed(wheel, system, "own")
    assert all("numba" in needed(wheel, system) for system in NO_LIBRARY)
    check_files(wheel, library)
    assert built(tree, tmp_path / "again", library).read_bytes() == wheel.read_bytes()


def test_the_wheel_for_all_systems_needs_numba_where_it_has_no_library(wheel):
    assert wheel.stem.endswith("-py3-none-any")
    assert "Root-Is-Purelib: true" in note(wheel, "WHEEL")
    names = [*IN_CHECKOUT, *IN_ALL]
    assert machine_code(wheel) == {name: (FOLDER / name).read_bytes() for name in names}
    for system in [*LIBRARIES, *NO_LIBRARY]:
        assert ("numba" in needed(wheel, system)) == (LIBRARIES.get(system) not in IN_CHECKOUT)
    check_files(wheel)


def test_a_wheel_has_the_run_of_each_pretrained_name_without_a_seed(wheel):
    with zipfile.ZipFile(wheel) as archive:
        networks = {name for name in archive.namelist() if name.endswith(".npz")}
        assert sum(archive.getinfo(name).compress_size for name in networks) < 4e6
    first = {
        f"steer_env/{pretrained.path_of(name).relative_to(ROOT).as_posix()}"
        for name in pretrained.names()
        if not name.rpartition("/")[2].isdigit()
    }
    assert networks == first


def test_a_release_has_one_version_and_its_needs_everywhere(wheel):
    citation, recipe = (
        yaml.safe_load((ROOT / name).read_text())
        for name in ("CITATION.cff", "deploy/recipe.yaml")
    )
    assert steer_env.__version__ == citation["version"] == recipe["context"]["version"]
    heading = f"## {citation['version']} ({citation['date-released']})"
    assert heading in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    metadata = HeaderParser().parsestr(note(wheel, "METADATA"))
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    addresses = recipe["about"].get("repository"), citation.get("repository-code")
    assert addresses == (urls.get("Repository"),) * 2
    asked = map(Requirement, metadata.get_all("Requires-Dist"))
    needs = {f"{one.name} {one.specifier}" for one in asked if "extra" not in str(one.marker)}
    assert {*recipe["requirements"]["run"]} == needs | {f"python {metadata['Requires-Python']}"}


def test_other_programs_find_what_is_made_for_them(wheel):
    about = note(wheel, "entry_points.txt")

    def entry(group, name):
        (value,) = re.findall(rf"\[{group}\]\n{name} = (.+)", about)
        return EntryPoint(name, value, group).load()

    assert entry("numba_extensions", "init") is know_functions


def words(text):
    """A page without its pictures and the addresses of its links."""
    return "".join(one.content for one in parts(text) if one.type in ("text", "code_inline"))


def test_the_metadata_have_the_words_of_the_readme_and_no_link_to_nowhere(wheel):
    (_, shown) = note(wheel, "METADATA").split("\n\n", 1)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [link for link in links(readme) if not link.startswith("https:")]
    assert not [link for link in links(shown) if not link.startswith("https:")]
    assert re.sub(r"\s", "", words(shown)) == re.sub(r"\s", "", words(readme))
    assert "](" not in re.sub(r"\]\(https:", "", shown)
    assert "<picture>" not in shown


def test_with_an_address_the_links_of_the_metadata_lead_there(tree, tmp_path):
    given = copy_tree(tmp_path / "tree", "hatch_build.py", "LICENSE", "README.md", "steer_env")
    project = (tree / "pyproject.toml").read_text(encoding="utf-8")
    urls = '[project.urls]\nRepository = "https://example.org/steer_env/"\n\n[project.scripts]'
    changed = project.replace("[project.scripts]", urls)
    (given / "pyproject.toml").write_text(changed, encoding="utf-8")
    made = built(given, tmp_path, version="editable")
    (head, shown) = note(made, "METADATA").split("\n\n", 1)
    assert "Project-URL: Repository, https://example.org/steer_env/" in head
    readme = links((ROOT / "README.md").read_text(encoding="utf-8"))
    found = links(shown)
    assert len(found) == len(readme)
    for link, relative in zip(found, readme):
        kind = "raw" if re.search(r"\.(svg|gif)$", relative) else "blob"
        there = f"https://example.org/steer_env/{kind}/v{steer_env.__version__}/{relative}"
        assert link == (relative if relative.startswith("https:") else there)
    code = "```python\nx = a[0](b)\n```\n"
    assert read_elsewhere(code, None, "v1") == code


def test_from_an_archive_the_import_says_what_to_do(wheel, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import steer_env"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
    )
    *_, last = done.stderr.splitlines()
    assert last.startswith("ImportError: steer_env needs its files in a folder")
    assert str(wheel) in last
    assert "install it with pip" in last


@pytest.mark.weekly
def test_the_source_archive_makes_the_same_wheel(tree, wheel, tmp_path):
    (archive,) = SdistBuilder(str(tree)).build(
        directory=str(tmp_path / "sources"), versions=["standard"]
    )
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path)
    (unpacked,) = tmp_path.glob("steer_env-*/")
    assert built(unpacked, tmp_path / "again").read_bytes() == wheel.read_bytes()


def test_a_library_for_linux_needs_no_version_of_another():
    systems = {(one.platform, one.machine): name for name, one in SYSTEMS.items()}
    assert systems == LIBRARIES
    for library in IN_CHECKOUT:
        content = (FOLDER / library).read_bytes()
        assert b"GLIBC" not in content
        assert b".so" not in content


def test_the_machine_code_in_the_checkout_is_of_these_sources():
    built = manifest()
    code = {name: digest_of_code(text) for name, text in source_texts().items()}
    assert built["code"] == code, "run `make engine`"
    for name in (*IN_CHECKOUT, "engine.wasm", "engine.json"):
        assert sha256((FOLDER / name).read_bytes()).hexdigest() == built["files"][name]
