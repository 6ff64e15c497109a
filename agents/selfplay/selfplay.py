"""Trains both sides of a game in turn, by one of the methods, also after a crash.

Training against the latest opponent only (independent reinforcement learning) forgets how to
beat the earlier ones, and may cycle. Fictitious play (Brown 1951; Heinrich, Lanctot and Silver
2015, ICML, with learned answers) trains against all earlier policies with equal chances,
prioritized fictitious self-play (Vinyals et al. 2019, Nature 575) more often against those that
it plays badly against, and policy-space response oracles (Lanctot et al. 2017, NeurIPS) against
the mixture in the equilibrium of all policies so far.

Every method begins with scripts: a generation can train against them as against earlier
policies. All methods alternate between the sides, and each generation's network goes on
from the one before, so at equal generations and steps they differ only in the opponents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from steer_env.errors import check_integer, needing

with needing("agents"):
    from rich.console import Console

    from ..training.train import begin_run, train

from steer_env.baselines import (
    Episodes,
    Interval,
    MixturePolicy,
    NetworkPolicy,
    by_region,
    crossplay,
    evaluate,
    gap,
    gap_metrics,
)
from steer_env.baselines.cross_play import pairs_table, ranking, solve_matrix_game
from steer_env.baselines.measures import FEWEST
from steer_env.baselines.plots import crossplay_figure, save
from steer_env.baselines.tables import Table, build_page, cell
from steer_env.baselines.tasks import HELD_OUT_SEED
from steer_env.files import write_bytes, write_json, write_text
from steer_env.information import versions
from steer_env.players.player import AnyPlayer
from steer_env.scenarios.registry import GAMES, suite_game
from steer_env.sides import EVADER, PURSUER, Side

from ..training.model import check_start
from ..training.run import PACKAGES, VALIDATION_SEED
from .generations import EPISODES, SelfPlay, SelfPlayRun

SCRIPTS = {
    Side.PURSUER: ("seek", "pursuit", "pursuit/intercept", "navigation", "pursuit/full_force"),
    Side.EVADER: ("flee", "evade", "wander", "evade/intercept", "evade/threatened"),
}
"""The scripts of each side that are in the population from the beginning, of one on one."""

_HERD = "escape/herd/full_force"
_PACKS = ("pursuit", "constant_bearing", "pursuit/pack", "encircle", "voronoi")
TEAM_SCRIPTS = {
    Side.PURSUER: tuple(f"{name}/full_force" for name in _PACKS),
    Side.EVADER: ("flee", "wander", "evade/full_force", "escape/full_force", _HERD),
}
"""The same for games with a team."""

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

_EPISODES = 500  # of each pair, to find the equilibrium
_LEAST_SHARE = 1e-3  # smaller shares of an equilibrium are not trained against


def first_scripts(game: str, side: Side) -> tuple[str, ...]:
    """The scripts of a side of a game that are in the population from the beginning."""
    found = suite_game(game)
    if not any(map(found.is_team, Side)):
        return tuple(SCRIPTS[side])
    # One evader's herd is escape/full_force once more.
    return tuple(x for x in TEAM_SCRIPTS[side] if x != _HERD or found.is_team(side))


class Population:
    """All policies so far: the scripts, and the networks of the generations.

    Pairs are played when they are first needed, from validation starts, and remembered.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self.scripts = {side: first_scripts(game, side) for side in Side}  # names
        self.networks: dict[Side, list[str]] = {side: [] for side in Side}  # oldest first
        self._payoffs: dict[tuple[str, str], float] = {}

    def members(self, side: Side) -> list[str]:
        """The names of a side's scripts, and the paths of its networks, oldest first."""
        return [*self.scripts[side], *self.networks[side]]

    def opponents(self, method: str, side: Side, hardness: float) -> dict[str, Any]:
        """The fields of a `Training` that choose its opponents, of a side, by a method."""
        if method == "psro":
            mixture = self.equilibrium(side, self.members(side))
            return {"opponent": tuple(mixture), "opponent_weights": tuple(mixture.values())}
        if method == "independent":
            return {"opponent": tuple(self.networks[side][-1:] or self.scripts[side])}
        found = {"opponent": tuple(self.members(side))}
        return {**found, "hardness": hardness} if method == "prioritized" else found

    def equilibrium(self, side: Side, own: Sequence[str]) -> dict[str, float]:
        """The chance of each of a side's policies in an equilibrium with all of the other's."""
        pursuers, evaders = side.ordered(own, self.members(side.other))
        for pair in product(pursuers, evaders):
            if pair not in self._payoffs:
                found = evaluate(*pair, self._game, _EPISODES, VALIDATION_SEED)
                self._payoffs[pair] = float(found.payoffs.mean())
        payoffs = np.array([[self._payoffs[p, e] for e in evaders] for p in pursuers])
        chances = solve_matrix_game(payoffs)[side]
        kept = np.where(chances < _LEAST_SHARE, 0.0, chances)
        return {name: float(p) for name, p in zip(own, kept / kept.sum()) if p > 0.0}


