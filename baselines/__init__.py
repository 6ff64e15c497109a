"""Hand-written behaviors as policies, and fair measurements of any policy against them.

Example:
    >>> from baselines import compare, evaluate
    >>> pursuit = evaluate("pursuit", "evade", episodes=500)
    >>> 0.5 < pursuit.capture_rate.estimate < 0.9
    True
    >>> compare(pursuit, evaluate("seek", "evade", episodes=500)).capture_time.high < 0.0
    True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baselines.collection import collect
    from baselines.comparison import Comparison, compare
    from baselines.cross_play import CrossPlay, crossplay
    from baselines.datasets import Dataset
    from baselines.evaluation import EPISODE, Evaluation
    from baselines.optimality import OptimalityGap, gap, gaps
    from baselines.paired import (
        paired_difference,
        paired_rate_difference,
        probability_of_improvement,
    )
    from baselines.policies import FunctionPolicy, ScriptedPolicy, load
    from baselines.protocol import benchmark
    from baselines.rollouts import evaluate
    from baselines.scenarios import SCENARIOS, Scenario
    from baselines.solved_games import balanced_starts
    from baselines.statistics import (
        Interval,
        SurvivalCurve,
        interquartile_mean_with_interval,
        mean_with_interval,
        median_with_interval,
        rate_with_interval,
        survival_curve,
    )
    from baselines.training_runs import (
        difference_of_runs,
        improvement_of_runs,
        mean_of_runs,
        median_of_runs,
        rate_difference_of_runs,
        rate_of_failed_runs,
        rate_of_runs,
    )
    from steer_env.game.config import game_config
    from steer_env.policies.mixture import MixturePolicy
    from steer_env.policies.network import NetworkPolicy
    from steer_env.policies.random import RandomPolicy

# Imported when they are first used, so that a command line is parsed at once.
_HOMES = {
    "baselines.collection": ("collect",),
    "baselines.comparison": ("Comparison", "compare"),
    "baselines.cross_play": ("CrossPlay", "crossplay"),
    "baselines.datasets": ("Dataset",),
    "baselines.evaluation": ("EPISODE", "Evaluation"),
    "baselines.optimality": ("OptimalityGap", "gap", "gaps"),
    "baselines.paired": (
        "paired_difference",
        "paired_rate_difference",
        "probability_of_improvement",
    ),
    "baselines.policies": ("FunctionPolicy", "ScriptedPolicy", "load"),
    "baselines.protocol": ("benchmark",),
    "baselines.rollouts": ("evaluate",),
    "baselines.scenarios": ("SCENARIOS", "Scenario"),
    "baselines.solved_games": ("balanced_starts",),
    "baselines.statistics": (
        "Interval",
        "SurvivalCurve",
        "interquartile_mean_with_interval",
        "mean_with_interval",
        "median_with_interval",
        "rate_with_interval",
        "survival_curve",
    ),
    "baselines.training_runs": (
        "difference_of_runs",
        "improvement_of_runs",
        "mean_of_runs",
        "median_of_runs",
        "rate_difference_of_runs",
        "rate_of_failed_runs",
        "rate_of_runs",
    ),
    "steer_env.game.config": ("game_config",),
    "steer_env.policies.mixture": ("MixturePolicy",),
    "steer_env.policies.network": ("NetworkPolicy",),
    "steer_env.policies.random": ("RandomPolicy",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
