"""Adds the modules that are imported by their names, and published results."""  # noqa: N999

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

hiddenimports, datas = collect_submodules("baselines"), collect_data_files("baselines")
