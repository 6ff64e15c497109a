"""What ``python -m baselines`` can do: one function a command, its docstring is the help."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from baselines import protocol
from baselines.comparison import compare as compare_evaluations
from baselines.crossplay import crossplay as play_all
from baselines.evaluate import Player
from baselines.evaluate import evaluate as play_pair
from baselines.evaluation import Evaluation
from baselines.files import check_endings, write_comparison, write_crossplay, write_evaluation
from baselines.policies import NAMES, load
from baselines.report import EVADERS, PURSUERS
from baselines.report import report as write_report
from steer_env.envs.keywords import game_config
from steer_env.game.roster import ROSTER

Side = Literal["pursuer", "evader"]
Arena = Literal["walls", "torus", "open"]


def list_(json: bool = False) -> None:
    """Prints every policy that has a name, and the scenarios of the benchmark protocol.

    Args:
        json: print one JSON document.
    """
    scripts = {
        name: {"side": _side_of(name), "description": ROSTER[name].description}
        for name in ROSTER
    }
    policies = {"random": {"side": "either", "description": "acts at random"}, **scripts}
    scenarios = {
        name: {"train": list(found.opponents), "held_out": list(found.held_out)}
        for name, found in protocol.SCENARIOS.items()
    }
    if json:
        print(json_format.dumps({"policies": policies, "scenarios": scenarios}, indent=2))
        return
    print("Policies")
    for name, about in policies.items():
        print(f"  {name:24} {about['side']:8} {about['description']}")
    print(f"\nScenarios of the benchmark protocol {protocol.VERSION}: train against / held out")
    for name, opponents in scenarios.items():
        train, held_out = (", ".join(opponents[key]) for key in ("train", "held_out"))
        print(f"  {name:24} {train} / {held_out}")


def evaluate(
    policy: Annotated[str, tyro.conf.Positional],
    opponent: str | None = None,
    side: Side | None = None,
    arena: Arena = "walls",
    obstacles: int = 0,
    episodes: int = 1000,
    seed: int = 0,
    json: bool = False,
    trust: bool = False,
    out: tuple[Path, ...] = (),
) -> None:
    """Measures a policy against an opponent.

    Args:
        policy: a name (see `list`), or the path of a policy: .npz, or a Stable-Baselines3 .zip.
        opponent: the same; unless given, evade against a pursuer, pursuit against an evader.
        side: that the policy plays; unless given, what its name suits (a file: pursuer).
        arena: where.
        obstacles: how many.
        episodes: how many.
        seed: of the first start; the same seed gives the same starts to everybody.
        json: print one JSON document.
        trust: a .zip file may run code when it is loaded; allow it.
        out: files to write: .npz or .csv (episodes), .json, .md (metrics), .png (survival).
    """
    check_endings(out, (".npz", ".csv", ".json", ".md", ".png", ".svg", ".pdf"))
    side = side or _side_of(policy)
    play = _pair_player(side, opponent, arena, obstacles, episodes, seed, trust)
    evaluation = play(policy)
    write_evaluation(evaluation, out)
    _print(evaluation, json)


def compare(
    ours: Annotated[str, tyro.conf.Positional],
    theirs: Annotated[str, tyro.conf.Positional],
    opponent: str | None = None,
    side: Side | None = None,
    arena: Arena = "walls",
    obstacles: int = 0,
    episodes: int = 1000,
    seed: int = 0,
    json: bool = False,
    trust: bool = False,
    out: tuple[Path, ...] = (),
) -> None:
    """Compares two policies against the same opponent, from the same starts.

    Args:
        ours: a name (see `list`), or the path of a policy: .npz, or a Stable-Baselines3 .zip.
        theirs: the same.
        opponent: the same; unless given, evade against pursuers, pursuit against evaders.
        side: that both play; unless given, what the names suit (files: pursuer).
        arena: where.
        obstacles: how many.
        episodes: how many of each.
        seed: of the first start.
        json: print one JSON document.
        trust: a .zip file may run code when it is loaded; allow it.
        out: files to write: .json, .md (the figures), .png (survival of both).
    """
    check_endings(out, (".json", ".md", ".png", ".svg", ".pdf"))
    side = side or _side_of(ours if ours in ROSTER else theirs)
    play = _pair_player(side, opponent, arena, obstacles, episodes, seed, trust)
    evaluations = (play(ours), play(theirs))
    comparison = compare_evaluations(*evaluations, side=side)
    write_comparison(comparison, evaluations, out)
    if not json:
        print(f"{evaluations[0]}\n\n{evaluations[1]}\n")
    _print(comparison, json)


def crossplay(
    pursuers: tuple[str, ...] = PURSUERS,
    evaders: tuple[str, ...] = EVADERS,
    arena: Arena = "walls",
    obstacles: int = 0,
    episodes: int = 1000,
    seed: int = 0,
    json: bool = False,
    trust: bool = False,
    out: tuple[Path, ...] = (),
) -> None:
    """Plays every pursuer against every evader: table, ranking, and equilibrium.

    Args:
        pursuers: names or files of policies; the published ones unless given.
        evaders: likewise.
        arena: where.
        obstacles: how many.
        episodes: of each pair.
        seed: of the first start.
        json: print one JSON document.
        trust: .zip files may run code when they are loaded; allow it.
        out: files to write: .json, .md, .csv (one line a pair), .png (heat map).
    """
    check_endings(out, (".json", ".md", ".csv", ".png", ".svg", ".pdf"))
    config = game_config(arena=arena, obstacles=obstacles)
    chasers = {name: _player(name, trust) for name in pursuers}
    chased = {name: _player(name, trust) for name in evaders}
    with _progress("pairs") as progress:
        found = play_all(chasers, chased, config, episodes, seed, progress)
    write_crossplay(found, out)
    _print(found, json)


def benchmark(
    policies: Annotated[tuple[str, ...], tyro.conf.Positional],
    scenario: str = "pursuer/walls",
    episodes: int = protocol.EPISODES,
    seed: int = protocol.HELD_OUT_SEED,
    json: bool = False,
    trust: bool = False,
) -> None:
    """Measures a policy by the benchmark protocol, beside the hand-written references.

    Args:
        policies: a name or a file; several files are training runs of one method.
        scenario: of the protocol; see `list`.
        episodes: against each opponent; a report of the protocol uses the default.
        seed: of the first start; likewise.
        json: print one JSON document.
        trust: .zip files may run code when they are loaded; allow it.
    """
    players = [_player(name, trust) for name in policies]
    with _progress("evaluations") as progress:
        result = protocol.benchmark(players, scenario, episodes, seed, progress)
    _print(result, json)


def report(
    out: Path = Path("baselines/results"),
    readme: Path | None = Path("README.md"),
    episodes: int = 2000,
    seed: int = 0,
) -> None:
    """Makes the published tables and pictures anew, and puts the table into the README.

    Args:
        out: folder for them.
        readme: whose table to replace; None to leave it as it is.
        episodes: of each pair.
        seed: of the first start.
    """
    with _progress("pairs") as progress:
        written = write_report(out, readme, episodes, seed, progress)
    print("wrote " + ", ".join(map(str, written)))


COMMANDS: dict[str, Callable[..., Any]] = {
    "list": list_,
    "evaluate": evaluate,
    "compare": compare,
    "crossplay": crossplay,
    "benchmark": benchmark,
    "report": report,
}


def _side_of(name: str) -> Side:
    if name in ROSTER and not ROSTER[name].chases:
        return "evader"
    return "pursuer"


def _player(name: str, trust: bool) -> Player:
    # Scripts play inside the loop; what is read from a file plays outside it.
    return load(name, trust=trust) if name not in NAMES else name


def _pair_player(
    side: Side,
    opponent: str | None,
    arena: Arena,
    obstacles: int,
    episodes: int,
    seed: int,
    trust: bool,
) -> Callable[[str], Evaluation]:
    opponent = opponent or ("evade" if side == "pursuer" else "pursuit")
    other = _player(opponent, trust)
    config = game_config(arena=arena, obstacles=obstacles)

    def play(policy: str) -> Evaluation:
        mine = _player(policy, trust)
        pair, names = ((mine, other), (policy, opponent))
        if side == "evader":
            pair, names = pair[::-1], names[::-1]
        with _progress("episodes") as progress:
            found = play_pair(*pair, config, episodes, seed, lambda n: progress(n, episodes))
        return Evaluation(*names, config, found.episodes)

    return play


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(found: Any, json: bool) -> None:
    print(json_format.dumps(found.to_dict(), indent=2) if json else found)
