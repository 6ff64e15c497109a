"""The commands of ``steer-env`` that measure: functions with the help as docstrings."""

from __future__ import annotations

import json as json_format
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from steer_env.baselines.command_options import (
    PICTURES,
    TABLES,
    Pair,
    PairOptions,
    RayCluster,
    SampleOptions,
    TableFiles,
    Theme,
    check_different,
    players_of,
    show_progress,
    show_results,
    workers_on,
)
from steer_env.baselines.game_commands import exploit, gap, replay, solution
from steer_env.baselines.tasks import EPISODES, EVADERS, HELD_OUT_SEED, PURSUERS
from steer_env.cli import StatusLine, print_written
from steer_env.errors import InvalidValue, number_text
from steer_env.files import check_endings
from steer_env.options import Json, ModelOptions, SideName, TeamGameOptions
from steer_env.sides import Side

if TYPE_CHECKING:
    from steer_env.baselines.episodes import Episodes
    from steer_env.game.config import Game

PUBLISHED = PairOptions(pursuer=PURSUERS, evader=EVADERS)


def evaluate(
    players: PairOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    json: Json = False,
    theme: Theme = "light",
    out: tuple[Path, ...] = (),
) -> None:
    """Measures a pursuer against an evader.

    Args:
        out: Files: .npz, .csv (episodes), .json, .md, .tex (metrics), .png, .svg, .pdf
            (survival).
    """
    _check(out, sample, ".npz", ".csv")
    evaluation = _play(players.only_pair(), game.config(), sample)
    _save(out, evaluation.save, [evaluation], theme)
    show_results(evaluation.to_dict(), evaluation.table(), json=json, out=out)


def compare(
    players: PairOptions,
    game: TeamGameOptions,
    sample: SampleOptions,
    json: Json = False,
    theme: Theme = "light",
    out: tuple[Path, ...] = (),
) -> None:
    """Compares two policies of one side, from the same starts.

    Name two pursuers or two evaders; the differences are those of the first less the second.

    Args:
        out: Files: .json, .md, .tex (figures), .png, .svg, .pdf (survival of both).
    """
    from steer_env.baselines.comparison import compare as compare_evaluations

    _check(out, sample)
    side, pairs = players.compared()
    first, second = (_play(pair, game.config(), sample) for pair in pairs)
    comparison = compare_evaluations(first, second, side.name)
    _save(out, None, [first, second], theme)
    tables = [found.table() for found in (comparison, first, second)]
    show_results(comparison.to_dict(), *tables, json=json, out=out)


def crossplay(
    game: TeamGameOptions,
    sample: SampleOptions,
    players: PairOptions = PUBLISHED,
    json: Json = False,
    ray: RayCluster = None,
    limit: float = 60.0,
    theme: Theme = "light",
    out: tuple[Path, ...] = (),
) -> None:
    """Plays every pursuer against every evader: table, ranking, and equilibrium.

    A player in a Python file or a .zip plays in a process of its own, but for --ray. Those that
    raise an error, do not compile or take too long are listed below the table.

    Args:
        limit: Seconds that such a player may take.
        out: Files: .json, .md, .tex (tables), .csv (one line a pair), .png, .svg, .pdf (heat
            map).
    """
    from steer_env.baselines.cross_play import numbers_of, save_pairs, tables_of_numbers
    from steer_env.baselines.hand_ins import play_apart, play_pairs, runs_code
    from steer_env.baselines.tables import Table

    _check(out, sample, ".csv")
    given, faults = (players, game, sample), dict[str, str]()
    if ray is None and any(map(runs_code, chain.from_iterable(players.names()))):
        with show_progress("players") as progress:
            found, faults = play_apart(*given, limit, progress)
    else:
        with workers_on(ray) as workers, show_progress("pairs") as progress:
            found = play_pairs(*given, workers, progress)
    numbers = numbers_of(found)
    _save(out, partial(save_pairs, numbers), numbers, theme)
    listed = re.compile(r"\.? Valid: ('[^']*'[,.]? ?)+")  # which `check` shows
    lines = [(f"`{name}`: {listed.sub(' ', one)}".rstrip(),) for name, one in faults.items()]
    left_out = [Table("", ("left out",), lines)] if faults else []
    tables = *tables_of_numbers(numbers), *left_out
    numbers |= {"left_out": faults} if faults else {}
    show_results(numbers, *tables, json=json, out=out)


def check(
    player: Positional[str],
    game: TeamGameOptions,
    sample: SampleOptions,
    side: SideName = "pursuer",
    limit: float = 60.0,
    trust: bool = False,
    json: Json = False,
) -> None:
    """Checks a player in a file: whether it can play, and its result.

    It plays against the default opponent of the game. The exit status is 1 if it does not
    compile, raises an error or takes too long.

    Args:
        player: FILE.py:NAME, or FILE.py for the only player in it; an .npz, or PPO:FILE.zip.
        side: Its side.
        limit: Seconds that it may take.
        trust: Load a .zip file. It can run any code.
    """
    from steer_env.baselines.hand_ins import Fault, check as try_out
    from steer_env.scenarios.registry import suite_game

    sample.check()
    own = Side.named(side)
    pair = own.ordered((player,), (suite_game(game.chosen).opponents[own],))
    with StatusLine("playing ..."):
        found = try_out(PairOptions(*pair, trust), game, sample, limit)
    if isinstance(found, Fault):
        text = f"{player}: {found}"
        print(json_format.dumps({"fault": found}, indent=2) if json else text)
        raise SystemExit(1)
    show_results(found.to_dict(), found.table(), json=json)


