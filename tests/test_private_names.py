"""No source file uses what its libraries keep private, and no folder imports one above it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("numba", "gymnasium", "stable_baselines3")
PRIVATE_MODULES = ("numba.core", "numba.cpython", "numba.misc", "numba.np", "numba.parfors")
FOLDERS = ("steer_env", "baselines", "agents")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


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


def private_names(source: str) -> list[tuple[int, str]]:
    finder = Finder()
    finder.visit(ast.parse(source))
    return finder.found


EXAMPLES = {
    "a private module": ("import numba.core.types", "numba.core.types"),
    "under another name": ("import numba.core as c", "numba.core"),
    "imported from it": ("from numba.core import types", "numba.core.types"),
    "an attribute": ("import numba\nnumba.core.cgutils.x", "numba.core"),
    "of an alias": ("import numba as n\n_n: Any = n\n_n.core", "numba.core"),
    "a private name": ("import numba\nnumba._x()", "numba._x"),
    "a private import": ("from gymnasium import _x", "gymnasium._x"),
    "of a class": ("from gymnasium import vector as v\nv.Env._x", "gymnasium.vector.Env._x"),
    "of an object": (
        "from stable_baselines3 import PPO\nmodel = PPO('MlpPolicy')\nmodel._setup_model()",
        "stable_baselines3.PPO._setup_model",
    ),
    "of a base": ("class E(gym.Env):\n    def f(self):\n        self._np_random", "_np_random"),
    "an option": ("import numba\nnumba.njit(_nrt=False)(f)", "numba.njit._nrt"),
    "of a decorator": (
        "from numba import njit\n@njit(cache=True, _nrt=False)\ndef f(): pass",
        "numba.njit._nrt",
    ),
    "of an overload": (
        "from numba.extending import overload\noverload(f, jit_options={'_nrt': False})",
        "_nrt",
    ),
    "options kept": ("import numba\nOPTIONS = {'_nrt': False}\nnumba.njit(**OPTIONS)", "_nrt"),
}


@pytest.mark.parametrize(("source", "name"), EXAMPLES.values(), ids=EXAMPLES)
def test_it_finds_private_names(source, name):
    assert name in [found for _, found in private_names(source)]


@pytest.mark.parametrize(
    "source",
    [
        "import numba\nfrom numba import types\nfrom numba.extending import intrinsic\n"
        "numba.njit(cache=True)(f)\ntypes.CPointer(x)\nself._mine = numba.__version__",
        "import gymnasium as gym\nclass E(gym.Env):\n    def f(self):\n        self.np_random",
        "model = load()\nmodel._own\n{'_nrt': 1}",
    ],
)
def test_it_leaves_public_and_own_names_alone(source):
    assert private_names(source) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_uses_private_names_of_libraries(path):
    assert private_names(path.read_text(encoding="utf-8")) == []


# ---- What imports what --------------------------------------------------------------------

ORDER = ("steering", "scripts", "game", "policies", "envs")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_of(path): path for path in FILES if "steer_env" in path.parts}


@functools.cache
def tree_of(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST) -> Iterator[str]:
    """The dotted names that a file imports, in functions as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def reached(module: str) -> set[str]:
    """The modules of steer_env that a module imports, and those import, and so on."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(tree_of(SOURCES[waiting.pop()])):
            known = next((n for n in (name, name.rpartition(".")[0]) if n in SOURCES), None)
            if known not in (None, "steer_env", *found):
                found.add(known)
                waiting.append(known)
    return found


def folder_of(module: str) -> str:
    return [*module.split("."), ""][1]


@pytest.mark.parametrize("folder", ORDER)
def test_folders_import_none_above_them(folder):
    above = ORDER[ORDER.index(folder) + 1 :]
    for module in SOURCES:
        if folder_of(module) == folder:
            wrong = {name for name in reached(module) if folder_of(name) in above}
            assert not wrong, module


def test_rendering_does_not_import_the_environments():
    for module in SOURCES:
        if folder_of(module) == "rendering":
            wrong = {name for name in reached(module) if folder_of(name) == "envs"}
            assert not wrong, module


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


def test_imports_by_name_are_found():
    for source in ("importlib.import_module('agents')", "NAMES = {'x': 'agents.training'}"):
        assert any(name.startswith("agents") for name in names_in_quotes(ast.parse(source)))
    assert "agents" not in names_in_quotes(ast.parse("folder / 'agents' / 'pretrained'"))


def test_the_package_imports_neither_baselines_nor_agents():
    outside = re.compile(r"(baselines|agents)(\.\w+)*")
    for path in SOURCES.values():
        names = [*imports(tree_of(path)), *names_in_quotes(tree_of(path))]
        assert not [name for name in names if outside.fullmatch(name)], path
