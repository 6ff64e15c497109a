"""Measures the pretrained policies, and keeps their files, results and learning curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from page_parts import save_both
from pretrained_collections import Collection

from steer_env.agents.training.model import validate_references
from steer_env.agents.training.run import Training
from steer_env.agents.training.run_report import learning_curve_figure
from steer_env.baselines import (
    Episodes,
    Interval,
    NetworkPolicy,
    benchmark,
    best_response,
    evaluate,
    gap,
)
from steer_env.baselines.known_players import best_answer, pretrained_of, scripts_of
from steer_env.baselines.protocol import Result
from steer_env.baselines.statistics import jsonable
from steer_env.baselines.tasks import ALL_TASKS, EPISODES, HELD_OUT_SEED, Task
from steer_env.files import read_json, write_bytes, write_json
from steer_env.players.player import AnyPlayer
from steer_env.scenarios.registry import DEFAULT_GAME
from steer_env.scripts.roster import AT_FULL_FORCE
from steer_env.sides import Side

PRETRAINED = Path(__file__).parents[1] / "agents/pretrained"
"""The folder of all collections in a checkout."""

COMMAND = "python tools/pretrained_pages.py"
CURVE = "learning_curve.svg"
SEARCH = 32, 2048  # starts, and plans from each
_SETTINGS = ("plan", "training", "hyperparameters", "versions", "machine")
"""The entries of a run's config.json that a collection's has, too."""


def collect(collection: Collection, work: Path, out: Path = PRETRAINED) -> None:
    """Copies a collection's trained policies and validations, and writes their settings.

    The runs are in the folder `work`; all collections go into the folder `out`.
    """
    path = out / collection.path
    path.mkdir(parents=True, exist_ok=True)
    for seed in collection.seeds:
        content = collection.policy(work, seed).read_bytes()
        write_bytes(path / f"seed_{seed}.npz", content)
    first = collection.folder(work, collection.seeds[0])
    config = first.read_config()
    about = {
        "command": f"{COMMAND} --only {collection.path}",
        "seeds": list(collection.seeds),
        **{name: config[name] for name in _SETTINGS if name in config},
    }
    write_json(path / "config.json", about)
    results: dict[str, Any] = {}
    if isinstance(collection.training, Training):
        results["runs"] = {}
        for seed in collection.seeds:
            run = read_json(collection.folder(work, seed).results)
            kept = {key: run[key] for key in ("training", "validations")}
            results["runs"][f"seed {seed}"] = kept
    write_json(path / "results.json", results)


def measure(collection: Collection, out: Path = PRETRAINED, episodes: int = EPISODES) -> None:
    """Measures a collection's policies, and writes their results and any learning curve.

    In the default game, the best answer to the first policy and a search play against it, too.
    """
    path = out / collection.path
    policies = {
        f"seed {seed}": NetworkPolicy.load(path / f"seed_{seed}.npz")
        for seed in collection.seeds
    }
    result = benchmark(policies, collection.study, episodes)
    results = read_json(path / "results.json")
    results["benchmark"] = result.to_dict()
    if collection.is_beside_scripts:
        scripts = _beside_scripts(collection)
        if collection.study.references != scripts.references:  # in the protocol's own game
            references = [
                scripts.evaluate(name, opponent, episodes).renamed(**{scripts.side: name})
                for opponent in (*scripts.opponents, *scripts.held_out)
                for name in scripts.references
            ]
            result = Result(scripts, result.played, Episodes.joined(references))
        less = result.differences
        results["scripts"] = {name: jsonable(found) for name, found in less.items()}
    if collection.game.is_solved:
        of_game = collection.game.name, collection.side.name
        found = gap([*policies.values()], *of_game, name=[*policies])
        by_name = found.by(collection.side.name)
        results["optimality"] = [one.to_dict() for one in by_name.values()]
    if collection.game.name == DEFAULT_GAME:
        side, first = collection.side, policies[f"seed {collection.seeds[0]}"]
        game = collection.game.name
        answers = {**scripts_of(side.other), **pretrained_of(side.other, game)}
        results["answer"] = answered = _answered(first, side, answers, episodes, game)
        textbook = f"{side.other.default_script}{AT_FULL_FORCE}"
        best = {x: answers[x] for x in (answered["answer"], answered["script"]) if x}
        known = {**best, textbook: textbook}
        starts, budget = SEARCH
        response = best_response(
            first, game, side.other.name, starts=starts, budget=budget, known=known
        )
        results["search"] = response.to_dict()
    write_json(path / "results.json", results)
    draw_learning_curve(collection, out)


def _answered(
    policy: AnyPlayer, side: Side, answers: Mapping[str, AnyPlayer], episodes: int, game: str
) -> dict[str, Any]:
    """The mean capture times against the best answer to a policy, and the best scripted one."""
    best, script = best_answer(policy, side.other, answers, game)

    def time(answer: str | None) -> Interval | None:
        if answer is None:
            return None
        pair = side.ordered(policy, answers[answer])
        return evaluate(*pair, game, episodes, HELD_OUT_SEED).mean_capture_time

    found = {"answer": best, "capture_time": time(best), "script": script}
    return jsonable({**found, "script_time": time(script)})


def _beside_scripts(collection: Collection) -> Task:
    """The task of a collection, with the references of its page."""
    if not collection.is_beside_scripts:
        return collection.study
    return replace(
        collection.study, references=ALL_TASKS[f"{collection.side.name}/team"].references
    )


def draw_learning_curve(collection: Collection, out: Path = PRETRAINED) -> list[Path]:
    """Draws a collection's learning curve from its results.json; only its scripts are played.

    Returns:
        The pictures, in both themes, if the collection has a curve.
    """
    if not collection.has_curve:
        return []
    path, study = out / collection.path, _beside_scripts(collection)
    curves = {
        name: run["validations"]
        for name, run in read_json(path / "results.json")["runs"].items()
    }
    references = validate_references(study, collection.training.validation_episodes)
    return save_both(path / CURVE, lambda: learning_curve_figure(study, curves, references))
