"""The machines that code is made for, and how their libraries are linked."""

from __future__ import annotations

from typing import NamedTuple

PAGES = "steer_env.browser.entrances"  # whose routines only JavaScript calls
_STACK = 2**17  # bytes, of WebAssembly


class Instructions(NamedTuple):
    """The instructions of a processor that code of a library may use."""

    suffix: str = ""  # of the names of its routines
    processor: str = "generic"  # as LLVM calls it
    features: str = ""  # others than the processor's
    only_fast: bool = False  # whether it has only the routines for which this level matters


class Target(NamedTuple):
    """A kind of machine."""

    file: str  # what its library is called
    triple: str  # what LLVM calls it
    zig: str  # what zig calls it
    linker: tuple[str, ...]  # zig's command that makes it; no path or time may enter its bytes
    levels: tuple[Instructions, ...] = (Instructions(),)
    in_checkout: bool = True  # whether its library is kept with the sources


_ELF = ("ld.lld", "-shared", "--gc-sections", "--strip-all", "-z", "defs")
_LINUX = (*_ELF, "--warn-unresolved-symbols")  # that they are few is checked

_X86_64 = (
    Instructions("", "x86-64-v2"),
    Instructions("_v3", "x86-64-v3", only_fast=True),
    # Vectors of 512 bits do not slow today's processors down.
    Instructions("_v4", "x86-64-v4", "-prefer-256-bit", only_fast=True),
)

BROWSER = Target(
    "engine.wasm",
    "wasm32-unknown-unknown",
    "wasm32-freestanding",
    (
        *("wasm-ld", "--no-entry", "--gc-sections", "--strip-all", "--stack-first", "-O3"),
        *("-z", f"stack-size={_STACK}", "--export=routines", "--export=__heap_base"),
    ),
    (
        Instructions(
            processor="", features="+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext"
        ),
    ),
)

NATIVE = (
    Target("linux-x86_64.so", "x86_64-unknown-linux-gnu", "x86_64-linux", _LINUX, _X86_64),
    Target("linux-aarch64.so", "aarch64-unknown-linux-gnu", "aarch64-linux", _LINUX),
    Target(
        "windows-x86_64.dll",
        "x86_64-pc-windows-gnu",
        "x86_64-windows-gnu",
        ("cc", "-target", "x86_64-windows-gnu", "-shared", "-s", "-Wl,-Brepro"),
        _X86_64,
        in_checkout=False,
    ),
    Target(
        "macos-arm64.dylib",
        "aarch64-apple-macosx11.0",
        "aarch64-macos.11.0",
        (
            *("cc", "-target", "aarch64-macos.11.0", "-shared", "-s"),
            *("-install_name", "@rpath/macos-arm64.dylib"),
        ),
        in_checkout=False,
    ),
)
