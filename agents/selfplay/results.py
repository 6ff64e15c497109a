"""What self-play shows people: who beats whom, over the generations and beside the scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from agents.durable import write_durably, write_json
from agents.selfplay.exploitability import (
    Exploitability,
    exploitability_table,
    measure_exploitability,
    save_exploitability_plot,
)
from agents.selfplay.generations import SCRIPTS, SelfPlay
from agents.sides import SIDES, other_side
from agents.training.run_folder import versions
from baselines import CrossPlay, Interval, NetworkPolicy, crossplay, mean_with_interval
from baselines.players import Player
from baselines.plots import save_crossplay_plot
from baselines.protocol import HELD_OUT_SEED
from baselines.tables import Table, markdown, pairs_table

_ABOUT = """In each of {generations} generations a pursuer and an evader learned for {steps:,}
steps, going on from the generation before, against all earlier generations of the other side
and five scripts; {algo}, seed {seed}. All is measured from starts that nobody trained on.

"""


def generation_name(number: int) -> str:
    """What a learned policy is called."""
    return f"generation {number}"


def players_of(policies: Mapping[str, Sequence[Path]]) -> dict[str, dict[str, Player]]:
    """Each side's generations and scripts by name.

    Args:
        policies: the files of each side's generations.
    """
    found: dict[str, dict[str, Player]] = {}
    for side in SIDES:
        networks = map(NetworkPolicy.load, policies[side])
        found[side] = {generation_name(k): network for k, network in enumerate(networks, 1)}
        found[side].update((name, name) for name in SCRIPTS[side])
    return found


def progress_of_side(played: CrossPlay, side: str, generations: int) -> list[Interval]:
    """Each generation's mean capture time over all the generations of the other side."""
    names = [generation_name(number) for number in range(1, generations + 1)]
    found = []
    for name in names:
        pairs = [(name, other) if side == "pursuer" else (other, name) for other in names]
        # A start's mean over the opponents is one value: starts are what is independent.
        found.append(mean_with_interval(np.mean([played[p]["time"] for p in pairs], axis=0)))
    return found


def progress_table(played: CrossPlay, generations: int) -> Table:
    """How good each generation is against all those of the other side."""
    columns = [progress_of_side(played, side, generations) for side in SIDES]
    return Table(
        "Mean capture time [s] against all generations of the other side, 95 % intervals",
        ("generation", "pursuer (lower is better)", "evader (higher is better)"),
        [
            (str(number), f"{pursuer:.2f}", f"{evader:.2f}")
            for number, (pursuer, evader) in enumerate(zip(*columns), 1)
        ],
    )


def scripts_table(played: CrossPlay, generations: int, side: str) -> Table:
    """The last generation of a side against every script, beside the best script there."""
    last, scripts = generation_name(generations), SCRIPTS[side]
    rows = []
    for opponent in SCRIPTS[other_side(side)]:

        def time(name: str, opponent: str = opponent) -> Interval:
            return played.mean_capture_time(
                *((name, opponent) if side == "pursuer" else (opponent, name))
            )

        best = (min if side == "pursuer" else max)(scripts, key=lambda n: time(n).estimate)
        rows.append((opponent, f"{time(last):.2f}", f"{time(best):.2f}", best))
    return Table(
        f"The {side} of generation {generations} against the scripts, mean capture time [s]",
        ("opponent", "learned", "best script", "which"),
        rows,
    )


def write_selfplay_results(
    path: Path,
    plan: SelfPlay,
    policies: Mapping[str, Sequence[Path]],
    answers: Mapping[str, Sequence[Path]] | None,
    episodes: int,
) -> list[Table]:
    """Measures all generations, and writes their figures, pictures and page into a folder.

    Args:
        path: of the folder; each side's last policy is copied into it.
        plan: how they were trained.
        policies: the files of each side's generations.
        answers: the files of the fresh policies that were trained against each of them, under
            the side that is answered; None for no exploitability.
        episodes: of each pair.

    Returns:
        The tables of the page.
    """
    for side in SIDES:
        write_durably(path / f"{side}.npz", policies[side][-1].read_bytes())
    players = players_of(policies)
    played = crossplay(
        players["pursuer"], players["evader"], None, episodes, seed=HELD_OUT_SEED
    )
    found: list[Exploitability] = []
    for number in range(1, plan.generations + 1) if answers else ():
        fresh = {side: NetworkPolicy.load(answers[side][number - 1]) for side in SIDES}
        found.append(
            measure_exploitability(
                number,
                {side: players[side][generation_name(number)] for side in SIDES},
                {side: {**players[other_side(side)], "fresh": fresh[side]} for side in SIDES},
                episodes,
            )
        )
    tables = [progress_table(played, plan.generations)]
    if found:
        tables.append(exploitability_table(found))
        save_exploitability_plot(path / "exploitability.png", found)
    tables += [scripts_table(played, plan.generations, side) for side in SIDES]
    save_crossplay_plot(path / "crossplay.png", played)
    results = {
        "plan": asdict(plan),
        "versions": versions(),
        "progress": {
            side: [one._asdict() for one in progress_of_side(played, side, plan.generations)]
            for side in SIDES
        },
        "exploitability": [one.to_dict() for one in found],
        "crossplay": played.to_dict(),
    }
    write_json(path / "results.json", results)
    page = "# Self-play\n\n" + _ABOUT.format(**asdict(plan))
    page += "![Mean capture time of everybody against everybody](crossplay.png)\n\n"
    if found:
        page += "![What the best answers gain, by generation](exploitability.png)\n\n"
    everybody = pairs_table(results["crossplay"])  # type: ignore[arg-type]
    page += "\n".join(
        f"{table.title}:\n\n{markdown(table)}" + f"\n{table.caption}\n" * bool(table.caption)
        for table in [*tables, everybody]
    )
    write_durably(path / "README.md", page.encode())
    return tables
