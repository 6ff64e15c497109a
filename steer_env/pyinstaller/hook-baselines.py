"""Adds the modules that are imported by their names, and all files: one is read for names."""  # noqa: N999

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

hiddenimports = collect_submodules("baselines")
datas = collect_data_files("baselines", include_py_files=True)
