"""The commands of ``python -m baselines``: one function each; its docstring is the help.

Those about a whole game, not a pair of players, are in `baselines.game_commands`.
"""

from __future__ import annotations

import json as json_format
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from baselines.game_commands import gap, optimality, solution, suite, tune
from baselines.options import (
    Pair,
    PairOptions,
    SampleOptions,
    Theme,
    WorkOptions,
    check_different,
    made_for,
    players_of,
    show_progress,
)
from baselines.pictures import PICTURES
from baselines.scenarios import EPISODES, EVADERS, HELD_OUT_SEED, PURSUERS, SCENARIOS, VERSION
from steer_env.cli import print_written
from steer_env.errors import InvalidValue
from steer_env.files import check_endings, write_json
from steer_env.options import ModelOptions, TeamGameOptions
from steer_env.sides import Side

if TYPE_CHECKING:
    from baselines.evaluation import Evaluation
    from baselines.tables import Table
    from steer_env.game.config import GameConfig

PUBLISHED = PairOptions(pursuer=PURSUERS, evader=EVADERS)


def list_(json: bool = False) -> None:
    """Lists every policy that has a name, and the scenarios of the protocol.

    Args:
        json: Print one JSON document.
    """
    from baselines.policies import NAMES
    from steer_env.policies import pretrained

    sides = {name: made_for(name) for name in NAMES}
    sides |= {name: trained.side for name, trained in pretrained.environments().items()}
    policies = {
        name: {
            "side": "either" if side is None else side.name,
            "description": _description_of(name),
        }
        for name, side in sides.items()
    }
    scenarios = {
        name: {"train": list(found.opponents), "held_out": list(found.held_out)}
        for name, found in SCENARIOS.items()
    }
    if json:
        print(json_format.dumps({"policies": policies, "scenarios": scenarios}, indent=2))
        return
    print("Policies")
    width = max(map(len, policies))
    for name, about in policies.items():
        print(f"  {name:{width}} {about['side']:8} {about['description']}")
    print(f"\nScenarios of the benchmark protocol {VERSION}: train against / held out")
    for name, opponents in scenarios.items():
        train, held_out = (", ".join(opponents[key]) for key in ("train", "held_out"))
        print(f"  {name:24} {train} / {held_out}")


def evaluate(
    players: PairOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    json: bool = False,
    theme: Theme = "light",
    out: tuple[Path, ...] = (),
) -> None:
    """Measures a pursuer against an evader.

    Args:
        json: Print one JSON document.
        theme: Colors of pictures: on white, or on a dark ground.
        out: Files: .npz, .csv (episodes), .json, .md (metrics), .png, .svg, .pdf (survival).
    """
    _check_files(out, ".npz", ".csv", ".json", ".md")
    sample.check()
    evaluation = _play(players.only_pair(), game.config(), sample)
    _write(out, evaluation, [evaluation.table()], evaluation, theme)
    _print(evaluation, json)
    print_written(*out, json=json)


def compare(
    players: PairOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    json: bool = False,
    theme: Theme = "light",
    out: tuple[Path, ...] = (),
) -> None:
    """Compares two policies of one side, from the same starts.

    Name two pursuers or two evaders; the differences are those of the first less the second.

    Args:
        json: Print one JSON document.
        theme: Colors of pictures: on white, or on a dark ground.
        out: Files: .json, .md (figures), .png, .svg, .pdf (survival of both).
    """
    from baselines.comparison import compare as compare_evaluations

    _check_files(out, ".json", ".md")
    sample.check()
    side, pairs = players.compared()
    evaluations = [_play(pair, game.config(), sample) for pair in pairs]
    first, second = evaluations
    comparison = compare_evaluations(first, second, side.name)
    tables = [found.table() for found in (comparison, first, second)]
    _write(out, comparison, tables, evaluations, theme)
    if not json:
        print(f"{first}\n\n{second}\n")
    _print(comparison, json)
    print_written(*out, json=json)


def crossplay(
    game: TeamGameOptions,
    sample: SampleOptions,
    players: PairOptions = PUBLISHED,
    json: bool = False,
    work: WorkOptions = WorkOptions(),
    theme: Theme = "light",
    out: tuple[Path, ...] = (),
) -> None:
    """Plays every pursuer against every evader: table, ranking, and equilibrium.

    Args:
        json: Print one JSON document.
        theme: Colors of pictures: on white, or on a dark ground.
        out: Files: .json, .md (tables), .csv (one line a pair), .png, .svg, .pdf (heat map).
    """
    from baselines.cross_play import crossplay as play_all
    from baselines.tables import crossplay_tables

    _check_files(out, ".json", ".md", ".csv")
    sample.check()
    pairs = players.pairs()
    chasers = {pursuer: player for (player, _), (pursuer, _) in pairs}
    chased = {evader: player for (_, player), (_, evader) in pairs}
    with work.workers() as workers, show_progress("pairs") as progress:
        episodes, seed = sample.episodes, sample.seed
        found = play_all(
            chasers, chased, game.config(), episodes, seed, progress, workers, work.keep
        )
    _write(out, found, crossplay_tables(found.to_dict()), found, theme)
    _print(found, json)
    print_written(*out, json=json)


