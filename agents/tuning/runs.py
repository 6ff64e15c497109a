"""A search from beginning to end, in a folder that holds all about it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

import agents
from agents.tuning.choice import final_records, finalists, outcome
from agents.tuning.plan import Record, SearchFolder, Tuning
from agents.tuning.report import conclude, write_report
from agents.tuning.space import drawn_setting
from baselines.ray_cluster import given_address, import_ray, joined
from baselines.tables import Table
from steer_env.errors import InvalidValue, check_integer


def begin_tuning(plan: Tuning, path: Path) -> SearchFolder:
    """Makes the folder of a search, with everything that `finish_tuning` needs.

    Raises:
        FileExistsError: if there is a search already.
        FileNotFoundError: if one of its files does not exist.
        TypeError, ValueError: if its trials cannot begin; no folder is made then.
    """
    folder = SearchFolder(path)
    plan = replace(plan, training=plan.training.absolute())
    plan.check()
    folder.begin(
        {
            "tuning": plan.to_dict(),
            "command": f"{plan.command} --out {shlex.quote(str(path))}",
            "hyperparameters": plan.training.read_preset().written,
        }
    )
    return folder


def finish_tuning(
    folder: SearchFolder,
    console: Console,
    address: str | None = None,
    jobs: int | None = None,
) -> tuple[list[Table], str]:
    """Searches, from where a crash left it, and writes the results.

    Args:
        folder: as `begin_tuning` made it.
        console: for the progress.
        address: of a Ray cluster, see `baselines.ray_cluster.joined`.
        jobs: trials at once, on a Ray of this machine; None for one on each processor.

    Returns:
        The tables of the results, and the sentence that concludes.

    Raises:
        AllFailed: if no trial comes to a result.
        ClusterError: as `joined`.
        FileNotFoundError: if there is no search.
        ValueError: if the folder is damaged, its preset has changed, or another process is at
            work there.
        gymnasium.error.DependencyNotInstalled: without Ray.
    """
    plan = folder.settings
    check_cluster(address, jobs)
    if folder.read_config()["hyperparameters"] != plan.training.read_preset().written:
        raise InvalidValue(
            f"{folder.path} was begun with another preset: restore it to go on, or start a new "
            "search"
        )
    with folder.locked():
        with joined(address, processors=jobs or 1, packages=(agents,)) as ray:
            # They import Ray, which must not happen earlier: see `import_ray`.
            from agents.tuning.search import first_records, run_trials

            def run(stage: str, new: Sequence[Record]) -> tuple[list[Record], float]:
                kept = folder.read_records(stage)
                records = [kept.get(one.number, one) for one in new]
                return records, run_trials(folder, stage, plan, records, console, ray, jobs)

            settings = [drawn_setting(plan.training, i) for i in range(plan.samples)]
            records, search_seconds = run("search", first_records(plan, settings))
            new = final_records(finalists(records, plan), plan)
            finals, final_seconds = run("final", new)
        found = outcome(finals, plan)
        seconds = {"search": search_seconds, "final": final_seconds}
        tables = write_report(folder, plan, records, finals, found, seconds)
        for one in (folder.checkpoints, folder.storage):
            shutil.rmtree(one, ignore_errors=True)
        return tables, conclude(plan, found)


def check_cluster(address: str | None, jobs: int | None) -> Any:
    """Checks where to search, and that Ray is there.

    Raises:
        DependencyNotInstalled: without Ray.
        ValueError: for an address from outside of a cluster, or jobs with an address.
    """
    address = given_address(address)
    if jobs is not None:
        check_integer("jobs", jobs, 1)
        if address is not None:
            raise InvalidValue("--jobs is for this machine: a cluster has its processors")
    if address is not None and address.startswith("ray://"):
        raise InvalidValue(
            "a search runs on a machine of the cluster: give HOST:PORT or auto, got "
            f"{address!r}"
        )
    import_ray(address)
