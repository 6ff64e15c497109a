"""No source file uses what its libraries keep private, and no folder imports one above it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
from sources import FILES, ROOT, tree_of

PACKAGES = ("numba", "gymnasium", "stable_baselines3")
PRIVATE_MODULES = ("numba.core", "numba.cpython", "numba.misc", "numba.np", "numba.parfors")
FOR_SUBCLASSES = {"_seeds", "_options", "_reset_seeds", "_reset_options"}
"""Of a VecEnv, whose `reset` must use them."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def of_bases() -> set[str]:
    """Private attributes of the classes that ours inherit from."""
    bases = (gym.Env, gym.Wrapper, gym.vector.VectorEnv)
    names = {name for base in bases for name in (*dir(base), *base.__annotations__)}
    return {name for name in names if is_private(name)}


BASES = of_bases()


@functools.cache
def of_ours() -> set[str]:
    """The private names that our sources define, and those of Python that are public."""
    found = {"_replace", "_asdict", "_fields", "_exit", "_name_", *FOR_SUBCLASSES}
    for node in (node for path in FILES for node in ast.walk(tree_of(path))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found - BASES


def dotted(node: ast.AST) -> str:
    """The text of names and attributes; other owners of an attribute have none."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return getattr(node, "id", "")


def private_names(tree: ast.AST) -> set[str]:
    """The private names of libraries that a file uses."""
    origins: dict[str, str] = {}  # of names in the file: where they come from
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            origins |= {one.asname or one.name: module + one.name for one in node.names}
    uses_numba = any(name.startswith("numba") for name in origins.values())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner, _, rest = dotted(node).partition(".")
            origins[f"{owner}.{rest}"] = f"{origins.get(owner, owner)}.{rest}"
            found |= {node.attr} if isinstance(node.ctx, ast.Load) else {node.attr} & BASES
        elif isinstance(node, ast.Call):
            found |= {one.arg or "" for one in node.keywords}
        elif isinstance(node, ast.Constant) and uses_numba:  # a key of options
            found |= {str(node.value)} if str(node.value).isidentifier() else set()
    private = {name for name in found - of_ours() if is_private(name)} - origins.keys()
    return private | {
        name
        for name in origins.values()
        if name.startswith(PRIVATE_MODULES)
        or (name.startswith(PACKAGES) and any(map(is_private, name.split("."))))
    }


FOUND = """
import numba as n
from gymnasium import _x
from stable_baselines3 import PPO
OPTIONS = {'_nrt': False}
n.core.cgutils
n.njit(_fastmath=False)
PPO('MlpPolicy')._setup_model()
self._np_random
"""
FINE = "import numba\nnumba.njit(cache=True)\nself._mine = numba.__version__\nself.np_random"


def test_no_file_uses_private_names_of_libraries():
    names = {"gymnasium._x", "_nrt", "_fastmath", "_setup_model", "_np_random"}
    assert private_names(ast.parse(FOUND)) == names | {"numba.core", "numba.core.cgutils"}
    assert private_names(ast.parse(FINE)) == set()
    for path in FILES:
        assert private_names(tree_of(path)) == set(), path


# ---- What imports what --------------------------------------------------------------------

ORDER = ("steering", "scripts", "game", "players", "envs")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_of(path): path for path in FILES if "steer_env" in path.parts}


@functools.cache
def imports(path: Path) -> list[str]:
    """The dotted names that a file imports, in functions as well."""
    names = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def reached(module: str) -> set[str]:
    """The modules of steer_env that a module imports, and those import, and so on."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(SOURCES[waiting.pop()]):
            known = next((n for n in (name, name.rpartition(".")[0]) if n in SOURCES), None)
            if known not in (None, "steer_env", *found):
                found.add(known)
                waiting.append(known)
    return found


def folder_of(module: str) -> str:
    return [*module.split("."), ""][1]


ABOVE = {folder: ORDER[place + 1 :] for place, folder in enumerate(ORDER)}
ABOVE["rendering"] = ("envs",)


def test_folders_import_none_above_them():
    for module in SOURCES:
        above = ABOVE.get(folder_of(module), ())
        if above:
            assert not {name for name in reached(module) if folder_of(name) in above}, module


IMPORTERS = ("import_module", "__import__", "find_spec", "run_module")


def names_in_quotes(tree: ast.AST) -> Iterator[str]:
    """What a file may import by name: the arguments of importlib, and all dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if function in IMPORTERS:
                yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))
        elif isinstance(node, ast.Constant) and "." in str(node.value):
            yield str(node.value)


def test_the_package_imports_neither_baselines_nor_agents():
    outside = re.compile(r"(baselines|(steer_env\.)?agents\.\w+|agents)(\.\w+)*")
    for path in SOURCES.values():
        names = [*imports(path), *names_in_quotes(tree_of(path))]
        assert not [name for name in names if outside.fullmatch(name)], path
