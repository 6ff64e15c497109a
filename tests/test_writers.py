"""Only `steer_env.files` writes files, and only what SECURITY.md names runs what it reads.

All others hand over their content, or use memory. No files are left in the temporary folder.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

import pytest
from sources import FILES, FOLDERS, ROOT, tree_of

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
    *("self._model.actor().save", "actor_of(new_model(training, venv)).save"),
    *("logger.dump", "self._logger.dump"),  # TensorBoard's events
    # Into memory, or a path from `replacing`:
    "agents/training/checkpoints.py: model.save",
    "agents/training/learning_model.py: self.model.save",
    "baselines/plots.py: build().savefig",
    *(f"steer_env/players/archive.py: np.{name}" for name in ("savez_compressed", "savez")),
    "steer_env/rendering/raster.py: pygame.image.save",
    "steer_env/rendering/video.py: imageio_ffmpeg.write_frames",
}


def opens_to_write(call: ast.Call, function: str) -> bool:
    """Whether it opens a file other than the null device in a mode that can change it."""
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
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if not str(node.module).startswith(FOLDERS)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called.add(node.func)
            function = ast.unparse(node.func)
            function = imported.get(function, function)
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
        "play --html play.html",
        "record --gif game.gif --seconds 0.1",
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
    "agents/training/checkpoints.py": {"pickle.load"},  # of a checkpoint
    # Modules of fixed names, which take long to import or need packages that may be missing:
    "baselines/__init__.py": {"importlib.import_module"},
    "steer_env/__init__.py": {"importlib.import_module"},
    "steer_env/cli.py": {"importlib.import_module"},
    "steer_env/machine_code/routines.py": {"importlib.import_module"},
    # And a VecNormalize, with trust:
    "steer_env/players/stable_baselines.py": {"importlib.import_module", "pickle.loads"},
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
