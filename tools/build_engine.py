"""Builds the machine code that the package ships: for browsers, and for other machines.

    PYTHONPATH=. python tools/build_engine.py [--all --out build/machine_code]

numba types all routines and writes them in LLVM's intermediate language, without optimizing:
once, whatever they are built for. Each target's own passes follow, for which llvmlite makes
object files, and the linkers that come with ziglang make libraries of them. The same versions
build the same bytes on every x86-64: the text is made for a generic processor.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

# Before numba is imported: the code must not depend on this machine's processor, and each
# target optimizes it in its own way.
os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", NUMBA_OPT="0")

import llvmlite.binding as llvm  # type: ignore[import-untyped]
from engine_layout import layout
from machines import BROWSER, NATIVE, PAGES, Instructions, Target

from steer_env.browser.entrances import LISTED
from steer_env.files import write_bytes, write_text
from steer_env.machine_code.library import (
    FOLDER,
    MANIFEST,
    digest_of,
    digest_of_code,
    source_files,
    source_texts,
)
from steer_env.machine_code.marking import overloads
from steer_env.machine_code.routines import ROUTINES, Routine

HERE = Path(__file__).parent

_INLINED_UP_TO = 100_000  # LLVM's cost: everything but loops, which it vectorizes each alone
_APART = "_ZN9steer_env6solved"  # functions too large to be copied to each place
_FROM_OUTSIDE = {"memcpy", "memmove", "memset"}  # of the C library that is there anyway

_KINDS = {"int": "i64", "float": "double", "None": "void"}

_ROUNDING = """
define double @{name}(double %0) alwaysinline {{
  %2 = call double @llvm.{name}.f64(double %0)
  ret double %2
}}
declare double @llvm.{name}.f64(double)
"""

# Arrays that are made of addresses own no memory, so nothing is ever released.
_SUPPORT = """
define i8 @steer_env.released(ptr %0, i64 %1, i32 %2) alwaysinline {
  ret i8 0
}
define void @NRT_MemInfo_call_dtor(ptr %0) {
  unreachable
}
""" + "".join(_ROUNDING.format(name=name) for name in ("ceil", "floor", "sqrt"))


class Program(NamedTuple):
    """All routines in LLVM's language, for no machine in particular."""

    code: bytes  # the module
    names: dict[str, str]  # the name in there of each routine
    loops: list[str]  # the beginnings of numba's names of functions that are not inlined


def program() -> Program:
    """Types all routines of the package: about a minute."""
    for path in source_files():
        if path.parent != FOLDER:
            place = path.relative_to(FOLDER.parent.parent).with_suffix("")
            importlib.import_module(".".join(place.parts))
    from steer_env.machine_code.jit import know_functions

    loops = []
    for one in overloads:
        if not one.is_inlined:
            parts = f"{one.function.__module__}.{one.function.__qualname__}".split(".")
            loops.append("_ZN" + "".join(f"{len(part)}{part}" for part in parts) + "B")
    know_functions(inlines=False)
    module, names = llvm.parse_assembly(_SUPPORT), {}
    for name in sorted(ROUTINES):
        text, names[name] = _text_of(ROUTINES[name])
        module.link_in(llvm.parse_assembly(text))
    return Program(module.as_bitcode(), names, [*loops, _APART])


def _text_of(routine: Routine) -> tuple[str, str]:
    """A routine in LLVM's language, for any machine, and its name there."""
    from steer_env.machine_code.jit import APART, njit, signature_of

    dispatcher = njit(routine.function, **APART)
    dispatcher.compile(signature_of(routine.takes, routine.returns))
    (compiled_for,) = dispatcher.signatures
    text: str = dispatcher.inspect_llvm(compiled_for)
    text = re.sub(r"(?m)^target (datalayout|triple) = .*\n", "", text)
    # WebAssembly has no common symbols, and these are not used outside.
    text = re.sub(r"= common (local_unnamed_addr )?global", "= internal global", text)
    # An intrinsic of x86; a function may not have its "immarg" arguments.
    text = text.replace("@llvm.x86.atomic.sub.cc.i64", "@steer_env.released")
    text = text.replace("immarg ", "")
    text = re.sub(r'(?m)^(attributes #\d+ = \{.*?)"target-cpu"="[^"]*"', r"\1", text)
    return text, dispatcher.overloads[compiled_for].fndesc.mangled_name


