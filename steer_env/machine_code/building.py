"""Builds `engine.wasm`: the machine code of the compiled loop for browsers.

numba compiles the entrances and routines to LLVM's intermediate language, as it does for this
machine. Here that text is given another target, WebAssembly, for which llvmlite makes an object
file, and wasm-ld, which comes with the package ziglang, links it. The same versions build the
same bytes on every x86-64: the text is made for a generic processor of that kind.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before numba is imported: the code must not depend on this machine's processor.
os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
from numba import types

from steer_env.browser import entrances
from steer_env.browser.routines import ROUTINES
from steer_env.files import write_bytes

_numba: Any = numba  # its type stubs lag behind

_TRIPLE = "wasm32-unknown-unknown"
_FEATURES = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext"
_STACK = 2**17  # bytes
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

_ADDRESS, _NUMBER = types.intp, types.float64

ENTRANCES: dict[str, Any] = {
    "seed": types.void(_ADDRESS, _ADDRESS),
    "fit_rules": types.void(_ADDRESS, _NUMBER, _NUMBER, _NUMBER, _NUMBER),
    "play": types.intp(_ADDRESS),
    "measure_distances": types.void(_ADDRESS),
    "explain": types.void(_ADDRESS, _ADDRESS, types.intp),
    "act": types.void(_ADDRESS, _ADDRESS, _ADDRESS, types.intp),
    "apollonius": types.intp(_ADDRESS, _ADDRESS, types.intp, _ADDRESS),
    "read_forces": types.void(_ADDRESS, _ADDRESS, _ADDRESS),
}
"""The functions of `steer_env.browser.entrances` that a page calls, and their signatures."""

# Arrays that are made of addresses own no memory, so nothing is ever released.
_SUPPORT = """
define i8 @steer_env.released(ptr %0, i64 %1, i32 %2) alwaysinline {{
  ret i8 0
}}
define double @sqrt(double %0) alwaysinline {{
  %2 = call double @llvm.sqrt.f64(double %0)
  ret double %2
}}
declare double @llvm.sqrt.f64(double)
define void @NRT_MemInfo_call_dtor(ptr %0) {{
  unreachable
}}
define void @__multi3(ptr %product, i64 %a, i64 %a_high, i64 %b, i64 %b_high) {{
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %p00 = mul i64 %a0, %b0
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %p11 = mul i64 %a1, %b1
  %carry = lshr i64 %p00, 32
  %middle = add i64 %p10, %carry
  %middle_low = and i64 %middle, 4294967295
  %middle_high = lshr i64 %middle, 32
  %sum = add i64 %p01, %middle_low
  %sum_high = lshr i64 %sum, 32
  %low = mul i64 %a, %b
  %high0 = add i64 %p11, %middle_high
  %high1 = add i64 %high0, %sum_high
  %cross0 = mul i64 %a_high, %b
  %cross1 = mul i64 %a, %b_high
  %high2 = add i64 %high1, %cross0
  %high = add i64 %high2, %cross1
  store i64 %low, ptr %product
  %rest = getelementptr i8, ptr %product, i32 8
  store i64 %high, ptr %rest
  ret void
}}
@routines = constant [{count} x ptr] [{routines}]
"""


def build() -> bytes:
    """Returns the module's bytes.

    Raises:
        RuntimeError: if it cannot be linked, or needs anything from outside.
    """
    functions: dict[str, tuple[Callable[..., Any], Any]] = {
        name: (getattr(entrances, name), signature) for name, signature in ENTRANCES.items()
    }
    declared = ""
    for routine in ROUTINES:
        arity = len(inspect.signature(routine).parameters)
        functions[routine.__name__] = routine, types.void(*[types.intp] * arity)
        declared += f"declare void @{routine.__name__}({', '.join(['i64'] * arity)})\n"
    texts = [_module_text(name, *each) for name, each in functions.items()]
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(_TRIPLE).create_target_machine(
        features=_FEATURES, opt=3, reloc="static"
    )
    names = ", ".join(f"ptr @{routine.__name__}" for routine in ROUTINES)
    support = declared + _SUPPORT.format(count=len(ROUTINES), routines=names)
    head = f'target datalayout = "{target.target_data}"\ntarget triple = "{_TRIPLE}"\n'
    module = llvm.parse_assembly(head + support)
    for text in texts:
        module.link_in(llvm.parse_assembly(_retargeted(text, head)))
    module.verify()
    return _linked(target.emit_object(module))


def _module_text(name: str, function: Callable[..., Any], signature: Any) -> str:
    """A function in LLVM's language, and under its plain name a call of it.

    Integers of an entrance have 32 bits outside, as addresses have in WebAssembly and numbers
    in JavaScript; routines are called from inside, with 64.
    """
    dispatcher: Any = _numba.njit(function, **_OPTIONS)
    dispatcher.compile(signature)
    (compiled_for,) = dispatcher.signatures
    own = dispatcher.overloads[compiled_for].fndesc.mangled_name
    outside = "i32" if name in ENTRANCES else "i64"
    kinds = ["double" if kind == _NUMBER else outside for kind in signature.args]
    lines = ["  %result = alloca i64", "  %error = alloca ptr"]
    given = ["ptr %result", "ptr %error"]
    for place, kind in enumerate(kinds):
        lines += [f"  %wide{place} = sext i32 %{place} to i64"] if kind == "i32" else []
        given.append(f"i64 %wide{place}" if kind == "i32" else f"{kind} %{place}")
    lines.append(f'  %status = call i32 @"{own}"({", ".join(given)})')
    if signature.return_type == types.void:
        returned, lines = "void", [*lines, "  ret void"]
    else:
        lines += ["  %value = load i64, ptr %result", "  %short = trunc i64 %value to i32"]
        returned, lines = "i32", [*lines, "  ret i32 %short"]
    parameters = ", ".join(f"{kind} %{place}" for place, kind in enumerate(kinds))
    body = "\n".join(lines)
    text: str = dispatcher.inspect_llvm(compiled_for)
    return f"{text}\ndefine {returned} @{name}({parameters}) {{\nentry:\n{body}\n}}\n"


def _retargeted(text: str, head: str) -> str:
    """Rewrites code for this machine as code for WebAssembly."""
    text = re.sub(r"(?m)^target (datalayout|triple) = .*\n", "", text)
    # WebAssembly has no common symbols, and nobody outside uses these.
    text = re.sub(r"= common (local_unnamed_addr )?global", "= internal global", text)
    # An intrinsic of x86; a function may not have its "immarg" arguments.
    text = text.replace("@llvm.x86.atomic.sub.cc.i64", "@steer_env.released")
    text = text.replace("immarg ", "")
    attributes = r'(?m)^(attributes #\d+ = \{.*?)"target-cpu"="[^"]*"'
    return head + re.sub(attributes, r"\1", text)


def _linked(code: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "engine.o"), Path(folder, "engine.wasm")
        write_bytes(given, code)
        exported = [f"--export={name}" for name in (*ENTRANCES, "routines", "__heap_base")]
        linker = [sys.executable, "-m", "ziglang", "wasm-ld", str(given), "-o", str(made)]
        options = ["--no-entry", "--gc-sections", "--strip-all", "--stack-first", "-O3"]
        limits = ["-z", f"stack-size={_STACK}"]
        found = subprocess.run([*linker, *options, *limits, *exported], capture_output=True)
        if found.returncode != 0:
            raise RuntimeError(f"wasm-ld failed: {found.stderr.decode()}")
        return made.read_bytes()
