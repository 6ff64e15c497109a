"""Adds the modules that are imported by their names, and all files.

Among these are the sources: the loader compares them with what the machine code was built from.
"""  # noqa: N999

from pathlib import Path

from PyInstaller.utils.hooks import collect_submodules

# But for the adapter to stable-baselines3, which its users import.
hiddenimports = collect_submodules("steer_env.envs", lambda name: not name.endswith("sb3"))
hiddenimports += collect_submodules("steer_env.baselines")

_PACKAGE = Path(__file__).parents[1]
_FILES = [path for path in _PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
datas = [(str(path), str(path.parent.relative_to(_PACKAGE.parent))) for path in _FILES]
