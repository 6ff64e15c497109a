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


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def of_bases() -> set[str]:
    """Private attributes of the classes that ours inherit from."""
    bases = (gym.Env, gym.Wrapper, gym.vector.VectorEnv)
    names = {name for base in bases for name in (*dir(base), *base.__annotations__)}
    return {name for name in names if is_private(name)}


BASES = of_bases()


class Finder(ast.NodeVisitor):
    """Collects the private names of libraries that a file uses, as (line, name)."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []
        self.origins: dict[str, str] = {}  # of names in the file: where they come from

    def note(self, node: ast.AST, dotted: str) -> None:
        parts = dotted.split(".")
        is_theirs = parts[0] in PACKAGES
        module = ".".join(parts[:2])
        if is_theirs and (module in PRIVATE_MODULES or any(map(is_private, parts))):
            self.found.append((getattr(node, "lineno", 0), dotted))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.note(node, alias.name)
            top = alias.name.split(".")[0]
            self.origins[alias.asname or top] = alias.name if alias.asname else top

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            dotted = f"{node.module}.{alias.name}"
            self.note(node, dotted)
            self.origins[alias.asname or alias.name] = dotted

    def origin(self, node: ast.AST | None) -> str:
        """The dotted name of what an expression stands for; "" if that is not known."""
        if isinstance(node, ast.Name):
            return self.origins.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self.origin(node.value)
            return owner and f"{owner}.{node.attr}"
        return self.origin(node.func) if isinstance(node, ast.Call) else ""

    def visit_Assign(self, node: ast.Assign) -> None:
        self.rename(node.targets, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.rename([node.target], node.value)
        self.generic_visit(node)

    def rename(self, targets: list[ast.expr], value: ast.expr | None) -> None:
        origin = self.origin(value)
        for target in targets:
            if isinstance(target, ast.Name) and origin:
                self.origins[target.id] = origin

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.note(node, self.origin(node))
        if node.attr in BASES:
            self.found.append((node.lineno, node.attr))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            self.note(node, f"{self.origin(node.func)}.{keyword.arg or ''}")
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        # Options are handed on as dictionaries as well.
        uses_numba = any(origin.startswith("numba") for origin in self.origins.values())
        for key in node.keys:
            if uses_numba and isinstance(key, ast.Constant) and is_private(str(key.value)):
                self.found.append((node.lineno, str(key.value)))
        self.generic_visit(node)


def private_names(tree: ast.AST) -> list[tuple[int, str]]:
    finder = Finder()
    finder.visit(tree)
    return finder.found


FOUND = """
import numba as n
from gymnasium import _x
from stable_baselines3 import PPO
OPTIONS = {'_nrt': False}
n.core.cgutils
n.njit(_nrt=False)
PPO('MlpPolicy')._setup_model()
self._np_random
"""
FINE = "import numba\nnumba.njit(cache=True)\nself._mine = numba.__version__\nself.np_random"


def test_no_file_uses_private_names_of_libraries():
    assert {line for line, _ in private_names(ast.parse(FOUND))} == {3, 5, 6, 7, 8, 9}
    assert private_names(ast.parse(FINE)) == []
    for path in FILES:
        assert private_names(tree_of(path)) == [], path


# ---- What imports what --------------------------------------------------------------------

ORDER = ("steering", "scripts", "game", "policies", "envs")


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
