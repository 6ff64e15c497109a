"""Rules of sources: the writers of files, code that runs code, private names, imports.

Only `steer_env.files` writes files: all others hand over their content, or use memory. Only
what SECURITY.md names runs what it reads. No files are left in the temporary folder.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import faults
import gymnasium as gym
import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("steer_env", "baselines", "agents")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported(tree: ast.AST) -> list[tuple[str, str]]:
    """The names that a source imports, in functions as well, and where they come from."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            is_from = isinstance(node, ast.ImportFrom)
            module = f"{'.' * node.level}{node.module or ''}." if is_from else ""
            found += [(one.asname or one.name, module + one.name) for one in node.names]
    return found


# ---- What writes files ----------------------------------------------------------------------

THE_WRITER = ROOT / "steer_env/files.py"

# What writes to the path or the open file that it is given, of whatever library.
METHODS = {
    *("write_text", "write_bytes", "touch", "rename", "symlink_to", "hardlink_to", "save"),
    *("savefig", "savez", "savez_compressed", "savetxt", "tofile", "imwrite", "imsave", "dump"),
    *("mimsave", "write_frames", "to_csv", "to_json", "mkstemp", "NamedTemporaryFile"),
}
FUNCTIONS = {
    *("os.open", "os.replace", "os.link", "os.symlink", "os.truncate", "os.mknod"),
    *("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move"),
    "sqlite3.connect",
}
ALLOWED = {
    # Their own `save` hands its content to files.py.
    *("found.save", "network.save", "vector.save", "actor.save", "plots.save"),
    *("mixture.save", "evaluation.save"),
    *("self._actor().save", "actor_of(new_model(training, venv)).save"),
    *("logger.dump", "self.logger.dump"),  # TensorBoard's events
    # Into memory, or a path from `replacing`:
    "agents/training/model.py: model.save",
    "baselines/plots.py: build().savefig",
    *(f"steer_env/players/archive.py: np.{name}" for name in ("savez_compressed", "savez")),
    "steer_env/record/writers.py: imageio_ffmpeg.write_frames",
    "steer_env/rendering/raster.py: pygame.image.save",
}


def opens_to_write(call: ast.Call, function: str) -> bool:
    """True if it opens a file other than the null device in a mode that can change it."""
    if not (function == "open" or function.endswith((".open", ".fdopen"))):
        return False
    place = 1 if function in ("open", "io.open", "os.fdopen") else 0
    modes = [word.value for word in call.keywords if word.arg == "mode"]
    modes += call.args[place : place + 1]
    texts = [str(mode.value) for mode in modes if isinstance(mode, ast.Constant)]
    is_null = ast.unparse(call).startswith("open(os.devnull")
    return not is_null and any(set(text) & set("wax+") for text in texts)


def writes(tree: ast.AST, file: str = "") -> list[str]:
    """The calls of a source by which it writes a file itself, and such functions as values."""
    found, called = [], set()
    origins = {name: one for name, one in imported(tree) if not one.startswith(FOLDERS)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called.add(node.func)
            function = ast.unparse(node.func)
            function = origins.get(function, function)
            is_writer = function in FUNCTIONS or (
                "." in function and function.rpartition(".")[2] in METHODS
            )
            if is_writer or opens_to_write(node, function):
                found.append(function)
    found += [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node not in called
        if ast.unparse(node) in FUNCTIONS or node.attr in METHODS - {"save", "rename"}
    ]
    return [name for name in found if not {name, f"{file}: {name}"} & ALLOWED]


WRITES = (
    "open(path, mode='ab')",
    "path.open('xb')",
    "path.write_text(text)",
    "from numpy import savez\nsavez(path)",
    "write = np.savez_compressed\nwrite(path)",
    "content = io.BytesIO()\nmodel.save(path)",
    "import os\nos.replace(one, other)",
    "with opened(path) as beside:\n    imageio_ffmpeg.write_frames(beside, size)",
)
DOES_NOT = (
    "open(path)\npath.open('rb')\nopen(os.devnull, 'w')\narchive.open(info)",
    "from steer_env.files import write_text\nwrite_text(path, text)",
    "name.replace('_', ' ')\ndataclasses.replace(config, dt=1)",
)


def test_no_other_file_writes_files():
    assert all(writes(ast.parse(source)) for source in WRITES)
    assert not any(writes(ast.parse(source)) for source in DOES_NOT)
    for path in FILES:
        if path != THE_WRITER:
            assert writes(tree_of(path), path.relative_to(ROOT).as_posix()) == []


TRAIN = """
from pathlib import Path
from short_trainings import PARAMS, brief_imitation, short_training, trained
with brief_imitation():
    params = (*PARAMS["ppo"], "imitate=pursuit")
    trained(short_training(params=params), Path("run"))
"""


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("", id="train", marks=pytest.mark.weekly),
        pytest.param(
            "export pretrained/pursuit/ppo --to onnx --out x.onnx", marks=pytest.mark.weekly
        ),
        "evaluate --episodes 4 --out survival.png",
        "play --out play.html",
        "record --out game.gif --seconds 0.1",
    ],
)
def test_programs_leave_nothing_in_the_temporary_folder(line, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "tests/agents"))))
    arguments = ["-m", "steer_env", *line.split()] if line else ["-c", TRAIN]
    subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True)
    # torch has one folder of its own for each user, which it makes when it is imported.
    assert [path.name for path in folder.iterdir() if "torchinductor" not in path.name] == []


