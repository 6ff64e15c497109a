"""Nothing but what SECURITY.md names runs what it reads."""

from __future__ import annotations

import ast
import re

from sources import FILES, ROOT, tree_of

RUNS_CODE = re.compile(
    r"(pickle|cloudpickle|dill|marshal|shelve|joblib|torch|th)\.(load|loads|open|Unpickler)"
    r"|yaml\.(load|load_all|unsafe_load|unsafe_load_all|full_load|full_load_all)"
    r"|(builtins\.)?(eval|exec|compile|__import__)|runpy\.\w+|importlib\.import_module"
)
ALLOWED = {
    "agents/training/checkpoints.py": {"pickle.load"},  # of a checkpoint
    # Modules of fixed names, which take long to import or need packages that may be missing:
    "baselines/__init__.py": {"importlib.import_module"},
    "steer_env/__init__.py": {"importlib.import_module"},
    "steer_env/cli.py": {"importlib.import_module"},
    "steer_env/machine_code/routines.py": {"importlib.import_module"},
    # And a VecNormalize, with trust:
    "steer_env/policies/stable_baselines.py": {"importlib.import_module", "pickle.loads"},
}


def calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def code_runners(tree: ast.AST) -> set[str]:
    """What a source calls or imports by name that can run what it reads."""
    called = {ast.unparse(call.func) for call in calls(tree)}
    imported = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {name for name in called | imported if RUNS_CODE.fullmatch(name)}


def test_what_can_run_code_is_found():
    source = "from pickle import loads\nyaml.unsafe_load(x)\neval(y)\njson.loads(z)\nm.eval()"
    assert code_runners(ast.parse(source)) == {"pickle.loads", "yaml.unsafe_load", "eval"}


def test_only_what_is_known_to_runs_what_it_reads():
    found = {str(path.relative_to(ROOT)): code_runners(tree_of(path)) for path in FILES}
    assert {name: runners for name, runners in found.items() if runners} == ALLOWED


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
