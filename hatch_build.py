"""Puts machine code into wheels.

``STEER_ENV_WHEEL`` names a library in build/machine_code, and the wheel is for its system only.
Without it a wheel is for all systems, and has the libraries that a checkout keeps.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

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


def without_library() -> str:
    """The environment marker of all systems without a library."""
    return " and ".join(
        f"(sys_platform != '{one.platform}' or platform_machine != '{one.machine}')"
        for one in SYSTEMS.values()
    )