def build(
    given: Program, target: Target, called: Sequence[str], listed: Sequence[str] = ()
) -> bytes:
    """The bytes of a target's library: some ten seconds for each level.

    Routines are ``called`` by their names, or ``listed`` in a table of their addresses, as
    WebAssembly needs it. A RuntimeError says that it cannot be linked, or is not complete.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths, made = [], Path(folder, target.file)
        for level in target.levels:
            names = list(called)
            if level.only_fast:  # solved games are not worth a version for each level
                modules = {name: ROUTINES[name].function.__module__ for name in names}
                names = [name for name in names if "steer_env.solved" not in modules[name]]
            paths.append(str(Path(folder, f"level{level.suffix}.o")))
            write_bytes(Path(paths[-1]), _object(given, target, level, names, listed))
        if len(target.levels) > 1:
            paths.append(str(made.with_name("processor.o")))
            source = str(HERE / "processor.c")
            _zig("cc", "-target", target.zig, "-O2", "-g0", "-c", source, "-o", paths[-1])
        exported = [f"--export={name}" for name in called] if listed else []
        said = _zig(*target.linker, *paths, "-o", str(made), *exported)
        missing = set(re.findall(r"undefined symbol: (\w+)", said)) - _FROM_OUTSIDE
        if missing:
            raise RuntimeError(f"{target.file} needs {', '.join(sorted(missing))}")
        return made.read_bytes()


def _object(
    given: Program,
    target: Target,
    level: Instructions,
    called: list[str],
    listed: Sequence[str],
) -> bytes:
    """The optimized machine code of a library's routines at a level, as an object file."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.set_option("steer_env", f"-inline-threshold={_INLINED_UP_TO}")
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=level.processor,
        features=level.features,
        opt=3,
        reloc="static" if listed else "pic",
        codemodel="small",
    )
    module = llvm.parse_bitcode(given.code)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    head = f'target datalayout = "{module.data_layout}"\ntarget triple = "{module.triple}"\n'
    outside = [name + level.suffix for name in called]
    # Addresses have 32 bits in WebAssembly, and integers in JavaScript; within they have 64.
    integer = "i32" if listed else "i64"
    texts = [_wrapper(name, shown, given, integer) for name, shown in zip(called, outside)]
    texts += [_wrapper(name, f"{name}_listed", given, "i64") for name in listed]
    places = ", ".join(f"ptr @{name}_listed" for name in listed)
    texts += [f"@routines = constant [{len(listed)} x ptr] [{places}]\n"] if listed else []
    module.link_in(llvm.parse_assembly(head + "".join(texts)))
    for number, function in enumerate(module.functions):
        if not (function.is_declaration or function.name in outside):
            function.linkage = "internal"
            if function.name.startswith(tuple(given.loops)):
                function.add_function_attribute("noinline")
            function.name = f"inner{number}"  # numba's has addresses of this process
    module.verify()
    for is_last in (False, True):  # loops that are unrolled early are not vectorized
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = tuning.loop_unrolling = is_last
        passes = llvm.create_pass_builder(machine, tuning)
        passes.getModulePassManager().run(module, passes)
    code: bytes = machine.emit_object(module)
    return code


def _wrapper(name: str, shown: str, given: Program, integer: str) -> str:
    """A function that calls a routine as C does, with integers of 32 or 64 bits."""
    routine, own = ROUTINES[name], given.names[name]
    kinds = [integer if kind == "int" else _KINDS[kind] for kind in routine.takes]
    lines, passed = ["%result = alloca i64", "%error = alloca ptr"], ["ptr %result, ptr %error"]
    for place, kind in enumerate(kinds):
        lines += [f"%wide{place} = sext i32 %{place} to i64"] if kind == "i32" else []
        passed.append(f"i64 %wide{place}" if kind == "i32" else f"{kind} %{place}")
    lines.append(f'%status = call i32 @"{own}"({", ".join(passed)})')
    if routine.returns == "None":
        lines, returned = [*lines, "ret void"], "void"
    else:
        lines, returned = [*lines, f"%value = load {integer}, ptr %result"], integer
        lines.append(f"ret {integer} %value")
    parameters = ", ".join(f"{kind} %{place}" for place, kind in enumerate(kinds))
    takes = "".join(f", {_KINDS[kind]}" for kind in routine.takes)
    body = "\n  ".join(["entry:", *lines])
    declared = f'declare i32 @"{own}"(ptr, ptr{takes})\n'
    return f"{declared}define {returned} @{shown}({parameters}) {{\n{body}\n}}\n"


def _zig(*arguments: str) -> str:
    """Runs a command of zig, and returns its warnings or raises a RuntimeError."""
    command = [sys.executable, "-m", "ziglang", *arguments]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode != 0:
        raise RuntimeError(f"{arguments[0]} failed: {found.stderr}")
    return found.stderr


def main() -> None:
    """Writes the libraries beside the sources, and from what they were made."""
    parser = argparse.ArgumentParser(description="Builds the machine code that is shipped.")
    parser.add_argument("--all", action="store_true", help="also what only wheels have")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    given, files = program(), {}
    pages = [name for name in ROUTINES if ROUTINES[name].function.__module__ == PAGES]
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(build, given, BROWSER, ["play_games", *pages], LISTED)]
        natives = [one for one in NATIVE if chosen.all or one.in_checkout]
        names = sorted({*ROUTINES} - {*pages})
        jobs += [pool.submit(build, given, target, names) for target in natives]
        made = {one.file: job.result() for one, job in zip([BROWSER, *natives], jobs)}
    made["engine.json"] = (json.dumps(layout(), indent=1) + "\n").encode()
    for name, content in made.items():
        write_bytes(chosen.out / name, content)
        print(f"wrote {name} ({len(content):,} bytes)")
        files[name] = hashlib.sha256(content).hexdigest()
    built = {
        "texts": {name: digest_of(text) for name, text in source_texts().items()},
        "code": {name: digest_of_code(text) for name, text in source_texts().items()},
        "built_by": {name: version(name) for name in ("numba", "llvmlite", "ziglang")},
        "files": files,
    }
    write_text(chosen.out / MANIFEST.name, json.dumps(built, indent=1) + "\n")


if __name__ == "__main__":
    main()