def benchmark(
    policies: Positional[tuple[str, ...]],
    sample: SampleOptions = SampleOptions(EPISODES, HELD_OUT_SEED),
    task: str = "pursuer/walls",
    json: Json = False,
    models: ModelOptions = ModelOptions(),
    ray: RayCluster = None,
    out: TableFiles = (),
) -> None:
    """Measures a policy by the benchmark protocol, beside the hand-written references.

    A report of the protocol uses the default episodes and seed.

    Args:
        policies: A name or a file; several files are training runs of one method.
        task: SIDE/GAME: pursuer or evader, and walls, agile_torus, obstacles or pack.
    """
    from steer_env.baselines.policies import NAMES
    from steer_env.baselines.protocol import benchmark as run_benchmark
    from steer_env.scripts.roster import short_name

    check_endings(out, TABLES)
    sample.check()
    scripted = [name for name in policies if short_name(name) in NAMES]
    if scripted and len(policies) > 1:
        raise InvalidValue(
            "several policies are training runs of one method, each in a file; measure "
            f"{scripted[0]!r} by itself"
        )
    check_different(policies)
    players = players_of(policies, models)
    with workers_on(ray) as workers, show_progress("evaluations") as progress:
        count = sample.episodes
        result = run_benchmark(players, task, count, sample.seed, progress, workers)
    show_results(result.to_dict(), *result.tables(), json=json, out=out)


def table(
    evaluations: Positional[tuple[Path, ...]],
    metrics: tuple[str, ...] = (),
    json: Json = False,
    out: TableFiles = (),
) -> None:
    """Puts several evaluations into one table, a row for each.

    Evaluations of equal names, in one game and from the same starts, are training runs of one
    method, and make one row: their mean, with an interval over runs and starts.

    Args:
        evaluations: Files that `evaluate --out FILE.npz` or `Episodes.save` wrote.
        metrics: Columns, such as capture_rate; by default it and the mean capture time, or the
            mean distance.
    """
    from steer_env.baselines.comparison import table_of
    from steer_env.baselines.episodes import Episodes

    check_endings(out, TABLES)
    found = [Episodes.load(path) for path in evaluations]
    methods: dict[Any, list[Episodes]] = {}
    for one in found:
        key = one.pursuer, one.evader, repr(one.config), one.version, one["seed"].tobytes()
        methods.setdefault(key, []).append(one)
    numbers = {"evaluations": [one.to_dict() for one in found]}
    show_results(numbers, table_of(methods.values(), metrics), json=json, out=out)


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
        pursuer: Name (`steer-env info opponents` lists them) or file of the pursuer.
        evader: Name or file of the evader.
        side: Side whose observations, actions and rewards are kept.
        episodes: Number of episodes.
        seed: Seed of the first start.
        epsilon: Share of uniformly random actions, 0 to 1.
        action_type: Kind of actions.
        out: File to write, .npz; or the id of a new Minari data set, such as pursuit/noisy-v0.
    """
    from steer_env.baselines.datasets import check_minari_id, collect as collect_episodes

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
    kept: Any = {"names": names, "side": side, "epsilon": epsilon, "action_type": action_type}
    with show_progress("episodes") as progress:
        kept["progress"] = lambda done: progress(done, episodes)
        found = collect_episodes(first, second, game.keywords(), episodes, seed, **kept)
    (found.save if to_file else found.to_minari)(out)
    captured, mean = found.terminations.sum() / len(found), found.returns.mean()
    print_written(
        out,
        about=f"{len(found):,} episodes, {len(found.rewards):,} steps; "
        f"{captured:.1%} captured, mean return {number_text(mean, '.3f')}",
    )


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__: command
    for command in (
        *(evaluate, compare, crossplay, check, exploit, replay, gap, solution),
        *(benchmark, table, collect),
    )
}


def _play(pair: Pair, config: Game, sample: SampleOptions) -> Episodes:
    from steer_env.baselines.rollouts import evaluate as play_pair

    players, names = pair
    count, seed = sample.episodes, sample.seed
    with show_progress("episodes") as progress:
        return play_pair(
            *players, config, count, seed, lambda done: progress(done, count), names
        )


def _check(paths: Sequence[Path], sample: SampleOptions, *endings: str) -> None:
    """Checks, before anything is played, that the files can be written and drawn."""
    sample.check()
    check_endings(paths, (*endings, *TABLES, *PICTURES))
    if any(path.suffix in PICTURES for path in paths):
        from steer_env.baselines import plots  # noqa: F401


def _save(
    paths: Sequence[Path], write: Callable[[Path], None] | None, drawn: Any, theme: str
) -> None:
    """Writes pictures of evaluations or of a cross-play's numbers, and other files."""
    for path in paths:
        if path.suffix in PICTURES:
            from steer_env.baselines import plots

            is_crossplay = isinstance(drawn, dict)
            figure: Any = plots.crossplay_figure if is_crossplay else plots.survival_figure
            plots.save(path, partial(figure, drawn), theme)
        elif path.suffix not in TABLES and write is not None:
            write(path)
