"""What is called wrongly: the baselines, and the functions that write files or open windows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from wrong_targets import SMALL, Target, hints_of

from steer_env.browser.page import save_play_page
from steer_env.episodes.live_game import LiveGame, record_episode
from steer_env.game.config import game_config
from steer_env.record import draw_recording, record
from steer_env.rendering.recording import Recording
from steer_env.scripts.roster import ROSTER
from steer_env.watch import play, watch


def evaluation(pursuer: str = "pursuit", evader: str = "evade") -> Any:
    from steer_env.baselines import evaluate, game_config

    return evaluate(pursuer, evader, game_config(**SMALL), episodes=8)


@cache
def recording() -> Recording:
    live = LiveGame(game_config(**SMALL), ROSTER["pursuit"], ROSTER["evade"])
    return record_episode(live, seed=3)


def network() -> dict[str, Any]:
    return {
        "weights": [np.ones((3, 17)), np.ones((2, 3))],
        "biases": [np.zeros(3), np.zeros(2)],
    }


def baseline_targets(folder: Path) -> Iterator[Target]:
    from steer_env import baselines
    from steer_env.baselines import NetworkPolicy, ScriptedPolicy

    config = {"config": lambda: baselines.game_config(**SMALL)}
    episodes = {"episodes": lambda: 8, "seed": lambda: 3}
    numbers = {"values": lambda: np.array([1.0, 2.0, 4.0, 8.0]), "confidence": lambda: 0.9}
    bools = {"successes": lambda: np.array([True, False, True]), "confidence": lambda: 0.9}
    pairs = {
        "ours": lambda: np.array([1.0, 2.0, 4.0]),
        "theirs": lambda: np.array([2.0, 2.0, 3.0]),
        "confidence": lambda: 0.9,
    }
    flags = {
        "ours": lambda: np.array([True, False, True]),
        "theirs": lambda: np.array([True, True, False]),
        "confidence": lambda: 0.9,
    }
    matrix = lambda: np.array([[1.0, 2.0, 4.0], [3.0, 2.0, 4.5]])  # noqa: E731
    valid: dict[str, dict[str, Callable[[], Any]]] = {
        "evaluate": {
            "pursuer": lambda: "pursuit",
            "evader": lambda: "evade",
            "names": lambda: ("one", "other"),
            **config,
            **episodes,
        },
        "compare": {
            "ours": evaluation,
            "theirs": lambda: evaluation("seek"),
            "side": lambda: "pursuer",
        },
        "crossplay": {
            "pursuers": lambda: ["pursuit", "seek"],
            "evaders": lambda: {"a": "flee"},
            **config,
            **episodes,
        },
        "best_response": {
            "opponent": lambda: "pursuit",
            "game": lambda: dict(SMALL),
            "side": lambda: "evader",
            "starts": lambda: 2,
            "budget": lambda: 4,
            "seed": lambda: 3,
            "known": lambda: ["flee", "evade"],
            "search_seed": lambda: 1,
        },
        "collect": {
            "pursuer": lambda: "pursuit",
            "evader": lambda: "evade",
            "side": lambda: "evader",
            "epsilon": lambda: 0.5,
            "action_type": lambda: "discrete",
            "names": lambda: ("one", "other"),
            **config,
            **episodes,
        },
        "benchmark": {
            "policies": lambda: "seek",
            "task": lambda: "pursuer/walls",
            "episodes": lambda: 4,
            "seed": lambda: 3,
        },
        "load": {
            "name": lambda: "pursuit",
            "env": lambda: None,
            "seed": lambda: 1,
            "normalization": lambda: None,
        },
        "FunctionPolicy": {"function": lambda: np.tanh},
        "RandomPolicy": {"action_space": lambda: gym.spaces.Discrete(9), "seed": lambda: 1},
        "ScriptedPolicy": {
            "script": lambda: "pursuit",
            "action_type": lambda: "discrete",
            "side": lambda: "pursuer",
            "seed": lambda: 3,
            **config,
        },
        "NetworkPolicy": {
            "weights": lambda: network()["weights"],
            "biases": lambda: network()["biases"],
            "activation": lambda: "tanh",
            "head": lambda: "box",
            "log_std": lambda: np.zeros(2),
            "observation_mean": lambda: np.zeros(17),
            "observation_variance": lambda: np.ones(17),
            "observation_clip": lambda: 5.0,
            "seed": lambda: 1,
            "metadata": lambda: {"a": 1},
        },
        "MixturePolicy": {
            "members": lambda: [NetworkPolicy(**network(), activation="tanh", head="box")],
            "chances": lambda: [2.0],
            "sampled": lambda: True,
            "seed": lambda: 1,
            "names": lambda: ["one"],
        },
        "mean_with_interval": numbers | {"limit": lambda: 20.0},
        "median_with_interval": numbers,
        "interquartile_mean_with_interval": numbers,
        "rate_with_interval": bools,
        "survival_curve": {
            "times": lambda: np.array([1.0, 2.0, 4.0]),
            "captured": lambda: np.array([True, True, False]),
            "confidence": lambda: 0.9,
        },
        "paired_difference": pairs | {"limit": lambda: 20.0},
        "paired_rate_difference": flags,
        "probability_of_improvement": pairs | {"lower_is_better": lambda: True},
        "difference_of_runs": {"ours": matrix, "theirs": matrix, "confidence": lambda: 0.9},
        "mean_of_runs": {"values": matrix, "confidence": lambda: 0.9},
        "improvement_of_runs": {
            "ours": matrix,
            "theirs": matrix,
            "confidence": lambda: 0.9,
            "lower_is_better": lambda: True,
        },
        "rate_difference_of_runs": {
            "ours": lambda: matrix() > 2.5,
            "theirs": lambda: matrix() > 3.5,
            "confidence": lambda: 0.9,
        },
        "rate_of_runs": {"successes": lambda: matrix() > 2.5, "confidence": lambda: 0.9},
    }
    heavy = {
        "evaluate": 4.0,
        "compare": 3.0,
        "crossplay": 2.0,
        "best_response": 2.0,
        "collect": 2.0,
        "NetworkPolicy": 4.0,
        "load": 2.0,
    }
    for name, arguments in valid.items():
        function = getattr(baselines, name)
        weight = heavy.get(name, 1.0)
        needed = ("observation_mean", "observation_variance") if name == "NetworkPolicy" else ()
        yield Target(name, function, arguments, hints_of(function), False, weight, needed)
    saved = folder / "evaluation.npz"
    evaluation().save(saved)
    data = folder / "data.npz"
    collected = baselines.collect("seek", "flee", dict(SMALL), episodes=2)
    collected.save(data)
    makers: dict[str, Callable[[], Any]] = {
        "Evaluation": evaluation,
        "Dataset": lambda: collected,
        "NetworkPolicy": lambda: NetworkPolicy(**network(), activation="tanh", head="box"),
        "ScriptedPolicy": lambda: ScriptedPolicy("pursuit"),
        "CrossPlay": lambda: baselines.crossplay(
            ["pursuit"], ["evade"], baselines.game_config(**SMALL), 8
        ),
    }
    for kind, method, argument in (
        ("Evaluation", "load", lambda: saved),
        ("Evaluation", "save", lambda: folder / "other.csv"),
        ("Evaluation", "__getitem__", lambda: "time"),
        ("NetworkPolicy", "save", lambda: folder / "network.npz"),
        ("NetworkPolicy", "load", lambda: saved),
        ("NetworkPolicy", "predict", lambda: np.zeros(17, np.float32)),
        ("ScriptedPolicy", "predict", lambda: np.zeros((2, 17), np.float32)),
        ("Dataset", "load", lambda: data),
        ("Dataset", "save", lambda: folder / "other.npz"),
        ("CrossPlay", "ranking", lambda: "pursuer"),
        ("CrossPlay", "value", lambda: 0.9),
        ("CrossPlay", "__getitem__", lambda: ("pursuit", "evade")),
    ):

        def call(kind: str = kind, method: str = method, **arguments: Any) -> Any:
            return getattr(makers[kind](), method)(**arguments)

        parameters = list(
            inspect.signature(getattr(getattr(baselines, kind), method)).parameters
        )
        named = next(name for name in parameters if name != "self")
        yield Target(f"{kind}.{method}", call, {named: argument}, {}, weight=1)


def program_targets(folder: Path) -> Iterator[Target]:
    """The functions that write files, and those that open windows."""
    players: dict[str, Callable[[], Any]] = {
        "pursuers": lambda: ["pursuit", "seek"],
        "evaders": lambda: "evade",
        "game": lambda: dict(SMALL),
        "seed": lambda: 3,
        "drawing": lambda: {"size": 120},
        "episodes": lambda: 1,
        "trust": lambda: False,
    }
    files = {
        "svg": lambda: folder / "chase.svg",
        "moment": lambda: 0.2,
        "html": lambda: folder / "chase.html",
    }
    needed = ("svg", "html", "game", "drawing")
    hints = hints_of(record)
    yield Target("record", record, players | files, hints, weight=5, needed=needed)
    board = {"ghosts": lambda: True, "labels": lambda: ["fox", "dog"], **players, **files}
    needed = (*needed, "pursuers", "ghosts")
    yield Target("record on one board", record, board, hints, weight=2, needed=needed)
    drawn = {"recording": recording, "drawing": players["drawing"], **files}
    needed = ("recording", "svg", "html", "drawing")
    hints = hints_of(draw_recording)
    yield Target("draw_recording", draw_recording, drawn, hints, weight=2, needed=needed)
    page: dict[str, Callable[[], Any]] = {
        "path": lambda: folder / "play.html",
        "theme": lambda: "dark",
        "side": lambda: "evader",
        "level": lambda: "easy",
        "opponent": lambda: "seek",
        "game": lambda: {"arena": "torus"},
        "seed": lambda: 3,
    }
    hints = hints_of(save_play_page)
    yield Target(
        "save_play_page", save_play_page, page, hints, weight=2, needed=("path", "side")
    )
    games = {"games": lambda: 1}
    yield Target("watch", watch, players | games, hints_of(watch), weight=2, needed=("game",))
    person: dict[str, Callable[[], Any]] = {
        "side": lambda: "evader",
        "opponent": lambda: "seek",
        "save": lambda: folder / "rounds",
        **{name: players[name] for name in ("game", "seed", "drawing", "episodes", "trust")},
    }
    yield Target("play", play, person, hints_of(play), weight=2, needed=("side", "game"))


def preset_targets() -> Iterator[Target]:
    """The functions that read hyperparameters."""
    from steer_env.agents.training.hyperparameters import parse_overrides, read_preset

    valid: dict[str, Callable[[], Any]] = {
        "name": lambda: "ppo",
        "environment": lambda: "Pursuit-v0",
        "overrides": lambda: {"batch_size": "64", "learning_rate": "lin_3e-4"},
    }
    yield Target("read_preset", read_preset, valid, hints_of(read_preset), weight=3)
    texts = {"texts": lambda: ["batch_size=64", "learning_rate=lin_3e-4"]}
    yield Target("parse_overrides", parse_overrides, texts, hints_of(parse_overrides))
