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

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baselines.collecting import collect
    from baselines.comparison import Comparison, compare, table_of
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
    from baselines.response import BestResponse
    from baselines.response_search import best_response
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
    from steer_env.policies.random_policy import RandomPolicy

# Imported when they are first used, so that a command line is parsed at once; from where, the
# lines above say.
_HOME = {
    alias.name: str(line.module)
    for line in ast.walk(ast.parse(Path(__file__).read_text("utf-8")))
    if isinstance(line, ast.ImportFrom) and line.level == 0 and "." in str(line.module)
    for alias in line.names
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