def begin_selfplay(plan: SelfPlay, path: Path, episodes: int = EPISODES) -> SelfPlayRun:
    """Makes the folder of self-play, or raises an error if a training could not begin."""
    check_integer("episodes", episodes, FEWEST)
    for side, number in product(Side, (1, plan.generations)):  # else it fails after hours
        scripts = first_scripts(plan.game, side.other)
        check_start(plan.training(side, scripts, **plan.later(number)))
    folder = SelfPlayRun(path)
    folder.begin({"plan": plan.to_dict(), "episodes": episodes})
    return folder


def finish_selfplay(folder: SelfPlayRun, console: Console) -> list[Table]:
    """Trains the self-play of a folder as `train` does, and returns the tables of its page."""
    plan = folder.settings
    with folder.locked():
        population = play_generations(plan, folder, console)
        mixtures = write_policies(folder, population)
        return write_selfplay_report(folder, mixtures)


def play_generations(plan: SelfPlay, folder: SelfPlayRun, console: Console) -> Population:
    """Trains all generations, except what was trained before a crash."""
    population = Population(plan.game)
    for number in range(1, plan.generations + 1):
        for side in Side:
            run = folder.generation(number, side)
            if not run.is_trained:
                changes = population.opponents(plan.method, side.other, plan.hardness)
                names = changes.pop("opponent")
                what = f"{side.name} against a pool of {len(names)}"
                console.print(f"generation {number} of {plan.generations}: {what}")
                changes |= plan.later(number)
                if number > 1:
                    changes["start_from"] = folder.generation(number - 1, side).last_model
                if not run.config.exists():
                    begin_run(plan.training(side, names, **changes), run.path)
                train(run, console)
            population.networks[side].append(str(run.last_policy))
    return population


def write_policies(folder: SelfPlayRun, population: Population) -> dict[Side, dict[str, float]]:
    """Writes the last generation and the mixture of both sides: returns its chances by name."""
    mixtures = {}
    for side in Side:
        networks = population.networks[side]
        write_bytes(folder.policy(side), Path(networks[-1]).read_bytes())
        chances = population.equilibrium(side, networks)
        mixtures[side] = {
            f"generation {networks.index(file) + 1}": chance for file, chance in chances.items()
        }
        members = [NetworkPolicy.load(file) for file in chances]
        mixture = MixturePolicy(members, list(chances.values()), names=list(mixtures[side]))
        mixture.save(folder.mixture(side))
    return mixtures


def write_selfplay_report(
    folder: SelfPlayRun, mixtures: Mapping[Side, Mapping[str, float]]
) -> list[Table]:
    """Measures all generations, writes figures and page, and returns the tables of the page."""
    plan, episodes = folder.settings, folder.read_config()["episodes"]
    scripts = {side: first_scripts(plan.game, side) for side in Side}
    names = [f"generation {number}" for number in range(1, plan.generations + 1)]
    networks: dict[Side, dict[str, AnyPlayer]] = {
        side: {name: folder.generation(n, side).last_policy for n, name in enumerate(names, 1)}
        for side in Side
    }
    pursuers, evaders = (networks[x] | dict(zip(scripts[x], scripts[x])) for x in Side)
    played = crossplay(pursuers, evaders, plan.game, episodes, seed=HELD_OUT_SEED)
    learned, measure = played.where(pursuer=names, evader=names), played.payoff.name
    progress: dict[str, list[Interval]] = {}
    for side in Side:
        ranks = ranking(learned, side.name)
        progress[side.name] = [ranks[name][measure] for name in names]
    label, limits = played.payoff.label.capitalize(), zip(*progress.values())
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
                for name in sorted({*mixtures[PURSUER], *mixtures[EVADER]})
            ],
            "Each side's mixture of its networks that holds best against all policies of the "
            "other side, by linear programming, on validation starts.",
        ),
    ]
    optimality = {}
    for side in Side if GAMES[plan.game].is_solved else ():
        policies = {**networks[side], "mixture": folder.mixture(side)}
        measured = gap([*policies.values()], plan.game, side.name, name=[*policies])
        optimality[side.name] = [*measured.to_dict().values()]
        tables.append(_gaps_table(side, measured))
    save(folder.path / "crossplay.png", lambda: crossplay_figure(played.to_dict()))
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


def _gaps_table(side: Side, found: Episodes) -> Table:
    """The gap of each policy to perfect play, over all starts with a finite value."""
    rows = []
    for name, measured in found.by(side.name).items():
        overall = gap_metrics(by_region(measured)["all"])
        shares = [cell(overall[one], ".1%") for one in ("share", "never_caught")]
        rows.append((name, f"{cell(overall['gap'], '.3f')} {measured.payoff.unit}", *shares))
    title = f"Gap of the {side.name} to perfect play, 95% intervals"
    return Table(title, ("policy", "gap", "gap / V", "never caught"), rows)