def benchmark(
    policies: Positional[tuple[str, ...]],
    sample: SampleOptions = SampleOptions(EPISODES, HELD_OUT_SEED),
    scenario: str = "pursuer/walls",
    json: bool = False,
    models: ModelOptions = ModelOptions(),
    work: WorkOptions = WorkOptions(),
) -> None:
    """Measures a policy by the benchmark protocol, beside the hand-written references.

    A report of the protocol uses the default episodes and seed.

    Args:
        policies: A name or a file; several files are training runs of one method.
        scenario: A scenario of the protocol; see `list`.
        json: Print one JSON document.
    """
    from baselines.policies import NAMES
    from baselines.protocol import benchmark as run_benchmark
    from steer_env.scripts.roster import short_name

    sample.check()
    scripted = [name for name in policies if short_name(name) in NAMES]
    if scripted and len(policies) > 1:
        raise InvalidValue(
            "several policies are training runs of one method, each in a file; measure "
            f"{scripted[0]!r} by itself"
        )
    check_different(policies)
    players = players_of(policies, models)
    with work.workers() as workers, show_progress("evaluations") as progress:
        episodes, seed = sample.episodes, sample.seed
        result = run_benchmark(players, scenario, episodes, seed, progress, workers, work.keep)
    _print(result, json)


def collect(
    game: TeamGameOptions,
    models: ModelOptions = ModelOptions(),
    pursuer: str = "pursuit",
    evader: str = "evade",
    side: Literal["pursuer", "evader"] = "pursuer",
    episodes: int = 1000,
    seed: int = 0,
    epsilon: float = 0.0,
    action_type: Literal["continuous", "discrete"] = "continuous",
    out: str = "episodes.npz",
) -> None:
    """Collects episodes as data for offline reinforcement learning.

    Args:
        pursuer: Name (see `list`) or file of the pursuer.
        evader: Name or file of the evader.
        side: Side whose observations, actions and rewards are kept.
        episodes: Number of episodes.
        seed: Seed of the first start.
        epsilon: Share of uniformly random actions, 0 to 1.
        action_type: Kind of actions.
        out: File to write, .npz; or the id of a new Minari data set, such as pursuit/noisy-v0.
    """
    from baselines.collection import collect as collect_episodes
    from baselines.datasets import check_minari_id

    to_file = out.endswith(".npz")
    if to_file:
        check_endings([Path(out)], [".npz"])
    else:
        check_minari_id(out)
    names = pursuer, evader
    players = players_of(names, models)
    first, second = (players[name] if name.endswith(".zip") else name for name in names)
    if not to_file and names[Side.named(side).other].endswith(".zip"):
        raise InvalidValue(
            "a Minari data set names its environment, which cannot load a .zip as its "
            "opponent; write an .npz file"
        )
    with show_progress("episodes") as progress:
        found = collect_episodes(
            first,
            second,
            game.keywords(),
            episodes,
            seed,
            lambda done: progress(done, episodes),
            names,
            side=side,
            epsilon=epsilon,
            action_type=action_type,
        )
    if to_file:
        found.save(out)
    else:
        found.to_minari(out)
    captured, mean = found.terminations.sum() / len(found), found.returns.mean()
    print_written(
        out,
        about=f"{len(found):,} episodes, {len(found.rewards):,} steps; "
        f"{captured:.1%} captured, mean return {mean:.3f}",
    )


COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_,
    "evaluate": evaluate,
    "compare": compare,
    "crossplay": crossplay,
    "gap": gap,
    "optimality": optimality,
    "solution": solution,
    "benchmark": benchmark,
    "collect": collect,
    "suite": suite,
    "tune": tune,
}


def _description_of(name: str) -> str:
    from steer_env.scripts.roster import ROSTER

    if name == "random":
        return "acts at random"
    if name in ROSTER:
        return ROSTER[name].description
    *_, method, last = name.split("/")
    run = f"{method}, seed {last}" if last.isdecimal() else f"{last}, first run"
    return f"a trained network: {run}"


def _play(pair: Pair, config: GameConfig, sample: SampleOptions) -> Evaluation:
    from baselines.rollouts import evaluate as play_pair

    players, names = pair
    count = sample.episodes
    with show_progress("episodes") as progress:
        return play_pair(
            *players, config, count, sample.seed, lambda done: progress(done, count), names
        )


def _check_files(paths: Sequence[Path], *endings: str) -> None:
    """Raises an error, before anything is played, if one could not be written, or drawn."""
    check_endings(paths, (*endings, *PICTURES))
    if any(path.suffix in PICTURES for path in paths):
        from baselines import plots  # noqa: F401


def _write(
    paths: Sequence[Path], found: Any, tables: Sequence[Table], drawn: Any, theme: str
) -> None:
    """Writes the numbers (.json), the tables (.md), a picture, or what `found.save` writes."""
    from baselines.cross_play import CrossPlay
    from baselines.pages import write_page

    for path in paths:
        if path.suffix == ".json":
            write_json(path, found.to_dict())
        elif path.suffix == ".md":
            write_page(path, "", *tables)
        elif path.suffix in PICTURES:
            from baselines import figure_style, plots

            if isinstance(drawn, CrossPlay):
                figure_style.save(path, lambda: plots.crossplay_figure(drawn), theme)
            else:
                figure_style.save(path, lambda: plots.survival_figure(drawn), theme)
        else:
            found.save(path)


def _print(found: Any, json: bool) -> None:
    print(json_format.dumps(found.to_dict(), indent=2) if json else found)
