"""Nothing but what SECURITY.md names runs what it reads."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("steer_env", "baselines", "agents")
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]

RUNS_CODE = re.compile(
    r"(pickle|cloudpickle|dill|marshal|shelve|joblib|torch|th)\.(load|loads|open|Unpickler)"
    r"|yaml\.(load|load_all|unsafe_load|unsafe_load_all|full_load|full_load_all)"
    r"|(builtins\.)?(eval|exec|compile|__import__)|runpy\.\w+|importlib\.import_module"
)
ALLOWED = {
    "agents/training/snapshot.py": {"pickle.loads"},  # of a checkpoint
    "steer_env/policies/normalization.py": {"pickle.loads"},  # of a VecNormalize, with trust
    # Modules of fixed names, which need packages that may be missing:
    "agents/export/export.py": {"importlib.import_module"},
    "steer_env/policies/stable_baselines.py": {"importlib.import_module"},
    "steer_env/rendering/backend.py": {"importlib.import_module"},
}


def calls(source: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]


def code_runners(source: str) -> set[str]:
    """What a source calls or imports by name that can run what it reads."""
    called = {ast.unparse(call.func) for call in calls(source)}
    imported = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {name for name in called | imported if RUNS_CODE.fullmatch(name)}


def test_what_can_run_code_is_found():
    source = "from pickle import loads\nyaml.unsafe_load(x)\neval(y)\njson.loads(z)\nm.eval()"
    assert code_runners(source) == {"pickle.loads", "yaml.unsafe_load", "eval"}


def test_only_what_is_known_to_runs_what_it_reads():
    found = {str(path.relative_to(ROOT)): code_runners(path.read_text()) for path in SOURCES}
    assert {name: runners for name, runners in found.items() if runners} == ALLOWED


def test_numpy_never_unpickles():
    loads = [
        (path, call)
        for path in SOURCES
        for call in calls(path.read_text())
        if ast.unparse(call.func) in ("np.load", "np.lib.format.read_array")
    ]
    assert loads
    for path, call in loads:
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert given.get("allow_pickle") == "False", path
