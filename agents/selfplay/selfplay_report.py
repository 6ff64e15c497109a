"""Measures self-play, and writes its figures, pictures and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steer_env.baselines import Episodes, Interval, by_region, crossplay, gap_metrics, gaps
from steer_env.baselines.cross_play import pairs_table, ranking
from steer_env.baselines.plots import crossplay_figure, save
from steer_env.baselines.tables import Table, build_page, cell
from steer_env.baselines.tasks import HELD_OUT_SEED
from steer_env.files import write_json, write_text
from steer_env.information import versions
from steer_env.players.player import AnyPlayer
from steer_env.scenarios.registry import GAMES
from steer_env.sides import EVADER, PURSUER, Side

from ..training.training import PACKAGES
from .generations import SelfPlayRun

_ABOUT = """In each of {generations} generations {learners} learned for {steps:,}
steps, going on from the generation before. The game is `{game}`; the method is `{method}`;
{algo}, seed {seed}. All is measured from starts that were not trained on.
"""

_ALONE = {PURSUER: "a pursuer", EVADER: "an evader"}

_PERFECT = """Perfect play of this game is known. What a policy loses to a perfect opponent,
its gap to the value V, is a lower bound of what a best answer to it gains.
"""

_EXPLOIT = """How far a policy can be beaten: `steer-env exploit --pursuer pursuer.npz` lets a
search play against it, and so it does against an evader or a mixture.
"""


def write_selfplay_report(
    folder: SelfPlayRun,
    scripts: Mapping[Side, Sequence[str]],
    mixtures: Mapping[Side, Mapping[str, float]],
) -> list[Table]:
    """Measures all generations, writes figures and page, and returns the tables of the page."""
    plan, episodes = folder.settings, folder.read_config()["episodes"]
    names = [f"generation {number}" for number in range(1, plan.generations + 1)]
    networks: dict[Side, dict[str, AnyPlayer]] = {
        side: {name: folder.generation(n, side).last_policy for n, name in enumerate(names, 1)}
        for side in Side
    }
    pursuers, evaders = (networks[x] | dict(zip(scripts[x], scripts[x])) for x in Side)
    played = crossplay(pursuers, evaders, plan.game, episodes, seed=HELD_OUT_SEED)
    progress: dict[str, list[Interval]] = {}
    for side in Side:
        ranks = ranking(played.where(pursuer=names, evader=names), side.name)
        progress[side.name] = [ranks[name][played.payoff.name] for name in names]
    label, limits = played.payoff.label.capitalize(), zip(*progress.values())
    mixed = sorted({name for mixture in mixtures.values() for name in mixture})
    tables = [
        Table(
            f"{label} against all generations of the other side, 95% intervals",
            ("generation", "pursuer (lower is better)", "evader (higher is better)"),
            [(str(n), *(f"{one:.2f}" for one in pair)) for n, pair in enumerate(limits, 1)],
        ),
        Table(
            "Mixtures: the chance of each generation, drawn for every episode",
            ("generation", *(side.name for side in Side)),
            [
                (name, *(f"{mixtures[side].get(name, 0.0):.1%}" for side in Side))
                for name in mixed
            ],
            "Each side's mixture of its networks that holds best against all policies of the "
            "other side, by linear programming, on validation starts.",
        ),
    ]
    optimality = {}
    for side in Side if GAMES[plan.game].is_solved else ():
        policies = {**networks[side], "mixture": folder.mixture(side)}
        measured = [*gaps(policies, plan.game, side.name)]
        optimality[side.name] = [gap.to_dict() for gap in measured]
        tables.append(_gaps_table(side, measured))
    tables += [_scripts_table(played, scripts, names[-1], side) for side in Side]
    save(folder.path / "crossplay.png", lambda: crossplay_figure(played))
    results = {
        "plan": plan.to_dict(),
        "versions": versions(*PACKAGES),
        "steps": {"of_each_side": plan.generations * plan.steps},
        "population": {"pursuer": list(played.pursuers), "evader": list(played.evaders)},
        "mixtures": {side.name: dict(mixtures[side]) for side in Side},
        "progress": {key: [one._asdict() for one in found] for key, found in progress.items()},
        "optimality": optimality,
        "crossplay": played.to_dict(),
    }
    if played.config.evaders > 1:
        results["mean_caught"] = {
            p: {e: float(one["caught"].mean()) for e, one in found.by("evader").items()}
            for p, found in played.by("pursuer").items()
        }
    write_json(folder.results, results)
    learners = " and ".join(
        alone if (count := played.config.count(side.name)) == 1 else f"{count} {side.name}s"
        for side, alone in _ALONE.items()
    )
    page = build_page(
        "Self-play",
        _ABOUT.format(**plan.to_dict(), learners=learners),
        _PERFECT * GAMES[plan.game].is_solved,
        "![All against all](crossplay.png)",
        *tables,
        _EXPLOIT,
        pairs_table(results["crossplay"]),
    )
    write_text(folder.readme, page)
    return tables


def _gaps_table(side: Side, found: Sequence[Episodes]) -> Table:
    """The gap of each policy to perfect play, over all starts with a finite value."""
    rows = []
    for measured in found:
        overall, name = gap_metrics(by_region(measured)["all"]), measured.names(side.name)[0]
        shares = [cell(overall[one], ".1%") for one in ("share", "never_caught")]
        rows.append((name, f"{cell(overall['gap'], '.3f')} {measured.payoff.unit}", *shares))
    title = f"Gap of the {side.name} to perfect play, 95% intervals"
    return Table(title, ("policy", "gap", "gap / V", "never caught"), rows)


def _scripts_table(
    played: Episodes, scripts: Mapping[Side, Sequence[str]], last: str, side: Side
) -> Table:
    """The last generation of a side against every script, beside the side's best script."""
    rows = []
    for opponent in scripts[side.other]:
        names = {side.name: (last, *scripts[side]), side.other.name: opponent}
        found = played.where(**names).by(side.name)
        means = {name: one.mean_payoff for name, one in found.items()}
        learned = means.pop(last)
        best = (min if side is PURSUER else max)(means, key=lambda n: means[n].estimate)
        rows.append((opponent, f"{learned:.2f}", f"{means[best]:.2f}", best))
    plural = "s" * (played.config.count(side.name) > 1)
    return Table(
        f"The {side.name}{plural} of {last} against the scripts, {played.payoff.label}",
        ("opponent", "learned", "best script", "its name"),
        rows,
    )
