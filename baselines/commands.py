"""What ``python -m baselines`` can do: one function a command, its docstring is the help."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from baselines import protocol
from baselines.comparison import compare as compare_evaluations
from baselines.crossplay import crossplay as play_all
from baselines.evaluate import Player
from baselines.evaluate import evaluate as play_pair
from baselines.evaluation import FEWEST, Evaluation
from baselines.files import check_endings, write_comparison, write_crossplay, write_evaluation
from baselines.policies import NAMES, load
from baselines.report import EVADERS, PURSUERS
from baselines.report import report as write_report
from steer_env.envs.keywords import game_config
from steer_env.errors import check_choice, check_integer
from steer_env.game.roster import ROSTER, short_name

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="POLICY")]
Names = Annotated[
    tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="POLICY [POLICY ...]")
]
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
    policy: Name,
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
        opponent: a name or a path; unless given, evade for a pursuer, pursuit for an evader.
        side: that the policy plays; unless given, what its name suits (a file: pursuer).
        arena: between walls, on a torus, or in the open.
        obstacles: how many round ones, placed at random in each episode.
        episodes: how many to play.
        seed: of the first start; the same seed gives the same starts to everybody.
        json: print one JSON document.
        trust: a .zip file may run code when it is loaded; allow it.
        out: files: .npz, .csv (episodes), .json, .md (metrics), .png, .svg, .pdf (survival).
    """
    check_endings(out, (".npz", ".csv", ".json", ".md", ".png", ".svg", ".pdf"))
    check_integer("--episodes", episodes, FEWEST)
    side = side or _side_of(policy)
    play = _pair_player(side, opponent, arena, obstacles, episodes, seed, trust)
    evaluation = play(policy)
    write_evaluation(evaluation, out)
    _print(evaluation, json)


def compare(
    ours: Name,
    theirs: Name,
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
        theirs: a name or a path; the differences are ours minus theirs.
        opponent: a name or a path; unless given, evade for pursuers, pursuit for evaders.
        side: that both play; unless given, what the names suit (files: pursuer).
        arena: between walls, on a torus, or in the open.
        obstacles: how many round ones, placed at random in each episode.
        episodes: how many to play of each.
        seed: of the first start; the same seed gives the same starts to everybody.
        json: print one JSON document.
        trust: a .zip file may run code when it is loaded; allow it.
        out: files: .json, .md (the figures), .png, .svg, .pdf (survival of both).
    """
    check_endings(out, (".json", ".md", ".png", ".svg", ".pdf"))
    check_integer("--episodes", episodes, FEWEST)
    side = side or _common_side(ours, theirs)
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
        evaders: names or files of policies; the published ones unless given.
        arena: between walls, on a torus, or in the open.
        obstacles: how many round ones, placed at random in each episode.
        episodes: how many to play of each pair.
        seed: of the first start; the same seed gives the same starts to everybody.
        json: print one JSON document.
        trust: .zip files may run code when they are loaded; allow it.
        out: files: .json, .md (tables), .csv (one line a pair), .png, .svg, .pdf (heat map).
    """
    check_endings(out, (".json", ".md", ".csv", ".png", ".svg", ".pdf"))
    check_integer("--episodes", episodes, FEWEST)
    config = game_config(arena=arena, obstacles=obstacles)
    chasers, chased = _players(pursuers, trust), _players(evaders, trust)
    with _progress("pairs") as progress:
        found = play_all(chasers, chased, config, episodes, seed, progress)
    write_crossplay(found, out)
    _print(found, json)


def benchmark(
    policies: Names,
    scenario: str = "pursuer/walls",
    episodes: int = protocol.EPISODES,
    seed: int = protocol.HELD_OUT_SEED,
    json: bool = False,
    trust: bool = False,
) -> None:
    """Measures a policy by the benchmark protocol, beside the hand-written references.

    Args:
        policies: a name or a file; several files are training runs of one method.
        scenario: one of the protocol's; see `list`.
        episodes: how many against each opponent; a report of the protocol uses the default.
        seed: of the first start; a report of the protocol uses the default.
        json: print one JSON document.
        trust: .zip files may run code when they are loaded; allow it.
    """
    check_integer("--episodes", episodes, FEWEST)
    check_choice("scenario", scenario, protocol.SCENARIOS)
    scripted = [name for name in policies if short_name(name) in NAMES]
    if scripted and len(policies) > 1:
        raise ValueError(
            "several policies are training runs of one method, each in a file; measure "
            f"{scripted[0]!r} by itself"
        )
    players = _players(policies, trust)
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
        out: folder to write them to; made if it is not there.
        readme: page whose table is replaced; None for no page.
        episodes: how many to play of each pair.
        seed: of the first start.
    """
    check_integer("--episodes", episodes, FEWEST)
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
    script = ROSTER.get(short_name(name))
    return "pursuer" if script is None or script.chases else "evader"


def _common_side(ours: str, theirs: str) -> Side:
    sides = {name: _side_of(name) for name in (ours, theirs) if short_name(name) in ROSTER}
    if len(set(sides.values())) > 1:
        raise ValueError(
            f"{ours} is made for the {sides[ours]} and {theirs} for the {sides[theirs]}; pass "
            "--side for the one that both shall play"
        )
    return next(iter(sides.values()), "pursuer")


def _player(name: str, trust: bool) -> Player:
    # Scripts play inside the loop; what is read from a file plays outside it.
    if short_name(name) in NAMES:
        return name
    if name.endswith(".zip") and not trust:
        raise ValueError(
            f"{name} may run code when it is loaded; if you trust whoever made it, pass --trust"
        )
    return load(name, trust=trust)


def _players(names: Sequence[str], trust: bool) -> dict[str, Player]:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is given twice")
    return {name: _player(name, trust) for name in names}


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
    hidden = not console.is_terminal  # a log would be left with an empty line
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(found: Any, json: bool) -> None:
    print(json_format.dumps(found.to_dict(), indent=2) if json else found)
