"""Puts machine code into wheels, and the README into their metadata.

``STEER_ENV_WHEEL`` names a library in build/machine_code, and the wheel is for its system only.
Without it a wheel is for all systems, and has the libraries that a checkout keeps.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PLACE = "steer_env/machine_code"

IN_ALL = ("engine.wasm", "engine.json", "built.json")


class System(NamedTuple):
    """A system that there is a library for.

    Attributes:
        tags: of its wheel. Libraries for Linux take nothing that depends on a version of the C
            library, so these are the oldest that numpy has wheels for.
        platform: ``sys.platform``.
        machine: ``platform.machine()``.
    """

    tags: str
    platform: str
    machine: str


_LINUX = "manylinux_2_17_{0}.musllinux_1_1_{0}"

SYSTEMS = {
    "linux-x86_64.so": System(_LINUX.format("x86_64"), "linux", "x86_64"),
    "linux-aarch64.so": System(_LINUX.format("aarch64"), "linux", "aarch64"),
    "windows-x86_64.dll": System("win_amd64", "win32", "AMD64"),
    "macos-arm64.dylib": System("macosx_11_0_arm64", "darwin", "arm64"),
}
"""By library; a checkout keeps those for Linux."""


class Hook(BuildHookInterface[Any]):
    """Adds the machine code, and says for which systems."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Changes what is built."""
        chosen = os.environ.get("STEER_ENV_WHEEL")
        folder = "build/machine_code" if chosen else PLACE
        libraries = [chosen] if chosen else [name for name in SYSTEMS if name.endswith(".so")]
        for name in (*libraries, *IN_ALL):
            build_data["force_include"][f"{folder}/{name}"] = f"{PLACE}/{name}"
        if chosen:
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{SYSTEMS[chosen].tags}"
            # The same in all these wheels: some tools read one of them for all systems.
            needed = self.metadata.core.dependencies
            (numba,) = (one for one in needed if one.startswith("numba"))
            needed[needed.index(numba)] = f"{numba.partition(';')[0]}; {without_library()}"


_PART = re.compile(
    r"""^```.*?^```$ | (?:<a\ [^>]*>)?<picture>.*?</picture>(?:</a>)?
    | (?P<mark>!?) \[ (?P<words>[^]]*) \] \( (?![a-z]+:|\#) (?P<place>[^)]+) \)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
"""Relative links and pictures of a page, and blocks of code, which are left alone."""


class Readme(MetadataHookInterface):
    """Gives the README to the metadata, which package indexes show far from the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Changes the metadata, of which ``Repository`` in the URLs may be the address."""
        text = Path(self.root, "README.md").read_text("utf-8")
        address = metadata.get("urls", {}).get("Repository")
        shown = read_elsewhere(text, address, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def read_elsewhere(text: str, address: str | None, tag: str) -> str:
    """A page with whole addresses, as GitHub has them, in place of relative ones.

    Without the repository's address it has the words of relative links, and no pictures.
    """

    def changed(part: re.Match[str]) -> str:
        if part[0].startswith("```"):
            return part[0]
        if address is None:
            return "" if part["mark"] != "" else part["words"]
        pages, files = (f"{address.rstrip('/')}/{kind}/{tag}" for kind in ("blob", "raw"))
        if part["mark"] is None:
            found = re.sub(r'(src|srcset)="(?![a-z]+:)', rf'\1="{files}/', part[0])
            return re.sub(r'href="(?![a-z]+:)', f'href="{pages}/', found)
        place = f"{files if part['mark'] else pages}/{part['place']}"
        return f"{part['mark']}[{part['words']}]({place})"

    return re.sub(r"\n\s*\n", "\n\n", _PART.sub(changed, text))


def without_library() -> str:
    """The environment marker of all systems without a library."""
    return " and ".join(
        f"(sys_platform != '{one.platform}' or platform_machine != '{one.machine}')"
        for one in SYSTEMS.values()
    )