# ---- What runs code --------------------------------------------------------------------------

RUNS_CODE = re.compile(
    r"(pickle|cloudpickle|dill|marshal|shelve|joblib|torch|th)\.(load|loads|open|Unpickler)"
    r"|yaml\.(load|load_all|unsafe_load|unsafe_load_all|full_load|full_load_all)"
    r"|(builtins\.)?(eval|exec|compile|__import__)|runpy\.\w+|importlib\.import_module"
)
RUNNERS = {
    "agents/training/run.py": {"pickle.load"},  # of a checkpoint
    # Modules of fixed names, which take long to import or need packages that may be missing:
    "baselines/__init__.py": {"importlib.import_module"},
    "steer_env/__init__.py": {"importlib.import_module"},
    "steer_env/cli.py": {"importlib.import_module"},
    "steer_env/machine_code/routines.py": {"importlib.import_module"},
    # A Python file that a command names:
    "steer_env/players/resolver.py": {"runpy.run_path"},
    # And a VecNormalize, with trust:
    "steer_env/players/stable_baselines.py": {"importlib.import_module", "pickle.loads"},
}


def calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def code_runners(tree: ast.AST) -> set[str]:
    """Calls and imports of a source that can run the files that it reads."""
    names = {ast.unparse(call.func) for call in calls(tree)} | {
        one for _, one in imported(tree)
    }
    return {name for name in names if RUNS_CODE.fullmatch(name)}


def test_what_can_run_code_is_found():
    source = "from pickle import loads\nyaml.unsafe_load(x)\neval(y)\njson.loads(z)\nm.eval()"
    assert code_runners(ast.parse(source)) == {"pickle.loads", "yaml.unsafe_load", "eval"}


def test_only_what_is_known_to_runs_what_it_reads():
    found = {str(path.relative_to(ROOT)): code_runners(tree_of(path)) for path in FILES}
    assert {name: runners for name, runners in found.items() if runners} == RUNNERS


def test_numpy_never_unpickles():
    loads = [
        (path, call)
        for path in FILES
        for call in calls(tree_of(path))
        if ast.unparse(call.func) in ("np.load", "np.lib.format.read_array")
    ]
    assert loads
    for path, call in loads:
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert given.get("allow_pickle") == "False", path


# ---- What is private to libraries -----------------------------------------------------------

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
    origins, found = dict(imported(tree)), set[str]()
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


def reached(module: str) -> set[str]:
    """The modules of steer_env that a module imports, and those import, and so on."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for _, name in imported(tree_of(SOURCES[waiting.pop()])):
            assert not name.startswith("."), "imports are absolute"
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
    """Names that a file may import: the arguments of importlib, and all dotted names."""
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
        names = [name for _, name in imported(tree_of(path))]
        names += names_in_quotes(tree_of(path))
        assert not [name for name in names if outside.fullmatch(name)], path


# ---- The faults that are put in by hand -----------------------------------------------------


def test_most_faults_of_the_list_can_be_found():
    listed = faults.read(faults.LIST)[::5]
    again = "make the list again: PYTHONPATH=. python tests/by_hand/faults.py --write"
    assert len(faults.found(ROOT, listed)) >= 0.8 * len(listed), again
