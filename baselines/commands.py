"""What ``python -m baselines`` can do: one function a command, its docstring is the help."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from baselines import protocol
from baselines.benchmarking import benchmark as run_benchmark
from baselines.comparison import compare as compare_evaluations
from baselines.crossplay import crossplay as play_all
from baselines.evaluate import evaluate as play_pair
from baselines.evaluation import FEWEST, Evaluation
from baselines.files import check_endings, write_comparison, write_crossplay, write_evaluation
from baselines.players import Player
from baselines.policies import NAMES, load
from baselines.report import EVADERS, PURSUERS
from baselines.report import report as write_report
from steer_env.envs.keywords import game_config
from steer_env.errors import InvalidValue, check_choice, check_integer
from steer_env.game.config import GameConfig
from steer_env.game.roster import ROSTER, short_name
from steer_env.policies import pretrained
from steer_env.policies.loading import is_pretrained
from steer_env.sides import PURSUER

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="POLICY")]
Names = Annotated[
    tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="POLICY [POLICY ...]")
]
Arena = Literal["walls", "torus", "open"]
Side = Literal["pursuer", "evader"]

# A pursuer and an evader, and what they are called.
Pair = tuple[tuple[Player, Player], dict[str, Any]]

PICTURES = (".png", ".svg", ".pdf")


def list_(json: bool = False) -> None:
    """Prints every policy that has a name, and the scenarios of the benchmark protocol.

    Args:
        json: print one JSON document.
    """
    about_scripts = {name: ROSTER[name].description for name in ROSTER}
    about_networks = {name: _description_of_network(name) for name in pretrained.names()}
    policies = {
        name: {"side": _side_of(name) or "either", "description": description}
        for name, description in (
            ("random", "acts at random"),
            *about_scripts.items(),
            *about_networks.items(),
        )
    }
    scenarios = {
        name: {"train": list(found.opponents), "held_out": list(found.held_out)}
        for name, found in protocol.SCENARIOS.items()
    }
    if json:
        print(json_format.dumps({"policies": policies, "scenarios": scenarios}, indent=2))
        return
    print("Policies")
    width = max(map(len, policies))
    for name, about in policies.items():
        print(f"  {name:{width}} {about['side']:8} {about['description']}")
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
        side: that the policy plays; unless given, what it suits, or what its opponent leaves.
        arena: between walls, on a torus, or in the open.
        obstacles: how many round ones, placed at random in each episode.
        episodes: how many to play.
        seed: of the first start; the same seed gives the same starts to everybody.
        json: print one JSON document.
        trust: a .zip file may run code when it is loaded; allow it.
        out: files: .npz, .csv (episodes), .json, .md (metrics), .png, .svg, .pdf (survival).
    """
    check_endings(out, (".npz", ".csv", ".json", ".md", *PICTURES))
    check_integer("--episodes", episodes, FEWEST)
    (pair,) = _pairs([policy], opponent, side, trust)
    evaluation = _play(pair, game_config(arena=arena, obstacles=obstacles), episodes, seed)
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
        side: that both play; unless given, what they suit, or what their opponent leaves.
        arena: between walls, on a torus, or in the open.
        obstacles: how many round ones, placed at random in each episode.
        episodes: how many to play of each.
        seed: of the first start; the same seed gives the same starts to everybody.
        json: print one JSON document.
        trust: a .zip file may run code when it is loaded; allow it.
        out: files: .json, .md (the figures), .png, .svg, .pdf (survival of both).
    """
    check_endings(out, (".json", ".md", *PICTURES))
    check_integer("--episodes", episodes, FEWEST)
    config = game_config(arena=arena, obstacles=obstacles)
    pairs = _pairs((ours, theirs), opponent, side, trust)
    evaluations = [_play(pair, config, episodes, seed) for pair in pairs]
    compared = side or _common_side((ours, theirs), opponent)
    comparison = compare_evaluations(evaluations[0], evaluations[1], compared)
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
    check_endings(out, (".json", ".md", ".csv", *PICTURES))
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
        raise InvalidValue(
            "several policies are training runs of one method, each in a file; measure "
            f"{scripted[0]!r} by itself"
        )
    players = _players(policies, trust)
    with _progress("evaluations") as progress:
        result = run_benchmark(players, scenario, episodes, seed, progress)
    _print(result, json)


def trajectories(
    policies: Names,
    opponent: str | None = None,
    side: Side | None = None,
    arena: Arena = "walls",
    obstacles: int = 0,
    seed: int = 0,
    trust: bool = False,
    out: Path = Path("trajectories.png"),
) -> None:
    """Draws the episode of one start for each of several policies, side by side.

    Args:
        policies: names (see `list`), or paths of policies.
        opponent: a name or a path; unless given, evade for pursuers, pursuit for evaders.
        side: that all play; unless given, what they suit, or what their opponent leaves.
        arena: between walls, on a torus, or in the open.
        obstacles: how many round ones, placed at random.
        seed: of the start; the same seed gives the same start to everybody.
        trust: .zip files may run code when they are loaded; allow it.
        out: the picture to write: .png, .svg or .pdf.
    """
    from baselines.plots import save_trajectory_plot
    from baselines.trajectories import trajectory

    check_endings([out], PICTURES)
    config = game_config(arena=arena, obstacles=obstacles)
    pairs = _pairs(policies, opponent, side, trust)
    drawn = [replace(trajectory(*pair, config, seed), **names) for pair, names in pairs]
    save_trajectory_plot(out, drawn)
    print(f"wrote {out}")


def starts(
    policies: Names,
    opponent: str | None = None,
    side: Side | None = None,
    arena: Arena = "walls",
    seed: int = 0,
    trust: bool = False,
    out: Path = Path("starts.png"),
) -> None:
    """Maps the capture time over where the evader starts, for each of several policies.

    Args:
        policies: names (see `list`), or paths of policies.
        opponent: a name or a path; unless given, evade for pursuers, pursuit for evaders.
        side: that all play; unless given, what they suit, or what their opponent leaves.
        arena: between walls, on a torus, or in the open.
        seed: of the first episode.
        trust: .zip files may run code when they are loaded; allow it.
        out: the picture to write: .png, .svg or .pdf.
    """
    from baselines.plots import save_start_map_plot
    from baselines.trajectories import start_map

    check_endings([out], PICTURES)
    config = game_config(arena=arena)
    pairs = _pairs(policies, opponent, side, trust)
    maps = [replace(start_map(*pair, config, seed=seed), **names) for pair, names in pairs]
    save_start_map_plot(out, maps)
    print(f"wrote {out}")


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
    "trajectories": trajectories,
    "starts": starts,
    "report": report,
}


def _side_of(name: str) -> Side | None:
    """The side that a name is made for; None for a random policy, or one in a file."""
    if is_pretrained(name):
        return "pursuer" if pretrained.side_of(name) is PURSUER else "evader"
    if (script := ROSTER.get(short_name(name))) is None:
        return None
    return "pursuer" if script.chases else "evader"


def _description_of_network(name: str) -> str:
    _, _, algorithm, *seed = name.split("/")
    return f"a trained network: {algorithm}, " + (f"run {seed[0]}" if seed else "first run")


def _common_side(names: Sequence[str], opponent: str | None) -> Side:
    sides = {name: side for name in names if (side := _side_of(name)) is not None}
    if len(set(sides.values())) > 1:
        made = ", ".join(f"{name} for the {side}" for name, side in sides.items())
        raise InvalidValue(
            f"these are made for different sides: {made}; pass --side for the one that all "
            "shall play"
        )
    if not sides and opponent is not None and (side := _side_of(opponent)) is not None:
        return "evader" if side == "pursuer" else "pursuer"
    return next(iter(sides.values()), "pursuer")


def _player(name: str, trust: bool) -> Player:
    # Of these `evaluate` knows what to do with the name, and for which side it is made.
    if short_name(name) in NAMES or is_pretrained(name):
        return name
    if name.endswith(".zip") and not trust:
        raise InvalidValue(
            f"{name} may run code when it is loaded; if you trust whoever made it, pass --trust"
        )
    return load(name, trust=trust)


def _players(names: Sequence[str], trust: bool) -> dict[str, Player]:
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"{name!r} is given twice")
    return {name: _player(name, trust) for name in names}


def _pairs(
    policies: Sequence[str], opponent: str | None, side: Side | None, trust: bool
) -> list[Pair]:
    """Each policy with the opponent: (pursuer, evader), and what they are called."""
    is_wished = side is not None
    side = side or _common_side(policies, opponent)
    opponent = opponent or ("evade" if side == "pursuer" else "pursuit")
    other = _player(opponent, trust)
    pairs: list[Pair] = []
    for name, policy in _players(policies, trust).items():
        if is_wished:  # whatever side its name is made for
            script = ROSTER.get(short_name(name), policy)
            policy = load(name) if is_pretrained(name) else script
        if side == "pursuer":
            pairs.append(((policy, other), {"pursuer": name, "evader": opponent}))
        else:
            pairs.append(((other, policy), {"pursuer": opponent, "evader": name}))
    return pairs


def _play(pair: Pair, config: GameConfig, episodes: int, seed: int) -> Evaluation:
    with _progress("episodes") as progress:
        found = play_pair(*pair[0], config, episodes, seed, lambda n: progress(n, episodes))
    return replace(found, **pair[1])


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
