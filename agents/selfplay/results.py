"""Measures self-play: all generations against each other, and what best answers gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from agents.selfplay.answers import perfect_of, pretrained_of, scripts_of
from agents.selfplay.exploitability import (
    Exploitability,
    exploitability_figure,
    exploitability_table,
    exploiters_table,
    measure_exploitability,
    measure_exploiters,
)
from agents.selfplay.exploiters import Exploiters
from agents.selfplay.generations import TARGETS, SelfPlay, SelfPlayFolder
from agents.selfplay.methods import first_scripts
from agents.training.run_folder import PACKAGES
from baselines import CrossPlay, Interval, OptimalityGap, crossplay, gaps, mean_with_interval
from baselines.figure_style import save
from baselines.measured_players import MeasuredPlayer, players_table
from baselines.pages import build_page
from baselines.payoffs import Payoff, largest_payoff
from baselines.plots import crossplay_figure
from baselines.scenarios import HELD_OUT_SEED
from baselines.tables import Table, pairs_table
from steer_env.files import write_json, write_text
from steer_env.game.config import game_config
from steer_env.information import versions
from steer_env.players import Player
from steer_env.policies.archive import write_archive
from steer_env.sides import EVADER, PURSUER, Side
from steer_env.suite import GAMES

_ABOUT = """In each of {generations} generations {learners} learned for {steps:,}
steps, going on from the generation before. The game is `{game}`; the method is `{method}`;
{algo}, seed {seed}. All is measured from starts that were not trained on.
"""

_ALONE = {PURSUER: "a pursuer", EVADER: "an evader"}

_PERFECT = """Perfect play of this game is known. What a policy loses to a perfect opponent,
its gap to the value V, is a lower bound of what a best answer to it gains.
"""

_CALIBRATION = """How much of a known best answer such exploiters find is measured by
`python tests/by_hand/calibrate_exploiters.py` from a checkout.
"""

_MOST_GAPS = 2**26  # bytes of gaps.npz

Searches = Mapping[tuple[str, Side], Exploiters]
"""The exploiters of each target of a side."""


def _progress(played: CrossPlay, side: Side, names: Sequence[str]) -> list[Interval]:
    """Each generation's mean payoff over all the generations of the other side."""
    found, limit = [], largest_payoff(played.config)
    for name in names:
        # A start's mean over the opponents is one value, since only starts are independent.
        payoffs = [played[side.ordered(name, opponent)].payoffs for opponent in names]
        found.append(mean_with_interval(np.mean(payoffs, axis=0), limit=limit))
    return found


def _progress_table(progress: Mapping[Side, Sequence[Interval]], payoff: Payoff) -> Table:
    return Table(
        f"{payoff.label.capitalize()} against all generations of the other side, 95 % "
        "intervals",
        ("generation", "pursuer (lower is better)", "evader (higher is better)"),
        [
            (str(number), f"{pursuer:.2f}", f"{evader:.2f}")
            for number, (pursuer, evader) in enumerate(zip(*progress.values()), 1)
        ],
    )


def _mean_caught(played: CrossPlay) -> dict[str, dict[str, float]]:
    """How many evaders each pursuer catches on average, by its name and the evader's."""
    return {
        pursuer: {
            evader: float(played[pursuer, evader]["caught"].mean()) for evader in played.evaders
        }
        for pursuer in played.pursuers
    }


def _scripts_table(
    played: CrossPlay, scripts: Mapping[Side, Sequence[str]], last: str, side: Side
) -> Table:
    """The last generation of a side against every script, beside the side's best script."""
    rows = []
    for opponent in scripts[side.other]:
        means = {
            name: played[side.ordered(name, opponent)].mean_payoff
            for name in (last, *scripts[side])
        }
        learned = means.pop(last)
        best = (min if side is PURSUER else max)(means, key=lambda n: means[n].estimate)
        rows.append((opponent, f"{learned:.2f}", f"{means[best]:.2f}", best))
    plural = "s" * (played.config.count(side.name) > 1)
    return Table(
        f"The {side.name}{plural} of {last} against the scripts, {played.payoff.label}",
        ("opponent", "learned", "best script", "its name"),
        rows,
    )


