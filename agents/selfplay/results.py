"""Measures self-play: each generation against all others, and against the scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from agents.selfplay.exploitability import (
    Exploitability,
    exploitability_figure,
    exploitability_table,
    measure_exploitability,
)
from agents.selfplay.generations import SCRIPTS, SelfPlayFolder
from agents.training.run_folder import PACKAGES
from baselines import CrossPlay, Interval, NetworkPolicy, crossplay, mean_with_interval
from baselines.figure_style import save
from baselines.plots import crossplay_figure
from baselines.protocol import HELD_OUT_SEED
from baselines.tables import Table, markdown, pairs_table
from steer_env.files import write_bytes, write_json, write_text
from steer_env.information import versions
from steer_env.players import Player
from steer_env.sides import EVADER, PURSUER, Side

_ABOUT = """In each of {generations} generations a pursuer and an evader learned for {steps:,}
steps, going on from the generation before, against all earlier generations of the other side
and five scripts; {algo}, seed {seed}. All is measured from starts that were not trained on.

"""


def _progress(played: CrossPlay, side: Side, names: Sequence[str]) -> list[Interval]:
    """Each generation's mean capture time over all the generations of the other side."""
    found = []
    for name in names:
        # A start's mean over the opponents is one value, since only starts are independent.
        times = [played[side.ordered(name, opponent)]["time"] for opponent in names]
        found.append(mean_with_interval(np.mean(times, axis=0), limit=played.time_limit))
    return found


def _progress_table(progress: Mapping[Side, Sequence[Interval]]) -> Table:
    return Table(
        "Mean capture time [s] against all generations of the other side, 95 % intervals",
        ("generation", "pursuer (lower is better)", "evader (higher is better)"),
        [
            (str(number), f"{pursuer:.2f}", f"{evader:.2f}")
            for number, (pursuer, evader) in enumerate(zip(*progress.values()), 1)
        ],
    )


def _scripts_table(played: CrossPlay, last: str, side: Side) -> Table:
    """The last generation of a side against every script, beside the side's best script."""
    rows = []
    for opponent in SCRIPTS[side.other]:
        times = {
            name: played[side.ordered(name, opponent)].mean_capture_time
            for name in (last, *SCRIPTS[side])
        }
        learned = times.pop(last)
        best = (min if side is PURSUER else max)(times, key=lambda n: times[n].estimate)
        rows.append((opponent, f"{learned:.2f}", f"{times[best]:.2f}", best))
    return Table(
        f"The {side.name} of {last} against the scripts, mean capture time [s]",
        ("opponent", "learned", "best script", "its name"),
        rows,
    )


def write_selfplay_results(folder: SelfPlayFolder) -> list[Table]:
    """Measures all generations, and writes their figures, pictures and page into their folder.

    Each side's last policy is copied into it, too. Without exploiters there is no
    exploitability.

    Returns:
        The tables of the page.
    """
    path, plan, episodes = folder.path, folder.settings, folder.read_config()["episodes"]
    generations = {f"generation {number}": number for number in range(1, plan.generations + 1)}
    names = list(generations)
    players: dict[Side, dict[str, Player]] = {}
    for side in Side:
        runs = {name: folder.generation(generations[name], side) for name in names}
        write_bytes(path / f"{side.name}.npz", runs[names[-1]].last_policy.read_bytes())
        learned = {name: NetworkPolicy.load(run.last_policy) for name, run in runs.items()}
        players[side] = {**learned, **{name: name for name in SCRIPTS[side]}}
    played = crossplay(players[PURSUER], players[EVADER], None, episodes, seed=HELD_OUT_SEED)
    found: list[Exploitability] = []
    for name, number in generations.items() if plan.exploiter_steps else ():
        fresh = {
            side: NetworkPolicy.load(folder.exploiter(number, side).policy) for side in Side
        }
        candidates = {side: {**players[side.other], "fresh": fresh[side]} for side in Side}
        pair = {side: players[side][name] for side in Side}
        found.append(measure_exploitability(number, pair, candidates, episodes))
    progress = {side: _progress(played, side, names) for side in Side}
    tables = [_progress_table(progress)]
    if found:
        tables.append(exploitability_table(found))
        save(path / "exploitability.png", lambda: exploitability_figure(found))
    tables += [_scripts_table(played, names[-1], side) for side in Side]
    save(path / "crossplay.png", lambda: crossplay_figure(played))
    results = {
        "plan": asdict(plan),
        "versions": versions(*PACKAGES),
        "progress": {
            side.name: [one._asdict() for one in intervals]
            for side, intervals in progress.items()
        },
        "exploitability": [one.to_dict() for one in found],
        "crossplay": played.to_dict(),
    }
    write_json(folder.results, results)
    page = "# Self-play\n\n" + _ABOUT.format(**asdict(plan))
    page += "![Mean capture time of all against all](crossplay.png)\n\n"
    if found:
        page += "![What the best answers gain, by generation](exploitability.png)\n\n"
    all_pairs = pairs_table(results["crossplay"])  # type: ignore[arg-type]
    page += "\n".join(
        f"{table.title}:\n\n{markdown(table)}" + f"\n{table.caption}\n" * bool(table.caption)
        for table in [*tables, all_pairs]
    )
    write_text(folder.readme, page)
    return tables
