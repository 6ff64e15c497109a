"""The files of versions are complete sets with hashes, for each promised Python."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
APART = {"torch", "steer-env"}  # installed by lines of their own in the Makefile
FILES = ("constraints.txt", "constraints-demo.txt")


def pins(file: str = FILES[0]) -> list[tuple[Requirement, list[str]]]:
    """Each version with its hashes."""
    text = re.sub(r"^#.*\n", "", (ROOT / file).read_text(), flags=re.M)
    found = []
    for line in text.replace("\\\n", " ").strip().splitlines():
        requirement, *hashes = line.split(" --hash=")
        found.append((Requirement(requirement.strip()), [each.strip() for each in hashes]))
    return found


def pinned(python: str, file: str = FILES[0]) -> dict[str, str]:
    """The version of each package for a Python on this system."""
    environment = {"python_version": python, "python_full_version": f"{python}.5", "extra": ""}
    environment = {**default_environment(), **environment}
    found = {}
    for requirement, _ in pins(file):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            assert requirement.name not in found
            (version,) = requirement.specifier
            found[canonicalize_name(requirement.name)] = version.version
    return found


def dependencies() -> list[Requirement]:
    """All that pyproject.toml asks for, with all extras."""
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    texts = [*project["dependencies"], *(text for extra in extras for text in extra)]
    return [Requirement(text) for text in texts]


@pytest.mark.parametrize("file", FILES)
def test_every_version_is_exact_and_has_hashes(file):
    assert len(pins(file)) > 50
    for requirement, hashes in pins(file):
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), requirement


@pytest.mark.parametrize("python", PYTHONS)
def test_the_versions_are_those_that_the_project_allows(python):
    versions = pinned(python)
    for requirement in dependencies():
        name = canonicalize_name(requirement.name)
        if name not in APART:
            assert requirement.specifier.contains(versions[name]), requirement


def test_torch_is_pinned_apart():
    (torch,) = (each for each in dependencies() if each.name == "torch")
    (line,) = re.findall(r"^TORCH := torch==(.+)$", (ROOT / "Makefile").read_text(), re.M)
    assert torch.specifier.contains(line)
    assert "torch" not in pinned("3.11")


def test_a_demo_installs_some_of_the_same_files():
    """So tests can be installed beside it: neither Ray nor what tests need is among them."""
    everything = {str(one).partition(";")[0].strip(): hashes for one, hashes in pins()}
    for requirement, hashes in pins("constraints-demo.txt"):
        assert everything[str(requirement).partition(";")[0].strip()] == hashes
    names = pinned("3.12", "constraints-demo.txt").keys()
    assert {"stable-baselines3", "imageio-ffmpeg", "scipy"} <= names
    assert not {"ray", "pytest", "ruff", "mypy", "sphinx", "ziglang", "wasmtime"} & names


@pytest.mark.parametrize("file", FILES)
def test_nothing_that_a_package_needs_is_missing(file):
    """They are installed with --no-deps."""
    environment = {**default_environment(), "extra": ""}
    versions = pinned(environment["python_version"], file)
    for name in [*versions, "torch"]:
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, needed):
            if requirement.marker is None or requirement.marker.evaluate(environment):
                other = canonicalize_name(requirement.name)
                assert other in versions or other in APART or is_of_cuda(other), (name, other)


def is_of_cuda(name: str) -> bool:
    return name.startswith(("nvidia-", "cuda-", "triton"))