def _mixtures_table(mixtures: Mapping[Side, Mapping[str, float]]) -> Table:
    """The chance of every generation in the mixture of each side."""
    names = sorted({name for mixture in mixtures.values() for name in mixture})
    return Table(
        "Mixtures: the chance of each generation, drawn for every episode",
        ("generation", *(side.name for side in Side)),
        [(name, *(f"{mixtures[side].get(name, 0.0):.0%}" for side in Side)) for name in names],
        "Each side's mixture of its networks that holds best against all policies of the other "
        "side, by linear programming, on validation starts.",
    )


def write_selfplay_results(
    folder: SelfPlayFolder, mixtures: Mapping[Side, Mapping[str, float]], searches: Searches
) -> list[Table]:
    """Measures all generations, and writes their figures, pictures and page into their folder.

    Args:
        folder: with all generations, and the files of all `TARGETS`.
        mixtures: the chance of every generation in the mixture of each side.
        searches: the exploiters; none for no exploitability of the targets.

    Returns:
        The tables of the page.
    """
    path, plan, episodes = folder.path, folder.settings, folder.read_config()["episodes"]
    players = {side: _learned(plan, folder, side) for side in Side}
    names = list(players[PURSUER])
    scripts = {side: first_scripts(plan.game, side) for side in Side}
    pursuers, evaders = (
        {**players[side], **{name: name for name in scripts[side]}} for side in Side
    )
    played = crossplay(pursuers, evaders, plan.game, episodes, seed=HELD_OUT_SEED)
    payoff = played.payoff
    progress = {side: _progress(played, side, names) for side in Side}
    tables = [_progress_table(progress, payoff), _mixtures_table(mixtures)]
    optimality = _gaps_to_perfect_play(folder, players)
    tables += [_gap_table(plan.game, side, found) for side, found in optimality.items()]
    generations: list[Exploitability] = []
    targets: list[Exploitability] = []
    exploiters: dict[str, Any] = {}
    if searches:
        generations, targets = _exploitability(folder, players, searches, episodes)
        exploiters = _measured_searches(folder, targets, searches, episodes)
        tables.append(exploitability_table([*generations, *targets]))
        tables.append(exploiters_table(exploiters, payoff))
        save(path / "exploitability.png", lambda: exploitability_figure(generations))
        gains = {one.name: one.gains for one in targets}
        write_archive(folder.gaps, gains, _MOST_GAPS)
    tables += [_scripts_table(played, scripts, names[-1], side) for side in Side]
    save(path / "crossplay.png", lambda: crossplay_figure(played))
    results = {
        "plan": asdict(plan),
        "versions": versions(*PACKAGES),
        "steps": _steps(plan, searches),
        "population": {"pursuer": list(played.pursuers), "evader": list(played.evaders)},
        "mixtures": {side.name: dict(mixtures[side]) for side in Side},
        "progress": {
            side.name: [one._asdict() for one in intervals]
            for side, intervals in progress.items()
        },
        "optimality": {
            side.name: [gap.to_dict() for gap in found] for side, found in optimality.items()
        },
        "exploitability": {
            "generations": [one.to_dict() for one in generations],
            "targets": {one.name: one.to_dict() for one in targets},
            "exploiters": exploiters,
        },
        "crossplay": played.to_dict(),
        **({"mean_caught": _mean_caught(played)} if played.config.evaders > 1 else {}),
    }
    write_json(folder.results, results)
    write_text(folder.readme, _page(plan, tables, results["crossplay"], bool(searches)))
    return tables


def _learned(plan: SelfPlay, folder: SelfPlayFolder, side: Side) -> dict[str, Player]:
    """The networks of a side's generations, by name."""
    numbers = range(1, plan.generations + 1)
    return {f"generation {n}": folder.generation(n, side).last_policy for n in numbers}


def _gaps_to_perfect_play(
    folder: SelfPlayFolder, players: Mapping[Side, Mapping[str, Player]]
) -> dict[Side, list[OptimalityGap]]:
    """The gap of each generation and of each of the `TARGETS`; none in an unsolved game."""
    game = folder.settings.game
    if not GAMES[game].is_solved:
        return {}
    measured = {}
    for side in Side:
        targets = {name: folder.policy(name, side) for name in TARGETS if name != "last"}
        measured[side] = list(gaps({**players[side], **targets}, game, side.name))
    return measured


def _gap_table(game: str, side: Side, found: Sequence[OptimalityGap]) -> Table:
    """A row for each policy: in each region its gap over V, and the share never caught."""
    rows = [MeasuredPlayer(gap.policy, [gap]) for gap in found]
    table = players_table(GAMES[game], side, rows)
    return table._replace(title=f"Gap to perfect play [95 % interval]: {table.title}")


def _exploitability(
    folder: SelfPlayFolder,
    players: Mapping[Side, Mapping[str, Player]],
    searches: Searches,
    episodes: int,
) -> tuple[list[Exploitability], list[Exploitability]]:
    """The exploitability of every generation, by what is known, and of every target."""
    known: dict[Side, dict[str, Player]] = {}
    game = folder.settings.game
    for side in Side:  # the answers to it are of the other side
        other = side.other
        own = {name: folder.policy(name, other) for name in TARGETS if name != "last"}
        made = {**scripts_of(other), **perfect_of(other, game), **pretrained_of(other, game)}
        found = {**made, **players[other], **own}
        for (target, of_side), search in searches.items():
            if of_side is side:
                for one in search.exploiters:
                    found[f"{one.name}, of {target}"] = one.policy
        known[side] = found
    generations = [
        measure_exploitability(
            name, {side: players[side][name] for side in Side}, known, episodes, game
        )
        for name in players[PURSUER]
    ]
    targets = [
        measure_exploitability(
            name, {side: folder.policy(name, side) for side in Side}, known, episodes, game
        )
        for name in TARGETS
    ]
    return generations, targets


def _measured_searches(
    folder: SelfPlayFolder, targets: Sequence[Exploitability], searches: Searches, episodes: int
) -> dict[str, Any]:
    """All exploiters of every policy, beside the best script; see `exploiters_table`."""
    by_name, found = {one.name: one for one in targets}, {}
    game = folder.settings.game
    for (target, side), search in searches.items():
        policy, exploited = folder.policy(target, side), by_name[target]
        measured = measure_exploiters(policy, side, search, episodes, game)
        answered = getattr(exploited, side.name).to_dict(exploited.payoff)
        script = {name: answered[name] for name in answered if name.startswith("script")}
        found[f"{target} {side.name}"] = {**measured, **script}
    return found


def _steps(plan: SelfPlay, searches: Searches) -> dict[str, int]:
    """The steps of training: of each side in all, and of all exploiters together."""
    different = {id(one): one for one in searches.values()}  # two targets may be one policy
    return {
        "of_each_side": plan.generations * plan.steps,
        "of_all_exploiters": sum(
            exploiter.steps[-1] for one in different.values() for exploiter in one.exploiters
        ),
    }


def _page(
    plan: SelfPlay, tables: Sequence[Table], pairs: Mapping[str, Any], has_exploiters: bool
) -> str:
    """The README.md of self-play."""
    counts = {side: game_config(game=plan.game).count(side.name) for side in Side}
    learners = [
        _ALONE[side] if count == 1 else f"{count} {side.name}s"
        for side, count in counts.items()
    ]
    about = _ABOUT.format(**asdict(plan), learners=" and ".join(learners))
    exploiters = (
        "![What the best answers gain, by generation](exploitability.png)",
        _CALIBRATION,
    )
    return build_page(
        "Self-play",
        about,
        _PERFECT * GAMES[plan.game].is_solved,
        "![All against all](crossplay.png)",
        *(exploiters if has_exploiters else ()),
        *tables,
        pairs_table(pairs),
    )
